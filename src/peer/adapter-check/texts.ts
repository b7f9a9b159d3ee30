/** Checks of lines that are long or hold odd text, and of input that is empty or absent. */

import type { CloseDayInput } from '../../record/client-case.ts';
import { utf8Hint } from '../adapter/hints.ts';
import { type Check, right, type Seen, wrong } from './checked-point.ts';
import { sound, soundOr } from './has-result.ts';
import { type AdapterProbe, probedCloseDay } from './probe.ts';

export const texts: Readonly<Record<string, Check>> = {
  'a line of 200 KB is read whole': async (probe) => {
    // Blanks between tokens: of so long an input the stages would be longer than those of a result may be.
    const blanks = ' '.repeat(200_000);
    const answer = await probe.askOn((line) => line.replace(/\}\n$/, `${blanks}}\n`));
    return soundOr(answer, () => right('It answered the case on that line.'));
  },

  'text beyond ASCII arrives': (probe) => withText(probe, 'Zażółć-Ångström-訂單-😀'),

  'separators other than line ends do not cut a line': (probe) => withText(probe, 'a\u2028b\u2029c\u0085d\u000be'),

  'quotes, backslashes and escapes arrive': (probe) => withText(probe, '"\\/\b\f\n\r\t\u001f}]\\u0041'),

  'empty and absent differ': async (probe) => {
    if (!probe.introduction.offers.ops.includes('close-day'))
      return right('It has no close-day, where they could differ.');
    const ask = (input: CloseDayInput) => probe.ask({ operation: 'close-day', input });
    const [absent, empty] = [await ask(probedCloseDay), await ask({ ...probedCloseDay, sale_approved_sum: '' })];
    const faults = [sound(absent.answer).fault, sound(empty.answer).fault].filter((fault) => fault !== undefined);
    if (faults[0] !== undefined) return faults[0];
    const [one, other] = [absent, empty].map(({ requests }) => requests[0]?.request.body);
    if (one === undefined || other === undefined) return right('The client declined one of them, which it may.');
    if (Buffer.compare(one, other) !== 0) return right('They differ on the wire.');
    return wrong(
      'A field that is empty and one that is absent gave the same request.',
      'Pass on every member of the input, even an empty one, and add none; report unsupported where the client has no way to say it.',
    );
  },
};

/** The client may decline it; the adapter has to survive it. */
async function withText(probe: AdapterProbe, text: string): Promise<Seen> {
  const { fault, reply } = sound((await probe.ask(probe.withTexts(text))).answer);
  if (fault === undefined) return right(`It answered ${reply.outcome}.`);
  return wrong(fault.what, `${fault.hint} ${utf8Hint(probe.language)} Cut lines at 0x0A only.`);
}
