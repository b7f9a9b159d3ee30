/** Takes secrets out of what is about to be kept or shown. Everything keeps its length, and what holds none stays the same object. */
import type { Exchange, Header, ReceivedResponse, SentRequest } from '../exchange/exchange.ts';
import { type FormFinder, formFinder } from './find-forms.ts';
import type { Form, Secret } from './secret.ts';

export interface Redactor {
  bytes(bytes: Uint8Array): Uint8Array;
  /** A text, or the bytes of a header line that HTTP libraries hand over as Latin-1. */
  text(text: string): string;
  exchange(exchange: Exchange): Exchange;
  /** Any value made of texts and bytes, such as a whole record. */
  anything<T>(value: T): T;
}

/** The exchange with stand-ins of the same length and class in place of the secrets, whatever they are encoded in. */
export function redactExchange(exchange: Exchange, secrets: readonly Secret[]): Exchange {
  return redactorFor(secrets).exchange(exchange);
}

/** Prepares the search once for many exchanges. */
export function redactorFor(secrets: readonly Secret[]): Redactor {
  const forms = secrets.flatMap((secret) => secret.forms);
  if (forms.length === 0) return nothingToRedact;
  const finder = formFinder(forms);
  const bytes = (given: Uint8Array): Uint8Array => replaced(replaced(given, finder), finder, withoutLineEnds);
  const inCharset = (given: string, charset: 'latin1' | 'utf8'): string => {
    const whole = Buffer.from(given, charset);
    const redacted = bytes(whole);
    return redacted === whole ? given : Buffer.from(redacted).toString(charset);
  };
  const text = (given: string): string => {
    const once = inCharset(given, 'utf8');
    return /[\x80-\xff]/.test(once) && !/[^\0-\xff]/.test(once) ? inCharset(once, 'latin1') : once;
  };
  return {
    bytes,
    text,
    exchange: (exchange) => redactedExchange(exchange, { bytes, text }),
    anything: <T>(value: T) => redactedValue(value, { bytes, text }) as T,
  };
}

/** Where the bytes stand that are searched; all of them unless told. */
type Places = (bytes: Uint8Array) => { readonly searched: Uint8Array; placeOf(at: number): number } | undefined;

const everyPlace: Places = (bytes) => ({ searched: bytes, placeOf: (at) => at });

/** Base64 is often broken into lines, and a secret may stand in two of them (RFC 2045 section 6.8, RFC 7468). */
const withoutLineEnds: Places = (bytes) => {
  if (!bytes.includes(0x0a)) return undefined;
  const places = Uint32Array.from(bytes.keys()).filter((at) => bytes[at] !== 0x0a && bytes[at] !== 0x0d);
  return { searched: Uint8Array.from(places, (at) => bytes[at]!), placeOf: (at) => places[at]! };
};

/** The same object where nothing was found. */
function replaced(given: Uint8Array, finder: FormFinder<Form>, places: Places = everyPlace): Uint8Array {
  const found = places(given);
  if (found === undefined) return given;
  let redacted: Buffer | undefined;
  for (let hit = finder.next(found.searched, 0); hit !== undefined; ) {
    redacted ??= Buffer.from(given);
    const { at, form } = hit;
    for (const [index, byte] of form.standIn.entries()) redacted[found.placeOf(at + index)] = byte;
    hit = finder.next(found.searched, at + form.bytes.length);
  }
  return redacted ?? given;
}

const nothingToRedact: Redactor = {
  bytes: (bytes) => bytes,
  text: (text) => text,
  exchange: (exchange) => exchange,
  anything: (value) => value,
};

function redactedValue(value: unknown, redactor: Pick<Redactor, 'bytes' | 'text'>): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (value instanceof Uint8Array) return redactor.bytes(value);
  if (Array.isArray(value)) return value.map((member) => redactedValue(member, redactor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactedValue(member, redactor)]));
}

function redactedExchange(exchange: Exchange, redactor: Pick<Redactor, 'bytes' | 'text'>): Exchange {
  const { request, response, failure } = exchange;
  return unlessSame(exchange, {
    request: requestWithout(request, redactor),
    ...(response === undefined ? {} : { response: responseWithout(response, redactor) }),
    ...(failure === undefined ? {} : { failure: unlessSame(failure, { message: redactor.text(failure.message) }) }),
  });
}

function requestWithout(request: SentRequest, { bytes, text }: Pick<Redactor, 'bytes' | 'text'>): SentRequest {
  return unlessSame(request, {
    method: text(request.method),
    host: text(request.host),
    target: text(request.target),
    headers: headersWithout(request.headers, text),
    body: bytes(request.body),
  });
}

function responseWithout(response: ReceivedResponse, { bytes, text }: Pick<Redactor, 'bytes' | 'text'>) {
  return unlessSame(response, {
    reason: text(response.reason),
    headers: headersWithout(response.headers, text),
    body: bytes(response.body),
  });
}

function headersWithout(headers: readonly Header[], text: Redactor['text']): readonly Header[] {
  const redacted = headers.map(([name, value]): Header => [text(name), text(value)]);
  const same = redacted.every(([name, value], index) => name === headers[index]![0] && value === headers[index]![1]);
  return same ? headers : redacted;
}

function unlessSame<T extends object>(whole: T, parts: Partial<T>): T {
  const names = Object.keys(parts) as (keyof T)[];
  return names.every((name) => parts[name] === whole[name]) ? whole : { ...whole, ...parts };
}
