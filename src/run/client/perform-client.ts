/** Performs one scenario with a client. Groups calls by environment variables. The seed decides the order of calls. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientSession, NoteGroup, SessionCase, SessionReply } from '../../peer/adapter/messages.ts';
import type { LocalGateway, Place } from '../../peer/local-gateway/local-gateway.ts';
import type { ClientPlan, ClientScenario, Counterexample } from '../../plan/scenario.ts';
import { drawFor } from '../../plan/seed.ts';
import { verifyRequest } from '../../protocol/index.ts';
import { type Call, type ClientCase, clientCase, type LocalAnswer } from '../../record/case.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { groupBy } from '../../record/group-by.ts';
import { pluralize } from '../../record/pluralize.ts';
import { clientJudges } from '../../rules/index.ts';
import type { ClientJudge } from '../../rules/judge.ts';
import { oracleDisagreement } from '../gateway/build-request.ts';
import { inParallel } from '../gateway/perform-case.ts';
import { hashOf } from '../gateway/planned-cases.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ClientRecord } from '../scenario-record.ts';
import { publishedConsumer, publishedKeys } from '../target/published.ts';
import { ordinaryDeadlineMs, sessionCase } from './open-client.ts';

/** Limits for the search for smaller failing calls, because a client may be slow. */
const maxCallsPerRequirement = 40;
const maxCallsPerScenario = 120;
const shrinkingLimitMs = 30_000;

/** For each failed requirement, finds a small input that fails too. New calls get numbers after those of the plan. */
async function shrinkFailures(
  { id: scenario, shows }: ClientScenario,
  plans: readonly ClientPlan[],
  results: CallResults,
  context: ClientContext,
) {
  const { session, gateway, now, path: onlyPath } = context;
  const shrinkResults = new CallResults(scenario, { limitMs: shrinkingLimitMs, now, usesOracle: false });
  const perform = async (plan: ClientPlan): Promise<ClientCase | undefined> => {
    if (onlyPath !== undefined || shrinkResults.isSilent() || shrinkResults.isOver(gateway)) return undefined;
    const before = shrinkResults.cases.length;
    await performOne({ plan, number: plans.length }, async () => session, context, shrinkResults);
    return shrinkResults.cases[before];
  };
  const cases: ClientCase[] = [];
  const counterexamples: Counterexample[] = [];
  const sorted = [...results.cases].sort((a, b) => a.number - b.number);
  const generated = sorted.filter(({ number }) => plans[number]?.generated !== undefined);
  const cache = new Map<string, ClientCase | undefined>(generated.map((one) => [inputKey(plans[one.number]!), one]));
  for (const about of shows) {
    const first = firstFailing(about, generated);
    if (first === undefined) continue;
    let smallest = first;
    const maxSize = Math.min(cache.size + maxCallsPerRequirement, generated.length + maxCallsPerScenario);
    const { path } = await plans[first.number]!.generated!.shrink(async (plan) => {
      const key = inputKey(plan);
      if (!cache.has(key) && cache.size < maxSize) cache.set(key, await perform(plan));
      const tried = cache.get(key);
      const fails = tried !== undefined && firstFailing(about, [tried]) !== undefined;
      if (fails) smallest = tried;
      return fails;
    });
    // Store no call twice: this one may be a planned call, or the smallest failing call of another requirement.
    const known = [...generated, ...cases].find(
      ({ exchanges, call: { reply } }) => exchanges === smallest.exchanges && reply === smallest.call.reply,
    );
    const number = known?.number ?? plans.length + cases.length;
    if (known === undefined) cases.push({ ...smallest, number, call: { ...smallest.call, path } });
    counterexamples.push({ about, number, path });
  }
  return { cases, counterexamples };
}

function inputKey({ input, identity, pathSuffix, endpointId, inject }: ClientPlan): string {
  return JSON.stringify([input, identity, pathSuffix, endpointId, inject]);
}

/** The first call that fails on its own. Undefined if the judge compares several calls. */
function firstFailing(id: RequirementId, cases: readonly ClientCase[]): ClientCase | undefined {
  const judge: ClientJudge = clientJudges[id as keyof typeof clientJudges];
  if (!judge.isPerCase) return undefined;
  const verdicts = judge({ id, cases, hasKeys: true, keysOf: publishedKeys });
  const failing = new Set(verdicts.flatMap((one) => (one.finding.outcome === 'fail' ? [one.testCase] : [])));
  return cases.find((one) => failing.has(one));
}

type OnCall = (plan: ClientPlan, afterMs: number) => void;

interface ClientContext {
  readonly session: ClientSession;
  readonly gateway: LocalGateway;
  readonly seed: string;
  readonly cases: number;
  readonly path?: string;
  /** The calls to perform. Default: all calls. */
  readonly numbers?: readonly number[];
  readonly shrinks?: boolean;
  readonly inFlight: number;
  readonly strays?: boolean;
  readonly usesOracle?: boolean;
  /** Milliseconds after which no further call starts. Without a value there is no limit. */
  readonly limitMs?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly onCall?: OnCall;
  openWith?(environment: Readonly<Record<string, string>>): Promise<ClientSession>;
}

/** After this number of calls in a row without a result, the client counts as gone. */
const maxSilences = 3;

export async function performClientScenario(scenario: ClientScenario, context: ClientContext): Promise<ClientRecord> {
  const plans = callsOf(scenario, context);
  const results = new CallResults(scenario.id, context);
  const { gateway } = context;
  const before = gateway.strayCount();
  const order = shuffled(context.numbers ?? plans.keys(), `${context.seed} ${scenario.id}`);
  const otherNotes = await performByEnvironment(
    order.map((number) => ({ plan: plans[number]!, number })),
    context,
    async (call, openClient) => {
      if (!results.isOver(gateway)) await performOne(call, openClient, context, results);
    },
  );
  const shrinks = context.shrinks !== false && !results.isSilent();
  const shrunk = shrinks && (await shrinkFailures(scenario, plans, results, context));
  const notes = [...context.session.takeNotes(), ...otherNotes];
  if (gateway.strayCount() > before) {
    const stray = 'A request arrived after the end of its call, or outside any call, and is not judged.';
    notes.push(singleNote(`${stray} Send the result of a call after all its requests.`));
  }
  return {
    scenario: scenario.id,
    cases: [...results.cases, ...(shrunk ? shrunk.cases : [])],
    counterexamples: shrunk ? shrunk.counterexamples : [],
    skipped: results.skipped,
    introduction: context.session.introduction,
    notes,
    suiteErrors: results.suiteErrors,
    givenUp: results.giveUpReason(gateway),
  };
}

async function performOne(
  { plan, number }: PlannedCall,
  openClient: () => Promise<ClientSession | undefined>,
  { session, gateway, inFlight, strays, onCall, now }: ClientContext,
  results: CallResults,
): Promise<void> {
  const missing = missingOffer(plan, session);
  if (missing !== undefined) return results.skip(plan, missing);
  const client = await openClient();
  if (client === undefined) return results.skip(plan, 'the client cannot be started again in another environment');
  // A stray request lacks the path prefix of its call. If calls run one at a time, it can only belong to this call.
  const { server, pathSuffix } = plan;
  const place = await gateway.open(plan.answer, { server, pathSuffix, claimStrays: strays === true || inFlight === 1 });
  if ('unavailable' in place) return results.skip(plan, place.unavailable);
  try {
    const call = sessionCase(plan, place.baseUrl, `${results.scenario} case ${number} (${plan.label.operation})`);
    const startedAt = now();
    const outcome = await client.perform(call);
    onCall?.(plan, now() - startedAt);
    await place.whenSettled();
    results.add(plan, call, outcome, place, number);
  } finally {
    place.close();
  }
}

function missingOffer({ label, inject }: ClientPlan, { introduction: { offers } }: ClientSession): string | undefined {
  if (!offers.ops.includes(label.operation)) return `the adapter does not offer ${label.operation}`;
  const missing = Object.keys(inject ?? {}).find((name) => !(offers.inject as readonly string[]).includes(name));
  return missing === undefined ? undefined : `the adapter does not offer to inject a ${missing}`;
}

function floodFault(place: Place, answer: LocalAnswer): NonNullable<Call['adapterFault']> {
  const message =
    `The client flooded the gateway in this call: at least ${pluralize(place.requestCount, 'request')} arrived, although each got ` +
    `${formatAnswer(answer)}. The record lacks ${place.incomplete}.`;
  const hint =
    'Send one request in each call, and end the call when its answer arrives. Switch off automatic repeats, in the HTTP library too.';
  return { code: 'flooded', message, hint };
}

function formatAnswer(answer: LocalAnswer): string {
  if (answer.kind !== 'reply') return answer.kind === 'reset' ? 'a reset connection' : 'an endless answer';
  const [retryAfter] = headerValues(answer.headers, 'retry-after');
  return retryAfter === undefined
    ? `status ${answer.status}`
    : `status ${answer.status} with Retry-After: ${retryAfter}`;
}

type Limits = Pick<ClientContext, 'limitMs' | 'now' | 'usesOracle'>;

class CallResults {
  readonly cases: ClientCase[] = [];
  readonly skipped: { ids: readonly RequirementId[]; reason: string }[] = [];
  readonly suiteErrors: string[] = [];
  readonly scenario: string;
  /** The calls without a result since the last result, each as the text of its environment variables. */
  private silences: string[] = [];
  private silenceReason: string | undefined;
  private isOverLimit = false;
  private readonly context: Limits;
  private readonly startedAt: number;

  constructor(scenario: string, context: Limits) {
    this.scenario = scenario;
    this.context = context;
    this.startedAt = context.now();
  }

  skip({ label }: ClientPlan, reason: string): void {
    const ids = [...(label.about === undefined ? [] : [label.about]), ...(label.decoding?.answers ?? [])];
    this.skipped.push({ ids, reason });
  }

  add(
    plan: ClientPlan,
    sent: SessionCase,
    { reply, fault, repeated }: SessionReply,
    place: Place,
    number: number,
  ): void {
    const { label, server } = plan;
    const { baseUrl, endpointId, input, inject, environment, auth } = sent;
    const adapterFault = place.isFull ? floodFault(place, plan.answer) : fault;
    const exchanges = place.exchanges();
    const call: Call = {
      label: server === undefined ? label : { ...label, server },
      asked: { baseUrl, endpointId, consumerKey: auth.consumerKey, input, inject, environment },
      reply,
      ...(adapterFault && { adapterFault }),
      ...(repeated !== undefined && { repeated: true }),
      incomplete: place.incomplete,
    };
    this.cases.push(clientCase({ scenario: this.scenario, number, exchanges }, call));
    for (const { request } of this.context.usesOracle === false ? [] : exchanges) {
      const disagreement = verifyWithOracle(request);
      if (disagreement !== undefined) this.suiteErrors.push(`${this.scenario} case ${number}: ${disagreement}`);
    }
    // Ignore probes: the local gateway may give no answer in a probe, so a missing result is no fault of the client.
    if (label.input !== 'probe') this.silences = fault === undefined ? [] : [...this.silences, environmentOf(plan)];
    if (fault !== undefined) this.silenceReason = `${fault.message} ${fault.hint}`;
  }

  isSilent(): boolean {
    return this.silences.length > 0;
  }

  /** Check this only before a new call: a call that has started may end after the limit. */
  isOver(gateway: LocalGateway): boolean {
    const { now, limitMs = Number.POSITIVE_INFINITY } = this.context;
    this.isOverLimit ||= now() - this.startedAt > limitMs;
    return this.giveUpReason(gateway) !== undefined;
  }

  giveUpReason(gateway: LocalGateway): string | undefined {
    const flood = gateway.floodError();
    if (flood !== undefined) return flood;
    if (this.isOverLimit) return this.limitReason();
    return this.isGone() ? this.silenceReason : undefined;
  }

  /** A client without results in only one changed environment is not gone: it may work in the next one. */
  private isGone(): boolean {
    const silent = new Set(this.silences);
    return this.silences.length >= maxSilences && (silent.size > 1 || silent.has(''));
  }

  /** Each call has a deadline, but progress messages and slow pongs extend it. So the scenario needs its own limit. */
  private limitReason(): string {
    return `The client took more than the limit of ${this.context.limitMs! / 1000} s for ${this.cases.length} calls of ${this.scenario}. Answer each call within its "deadline_ms".`;
  }
}

function singleNote(sentence: string): NoteGroup {
  return { kind: sentence, first: [sentence] };
}

type PlannedCall = { readonly plan: ClientPlan; readonly number: number };

/** Performs calls with equal environment variables with one client. The first of these calls starts it. */
async function performByEnvironment(
  calls: readonly PlannedCall[],
  { session, inFlight, strays = false, openWith }: ClientContext,
  perform: (call: PlannedCall, client: () => Promise<ClientSession | undefined>) => Promise<void>,
): Promise<NoteGroup[]> {
  const notes: NoteGroup[] = [];
  for (const [name, group] of groupBy(calls, ({ plan }) => environmentOf(plan))) {
    let opened: Promise<ClientSession | undefined> | undefined;
    const openClient = async () => {
      if (name === '') return session;
      opened ??= openWith?.(group[0]!.plan.environment!).catch((cause) => {
        const reason = cause instanceof Error ? cause.message : cause;
        notes.push(singleNote(`the client did not start with ${name}: ${reason}`));
        return undefined;
      });
      return opened;
    };
    try {
      await inParallel(strays ? 1 : inFlight, group, (call) => perform(call, openClient));
    } finally {
      const started = await opened;
      notes.push(...(started?.takeNotes() ?? []));
      await started?.close();
    }
  }
  return notes;
}

function environmentOf({ environment = {} }: Pick<ClientPlan, 'environment'>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}`)
    .join();
}

const minMeasuredMs = 30_000;
const minWarnedMs = 180_000;

/** Returns a callback for finished calls. It warns once if the client is slow. `clients`: how many run in parallel. */
export function newPaceWarning(calls: () => number, clients: number, report: (sentence: string) => void): OnCall {
  let answers = 0;
  let sumMs = 0;
  let isReported = false;
  return ({ label }, afterMs) => {
    // Ignore probes: even a fast client may take the whole deadline of a probe.
    if (isReported || label.input === 'probe') return;
    answers += 1;
    sumMs += afterMs;
    if (sumMs < minMeasuredMs) return;
    const expectedMs = (sumMs / answers) * (calls() / clients);
    if (expectedMs < minWarnedMs) return;
    isReported = true;
    const secondsPerCall = (sumMs / answers / 1000).toFixed(1);
    report(
      `the client takes ${secondsPerCall} s for each call, so ${calls()} calls may take ${Math.round(expectedMs / 60_000)} minutes. ` +
        'Use --only or --cases to shorten the run, or try --workers.',
    );
  };
}

function shuffled(numbers: Iterable<number>, seed: string): number[] {
  const ranks = new Map(Array.from(numbers, (number) => [number, hashOf(`${seed}\n${number}`)]));
  return [...ranks.keys()].sort((a, b) => (ranks.get(a)! < ranks.get(b)! ? -1 : 1));
}

function verifyWithOracle(request: SentRequest): string | undefined {
  const result = verifyRequest(request, (consumerKey) => publishedKeys(consumerKey)?.slice());
  if ((!result.ok && result.failure !== 'bad-signature') || result.steps === undefined) return undefined;
  const { baseString } = result.steps;
  const parameters = new Map(result.steps.parameters);
  const consumer = publishedConsumer(parameters.get('oauth_consumer_key') ?? '');
  if (consumer === undefined) return undefined;
  const { consumerSecret, publicKeyPem } = consumer;
  const key = parameters.get('oauth_signature_method') === 'HMAC-SHA1' ? { consumerSecret } : { publicKeyPem };
  return oracleDisagreement(request, key, { isCorrect: result.ok, baseString });
}

/** Limits in milliseconds. After `calls`, no further call starts. `test` is the limit of the whole test, 0 for none. */
export function clientLimits(scenario: ClientScenario, options: RunOptions): { calls: number; test: number } {
  if (options.client?.mode === 'attach') return { calls: Number.POSITIVE_INFINITY, test: 0 };
  const deadlines = callsOf(scenario, options).map(({ deadlineMs = ordinaryDeadlineMs }) => deadlineMs);
  const calls = deadlines.reduce((sum, deadlineMs) => sum + deadlineMs, 0) + 30_000;
  // Two calls may end after `calls`: the last planned one, and one of `shrinkFailures`. Each takes up to 12 deadlines.
  return { calls, test: calls + 24 * ordinaryDeadlineMs + 120_000 };
}

/** The calls of the scenario. With a `path`, only the generated call at this path. */
export function callsOf(scenario: ClientScenario, { seed, cases, path }: Pick<RunOptions, 'seed' | 'cases' | 'path'>) {
  const all = scenario.plan(drawFor(seed, scenario.id, cases, path));
  return path === undefined ? all : all.filter(({ generated }) => generated !== undefined);
}
