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
  const anything = <T>(value: T) => editTexts(value, { bytes, text });
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

/** The value with each of its texts and bytes edited; what none of them changes stays the same object. */
export function editTexts<T>(value: T, edit: Pick<Redactor, 'bytes' | 'text'>): T {
  const edited = (one: unknown): unknown => {
    if (typeof one === 'string') return edit.text(one);
    if (one instanceof Uint8Array) return edit.bytes(one);
    if (typeof one !== 'object' || one === null) return one;
    const members = Object.entries(one).map(([name, member]) => [name, edited(member)] as const);
    if (members.every(([name, member]) => member === (one as Record<string, unknown>)[name])) return one;
    return Array.isArray(one) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return edited(value) as T;
}
