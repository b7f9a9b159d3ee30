/** What a live run is going to do, known before its first request: its steps, what it leaves out, and the effects at worst. Pure. */
import type { Operation } from '../../../contracts/requirements/requirement.ts';
import { buildRequest } from '../build-request.ts';
import type { Allowance } from '../live-config.ts';
import { placeOf } from '../live-target.ts';
import { plannedCases } from '../planned-cases.ts';
import type { RunOptions } from '../run-options.ts';
import { cannotArrange } from '../run-scenario.ts';
import type { Target } from '../target.ts';
import { nothingSpent, type Spent, spend, whyExceeds } from './budget.ts';
import type { LiveRun } from './live-run.ts';
import { inDecimals } from './money.ts';
import { type LiveStep, orderSteps, type Phase, phases } from './order.ts';
import { siteOf } from './site.ts';
import { type Forbidden, type WorstCase, worstCaseOf } from './worst-case.ts';

export interface PlannedEffects {
  readonly 'closes-day': number;
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export interface LivePlan {
  readonly format: 'countersign-plan';
  readonly formatVersion: 1;
  readonly target: string;
  readonly endpointId?: string;
  readonly allow: Allowance;
  /** What earlier runs did that did not end: it counts against the allowance. */
  readonly carried: PlannedEffects;
  readonly phases: readonly { readonly phase: Phase; readonly operation: Operation; readonly cases: number }[];
  /** Cases that are not sent, by reason. */
  readonly notSent: readonly { readonly reason: string; readonly cases: number }[];
  /** If the target refuses what it must refuse, and accepts everything else. */
  readonly predicted: PlannedEffects;
  /** Whatever the target does. */
  readonly atMost: PlannedEffects;
}

export type LiveOptions = Pick<RunOptions, 'seed' | 'cases' | 'path' | 'only' | 'runId' | 'target'> & {
  readonly live: Pick<LiveRun, 'config'>;
};

/** `carried`: what counts against the allowance before the run begins. */
export function planRun(options: LiveOptions, carried: Spent = nothingSpent): LivePlan {
  const { config } = options.live;
  const counted = new Map<string, number>();
  const reasons = new Map<string, number>();
  let spent = carried;
  let risked = nothingSpent;
  for (const { phase, operation, worst } of casesInOrder(options)) {
    const reason = 'forbidden' in worst ? worst.forbidden : whyExceeds(worst, spent, config.allow);
    if ('forbidden' in worst || reason !== undefined) {
      reasons.set(reason!, (reasons.get(reason!) ?? 0) + 1);
      continue;
    }
    counted.set(`${phase} ${operation}`, (counted.get(`${phase} ${operation}`) ?? 0) + 1);
    risked = spend(risked, worst);
    if (phase !== 'refusals') spent = spend(spent, worst);
  }
  return {
    format: 'countersign-plan',
    formatVersion: 1,
    target: options.target,
    ...(config.endpointId === undefined ? {} : { endpointId: config.endpointId }),
    allow: config.allow,
    carried: inWords(carried),
    phases: phases.flatMap((phase) =>
      (['close-day', 'process-recurring-payments'] as const).flatMap((operation) => {
        const cases = counted.get(`${phase} ${operation}`) ?? 0;
        return cases === 0 ? [] : [{ phase, operation, cases }];
      }),
    ),
    notSent: [...reasons].map(([reason, cases]) => ({ reason, cases })).sort((a, b) => b.cases - a.cases),
    predicted: inWords(less(spent, carried)),
    atMost: atMost(risked, carried, config.allow),
  };
}

interface PricedCase {
  readonly phase: Phase;
  readonly operation: Operation;
  readonly worst: WorstCase | Forbidden;
}

function casesInOrder(options: LiveOptions): PricedCase[] {
  const { config } = options.live;
  const place = placeOf(config);
  const site = siteOf(config);
  const answers = config.controlUrl === undefined ? {} : { setNextAnswer: async () => {} };
  return orderSteps(options as RunOptions).flatMap((step) => {
    if (cannotArrange(step.scenario, { ...place, ...answers })) return [];
    const plan = plannedCases(step.scenario, options as RunOptions);
    return step.numbers.map((number) => ({
      phase: step.phase,
      operation: step.scenario.operation,
      worst: worstOf(plan[number]!.request, step, place as Target, site),
    }));
  });
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
    return { forbidden: `the configuration names no endpoint that is ${situation}` };
  }
  const unsigned = { ...plan, unsigned: true };
  return worstCaseOf(buildRequest(unsigned, place, scenario.situation, { timestamp: '0', nonce: '0' }).request, site);
}

function atMost(risked: Spent, carried: Spent, allow: Allowance): PlannedEffects {
  const { count, total } = allow['starts-payments'];
  const left = less(
    { closesDay: allow['closes-day'], payments: count, cents: Number(total.replace('.', '')) },
    carried,
  );
  return inWords({
    closesDay: Math.min(risked.closesDay, left.closesDay),
    payments: Math.min(risked.payments, left.payments),
    cents: Math.min(risked.cents, left.cents),
  });
}

function less(a: Spent, b: Spent): Spent {
  return {
    closesDay: Math.max(a.closesDay - b.closesDay, 0),
    payments: Math.max(a.payments - b.payments, 0),
    cents: Math.max(a.cents - b.cents, 0),
  };
}

function inWords({ closesDay, payments, cents }: Spent): PlannedEffects {
  return { 'closes-day': closesDay, 'starts-payments': { count: payments, total: inDecimals(cents) } };
}
