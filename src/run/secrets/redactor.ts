/**
 * Takes secrets out of what is about to be kept or shown. Everything keeps its length, and what holds none stays the
 * same object.
 */
import type { Exchange, Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { type FormFinder, formFinder } from './scan.ts';
import type { Secret } from './secret.ts';

export interface Redactor {
  bytes(bytes: Uint8Array): Uint8Array;
  /** A text, or the bytes of a header line that HTTP libraries hand over as Latin-1. */
  text(text: string): string;
  exchange(exchange: Exchange): Exchange;
  /** Any value made of texts and bytes, such as a whole record. */
  anything<T>(value: T): T;
}

/** The exchange with stand-ins of the same length and class in place of the secrets. */
export function redactExchange(exchange: Exchange, secrets: readonly Secret[]): Exchange {
  return redactorFor(secrets).exchange(exchange);
}

/** Prepares the search once for many exchanges. */
export function redactorFor(secrets: readonly Secret[]): Redactor {
  if (secrets.length === 0) return nothingToRedact;
  const finder = formFinder(secrets);
  const bytes = (given: Uint8Array): Uint8Array => replaced(given, finder);
  const inCharset = (given: string, charset: 'latin1' | 'utf8'): string => {
    const whole = Buffer.from(given, charset);
    const clean = bytes(whole);
    return clean === whole ? given : Buffer.from(clean).toString(charset);
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

/** The same object where nothing was found. */
function replaced(given: Uint8Array, finder: FormFinder): Uint8Array {
  const found = finder.all(given);
  if (found.length === 0) return given;
  const out = Buffer.from(given);
  for (const { at, standIn } of found) out.set(standIn, at);
  return out;
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
  if (Array.isArray(value)) {
    const members = value.map((member) => redactedValue(member, redactor));
    return members.every((member, index) => member === value[index]) ? value : members;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, redactedValue(member, redactor)] as const);
  const isSame = members.every(([name, member]) => member === (value as Record<string, unknown>)[name]);
  return isSame ? value : Object.fromEntries(members);
}

function redactedExchange(exchange: Exchange, redactor: Pick<Redactor, 'bytes' | 'text'>): Exchange {
  const { request, response, failure } = exchange;
  return unlessSame(exchange, {
    request: requestWithout(request, redactor),
    response: response && responseWithout(response, redactor),
    failure: failure && unlessSame(failure, { message: redactor.text(failure.message) }),
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
