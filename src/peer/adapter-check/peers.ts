/** Checks with a server that is slow, hangs up or never ends, and of several cases at once. */

import { emptyOk } from '../../plan/client/answers.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { LocalAnswer } from '../../plan/scenario.ts';
import { flushHint } from '../adapter/hints.ts';
import { type Check, right, wrong } from './checked-point.ts';
import { sound, soundOr } from './has-result.ts';
import type { AdapterProbe } from './probe.ts';

export const peers: Readonly<Record<string, Check>> = {
  'a slow server is waited for': async (probe) => {
    const { answer } = await probe.ask({ answer: after(1000, probe) });
    return soundOr(answer, ({ outcome }) =>
      outcome === 'completed'
        ? right('It waited a second.')
        : wrong(
            `It reported ${outcome} after less than the deadline of the case.`,
            'Let the client wait as long as deadline_ms says.',
          ),
    );
  },

  'a reset is reported as transport_error': async (probe) => {
    const { answer } = await probe.ask({ answer: { kind: 'reset' } });
    return soundOr(answer, ({ outcome }) =>
      outcome === 'transport_error'
        ? right('A broken connection was.')
        : wrong(
            `It reported ${outcome}, although there was no answer.`,
            'Catch the error of the connection and report transport_error with its text.',
          ),
    );
  },

  'a case that is over its deadline does not cost the next one': async (probe) => {
    const started = await probe.lasting();
    const slow = await probe.ask({ answer: { kind: 'endless' }, deadlineMs: 700 });
    if (slow.answer.kind === 'timed-out') await slow.answer.late;
    const { answer } = await probe.ask();
    if (started.over !== undefined)
      return wrong(started.over.message, `Report transport_error and go on. ${started.over.hint}`);
    return soundOr(answer, () => right('It answered the next case.'));
  },

  'two cases at once are kept apart': async (probe) => {
    if (probe.introduction.offers.maxInFlight < 2) return right('It takes one case at a time.');
    const startedAt = performance.now();
    const slow = probe.ask({ answer: after(800, probe) });
    const quick = await probe.ask();
    const quickMs = performance.now() - startedAt;
    const faults = [sound(quick.answer).fault, sound((await slow).answer).fault].filter((fault) => fault !== undefined);
    if (faults[0] !== undefined) return faults[0];
    if (quickMs < 700) return right('The quick one was answered before the slow one.');
    return wrong(
      'The second case waited for the first.',
      `Work on cases at once, or offer max_in_flight 1. ${flushHint(probe.language)}`,
    );
  },

  'an operation that the client does not have is unsupported': async (probe) => {
    const { auth, input } = probe.caseAt('', { operation: 'close-day' });
    const { answer } = await probe.ask({ operation: 'open-day' as 'close-day', auth, input, answer: emptyOk });
    return soundOr(answer, ({ outcome }) =>
      outcome === 'unsupported'
        ? right('The operation open-day was.')
        : wrong(
            `The case asked for the operation open-day, which no client has, and it reported ${outcome}.`,
            'Answer unsupported to any op that the client does not have.',
          ),
    );
  },
};

function after(afterMs: number, probe: AdapterProbe): LocalAnswer {
  const then = ordinaryCalls[probe.introduction.offers.ops[0] ?? 'close-day'].answer;
  return { kind: 'slow', afterMs, then };
}
