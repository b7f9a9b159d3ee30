/** Measures a gateway: which ways to sign it takes, and where its limits lie. Asked for with --measure, and the last of a run. */

import {
  type Limit,
  limitAhead,
  limitsOfBatches,
  limitsOfCloseDay,
  measuring,
  plainRequest,
} from '../../plan/measuring.ts';
import type { Draw, RequestPlan } from '../../plan/scenario.ts';
import { type Asking, asking } from '../../run/gateway/asking.ts';
import {
  type PerformCase,
  performerOf,
  type RunContext,
  type ScenarioRecord,
  type SendPolicy,
} from '../../run/gateway/perform-case.ts';
import { drawOf } from '../../run/gateway/planned-cases.ts';
import { type OfTheMock, onMock } from '../../run/gateway/run-scenario.ts';
import { performerIn, type StepOptions } from '../../run/live/perform-step.ts';
import type { LiveSession } from '../../run/live/session.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import type { Target } from '../../run/target/target.ts';
import { measureDialect, signedWith } from './dialect.ts';

/** Measures a mock of its own. */
export function measureMock(options: RunOptions, mock?: OfTheMock): Promise<ScenarioRecord> {
  return onMock(measuring.id, options, mock, (context) => measureIn(context, options));
}

/** The same where everything may be sent. */
export function measureIn(context: Omit<RunContext, 'policy'>, options: RunOptions): Promise<ScenarioRecord> {
  const everything: SendPolicy = { pass: (_, send) => send() };
  const { perform, suiteErrors } = performerOf(measuring, { ...context, policy: everything });
  return measure(perform, context.target, suiteErrors, options);
}

/** Measures a live target, each request through the effect guard: within the allowance, and what is not allowed is not known. */
export async function measureLive(session: LiveSession, options: StepOptions): Promise<ScenarioRecord> {
  const transport = session.openTransport();
  try {
    const step = { scenario: measuring, phase: 'observations', numbers: [] } as const;
    const { perform, suiteErrors } = performerIn(session, step, options, transport);
    const record = await measure(perform, session.target, suiteErrors, options);
    const { failed } = await session.probe(transport);
    return failed === undefined ? record : { ...record, unreachable: failed };
  } finally {
    await transport.close();
  }
}

async function measure(
  perform: PerformCase,
  target: Target,
  suiteErrors: readonly string[],
  options: RunOptions,
): Promise<ScenarioRecord> {
  const asked = asking(perform, options.measure ?? 0);
  // Error 99 of a gate that is closing says that a request came through, and nothing was closed for it.
  const situation = target.endpoints.closing === undefined ? 'open' : 'closing';
  const follows = await measureDialect(asked, target, situation);
  const inItsDialect = {
    ...asked,
    ask: (...[request, label]: Parameters<typeof asked.ask>) => asked.ask(signedWith(follows, request), label),
  };
  await measureLimits(inItsDialect, situation, drawOf(measuring.id, options));
  const { cases, notSent } = asked;
  return { scenario: measuring.id, cases, notSent, suiteErrors };
}

async function measureLimits(asking: Asking, situation: 'closing' | 'open', draw: Draw): Promise<void> {
  for (const limit of limitsOfCloseDay) await bisect(limit, asking, { situation }, draw);
  await countNonces(asking, { situation });
  for (const limit of limitsOfBatches) await bisect(limit, asking, {}, draw);
  await bisect(limitAhead, asking, { situation }, draw);
}

async function bisect(limit: Limit, { ask }: Asking, where: Partial<RequestPlan>, draw: Draw): Promise<void> {
  const { id, at, first, last, tolerance = 0, request } = limit;
  const takes = (step: number) =>
    ask({ ...request(at(step), draw), ...where }, { measures: { limit: id, value: at(step) } });
  if ((await takes(0)) !== true) return;
  let good = 0;
  let bad: number | undefined;
  for (let next = first; bad === undefined && good < last; next = Math.min(2 * next, last)) {
    const taken = await takes(next);
    if (taken === undefined) break;
    if (taken) good = next;
    else bad = next;
  }
  while (bad !== undefined && bad - good > Math.max(1, good * tolerance)) {
    const middle: number = Math.floor((good + bad) / 2);
    const taken = await takes(middle);
    if (taken === undefined) break;
    if (taken) good = middle;
    else bad = middle;
  }
  // What was taken at the beginning has to be taken at the end: otherwise something else than the value refused the others.
  await takes(0);
}

/** Nonces that are used before the first of them is used again. */
const nonces = 64;

/** A gateway that forgets the oldest takes it again. Each that it takes again, it remembers anew. */
async function countNonces({ ask, last }: Asking, where: Partial<RequestPlan>): Promise<void> {
  const used: number[] = [];
  for (let value = 1; value <= nonces; value += 1) {
    if ((await ask({ ...plainRequest, ...where }, { measures: { limit: 'nonces-remembered', value } })) !== true)
      return;
    used.push(last());
  }
  let [low, high] = [0, nonces + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const measures = { limit: 'nonces-remembered', value: middle, again: true } as const;
    const taken = await ask({ ...plainRequest, ...where, nonceOf: used[middle - 1]! }, { measures });
    if (taken === undefined) break;
    if (taken) low = middle;
    else high = middle;
  }
}
