/** Measures a gateway: which ways to sign it takes, and where its limits lie. Asked for with --measure, and the last of a run. */

import type { Scenario } from '../../plan/scenario.ts';
import { measuringId } from '../../record/case.ts';
import { asking } from '../../run/gateway/asking.ts';
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
import { measureLimits } from './limits.ts';

/** Its requests depend on the answers, so that it has no plan; it is not one of those that are selected. */
export const measuring: Scenario = {
  id: measuringId,
  operation: 'close-day',
  title: 'What the gateway takes where the document is silent, in numbers',
  situation: 'open',
  effect: 'closes-day',
  shows: [],
  inFlight: 1,
  plan: () => [],
};

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
