/**
 * Finds any of thousands of byte sequences in one pass. Four bytes are looked up in a table at every few positions: no
 * form is so short that it could lie between two of them.
 */
import type { Form } from './secret.ts';

export interface Found<T extends Pick<Form, 'bytes'>> {
  readonly at: number;
  readonly form: T;
}

export interface FormFinder<T extends Pick<Form, 'bytes'>> {
  /** The first form that starts at or after `from`, the longest one where several start together. */
  next(bytes: Uint8Array, from: number): Found<T> | undefined;
}

/** Bits of the table's index. */
const tableBits = 18;

/** Greatest distance of two positions; each form stands in the table as often. */
const widest = 12;

/** A form, and where in it the four bytes stand. */
interface Entry<T> {
  readonly form: T;
  readonly offset: number;
}

/** Every form has at least four bytes. */
export function formFinder<T extends Pick<Form, 'bytes'>>(forms: readonly T[]): FormFinder<T> {
  const shortest = Math.min(...forms.map(({ bytes }) => bytes.length));
  const stride = Math.min(shortest - 3, widest);
  const table = new Uint8Array(1 << tableBits);
  const entries = new Map<number, Entry<T>[]>();
  for (const form of [...forms].sort((a, b) => b.bytes.length - a.bytes.length)) {
    for (let offset = 0; offset < stride; offset += 1) {
      const four = fourAt(form.bytes, offset);
      table[place(four)] = 1;
      const known = entries.get(four);
      if (known === undefined) entries.set(four, [{ form, offset }]);
      else known.push({ form, offset });
    }
  }
  return {
    next: (bytes, from) => {
      const last = bytes.length - 4;
      for (let at = from; at <= last; at += stride) {
        const four = fourAt(bytes, at);
        if (table[place(four)] === 0) continue;
        const found = firstOf(entries.get(four) ?? [], bytes, at, from);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function firstOf<T extends Pick<Form, 'bytes'>>(
  entries: readonly Entry<T>[],
  bytes: Uint8Array,
  at: number,
  from: number,
): Found<T> | undefined {
  let first: Found<T> | undefined;
  for (const { form, offset } of entries) {
    const start = at - offset;
    if (start < from || (first !== undefined && start >= first.at)) continue;
    if (standsAt(bytes, start, form.bytes)) first = { at: start, form };
  }
  return first;
}

function fourAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** Multiplicative hashing: neighbouring texts spread over the whole table. */
function place(four: number): number {
  return Math.imul(four, 0x9e3779b1) >>> (32 - tableBits);
}

function standsAt(bytes: Uint8Array, at: number, form: Uint8Array): boolean {
  if (at + form.length > bytes.length) return false;
  for (let index = 0; index < form.length; index += 1) {
    if (bytes[at + index] !== form[index]) return false;
  }
  return true;
}
