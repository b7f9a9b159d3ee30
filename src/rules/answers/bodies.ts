/** Reads answers leniently: media types (RFC 9110 section 8.3), web pages, and bodies (sections 2.2 and 2.4). */
import { isJsonObject, type JsonObject, type JsonValue, readJson } from '../../protocol/json.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { type Exchange, trimBlanks } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { numberKey } from '../numbers.ts';

interface CloseDayBody {
  /** The object with `response` and `theRequestSerialNumber`. Undefined if the body is not a JSON object. */
  readonly root: JsonObject | undefined;
  readonly wrapped: boolean;
  /** What is wrong with the body. Always set if `root` is undefined. */
  readonly problem?: string;
  /** Set only if the body is nested too deeply for the suite. Then it has the text of `problem`. */
  readonly tooDeep?: string;
}

/** The close-day body; undefined if none was received. A run keeps equal bodies in one object: each is read once. */
export function closeDayBody(exchange: Exchange): CloseDayBody | undefined {
  const { response } = exchange;
  return response === undefined || response.body.length === 0 ? undefined : readCloseDay(response.body);
}

export function responseObject(exchange: Exchange): JsonObject | undefined {
  const member = closeDayBody(exchange)?.root?.response;
  return isJsonObject(member) ? member : undefined;
}

export function statusOf(exchange: Exchange): string | undefined {
  const status = responseObject(exchange)?.status;
  return typeof status === 'string' ? status : undefined;
}

export function serialOf(exchange: Exchange): JsonValue | undefined {
  return closeDayBody(exchange)?.root?.theRequestSerialNumber;
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

/** The text of a JSON value. Numbers are written exactly as they were sent. */
export function formatValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `an array of ${pluralize(value.length, 'element')}`;
  return isJsonObject(value) ? `an object with ${Object.keys(value).join(', ') || 'no members'}` : value.text;
}

/** A key that is the same for all notations of a number, even in a JSON string: 7101, 7101.0 and "71010e-1". */
export function idKey(value: JsonValue): string {
  const text = formatValue(value);
  const isJsonNumber = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text);
  return (isJsonNumber && numberKey(text)) || text;
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

const readCloseDay = memoize((bytes: Uint8Array): CloseDayBody => {
  let value: JsonValue;
  try {
    value = readJson(bytes);
  } catch (cause) {
    const problem = webPage(bytes) ?? (cause instanceof Error ? cause.message : String(cause));
    const isTooDeep = cause instanceof ProtocolError && cause.code === 'too-deep';
    return { root: undefined, wrapped: false, problem, ...(isTooDeep ? { tooDeep: problem } : {}) };
  }
  if (!isJsonObject(value)) return { root: undefined, wrapped: false, problem: `a body of type ${typeOf(value)}` };
  if (isWholeAnswer(value)) return { root: value, wrapped: false };
  // The answer may be wrapped in an object. The wrapping member may have any name, even `response`.
  const members = Object.values(value);
  const [whole, ...others] = members.filter(isWholeAnswer);
  if (isJsonObject(whole) && others.length === 0) return { root: whole, wrapped: true };
  if (isAnswer(value)) return { root: value, wrapped: false };
  // The wrapping object may have further members, because unknown members are always allowed.
  const [inner, ...more] = members.filter(isAnswer);
  if (isJsonObject(inner)) return more.length === 0 ? { root: inner, wrapped: true } : { root: value, wrapped: false };
  const isDeeper = containsAnswer(value);
  const problem = isDeeper ? { problem: 'documented members that are nested more than one object deep' } : {};
  return { root: value, wrapped: false, ...problem };
});

function isWholeAnswer(value: JsonValue): boolean {
  return isJsonObject(value) && value.response !== undefined && value.theRequestSerialNumber !== undefined;
}

function isAnswer(value: JsonValue): boolean {
  return isJsonObject(value) && (value.response !== undefined || value.theRequestSerialNumber !== undefined);
}

// The JSON reader limits the depth to about 100, so this recursion is safe.
function containsAnswer(value: JsonValue): boolean {
  return membersOf(value).some((one) => isAnswer(one) || containsAnswer(one));
}

function membersOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

export interface Parameter {
  readonly name: string;
  /** The decoded value, without a 0x0A at its end. */
  readonly value: string;
  readonly endsWithLineFeed: boolean;
  readonly isLast?: true;
}

export type RecurringBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'parameters'; readonly parameters: readonly Parameter[]; readonly malformed?: string }
  | { readonly kind: 'other'; readonly problem: string };

export const namedParameters: readonly string[] = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Reads the body of a response. Its kind is `parameters` if it has at least one parameter that section 2.4 names. */
export function recurringBody(exchange: Exchange): RecurringBody | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  return response.body.length === 0 ? { kind: 'empty' } : readRecurring(response.body);
}

const readRecurring = memoize((bytes: Uint8Array): RecurringBody => {
  // Latin-1 has one character for each byte, so `formProblem` can find bytes outside ASCII.
  const parts = Buffer.from(bytes).toString('latin1').split('&');
  const parameters = parts.map((part, at) => readParameter(part, at === parts.length - 1));
  if (!parameters.some(({ name }) => namedParameters.includes(name))) {
    const problem = webPage(bytes) ?? `${pluralize(bytes.length, 'byte')} without any parameter of 2.4`;
    return { kind: 'other', problem };
  }
  const malformed = parts.map(formProblem).find((problem) => problem !== undefined);
  return { kind: 'parameters', parameters, ...(malformed !== undefined && { malformed }) };
});

/** The value of a parameter. Undefined if the parameter is absent or repeated, or if the body has no parameters. */
export function parameterOf(exchange: Exchange, name: string): string | undefined {
  const values = parameterValues(exchange, name);
  return values.length === 1 ? values[0] : undefined;
}

export function parameterValues(exchange: Exchange, name: string): string[] {
  const body = recurringBody(exchange);
  if (body?.kind !== 'parameters') return [];
  return body.parameters.filter((parameter) => parameter.name === name).map(({ value }) => value);
}

/** The type of an accepted batch (section 2.4). */
export const acceptedType = 'process-recurring-payment-response';

export function isAcceptedType(exchange: Exchange): boolean {
  return parameterOf(exchange, 'type') === acceptedType;
}

/** True if the body is empty or has the type of an acceptance. Ignores the status. */
export function looksAccepted(exchange: Exchange): boolean {
  return recurringBody(exchange)?.kind === 'empty' || isAcceptedType(exchange);
}

/** True if the answer has one of the two types of a failure (section 2.4). */
export function isErrorType(exchange: Exchange): boolean {
  const type = parameterOf(exchange, 'type');
  return type === 'validation-error' || type === 'error';
}

export function lacksLineFeed({ endsWithLineFeed, isLast }: Parameter): boolean {
  return !endsWithLineFeed && isLast === undefined;
}

/** Separates the value from the line feed at its end, which may be a raw byte or %0A (open point A18). */
function readParameter(part: string, isLast: boolean): Parameter {
  const at = part.indexOf('=');
  const name = decode(at === -1 ? part : part.slice(0, at));
  const value = at === -1 ? '' : decode(part.slice(at + 1));
  const endsWithLineFeed = value.endsWith('\n');
  return {
    name,
    value: endsWithLineFeed ? value.slice(0, -1) : value,
    endsWithLineFeed,
    ...(isLast ? { isLast } : {}),
  };
}

/** Keeps invalid escapes as received, so that one invalid escape does not make the whole body unreadable. */
function decode(text: string): string {
  const bytes = text
    .replace(/\+/g, ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Why `name=value` is not form-urlencoded. Allows a raw line feed at the end, which section 2.4 requires. */
function formProblem(part: string): string | undefined {
  const text = part.replace(/\n$/, '');
  if (text.startsWith('\u00ef\u00bb\u00bf')) return 'a byte-order mark';
  if (!/^[^=]+=/.test(text))
    return text === '' ? 'an empty parameter' : 'a parameter that does not start with a name and an equals sign';
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return 'a percent sign without two hexadecimal digits';
  const raw = /[^!$'()*+,./:;=?@\w~%-]/.exec(text)?.[0];
  if (raw !== undefined) return `the byte 0x${raw.charCodeAt(0).toString(16).padStart(2, '0')} unencoded`;
  try {
    decodeURIComponent(text);
    return undefined;
  } catch {
    return 'escapes that are not UTF-8';
  }
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t\\x20-\\x7e])*"';
// Only one part of this pattern may match blanks before a semicolon: with two parts, backtracking is exponential.
const grammar = new RegExp(`^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*$`);
const parameter = new RegExp(`;[ \\t]*(${token})=(${token}|${quoted})`, 'g');

/** True for `text/html;charset=utf-8` in any notation. False for an invalid value or a repeated charset. */
export function isHtmlUtf8(value: string): boolean {
  const text = trimBlanks(value);
  if (!grammar.test(text) || trimBlanks(text.split(';', 1)[0]!).toLowerCase() !== 'text/html') return false;
  const charsets = [...text.matchAll(parameter)].filter(([, name]) => name!.toLowerCase() === 'charset');
  const charset = charsets[0]?.[2]?.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').toLowerCase();
  return charsets.length === 1 && charset === 'utf-8';
}

/** Describes a web page with its title. Undefined if the body is no web page. */
export function webPage(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.subarray(0, 4096))
    .toString('utf8')
    .replace(/<!--.*?-->/gs, '');
  if (!/^\ufeff?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|title)\b/i.test(text)) return undefined;
  const title = (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '').replace(/\s+/g, ' ').replaceAll('"', "'").trim();
  const shortTitle = title.length > 80 ? `${title.slice(0, 80)}…` : title;
  return shortTitle === '' ? 'a web page' : `a web page "${shortTitle}"`;
}
