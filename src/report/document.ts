/** What a report says, as sections of blocks. Terminal, Markdown and pages print blocks; none of them knows what a requirement is. */
import { groupBy } from '../record/group-by.ts';
import { memoize } from '../record/memoize.ts';
import type { Outcome } from '../record/result/result.ts';
import { shortened, shortenedSentences, visible } from './visible.ts';

export interface Document {
  /** `Countersign comparison`. */
  readonly product: string;
  /** What a terminal calls the conclusion. */
  readonly label?: string;
  readonly outcome: Outcome;
  readonly verdict: string;
  /** The heading of a page, a sentence; the verdict where it is absent. */
  readonly title?: string;
  readonly counts?: string;
  readonly name: string;
  /** The first screen. */
  readonly head: readonly Block[];
  readonly sections: readonly Section[];
  readonly end?: readonly Block[];
  /** Who has what was left out: `--json has them all`. */
  readonly rest: string;
  readonly foot: Line;
  readonly style?: string;
}

/** As much of a document as a terminal needs. */
export type Conclusion = Pick<Document, 'outcome' | 'verdict' | 'head'> & Partial<Document>;

export interface Section {
  readonly anchor: string;
  readonly title: string;
  readonly short?: string;
  readonly count?: number;
  /** Nobody has to look at it: Markdown folds it. */
  readonly isFolded?: boolean;
  readonly only?: Only;
  readonly room?: number;
  readonly blocks: readonly Block[];
}

type Medium = 'page' | 'terminal' | 'markdown';

/** Where a part is shown, if not everywhere. A text is that of a terminal, and Markdown. */
type Only = 'page' | 'text' | 'markdown';

/**
 * A piece of a line. A text is words of ours that may quote a subject; a value is foreign. Each way to print it makes it safe to show
 * and shortens it.
 */
export type Piece =
  | string
  | { readonly value: string }
  | { readonly strong: string }
  | { readonly muted: string }
  /** An outcome as sign and word; another word where the outcome only lends its look. */
  | { readonly badge: Outcome | 'none'; readonly word?: string }
  | { readonly text: string; readonly to: string }
  | { readonly exchanges: readonly number[] }
  /** Mark-up of a page, such as a chart. */
  | { readonly picture: unknown };

export type Line = Piece | readonly Piece[];

/** A part of a section. Those with a label that follow each other are one list of facts. */
export type Block = { readonly label?: string; readonly only?: Only } & Content;

type Content =
  | { readonly text: Line; readonly look?: 'lead' | 'note' | 'what-first' }
  | { readonly list: readonly Line[] }
  | { readonly table: Table }
  | { readonly changes: readonly Change[] }
  /** Lines to copy, or to look at as they are. */
  | { readonly code: string; readonly language?: string }
  /** Two texts one above the other, with a mark where they part. */
  | Compared
  | { readonly command: string }
  | { readonly card: Card }
  | Fold
  /** The exchange behind a finding, on a page; whether it is there without scripts too. */
  | { readonly evidence: number; readonly inPage: boolean }
  | { readonly picture: unknown };

export interface Fold {
  readonly fold: Line;
  readonly count?: number;
  readonly anchor?: string;
  /** One of many that are listed: a requirement, an open point. */
  readonly isRow?: boolean;
  readonly blocks: readonly Block[];
}

export interface Compared {
  readonly compared: readonly [one: string, other: string];
  readonly names: readonly [one: string, other: string];
  /** Base strings: a page shows them whole. */
  readonly isLong?: boolean;
}

export interface Card {
  readonly outcome: Outcome;
  readonly title: Line;
  /** What follows the title on its line, in grey. */
  readonly place?: string;
  /** A page closes it, and shows this beside the title. */
  readonly because?: string;
  readonly anchor?: string;
  /** How many of what the section counts it stands for. */
  readonly count?: number;
  /** On the first screen: the frame that a page gives it. */
  readonly frame?: 'first' | 'hazard';
  readonly blocks: readonly Block[];
}

export interface Table {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  /** A row can be chosen by its kind: what kinds are called. */
  readonly filter?: string;
  readonly looks?: string;
}

export interface Row {
  readonly kind?: string;
  readonly anchor?: string;
  /** The first one is the head of the row. Lines of a cell stand under each other. */
  readonly cells: readonly (readonly Line[])[];
}

/** What was and what is: a row of a page, a line elsewhere. */
export interface Change {
  readonly name: string;
  readonly anchor?: string;
  readonly aside?: string;
  /** What kind of change it is, as the filter of a page names it, and as a heading. */
  readonly kind: string;
  readonly heading: string;
  /** Somebody has to look at it. */
  readonly asks: boolean;
  readonly old?: Line;
  readonly new?: Line;
  readonly note?: string;
  readonly only?: Only;
  /** How many it stands for, if not one. */
  readonly count?: number;
}

/** A labelled block; none where there is nothing to say. */
export function fact(label: string, text: Line | undefined, only?: Only): Block[] {
  return text === undefined || text === '' ? [] : [{ label, text, only }];
}

/** A paragraph; none where there is nothing to say. */
export function textOf(text: string | undefined): Block[] {
  return text === undefined ? [] : [{ text }];
}

/** Blocks that are shown there, those with a label that follow each other together. */
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
 * A section in parts, from the first one on as many as there is room for, and how many of what it counts are left out. A line of a list
 * is a part; a card that does not fit is its first line alone.
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

/** The sections of a text: changes are a section for each heading. What nobody has to look at comes last. */
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

/** Places that changed in the same way are one line. */
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
export function named(names: readonly string[]): string {
  const more = names.length - 3;
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A line without looks, safe to show; no value and no sentence has more than `limit` characters. */
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

/** The anchor of a row, made of characters that need no escaping in an address. */
export function rowAnchor(id: string): string {
  return `row-${id.replace(/[^\w/.-]/g, '_')}`;
}

interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** The numbers in ascending order, each once, three or more neighbours as one range. Many requirements have one list of exchanges. */
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
