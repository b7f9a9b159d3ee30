/** Performs the cases of a scenario: builds each request with a fresh nonce and id, and sends it. */
import { randomBytes } from 'node:crypto';
import { type Operation, operations } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Alteration } from '../../mock/gateway.ts';
import { orderPrefix } from '../../plan/requests.ts';
import type { Counterexample, PlannedCase, RequestPlan, Scenario, Situation } from '../../plan/scenario.ts';
import { base64Bytes } from '../../protocol/base64.ts';
import type { Pair } from '../../protocol/form.ts';
import type { Case, CaseLabel } from '../../record/case.ts';
import { type Exchange, type Header, headerValues, type SentRequest } from '../../record/exchange.ts';
import { isUnsent, type NotSent, type Unsent } from '../../record/run.ts';
import { wasAccepted } from '../../rules/answers/acceptance.ts';
import { judgeCases } from '../../rules/index.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ScenarioRecord } from '../scenario-record.ts';
import { mockTarget, type Target } from '../target/target.ts';
import { notSent, openTransport, type Transport } from '../transport/transport.ts';
import { type BuiltRequest, buildRequest, oracleDisagreement, type Stamp } from './build-request.ts';
import { predictedEffects } from './effects.ts';
import { hashOf, mockEndpoints, neededNumbers, newOrderMark, plannedCases, type Selection } from './planned-cases.ts';

export interface RunContext {
  readonly target: Target;
  readonly transport: Transport;
  readonly policy?: SendPolicy;
  /** Seed of the request ids. A target may remember ids, so each run at such a target needs another seed. */
  readonly seed: string;
  readonly usesOracle?: boolean;
  /** Cache of requests by scenario and case, so that repeated runs send the same bytes to separate targets. */
  readonly built?: Map<string, BuiltRequest>;
  fresh(): Stamp;
}

interface SendPolicy {
  edit(plan: RequestPlan): RequestPlan;
  /** The reason to skip the case, or an earlier exchange to record instead. Undefined if the case must be sent. */
  before(planned: PlannedCase): Unsent | Exchange | undefined;
  /** Calls `send` once, or returns why it does not. `sending.original`: the earlier case that used the same nonce. */
  trySend(
    sending: { planned: PlannedCase; number: number; request: SentRequest; original?: Case },
    send: () => Promise<Exchange>,
  ): Promise<Exchange | Unsent>;
}

type SentCases = Map<number, { readonly built: BuiltRequest; readonly testCase: Case } | Unsent>;

/** Sends a case and records the answer. Does not throw if the target fails. */
type PerformCase = (planned: PlannedCase, number: number) => Promise<Case | Unsent>;

/** Returns a function that performs cases. `suiteErrors` collects the disagreements between suite and oracle. */
export function performerOf(scenario: Scenario, context: RunContext, sent: SentCases = new Map()) {
  const { target, policy } = context;
  const suiteErrors: string[] = [];
  const serialize = serializeByTimestamp();
  const perform: PerformCase = async (planned, number) => {
    const record = (exchange: Exchange): Case => ({
      scenario: scenario.id,
      number,
      label: labelOf(planned, scenario, target),
      exchanges: [exchange],
    });
    const decision = policy?.before(planned);
    if (decision !== undefined) return isUnsent(decision) ? decision : record(decision);
    const { replay, nonceOf, signatureOf, idsOf, cookiesOf } = planned.request;
    const earlierNumber = replay ?? nonceOf ?? signatureOf ?? idsOf ?? cookiesOf;
    const earlierResult = earlierNumber === undefined ? undefined : sent.get(earlierNumber);
    const earlier = earlierResult === undefined || isUnsent(earlierResult) ? undefined : earlierResult;
    if (earlierNumber !== undefined && earlier === undefined) return repetitionUnsent(earlierResult);
    const fresh = nonceOf === undefined ? context.fresh : () => earlier!.built.stamp;
    const place = `${scenario.id} ${number}`;
    const make = () => {
      if (replay !== undefined) return earlier!.built;
      const request =
        signatureOf === undefined
          ? planned.request
          : { ...planned.request, signature: () => earlier!.built.signature! };
      const cached = context.built?.get(place) ?? build(request, number, scenario, { ...context, fresh });
      context.built?.set(place, cached);
      return cookiesOf === undefined ? cached : withCookiesOf(earlier!.testCase.exchanges[0], cached);
    };
    return serialize(make, async (built) => {
      const disagreement =
        context.usesOracle === false ? undefined : verifyWithOracle(built, target, planned.request.operation);
      if (disagreement !== undefined) suiteErrors.push(`${scenario.id} case ${number}: ${disagreement}`);
      const { request } = built;
      const original = (signatureOf ?? idsOf ?? cookiesOf) === undefined ? earlier?.testCase : undefined;
      const send = () => sendArranged(planned.request, scenario, request, context);
      const exchange = policy ? await policy.trySend({ planned, number, request, original }, send) : await send();
      if (isUnsent(exchange)) {
        sent.set(number, exchange);
        return exchange;
      }
      const testCase = record(exchange);
      sent.set(number, { built, testCase });
      return testCase;
    });
  };
  return { perform, suiteErrors };
}

function verifyWithOracle(built: BuiltRequest, target: Target, operation: Operation): string | undefined {
  const { request, baseString, isSignatureCorrect: isCorrect } = built;
  if (baseString === undefined || isCorrect === undefined) return undefined;
  const { consumerSecret, publicKeyPem } = target.credentials;
  const isHmac = operations[operation].signatureMethod === 'HMAC-SHA1';
  const key = isHmac ? { consumerSecret } : { publicKeyPem };
  return oracleDisagreement(request, key, { isCorrect, ...(isCorrect && { baseString }) });
}

function repetitionUnsent(before: object | undefined): Unsent {
  if (before !== undefined && isUnsent(before) && before.why !== 'allow' && before.why !== 'forbidden') return before;
  return { why: 'allow', reason: 'the request that this case should repeat was not sent' };
}

/** Sends the cookies of the earlier response, like a client that keeps cookies (RFC 6265 section 5.4). */
function withCookiesOf({ response }: Exchange, built: BuiltRequest): BuiltRequest {
  const setCookies = headerValues(response?.headers ?? [], 'set-cookie');
  if (setCookies.length === 0) return built;
  const cookies: Header = ['Cookie', setCookies.map((value) => value.split(';', 1)[0]!.trim()).join('; ')];
  return { ...built, request: { ...built.request, headers: [...built.request.headers, cookies] } };
}

/** Sends requests in parallel only if their timestamps are equal: a gateway may refuse an older timestamp (A3). */
function serializeByTimestamp() {
  const pending = new Set<Promise<unknown>>();
  let timestamp: string | undefined;
  return async <T>(make: () => BuiltRequest, send: (built: BuiltRequest) => Promise<T>): Promise<T> => {
    let built = make();
    while (built.stamp.timestamp !== timestamp && pending.size > 0) {
      await Promise.allSettled(pending);
      built = make();
    }
    timestamp = built.stamp.timestamp;
    const sending = send(built);
    pending.add(sending);
    return sending.finally(() => pending.delete(sending));
  };
}

async function sendArranged(
  { framing, answer, profile, situation }: RequestPlan,
  scenario: Scenario,
  request: SentRequest,
  { transport, target }: RunContext,
): Promise<Exchange> {
  const neededSituation = situation ?? scenario.situation;
  try {
    await target.arrange?.(neededSituation);
    if (profile !== undefined) target.setProfile?.(profile.id, profile.state);
    if (answer !== undefined) await target.setNextAnswer?.(target.endpoints[neededSituation]!, answer);
  } catch (cause) {
    return notSent(request, cause instanceof Error ? cause.message : String(cause));
  }
  return transport.send(request, framing);
}

export function cannotArrange(
  { situation, needsAnswers, needsProfiles }: Scenario,
  { endpoints, setNextAnswer, setProfile }: Pick<Target, 'endpoints' | 'setNextAnswer' | 'setProfile'>,
): boolean {
  if (needsAnswers === true && setNextAnswer === undefined) return true;
  return endpoints[situation] === undefined || (needsProfiles === true && setProfile === undefined);
}

function build(plan: RequestPlan, number: number, scenario: Scenario, { target, fresh, seed, policy }: RunContext) {
  const request = withUniqueIds(policy?.edit(plan) ?? plan, `${seed} ${scenario.id} ${plan.idsOf ?? number}`);
  // Sign again until the signature meets the condition of the plan. The rarest condition needs 16 tries on average.
  for (let tries = 0; ; tries += 1) {
    const built = buildRequest(request, target, scenario.situation, fresh());
    if (tries === 1_000 || request.signUntil?.(built.signature ?? '') !== false) return built;
  }
}

function labelOf({ label, request }: PlannedCase, scenario: Scenario, target: Target): CaseLabel {
  const { id } = scenario;
  const situation = request.situation ?? scenario.situation;
  const gates = target.gates[target.endpoints[situation] ?? ''];
  const { twin, ...rest } = label;
  return {
    ...rest,
    operation: request.operation,
    ...(twin !== undefined && { twin: { scenario: id, number: twin } }),
    facts: { gate: gateOf(situation, target), gates },
  };
}

/** The state of the gate; undefined if unknown. A live gate is known to be open only if the suite can open it. */
function gateOf(situation: Situation, { kind, arrange }: Target) {
  if (situation === 'unlocked' || situation === 'closed-by-hand' || situation === 'of-another-consumer')
    return undefined;
  if (situation !== 'several-gates' && situation !== 'open') return situation;
  return kind === 'mock' || arrange !== undefined ? 'open' : undefined;
}

/** Returns 32 letters and digits. Letters of both cases reveal a gateway that changes case or accepts only hex. */
export function nonceFrom(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll(/[+/=]/g, '').slice(0, 32);
}

/** Replaces valid ids by ids of the same length, made from `key`. Leaves a request with `keepsId` unchanged. */
export function withUniqueIds(plan: RequestPlan, key: string): RequestPlan {
  if (plan.keepsId) return plan;
  const body = plan.body.map(([name, value]): Pair => {
    if (name === 'payload') return [name, renewOrderIds(value, key)];
    const isId = name === 'day_close_request_id' && /^[A-Za-z0-9]{8,32}$/.test(value);
    return [name, isId ? makeId(key, value.length) : value];
  });
  return { ...plan, body };
}

/** Makes an id from `key`. At least one of its first 8 characters is a letter: some faults change the case. */
export function makeId(key: string, length: number): string {
  const digits = hashOf(key);
  return digits.replace(/^\d(?=\d{7})/, (digit) => 'abcdefghij'.charAt(Number(digit))).slice(0, length);
}

function renewOrderIds(payload: string, key: string): string {
  const bytes = base64Bytes(payload);
  if (bytes === undefined) return payload;
  const renewed = bytes.toString('latin1').replace(orderPrefix, (_, at: number) => newOrderMark(`${key} ${at}`));
  return Buffer.from(renewed, 'latin1').toString('base64');
}

export function newStamp(): Stamp {
  return { timestamp: String(Math.floor(Date.now() / 1000)), nonce: nonceFrom(randomBytes(72)) };
}

/** Sends at most `maxRequests` requests that measure the gateway. */
export function newMeasurer(perform: PerformCase, maxRequests: number) {
  const cases: Case[] = [];
  const notSent: NotSent[] = [];
  let isUsedUp = false;
  let isCloseDayUsedUp = false;
  let number = 0;
  return {
    cases,
    notSent,
    lastNumber: () => number,
    /** True if the gateway accepts the request. Undefined if it was not sent, or if the answer does not show this. */
    async ask(request: RequestPlan, label: Pick<CaseLabel, 'measures' | 'signedAs'>): Promise<boolean | undefined> {
      if (isUsedUp || (isCloseDayUsedUp && request.operation === 'close-day')) return undefined;
      number += 1;
      const about = label.measures?.limit ?? 'dialect';
      if (cases.length >= maxRequests) {
        isUsedUp = true;
        notSent.push({ number, about, why: 'allow', reason: `the ${maxRequests} requests of --measure are used up` });
        return undefined;
      }
      const planned: PlannedCase = { label: { intent: 'open', ...label }, request };
      const performed = await perform(planned, number);
      if (isUnsent(performed)) {
        // If one close-day exceeds the allowance, all others do too. A batch may still fit, if it is smaller.
        isCloseDayUsedUp ||= request.operation === 'close-day';
        notSent.push({ number, about, ...performed });
        return undefined;
      }
      cases.push(performed);
      return wasAccepted(performed);
    },
  };
}

/** Settings of a mock for tests of the suite itself. */
export interface MockSetup {
  readonly alterations?: readonly Alteration[];
  readonly usesOracle?: boolean;
}

export function performScenario(scenario: Scenario, options: RunOptions, mock?: MockSetup): Promise<ScenarioRecord> {
  const settings = { ...mock, oneConnection: scenario.maxInFlight === 1 };
  return onMock(scenario.id, options, settings, (context) => runScenario(scenario, context, options));
}

/** Opens a mock, calls `use`, and closes the mock. The gates of the mock depend on `seed` and `id`. */
export async function onMock<T>(
  id: string,
  { seed, defects, variants }: RunOptions,
  { alterations, usesOracle, oneConnection }: MockSetup & { readonly oneConnection?: boolean } = {},
  use: (context: RunContext) => Promise<T>,
): Promise<T> {
  const mock = await mockTarget(defects, variants, alterations, mockEndpoints(seed, id));
  const transport = openTransport({ oneConnection });
  try {
    return await use({ seed, target: mock.target, transport, fresh: newStamp, usesOracle });
  } finally {
    await transport.close();
    await mock.close();
  }
}

/** Performs a scenario on a mock. Throws if a case cannot be sent. The same `options` object gives the same plan. */
export async function runScenario(scenario: Scenario, context: RunContext, options: Selection) {
  const sentCases: SentCases = new Map();
  const { perform, suiteErrors } = performerOf(scenario, context, sentCases);
  const planned = plannedCases(scenario, options);
  // The index is the number of the case. So cases that are not needed leave gaps.
  const cases: Case[] = new Array(planned.length);
  await inParallel(scenario.maxInFlight, neededNumbers(scenario, options), async (number) => {
    cases[number] = await requireSent(perform)(planned[number]!, number);
  });
  // Do not use the cache here, because the next smaller case depends on earlier answers.
  const shrinkPerformer = performerOf(scenario, { ...context, built: undefined }, sentCases);
  const shrunk = await shrinkFailures(planned, cases, requireSent(shrinkPerformer.perform));
  return {
    scenario: scenario.id,
    cases: [...Object.values(cases), ...shrunk.cases],
    counterexamples: shrunk.counterexamples,
    predicted: predictedEffects(scenario, options),
    suiteErrors: [...suiteErrors, ...shrinkPerformer.suiteErrors],
  };
}

/** Calls `act` for each element, with at most `limit` calls at once. */
export async function inParallel<T>(limit: number, all: Iterable<T>, act: (one: T) => Promise<void>): Promise<void> {
  const remaining = [...all].values();
  const worker = async () => {
    for (const next of remaining) await act(next);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

function requireSent(perform: PerformCase) {
  return async (planned: PlannedCase, number: number): Promise<Case> => {
    const performed = await perform(planned, number);
    if (isUnsent(performed)) throw new TypeError(`case ${number}: ${performed.reason}`);
    return performed;
  };
}

/** Finds the smallest failing case of each failed requirement. The new cases are numbered after `cases`. */
async function shrinkFailures(
  planned: readonly PlannedCase[],
  cases: readonly Case[],
  perform: ReturnType<typeof requireSent>,
) {
  const firstFailures = new Map<string, Case>();
  for (const one of Object.values(cases)) {
    const { about } = one.label;
    if (about === undefined || firstFailures.has(about) || planned[one.number]?.generated === undefined) continue;
    if (isFailing(one, cases)) firstFailures.set(about, one);
  }
  const smallestCases: Case[] = [];
  const counterexamples: Counterexample[] = [];
  for (const failing of firstFailures.values()) {
    const about = failing.label.about!;
    const number = cases.length + smallestCases.length;
    let last = failing;
    // Send each body only once, because a gateway may refuse a repeated id (A7).
    const known = new Map<string, boolean>();
    const { path } = await planned[failing.number]!.generated!.shrink(async (candidate) => {
      const body = JSON.stringify(candidate.request.body);
      const before = known.get(body);
      if (before !== undefined) return before;
      const tried = await perform(candidate, number);
      // Ignore a smaller case that tests another requirement or none.
      const fails = tried.label.about === about && isFailing(tried, cases);
      known.set(body, fails);
      if (fails) last = tried;
      return fails;
    });
    smallestCases.push({ ...last, number });
    counterexamples.push({ about, number, path });
  }
  return { cases: smallestCases, counterexamples };
}

function isFailing(testCase: Case, cases: readonly Case[]): boolean {
  const { twin, about } = testCase.label;
  return judgeCases(about as RequirementId, twin === undefined ? [testCase] : [testCase, cases[twin.number]!]).some(
    (verdict) => verdict.testCase === testCase && verdict.finding.outcome === 'fail',
  );
}
