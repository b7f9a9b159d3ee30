/** One step of a live run from its first case to its record: each case passes the effect guard, one at a time. */

import { classify } from '../../checks/acceptance.ts';
import type { Case } from '../../exchange/case.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { NotSent } from '../../exchange/gateway-run.ts';
import type { PlannedCase } from '../../scenarios/scenario.ts';
import type { BuiltRequest, Fresh } from '../build-request.ts';
import { eachBodyOnce, withKeptBody } from '../each-body-once.ts';
import { freshNow } from '../perform.ts';
import { plannedCases } from '../planned-cases.ts';
import type { RunOptions } from '../run-options.ts';
import { build, cannotArrange, labelOf, type ScenarioRecord } from '../run-scenario.ts';
import { askSecondVoice } from '../second-voice.ts';
import type { Transport } from '../transport.ts';
import { acceptedUnsigned } from './accepted-unsigned.ts';
import { authenticationKind, kindOf } from './kind-of.ts';
import type { LiveRun } from './live-run.ts';
import { isAtClosingGate, type LiveStep } from './order.ts';
import { asksOtherForms, inOtherForms } from './other-forms.ts';
import { reletterIds } from './reletter-ids.ts';
import { type LiveSession, liveSession } from './session.ts';

/** Performs the step; what the target does is recorded, never thrown. */
export async function performStep(
  step: LiveStep,
  options: RunOptions & { readonly live: LiveRun },
  env: Readonly<Record<string, string | undefined>>,
): Promise<ScenarioRecord> {
  const session = await liveSession(options, env);
  const { scenario } = step;
  if (cannotArrange(scenario, session.target)) {
    return { scenario: scenario.id, cases: [], notArranged: scenario.situation, suiteErrors: [] };
  }
  const transport = session.openTransport();
  try {
    const before = session.over(isSettled(step)) === undefined ? await beforeFirst(session, transport) : undefined;
    const performed = await performCases(step, options, session, transport);
    await session.target.arrange?.('open').catch((cause: Error) => performed.suiteErrors.push(cause.message));
    const after = performed.cases.length > 0 ? await session.probe(transport) : undefined;
    const unreachable = before ?? after?.failed;
    const givenUp = session.over(isSettled(step));
    return {
      scenario: scenario.id,
      ...performed,
      ...(unreachable === undefined ? {} : { unreachable }),
      ...(givenUp === undefined ? {} : { givenUp }),
      ...(step.phase === 'first positives' ? { settles: true } : {}),
    };
  } finally {
    await transport.close();
  }
}

const probed = new WeakSet<LiveSession>();

/** The probe after a step is the one before the next; only the first step needs one of its own. */
async function beforeFirst(session: LiveSession, transport: Transport): Promise<string | undefined> {
  if (probed.has(session)) return undefined;
  probed.add(session);
  return (await session.probe(transport)).failed;
}

/** Whether the right requests were sent before this step. */
function isSettled({ phase }: LiveStep): boolean {
  return phase === 'positives' || phase === 'observations' || phase === 'last';
}

/** Whether right requests come after this step, for which there has to be room. */
function isRefusal({ phase }: LiveStep): boolean {
  return phase === 'first refusals' || phase === 'refusals';
}

interface Performed {
  readonly cases: readonly Case[];
  readonly notSent: readonly NotSent[];
  readonly suiteErrors: string[];
}

async function performCases(
  step: LiveStep,
  options: RunOptions & { readonly live: LiveRun },
  session: LiveSession,
  transport: Transport,
): Promise<Performed> {
  const { scenario } = step;
  const plan = plannedCases(scenario, options);
  const built = sentOf(session, scenario.id);
  const same = eachBodyOnce();
  const [cases, notSent, suiteErrors]: [Case[], NotSent[], string[]] = [[], [], []];
  const leaveOut = (number: number, why: NotSent['why'], reason: string) => {
    const { about } = plan[number]!.label;
    notSent.push({ number, ...(about === undefined ? {} : { about }), why, reason });
  };
  const accepted = acceptedUnsigned(options.live, scenario.operation);
  for (const number of step.numbers) {
    const planned = plan[number]!;
    const negative = kindOf(planned.label, scenario);
    if (accepted !== undefined && negative === authenticationKind(scenario)) {
      // Sent once more, to an endpoint that exists, it would show the same at the cost of an effect.
      if (planned.request.unsigned === true) {
        const label = labelOf(planned, scenario, session.target);
        cases.push({ scenario: scenario.id, number, label, exchange: accepted });
      } else {
        leaveOut(number, 'stopped', 'a request without a signature was accepted, and this is of the same kind');
      }
      continue;
    }
    const over = session.over(isSettled(step));
    const { replay, nonceOf, situation = scenario.situation } = planned.request;
    if (over !== undefined) {
      leaveOut(number, 'given-up', over);
      continue;
    }
    if (session.target.endpoints[situation] === undefined) {
      leaveOut(number, 'forbidden', `the configuration names no endpoint that is ${situation}`);
      continue;
    }
    const earlier = replay ?? nonceOf;
    if (earlier !== undefined && !built.has(earlier)) {
      leaveOut(number, 'allow', 'the request that it repeats was not sent either');
      continue;
    }
    const fresh = nonceOf === undefined ? freshNow : () => built.get(nonceOf)!.built.fresh;
    const request =
      replay === undefined ? buildFor(planned, number, step, options, session, fresh) : built.get(replay)!.built;
    const disagreement = askSecondVoice(request, session.target, planned.request.operation);
    if (disagreement !== undefined) suiteErrors.push(`${scenario.id} case ${number}: ${disagreement}`);
    const purpose = {
      what: whatOf(planned, number, step),
      // A nonce that was not accepted is not used: nothing is wrong about its second use.
      negative: earlier === undefined || built.get(earlier)!.isAccepted ? negative : undefined,
      atClosingGate: isAtClosingGate(planned.request, scenario),
      settles: step.phase === 'first positives',
      ...(isRefusal(step) ? { keep: session.keep } : {}),
    };
    const sent = await session.guard.send(request.request, purpose, () =>
      sendArranged(planned, step, request, session, transport),
    );
    if ('withheld' in sent) {
      leaveOut(number, sent.withheld.why, sent.withheld.reason);
      continue;
    }
    const exchange = withKeptBody(sent, same);
    const examined = { scenario: scenario.id, number, label: labelOf(planned, scenario, session.target), exchange };
    built.set(number, { built: request, isAccepted: classify(examined) === 'accepted' });
    cases.push(examined);
    if (step.phase === 'first positives') session.settle(scenario.operation, sent);
    if (asksOtherForms(step) && classify(examined) === 'refused') {
      cases.push(...(await inWhichForm(planned, number, plan.length, step, options, session, transport)));
    }
    if (sent.response === undefined) await session.probe(transport);
  }
  return { cases, notSent, suiteErrors };
}

/** Sends a batch that was refused in other forms, until one is accepted: then the keys are right, and the form is the cause. */
async function inWhichForm(
  planned: PlannedCase,
  number: number,
  next: number,
  step: LiveStep,
  options: RunOptions & { readonly live: LiveRun },
  session: LiveSession,
  transport: Transport,
): Promise<readonly Case[]> {
  const { scenario } = step;
  const cases: Case[] = [];
  let accepted: string | undefined;
  for (const [at, other] of inOtherForms(planned, number).entries()) {
    const request = buildFor(other, next + at, step, options, session, freshNow);
    const purpose = { what: whatOf(other, next + at, step), settles: true };
    const sent = await session.guard.send(request.request, purpose, () => transport.send(request.request));
    if ('withheld' in sent) break;
    const label = labelOf(other, scenario, session.target);
    const examined = { scenario: scenario.id, number: next + at, label, exchange: sent };
    cases.push(examined);
    // Silence is waited for once.
    if (sent.response === undefined) break;
    if (classify(examined) !== 'accepted') accepted = undefined;
    else if (accepted === undefined) accepted = label.differsIn;
    else if (accepted === label.differsIn) {
      session.settle(scenario.operation, sent);
      break;
    }
  }
  return cases;
}

interface Sent {
  readonly built: BuiltRequest;
  readonly isAccepted: boolean;
}

const sentBefore = new WeakMap<LiveSession, Map<string, Map<number, Sent>>>();

/** What was sent of the scenario, in this step or an earlier one, by its place in the plan. */
function sentOf(session: LiveSession, scenario: string): Map<number, Sent> {
  const known = sentBefore.get(session) ?? new Map<string, Map<number, Sent>>();
  sentBefore.set(session, known);
  const sent = known.get(scenario) ?? new Map<number, Sent>();
  known.set(scenario, sent);
  return sent;
}

function buildFor(
  planned: PlannedCase,
  number: number,
  { scenario }: LiveStep,
  { runId, seed }: RunOptions,
  { target }: LiveSession,
  fresh: () => Fresh,
): BuiltRequest {
  const request = reletterIds(planned.request, runId);
  return build({ ...planned, request }, number, scenario, { target, fresh, seed: `${runId} ${seed}` });
}

/** What could not be arranged is not sent: its answer would speak of another situation. */
async function sendArranged(
  { request: { situation, answer, framing } }: PlannedCase,
  { scenario }: LiveStep,
  { request }: BuiltRequest,
  { target }: LiveSession,
  transport: Transport,
): Promise<Exchange> {
  const wanted = situation ?? scenario.situation;
  try {
    await target.arrange?.(wanted);
    if (answer !== undefined) await target.setNextAnswer?.(target.endpoints[wanted]!, answer);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { request, failure: { kind: 'not-sent', message }, startedAt: Date.now(), durationMs: 0 };
  }
  return framing === undefined ? transport.send(request) : transport.sendFramed(request, framing);
}

function whatOf({ label }: PlannedCase, number: number, { scenario }: LiveStep): string {
  return `${scenario.id} case ${number}${label.differsIn === undefined ? '' : ` (${label.differsIn})`}`;
}
