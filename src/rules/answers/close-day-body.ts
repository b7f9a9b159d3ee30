/** Reads the close-day body (section 2.2) leniently, so that each judge reports only its own member. */
import { isJsonObject, type JsonObject, type JsonValue, readJson } from '../../protocol/json.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { webPage } from './media-type.ts';

interface CloseDayBody {
  /** The object with `response` and `theRequestSerialNumber`. Undefined if the body is not a JSON object. */
  readonly root: JsonObject | undefined;
  readonly wrapped: boolean;
  /** Why the body is not in the documented form, or why it is unreadable if `root` is undefined. */
  readonly problem?: string;
  /** Set to the problem only if the body is nested too deeply for the suite. */
  readonly unread?: string;
}

/** The close-day body, or undefined if no body was received. */
export function closeDayBody(exchange: Exchange): CloseDayBody | undefined {
  const { response } = exchange;
  return response === undefined || response.body.length === 0 ? undefined : readOnce(response.body);
}

export function responseObject(exchange: Exchange): JsonObject | undefined {
  const member = closeDayBody(exchange)?.root?.response;
  return isJsonObject(member) ? member : undefined;
}

export function statusOf(exchange: Exchange): string | undefined {
  const status = responseObject(exchange)?.status;
  return typeof status === 'string' ? status : undefined;
}

/** `response.errorCode` as text, even if it was sent as a number. */
export function errorCodeOf(exchange: Exchange): string | undefined {
  const code = responseObject(exchange)?.errorCode;
  return code === undefined ? undefined : formatValue(code);
}

export function errorMessageOf(exchange: Exchange): string | undefined {
  const message = responseObject(exchange)?.errorMessage;
  return typeof message === 'string' ? message : undefined;
}

export function gatesOf(exchange: Exchange): readonly JsonValue[] | undefined {
  const gates = responseObject(exchange)?.gates;
  return Array.isArray(gates) ? gates : undefined;
}

/** The text of a JSON value. Numbers keep their digits. */
export function formatValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `an array of ${pluralize(value.length, 'element')}`;
  return isJsonObject(value) ? `an object with ${Object.keys(value).join(', ') || 'no members'}` : value.text;
}

/** Gives all notations of a number the same key, also as text: 7101, 7101.0 and 71010e-1 name the same gate. */
export function idOf(value: JsonValue): string {
  const written = formatValue(value);
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(written) ?? [];
  if (sign === undefined || !Number.isSafeInteger(Number(exponent))) return written;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** The value with its type: `long 7101`, `an array of 1 element`. */
export function describeValue(value: JsonValue): string {
  const isPlain = ['string', 'long', 'decimal', 'boolean'].includes(typeOf(value));
  return isPlain ? `${typeOf(value)} ${formatValue(value)}` : formatValue(value);
}

/** The JSON type in the words of the interface document. */
export function typeOf(value: JsonValue): 'string' | 'long' | 'decimal' | 'boolean' | 'null' | 'array' | 'object' {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return /^-?\d+$/.test(value.text) ? 'long' : 'decimal';
}

/** Memoized by the object that holds the bytes, because a run stores equal bodies in one object. */
const readOnce = memoize((bytes: Uint8Array): CloseDayBody => {
  let value: JsonValue;
  try {
    value = readJson(bytes);
  } catch (cause) {
    const problem = webPage(bytes) ?? (cause instanceof Error ? cause.message : String(cause));
    const isTooDeep = cause instanceof ProtocolError && cause.code === 'too-deep';
    return { root: undefined, wrapped: false, problem, ...(isTooDeep ? { unread: problem } : {}) };
  }
  if (!isJsonObject(value)) return { root: undefined, wrapped: false, problem: `a body of type ${typeOf(value)}` };
  if (isWholeAnswer(value)) return { root: value, wrapped: false };
  // The body may be wrapped in a member of any name, even of a documented name such as `response`.
  const members = Object.values(value);
  const [whole, ...others] = members.filter(isWholeAnswer);
  if (isJsonObject(whole) && others.length === 0) return { root: whole, wrapped: true };
  if (isAnswer(value)) return { root: value, wrapped: false };
  // The wrapping object may have further members, because unknown members are always allowed.
  const [inner, ...more] = members.filter(isAnswer);
  if (isJsonObject(inner)) return more.length === 0 ? { root: inner, wrapped: true } : { root: value, wrapped: false };
  const isDeeper = holdsAnswer(value);
  const problem = isDeeper ? { problem: 'documented members that are nested more than one object deep' } : {};
  return { root: value, wrapped: false, ...problem };
});

function isWholeAnswer(value: JsonValue): boolean {
  return isJsonObject(value) && value.response !== undefined && value.theRequestSerialNumber !== undefined;
}

function isAnswer(value: JsonValue): boolean {
  return isJsonObject(value) && (value.response !== undefined || value.theRequestSerialNumber !== undefined);
}

/** True if the value contains an answer at any depth. Recursion is safe: the JSON reader limits the depth to about 100. */
function holdsAnswer(value: JsonValue): boolean {
  return membersOf(value).some((one) => isAnswer(one) || holdsAnswer(one));
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}
