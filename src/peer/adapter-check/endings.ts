/** Checks of how an adapter ends, and of starting it elsewhere, in another locale and again. */
import { tmpdir } from 'node:os';
import { sessionClosed } from '../adapter/faults.ts';
import { utf8Hint } from '../adapter/hints.ts';
import { type Check, right, type Seen, wrong } from './checked-point.ts';
import { sound, soundOr } from './has-result.ts';
import type { FreshConversation } from './probe.ts';

const exitHint =
  'Leave the loop at bye and at the end of standard input, end threads and timers, and exit with code 0.';

export const endings: Readonly<Record<string, Check>> = {
  'bye ends it': async (probe) => {
    const { conversation, notes } = await probe.fresh();
    await conversation.close();
    return properly(notes);
  },

  'the end of its input ends it': async (probe) => {
    const { conversation, notes } = await probe.fresh();
    conversation.finish();
    await conversation.gone();
    const seen = properly(notes);
    await conversation.stop(sessionClosed());
    return seen;
  },

  'the locale does not matter': async (probe) => {
    const { conversation } = await probe.fresh({ env: { LC_ALL: 'C', LANG: 'C' } });
    const { fault } = sound((await probe.ask({ by: conversation, ...probe.withTexts('Zażółć-訂單') })).answer);
    await conversation.close();
    if (fault === undefined) return right('Text beyond ASCII arrives under LC_ALL=C too.');
    return wrong(`Under LC_ALL=C: ${fault.what}`, utf8Hint(probe.language));
  },

  'the folder that it starts in does not matter': async (probe) => {
    const { conversation } = await probe.fresh({ cwd: tmpdir(), ...probe.absoluteCommand() });
    const { answer } = await probe.ask({ by: conversation });
    await conversation.close();
    return soundOr(answer, () => right('It answered from the folder for temporary files.'));
  },

  'it starts again after it was killed': async (probe) => {
    const first = await probe.fresh();
    await first.conversation.stop(sessionClosed());
    const second = await probe.fresh();
    const { answer } = await probe.ask({ by: second.conversation });
    await second.conversation.close();
    return soundOr(answer, () => right('Nothing of the first one was in its way.'));
  },
};

function properly(notes: FreshConversation['notes']): Seen {
  const odd = notes.list().find((note) => /did not end within|instead of exiting/.test(note));
  return odd === undefined ? right('It exited with code 0.') : wrong(odd, exitHint);
}
