/**
 * Refusals of close-day that are about something else than the request, as far as a run shows: the document does not list its
 * error codes (A6), and has one for a gate that is closing already (section 7). It foresees none for the state of a recurring
 * payment: its profile is looked for when the batch was accepted (section 1), so that a right batch has nothing to be refused for.
 */
import { classify } from '../answers/acceptance.ts';
import { errorCodeOf } from '../answers/close-day-body.ts';
import type { Case } from '../exchange/case.ts';
import { openCode } from './because.ts';
import { inconclusive } from './finding.ts';
import type { Judge } from './judge.ts';

/**
 * The same judge, which leaves open why a right request was refused with a code of its own: no wrong request got it, and
 * another right one was accepted. A day that cannot be closed twice is refused so, or a gate that is busy.
 */
export function exceptOwnCodes(judge: Judge): Judge {
  return (question) => {
    const verdicts = judge(question);
    if (!verdicts.some(({ finding }) => finding.outcome === 'pass')) return verdicts;
    const ofWrong = codesOfWrong(question.cases);
    return verdicts.map(({ examined, finding }) => {
      const code = finding.outcome === 'fail' ? errorCodeOf(examined.exchange) : undefined;
      if (code === undefined || ofWrong.has(code)) return { examined, finding };
      return { examined, finding: inconclusive(`not accepted: ${finding.actual}`, 'unspecified', openCode(code)) };
    });
  };
}

function codesOfWrong(cases: readonly Case[]): ReadonlySet<string | undefined> {
  const wrong = cases.filter(({ label }) => label.operation === 'close-day' && label.intent === 'fault');
  return new Set(wrong.filter((one) => classify(one) === 'refused').map(({ exchange }) => errorCodeOf(exchange)));
}
