/** The forms of all secrets in one piece of memory. */
import type { Secret } from './secret.ts';

/** A form in a text: where it starts, and how many bytes it takes. */
export interface FoundForm {
  readonly at: number;
  readonly length: number;
  /** What is in its place where it is taken out. */
  readonly standIn: Uint8Array;
  /** That of the secret. */
  readonly name: string;
}

/** Forms by number, from 0, in the order of their secrets. */
export interface PackedForms {
  readonly count: number;
  /** Bytes; infinite where there is none. */
  readonly shortest: number;
  /** All forms, one behind the other: as objects they would take ten times the memory. */
  readonly pool: Buffer;
  /** Where each form starts in it, and where the last one ends. */
  readonly starts: Int32Array;
  standsAt(bytes: Uint8Array, at: number, form: number): boolean;
  secretOf(form: number): Secret;
  told(form: number, at: number): FoundForm;
}

/** Copies the forms, which may be made one at a time. */
export function packedForms(secrets: readonly Secret[]): PackedForms {
  let [count, size, shortest] = [0, 0, Number.POSITIVE_INFINITY];
  for (const { forms } of secrets) {
    for (const { bytes } of forms) {
      count += 1;
      size += bytes.length;
      shortest = Math.min(shortest, bytes.length);
    }
  }
  const [pool, standIns] = [Buffer.allocUnsafe(size), Buffer.allocUnsafe(size)];
  const [starts, owners] = [new Int32Array(count + 1), new Int32Array(count)];
  let [form, end] = [0, 0];
  for (const [owner, secret] of secrets.entries()) {
    for (const { bytes, standIn } of secret.forms) {
      pool.set(bytes, end);
      standIns.set(standIn, end);
      owners[form] = owner;
      end += bytes.length;
      form += 1;
      starts[form] = end;
    }
  }
  const standsAt = (bytes: Uint8Array, at: number, form: number): boolean => {
    const [start, end] = [starts[form]!, starts[form + 1]!];
    if (at < 0 || at + end - start > bytes.length) return false;
    for (let index = start; index < end; index += 1) if (bytes[at + index - start] !== pool[index]) return false;
    return true;
  };
  const secretOf = (form: number): Secret => secrets[owners[form]!]!;
  const told = (form: number, at: number): FoundForm => {
    const [start, end] = [starts[form]!, starts[form + 1]!];
    return { at, length: end - start, standIn: standIns.subarray(start, end), name: secretOf(form).name };
  };
  return { count, shortest, pool, starts, standsAt, secretOf, told };
}

/** A bit for each two bytes that follow each other in a form. What was decoded is mostly random, and has few of them. */
export function pairsIn({ count, starts, pool }: PackedForms): Uint8Array {
  const pairs = new Uint8Array(1 << 13);
  for (let form = 0; form < count; form += 1) {
    for (let at = starts[form]!; at < starts[form + 1]! - 1; at += 1) {
      const pair = pool.readUInt16BE(at);
      pairs[pair >>> 3]! |= 1 << (pair & 7);
    }
  }
  return pairs;
}
