/** The parts of a report, without markup: sections and blocks. terminal.ts, markdown.ts and pages/ print them. */
import { groupBy } from '../record/group-by.ts';
import { memoize } from '../record/memoize.ts';
import type { Outcome } from '../record/result/result.ts';
import { shortened, shortenedSentences, visible } from './visible.ts';

export interface Document {
  /** The name of the report, such as `Countersign comparison`. */
  readonly product: string;
  /** A word that a terminal prints before the verdict. */
  readonly label?: string;
  readonly outcome: Outcome;
  readonly verdict: string;
  /** The heading if the report is a page; default: the verdict. */
  readonly title?: string;
  readonly counts?: string;
  readonly name: string;
  readonly head: readonly Block[];
  readonly sections: readonly Section[];
  readonly end?: readonly Block[];
  /** Says where the reader finds omitted parts, such as `--json has them all`. */
  readonly moreHint: string;
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
  /** True if the section needs no attention. Markdown folds it, and terminal and Markdown print it last. */
  readonly isFolded?: boolean;
  readonly only?: Only;
  /** Maximum bytes of the section in Markdown. */
  readonly maxBytes?: number;
  readonly blocks: readonly Block[];
}

type Medium = 'page' | 'terminal' | 'markdown';

/** The only medium that shows a part. `text` means terminal and Markdown. */
type Only = 'page' | 'text' | 'markdown';

/** A part of a line. A string is text of the suite, `value` is text of the subject. Printers escape both. */
export type Piece =
  | string
  | { readonly value: string }
  | { readonly strong: string }
  | { readonly muted: string }
  /** Shows an outcome as a sign and a word. The default `word` is the name of the outcome. */
  | { readonly badge: Outcome | 'none'; readonly word?: string }
  | { readonly text: string; readonly to: string }
  | { readonly exchanges: readonly number[] }
  /** Markup of a page, such as a chart. */
  | { readonly picture: unknown };

export type Line = Piece | readonly Piece[];

/** A part of a section. Consecutive blocks with labels are printed as one list. */
export type Block = { readonly label?: string; readonly only?: Only } & Content;

type Content =
  | { readonly text: Line; readonly look?: 'lead' | 'note' | 'what-first' }
  | { readonly list: readonly Line[] }
  | { readonly table: Table }
  | { readonly changes: readonly Change[] }
  | { readonly code: string; readonly language?: string }
  | {
      readonly compared: readonly [one: string, other: string];
      readonly names: readonly [one: string, other: string];
      /** True for base strings, which are long: a page shows up to 4,000 characters of each. */
      readonly isLong?: boolean;
    }
  | { readonly command: string }
  | { readonly card: Card }
  | {
      readonly fold: Line;
      readonly count?: number;
      readonly anchor?: string;
      /** True if this folded part is one item of a list, such as a requirement. */
      readonly isRow?: boolean;
      readonly blocks: readonly Block[];
    }
  /** The exchange that a page shows for a finding. If `inPage` is true, the page shows it even without a script. */
  | { readonly evidence: number; readonly inPage: boolean }
  | { readonly picture: unknown };

export interface Card {
  readonly outcome: Outcome;
  readonly title: Line;
  /** A grey text after the title. */
  readonly place?: string;
  /** The reason for the outcome. If it is present, a page folds the card and shows the reason next to the title. */
  readonly because?: string;
  readonly anchor?: string;
  /** The number of items that the card describes; default 1. */
  readonly count?: number;
  /** Set for a card on the first screen: the card says what to fix first, or describes a hazard. */
  readonly frame?: 'first' | 'hazard';
  readonly blocks: readonly Block[];
}

export interface Table {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  /** The heading of a filter. If it is present, a page can filter the rows by kind. */
  readonly filter?: string;
  /** The CSS class of the table. */
  readonly looks?: string;
}

interface Row {
  readonly kind?: string;
  readonly anchor?: string;
  readonly cells: readonly (readonly Line[])[];
}

/** A change from an old to a new state. A page prints it as a row of a table, other media as one line. */
export interface Change {
  readonly name: string;
  readonly anchor?: string;
  readonly aside?: string;
  /** A page can filter changes by this word. */
  readonly kind: string;
  /** The heading under which terminal and Markdown print the change. */
  readonly heading: string;
  /** True if the change needs attention. */
  readonly asks: boolean;
  readonly old?: Line;
  readonly new?: Line;
  readonly note?: string;
  readonly only?: Only;
  /** The number of changes that the line describes; default 1. */
  readonly count?: number;
}

/** A block with a label; no block if the text is empty or undefined. */
export function fact(label: string, text: Line | undefined, only?: Only): Block[] {
  return text === undefined || text === '' ? [] : [{ label, text, only }];
}

/** A paragraph; no block if the text is undefined. */
export function textOf(text: string | undefined): Block[] {
  return text === undefined ? [] : [{ text }];
}

/** A list with the block; empty for undefined or false. */
export function optional(block: Block | undefined | false): Block[] {
  return block ? [block] : [];
}

/** The blocks that the medium shows, in groups. Consecutive blocks with labels form one group. */
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

interface FitOptions<T> {
  readonly print: (blocks: Block[]) => T;
  readonly size: (printed: T) => number;
  readonly limit: number;
  readonly maxItems: number;
}

/** Prints blocks up to `limit` and `maxItems`, and counts the rest. If a card is too long, prints only its heading. */
export function fit<T>(blocks: readonly Block[], { print, size, limit, maxItems }: FitOptions<T>, medium: Medium) {
  const parts = blockGroups(blocks, medium).flatMap((group): { all: Block[]; isLine: boolean }[] => {
    const [first] = group;
    if (!first || !('list' in first) || first.label !== undefined) return [{ all: group, isLine: false }];
    return first.list.map((line) => ({ all: [{ list: [line] }], isLine: true }));
  });
  const kept: { readonly printed: T; readonly isLine: boolean }[] = [];
  let budget = limit;
  let lineBudget = maxItems;
  let more = 0;
  let isShort = false;
  for (const { all, isLine } of parts) {
    const card = all[0] && 'card' in all[0] ? all[0].card : undefined;
    const short: Block[] = card ? [{ card: { ...card, place: card.because ?? card.place, blocks: [] } }] : [];
    const mayFit = more === 0 && (!isLine || lineBudget > 0);
    const printed = [all, short].map(print).find((one, at) => mayFit && size(one) <= budget && (at === 0 || card));
    if (printed === undefined) {
      more += card?.count ?? 1;
      continue;
    }
    isShort ||= size(printed) < size(print(all));
    budget -= size(printed);
    lineBudget -= Number(isLine);
    kept.push({ printed, isLine });
  }
  return { kept, more, isShort };
}

/** The sections for terminal and Markdown, folded ones last. Changes with the same heading form one section. */
export function textSections({ sections = [] }: Conclusion, medium: Medium): Section[] {
  return sections
    .filter((section) => isShown(section, medium))
    .flatMap((section) => {
      const changes = section.blocks.flatMap((block) => ('changes' in block ? block.changes : []));
      return changes.length === 0 ? [section] : [...groupBy(changes, ({ heading }) => heading).values()].map(toSection);
    })
    .filter(({ blocks }) => blockGroups(blocks, medium).length > 0)
    .sort((a, b) => Number(a.isFolded ?? false) - Number(b.isFolded ?? false));
}

function toSection(changes: readonly Change[]): Section {
  const { heading, asks } = changes[0]!;
  const lines = groupBy(
    changes.filter(({ only }) => only !== 'page'),
    (one) => JSON.stringify([changeText(one), one.anchor === undefined ? one.name : '']),
  );
  const list = [...lines.values()].map((same): Line => {
    const name = { value: named(same.map((one) => one.name)) };
    const text = changeText(same[0]!);
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

function changeText({ old, new: now, note }: Change): string {
  const [oldText, newText] = [old, now].map((line) => line && plainText(line, 1000));
  const change = [oldText, newText].filter((text) => text !== undefined).join(' -> ');
  return change !== '' && note ? `${change} (${note})` : change || (note ?? '');
}

/** A short list of names, such as `a, b, c and 4 more`. */
export function named(names: readonly string[], max = 3): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The escaped text of a line. Each value and each sentence is shortened to `limit` characters. */
export function plainText(line: Line, limit: number): string {
  if (isList(line)) return line.map((piece) => plainText(piece, limit)).join('');
  if (typeof line === 'string') return visible(shortenedSentences(line, limit));
  if ('value' in line) return line.value === '' ? '(empty)' : visible(shortened(line.value, limit));
  if ('badge' in line) return visible(line.word ?? line.badge);
  if ('exchanges' in line) return rangesText(line.exchanges);
  if ('picture' in line) return '';
  if ('strong' in line) return plainText(line.strong, limit);
  return plainText('muted' in line ? line.muted : line.text, limit);
}

export function isList(line: Line): line is readonly Piece[] {
  return Array.isArray(line);
}

/** The anchor of a requirement. Characters other than letters, digits and `_ / . -` become `_`. */
export function rowAnchor(id: string): string {
  return `row-${id.replace(/[^\w/.-]/g, '_')}`;
}

/** Sorts numbers. Three or more consecutive numbers become a range. Cached, because many requirements share a list. */
export const numberRanges = memoize((numbers: readonly number[]) => {
  const runs: { first: number; last: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && number <= run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  const single = (number: number) => ({ first: number, last: number });
  return runs.flatMap((run) => (run.last - run.first === 1 ? [single(run.first), single(run.last)] : [run]));
});

function rangesText(numbers: readonly number[]): string {
  return numberRanges(numbers)
    .map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`))
    .join(', ');
}
