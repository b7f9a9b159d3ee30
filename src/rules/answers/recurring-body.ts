/** Lenient reading of the answer to a batch: empty, the parameters of section 2.4, or something else. */
import type { Exchange } from '../../record/exchange.ts';
import { memoize } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';
import { webPage } from './media-type.ts';

export interface Parameter {
  readonly name: string;
  /** The decoded value, without a 0x0A at its end. */
  readonly value: string;
  readonly endsWithLineFeed: boolean;
  readonly isLast?: true;
}

export type BatchAnswer =
  | { readonly kind: 'empty' }
  | { readonly kind: 'parameters'; readonly parameters: readonly Parameter[]; readonly malformed?: string }
  | { readonly kind: 'other'; readonly problem: string };

export const namedParameters: readonly string[] = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** The body of an answer, if there is one. A body with at least one name of section 2.4 counts as `parameters`. */
export function recurringBody(exchange: Exchange): BatchAnswer | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  return response.body.length === 0 ? { kind: 'empty' } : readOnce(response.body);
}

/** Memoized by the object that holds the bytes, because a run stores equal bodies in one object. */
const readOnce = memoize((bytes: Uint8Array): BatchAnswer => {
  // Latin-1 has one character for each byte, so bytes beyond ASCII stay detectable.
  const parts = Buffer.from(bytes).toString('latin1').split('&');
  const parameters = parts.map((part, at) => readParameter(part, at === parts.length - 1));
  if (!parameters.some(({ name }) => namedParameters.includes(name))) {
    const problem = webPage(bytes) ?? `${pluralize(bytes.length, 'byte')} without any parameter of 2.4`;
    return { kind: 'other', problem };
  }
  const malformed = parts.map(problemOf).find((problem) => problem !== undefined);
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
function problemOf(part: string): string | undefined {
  const text = part.replace(/\n$/, '');
  if (text.startsWith('\u00ef\u00bb\u00bf')) return 'a byte-order mark';
  if (!/^[^=]+=/.test(text))
    return text === '' ? 'an empty parameter' : 'a parameter without a name and an equals sign';
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
