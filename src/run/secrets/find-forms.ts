/**
 * Finds any of a million byte sequences in one pass: a few bytes at each place of the text are looked up in a table. Each form is
 * in the table under those of its bytes that the fewest other forms share: ids with the same beginning would
 * otherwise all be compared wherever one of them begins.
 */
import { madeOnce } from '../../record/made-once.ts';
import type { Secret } from './secret.ts';

/** A form in a text: where it starts, and how many bytes it takes. */
export interface FoundForm {
  readonly at: number;
  readonly length: number;
  /** What replaces it. */
  readonly standIn: Uint8Array;
  /** That of the secret. */
  readonly name: string;
}

export interface FormFinder {
  /** Any one form that the bytes hold. */
  any(bytes: Uint8Array): FoundForm | undefined;
  /** Forms from the first to the last, none over another; the longest of those that start together. */
  all(bytes: Uint8Array): readonly FoundForm[];
}

/** Bytes that are looked up: of many forms, many have the same four. */
const [narrow, wide] = [4, 8] as const;
const many = 50_000;

/** Places of a form that are weighed, at its start and at its end: ids may be long. */
const weighed = 64;

/** Every form has at least four bytes. The forms are copied, and may be made one at a time; the same array is prepared once. */
export const formFinder = madeOnce(newFinder);

function newFinder(secrets: readonly Secret[]): FormFinder {
  const forms = packed(secrets);
  const { count, shortest, starts, pool } = forms;
  if (count === 0) return { any: () => undefined, all: () => [] };
  const width = count > many ? Math.min(shortest, wide) : narrow;
  const bits = Math.min(Math.max(Math.ceil(Math.log2(4 * count)), 12), 24);
  const slotAt = (view: DataView, at: number): number =>
    mixed(view.getInt32(at, true), view.getInt32(at + width - narrow, true)) >>> (32 - bits);
  const poolView = viewOf(pool);
  const anchors = anchorsOf(forms, width, (at) => slotAt(poolView, at), 1 << bits);
  // Forms of one slot are a chain.
  const [table, chain] = [new Int32Array(1 << bits).fill(-1), new Int32Array(count)];
  for (let form = count - 1; form >= 0; form -= 1) {
    const slot = slotAt(poolView, starts[form]! + anchors[form]!);
    chain[form] = table[slot]!;
    table[slot] = form;
  }
  const search = (bytes: Uint8Array, met: (found: FoundForm) => boolean): void => {
    const view = viewOf(bytes);
    for (let at = 0; at <= bytes.length - width; at += 1) {
      for (let form = table[slotAt(view, at)]!; form !== -1; form = chain[form]!) {
        const start = at - anchors[form]!;
        if (forms.standsAt(bytes, start, form) && met(forms.found(form, start))) return;
      }
    }
  };
  return {
    any: (bytes) => {
      let first: FoundForm | undefined;
      search(bytes, (found) => {
        first = found;
        return true;
      });
      return first;
    },
    all: (bytes) => {
      const found: FoundForm[] = [];
      search(bytes, (one) => {
        found.push(one);
        return false;
      });
      return apart(found);
    },
  };
}

type PackedForms = ReturnType<typeof packed>;

/** The forms one after the other in one piece of memory: as objects they would take ten times as much. */
function packed(secrets: readonly Secret[]) {
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
    const [start, length] = [starts[form]!, starts[form + 1]! - starts[form]!];
    if (at < 0 || at + length > bytes.length) return false;
    for (let index = 0; index < length; index += 1) if (bytes[at + index] !== pool[start + index]) return false;
    return secrets[owners[form]!]!.areMany === undefined || isWord(bytes, at, at + length);
  };
  const found = (form: number, at: number): FoundForm => {
    const [start, end] = [starts[form]!, starts[form + 1]!];
    return { at, length: end - start, standIn: standIns.subarray(start, end), name: secrets[owners[form]!]!.name };
  };
  return { count, shortest, pool, starts, standsAt, found };
}

/** Whether no letter or digit touches that part. */
function isWord(bytes: Uint8Array, start: number, end: number): boolean {
  return !isAlphanumeric(bytes[start - 1]) && !isAlphanumeric(bytes[end]);
}

function isAlphanumeric(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

function apart(found: FoundForm[]): readonly FoundForm[] {
  let end = 0;
  return found
    .sort((a, b) => a.at - b.at || b.length - a.length)
    .filter(({ at, length }) => {
      if (at < end) return false;
      end = at + length;
      return true;
    });
}

/** For each form the place in it, from its start, whose bytes are those of the fewest places of all forms. */
function anchorsOf(
  { count, starts }: PackedForms,
  width: number,
  slotAt: (at: number) => number,
  slots: number,
): Int32Array {
  const counts = new Uint16Array(slots);
  const each = (form: number, visit: (offset: number, slot: number) => void) => {
    const [start, last] = [starts[form]!, starts[form + 1]! - starts[form]! - width];
    for (let offset = 0; offset <= last; offset += 1) {
      if (offset === weighed) offset = Math.max(offset, last - weighed);
      visit(offset, slotAt(start + offset));
    }
  };
  for (let form = 0; form < count; form += 1) {
    each(form, (_, slot) => {
      if (counts[slot]! < 0xffff) counts[slot]! += 1;
    });
  }
  const anchors = new Int32Array(count);
  for (let form = 0; form < count; form += 1) {
    let least = Number.POSITIVE_INFINITY;
    each(form, (offset, slot) => {
      if (counts[slot]! >= least) return;
      least = counts[slot]!;
      anchors[form] = offset;
    });
  }
  return anchors;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Multiplicative hashing: neighbouring texts spread over the whole table. */
function mixed(first: number, last: number): number {
  return Math.imul(first ^ Math.imul(last, 0x85ebca6b), 0x9e3779b1);
}
