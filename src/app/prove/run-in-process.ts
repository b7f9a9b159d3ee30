/** Performs whole runs in this process, without the engine. Uses sockets only if HTTP could change a result. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ClientDefect } from '../../faults/client/defect.ts';
import { verifies } from '../../mock/authentication.ts';
import {
  type About,
  type Alteration,
  defaultWorld,
  joinAlterations,
  type Reading,
  type Received,
  type Reply,
  respond,
  type SignatureMaterial,
  settingsWith,
  type World,
  withDate,
} from '../../mock/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { Framing, Scenario } from '../../plan/scenario.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { neededCalls, neededClientScenarios } from '../../run/client/needed-calls.ts';
import { type OpenedClient, openReference, type Repetition } from '../../run/client/open-client.ts';
import { performClientScenario } from '../../run/client/perform-client.ts';
import type { BuiltRequest } from '../../run/gateway/build-request.ts';
import { inParallel, type MockSetup, nonceFrom, performScenario, runScenario } from '../../run/gateway/perform-case.ts';
import { mockEndpoints, neededScenarios } from '../../run/gateway/planned-cases.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import type { ClientRecord, ScenarioRecord } from '../../run/scenario-record.ts';
import { alterationsOf, targetOf } from '../../run/target/target.ts';
import { frameRequest, type Transport } from '../../run/transport/transport.ts';
import { type ConcludedRun, concludeRun, type EndOfRun } from '../../verdict/conclude.ts';

interface InProcess extends MockSetup, Pick<EndOfRun, 'outcomesOnly'> {
  /** Uses HTTP for every request. By default, a scenario uses HTTP only if HTTP could change an exchange. */
  readonly overSockets?: boolean;
  readonly cache?: RunCache;
  /** Skips scenarios with unusual HTTP framing, because their answers are not judged. Ignored with `overSockets`. */
  readonly unframed?: boolean;
}

/** Performs and judges a run on the mock, without a report. */
export async function runInProcess(options: RunOptions, mock: InProcess = {}): Promise<ConcludedRun> {
  const { outcomesOnly } = mock;
  return concludeRun(options, await performInProcess(options, mock), { now: Date.now(), outcomesOnly });
}

/** Performs the scenarios of a run on the mock. Some scenarios wait, so four scenarios run in parallel. */
export async function performInProcess(
  options: RunOptions,
  { overSockets, cache = newRunCache(), unframed, ...mock }: InProcess,
): Promise<readonly ScenarioRecord[]> {
  const records: ScenarioRecord[] = [];
  const scenarios = neededScenarios(options).filter((one) => !unframed || overSockets || !hasUnusualFraming(one));
  await inParallel(4, scenarios, async (scenario) => {
    const inMemory = overSockets ? undefined : await performInMemory(scenario, options, mock, cache);
    records.push(inMemory ?? (await performScenario(scenario, options, mock)));
  });
  return records;
}

type ClientAlteration = ClientDefect['alteration'];
type Context = Parameters<NonNullable<ClientAlteration['input']>>[1];

/** Runs of the reference client with the same options can share this data. */
interface CallCache extends Repetition {
  /** By scenario: the record and the calls of the client without defects. */
  readonly conforming: Map<
    string,
    { readonly record: ClientRecord; readonly calls: ReadonlyMap<Context, readonly Step[]> }
  >;
}

type ReferenceRun = Partial<Pick<RunOptions, 'seed' | 'cases' | 'only' | 'smoke' | 'profile' | 'path'>> &
  Pick<Parameters<typeof performClientScenario>[1], 'usesOracle'> &
  Pick<EndOfRun, 'outcomesOnly'> & { readonly repetition?: CallCache };

/** Creates what all runs with one seed share: a fixed time, and a cache of signatures. */
export function newCallCache(): CallCache {
  return { signatures: new Map(), timeMs: Date.now(), conforming: new Map() };
}

/** Performs a run of the client without defects, and keeps it in the repetition for later runs. */
export async function performConformingClient(input: ReferenceRun & { readonly repetition: CallCache }) {
  const { repetition } = input;
  const traces = new Map<string | undefined, Map<Context, Step[]>>();
  const note = (name: Step['name'], value: unknown, context: Context) => {
    const calls = traces.get(repetition.scenario) ?? new Map<Context, Step[]>();
    traces.set(repetition.scenario, calls.set(context, [...(calls.get(context) ?? []), { name, value }]));
    return value;
  };
  const get = (_: object, name: Step['name']) => (value: unknown, context: Context) => note(name, value, context);
  const records = await performOpened(input, await openReference([new Proxy({}, { get })], repetition));
  for (const record of records) {
    repetition.conforming.set(record.scenario, { record, calls: traces.get(record.scenario) ?? new Map() });
  }
  return records;
}

/** One step of a call, and the value that the client without defects computed. */
interface Step {
  readonly name: keyof ClientAlteration;
  readonly value: unknown;
}

/** False if the alteration leaves the value of each step unchanged. */
function mayChangeCall(alteration: ClientAlteration, context: Context, steps: readonly Step[]): boolean {
  const done: Record<string, unknown> = {};
  const altered = { ...context, done } as unknown as Context;
  try {
    return steps.some(({ name, value }) => {
      const hook = alteration[name] as ((value: unknown, context: Context) => unknown) | undefined;
      const isChanged = hook !== undefined && !isDeepStrictEqual(hook(value, altered), value);
      done[name] = value;
      return isChanged;
    });
  } catch {
    return true;
  }
}

/** Performs and judges a run of the reference client, without a report. */
export async function runClientInProcess(
  input: ReferenceRun,
  alterations: readonly ClientAlteration[],
): Promise<ConcludedRun> {
  return runOpened(input, await openReference(alterations, input.repetition));
}

/** Performs a run of the reference client. Copies a scenario from the run without defects if no call can change. */
export async function performClientInProcess(input: ReferenceRun, alterations: readonly ClientAlteration[]) {
  return performOpened(input, await openReference(alterations, input.repetition), alterations);
}

/** Performs and judges a run of any opened client, then closes the client. */
export async function runOpened(input: ReferenceRun, client: OpenedClient): Promise<ConcludedRun> {
  const records = await performOpened(input, client);
  const { outcomesOnly } = input;
  return concludeRun(referenceOptions(input), records, { now: Date.now(), outcomesOnly });
}

async function performOpened(
  input: ReferenceRun,
  client: OpenedClient,
  [alteration, ...others]: readonly ClientAlteration[] = [],
): Promise<readonly ClientRecord[]> {
  const options = referenceOptions(input);
  const { seed, cases, path } = options;
  const context = {
    ...client,
    seed,
    cases,
    path,
    inFlight: Math.min(client.session.introduction.offers.maxInFlight, 8),
    usesOracle: input.usesOracle,
    shrinks: input.outcomesOnly !== true,
    now: () => performance.now(),
  };
  const records: ClientRecord[] = [];
  const { repetition } = input;
  try {
    for (const scenario of neededClientScenarios(options)) {
      if (repetition !== undefined) repetition.scenario = scenario.id;
      const conforming = others.length === 0 ? repetition?.conforming.get(scenario.id) : undefined;
      const isUnchanged =
        conforming && alteration && ![...conforming.calls].some((call) => mayChangeCall(alteration, ...call));
      records.push(
        isUnchanged
          ? conforming.record
          : await performClientScenario(scenario, { ...context, numbers: neededCalls(scenario, options) }),
      );
    }
  } finally {
    await client.close();
  }
  return records;
}

function referenceOptions({ usesOracle: _, repetition: __, outcomesOnly: ___, ...input }: ReferenceRun): RunOptions {
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  return completeRunOptions({ target: 'client', profile: 'rfc5849', cases: 25, ...input, client }, Date.now(), '.');
}

/** Data that runs with the same `seed` and `cases` can share, even if their mocks have different defects. */
interface RunCache {
  /** The fixed time of all runs, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly built: Map<string, BuiltRequest>;
  /** Results of a mock without defects, by `only`, `smoke` and scenario. Undefined if the scenario needs sockets. */
  readonly conforming: Map<string, { readonly record: ScenarioRecord; readonly trace: Trace } | undefined>;
}

export function newRunCache(): RunCache {
  return { at: Date.now(), built: new Map(), conforming: new Map() };
}

/** Performs a scenario, or reuses the record of the correct mock. Returns undefined if the scenario needs sockets. */
async function performInMemory(
  scenario: Scenario,
  options: RunOptions,
  { alterations: extra, usesOracle }: MockSetup,
  cache: RunCache,
): Promise<ScenarioRecord | undefined> {
  if (hasUnusualFraming(scenario)) return undefined;
  const alterations = alterationsOf(options.defects, options.variants, extra);
  const perform = (changes: readonly Alteration[]) =>
    performWithoutSockets(scenario, options, changes, { ...cache, usesOracle });
  const key = `${options.only} ${options.smoke} ${scenario.id}`;
  if (!cache.conforming.has(key)) {
    const { alteration, trace } = newTracer();
    const record = await perform([alteration]);
    cache.conforming.set(key, record && { record, trace });
  }
  const conforming = cache.conforming.get(key);
  // Several alterations together may change an answer that none of them changes alone, so perform the scenario.
  const [alteration = {}, ...more] = alterations;
  const isUnchanged = conforming && more.length === 0 && !changesAnswers(alteration, conforming.trace);
  return isUnchanged ? conforming.record : perform(alterations);
}

function hasUnusualFraming({ id }: Scenario): boolean {
  return id.endsWith('/framings');
}

/** Performs a scenario without sockets. Returns undefined if HTTP could change an exchange. */
async function performWithoutSockets(
  scenario: Scenario,
  options: RunOptions,
  alterations: readonly Alteration[],
  { at, built, usesOracle }: RunCache & Pick<MockSetup, 'usesOracle'>,
): Promise<ScenarioRecord | undefined> {
  const index = gatewayScenarios.indexOf(scenario);
  // Serial numbers must be unique in a run (section 2.4), so each scenario has its own range.
  const serial = (index + 1) * 1_000_000;
  const world = defaultWorld({ serial, endpoints: mockEndpoints(options.seed, scenario.id) });
  let nonces = 0;
  const context = {
    seed: options.seed,
    target: targetOf(world, '127.0.0.1:8080'),
    transport: transportTo(world, alterations, { at, strict: true }),
    fresh: () => {
      nonces += 1;
      const nonce = nonceFrom(createHash('sha512').update(`${index} ${nonces}`).digest());
      return { timestamp: String(Math.floor(at / 1000)), nonce };
    },
    usesOracle,
    built,
  };
  return runScenario(scenario, context, options).catch((error: Error) => {
    if (error.cause !== needsSocket) throw error;
    return undefined;
  });
}

const needsSocket = Symbol('needs a socket');

/** A transport to a mock in memory. With `strict`, throws (cause `needsSocket`) for a message that HTTP may change. */
export function transportTo(
  world: World,
  alterations: readonly Alteration[],
  { at, strict = false }: { readonly at: number; readonly strict?: boolean },
): Transport {
  const altered = joinAlterations(alterations);
  const settings = { ...settingsWith(alterations), prefix: '' };
  let sentCount = 0;
  const nextTimes = () => {
    sentCount += 1;
    return { startedAt: at + sentCount, durationMs: 1 };
  };
  const checkUnchanged = (isUnchanged: boolean, { target }: SentRequest) => {
    if (strict && !isUnchanged) throw new Error(target, { cause: needsSocket });
  };
  const exchange = (received: Received): Exchange => {
    const reply = respond(received, world, settings, at, altered);
    checkUnchanged(arrivesUnchanged(reply), received);
    const { status, reason, headers, body } = reply;
    const { arrival: _, ...request } = received;
    return { request, response: { status, reason, headers: withDate(headers, at), body }, ...nextTimes() };
  };
  const sharedConnection = {};
  return {
    async send(request, framing): Promise<Exchange> {
      const arrival = {
        // As on a socket, requests share one connection, unless `framing` is set.
        connection: framing === undefined ? sharedConnection : {},
        httpVersion: framing === 'http-1.0' ? '1.0' : '1.1',
        isAbsolute: framing === 'absolute-form',
      };
      if (framing === undefined) {
        checkUnchanged(/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(request.method) && areOrdinary(request.headers), request);
        return exchange({ ...toReceived(request), arrival });
      }
      if (safeFramings.includes(framing)) {
        const framed = frameRequest(request, framing).request;
        return { ...exchange({ ...framed, target: request.target, arrival }), request: framed };
      }
      return { request, failure: { kind: 'timeout', message: 'this framing needs a socket' }, ...nextTimes() };
    },
    close: async () => {},
  };
}

/** Framings that every server reads in the same way. Answers to other framings are not judged. */
const safeFramings: readonly Framing[] = ['absolute-form', 'chunked', 'http-1.0', 'own-connection'];

function toReceived(request: SentRequest): SentRequest {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'host');
  return { ...request, headers: [['host', request.host], ...headers, ['content-length', String(request.body.length)]] };
}

/** Limit in bytes for all headers: half of what the mock accepts. */
const maxHeadLength = 8 * 1024;

/** True if HTTP cannot change the answer: one correct Content-Length, no delay, and no cut of the connection. */
function arrivesUnchanged({ status, reason, headers, body, delayMs, cutAfter }: Reply): boolean {
  const framing = headers.filter(([name]) => /^(content-length|transfer-encoding|trailer|upgrade)$/i.test(name));
  return (
    status >= 200 &&
    ![204, 304].includes(status) &&
    (delayMs ?? cutAfter) === undefined &&
    framing.length === 1 &&
    framing[0]![1] === String(body.length) &&
    body.length < 2 ** 20 &&
    areOrdinary([['reason', reason], ...headers])
  );
}

/** True for short, valid headers of printable ASCII and tabs, without outer blanks: HTTP readers remove those. */
function areOrdinary(headers: readonly Header[]): boolean {
  const length = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return (
    length < maxHeadLength &&
    headers.every(
      ([name, value]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^([!-~]([\t -~]*[!-~])?)?$/.test(value),
    )
  );
}

/** A request to a mock without defects, with the arguments that each hook got. Each `World` is a copy. */
interface TracedRequest {
  readonly request: Received;
  readonly signed?: Parameters<NonNullable<Alteration['signs']>>;
  readonly refused?: Parameters<NonNullable<Alteration['accepts']>>;
  readonly passed?: readonly [reading: Reading, world: World];
  readonly answer?: readonly [reply: Reply, about: About];
}

type Trace = readonly TracedRequest[];

/** Returns an alteration that changes nothing. It only records each request in the trace. */
function newTracer(): { readonly alteration: Alteration; readonly trace: Trace } {
  const trace: TracedRequest[] = [];
  const note = <T>(entry: Partial<TracedRequest>, result: T): T => {
    Object.assign(trace.at(-1)!, entry);
    return result;
  };
  const alteration: Alteration = {
    reads(request) {
      trace.push({ request });
      return request;
    },
    signs: (...signed) => note({ signed }, signed[0]),
    accepts: (reading, step, world) => note({ refused: [reading, step, structuredClone(world)] }, false),
    refuses: (reading, world) => note({ passed: [reading, structuredClone(world)] }, undefined),
    writes: (...answer) => note({ answer }, answer[0]),
  };
  return { alteration, trace };
}

/** True if the alteration may change an answer to the traced requests. */
function changesAnswers(
  { skips = [], accepts, refuses, reads, signs, writes, settings }: Alteration,
  trace: Trace,
): boolean {
  if (settings !== undefined) return true;
  // A hook may cache data by world, so pass the same object each time. A hook may delete nonces, so copy the nonces.
  const worldCopy = {} as World;
  const fillCopy = (world: World) => Object.assign(worldCopy, world, { nonces: new Set(world.nonces) });
  return trace.some(({ request, signed, refused, passed, answer }) => {
    if (answer === undefined) return true;
    const [reply, about] = answer;
    if (skips.some((step) => step === about.step)) return true;
    if (reads !== undefined && reads(request) !== request) return true;
    if (signs && signed && changesVerification(signs(...signed), signed[0], about)) return true;
    if (accepts && refused && accepts(refused[0], refused[1], fillCopy(refused[2]))) return true;
    if (refuses && passed) {
      const [reading, world] = passed;
      if (refuses(reading, fillCopy(world)) !== undefined || worldCopy.nonces.size !== world.nonces.size) return true;
    }
    return writes !== undefined && !isSameReply(writes(reply, about), reply);
  });
}

function changesVerification(altered: SignatureMaterial, original: SignatureMaterial, { step }: About): boolean {
  return altered !== original && verifies(altered) !== (step !== 'signature');
}

function isSameReply(a: Reply, b: Reply): boolean {
  if (a === b) return true;
  const { body, ...rest } = a;
  const { body: other, ...others } = b;
  return Buffer.compare(body, other) === 0 && JSON.stringify(rest) === JSON.stringify(others);
}
