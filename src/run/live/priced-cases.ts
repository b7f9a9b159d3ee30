/** The cases of a live run in their order, each with the worst that it can do: what a plan is made of. Pure. */
import type { Operation } from '../../../contracts/operations.ts';
import type { PlannedCase } from '../../plan/scenario.ts';
import { nothingSpent, spend } from '../allowance/budget.ts';
import type { Kept } from '../allowance/guard.ts';
import type { Forbidden } from '../allowance/read-batch.ts';
import { type WorstCase, worstCaseOf } from '../allowance/worst-case.ts';
import { buildRequest } from '../gateway/build-request.ts';
import { cannotArrange } from '../gateway/perform-case.ts';
import { plannedCases } from '../gateway/planned-cases.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { LiveRun } from '../target/live-run.ts';
import { placeOf } from '../target/live-target.ts';
import { siteOf } from '../target/site.ts';
import type { Target } from '../target/target.ts';
import { isAtClosingGate, type LiveStep, missingKeys, orderSteps, type Phase } from './order.ts';
import { asksOtherForms, inOtherForms } from './other-forms.ts';

/** What a plan is made from. */
export type LiveOptions = Pick<
  RunOptions,
  'seed' | 'cases' | 'path' | 'only' | 'runId' | 'target' | 'measure' | 'contracts'
> & {
  readonly live: Pick<LiveRun, 'config'>;
};

/** A case, and the worst that it can do. */
export interface PricedCase {
  readonly step: LiveStep;
  readonly planned: PlannedCase;
  readonly operation: Operation;
  readonly worst: WorstCase | Forbidden;
  readonly atClosingGate: boolean;
  /** Whether it is sent only where the first right batch is refused. */
  readonly isSpare: boolean;
}

/** Those that can be arranged at this target, whether or not they are allowed. */
export function casesInOrder(options: LiveOptions): PricedCase[] {
  const { config } = options.live;
  const place = placeOf(config);
  const site = siteOf(config);
  const answers = config.controlUrl === undefined ? {} : { setNextAnswer: async () => {} };
  return orderSteps(options as RunOptions).flatMap((step) => {
    if (cannotArrange(step.scenario, { ...place, ...answers })) return [];
    const plan = plannedCases(step.scenario, options as RunOptions);
    const priced = (planned: PlannedCase, isSpare: boolean): PricedCase => ({
      step,
      planned,
      operation: step.scenario.operation,
      worst: worstOf(planned.request, step, place as Target, site),
      atClosingGate: isAtClosingGate(planned.request, step.scenario),
      isSpare,
    });
    return step.numbers.flatMap((number) => [
      priced(plan[number]!, false),
      ...(asksOtherForms(step) ? inOtherForms(plan[number]!, number) : []).map((other) => priced(other, true)),
    ]);
  });
}

/** What the right requests of a run cost at worst, for which room has to be kept. */
export function costOfRight(options: LiveOptions): Kept {
  return costOf(casesInOrder(options));
}

export function costOf(priced: readonly PricedCase[]): Kept {
  const costIn = (...phases: readonly Phase[]) =>
    priced
      .filter(({ step, isSpare }) => !isSpare && phases.includes(step.phase))
      .reduce(
        (spent, { worst }) => ('forbidden' in worst || 'unknown' in worst ? spent : spend(spent, worst)),
        nothingSpent,
      );
  return { first: costIn('first positives'), all: costIn('first positives', 'positives') };
}

/** Headers have no bearing on what a request can do: it is read without being signed. */
function worstOf(
  plan: ReturnType<typeof plannedCases>[number]['request'],
  { scenario }: LiveStep,
  place: Target,
  site: ReturnType<typeof siteOf>,
): WorstCase | Forbidden {
  const situation = plan.situation ?? scenario.situation;
  if (place.endpoints[situation] === undefined) {
    return { forbidden: `the configuration lacks ${missingKeys[situation]}` };
  }
  const unsigned = { ...plan, unsigned: true };
  const { request } = buildRequest(unsigned, place, scenario.situation, { timestamp: '0', nonce: '0' });
  return worstCaseOf({ ...request, isSigned: plan.unsigned !== true }, site);
}
