/**
 * The control interface of a running mock: the actions of a gateway's administration UI, as JSON over HTTP. It listens
 * on 127.0.0.1 on a separate port, so no gateway path can reach it.
 */
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, readJson } from '../protocol/json.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { type Row, row } from '../record/row.ts';
import { type Listener, openListener } from './listener.ts';
import { MockError } from './mock-error.ts';
import type { NextAnswer } from './responses.ts';
import { type Refusal, serveRoutes, type WebAnswer } from './router.ts';
import {
  closeByHand,
  type Endpoint,
  gateOf,
  lock,
  type MockGate,
  putIntoClosing,
  type RecurringProfile,
  refuseUnknownProfile,
  rememberWorld,
  removeLock,
  setFinishDate,
  setNextAnswer,
  stopProfile,
  type World,
} from './world.ts';

/** Longs stay strings, because they can exceed a JavaScript number. */
function viewOfWorld(world: World): object {
  return {
    endpoints: [...world.endpoints].map(([id, endpoint]) => ({ id, ...viewOfEndpoint(world, id, endpoint) })),
    profiles: [...world.profiles.values()].map(viewOfProfile),
    unlistedProfilesExist: world.unlistedProfilesExist,
    counters: world.counters,
  };
}

function viewOfGate({ gateId, epntId, state, totals }: MockGate): object {
  return { gateId, epntId, state, ...totals };
}

function viewOfProfile({ id, state, finishDate }: RecurringProfile): object {
  return { id, state, ...(finishDate === undefined ? {} : { finishDate: new Date(finishDate).toISOString() }) };
}

function viewOfEndpoint(world: World, id: string, { gates, closings }: Endpoint): object {
  return { closings, gates: gates.map(viewOfGate), nextAnswers: world.nextAnswers.get(id) ?? [] };
}

const kinds = ['empty-200', 'empty-403', 'parameters'] as const;
const types = ['process-recurring-payment-response', 'validation-error', 'error'] as const;
const codes = ['200', '403', '500'] as const;
const lineFeeds = ['raw', '%0A'] as const;

/** Accepts only an empty body or an empty object. Throws MockError `bad-control-body`. */
function readNothing(body: Uint8Array): void {
  if (body.length > 0) membersOf(body, []);
}

function readNextAnswer(body: Uint8Array): NextAnswer {
  const members = membersOf(body, ['kind', 'type', 'code', 'httpStatus', 'errorIdName', 'lineFeed']);
  const kind = required('kind', members.kind, kinds);
  if (kind !== 'parameters') {
    if (Object.keys(members).length > 1) throw wrong(`kind ${kind} has no further members`, 'its answer is empty');
    return { kind };
  }
  const type = required('type', members.type, types);
  const code = oneOf('code', members.code, codes);
  if (code !== undefined && type === 'process-recurring-payment-response') {
    throw wrong('type process-recurring-payment-response has no code', 'code goes with validation-error and error');
  }
  const lineFeed = oneOf('lineFeed', members.lineFeed, lineFeeds);
  return { kind, type, code, httpStatus: statusOf(members), errorIdName: errorIdNameOf(members), lineFeed };
}

/** Returns milliseconds since the Unix epoch. Throws MockError `bad-control-body`. */
function readFinishDate(body: Uint8Array): number {
  const { finishDate } = membersOf(body, ['finishDate']);
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;
  const time = typeof finishDate === 'string' && form.test(finishDate) ? Date.parse(finishDate) : Number.NaN;
  if (Number.isNaN(time))
    throw wrong('finishDate is not a point in time', 'write date, time and zone, as in "2027-01-31T00:00:00Z"');
  return time;
}

function membersOf(body: Uint8Array, known: readonly string[]): JsonObject {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    throw wrong(`the body is not JSON: ${cause.message}`, cause.hint ?? 'send one JSON object', cause);
  }
  if (!isJsonObject(value)) throw wrong('the body is not a JSON object', 'send one with its members in braces');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  throw wrong(
    `${JSON.stringify(unknown)} is not known here`,
    known.length === 0 ? 'send no body' : `known are ${known.join(', ')}`,
  );
}

function oneOf<const T extends string>(
  name: string,
  value: JsonValue | undefined,
  values: readonly T[],
): T | undefined {
  const found = values.find((one) => one === value);
  if (value === undefined || found !== undefined) return found;
  throw wrong(`${name} has another value`, `it is one of ${quoted(values)}`);
}

function required<const T extends string>(name: string, value: JsonValue | undefined, values: readonly T[]): T {
  const found = oneOf(name, value, values);
  if (found !== undefined) return found;
  throw wrong(`${name} is missing`, `it is one of ${quoted(values)}`);
}

function statusOf({ httpStatus }: JsonObject): number | undefined {
  if (httpStatus === undefined) return undefined;
  const status = httpStatus instanceof JsonNumber && /^\d{3}$/.test(httpStatus.text) ? Number(httpStatus.text) : 0;
  // This answer has a body, and 204, 205 and 304 cannot have one (RFC 9110).
  if (status >= 200 && status <= 599 && ![204, 205, 304].includes(status)) return status;
  throw wrong('httpStatus has another value', 'it is a number from 200 to 599, of those that have a body');
}

const namesOfSection24 = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

function errorIdNameOf({ errorIdName: name }: JsonObject): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && /^[\w.-]{1,64}$/.test(name) && !namesOfSection24.includes(name)) return name;
  const hint = 'it has letters, digits, dots, dashes or underscores, and is not a name of section 2.4';
  throw wrong('errorIdName has another value', hint);
}

function quoted(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function wrong(message: string, hint: string, cause?: unknown): MockError {
  return new MockError('bad-control-body', message, hint, cause);
}

interface Controlled {
  readonly world: World;
  readonly reset: () => void;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly does: string;
  readonly body?: object;
  /** Returns the JSON answer. Throws MockError `bad-control-body` or `no-such-thing`. */
  readonly act: (controlled: Controlled, ids: readonly string[], body: Uint8Array) => object;
}

function route(method: Route['method'], path: string, act: Route['act'], body?: object): Row<Route> {
  return row((does) => ({ method, path, does, body, act }));
}

const maxWaiting = 1_000;

const exampleAnswer = {
  kind: 'parameters',
  type: 'error',
  code: '500',
  httpStatus: 200,
  errorIdName: 'error-id',
  lineFeed: 'raw',
};

const routes: readonly Route[] = [
  route('GET', '/', () => ({
    routes: routes.map(({ method, path, does, body }) => ({ method, path, does, body })),
  }))`Lists the routes.`,
  route('GET', '/state', ({ world }) => viewOfWorld(world))`
    Shows endpoints with their gates and scripted answers, recurring profiles and counters.`,
  route('GET', '/counters', ({ world }) => world.counters)`
    Shows closed days, started payments with their total, requests and refusals.`,
  gateRoute('closing', putIntoClosing)`Puts the gate into closing: close-day answers error 99.`,
  gateRoute('lock', lock)`Locks the gate: close-day finishes with isDayClosing true.`,
  gateRoute('remove-lock', removeLock)`The lock removal tool: a locked gate is open afterwards.`,
  gateRoute('close-by-hand', closeByHand)`
    The manual close of the day: the gate is open, its totals start again.`,
  route('POST', '/endpoints/<id>/next-answer', scriptAnswer, exampleAnswer)`
    Scripts the answer to the next batch that would have been accepted.`,
  profileRoute('stop', stopProfile)`Stops the recurring profile: a batch that names it is refused.`,
  profileRoute('finish-date', (world, id, body) => setFinishDate(world, id, readFinishDate(body)), {
    finishDate: '2027-01-31T00:00:00Z',
  })`Sets the date on which the recurring profile stops.`,
  route('POST', '/reset', ({ world, reset }) => {
    reset();
    return viewOfWorld(world);
  })`Puts everything back to the start of the mock; serial numbers go on, so that none comes twice.`,
];

function scriptAnswer({ world }: Controlled, [endpointId = '']: readonly string[], body: Uint8Array): object {
  const waiting = world.nextAnswers.get(endpointId)?.length ?? 0;
  if (waiting >= maxWaiting) throw wrong(`${maxWaiting} answers are waiting already`, 'send batches to use them up');
  setNextAnswer(world, endpointId, readNextAnswer(body));
  return { nextAnswers: world.nextAnswers.get(endpointId)! };
}

function gateRoute(action: string, change: (world: World, endpointId: string, gateId: string) => void): Row<Route> {
  return route('POST', `/endpoints/<id>/gates/<gateId>/${action}`, ({ world }, [endpointId = '', gateId = '']) => {
    change(world, endpointId, gateId);
    return viewOfGate(gateOf(world, endpointId, gateId));
  });
}

function profileRoute(
  action: string,
  change: (world: World, id: string, body: Uint8Array) => void,
  body?: object,
): Row<Route> {
  const act: Route['act'] = ({ world }, [id = ''], given) => {
    refuseUnknownProfile(world, id);
    change(world, id, given);
    return viewOfProfile(world.profiles.get(id)!);
  };
  return route('POST', `/profiles/<id>/${action}`, act, body);
}

const host = '127.0.0.1';

/** A reset restores the state that `world` has now. Throws MockError if it cannot listen. */
export function openControl(world: World, port: number): Promise<Listener> {
  const controlled: Controlled = { world, reset: rememberWorld(world) };
  const actions = routes.map(({ method, path, body, act }) => [
    `${method} ${path}`,
    (ids: readonly string[], sent: Uint8Array) => {
      if (method === 'POST' && body === undefined) readNothing(sent);
      return json(200, act(controlled, ids, sent));
    },
  ]);
  const site = { routes: Object.fromEntries(actions), refuse };
  return openListener({ host, port, maxHeaderBytes: 16 * 1024 }, (request, response) =>
    serveRoutes(site, request, response),
  );
}

export function controlUrlOf(port: number): string {
  return `http://${host}:${port}`;
}

function json(status: number, value: object): WebAnswer {
  const body = `${JSON.stringify(value, undefined, 2)}\n`;
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

/** Says what is wrong and what to do, one sentence each. */
function refuse(refusal: Refusal, method: string, path: string): WebAnswer {
  const answer = (status: number, error: string, hint: string, more: object = {}) =>
    json(status, { error, hint, ...more });
  switch (refusal.why) {
    case 'type':
      // A page cannot send this type to another origin without a preflight request.
      return answer(
        415,
        `${method} needs a request of type application/json`,
        'send this Content-Type, even without a body',
      );
    case 'name':
    case 'site':
      return answer(
        403,
        'the request comes from a page of another site',
        'send it from a program, to 127.0.0.1 or localhost',
      );
    case 'unknown': {
      const all = routes.map((one) => `${one.method} ${one.path}`);
      return answer(404, `there is no ${method} ${path}`, 'GET / says what each route does', { routes: all });
    }
    case 'method':
      return answer(405, `${path} does not take ${method}`, `send ${refusal.methods}`);
    case 'failed': {
      const { cause } = refusal;
      if (!(cause instanceof MockError)) return answer(500, 'the mock itself failed', 'reset it, or start it again');
      return answer(cause.code === 'no-such-thing' ? 404 : 400, cause.message, cause.hint);
    }
  }
}
