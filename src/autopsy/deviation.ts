/** One named way in which a client's signature differs from RFC 5849. */
import { partsOfChange, plainRecipe, type Recipe } from './signer/recipe.ts';
import type { SnippetTopic } from './snippets.ts';

/** Step of signing that a deviation changes, in their order. */
export type Stage = 'collect' | 'encode' | 'sort' | 'join' | 'uri' | 'method' | 'key' | 'hash' | 'output';

export interface Deviation {
  readonly id: string;
  readonly stage: Stage;
  /** The choices that it makes; two deviations that make the same choice do not combine. Empty for those of the output. */
  readonly change: Partial<Recipe>;
  /** What is wrong, for a reader who does not program. */
  readonly summary: string;
  /** What is wrong, for a reader who has the source at hand. */
  readonly developer: string;
  /** What to do. */
  readonly fix: string;
  readonly snippet?: SnippetTopic;
}

/**
 * Makes the deviations of one step: an id, the choices, and its words as a template with a line each for `summary`, `developer`
 * and `fix`. What all of them share is given once, and has no line.
 */
export function inStep(
  stage: Stage,
  snippet?: SnippetTopic,
  shared: Partial<Pick<Deviation, 'summary' | 'fix'>> = {},
): <const Id extends string>(
  id: Id,
  change?: Partial<Recipe>,
) => (text: TemplateStringsArray, ...values: readonly string[]) => Deviation & { readonly id: Id } {
  return (id, change = {}) =>
    (text, ...values) => {
      const lines = String.raw({ raw: text }, ...values)
        .trim()
        .split(/\n */);
      const next = (): string => lines.shift() ?? '';
      const words = { summary: shared.summary ?? next(), developer: next(), fix: shared.fix ?? next() };
      return { id, stage, ...(snippet === undefined ? {} : { snippet }), change, ...words };
    };
}

/** Whether no choice is made twice. */
export function combine(deviations: readonly Deviation[]): boolean {
  let low = 0;
  let high = 0;
  for (const deviation of deviations) {
    const bits = slotBits(deviation);
    if ((low & bits.low) !== 0 || (high & bits.high) !== 0) return false;
    low |= bits.low;
    high |= bits.high;
  }
  return true;
}

/** Bits of `parts` that the deviation changes. */
export function partsChangedBy(deviation: Deviation): number {
  return slotBits(deviation).parts;
}

/** A number from 1 of its own, below 256 for those of the table. */
export function indexOf(deviation: Deviation): number {
  return slotBits(deviation).index;
}

interface SlotBits {
  readonly index: number;
  readonly low: number;
  readonly high: number;
  readonly parts: number;
}

const slots = Object.keys(plainRecipe);
const known = new WeakMap<Deviation, SlotBits>();
let lastIndex = 0;

/** One bit for each choice, in two numbers: bits above 31 do not fit into one. */
function slotBits(deviation: Deviation): SlotBits {
  let bits = known.get(deviation);
  if (bits === undefined) {
    const indexes = Object.keys(deviation.change).map((slot) => slots.indexOf(slot));
    const of = (from: number): number =>
      indexes.reduce((sum, index) => (index >= from && index < from + 31 ? sum | (1 << (index - from)) : sum), 0);
    lastIndex += 1;
    bits = { index: lastIndex, low: of(0), high: of(31), parts: partsOfChange(deviation.change) };
    known.set(deviation, bits);
  }
  return bits;
}
