/** Performs whole runs in this process, without the engine. Uses sockets only if HTTP could change a result. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { verifies } from '../../mock/authentication.ts';
import {
  type About,
  type Alteration,
  dated,
  defaultWorld,
  joinAlterations,
  type Reading,
  type Received,
  type Reply,
  respond,
  type SignatureMaterial,
  settingsWith,
  type World,
} from '../../mock/index.ts';
import type { ClientAlteration, Context } from '../../peer/client/client.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { ClientScenario, Framing, Scenario } from '../../plan/scenario.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { neededCalls, neededClientScenarios } from '../../run/client/needed-calls.ts';
import { type OpenedClient, openReference, type Repetition } from '../../run/client/open-client.ts';
import { performClientScenario } from '../../run/client/perform-client.ts';
import type { BuiltRequest } from '../../run/gateway/build-request.ts';
import { nonceFrom, type OfTheMock, performScenario, runScenario } from '../../run/gateway/perform-case.ts';
import { mockEndpoints, neededScenarios } from '../../run/gateway/planned-cases.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import type { ClientRecord, ScenarioRecord } from '../../run/scenario-record.ts';
import { alterationsOf, targetOf } from '../../run/target/target.ts';
import { frameRequest, type Transport } from '../../run/transport/transport.ts';
import { type ConcludedRun, concludeRun, type EndOfRun } from '../../verdict/conclude.ts';

interface InProcess extends OfTheMock, Pick<EndOfRun, 'outcomesAlone'> {
  /** Sends every request over HTTP. By default, a scenario uses HTTP only if HTTP could change an exchange. */
  readonly overSockets?: boolean;
  readonly repeated?: Repeated;
  /** Skips scenarios with unusual framing, because their answers are not judged. */
  readonly unframed?: boolean;
}

/** Performs and judges a run on the mock, without a report. */
export async function runInProcess(options: RunOptions, mock: InProcess = {}): Promise<ConcludedRun> {
  const { outcomesAlone } = mock;
  return concludeRun(options, await performInProcess(options, mock), { now: Date.now(), outcomesAlone });
}

/** Performs the scenarios of a run on the mock. Some scenarios wait, so four scenarios run in parallel. */
export async function performInProcess(
  options: RunOptions,
  { overSockets, repeated, unframed, ...mock }: InProcess,
): Promise<readonly ScenarioRecord[]> {
  const shared = repeated ?? newRepeated();
  const records: ScenarioRecord[] = [];
  const waiting = neededScenarios(options).filter((scenario) => !unframed || overSockets || !isOddlyFramed(scenario));
  const worker = async () => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      records.push(
        await (overSockets
          ? performScenario(scenario, options, mock)
          : performInMemory(scenario, options, mock, shared)),
      );
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return records;
}

type ReferenceRun = Partial<Pick<RunOptions, 'seed' | 'cases' | 'only' | 'smoke' | 'profile' | 'path'>> &
  Pick<Parameters<typeof performClientScenario>[1], 'secondVoice'> &
  Pick<EndOfRun, 'outcomesAlone'> & { readonly repetition?: RepeatedClient };

/** Runs with the same seed differ only in their defects, so they share this data. */
interface RepeatedClient extends Repetition {
  /** Records of the conforming client, by number of cases, selection and scenario. */
  readonly conforming: Map<string, { readonly record: ClientRecord; readonly trace: ClientTrace }>;
}

export function newRepetition(): RepeatedClient {
  return { made: new Map(), at: Date.now(), conforming: new Map() };
}

/** Performs and judges a run of the reference client, without a report. */
export async function runClientInProcess(
  given: ReferenceRun,
  alterations: readonly ClientAlteration[],
): Promise<ConcludedRun> {
  return concludeClient(given, await performClientInProcess(given, alterations));
}

/** With `repetition`, copies the conforming record of each scenario in which the alteration changes no call. */
export async function performClientInProcess(
  given: ReferenceRun,
  alterations: readonly ClientAlteration[],
): Promise<readonly ClientRecord[]> {
  const { repetition } = given;
  const opened = await openReference(alterations, repetition);
  if (repetition === undefined) return performOpened(given, opened);
  const { alteration: tracer, trace } = tracingClient();
  const conformingClient = await openReference([tracer], repetition);
  const conformingRecord = async (scenario: ClientScenario) => {
    const key = `${given.cases} ${given.only} ${given.smoke} ${scenario.id}`;
    const start = trace.length;
    const known = repetition.conforming.get(key) ?? {
      record: await performWith(scenario, given, conformingClient),
      trace: trace.slice(start),
    };
    repetition.conforming.set(key, known);
    return known;
  };
  // Two alterations together may change a call that neither changes alone. So perform every scenario.
  const [alteration = {}, ...more] = alterations;
  try {
    return await performOpened(given, opened, async (scenario) => {
      repetition.scenario = scenario.id;
      const conforming = await conformingRecord(scenario);
      const isUnchanged = more.length === 0 && !changesCalls(alteration, conforming.trace);
      return isUnchanged ? conforming.record : performWith(scenario, given, opened);
    });
  } finally {
    await conformingClient.close();
  }
}

/** Performs and judges a run of an open client of any kind, and closes the client. */
export async function runOpened(given: ReferenceRun, opened: OpenedClient): Promise<ConcludedRun> {
  return concludeClient(given, await performOpened(given, opened));
}

function concludeClient(given: ReferenceRun, records: readonly ClientRecord[]): ConcludedRun {
  return concludeRun(referenceOptions(given), records, { now: Date.now(), outcomesAlone: given.outcomesAlone });
}

async function performOpened(
  given: ReferenceRun,
  opened: OpenedClient,
  perform = (scenario: ClientScenario) => performWith(scenario, given, opened),
): Promise<readonly ClientRecord[]> {
  const records: ClientRecord[] = [];
  try {
    for (const scenario of neededClientScenarios(referenceOptions(given))) records.push(await perform(scenario));
  } finally {
    await opened.close();
  }
  return records;
}

function performWith(scenario: ClientScenario, given: ReferenceRun, opened: OpenedClient): Promise<ClientRecord> {
  const options = referenceOptions(given);
  const { seed, cases, path } = options;
  return performClientScenario(scenario, {
    ...opened,
    seed,
    cases,
    path,
    numbers: neededCalls(scenario, options),
    inFlight: Math.min(opened.session.introduction.offers.maxInFlight, 8),
    secondVoice: given.secondVoice,
    shrinks: given.outcomesAlone !== true,
    now: () => performance.now(),
  });
}

function referenceOptions({ secondVoice: _, repetition: __, outcomesAlone: ___, ...given }: ReferenceRun): RunOptions {
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  return completeRunOptions({ target: 'client', profile: 'rfc5849', cases: 25, ...given, client }, Date.now(), '.');
}

/** Runs on mocks with different defects share this data. */
interface Repeated {
  /** The clock of all runs, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly built: Map<string, BuiltRequest>;
  readonly worlds: Map<string, World>;
  /** Records and traces of the conforming mock, by selection and scenario. Undefined if the scenario needs sockets. */
  readonly conforming: Map<string, { readonly record: ScenarioRecord; readonly trace: Trace } | undefined>;
}

export function newRepeated(): Repeated {
  return { at: Date.now(), built: new Map(), worlds: new Map(), conforming: new Map() };
}

/** Copies the conforming record if the alteration changes no answer. Uses sockets if HTTP could change an exchange. */
async function performInMemory(
  scenario: Scenario,
  options: RunOptions,
  mock: OfTheMock,
  repeated: Repeated,
): Promise<ScenarioRecord> {
  if (isOddlyFramed(scenario)) return performScenario(scenario, options, mock);
  const alterations = alterationsOf(options.defects, options.variants, mock.alterations);
  const shared = { ...repeated, secondVoice: mock.secondVoice };
  const key = `${options.only} ${options.smoke} ${scenario.id}`;
  if (!repeated.conforming.has(key)) {
    const { alteration, trace } = tracing();
    const record = await perform(scenario, options, [alteration], shared);
    repeated.conforming.set(key, record && { record, trace });
  }
  const conforming = repeated.conforming.get(key);
  // Two alterations together may change an answer that neither changes alone. So perform the scenario.
  const [alteration, ...more] = alterations;
  const isChanged = (trace: Trace) => alteration !== undefined && changesAnswers(alteration, trace);
  if (conforming !== undefined && more.length === 0 && !isChanged(conforming.trace)) return conforming.record;
  const record = await perform(scenario, options, alterations, shared);
  return record ?? performScenario(scenario, options, mock);
}

function isOddlyFramed({ id }: Scenario): boolean {
  return id.endsWith('/framings');
}

/** Performs a scenario in memory. Returns undefined if HTTP could change an exchange. */
async function perform(
  scenario: Scenario,
  options: RunOptions,
  alterations: readonly Alteration[],
  { at, built, worlds, secondVoice }: Repeated & Pick<OfTheMock, 'secondVoice'>,
): Promise<ScenarioRecord | undefined> {
  const place = gatewayScenarios.indexOf(scenario);
  // Serial numbers must be unique in a run (section 2.4), so each scenario has its own range.
  const untouched =
    worlds.get(scenario.id) ??
    defaultWorld({ serial: (place + 1) * 1_000_000, endpoints: mockEndpoints(options.seed, scenario.id) });
  worlds.set(scenario.id, untouched);
  const world = structuredClone(untouched);
  let nonces = 0;
  const context = {
    ...options,
    target: targetOf(world, '127.0.0.1:8080'),
    transport: transportTo(world, alterations, { at, strict: true }),
    fresh: () => {
      nonces += 1;
      const nonce = nonceFrom(createHash('sha512').update(`${place} ${nonces}`).digest());
      return { timestamp: String(Math.floor(at / 1000)), nonce };
    },
    secondVoice,
    built,
  };
  return runScenario(scenario, context, options).catch((error: Error) => {
    if (error.cause !== needsSocket) throw error;
    return undefined;
  });
}

/** An error has this cause if HTTP could change an exchange. Then the scenario must use a socket. */
const needsSocket = Symbol('needs a socket');

/** A transport to a mock in memory. With `strict`, throws an error with the cause `needsSocket` if HTTP matters. */
export function transportTo(
  world: World,
  alterations: readonly Alteration[],
  { at, strict = false }: { readonly at: number; readonly strict?: boolean },
): Transport {
  const altered = joinAlterations(alterations);
  const settings = { ...settingsWith(alterations), prefix: '' };
  let sent = 0;
  const exchange = (received: Received): Exchange => {
    const reply = respond(received, world, settings, at, altered);
    if (strict && !arrivesAsItIs(reply)) throw new Error(received.target, { cause: needsSocket });
    const { status, reason, headers, body } = reply;
    const { arrival: _, ...request } = received;
    sent += 1;
    return {
      request,
      response: { status, reason, headers: dated(headers, at), body },
      startedAt: at + sent,
      durationMs: 1,
    };
  };
  const ordinary = { connection: {}, httpVersion: '1.1', isAbsolute: false };
  return {
    async send(request, framing): Promise<Exchange> {
      if (framing === undefined) {
        if (strict && !arrivesUnchanged(request)) throw new Error(request.target, { cause: needsSocket });
        return exchange({ ...asReceived(request), arrival: ordinary });
      }
      if (readAlike.includes(framing)) {
        const framed = frameRequest(request, framing).request;
        const httpVersion = framing === 'http-1.0' ? '1.0' : '1.1';
        const arrival = { connection: {}, httpVersion, isAbsolute: framing === 'absolute-form' };
        return { ...exchange({ ...framed, target: request.target, arrival }), request: framed };
      }
      sent += 1;
      const failure = { kind: 'timeout', message: 'framing is not sent in memory' } as const;
      return { request, failure, startedAt: at + sent, durationMs: 1 };
    },
    close: async () => {},
  };
}

/** Framings that every server reads in the same way. Answers to other framings are not judged. */
const readAlike: readonly Framing[] = ['absolute-form', 'chunked', 'http-1.0', 'own-connection'];

function asReceived(request: SentRequest): SentRequest {
  const given = request.headers.filter(([name]) => name.toLowerCase() !== 'host');
  return { ...request, headers: [['host', request.host], ...given, ['content-length', String(request.body.length)]] };
}

/** Limit in bytes: half of the largest head that the mock accepts. */
const maxHeadLength = 8 * 1024;

function arrivesUnchanged({ method, headers }: SentRequest): boolean {
  return /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method) && areOrdinary(headers);
}

/** True if the answer has one correct Content-Length, and nothing ends or delays the connection. */
function arrivesAsItIs({ status, reason, headers, body, delayMs, cutAfter }: Reply): boolean {
  const framing = headers.filter(([name]) => /^(content-length|transfer-encoding|trailer|upgrade)$/i.test(name));
  return (
    status >= 200 &&
    status !== 204 &&
    status !== 304 &&
    delayMs === undefined &&
    cutAfter === undefined &&
    framing.length === 1 &&
    framing[0]![1] === String(body.length) &&
    body.length < 2 ** 20 &&
    areOrdinary([['reason', reason], ...headers])
  );
}

/** True for values of printable ASCII and tabs, without a blank at either end: HTTP readers remove such blanks. */
function areOrdinary(headers: readonly Header[]): boolean {
  const length = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return (
    length < maxHeadLength &&
    headers.every(
      ([name, value]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^([!-~]([\t -~]*[!-~])?)?$/.test(value),
    )
  );
}

// Traces: what a conforming subject does in a scenario. A trace shows whether an alteration would change any of it.

/** One request, with the arguments of every hook that the mock called for it. */
interface TracedRequest {
  readonly request: Received;
  /** Set if the mock verified the signature. */
  signed?: Parameters<NonNullable<Alteration['signs']>>;
  /** Set if an authentication step refused the request. The `World` among the arguments is a copy. */
  refused?: Parameters<NonNullable<Alteration['takes']>>;
  /** Set if the request passed every authentication step. `world` is a copy. */
  passed?: readonly [reading: Reading, world: World];
  answer?: readonly [reply: Reply, about: About];
}

type Trace = readonly TracedRequest[];

/** Returns an alteration that changes nothing, and the trace that it fills. */
function tracing(): { readonly alteration: Alteration; readonly trace: Trace } {
  const trace: TracedRequest[] = [];
  const note = (found: Partial<TracedRequest>) => Object.assign(trace.at(-1)!, found);
  return {
    trace,
    alteration: {
      reads: (request) => {
        trace.push({ request });
        return request;
      },
      signs: (material, original) => {
        note({ signed: [material, original] });
        return material;
      },
      takes: (reading, step, world) => {
        note({ refused: [reading, step, structuredClone(world)] });
        return false;
      },
      refuses: (reading, world) => {
        note({ passed: [reading, structuredClone(world)] });
        return undefined;
      },
      writes: (reply, about) => {
        note({ answer: [reply, about] });
        return reply;
      },
    },
  };
}

/** False if the mock with this alteration certainly gives the same answers to the traced requests. */
function changesAnswers(
  { skips = [], takes, refuses, reads, signs, writes, settings }: Alteration,
  trace: Trace,
): boolean {
  if (settings !== undefined) return true;
  // Hooks may remember data by the world object, so always pass the same object. Hooks may delete nonces, so copy them.
  const seen = {} as World;
  const show = (world: World) => Object.assign(seen, world, { nonces: new Set(world.nonces) });
  return trace.some(({ request, signed, refused, passed, answer }) => {
    if (answer === undefined) return true;
    const [reply, about] = answer;
    if (skips.some((step) => step === about.step)) return true;
    if (reads !== undefined && reads(request) !== request) return true;
    if (signs && signed && isVerifiedOtherwise(signs(...signed), signed[0], about)) return true;
    if (takes && refused) {
      const [reading, step, world] = refused;
      if (takes(reading, step, show(world))) return true;
    }
    if (refuses && passed) {
      const [reading, world] = passed;
      if (refuses(reading, show(world)) !== undefined || seen.nonces.size !== world.nonces.size) return true;
    }
    return writes !== undefined && !isSameReply(writes(reply, about), reply);
  });
}

function isVerifiedOtherwise(altered: SignatureMaterial, original: SignatureMaterial, { step }: About): boolean {
  return altered !== original && verifies(altered) !== (step !== 'signature');
}

function isSameReply(a: Reply, b: Reply): boolean {
  if (a === b) return true;
  const { body, ...rest } = a;
  const { body: other, ...others } = b;
  return Buffer.compare(body, other) === 0 && JSON.stringify(rest) === JSON.stringify(others);
}

type Step = keyof ClientAlteration;

interface TracedCall {
  /** The context at the end of the call: `done` has all its steps. */
  readonly context: Context;
  readonly steps: Map<Step, unknown>;
}

type ClientTrace = readonly TracedCall[];

/** Returns an alteration of the reference client that changes nothing, and the trace that it fills. */
function tracingClient(): { readonly alteration: ClientAlteration; readonly trace: ClientTrace } {
  const trace: TracedCall[] = [];
  const alteration = new Proxy<ClientAlteration>(
    {},
    {
      get: (_, step: Step) => (value: unknown, context: Context) => {
        if (trace.at(-1)?.context !== context) trace.push({ context, steps: new Map() });
        trace.at(-1)!.steps.set(step, value);
        return value;
      },
    },
  );
  return { alteration, trace };
}

/** False if the reference client with this alteration certainly makes the same calls. */
function changesCalls(alteration: ClientAlteration, trace: ClientTrace): boolean {
  const hooks = Object.entries(alteration) as [Step, (value: unknown, context: Context) => unknown][];
  return trace.some(({ context, steps }) => {
    // Hooks may remember data by the context object of a call, so all hooks of a call get the same object.
    const seen = { ...context, done: { ...context.done } };
    return hooks.some(([step, hook]) => steps.has(step) && changesStep(hook, steps.get(step), seen));
  });
}

function changesStep(hook: (value: unknown, context: Context) => unknown, value: unknown, context: Context): boolean {
  try {
    return !isDeepStrictEqual(hook(value, context), value);
  } catch {
    return true;
  }
}
