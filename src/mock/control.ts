/** The control interface of a running mock: JSON over HTTP, on a separate port of 127.0.0.1. */
import { isJsonObject, JsonNumber, type JsonValue, readJson } from '../protocol/json.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { row, type Tag } from '../record/row.ts';
import { type Listener, openListener } from './listener.ts';
import { MockError } from './mock-error.ts';
import type { NextAnswer } from './responses.ts';
import { type Refusal, serveRoutes, type WebAnswer } from './router.ts';
import type { MockGate, RecurringProfile, World } from './world.ts';
import { closeByHand, lock, putIntoClosing, removeLock, setNextAnswer, stopProfile } from './world.ts';

/** Ids are strings, because they can be too large for a JavaScript number. */
function viewOfWorld(world: World): object {
  return {
    endpoints: [...world.endpoints].map(([id, { gates, closings }]) => {
      return { id, closings, gates: gates.map(viewOfGate), nextAnswers: world.nextAnswers.get(id) ?? [] };
    }),
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

interface Member {
  readonly isValid: (value: JsonValue) => boolean;
  /** Describes the valid values, as a phrase that can follow the word "use". */
  readonly validValues: string;
}

function choice(...values: readonly string[]): Member {
  const validValues = `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  return { isValid: (value) => values.some((one) => one === value), validValues };
}

function textLike(form: RegExp, validValues: string): Member {
  return { isValid: (value) => typeof value === 'string' && form.test(value), validValues };
}

const answerMembers: Readonly<Record<string, Member>> = {
  kind: choice('empty-200', 'empty-403', 'parameters'),
  type: choice('process-recurring-payment-response', 'validation-error', 'error'),
  code: choice('200', '403', '500'),
  httpStatus: {
    // A scripted answer with parameters has a body, but an answer with 204, 205 or 304 cannot have a body (RFC 9110).
    isValid: (value) => value instanceof JsonNumber && /^(?!204|205|304)[2-5]\d\d$/.test(value.text),
    validValues: 'a number from 200 to 599, but not 204, 205 or 304, which have no body',
  },
  errorIdName: textLike(
    /^(?!(?:type|status|serial-number|error-message|error-code)$)[\w.-]{1,64}$/,
    'at most 64 letters, digits, dots, dashes or underscores, but not another parameter name, such as "status"',
  ),
  lineFeed: choice('raw', '%0A'),
};

const dateMembers = {
  finishDate: textLike(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/,
    'a date with time and zone, such as "2027-01-31T00:00:00Z"',
  ),
};

function readNextAnswer(body: Uint8Array): NextAnswer {
  const members = membersOf(body, answerMembers, ['kind']);
  if (members.kind !== 'parameters') {
    if (Object.keys(members).length === 1) return members as unknown as NextAnswer;
    throw badBody(
      `an answer of kind "${members.kind}" has no other members`,
      'send only the member "kind", because this answer has no body',
    );
  }
  const { type, code, httpStatus } = membersOf(body, answerMembers, ['type']);
  if (code !== undefined && type === 'process-recurring-payment-response') {
    throw badBody(
      'an answer of type "process-recurring-payment-response" has no code',
      'use the member "code" only if "type" is "validation-error" or "error"',
    );
  }
  const status = httpStatus instanceof JsonNumber ? Number(httpStatus.text) : undefined;
  return { ...(members as unknown as NextAnswer & { kind: 'parameters' }), httpStatus: status };
}

function membersOf(body: Uint8Array, known: Readonly<Record<string, Member>>, required: readonly string[] = []) {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    throw badBody(`the body is not JSON: ${cause.message}`, cause.hint ?? 'send one JSON object', cause);
  }
  if (!isJsonObject(value)) throw badBody('the body is not a JSON object', 'send one object in braces');
  const names = Object.keys(known).join(', ');
  for (const name of Object.keys(value)) {
    const member = known[name];
    if (member === undefined)
      throw badBody(
        `${JSON.stringify(name)} is not a known member`,
        names === '' ? 'send no body' : `use only ${names}`,
      );
    if (!member.isValid(value[name]!)) throw badBody(`${name} is not valid`, `use ${member.validValues}`);
  }
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) throw badBody(`${missing} is missing`, `use ${known[missing]!.validValues}`);
  return value;
}

function badBody(message: string, hint: string, cause?: unknown): MockError {
  return new MockError('bad-control-body', message, hint, cause);
}

type ControlTarget = { readonly world: World; readonly reset: () => void };

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly does: string;
  readonly body?: object;
  readonly act: (target: ControlTarget, ids: readonly string[], body: Uint8Array) => object;
}

function route(method: Route['method'], path: string, act: Route['act'], body?: object): Tag<Route> {
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
  route('GET', '/', () => ({ routes: routes.map(({ method, path, does, body }) => ({ method, path, does, body })) }))`
    Lists the routes.`,
  route('GET', '/state', ({ world }) => viewOfWorld(world))`
    Shows endpoints with their gates and scripted answers, recurring profiles and counters.`,
  route('GET', '/counters', ({ world }) => world.counters)`
    Shows closed days, started payments with their total, requests and refusals.`,
  gateRoute('closing', putIntoClosing)`Sets the gate to closing: close-day answers error 99.`,
  gateRoute('lock', lock)`Locks the gate: close-day finishes, and isDayClosing is true.`,
  gateRoute('remove-lock', removeLock)`Opens a locked gate, like the lock removal tool.`,
  gateRoute('close-by-hand', closeByHand)`
    Closes the day by hand: opens the gate, and sets its totals to zero.`,
  route('POST', '/endpoints/<id>/next-answer', scriptAnswer, exampleAnswer)`
    Scripts the answer to the next batch that the mock would accept.`,
  profileRoute('stop', stopProfile)`Stops the recurring profile: a batch that names it is refused.`,
  profileRoute('finish-date', setFinishDate, { finishDate: '2027-01-31T00:00:00Z' })`
    Sets the date on which the recurring profile stops.`,
  route('POST', '/reset', ({ world, reset }) => {
    reset();
    return viewOfWorld(world);
  })`Restores the state at the start of the mock; serial numbers continue, so that no number is used twice.`,
];

function scriptAnswer({ world }: ControlTarget, [endpointId = '']: readonly string[], body: Uint8Array): object {
  const waiting = world.nextAnswers.get(endpointId)?.length ?? 0;
  if (waiting >= maxWaiting)
    throw badBody(`${maxWaiting} answers are waiting already`, 'send batches until the mock has sent these answers');
  setNextAnswer(world, endpointId, readNextAnswer(body));
  return { nextAnswers: world.nextAnswers.get(endpointId)! };
}

function gateRoute(action: string, change: (world: World, endpointId: string, gateId: string) => void): Tag<Route> {
  return route('POST', `/endpoints/<id>/gates/<gateId>/${action}`, ({ world }, [endpointId = '', gateId = '']) => {
    change(world, endpointId, gateId);
    return viewOfGate(world.endpoints.get(endpointId)!.gates.find((gate) => gate.gateId === gateId)!);
  });
}

function profileRoute(action: string, change: (world: World, id: string, body: Uint8Array) => void, body?: object) {
  const act: Route['act'] = ({ world }, [id = ''], sent) => {
    const profile = world.profiles.get(id);
    if (profile === undefined ? !world.unlistedProfilesExist : profile.state === 'unknown')
      throw new MockError('no-such-thing', `there is no recurring profile ${id}`, 'GET /state shows all profiles');
    change(world, id, sent);
    return viewOfProfile(world.profiles.get(id)!);
  };
  return route('POST', `/profiles/<id>/${action}`, act, body);
}

function setFinishDate(world: World, id: string, body: Uint8Array): void {
  const finishDate = Date.parse(String(membersOf(body, dateMembers, ['finishDate']).finishDate));
  if (Number.isNaN(finishDate)) throw badBody('finishDate is not valid', `use ${dateMembers.finishDate.validValues}`);
  world.profiles.set(id, { state: 'active', ...world.profiles.get(id), id, finishDate });
}

const host = '127.0.0.1';

/** Opens the control interface. A reset makes `world` what it is now. Throws MockError if it cannot listen. */
export async function openControl(world: World, port: number): Promise<Listener & { readonly url: string }> {
  // A reset keeps the counter of serial numbers, because no serial number may occur twice.
  const { serial: _, ...snapshot } = structuredClone(world);
  const reset = () => {
    Object.assign(world, structuredClone(snapshot));
  };
  const target: ControlTarget = { world, reset };
  const actions = routes.map(({ method, path, body, act }) => [
    `${method} ${path}`,
    (ids: readonly string[], sent: Uint8Array) => {
      if (method === 'POST' && body === undefined && sent.length > 0) membersOf(sent, {});
      return json(200, act(target, ids, sent));
    },
  ]);
  const site = { routes: Object.fromEntries(actions), refuse };
  const listener = await openListener({ host, port, maxHeaderBytes: 16 * 1024 }, (request, response) =>
    serveRoutes(site, request, response),
  );
  return { ...listener, url: `http://${host}:${listener.port}` };
}

function json(status: number, value: object): WebAnswer {
  const body = `${JSON.stringify(value, undefined, 2)}\n`;
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

function refuse(refusal: Refusal, method: string, path: string): WebAnswer {
  const answer = (status: number, error: string, hint: string, more: object = {}) =>
    json(status, { error, hint, ...more });
  const programHint = 'send the request from a program, to 127.0.0.1 or localhost';
  switch (refusal.reason) {
    case 'type':
      // Protects from pages of other sites: browsers do not let them send JSON without a preflight request.
      return answer(415, `${method} needs the Content-Type application/json`, 'send this header even without a body');
    case 'name':
    case 'site':
      return answer(403, 'the request comes from a page of another site', programHint);
    case 'unknown':
      return answer(404, `there is no ${method} ${path}`, 'GET / describes each route', {
        routes: routes.map((one) => `${one.method} ${one.path}`),
      });
    case 'method':
      return answer(405, `${path} does not allow ${method}`, `send ${refusal.methods}`);
    case 'failed': {
      const { cause } = refusal;
      if (!(cause instanceof MockError)) return answer(500, 'the mock itself failed', 'reset or restart the mock');
      return answer(cause.code === 'no-such-thing' ? 404 : 400, cause.message, cause.hint);
    }
  }
}
