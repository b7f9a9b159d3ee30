/** The provider states of the Pact files: how to sign the request in each state, and which answers fit. */
import { isJsonObject, JsonNumber, type JsonValue } from '../../protocol/json.ts';
import { type Exchange, headerValues, type ReceivedResponse } from '../../record/exchange.ts';
import { closeDayBody, statusOf } from '../../rules/answers/close-day-body.ts';
import { isHtmlUtf8 } from '../../rules/answers/media-type.ts';
import { lacksLineFeed, parameterOf, recurringBody } from '../../rules/answers/recurring-body.ts';
import type { Target } from '../../run/target/target.ts';

type ScriptedAnswer = Parameters<NonNullable<Target['setNextAnswer']>>[1];

interface StateNeeds {
  /** `none`: the request is sent without a signature. */
  readonly keys: 'right' | 'wrong' | 'none';
  /** Why a gateway refuses the request. For `id`, a gateway may also accept: the bounds of ids apply to clients. */
  readonly refused?: 'authentication' | 'batch' | 'id';
  readonly answer?: ScriptedAnswer;
}

const right: StateNeeds = { keys: 'right' };

function answered(type: ScriptedAnswer['type'], code?: ScriptedAnswer['code']): StateNeeds {
  return { keys: 'right', answer: { kind: 'parameters', type, httpStatus: 200, code } };
}

export const providerStates = {
  'gate open': right,
  // The totals must match, because the document does not define the answer to other totals (A28).
  'gate open with these totals': right,
  'gate closing': right,
  'gate stays locked': right,
  'several gates': right,
  'profile exists': right,
  'bad signature': { keys: 'wrong', refused: 'authentication' },
  'no signature': { keys: 'none', refused: 'authentication' },
  'id too short': { keys: 'right', refused: 'id' },
  'no id': { keys: 'right', refused: 'id' },
  'batch without a column': { keys: 'right', refused: 'batch' },
  'payload not base64': { keys: 'right', refused: 'batch' },
  'answers with a response': answered('process-recurring-payment-response'),
  'answers with validation-error 200': answered('validation-error', '200'),
  'answers with validation-error 403': answered('validation-error', '403'),
  'answers with validation-error 500': answered('validation-error', '500'),
  'answers with error 200': answered('error', '200'),
  'answers with error 403': answered('error', '403'),
  'answers with error 500': answered('error', '500'),
} as const satisfies Readonly<Record<string, StateNeeds>>;

export type ProviderState = keyof typeof providerStates;

export function isProviderState(name: unknown): name is ProviderState {
  return typeof name === 'string' && Object.hasOwn(providerStates, name);
}

export function needsOf(state: ProviderState): StateNeeds {
  return providerStates[state];
}

export type Answered = Exchange & { readonly response: ReceivedResponse };

/** Converts a permitted close-day answer to the form of the Pact files. Any other answer stays unchanged. */
export function statedCloseDay(exchange: Answered, state: ProviderState): ReceivedResponse {
  const { response } = exchange;
  const { refused } = needsOf(state);
  // With status 401 or 403, the document does not define the form of a failed authentication (A35).
  if (refused === 'authentication' && (response.status === 401 || response.status === 403)) return failure;
  // A gateway may accept a short id, because the bounds of ids apply to clients (section 2.1).
  if (state === 'id too short' && statusOf(exchange) === 'finished') return failure;
  const body = closeDayBody(exchange);
  return body?.wrapped ? withBody(response, printed(body.root!)) : response;
}

/** Sets the lock flag in the answer for a gate without a lock, so that it fits the pact for a locked gate (A28). */
export function statedLock(ofFreeGate: ReceivedResponse): ReceivedResponse {
  const text = Buffer.from(ofFreeGate.body).toString('utf8');
  return withBody(ofFreeGate, text.replace(/("isDayClosing"\s*:\s*)false/g, '$1true'));
}

/** Converts a permitted batch answer to the form of the Pact files. Any other answer stays unchanged. */
export function statedRecurring(exchange: Answered, state: ProviderState): ReceivedResponse {
  const { response } = exchange;
  const type = parameterOf(exchange, 'type');
  const { refused, answer } = needsOf(state);
  if (answer !== undefined) return statedParameters(exchange, answer);
  if (refused === undefined) {
    const accepted = type === 'process-recurring-payment-response' && holds(exchange, ['status', 'serial-number']);
    return accepted ? empty(response.status) : response;
  }
  const errorType = type === 'validation-error' || type === 'error';
  const hasError = errorType && holds(exchange, ['error-message', 'error-code']);
  // Accept a 403 without a body: the document specifies an empty body only for success.
  const bare = response.status === 403 && response.body.length === 0;
  return hasError || bare || response.status === 401 ? empty(403) : response;
}

/** Converts a body of section 2.4 with any status (A17), any line feeds (A18) and any order of parameters. */
function statedParameters(exchange: Answered, { type, code }: ScriptedAnswer): ReceivedResponse {
  const isResponse = type === 'process-recurring-payment-response';
  const names = isResponse ? ['status', 'serial-number'] : ['error-message', 'error-code'];
  const is = (name: string, value: string | undefined) => value === undefined || parameterOf(exchange, name) === value;
  if (!holds(exchange, names) || !is('type', type) || !is('error-code', code)) return exchange.response;
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

function empty(status: number): ReceivedResponse {
  return { status, reason: '', headers: [['Content-Length', '0']], body: new Uint8Array() };
}

function holds(exchange: Answered, names: readonly string[]): boolean {
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

/** Prints JSON. Long numbers keep all their digits. */
function printed(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(printed).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${printed(member)}`)}}`;
}

function withBody(response: ReceivedResponse, text: string): ReceivedResponse {
  const framing = ['content-length', 'transfer-encoding'];
  const headers = response.headers.filter(([name]) => !framing.includes(name.toLowerCase()));
  return { ...response, headers, body: Buffer.from(text, 'utf8') };
}
