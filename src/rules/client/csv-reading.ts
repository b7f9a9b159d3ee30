/** A lenient CSV parser (section 2.3, quoting of RFC 4180). It lists the faults that it repairs. */
import { utf8Text } from '../../protocol/index.ts';

interface CsvCell {
  readonly text: string;
  readonly quoted: boolean;
}

export interface CsvReading {
  readonly delimiter: string;
  /** All rows, including the row of column names. */
  readonly rows: readonly (readonly CsvCell[])[];
  readonly charsetFaults: readonly string[];
  readonly quoteFaults: readonly string[];
  /** True if cells are quoted with apostrophes instead of double quotes. */
  readonly apostrophes: boolean;
  readonly nonAscii: boolean;
  readonly lineEnds: readonly string[];
  readonly finalNewline: boolean;
}

/** Column names of section 2.3. */
export const knownColumns = [
  'client-orderid',
  'recurring-payment-id',
  'amount',
  'amount-from',
  'amount-to',
  'amount-sequence',
];

/** How many lines may precede the column names. Such a line is, for example, the title of a spreadsheet. */
export const maxBefore = 5;

export function readCsv(bytes: Uint8Array): CsvReading {
  const { text, charsetFaults, nonAscii } = readText(bytes);
  const delimiter = delimiterOf(text);
  return { delimiter, charsetFaults, nonAscii, ...tokens(text, delimiter) };
}

/** A name in lower case, without punctuation and white space. */
export function plainName(name: string): string {
  // A longer text is no column name: the first line of a faulty batch may have megabytes.
  return name.length > 1000 ? name : name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function readText(bytes: Uint8Array): Pick<CsvReading, 'charsetFaults' | 'nonAscii'> & { readonly text: string } {
  const wide = utf16Of(bytes);
  if (wide !== undefined)
    return { text: new TextDecoder(wide).decode(bytes), charsetFaults: ['UTF-16'], nonAscii: true };
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const rest = marked ? bytes.subarray(3) : bytes;
  const charsetFaults = marked ? ['a byte-order mark'] : [];
  try {
    const text = utf8Text(rest);
    return { text, charsetFaults, nonAscii: text.length !== rest.length };
  } catch {
    charsetFaults.push('bytes that are not UTF-8');
    return { text: new TextDecoder('windows-1252').decode(rest), charsetFaults, nonAscii: true };
  }
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined)
    ? 'utf-16be'
    : undefined;
}

/** The delimiter that splits the line of names into the most known names, then into the most cells. `;` wins a tie. */
function delimiterOf(text: string): string {
  const [first = '', ...others] = text.slice(0, 4096).split(/\r\n|\n|\r/, maxBefore + 1);
  const known = new Set(knownColumns.map(plainName));
  const namesIn = (one: string) => one.split(/[;,\t|:]/).filter((cell) => known.has(plainName(cell))).length;
  const line = namesIn(first) > 0 ? first : (others.find((one) => namesIn(one) > 1) ?? first);
  const scored = [';', ',', '\t', '|', ':'].map((delimiter) => {
    const cells = line.split(delimiter);
    return { delimiter, score: cells.filter((cell) => known.has(plainName(cell))).length * 1000 + cells.length };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return scored[0]!.score > 1 && best.score < 1000 ? ';' : best.delimiter;
}

function tokens(text: string, delimiter: string) {
  // `csv-header-quoted` reports apostrophes instead of quotes, so read such cells as quoted.
  const apostrophes = text.startsWith("'");
  const ends = new RegExp(`[${delimiter}\\r\\n]`, 'g');
  const quoteFaults = new Set<string>();
  const lineEnds = new Set<string>();
  const rows: CsvCell[][] = [];
  let row: CsvCell[] = [];
  let at = 0;
  while (at < text.length) {
    const isQuoted = text[at] === '"' || (apostrophes && text[at] === "'");
    const { cell, end } = isQuoted ? quotedCell(text, at, delimiter, quoteFaults) : bareCell(text, at, ends);
    if (!cell.quoted && cell.text.includes('"')) quoteFaults.add('a quote in a cell without quotes');
    row.push(cell);
    at = end;
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) row.push({ text: '', quoted: false });
      continue;
    }
    rows.push(row);
    row = [];
    const lineEnd = text.startsWith('\r\n', at) ? '\r\n' : (text[at] ?? '');
    if (lineEnd !== '') lineEnds.add(lineEnd);
    at += lineEnd.length;
  }
  if (row.length > 0) rows.push(row);
  if (lineEnds.has('\r')) quoteFaults.add('a carriage return instead of a line feed');
  return {
    rows,
    apostrophes,
    quoteFaults: [...quoteFaults],
    lineEnds: [...lineEnds],
    finalNewline: /[\r\n]$/.test(text),
  };
}

function bareCell(text: string, start: number, ends: RegExp) {
  ends.lastIndex = start;
  const end = ends.exec(text)?.index ?? text.length;
  return { cell: { text: text.slice(start, end), quoted: false }, end };
}

/** If a quote inside a cell is not doubled, it counts as text, and a backslash before it is dropped. */
function quotedCell(text: string, start: number, delimiter: string, faults: Set<string>) {
  const quote = text[start]!;
  let value = '';
  let from = start + 1;
  for (;;) {
    const found = text.indexOf(quote, from);
    if (found === -1) {
      faults.add('a quote that is not closed');
      return { cell: { text: value + text.slice(from), quoted: true }, end: text.length };
    }
    value += text.slice(from, found);
    from = found + 1;
    if (text[from] === quote) {
      value += quote;
      from++;
    } else if (from === text.length || [delimiter, '\n', '\r'].includes(text[from]!)) {
      return { cell: { text: value, quoted: true }, end: from };
    } else {
      faults.add('a quote that is not doubled');
      value = `${value.replace(/\\$/, '')}${quote}`;
    }
  }
}
