/** One named way in which a client's signature violates RFC 5849. */
import { partsOfChange, plainRecipe, type Recipe } from './signer/recipe.ts';
import type { SnippetTopic } from './snippets.ts';

export type Stage = 'collect' | 'encode' | 'sort' | 'join' | 'uri' | 'method' | 'key' | 'hash' | 'output';

export interface Deviation {
  readonly id: string;
  readonly stage: Stage;
  /** Empty for deviations of the output. Deviations that change the same choice do not combine. */
  readonly change: Partial<Recipe>;
  readonly summary: string;
  readonly developer: string;
  readonly fix: string;
  readonly snippet?: SnippetTopic;
  readonly client?: NamedDefect;
  readonly gateway?: NamedDefect;
}

interface NamedDefect {
  readonly defect: string;
  readonly summary: string;
}

/**
 * Makes the deviations of one step from an id, choices and a template. The template has a line each for `summary`,
 * `developer` and `fix`, except for `shared` ones. A line `defect: summary` adds the defect of a client that signs like
 * this. A line `gateway defect: summary` adds the defect of a gateway that also accepts this.
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
      const defects = lines.flatMap((line) => {
        const [, side = 'client', defect, about] = /^(?:(gateway) )?([a-z0-9-]+): (.*)$/.exec(line) ?? [];
        return about === undefined ? [] : [[side, { defect, summary: about }]];
      });
      return { id, stage, ...(snippet && { snippet }), change, ...words, ...Object.fromEntries(defects) };
    };
}

export function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ['other'];
  return words.join('-');
}

export function combine(deviations: readonly Deviation[]): boolean {
  let taken = 0n;
  for (const deviation of deviations) {
    const { slots } = traitsOf(deviation);
    if ((taken & slots) !== 0n) return false;
    taken |= slots;
  }
  return true;
}

/** As bits of `parts`. */
export function partsChangedBy(deviation: Deviation): number {
  return traitsOf(deviation).parts;
}

export function indexOf(deviation: Deviation): number {
  return traitsOf(deviation).index;
}

const allSlots = Object.keys(plainRecipe);
const known = new WeakMap<Deviation, { readonly index: number; readonly slots: bigint; readonly parts: number }>();
let count = 0;

/** `slots` has one bit per choice. */
function traitsOf(deviation: Deviation) {
  let traits = known.get(deviation);
  if (traits === undefined) {
    const slots = Object.keys(deviation.change).reduce(
      (bits, slot) => bits | (1n << BigInt(allSlots.indexOf(slot))),
      0n,
    );
    traits = { index: ++count, slots, parts: partsOfChange(deviation.change) };
    known.set(deviation, traits);
  }
  return traits;
}
