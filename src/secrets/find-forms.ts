/**
 * Finds any of a million byte sequences in one pass. A few bytes of the text are looked up in a table at every few positions:
 * no form is so short that it could lie between two of them. Each form is in the table under those of its bytes that
 * the fewest other forms have: ids with the same beginning would otherwise all be compared wherever one of them begins.
 */
import { madeOnce } from '../exchange/made-once.ts';
import { type FoundForm, type PackedForms, packedForms, pairsIn } from './packed-forms.ts';
import type { Secret } from './secret.ts';

export interface FormFinder {
  /** Bytes of the shortest form: no encoding makes a text shorter. Infinite where there is none. */
  readonly shortest: number;
  /** Any one form that the bytes hold. */
  any(bytes: Uint8Array): FoundForm | undefined;
  /** Forms from the first to the last, none over another; the longest of those that start together. `few`: not of very many texts. */
  all(bytes: Uint8Array, few?: boolean): readonly FoundForm[];
  /**
   * From now on none of very many texts is found that is a part of this one, where the whole of this stands: it was made up, and
   * spells the other by chance. That is found anywhere else as before, and so is one that is the whole text.
   */
  pass(madeUp: Uint8Array): void;
}

/** Bytes that are looked up: of many forms, many have the same four. */
const [narrow, wide] = [4, 8] as const;
const many = 50_000;

/** Greatest distance of two positions; each form is in the table as often. */
const widest = 12;

/** Places of a form that are weighed, at its start and at its end: ids may be long. */
const weighed = 64;

/** Every form has at least four bytes. The forms are copied, and may be made one at a time; the same array is prepared once. */
export const formFinder = madeOnce(newFinder);

function newFinder(secrets: readonly Secret[]): FormFinder {
  const packed = packedForms(secrets);
  const { count, shortest, starts, pool } = packed;
  if (count === 0) return { shortest, any: () => undefined, all: () => [], pass: () => {} };
  const width = count > many ? Math.min(shortest, wide) : narrow;
  const stride = Math.min(shortest - width + 1, widest);
  const bits = Math.min(Math.max(Math.ceil(Math.log2(4 * count * stride)), 12), 24);
  const sumAt = (view: DataView, at: number): number =>
    mixed(view.getInt32(at, true), view.getInt32(at + width - narrow, true));
  const poolView = viewOf(pool);
  // Entry n is form n / stride, and n % stride is how far behind the anchor it is looked up; those of one place are a chain.
  const anchors = anchorsOf(packed, width + stride - 1, (at) => sumAt(poolView, at) >>> (32 - bits), 1 << bits);
  const chain = new Int32Array(count * stride);
  const table = new Int32Array(1 << bits).fill(-1);
  const marks = noMarks(chain.length);
  for (let entry = chain.length - 1; entry >= 0; entry -= 1) {
    const form = Math.floor(entry / stride);
    const sum = sumAt(poolView, starts[form]! + anchors[form]! + (entry % stride));
    marks.add(sum);
    chain[entry] = table[sum >>> (32 - bits)]!;
    table[sum >>> (32 - bits)] = entry;
  }
  const madeUp = newPassed();
  const pairs = pairsIn(packed);
  // What is looked up lies within one form: nothing that does has two bytes side by side that are so in none.
  const jump = Math.ceil((width - 1) / stride) * stride;
  const search = (bytes: Uint8Array, met: (form: number, at: number) => boolean): void => {
    const view = viewOf(bytes);
    let next = 0;
    for (let at = 0; at <= bytes.length - width; at = next) {
      const pair = view.getUint16(at + width - 2);
      next = at + jump;
      if ((pairs[pair >>> 3]! & (1 << (pair & 7))) === 0) continue;
      next = at + stride;
      const sum = sumAt(view, at);
      if (!marks.has(sum)) continue;
      for (let entry = table[sum >>> (32 - bits)]!; entry !== -1; entry = chain[entry]!) {
        const form = Math.floor(entry / stride);
        const start = at - anchors[form]! - (entry % stride);
        if (!packed.standsAt(bytes, start, form) || madeUp.isAround(form, bytes, start)) continue;
        if (met(form, start)) return;
      }
    }
  };
  return {
    shortest,
    any: (bytes) => {
      let found: FoundForm | undefined;
      search(bytes, (form, at) => {
        found = packed.told(form, at);
        return true;
      });
      return found;
    },
    all: (bytes, few = false) => {
      const found: FoundForm[] = [];
      search(bytes, (form, at) => {
        if (!few || packed.secretOf(form).areMany === undefined) found.push(packed.told(form, at));
        return false;
      });
      return apart(found);
    },
    pass: (text) => {
      search(text, (form, at) => {
        const isPart = packed.starts[form + 1]! - packed.starts[form]! < text.length;
        if (isPart && packed.secretOf(form).areMany) madeUp.note(form, text, at);
        return false;
      });
    },
  };
}

/** Texts that forms are part of by chance, by form. */
function newPassed() {
  const around = new Map<number, { readonly text: Uint8Array; readonly at: number }[]>();
  return {
    note: (form: number, text: Uint8Array, at: number) => {
      // A piece of a larger buffer would keep all of it.
      const known = { text: new Uint8Array(text), at };
      const others = around.get(form);
      if (others === undefined) around.set(form, [known]);
      else others.push(known);
    },
    isAround: (form: number, bytes: Uint8Array, start: number): boolean =>
      around.size > 0 &&
      (around.get(form)?.some(({ text, at }) => text.every((byte, place) => bytes[start - at + place] === byte)) ??
        false),
  };
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
  room: number,
  placeOf: (at: number) => number,
  places: number,
): Int32Array {
  const counts = new Uint16Array(places);
  const each = (form: number, visit: (offset: number, place: number) => void) => {
    const [start, last] = [starts[form]!, starts[form + 1]! - starts[form]! - room];
    for (let offset = 0; offset <= last; offset += 1) {
      if (offset === weighed) offset = Math.max(offset, last - weighed);
      visit(offset, placeOf(start + offset));
    }
  };
  for (let form = 0; form < count; form += 1) {
    each(form, (_, place) => {
      if (counts[place]! < 0xffff) counts[place]! += 1;
    });
  }
  const anchors = new Int32Array(count);
  for (let form = 0; form < count; form += 1) {
    let least = Number.POSITIVE_INFINITY;
    each(form, (offset, place) => {
      if (counts[place]! >= least) return;
      least = counts[place]!;
      anchors[form] = offset;
    });
  }
  return anchors;
}

/** Whether a sum may be in the table: two bits of a word for each, which are near where the table itself is not. */
function noMarks(sums: number) {
  const bits = Math.min(Math.max(Math.ceil(Math.log2(16 * sums)), 12), 24);
  const [words, beside] = [new Int32Array(1 << (bits - 5)), 37 - bits];
  const bitsOf = (sum: number): number => {
    const other = mixed(sum, sum >>> 15);
    return (1 << (other >>> 27)) | (1 << ((other >>> 22) & 31));
  };
  return {
    add: (sum: number): void => {
      words[sum >>> beside]! |= bitsOf(sum);
    },
    has: (sum: number): boolean => {
      const all = bitsOf(sum);
      return (words[sum >>> beside]! & all) === all;
    },
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Multiplicative hashing: neighbouring texts spread over the whole table. */
function mixed(first: number, last: number): number {
  return Math.imul(first ^ Math.imul(last, 0x85ebca6b), 0x9e3779b1);
}
