/** One step of a live run from its first case to its record: each case passes the effect gate, one at a time. */

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
  return phase === 'positives' || phase === 'observations';
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
  const built = new Map<number, BuiltRequest>();
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
    const fresh = nonceOf === undefined ? freshNow : () => built.get(nonceOf)!.fresh;
    const request =
      replay === undefined ? buildFor(planned, number, step, options, session, fresh) : built.get(replay)!;
    const disagreement = askSecondVoice(request, session.target, planned.request.operation);
    if (disagreement !== undefined) suiteErrors.push(`${scenario.id} case ${number}: ${disagreement}`);
    const purpose = {
      what: whatOf(planned, number, step),
      negative,
      atClosingGate: isAtClosingGate(planned.request, scenario),
      settles: step.phase === 'first positives',
      ...(isRefusal(step) ? { keep: session.keep } : {}),
    };
    const sent = await session.gate.send(request.request, purpose, () =>
      sendArranged(planned, step, request, session, transport),
    );
    if ('withheld' in sent) {
      leaveOut(number, sent.withheld.why, sent.withheld.reason);
      continue;
    }
    built.set(number, request);
    const exchange = withKeptBody(sent, same);
    cases.push({ scenario: scenario.id, number, label: labelOf(planned, scenario, session.target), exchange });
    if (step.phase === 'first positives') session.settle(scenario.operation, sent);
    if (sent.response === undefined) await session.probe(transport);
  }
  return { cases, notSent, suiteErrors };
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
