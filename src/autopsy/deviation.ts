/** One named way in which a client's signature differs from RFC 5849. */
import type { Recipe } from './recipe.ts';
import type { SnippetTopic } from './snippets/index.ts';

/** Step of signing that a deviation changes, in their order. */
export type Stage = 'collect' | 'encode' | 'sort' | 'join' | 'uri' | 'method' | 'key' | 'hash' | 'output';

export interface Deviation {
  readonly id: string;
  readonly stage: Stage;
  /** The choices that it makes; two deviations that make the same choice do not combine. Empty for those of the output. */
  readonly change: Partial<Recipe>;
  /** What is wrong, for somebody who does not program. */
  readonly summary: string;
  /** What is wrong, for somebody who has the source at hand. */
  readonly developer: string;
  /** What to do. */
  readonly fix: string;
  readonly snippet?: SnippetTopic;
}

/** Whether no choice is made twice. */
export function combine(deviations: readonly Deviation[]): boolean {
  const slots = deviations.flatMap(({ change }) => Object.keys(change));
  return new Set(slots).size === slots.length;
}
