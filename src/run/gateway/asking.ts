/** Asks a gateway one question after the other, each a request, until the requests are used up that may be spent. */
import type { PlannedCase, RequestPlan } from '../../plan/scenario.ts';
import type { Case, CaseLabel } from '../../record/case.ts';
import { isUnsent, type NotSent } from '../../record/gateway-run.ts';
import { isTaken } from '../../rules/answers/acceptance.ts';
import type { PerformCase } from './perform-case.ts';

export interface Asking {
  /** Whether the gateway takes the request; undefined where that is not known: it was not sent, or not answered. */
  ask(request: RequestPlan, label: Pick<CaseLabel, 'measures' | 'signedAs'>): Promise<boolean | undefined>;
  /** The number of the last case. */
  last(): number;
  readonly cases: Case[];
  readonly notSent: NotSent[];
}

/** @param most requests that may be spent */
export function asking(perform: PerformCase, most: number): Asking {
  const [cases, notSent]: [Case[], NotSent[]] = [[], []];
  let [isUsedUp, isCloseDayOver] = [false, false];
  let number = 0;
  return {
    cases,
    notSent,
    last: () => number,
    async ask(request, label) {
      if (isUsedUp || (isCloseDayOver && request.operation === 'close-day')) return undefined;
      number += 1;
      const about = label.measures?.limit ?? 'dialect';
      if (cases.length >= most) {
        isUsedUp = true;
        notSent.push({ number, about, why: 'allow', reason: `the ${most} requests of --measure are used up` });
        return undefined;
      }
      const planned: PlannedCase = { label: { intent: 'open', ...label }, request };
      const performed = await perform(planned, number);
      if (isUnsent(performed)) {
        // A smaller batch, or one with another id, may still be sent.
        isCloseDayOver ||= request.operation === 'close-day';
        notSent.push({ number, about, ...performed });
        return undefined;
      }
      cases.push(performed);
      return isTaken(performed);
    },
  };
}
