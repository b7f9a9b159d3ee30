/** Performs whole runs in this process, without the engine. Uses sockets only if HTTP could change a result. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ClientDefect } from '../../faults/client/defect.ts';
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
import { gatewayScenarios } from '../../plan/index.ts';
import type { Framing, Scenario } from '../../plan/scenario.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { neededCalls, neededClientScenarios } from '../../run/client/needed-calls.ts';
import { type OpenedClient, openReference, type Repetition } from '../../run/client/open-client.ts';
import { performClientScenario } from '../../run/client/perform-client.ts';
import type { BuiltRequest } from '../../run/gateway/build-request.ts';
import { atOnce, nonceFrom, type OfTheMock, performScenario, runScenario } from '../../run/gateway/perform-case.ts';
import { mockEndpoints, neededScenarios } from '../../run/gateway/planned-cases.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import type { ClientRecord, ScenarioRecord } from '../../run/scenario-record.ts';
import { alterationsOf, targetOf } from '../../run/target/target.ts';
import { frameRequest, type Transport } from '../../run/transport/transport.ts';
import { type ConcludedRun, concludeRun, type EndOfRun } from '../../verdict/conclude.ts';

interface InProcess extends OfTheMock, Pick<EndOfRun, 'outcomesAlone'> {
  /** Uses HTTP for every request. By default, a scenario uses HTTP only if HTTP could change an exchange. */
  readonly overSockets?: boolean;
  readonly repeated?: Repeated;
  /** Skips scenarios with unusual HTTP framing, because their answers are not judged. Ignored with `overSockets`. */
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
  { overSockets, repeated = newRepeated(), unframed, ...mock }: InProcess,
): Promise<readonly ScenarioRecord[]> {
  const records: ScenarioRecord[] = [];
  const scenarios = neededScenarios(options).filter((one) => !unframed || overSockets || !isOddlyFramed(one));
  await atOnce(4, scenarios, async (scenario) => {
    const inMemory = overSockets ? undefined : await performInMemory(scenario, options, mock, repeated);
    records.push(inMemory ?? (await performScenario(scenario, options, mock)));
  });
  return records;
}

type ClientAlteration = ClientDefect['alteration'];
type Context = Parameters<NonNullable<ClientAlteration['input']>>[1];

/** Runs of the reference client with the same options can share this data. */
interface RepeatedCalls extends Repetition {
  /** By scenario: the record and the calls of the client without defects. */
  readonly conforming: Map<
    string,
    { readonly record: ClientRecord; readonly calls: ReadonlyMap<Context, readonly Step[]> }
  >;
}

type ReferenceRun = Partial<Pick<RunOptions, 'seed' | 'cases' | 'only' | 'smoke' | 'profile' | 'path'>> &
  Pick<Parameters<typeof performClientScenario>[1], 'secondVoice'> &
  Pick<EndOfRun, 'outcomesAlone'> & { readonly repetition?: RepeatedCalls };

/** Creates the data that runs with the same seed share: a fixed time, and a cache of signatures. */
export function newRepetition(): RepeatedCalls {
  return { made: new Map(), at: Date.now(), conforming: new Map() };
}

/** Performs a run of the client without defects, and keeps it in the repetition for later runs. */
export async function performConformingClient(given: ReferenceRun & { readonly repetition: RepeatedCalls }) {
  const { repetition } = given;
  const traces = new Map<string | undefined, Map<Context, Step[]>>();
  const noted = (name: Step['name'], value: unknown, context: Context) => {
    const calls = traces.get(repetition.scenario) ?? new Map<Context, Step[]>();
    traces.set(repetition.scenario, calls.set(context, [...(calls.get(context) ?? []), { name, value }]));
    return value;
  };
  const get = (_: object, name: Step['name']) => (value: unknown, context: Context) => noted(name, value, context);
  const records = await performOpened(given, await openReference([new Proxy({}, { get })], repetition));
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
  given: ReferenceRun,
  alterations: readonly ClientAlteration[],
): Promise<ConcludedRun> {
  return runOpened(given, await openReference(alterations, given.repetition));
}

/** Performs a run of the reference client. Copies a scenario from the run without defects if no call can change. */
export async function performClientInProcess(given: ReferenceRun, alterations: readonly ClientAlteration[]) {
  return performOpened(given, await openReference(alterations, given.repetition), alterations);
}

/** Performs and judges a run of any opened client, then closes the client. */
export async function runOpened(given: ReferenceRun, opened: OpenedClient): Promise<ConcludedRun> {
  const records = await performOpened(given, opened);
  const { outcomesAlone } = given;
  return concludeRun(referenceOptions(given), records, { now: Date.now(), outcomesAlone });
}

async function performOpened(
  given: ReferenceRun,
  opened: OpenedClient,
  [alteration, ...more]: readonly ClientAlteration[] = [],
): Promise<readonly ClientRecord[]> {
  const options = referenceOptions(given);
  const { seed, cases, path } = options;
  const context = {
    ...opened,
    seed,
    cases,
    path,
    inFlight: Math.min(opened.session.introduction.offers.maxInFlight, 8),
    secondVoice: given.secondVoice,
    shrinks: given.outcomesAlone !== true,
    now: () => performance.now(),
  };
  const records: ClientRecord[] = [];
  const { repetition } = given;
  try {
    for (const scenario of neededClientScenarios(options)) {
      if (repetition !== undefined) repetition.scenario = scenario.id;
      const conforming = more.length === 0 ? repetition?.conforming.get(scenario.id) : undefined;
      const isUnchanged =
        conforming && alteration && ![...conforming.calls].some((call) => mayChangeCall(alteration, ...call));
      records.push(
        isUnchanged
          ? conforming.record
          : await performClientScenario(scenario, { ...context, numbers: neededCalls(scenario, options) }),
      );
    }
  } finally {
    await opened.close();
  }
  return records;
}

function referenceOptions({ secondVoice: _, repetition: __, outcomesAlone: ___, ...given }: ReferenceRun): RunOptions {
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  return completeRunOptions({ target: 'client', profile: 'rfc5849', cases: 25, ...given, client }, Date.now(), '.');
}

/** Data that runs with the same `seed` and `cases` can share, even if their mocks have different defects. */
interface Repeated {
  /** The fixed time of all runs, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly built: Map<string, BuiltRequest>;
  /** Results of a mock without defects, by `only`, `smoke` and scenario. Undefined if the scenario needs sockets. */
  readonly conforming: Map<string, { readonly record: ScenarioRecord; readonly trace: Trace } | undefined>;
}

export function newRepeated(): Repeated {
  return { at: Date.now(), built: new Map(), conforming: new Map() };
}

/** Performs a scenario, or reuses the record of the correct mock. Returns undefined if the scenario needs sockets. */
async function performInMemory(
  scenario: Scenario,
  options: RunOptions,
  { alterations: further, secondVoice }: OfTheMock,
  repeated: Repeated,
): Promise<ScenarioRecord | undefined> {
  if (isOddlyFramed(scenario)) return undefined;
  const alterations = alterationsOf(options.defects, options.variants, further);
  const perform = (some: readonly Alteration[]) =>
    performWithoutSockets(scenario, options, some, { ...repeated, secondVoice });
  const key = `${options.only} ${options.smoke} ${scenario.id}`;
  if (!repeated.conforming.has(key)) {
    const { alteration, trace } = tracing();
    const record = await perform([alteration]);
    repeated.conforming.set(key, record && { record, trace });
  }
  const conforming = repeated.conforming.get(key);
  // Several alterations together may change an answer that none of them changes alone, so perform the scenario.
  const [alteration = {}, ...more] = alterations;
  const isUnchanged = conforming && more.length === 0 && !changesAnswers(alteration, conforming.trace);
  return isUnchanged ? conforming.record : perform(alterations);
}

function isOddlyFramed({ id }: Scenario): boolean {
  return id.endsWith('/framings');
}

/** Performs a scenario without sockets. Returns undefined if HTTP could change an exchange. */
async function performWithoutSockets(
  scenario: Scenario,
  options: RunOptions,
  alterations: readonly Alteration[],
  { at, built, secondVoice }: Repeated & Pick<OfTheMock, 'secondVoice'>,
): Promise<ScenarioRecord | undefined> {
  const place = gatewayScenarios.indexOf(scenario);
  // Serial numbers must be unique in a run (section 2.4), so each scenario has its own range.
  const serial = (place + 1) * 1_000_000;
  const world = defaultWorld({ serial, endpoints: mockEndpoints(options.seed, scenario.id) });
  let nonces = 0;
  const context = {
    seed: options.seed,
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

const needsSocket = Symbol('needs a socket');

/** A transport to a mock in memory. With `strict`, throws (cause `needsSocket`) for a message that HTTP may change. */
export function transportTo(
  world: World,
  alterations: readonly Alteration[],
  { at, strict = false }: { readonly at: number; readonly strict?: boolean },
): Transport {
  const altered = joinAlterations(alterations);
  const settings = { ...settingsWith(alterations), prefix: '' };
  let sent = 0;
  const times = () => {
    sent += 1;
    return { startedAt: at + sent, durationMs: 1 };
  };
  const mustArrive = (isUnchanged: boolean, { target }: SentRequest) => {
    if (strict && !isUnchanged) throw new Error(target, { cause: needsSocket });
  };
  const exchange = (received: Received): Exchange => {
    const reply = respond(received, world, settings, at, altered);
    mustArrive(arrivesAsItIs(reply), received);
    const { status, reason, headers, body } = reply;
    const { arrival: _, ...request } = received;
    return { request, response: { status, reason, headers: dated(headers, at), body }, ...times() };
  };
  const shared = {};
  return {
    async send(request, framing): Promise<Exchange> {
      const arrival = {
        // As on a socket, requests share one connection, unless `framing` is set.
        connection: framing === undefined ? shared : {},
        httpVersion: framing === 'http-1.0' ? '1.0' : '1.1',
        isAbsolute: framing === 'absolute-form',
      };
      if (framing === undefined) {
        mustArrive(/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(request.method) && areOrdinary(request.headers), request);
        return exchange({ ...asReceived(request), arrival });
      }
      if (readAlike.includes(framing)) {
        const framed = frameRequest(request, framing).request;
        return { ...exchange({ ...framed, target: request.target, arrival }), request: framed };
      }
      return { request, failure: { kind: 'timeout', message: 'this framing needs a socket' }, ...times() };
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

/** Limit in bytes for all headers: half of what the mock accepts. */
const maxHeadLength = 8 * 1024;

/** True if HTTP cannot change the answer: one correct Content-Length, no delay, and no cut of the connection. */
function arrivesAsItIs({ status, reason, headers, body, delayMs, cutAfter }: Reply): boolean {
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
  readonly refused?: Parameters<NonNullable<Alteration['takes']>>;
  readonly passed?: readonly [reading: Reading, world: World];
  readonly answer?: readonly [reply: Reply, about: About];
}

type Trace = readonly TracedRequest[];

/** Returns an alteration that changes nothing. It only records each request in the trace. */
function tracing(): { readonly alteration: Alteration; readonly trace: Trace } {
  const trace: TracedRequest[] = [];
  const noting = <T>(found: Partial<TracedRequest>, result: T): T => {
    Object.assign(trace.at(-1)!, found);
    return result;
  };
  const alteration: Alteration = {
    reads(request) {
      trace.push({ request });
      return request;
    },
    signs: (...signed) => noting({ signed }, signed[0]),
    takes: (reading, step, world) => noting({ refused: [reading, step, structuredClone(world)] }, false),
    refuses: (reading, world) => noting({ passed: [reading, structuredClone(world)] }, undefined),
    writes: (...answer) => noting({ answer }, answer[0]),
  };
  return { alteration, trace };
}

/** True if the alteration may change an answer to the traced requests. */
function changesAnswers(
  { skips = [], takes, refuses, reads, signs, writes, settings }: Alteration,
  trace: Trace,
): boolean {
  if (settings !== undefined) return true;
  // A hook may cache data by world, so pass the same object each time. A hook may delete nonces, so copy the nonces.
  const seen = {} as World;
  const show = (world: World) => Object.assign(seen, world, { nonces: new Set(world.nonces) });
  return trace.some(({ request, signed, refused, passed, answer }) => {
    if (answer === undefined) return true;
    const [reply, about] = answer;
    if (skips.some((step) => step === about.step)) return true;
    if (reads !== undefined && reads(request) !== request) return true;
    if (signs && signed && isVerifiedOtherwise(signs(...signed), signed[0], about)) return true;
    if (takes && refused && takes(refused[0], refused[1], show(refused[2]))) return true;
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
