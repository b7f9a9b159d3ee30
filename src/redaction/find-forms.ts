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
  /** Bytes of the shortest form: no encoding makes a text shorter. */
  readonly shortest: number;
  /** The first form that starts at or after `from`, the longest one where several start together. */
  next(bytes: Uint8Array, from: number): Found<T> | undefined;
}

/** Bits of the table's index: a private key has so many forms that a small table would say yes to most of a text. */
const tableBits = 20;

/** Greatest distance of two positions; each form stands in the table as often. */
const widest = 12;

/** Every form has at least four bytes. */
export function formFinder<T extends Pick<Form, 'bytes'>>(forms: readonly T[]): FormFinder<T> {
  const shortest = Math.min(...forms.map(({ bytes }) => bytes.length));
  const stride = Math.min(shortest - 3, widest);
  // Entry n is form n / stride at the offset n % stride; those of one place in the table are a chain, longest form first.
  const sorted = [...forms].sort((a, b) => b.bytes.length - a.bytes.length);
  const fours = new Int32Array(sorted.length * stride);
  const chain = new Int32Array(sorted.length * stride);
  const table = new Int32Array(1 << tableBits).fill(-1);
  for (let entry = fours.length - 1; entry >= 0; entry -= 1) {
    const four = fourAt(sorted[Math.floor(entry / stride)]!.bytes, entry % stride);
    fours[entry] = four;
    chain[entry] = table[place(four)]!;
    table[place(four)] = entry;
  }
  const firstAt = (bytes: Uint8Array, at: number, from: number, four: number): Found<T> | undefined => {
    let first: Found<T> | undefined;
    for (let entry = table[place(four)]!; entry !== -1; entry = chain[entry]!) {
      if (fours[entry] !== four) continue;
      const [form, start] = [sorted[Math.floor(entry / stride)]!, at - (entry % stride)];
      if (start < from || (first !== undefined && start >= first.at)) continue;
      if (standsAt(bytes, start, form.bytes)) first = { at: start, form };
    }
    return first;
  };
  return {
    shortest,
    next: (bytes, from) => {
      for (let at = from; at <= bytes.length - 4; at += stride) {
        const four = fourAt(bytes, at);
        const found = table[place(four)] === -1 ? undefined : firstAt(bytes, at, from, four);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
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
