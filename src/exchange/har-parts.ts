/**
 * A HAR file in parts: where each entry stands in its bytes, and the other members of its log. A recording of many megabytes is
 * then read entry by entry, and neither its text nor its tree is ever whole in memory.
 */

export interface HarParts {
  /** `log` without its entries; what was there where it is no object. */
  readonly log: unknown;
  /** The JSON text of each entry, in the order of the file; undefined where the log has no list of entries. */
  readonly entries: readonly Uint8Array[] | undefined;
}

/** Throws SyntaxError where the bytes are not JSON; what is wrong inside an entry shows once that is parsed. */
export function harParts(given: Uint8Array): HarParts {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  // RFC 8259 section 8.1 allows a reader to ignore a byte-order mark, and browsers on Windows write one.
  const start = skipBlanks(bytes, bytes.subarray(0, 3).equals(mark) ? 3 : 0);
  const end = endOfValue(bytes, start);
  if (skipBlanks(bytes, end) !== bytes.length) throw new SyntaxError('something stands behind the value');
  let parts: HarParts = { log: undefined, entries: undefined };
  // Of members of one name the last one counts, as JSON.parse has it.
  for (const [name, value] of members(bytes, start)) {
    if (name === 'log') parts = logOf(bytes, value);
    else parsed(bytes, value);
  }
  return parts;
}

/** First byte, and the one behind the last. */
type Place = readonly [start: number, end: number];

const mark = Buffer.from('\ufeff');
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

function logOf(bytes: Buffer, log: Place): HarParts {
  if (bytes[log[0]] !== openObject) return { log: parsed(bytes, log), entries: undefined };
  const rest: [string, unknown][] = [];
  let entries: Uint8Array[] | undefined;
  for (const [name, value] of members(bytes, log[0])) {
    if (name !== 'entries') rest.push([name, parsed(bytes, value)]);
    else if (bytes[value[0]] === openList) entries = [...items(bytes, value[0])].map((item) => bytes.subarray(...item));
    else {
      parsed(bytes, value);
      entries = undefined;
    }
  }
  return { log: Object.fromEntries(rest), entries };
}

function parsed(bytes: Buffer, [start, end]: Place): unknown {
  return JSON.parse(bytes.toString('utf8', start, end));
}

/** The members of the object that starts there; of any other value none, once it has been found to be JSON. */
function* members(bytes: Buffer, start: number): Generator<readonly [name: string, value: Place]> {
  if (bytes[start] !== openObject) {
    parsed(bytes, [start, endOfValue(bytes, start)]);
    return;
  }
  let at = skipBlanks(bytes, start + 1);
  if (bytes[at] === closeObject) return;
  for (;;) {
    if (bytes[at] !== quote) throw new SyntaxError('a name is missing');
    const name: Place = [at, endOfText(bytes, at)];
    at = skipBlanks(bytes, name[1]);
    if (bytes[at] !== colon) throw new SyntaxError('a colon is missing');
    at = skipBlanks(bytes, at + 1);
    const value: Place = [at, endOfValue(bytes, at)];
    yield [String(parsed(bytes, name)), value];
    at = skipBlanks(bytes, value[1]);
    if (bytes[at] === closeObject) return;
    if (bytes[at] !== comma) throw new SyntaxError('a comma is missing');
    at = skipBlanks(bytes, at + 1);
  }
}

function* items(bytes: Buffer, start: number): Generator<Place> {
  let at = skipBlanks(bytes, start + 1);
  if (bytes[at] === closeList) return;
  for (;;) {
    const item: Place = [at, endOfValue(bytes, at)];
    yield item;
    at = skipBlanks(bytes, item[1]);
    if (bytes[at] === closeList) return;
    if (bytes[at] !== comma) throw new SyntaxError('a comma is missing');
    at = skipBlanks(bytes, at + 1);
  }
}

function skipBlanks(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
  return at;
}

/** Behind the value that starts there: brackets are counted and texts are passed over, and that is all that is looked at. */
function endOfValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfText(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === openObject || byte === openList) depth += 1;
    else if (byte === closeObject || byte === closeList) {
      // The bracket of whatever stands around a number or a word.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === comma || byte <= 0x20)) return at;
    at += 1;
  }
  if (depth > 0) throw new SyntaxError('a bracket is not closed');
  return bytes.length;
}

/** Behind the quote that closes the text: one with an odd number of backslashes before it is part of the text. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let before = at - 1;
    while (bytes[before] === backslash) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  throw new SyntaxError('a text is not closed');
}
