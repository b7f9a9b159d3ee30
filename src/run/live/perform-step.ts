/** Performs a step of a live run: sends one case at a time through the effect guard. Also computes time limits. */
import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case } from '../../record/case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { isUnsent, type NotSent } from '../../record/run.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import { maxPauseMs } from '../allowance/guard.ts';
import { cannotArrange, newStamp, performerOf, type RunContext } from '../gateway/perform-case.ts';
import { plannedCases, renewIds } from '../gateway/planned-cases.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ScenarioRecord } from '../scenario-record.ts';
import type { LiveRun } from '../target/live-config.ts';
import { type Transport, transportLimits } from '../transport/transport.ts';
import { isAtClosingGate, type LiveStep, missingKeys, otherForms } from './plan.ts';
import type { LiveSession } from './session.ts';

type StepOptions = RunOptions & {
  readonly live: LiveRun;
  readonly onPerformed?: (testCase: Case) => void;
};

export async function performStep(session: LiveSession, step: LiveStep, options: StepOptions): Promise<ScenarioRecord> {
  const { scenario } = step;
  if (cannotArrange(scenario, session.target)) {
    return { scenario: scenario.id, cases: [], notArranged: scenario.situation, suiteErrors: [] };
  }
  const transport = session.openTransport();
  try {
    // Probe before the first step only: the probe after a step serves the next step too.
    const isFirst = session.sent.size === 0 && session.stopReason(isAfterFirstValid(step)) === undefined;
    const before = isFirst ? (await session.probe(transport)).failure : undefined;
    const performed = await performCases(step, options, session, transport);
    await session.target.arrange?.('open').catch((cause: Error) => performed.suiteErrors.push(cause.message));
    const after = performed.cases.length > 0 ? await session.probe(transport) : undefined;
    return {
      scenario: scenario.id,
      ...performed,
      unreachable: before ?? after?.failure,
      givenUp: session.stopReason(isAfterFirstValid(step)),
      goneAfter: session.goneAfter?.(),
      ...(step.phase === 'first positives' && { settles: true }),
    };
  } finally {
    await transport.close();
  }
}

function isAfterFirstValid({ phase }: LiveStep): boolean {
  return phase === 'positives' || phase === 'observations' || phase === 'last';
}

async function performCases(step: LiveStep, options: StepOptions, session: LiveSession, transport: Transport) {
  const { scenario } = step;
  const plan = plannedCases(scenario, options);
  const { perform, suiteErrors } = performerIn(session, step, options, transport);
  const cases: Case[] = [];
  const notSent: NotSent[] = [];
  for (const number of step.numbers) {
    const planned = plan[number]!;
    const performed = await perform(planned, number);
    if (isUnsent(performed)) {
      notSent.push({ number, about: planned.label.about, ...performed });
      continue;
    }
    cases.push(performed);
    const [exchange] = performed.exchanges;
    if (step.phase === 'first positives') session.setFirstAnswer(scenario.operation, exchange);
    if (classify(performed) === 'refused') {
      const others = await tryOtherForms(otherForms(step, planned, number), plan.length, perform);
      cases.push(...others.cases);
      if (others.accepted !== undefined) session.setFirstAnswer(scenario.operation, others.accepted);
    }
    if (exchange.response === undefined) await session.probe(transport);
  }
  return { cases, notSent, suiteErrors };
}

export function performerIn(session: LiveSession, step: LiveStep, options: StepOptions, transport: Transport) {
  const { target, usesOracle, built, fresh = newStamp } = session;
  const seed = `${options.runId} ${options.seed}`;
  const context = { target, transport, policy: policyOf(step, options, session), seed, fresh, usesOracle, built };
  // Keep the cases of earlier steps, because a later case may repeat a request of an earlier case.
  const { id } = step.scenario;
  const sent = session.sent.get(id) ?? new Map();
  session.sent.set(id, sent);
  const { perform, suiteErrors } = performerOf(step.scenario, context, sent);
  const performAndNote: typeof perform = async (planned, number) => {
    const performed = await perform(planned, number);
    if (!isUnsent(performed)) {
      session.note?.(performed, planned);
      options.onPerformed?.(performed);
    }
    return performed;
  };
  return { perform: performAndNote, suiteErrors };
}

type Perform = ReturnType<typeof performerOf>['perform'];
type OtherForms = { readonly cases: readonly Case[]; readonly accepted?: Exchange };

async function tryOtherForms(others: readonly PlannedCase[], start: number, perform: Perform): Promise<OtherForms> {
  const cases: Case[] = [];
  let acceptedForm: string | undefined;
  for (const [at, other] of others.entries()) {
    const performed = await perform(other, start + at);
    if (isUnsent(performed)) break;
    cases.push(performed);
    const { label } = performed;
    const [exchange] = performed.exchanges;
    if (exchange.response === undefined) break;
    if (classify(performed) !== 'accepted') acceptedForm = undefined;
    else if (acceptedForm === undefined) acceptedForm = label.differsIn;
    else if (acceptedForm === label.differsIn) return { cases, accepted: exchange };
  }
  return { cases };
}

function policyOf(step: LiveStep, { live, runId }: StepOptions, session: LiveSession): RunContext['policy'] {
  const { scenario, phase } = step;
  const accepted = live.accepted?.find(({ operation }) => operation === scenario.operation)?.exchange;
  return {
    edit: (request) => renewIds(request, runId),
    before({ label, request }) {
      // If the target accepted this request from `doctor`, record that exchange. A second request may have an effect.
      if (accepted !== undefined && label.intent === 'fault' && request.unsigned === true) return accepted;
      const stopReason = session.stopReason(isAfterFirstValid(step));
      if (stopReason !== undefined) return { why: 'given-up', reason: stopReason };
      const { situation = scenario.situation } = request;
      if (session.target.endpoints[situation] !== undefined) return undefined;
      return { why: 'forbidden', reason: `the configuration lacks ${missingKeys[situation]}` };
    },
    async trySend({ planned: { label, request: plan }, number, request, original }, send) {
      const difference = label.differsIn === undefined ? '' : ` (${label.differsIn})`;
      const what = `${scenario.id} case ${number}${difference}`;
      // A reused nonce is a fault only if the target accepted the first request with this nonce.
      const mayBeFault = original === undefined || classify(original) === 'accepted';
      const purpose = {
        what,
        negative: mayBeFault && label.intent === 'fault' && label.about !== undefined,
        atClosingGate: isAtClosingGate(plan, scenario),
        settles: phase === 'first positives',
        ...((phase === 'first refusals' || phase === 'refusals') && { reserve: session.reserve }),
      };
      return session.guard.send(request, purpose, send);
    },
  };
}

/** Time limit in milliseconds of a scenario on the mock, or of a live step together with its probes and pauses. */
export function timeLimit({ scenario, numbers }: Pick<LiveStep, 'scenario'> & Partial<LiveStep>, options: RunOptions) {
  const { live } = options;
  const [probes, eachMs] = live === undefined ? [0, transportLimits.deadlineMs] : [8, exchangeMs(live) + maxPauseMs];
  const requests = (numbers ?? plannedCases(scenario, options)).length + probes;
  return requests * eachMs + (scenario.slow ? transportLimits.silenceMs : 0) + 30_000;
}

/** The time from one request to the next, if the target answers just before the deadline. */
function exchangeMs({ config: { rate, deadlineMs } }: LiveRun): number {
  return 1000 / rate + deadlineMs;
}

/** The time limit of --measure in milliseconds. */
export function measuringLimit({ measure = 0, live }: RunOptions): number {
  return measure * (live === undefined ? 10 + transportLimits.deadlineMs : exchangeMs(live)) + 60_000;
}

/** Time limit in milliseconds of a whole live run: the maximum for its steps, plus five minutes. */
export function liveRunLimit(steps: readonly Pick<LiveStep, 'numbers'>[], options: RunOptions): number {
  const { live, slow } = options;
  const requests = steps.reduce((total, { numbers }) => total + numbers.length + 1, 0);
  const limit =
    requests * exchangeMs(live!) + (slow ? transportLimits.silenceMs : 0) + measuringLimit(options) + 300_000;
  // In Node, a timer with a longer delay fires immediately.
  return Math.min(limit, 2 ** 31 - 1);
}
