/**
 * A HAR file in parts: where each entry is in its bytes, and the other members of its log. A recording of many megabytes is
 * then read entry by entry, and neither its bytes nor its text nor its tree is ever whole in memory.
 */
import { HarError } from './har-error.ts';

/** Bytes in memory or in a file. */
export interface ByteSource {
  readonly length: number;
  /** Whether all of them are in memory anyway. */
  readonly isWhole: boolean;
  /**
   * Whether messages and calls are read from it each time that they are asked for, and none are kept in memory: those of `all`
   * entries, or of what is not known to be the answers of a gateway, which are looked at once for each requirement.
   */
  readonly onDemand?: 'all' | 'of-clients';
  /** Those from `start` to `end`, which is not among them. */
  read(start: number, end: number): Buffer;
}

/** The source of bytes that are in memory. */
export function sourceOf(given: Uint8Array): ByteSource {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  return { length: bytes.length, isWhole: true, read: (start, end) => bytes.subarray(start, end) };
}

export interface HarParts {
  /** `log` without its entries; what was there where it is not an object. */
  readonly log: unknown;
  /** Where the JSON text of each entry is, in the order of the file; undefined where the log has no list of entries. */
  readonly entries: readonly PlaceInFile[] | undefined;
}

/** Throws SyntaxError where the bytes are not JSON, HarError where they are not UTF-8; what is wrong inside an entry shows once that is parsed. */
export function harParts(source: ByteSource): HarParts {
  const bytes = windowOn(source);
  // RFC 8259 section 8.1 allows a reader to ignore a byte-order mark, and browsers on Windows write one.
  const start = skipBlanks(bytes, source.read(0, Math.min(3, source.length)).equals(mark) ? 3 : 0);
  let parts: HarParts = { log: undefined, entries: undefined };
  // Of members of one name the last one counts, as JSON.parse has it. Everything is gone through once: a second look at
  // hundreds of megabytes takes as long as to parse them.
  const { end } = value(bytes, start, (name, at) => {
    if (name !== 'log') return value(bytes, at).end;
    const log = logOf(bytes, at);
    parts = log.parts;
    return log.end;
  });
  if (skipBlanks(bytes, end) !== bytes.length) throw new SyntaxError('something follows the value');
  return parts;
}

/** First byte, and the one behind the last. */
export type PlaceInFile = readonly [start: number, end: number];

const mark = Buffer.from('\ufeff');
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** What is looked at byte by byte, and from its start to its end. */
export interface FileWindow {
  readonly length: number;
  /** Undefined behind the end. */
  at(place: number): number | undefined;
  /** Those that are in memory with it. */
  around(place: number): { readonly chunk: Buffer; readonly first: number };
  text(place: PlaceInFile): string;
}

/** Bytes that are in memory at once: more takes longer where entries are asked for in another order than that of the file. */
const windowSize = 128 * 1024;

/** Bytes between two texts that are asked for one after the other. */
const mostBetween = 64;

/** Bytes that are asked for one after the other are read many at a time. */
export function windowOn(source: ByteSource): FileWindow {
  let [first, behind] = [0, 0];
  let bytes: Buffer = Buffer.alloc(0);
  const move = (place: number) => {
    first = place;
    bytes = source.read(first, Math.min(first + windowSize, source.length));
  };
  const at = (place: number): number | undefined => {
    const known = bytes[place - first];
    if (known !== undefined || place < 0 || place >= source.length) return known;
    move(place);
    return bytes[place - first];
  };
  const around = (place: number) => {
    at(place);
    return { chunk: bytes, first };
  };
  const text = ([start, end]: PlaceInFile): string => {
    const isNext = start >= behind && start - behind <= mostBetween;
    behind = end;
    if (start < first || end > first + bytes.length) {
      if (!isNext || end - start > windowSize) return textOf(source.read(start, end), start);
      move(start);
    }
    return textOf(bytes.subarray(start - first, end - first), start);
  };
  return { length: source.length, at, around, text };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws HarError: another character in the place of what is not UTF-8 would be judged as if it had been recorded. */
function textOf(bytes: Buffer, start: number): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    const place = `between its bytes ${start} and ${start + bytes.length}`;
    throw new HarError(
      'not-json',
      `the HAR file is not UTF-8 ${place}`,
      'Save it as UTF-8 (RFC 8259 section 8.1).',
      cause,
    );
  }
}

function logOf(bytes: FileWindow, start: number): { readonly parts: HarParts; readonly end: number } {
  const rest: [string, unknown][] = [];
  let entries: PlaceInFile[] | undefined;
  const { parsed, end } = value(bytes, start, (name, at) => {
    if (name === 'entries' && bytes.at(at) === openList) {
      const items: PlaceInFile[] = [];
      entries = items;
      return eachOf(bytes, at, closeList, (item) => {
        const behind = endOfValue(bytes, item);
        items.push([item, behind]);
        return behind;
      });
    }
    const one = value(bytes, at);
    if (name === 'entries') entries = undefined;
    else rest.push([name, one.parsed]);
    return one.end;
  });
  return { parts: { log: parsed === undefined ? Object.fromEntries(rest) : parsed, entries }, end };
}

/** Gets the name of a member and where its value is, and gives back the end of that. */
type Walk = (name: string, at: number) => number;

/** The end of the value that starts there. It is parsed, unless it is an object that there is a walk through. */
function value(bytes: FileWindow, start: number, walk?: Walk): { readonly parsed?: unknown; readonly end: number } {
  if (walk === undefined || bytes.at(start) !== openObject) {
    const end = endOfValue(bytes, start);
    return { parsed: JSON.parse(bytes.text([start, end])), end };
  }
  const member = (at: number) => {
    if (bytes.at(at) !== quote) throw new SyntaxError('a name is missing');
    const end = endOfValue(bytes, at);
    const behind = skipBlanks(bytes, end);
    if (bytes.at(behind) !== colon) throw new SyntaxError('a colon is missing');
    return walk(String(JSON.parse(bytes.text([at, end]))), skipBlanks(bytes, behind + 1));
  };
  return { end: eachOf(bytes, start, closeObject, member) };
}

/** The end of the list or the object that starts there; `one` gives that of each member. */
function eachOf(bytes: FileWindow, start: number, close: number | undefined, one: (at: number) => number): number {
  let at = skipBlanks(bytes, start + 1);
  if (bytes.at(at) === close) return at + 1;
  for (;;) {
    at = skipBlanks(bytes, one(at));
    if (bytes.at(at) === close) return at + 1;
    if (bytes.at(at) !== comma) throw new SyntaxError('a comma is missing');
    at = skipBlanks(bytes, at + 1);
  }
}

function skipBlanks(bytes: FileWindow, start: number): number {
  let at = start;
  while (bytes.at(at) === 0x20 || bytes.at(at) === 0x0a || bytes.at(at) === 0x0d || bytes.at(at) === 0x09) at += 1;
  return at;
}

/** Behind the value that starts there: brackets are counted and texts are passed over, and that is all that is looked at. */
function endOfValue(bytes: FileWindow, start: number): number {
  let [depth, inText] = [0, false];
  for (let at = start; at < bytes.length; ) {
    // The bytes that are at hand are gone through without a call for each: most of a recording is texts.
    const { chunk, first } = bytes.around(at);
    for (; at < first + chunk.length; at += 1) {
      const byte = chunk[at - first]!;
      if (inText) {
        if (byte === backslash) at += 1;
        else if (byte === quote) {
          if (depth === 0) return at + 1;
          inText = false;
        }
      } else if (byte === quote) inText = true;
      else if (byte === openObject || byte === openList) depth += 1;
      else if (byte === closeObject || byte === closeList) {
        // The bracket of whatever encloses a number or a word.
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (byte === comma || byte <= 0x20)) return at;
    }
  }
  if (depth > 0 || inText) throw new SyntaxError('a bracket or a text is not closed');
  return bytes.length;
}
