/** Performs one scenario against a target: plans, signs, asks the second voice, sends and records. A plain function, no test runner. */

import type { Case, CaseLabel } from '../exchange/case.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ScenarioRest } from '../exchange/gateway-run.ts';
import type { PlannedCase, Scenario, Situation } from '../scenarios/scenario.ts';
import type { Breaker } from './breaker.ts';
import { type BuiltRequest, buildRequest, type Fresh } from './build-request.ts';
import { withOwnIds } from './fresh-request-id.ts';
import { plannedCases } from './planned-cases.ts';
import { askSecondVoice } from './second-voice.ts';
import { type Counterexample, shrinkFailures } from './shrink.ts';
import type { Target } from './target.ts';
import type { Transport } from './transport.ts';

export interface RunContext {
  readonly target: Target;
  readonly transport: Transport;
  readonly breaker: Breaker;
  readonly seed: string;
  /** Number of generated cases of a generated scenario. */
  readonly cases: number;
  /** Path of one generated case that is to be repeated alone. */
  readonly path?: string;
  /** Whether every signature is computed a second time by the libraries of src/oracle; default yes. */
  readonly secondVoice?: boolean;
  /** A timestamp and a nonce that no other request of the run has. */
  fresh(): Fresh;
}

export interface ScenarioRecord extends ScenarioRest {
  readonly cases: readonly Case[];
  /** Set where the situation that the scenario needs cannot be brought about on this target. */
  readonly notArranged?: Situation;
  /** The smallest failing generated case of each requirement, where one failed. */
  readonly counterexamples?: readonly Counterexample[];
  /** Whether the one case is the right request that the refusals before it wait for. */
  readonly settles?: boolean;
}

/** Performs the scenario; what the target does is recorded, never thrown. */
export async function runScenario(scenario: Scenario, context: RunContext): Promise<ScenarioRecord> {
  if (cannotArrange(scenario, context.target)) {
    return { scenario: scenario.id, cases: [], notArranged: scenario.situation, suiteErrors: [] };
  }
  const planned = plannedCases(scenario, context);
  const built: BuiltRequest[] = [];
  const cases: Case[] = new Array(planned.length);
  const suiteErrors: string[] = [];
  const underWay = new Set<Promise<unknown>>();
  let second: string | undefined;
  // A gateway may take no timestamp before the last one that it took (A3): what is under way at once has one timestamp.
  const inItsSecond = async (make: () => BuiltRequest): Promise<BuiltRequest> => {
    let request = make();
    while (request.fresh.timestamp !== second && underWay.size > 0) {
      await Promise.allSettled(underWay);
      request = make();
    }
    second = request.fresh.timestamp;
    return request;
  };
  const perform = async (plan: PlannedCase, number: number): Promise<Case> => {
    const { replay, nonceOf } = plan.request;
    const fresh = nonceOf === undefined ? context.fresh : () => built[nonceOf]!.fresh;
    const make = () => (replay === undefined ? build(plan, number, scenario, { ...context, fresh }) : built[replay]!);
    const request = await inItsSecond(make);
    built[number] = request;
    const disagreement =
      context.secondVoice === false ? undefined : askSecondVoice(request, context.target, plan.request.operation);
    if (disagreement !== undefined) suiteErrors.push(`${scenario.id} case ${number}: ${disagreement}`);
    const sending = send(plan, request, scenario, context);
    underWay.add(sending);
    const exchange = await sending.finally(() => underWay.delete(sending));
    return { scenario: scenario.id, number, label: labelOf(plan, scenario, context.target), exchange };
  };
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < planned.length; number = next++) {
      cases[number] = await perform(planned[number]!, number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(scenario.inFlight, planned.length) }, worker));
  const shrunk = await shrinkFailures(planned, cases, perform);
  return {
    scenario: scenario.id,
    cases: [...cases, ...shrunk.cases],
    counterexamples: shrunk.counterexamples,
    suiteErrors,
    ...(context.breaker.reason() === undefined ? {} : { givenUp: context.breaker.reason() }),
  };
}

async function send(
  plan: PlannedCase,
  { request }: BuiltRequest,
  scenario: Scenario,
  { transport, target, breaker }: RunContext,
): Promise<Exchange> {
  const { framing, answer, profile, situation = scenario.situation } = plan.request;
  await target.arrange?.(situation);
  if (profile !== undefined) target.setProfile?.(profile.id, profile.state);
  if (answer !== undefined) await target.setNextAnswer?.(target.endpoints[situation]!, answer);
  // Silence to unusual framing is an answer of its own and says nothing of the target's health.
  if (framing !== undefined && breaker.reason() === undefined) return transport.sendFramed(request, framing);
  return breaker.guard(request, () => transport.send(request));
}

/** Whether the situation that the scenario needs cannot be brought about. */
export function cannotArrange(
  { situation, needsAnswers, needsProfiles }: Scenario,
  { endpoints, setNextAnswer, setProfile }: Pick<Target, 'endpoints' | 'setNextAnswer' | 'setProfile'>,
): boolean {
  if (needsAnswers === true && setNextAnswer === undefined) return true;
  return endpoints[situation] === undefined || (needsProfiles === true && setProfile === undefined);
}

/** The request of a case, signed at this moment; `seed` makes its ids ones that no other run has. */
export function build(
  plan: PlannedCase,
  number: number,
  scenario: Scenario,
  { target, fresh, seed }: Pick<RunContext, 'target' | 'fresh' | 'seed'>,
): BuiltRequest {
  const request = withOwnIds(plan.request, `${seed} ${scenario.id} ${number}`);
  let built = buildRequest(request, target, scenario.situation, fresh());
  // A nonce in fifty without a telling signature is rarer than any fault of the suite.
  for (let tries = 0; tries < 50 && request.until?.(built.signature ?? '') === false; tries += 1) {
    built = buildRequest(request, target, scenario.situation, fresh());
  }
  return built;
}

/** The label of a case, with what is known of the target's state. */
export function labelOf({ label, request }: PlannedCase, scenario: Scenario, target: Target): CaseLabel {
  const { id } = scenario;
  const situation = request.situation ?? scenario.situation;
  const gates = target.gates[target.endpoints[situation] ?? ''];
  const gate = gateOf(situation, target);
  const { twin, ...rest } = label;
  return {
    ...rest,
    operation: request.operation,
    ...(twin === undefined ? {} : { twin: { scenario: id, number: twin } }),
    facts: { ...(gate === undefined ? {} : { gate }), ...(gates === undefined ? {} : { gates }) },
  };
}

/** Whether an ordinary endpoint's gate is free is known where the suite puts it into its state; what a person did is asked. */
function gateOf(situation: Situation, { kind, arrange }: Target): NonNullable<CaseLabel['facts']>['gate'] {
  if (situation === 'unlocked' || situation === 'closed-by-hand') return undefined;
  if (situation !== 'several-gates' && situation !== 'open') return situation;
  return kind === 'mock' || arrange !== undefined ? 'open' : undefined;
}
