/** Stores of pieces of candidates, so that the next candidate computes only what is new in it. */
import { type Deviation, indexOf, partsChangedBy } from './deviation.ts';

/** Equal exactly for the same members in the same order; a number where few are meant, since numbers are found faster. */
export type PieceKey = number | string;

/**
 * The deviations of the set that change a part; two sets with the same key have that part in common. `start` goes in
 * front: a number below 2 to the power of 24, or a text.
 */
export function pieceKey(set: readonly Deviation[], part: number, start: PieceKey = 0): PieceKey {
  let key = 0;
  let count = 0;
  let fits = typeof start === 'number';
  for (const deviation of set) {
    if ((partsChangedBy(deviation) & part) === 0) continue;
    const index = indexOf(deviation);
    // Those that are made for one request have higher numbers than the table.
    fits &&= index < 256;
    key = key * 256 + index;
    count += 1;
  }
  if (count <= 3 && fits && typeof start === 'number') return start * 2 ** 24 + key;
  const members = set.filter((deviation) => (partsChangedBy(deviation) & part) !== 0);
  return `${start} ${members.map(indexOf).join(' ')}`;
}

/** A value under the key of a part of a set, made where it is not there. */
export type Store<T> = (key: PieceKey, set: readonly Deviation[], make: () => T) => T;

/**
 * Keeps what single deviations make of a part, since every larger set needs it again, up to a total size; then it forgets
 * all. Of larger sets it keeps only the last value: the next set mostly differs in another part.
 */
export function storeOf<T>(most: number, sizeOf: (value: T) => number): Store<T> {
  const store = new Map<PieceKey, T>();
  let size = 0;
  let last: { readonly key: PieceKey; readonly value: T } | undefined;
  return (key, set, make) => {
    const found = store.get(key);
    if (found !== undefined) return found;
    if (last?.key === key) return last.value;
    const value = make();
    if (set.length > 1) {
      last = { key, value };
      return value;
    }
    size += sizeOf(value);
    if (size > most) {
      store.clear();
      size = sizeOf(value);
    }
    store.set(key, value);
    return value;
  };
}
