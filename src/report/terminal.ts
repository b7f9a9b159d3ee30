/** Ink and line breaks for a terminal. All text that comes from elsewhere goes through `visible` before it gets here. */
import type { Outcome } from '../record/result/result.ts';
import { withoutOrder } from './visible.ts';

export type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta';

/** SGR codes on and off, ECMA-48 section 8.3.117. */
const codes: Record<Ink, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
};

/** One sign and one colour for each outcome, so that nothing is said by colour alone. */
export const signs: Record<Outcome, { readonly sign: string; readonly ink: Ink }> = {
  error: { sign: '!', ink: 'magenta' },
  fail: { sign: '✗', ink: 'red' },
  inconclusive: { sign: '?', ink: 'yellow' },
  pass: { sign: '✓', ink: 'green' },
  'not-applicable': { sign: '-', ink: 'dim' },
};

export type Paint = (ink: Ink, text: string) => string;

/** A painter that colours, or one that leaves text unchanged. */
export function painter(colour: boolean): Paint {
  if (!colour) return (_ink, text) => text;
  return (ink, text) => `\u001b[${codes[ink][0]}m${text}\u001b[${codes[ink][1]}m`;
}

/**
 * Whether output to a stream may be coloured: only on a terminal, and only if NO_COLOR is unset or empty
 * (no-color.org) and the terminal is not a dumb one.
 */
export function mayColour(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Columns of a terminal; undefined for a file or a pipe. A terminal that does not know its width says 0. */
export function widthOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number | undefined {
  return stream.isTTY === true ? stream.columns || 80 : undefined;
}

/**
 * The text broken at spaces into lines of at most `width` characters. A word that is longer than a line is broken where
 * the line ends, since values have no spaces to break at. No line starts with `::`, wherever the text was broken: in the
 * log of a build that would be an order.
 */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(width, 20);
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && length(current) + 1 + length(word) <= room) {
      current += ` ${word}`;
      continue;
    }
    if (current !== '') lines.push(current);
    const pieces = chunks(word, room);
    current = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  if (current !== '' || lines.length === 0) lines.push(current);
  return lines.map(withoutOrder);
}

/** `label` and wrapped text beside it; the following lines are under the first one's text. */
export function field(label: string, text: string, layout: { indent: number; labelWidth: number; width: number }) {
  const margin = ' '.repeat(layout.indent);
  const room = layout.width - layout.indent - layout.labelWidth;
  return wrap(text, room).map(
    (part, index) => `${margin}${(index === 0 ? label : '').padEnd(layout.labelWidth)}${part}`,
  );
}

function chunks(word: string, room: number): string[] {
  const characters = [...word];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += room) {
    pieces.push(characters.slice(start, start + room).join(''));
  }
  return pieces;
}

function length(text: string): number {
  return [...text].length;
}
