/** Strict readings of a request's parts for the schemas, other than those of judges: what is not right by the letter is not read. */

export type Pairs = readonly (readonly [name: string, value: string])[];

/** A backslash before a quote is right in a realm; what else has one is refused for its encoding. */
const parameter = /[ \t]*([^\s=",;&']+)="((?:[^"\\]|\\.)*|[^"]*)"[ \t]*(?:,(?![ \t]*$)|$)/y;
const encoded = /^(?:[\w.~-]|%[0-9A-Fa-f]{2})*$/;

/** The parameters behind the OAuth scheme (RFC 5849 section 3.5.1), decoded; undefined where the header is not in that form. */
export function readOAuthHeader(line: string): Pairs | undefined {
  const text = /^oauth(?:[ \t]+([\s\S]*))?$/i.exec(line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
  if (text === null) return undefined;
  const list = text[1] ?? '';
  const pairs: (readonly [string, string])[] = [];
  parameter.lastIndex = 0;
  while (parameter.lastIndex < list.length) {
    const [whole, name = '', value = ''] = parameter.exec(list) ?? [];
    if (whole === undefined || !(encoded.test(value) || /^realm$/i.test(name))) return undefined;
    pairs.push([decodedOrAsSent(name), decodedOrAsSent(value)]);
  }
  return pairs;
}

function decodedOrAsSent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Characters of a piece that is looked for among those before, and how many of these are kept. */
const [short, mostKept] = [12, 65_536];

/** Names and values of a form in which each % starts an escape; what is not UTF-8 becomes U+FFFD. */
export function readFormPairs(body: Uint8Array): Pairs {
  const pieces = Buffer.from(body).toString('latin1').split('&');
  // A body may have the same few characters a million times.
  const known = new Map<string, Pairs[number]>();
  const pairs: Pairs[number][] = [];
  for (const piece of pieces) {
    if (piece === '') continue;
    const before = piece.length <= short ? known.get(piece) : undefined;
    const pair = before ?? readPair(piece);
    if (before === undefined && piece.length <= short && known.size < mostKept) known.set(piece, pair);
    pairs.push(pair);
  }
  return pairs;
}

function readPair(piece: string): Pairs[number] {
  const equals = piece.indexOf('=');
  if (equals === -1) return [unescaped(piece), ''];
  return [unescaped(piece.slice(0, equals)), unescaped(piece.slice(equals + 1))];
}

function unescaped(text: string): string {
  if (!/[%+\x80-\xff]/.test(text)) return text;
  const bytes = text.replaceAll('+', ' ').replace(/%(..)/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export interface PlainCsv {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

const cell = /("(?:[^"]|"")*"|[^";\r\n]*)(;|\r?\n|$)/y;

/** A CSV with `;` and quoted names whose rows have as many cells as names (section 2.3, RFC 4180); undefined for any other text. */
export function readCsvTable(bytes: Uint8Array): PlainCsv | undefined {
  const lines = linesOf(bytes);
  const [names, ...rows] = lines ?? [];
  if (names === undefined || names.some((name) => !name.startsWith('"'))) return undefined;
  if (rows.some((row) => row.length !== names.length)) return undefined;
  const columns = names.map(unquoted);
  return {
    columns,
    // Of a name that comes twice the first cell counts.
    rows: rows.map((row) =>
      Object.fromEntries(row.map((text, at) => [columns[at]!, unquoted(text)] as const).reverse()),
    ),
  };
}

function linesOf(bytes: Uint8Array): string[][] | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const lines: string[][] = [[]];
  let end = '\n';
  cell.lastIndex = 0;
  while (cell.lastIndex < text.length || end === ';') {
    const found = cell.exec(text);
    if (found === null) return undefined;
    if (end !== ';' && lines.at(-1)!.length > 0) lines.push([]);
    lines.at(-1)!.push(found[1]!);
    end = found[2]!;
  }
  return lines;
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}
