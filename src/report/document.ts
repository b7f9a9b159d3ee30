/** A report as sections of blocks. result-document.ts makes it from a result; terminal, Markdown and pages print it, and know nothing about requirements. */
import { groupBy } from '../record/group-by.ts';
import { memoize } from '../record/memoize.ts';
import type { Outcome } from '../record/result/result.ts';
import { shortened, shortenedSentences, visible } from './visible.ts';

export interface Document {
  /** Such as `Countersign comparison`. */
  readonly product: string;
  /** The label of the conclusion on a terminal. */
  readonly label?: string;
  readonly outcome: Outcome;
  readonly verdict: string;
  /** The heading of a page, a sentence; by default the verdict. */
  readonly title?: string;
  readonly counts?: string;
  readonly name: string;
  /** The first screen. */
  readonly head: readonly Block[];
  readonly sections: readonly Section[];
  readonly end?: readonly Block[];
  /** Tells where to find omitted parts: `--json has them all`. */
  readonly rest: string;
  readonly foot: Line;
  readonly style?: string;
}

/** The parts of a document that a terminal needs. */
export type Conclusion = Pick<Document, 'outcome' | 'verdict' | 'head'> & Partial<Document>;

export interface Section {
  readonly anchor: string;
  readonly title: string;
  readonly short?: string;
  readonly count?: number;
  /** Needs no attention: Markdown folds it. */
  readonly isFolded?: boolean;
  readonly only?: Only;
  readonly room?: number;
  readonly blocks: readonly Block[];
}

type Medium = 'page' | 'terminal' | 'markdown';

/** Medium of the part, if not all media show it. `text` means the terminal and Markdown. */
type Only = 'page' | 'text' | 'markdown';

/** A piece of a line. A text is ours but may quote a subject; a value is foreign. Each printer makes it safe to show and shortens it. */
export type Piece =
  | string
  | { readonly value: string }
  | { readonly strong: string }
  | { readonly muted: string }
  /** An outcome as sign and word. `word` replaces its own word, such as by a count. */
  | { readonly badge: Outcome | 'none'; readonly word?: string }
  | { readonly text: string; readonly to: string }
  | { readonly exchanges: readonly number[] }
  /** Markup of a page, such as a chart. */
  | { readonly picture: unknown };

export type Line = Piece | readonly Piece[];

/** A part of a section. Consecutive blocks with labels form one list of facts. */
export type Block = { readonly label?: string; readonly only?: Only } & Content;

type Content =
  | { readonly text: Line; readonly look?: 'lead' | 'note' | 'what-first' }
  | { readonly list: readonly Line[] }
  | { readonly table: Table }
  | { readonly changes: readonly Change[] }
  /** Lines to copy, or to show unchanged. */
  | { readonly code: string; readonly language?: string }
  /** Two texts, one above the other, with a mark at their first difference. */
  | Compared
  | { readonly command: string }
  | { readonly card: Card }
  | Fold
  /** The exchange of a finding, on a page; `inPage` shows it without scripts too. */
  | { readonly evidence: number; readonly inPage: boolean }
  | { readonly picture: unknown };

export interface Fold {
  readonly fold: Line;
  readonly count?: number;
  readonly anchor?: string;
  /** One item of a list: a requirement or an open point. */
  readonly isRow?: boolean;
  readonly blocks: readonly Block[];
}

export interface Compared {
  readonly compared: readonly [one: string, other: string];
  readonly names: readonly [one: string, other: string];
  /** Base strings: a page shows all of them. */
  readonly isLong?: boolean;
}

export interface Card {
  readonly outcome: Outcome;
  readonly title: Line;
  /** Follows the title on its line, in grey. */
  readonly place?: string;
  /** A page folds the card, and shows this next to the title. */
  readonly because?: string;
  readonly anchor?: string;
  /** How many counted items of the section it represents. */
  readonly count?: number;
  /** Its frame on the first screen of a page. */
  readonly frame?: 'first' | 'hazard';
  readonly blocks: readonly Block[];
}

export interface Table {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  /** What the kinds of rows are called. Rows can be filtered by kind. */
  readonly filter?: string;
  readonly looks?: string;
}

export interface Row {
  readonly kind?: string;
  readonly anchor?: string;
  /** The first cell is the head of the row. Lines of a cell are below each other. */
  readonly cells: readonly (readonly Line[])[];
}

/** Old and new state: a row on a page, a line elsewhere. */
export interface Change {
  readonly name: string;
  readonly anchor?: string;
  readonly aside?: string;
  /** Kind of the change, as a filter of a page and as a heading. */
  readonly kind: string;
  readonly heading: string;
  /** Needs attention. */
  readonly asks: boolean;
  readonly old?: Line;
  readonly new?: Line;
  readonly note?: string;
  readonly only?: Only;
  /** How many changes it represents, if not one. */
  readonly count?: number;
}

/** A labelled block; none if empty. */
export function fact(label: string, text: Line | undefined, only?: Only): Block[] {
  return text === undefined || text === '' ? [] : [{ label, text, only }];
}

/** A paragraph; none if empty. */
export function textOf(text: string | undefined): Block[] {
  return text === undefined ? [] : [{ text }];
}

/** Visible blocks. Consecutive labelled ones are grouped. */
export function blockGroups(blocks: readonly Block[], medium: Medium): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    if (!isShown(block, medium)) continue;
    const before = groups.at(-1);
    if (block.label !== undefined && before?.[0]?.label !== undefined) before.push(block);
    else groups.push([block]);
  }
  return groups;
}

export function isShown({ only }: { readonly only?: Only }, medium: Medium): boolean {
  return only === undefined || only === medium || (only === 'text' && medium !== 'page');
}

interface Fitting<T> {
  readonly print: (blocks: Block[]) => T;
  readonly size: (printed: T) => number;
  readonly room: number;
  readonly most: number;
}

interface Part<T> {
  readonly printed: T;
  readonly isLine: boolean;
}

/**
 * Prints as many parts of a section as fit, and counts the omitted ones. A line of a list is a part. A card that does not fit
 * becomes its first line.
 */
export function fitting<T>(blocks: readonly Block[], { print, size, room, most }: Fitting<T>, medium: Medium) {
  const parts = blockGroups(blocks, medium).flatMap((group): { all: Block[]; isLine: boolean }[] => {
    const [first] = group;
    if (first === undefined || !('list' in first) || first.label !== undefined) return [{ all: group, isLine: false }];
    return first.list.map((line) => ({ all: [{ list: [line] }], isLine: true }));
  });
  const kept: Part<T>[] = [];
  let [left, lines, more, isShort] = [room, most, 0, false];
  for (const { all, isLine } of parts) {
    const [first] = all;
    const card = first !== undefined && 'card' in first ? first.card : undefined;
    const short: Block[][] =
      card === undefined ? [] : [[{ card: { ...card, place: card.because ?? card.place, blocks: [] } }]];
    const printed =
      more > 0 || (isLine && lines === 0) ? undefined : [all, ...short].map(print).find((one) => size(one) <= left);
    if (printed === undefined) more += card?.count ?? 1;
    else {
      isShort ||= size(printed) < size(print(all));
      left -= size(printed);
      lines -= Number(isLine);
      kept.push({ printed, isLine });
    }
  }
  return { kept, more, isShort };
}

/** Sections of a text. Changes become one section for each heading. Sections that need no attention are last. */
export function textSections({ sections = [] }: Conclusion, medium: Medium): Section[] {
  return sections
    .filter((section) => isShown(section, medium))
    .flatMap((section) => {
      const changes = section.blocks.flatMap((block) => ('changes' in block ? block.changes : []));
      return changes.length === 0 ? [section] : [...groupBy(changes, ({ heading }) => heading).values()].map(headed);
    })
    .filter(({ blocks }) => blockGroups(blocks, medium).length > 0)
    .sort((a, b) => Number(a.isFolded ?? false) - Number(b.isFolded ?? false));
}

/** Places with the same change share a line. */
function headed(changes: readonly Change[]): Section {
  const { heading, asks } = changes[0]!;
  const lines = groupBy(
    changes.filter(({ only }) => only !== 'page'),
    (one) => JSON.stringify([changeText(one), one.anchor === undefined ? one.name : '']),
  );
  const list = [...lines.values()].map((same): Line => {
    const [name, text] = [{ value: named(same.map((one) => one.name)) }, changeText(same[0]!)];
    return text === '' ? name : [name, ': ', { value: text }];
  });
  return {
    anchor: '',
    title: heading,
    count: changes.reduce((sum, { count = 1 }) => sum + count, 0),
    isFolded: !asks,
    blocks: list.length === 0 ? [] : [{ list }],
  };
}

/** `pass -> fail (expected a, received b)`. */
function changeText({ old, new: now, note }: Change): string {
  const [was, is] = [old, now].map((line) => line && plainText(line, 1000));
  const change = [was, is].filter((text) => text !== undefined).join(' -> ');
  return change === '' || !note ? `${change}${note ?? ''}` : `${change} (${note})`;
}

/** `a, b, c and 4 more`. */
export function named(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Plain and safe to show. No value and no sentence is longer than `limit` characters. */
export function plainText(line: Line, limit: number): string {
  if (isList(line)) return line.map((piece) => plainText(piece, limit)).join('');
  if (typeof line === 'string') return visible(shortenedSentences(line, limit));
  if ('value' in line) return line.value === '' ? '(empty)' : visible(shortened(line.value, limit));
  if ('badge' in line) return visible(line.word ?? line.badge);
  if ('exchanges' in line) return rangesText(line.exchanges);
  if ('picture' in line) return '';
  return plainText('strong' in line ? line.strong : 'muted' in line ? line.muted : line.text, limit);
}

export function isList(line: Line): line is readonly Piece[] {
  return Array.isArray(line);
}

/** Its characters need no escaping in an address. */
export function rowAnchor(id: string): string {
  return `row-${id.replace(/[^\w/.-]/g, '_')}`;
}

interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** Sorted, without duplicates, three or more neighbours as one range. Memoized, because many requirements share one list of exchanges. */
export const numberRanges = memoize((numbers: readonly number[]): readonly NumberRange[] => {
  const runs: { first: number; last: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && number <= run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs.flatMap(({ first, last }) =>
    last - first === 1
      ? [
          { first, last: first },
          { first: last, last },
        ]
      : [{ first, last }],
  );
});

export function rangesText(numbers: readonly number[]): string {
  return numberRanges(numbers)
    .map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`))
    .join(', ');
}
