/**
 * Takes secrets out of what is about to be kept or shown. Everything keeps its length, and what holds none stays the
 * same object.
 */
import type { Exchange } from '../../record/exchange.ts';
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
  const anything = <T>(value: T) => redactedValue(value, { bytes, text }) as T;
  const exchange = (given: Exchange): Exchange => {
    const clean = anything(given);
    // It is a word of ours, whatever a secret may be.
    return clean === given || given.failure === undefined
      ? clean
      : { ...clean, failure: { ...clean.failure!, kind: given.failure.kind } };
  };
  return { bytes, text, exchange, anything };
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
