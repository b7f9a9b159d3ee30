/** Random numbers with a seed, so that tests are repeatable. */

export interface Dice {
  /** A whole number from 0 to bound - 1. */
  below(bound: number): number;
  of<T>(list: readonly T[]): T;
}

/** The generator Mulberry32. `seed` is an unsigned 32-bit integer. */
export function diceFrom(seed: number): Dice {
  let state = seed >>> 0;
  const below = (bound: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  return { below, of: (list) => list[below(list.length)]! };
}
