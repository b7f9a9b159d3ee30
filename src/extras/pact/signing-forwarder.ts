/** A proxy between Pact verifier and gateway. Signs requests. Converts permitted answers to the form in the pact. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decodeCloseDayResponse } from '../../protocol/close-day.ts';
import { decodeForm } from '../../protocol/form.ts';
import { isJsonObject, JsonNumber, type JsonValue } from '../../protocol/json.ts';
import { signRequest } from '../../protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../protocol/oauth/signature.ts';
import {
  type Exchange,
  type Header,
  headerValues,
  type ReceivedResponse,
  type SentRequest,
} from '../../record/exchange.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import {
  closeDayBody,
  isHtmlUtf8,
  lacksLineFeed,
  parameterOf,
  recurringBody,
  statusOf,
} from '../../rules/answers/bodies.ts';
import type { Stamp } from '../../run/gateway/build-request.ts';
import type { mockTarget, Target } from '../../run/target/target.ts';
import { openTransport, type Transport } from '../../run/transport/transport.ts';

export interface SigningForwarder {
  readonly url: string;
  readonly statesUrl: string;
  /** Provider states whose requests were not sent, with the reasons. */
  readonly notSent: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** How requests are sent to the target. `sendGuarded` sends only what the allowance of a live run permits. */
export interface Sender {
  readonly transport: Transport;
  sendGuarded?(
    request: SentRequest,
    purpose: { readonly what: string; readonly negative?: boolean; readonly atClosingGate?: boolean },
    send: (request: SentRequest) => Promise<Exchange>,
  ): Promise<Exchange | Unsent>;
}

const statesPath = '/provider-states';
const defaultState: ProviderState = 'gate open';

/** Starts the proxy. It opens a new target for each provider state, so that interactions do not affect each other. */
export async function openSigningForwarder(
  openTarget: () => ReturnType<typeof mockTarget>,
  newStamp: () => Stamp,
  sender: Sender = { transport: openTransport() },
): Promise<SigningForwarder> {
  const { transport } = sender;
  const notSent = new Map<string, string>();
  let opened = await openTarget();
  let state: ProviderState = defaultState;
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    if (request.url === statesPath) return enterState(JSON.parse(body.toString('utf8')), response);
    const context = { target: opened.target, sender, state, newStamp };
    const answer = await forward(request, body, context).catch((cause: unknown) => {
      if (cause instanceof Error && cause.cause === notSentMark) notSent.set(state, cause.message);
      return undefined;
    });
    // If the gateway did not answer, close the connection. Then the verifier reports an error instead of a mismatch.
    if (answer === undefined) {
      response.destroy();
      return;
    }
    response.sendDate = false;
    response.writeHead(answer.status, answer.reason, withoutHeaders(hopByHop, answer.headers).flat());
    response.end(answer.body);
  }
  async function enterState(change: { state?: unknown; action?: unknown }, response: ServerResponse): Promise<void> {
    // If an interaction has no provider state, the verifier sends an empty text.
    const stateName = change.state === '' ? defaultState : change.state;
    const isKnown = isProviderState(stateName);
    state = defaultState;
    if (isKnown && change.action === 'setup') {
      const previous = opened;
      opened = await openTarget();
      await previous.close();
      state = stateName;
    }
    if (!isKnown) notSent.set(String(change.state), unknownState(String(change.state)));
    response.writeHead(isKnown ? 200 : 400, { 'Content-Length': '0' }).end();
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    statesUrl: url + statesPath,
    notSent,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await transport.close();
      await closed;
      await opened.close();
    },
  };
}

/** The `cause` of an error if the request was not sent. Then the interaction has no verdict. */
const notSentMark = Symbol('not sent');

function notSentError(reason: string): Error {
  return new Error(reason, { cause: notSentMark });
}

interface ForwardContext {
  readonly target: Target;
  readonly sender: Sender;
  readonly state: ProviderState;
  readonly newStamp: () => Stamp;
}

async function forward(request: IncomingMessage, body: Buffer, context: ForwardContext) {
  const { target, state } = context;
  const id = /[^/]*$/.exec(request.url ?? '')![0];
  const situation = situations[id];
  const endpoint = situation === undefined ? id : target.endpoints[situation];
  if (endpoint === undefined) throw notSentError(`the configuration has no endpoint for "${state}"`);
  const path = target.prefix + request.url!.replace(/[^/]*$/, endpoint);
  if (situation !== undefined) await target.arrange?.(situation);
  const { answer: scripted } = needsOf(state);
  if (scripted !== undefined) {
    if (target.setNextAnswer === undefined)
      throw notSentError('to make the gateway give this answer, the configuration needs "control-url"');
    await target.setNextAnswer(endpoint, scripted);
  }
  const exchange = await sendSigned(request, path, body, context);
  if (!isAnswered(exchange)) return undefined;
  if (!path.includes('/close-day/')) return toPactRecurring(exchange, state);
  const answer = toPactCloseDay(exchange, state);
  if (state !== 'gate stays locked' || !isError(answer)) return answer;
  const openPath = path.replace(/[^/]*$/, target.endpoints.open ?? '');
  const openExchange = await sendSigned(request, openPath, body, context);
  const isFinished = isAnswered(openExchange) && statusOf(openExchange) === 'finished';
  return isFinished ? toPactLock(toPactCloseDay(openExchange, state)) : answer;
}

const situations: Readonly<Record<string, keyof Target['endpoints']>> = {
  1111: 'open',
  1112: 'closing',
  1113: 'locked',
  1114: 'several-gates',
};

async function sendSigned(
  request: IncomingMessage,
  path: string,
  body: Buffer,
  { target, sender, state, newStamp }: ForwardContext,
): Promise<Exchange> {
  const { keys, refusal } = needsOf(state);
  const sendAllowed = async (sent: SentRequest) => {
    const send = (one: SentRequest) => sender.transport.send(one);
    if (sender.sendGuarded === undefined) return send(sent);
    const purpose = {
      what: `contract: ${state}`,
      atClosingGate: state === 'gate closing',
      negative: refusal !== undefined,
    };
    const result = await sender.sendGuarded(sent, purpose, send);
    if (isUnsent(result)) throw notSentError(result.reason);
    return result;
  };
  const place = { method: request.method ?? '', scheme: target.scheme, host: target.host, target: path };
  const { consumerKey } = target.credentials;
  const raw = request.rawHeaders;
  const received = raw.flatMap((name, at): Header[] => (at % 2 === 0 ? [[name, raw[at + 1]!]] : []));
  const headers = withoutHeaders(replacedHeaders, received);
  if (keys === 'none') return sendAllowed({ ...place, headers, body });
  const unsigned = { ...place, body: decodeForm(body) };
  const { authorization } = signRequest(unsigned, { consumerKey, key: signingKey(path, keys, target) }, newStamp());
  return sendAllowed({ ...place, headers: [['Authorization', authorization], ...headers], body });
}

function isAnswered(exchange: Exchange): exchange is AnsweredExchange {
  return exchange.response !== undefined;
}

function isError(response: ReceivedResponse): boolean {
  try {
    return decodeCloseDayResponse(response).kind === 'error';
  } catch {
    return false;
  }
}

function withoutHeaders(names: readonly string[], headers: readonly Header[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

const hopByHop = ['connection', 'keep-alive'];
const replacedHeaders = [...hopByHop, 'authorization', 'host', 'content-length'];

function signingKey(path: string, keys: 'valid' | 'unknown', target: Target): SigningKey {
  const wrongKeys = { consumerSecret: target.otherSecret, privateKey: target.otherPrivateKey };
  const { consumerSecret, privateKey } = keys === 'valid' ? target.credentials : wrongKeys;
  return path.includes('/close-day/') ? { method: 'HMAC-SHA1', consumerSecret } : { method: 'RSA-SHA256', privateKey };
}

/** Returns the reason why an interaction with an unknown provider state has no verdict. */
export function unknownState(state: string): string {
  return `there is no provider state ${JSON.stringify(state)}`;
}

type ScriptedAnswer = Parameters<NonNullable<Target['setNextAnswer']>>[1];

interface StateNeeds {
  readonly keys: 'valid' | 'unknown' | 'none';
  readonly refusal?: 'authentication' | 'batch' | 'id';
  readonly answer?: ScriptedAnswer;
}

const validKeys: StateNeeds = { keys: 'valid' };

function withAnswer(type: ScriptedAnswer['type'], code?: ScriptedAnswer['code']): StateNeeds {
  return { keys: 'valid', answer: { kind: 'parameters', type, httpStatus: 200, code } };
}

export const providerStates = {
  'gate open': validKeys,
  // "These totals" are the right ones. The document does not define the answer to wrong totals (A28).
  'gate open with these totals': validKeys,
  'gate closing': validKeys,
  'gate stays locked': validKeys,
  'several gates': validKeys,
  'profile exists': validKeys,
  'bad signature': { keys: 'unknown', refusal: 'authentication' },
  'no signature': { keys: 'none', refusal: 'authentication' },
  'id too short': { keys: 'valid', refusal: 'id' },
  'no id': { keys: 'valid', refusal: 'id' },
  'batch without a column': { keys: 'valid', refusal: 'batch' },
  'payload not base64': { keys: 'valid', refusal: 'batch' },
  'answers with a response': withAnswer('process-recurring-payment-response'),
  'answers with validation-error 200': withAnswer('validation-error', '200'),
  'answers with validation-error 403': withAnswer('validation-error', '403'),
  'answers with validation-error 500': withAnswer('validation-error', '500'),
  'answers with error 200': withAnswer('error', '200'),
  'answers with error 403': withAnswer('error', '403'),
  'answers with error 500': withAnswer('error', '500'),
} as const satisfies Readonly<Record<string, StateNeeds>>;

type ProviderState = keyof typeof providerStates;

export function isProviderState(name: unknown): name is ProviderState {
  return typeof name === 'string' && Object.hasOwn(providerStates, name);
}

function needsOf(state: ProviderState): StateNeeds {
  return providerStates[state];
}

type AnsweredExchange = Exchange & { readonly response: ReceivedResponse };

function toPactCloseDay(exchange: AnsweredExchange, state: ProviderState): ReceivedResponse {
  const { response } = exchange;
  const { refusal } = needsOf(state);
  // If authentication fails, 401 and 403 are permitted too, with any body (A35).
  if (refusal === 'authentication' && (response.status === 401 || response.status === 403)) return failure;
  // The length limits of ids bind only clients (section 2.1), so a gateway may accept a short id.
  if (state === 'id too short' && statusOf(exchange) === 'finished') return failure;
  const body = closeDayBody(exchange);
  return body?.wrapped ? withBody(response, printJson(body.root!)) : response;
}

/** The pact expects success, but a locked gate may send an error (A28). Then this edits the answer of an open gate. */
function toPactLock(openAnswer: ReceivedResponse): ReceivedResponse {
  const text = Buffer.from(openAnswer.body).toString('utf8');
  return withBody(openAnswer, text.replace(/("isDayClosing"\s*:\s*)false/g, '$1true'));
}

function toPactRecurring(exchange: AnsweredExchange, state: ProviderState): ReceivedResponse {
  const { response } = exchange;
  const type = parameterOf(exchange, 'type');
  const { refusal, answer } = needsOf(state);
  if (answer !== undefined) return toPactParameters(exchange, answer);
  if (refusal === undefined) {
    const isAccepted = type === 'process-recurring-payment-response' && hasAll(exchange, ['status', 'serial-number']);
    return isAccepted ? emptyAnswer(response.status) : response;
  }
  const isErrorType = type === 'validation-error' || type === 'error';
  const hasError = isErrorType && hasAll(exchange, ['error-message', 'error-code']);
  // A 403 may have an empty body instead of the error parameters.
  const isEmpty403 = response.status === 403 && response.body.length === 0;
  return hasError || isEmpty403 || response.status === 401 ? emptyAnswer(403) : response;
}

/** Rewrites a correct answer, because the pact has one order (2.4), raw line feeds (A18) and status 200 (A17). */
function toPactParameters(exchange: AnsweredExchange, { type, code }: ScriptedAnswer): ReceivedResponse {
  const isResponse = type === 'process-recurring-payment-response';
  const names = isResponse ? ['status', 'serial-number'] : ['error-message', 'error-code'];
  const has = (name: string, value: string | undefined) => value === undefined || parameterOf(exchange, name) === value;
  if (!hasAll(exchange, names) || !has('type', type) || !has('error-code', code)) return exchange.response;
  const body = ['type', ...names]
    .map((name) => `${name}=${encodeURIComponent(parameterOf(exchange, name)!)}\n`)
    .join('&');
  return { ...withBody(exchange.response, body), status: 200, reason: 'OK' };
}

/** The failure answer that the Pact files expect (section 4.1). */
const failure: ReceivedResponse = {
  status: 200,
  reason: 'OK',
  headers: [['Content-Type', 'text/html;charset=utf-8']],
  body: Buffer.from(
    JSON.stringify({
      response: { status: 'error', errorCode: '403', errorMessage: 'the request was refused' },
      theRequestSerialNumber: '00000000-0000-0000-0000-000000000000',
    }),
  ),
};

function emptyAnswer(status: number): ReceivedResponse {
  return { status, reason: '', headers: [['Content-Length', '0']], body: new Uint8Array() };
}

function hasAll(exchange: AnsweredExchange, names: readonly string[]): boolean {
  const body = recurringBody(exchange);
  const types = headerValues(exchange.response.headers, 'content-type');
  return (
    body?.kind === 'parameters' &&
    !body.parameters.some(lacksLineFeed) &&
    names.every((name) => parameterOf(exchange, name) !== undefined) &&
    types.length === 1 &&
    isHtmlUtf8(types[0]!)
  );
}

function printJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(printJson).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${printJson(member)}`)}}`;
}

function withBody(response: ReceivedResponse, text: string): ReceivedResponse {
  const headers = withoutHeaders(['content-length', 'transfer-encoding'], response.headers);
  return { ...response, headers, body: Buffer.from(text, 'utf8') };
}
