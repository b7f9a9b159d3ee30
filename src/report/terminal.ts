/** Prints a document on a terminal, with colours and line breaks. */
import { formatTime } from '../record/pluralize.ts';
import { type Outcome, type OutcomeCounts, outcomes } from '../record/result/result.ts';
import { comparison } from './comparison.ts';
import {
  type Block,
  blockGroups,
  type Card,
  type Conclusion,
  fit,
  isList,
  type Line,
  plainText,
  type Table,
  textSections,
} from './document.ts';
import { charactersIn, visible, withoutCommand } from './visible.ts';

type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta';

/** The codes that switch a colour on and off (SGR, ECMA-48 section 8.3.117). */
const codes: Record<Ink, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
};

/** Besides its colour, each outcome has a sign, for terminals without colour and people who cannot see colours. */
export const signs: Record<Outcome, { readonly sign: string; readonly ink: Ink }> = {
  error: { sign: '!', ink: 'magenta' },
  fail: { sign: '✗', ink: 'red' },
  inconclusive: { sign: '?', ink: 'yellow' },
  pass: { sign: '✓', ink: 'green' },
  'not-applicable': { sign: '-', ink: 'dim' },
};

interface Layout {
  readonly colour?: boolean;
  readonly width?: number | undefined;
  readonly indent?: number;
  readonly most?: number;
  readonly limit?: number;
  readonly moreHint?: string;
}

/** A layout that shortens nothing. Use it if no file contains the complete text. */
export const unlimited = { most: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY };

/** Prints blocks without a conclusion. The text ends with a line end. */
export function blocksText(blocks: readonly Block[], layout: Omit<Layout, 'moreHint'> = {}): string {
  return `${printer({ ...unlimited, indent: 0, ...layout })(blocks).join('\n')}\n`;
}

/** Prints a document, its conclusion first. `screen` is the maximum number of lines. */
export function terminalText(
  document: Conclusion,
  { screen = Number.POSITIVE_INFINITY, ...layout }: Omit<Layout, 'moreHint'> & { readonly screen?: number },
): string {
  const { label, outcome, verdict, counts, moreHint = '' } = document;
  const { colour = false, width = textWidth(), most = 8 } = layout;
  const paint = painter(colour);
  const print = printer({ ...layout, moreHint });
  const first = paint(signs[outcome].ink, paint('bold', visible(verdict)));
  const head = [
    `${label === undefined ? '' : `${label}: `}${first}${counts === undefined ? '' : paint('dim', ` - ${visible(counts)}`)}`,
    ...print(document.head),
  ];
  const end = print(document.end ?? []);
  let free = screen - head.length - end.length - 4;
  const skipped: string[] = [];
  let isCut = false;
  const sectionLines = textSections(document, 'terminal').flatMap(({ title: name, count, blocks }) => {
    const title = visible(count === undefined ? name : `${name} (${count})`);
    const spaced = (part: Block[]) => {
      const lines = print(part);
      return part[0] !== undefined && 'card' in part[0] && lines.length > 3 ? ['', ...lines] : lines;
    };
    const size = (lines: readonly string[]) => lines.length;
    const { kept, more, isShort } = fit(blocks, { print: spaced, size, limit: free - 3, maxItems: most }, 'terminal');
    if (kept.length === 0) {
      skipped.push(title);
      return [];
    }
    isCut ||= isShort;
    const lines = kept.flatMap(({ printed }) => printed);
    free -= lines.length + 2 + Number(more > 0);
    return ['', paint('bold', title), ...lines, ...(more > 0 ? [`  … and ${more} more: ${moreHint}`] : [])];
  });
  const omitted = [...skipped, ...(isCut ? ['details of the lines above'] : [])].join(', ');
  const notice = omitted === '' ? [] : ['', ...wrap(`Not shown: ${omitted}. ${moreHint}.`, width)];
  return `${[...head, ...sectionLines, ...notice, ...(end.length === 0 ? [] : ['', ...end])]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function printer(layout: Layout): (blocks: readonly Block[]) => string[] {
  const { colour = false, width = textWidth(), indent = 2, most = 8, limit = 400, moreHint = '' } = layout;
  const paint = painter(colour);
  const margin = ' '.repeat(indent);
  const cellLimit = Number.isFinite(limit) ? 60 : limit;
  const indented = (text: string, label = '', labelWidth = 0) =>
    field(label, text, { indent, labelWidth, width }).map((line) => line.trimEnd());
  const compared = ({ compared: [one, other], names }: Extract<Block, { compared: unknown }>, labelWidth: number) => {
    const found = comparison(one, other, width - indent - labelWidth);
    if (found === undefined) return [];
    const [first, second, caret] = found;
    const lines = [first, second, paint('yellow', caret)];
    return lines.map((line, at) => `${margin}${(names[at] ?? '').padEnd(labelWidth)}${line}`);
  };
  const table = ({ head, rows }: Table) => {
    const texts = [head, ...rows.map(({ cells }) => cells.map(([line = '']) => plainText(line, cellLimit)))];
    const widths = head.map((_, at) => Math.max(...texts.map((cells) => charactersIn(cells[at] ?? ''))));
    const isNumber = head.map((_, at) => at > 0 && texts.slice(1).every((cells) => /^(?:\d+|\.)$/.test(cells[at]!)));
    return texts.map((cells, row) =>
      cells
        .map((cell, at) => {
          const padded = isNumber[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
          const ink = row === 0 ? undefined : inkOf(rows[row - 1]!.cells[at]![0]!);
          return ink === undefined ? padded : paint(ink, padded);
        })
        .join('  ')
        .trimEnd(),
    );
  };
  const heading = ({ outcome, title, place }: Card) => {
    const sign = paint(signs[outcome].ink, signs[outcome].sign);
    const name = plainText(title, limit);
    if (place === undefined) {
      return wrap(name, width - 2).map((line, at) => `${at === 0 ? sign : ' '} ${paint('bold', line)}`);
    }
    const firstLine = `${sign} ${paint('bold', name)}`;
    const [first = '', ...rest] = wrap(visible(place), width - indent);
    const isShort = rest.length === 0 && charactersIn(name) + charactersIn(first) + 4 <= width;
    if (isShort) return [`${firstLine}  ${paint('dim', first)}`];
    return [firstLine, ...[first, ...rest].map((line) => `${margin}${paint('dim', line)}`)];
  };
  const card = (one: Card) => {
    const spacing = one.frame === undefined ? [] : [''];
    return [...spacing, ...heading(one), ...print(one.blocks), ...spacing];
  };
  const printBlock = (block: Block, labelWidth: number): string[] => {
    // A terminal shows labels with a small first letter, except labels in capitals.
    const name = (block.label ?? '').replace(/^[A-Z](?![A-Z])/, (initial) => initial.toLowerCase());
    // Do not wrap commands and code, because a reader would copy the additional line ends.
    const plainLines = (text: string) =>
      text.split('\n').map((line, at) => `${margin}${(at === 0 ? name : '').padEnd(labelWidth)}${visible(line)}`);
    if ('text' in block) {
      const lines = indented(plainText(block.text, limit), name, labelWidth);
      return typeof block.text === 'object' && 'muted' in block.text ? lines.map((line) => paint('dim', line)) : lines;
    }
    if ('command' in block) return plainLines(block.command);
    if ('code' in block) return plainLines(block.code);
    if ('compared' in block) return compared(block, Math.max(labelWidth, 11));
    if ('card' in block) return card(block.card);
    if ('table' in block) return table(block.table);
    if ('fold' in block) {
      const count = block.count === undefined ? '' : ` (${block.count})`;
      return [paint('bold', `${plainText(block.fold, limit)}${count}`), ...print(block.blocks)];
    }
    if (!('list' in block)) return [];
    const more = block.list.length - most;
    return [
      ...block.list
        .slice(0, most)
        .flatMap((line, at) => indented(plainText(line, limit / 2), at === 0 ? name : '', labelWidth)),
      ...(more > 0 ? [`  … and ${more} more: ${moreHint}`] : []),
    ];
  };
  const print = (blocks: readonly Block[]): string[] =>
    blockGroups(blocks, 'terminal').flatMap((group, at) => {
      const widths = group.map((block) => ('compared' in block ? 0 : (block.label ?? '').length + 2));
      const labelWidth = group[0]?.label === undefined ? 0 : Math.max(11, ...widths);
      const lines = group.flatMap((block) => printBlock(block, labelWidth));
      return at > 0 && group[0] !== undefined && 'table' in group[0] ? ['', ...lines] : lines;
    });
  return print;
}

function inkOf(line: Line): Ink | undefined {
  const [piece] = isList(line) ? line : [line];
  if (typeof piece !== 'object') return undefined;
  if ('badge' in piece) return piece.badge === 'none' ? undefined : signs[piece.badge].ink;
  return 'muted' in piece ? 'dim' : undefined;
}

/** Returns a function that colours a text. If `colour` is false, the function returns the text unchanged. */
export function painter(colour: boolean): (ink: Ink, text: string) => string {
  if (!colour) return (_ink, text) => text;
  return (ink, text) => `\u001b[${codes[ink][0]}m${text}\u001b[${codes[ink][1]}m`;
}

/** True if the stream is a terminal with colours and NO_COLOR is unset or empty (no-color.org). */
export function mayColour(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

export function widthOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number | undefined {
  return stream.isTTY === true ? stream.columns || 80 : undefined;
}

/** The width of texts, 40 to 100 columns. Commands, code and tables may be wider, so that a reader can copy them. */
export function textWidth(columns = 100): number {
  return Math.min(Math.max(columns, 40), 100);
}

/** A space at which `wrap` does not break the line. */
export const noBreak = '\u00a0';

/**
 * Breaks text at spaces into lines of `width` characters. Does not break longer words or commands in backticks, so that
 * a reader can copy them. Disables `::` at the start of a line, because GitHub would read the line as a command.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.replace(/`[^`]+`/g, (command) => command.replaceAll(' ', noBreak)).split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || charactersIn(last) + 1 + charactersIn(word) > Math.max(width, 20)) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => withoutCommand(line.replaceAll(noBreak, ' ')));
}

/** Prints a label, and the wrapped text next to the label. */
export function field(label: string, text: string, layout: { indent: number; labelWidth: number; width: number }) {
  const { indent, labelWidth, width } = layout;
  return wrap(text, width - indent - labelWidth).map(
    (part, at) => `${' '.repeat(indent)}${(at === 0 ? label : '').padEnd(labelWidth)}${part}`,
  );
}

interface ScenarioEnd {
  readonly scenario: string;
  readonly counts: OutcomeCounts;
  readonly waiting?: number;
  readonly durationMs: number;
  readonly place: number;
  readonly of: number;
}

/** A line of progress, without a line end: the sign of the worst outcome, the scenario, counts and the time. */
export function progressLine(end: ScenarioEnd, { colour }: { readonly colour: boolean }): string {
  const paint = painter(colour);
  const seen = outcomes.filter((outcome) => end.counts[outcome] > 0);
  const [worst] = seen;
  const verdicts = seen.map((outcome) => paint(signs[outcome].ink, `${end.counts[outcome]} ${outcome}`));
  if (end.waiting !== undefined && end.waiting > 0) verdicts.push(`${end.waiting} decided at the end of the run`);
  if (verdicts.length === 0) verdicts.push('nothing to judge');
  const place = `[${String(end.place).padStart(String(end.of).length)}/${end.of}]`;
  const sign = worst === undefined ? ' ' : paint(signs[worst].ink, signs[worst].sign);
  return `${paint('dim', place)} ${sign} ${visible(end.scenario)}: ${verdicts.join(', ')} ${paint('dim', `(${formatTime(end.durationMs)})`)}`;
}
