/** Where the entries of a HAR file are: it is then read entry by entry, and its bytes are never whole in memory. */
import { HarError } from './har-error.ts';
import { member } from './har-values.ts';

/** Bytes in memory or in a file. */
export interface ByteSource {
  readonly length: number;
  /** Those from `start` to `end`, which is not among them. */
  read(start: number, end: number): Buffer;
}

/** The source of bytes that are in memory. */
export function sourceOf(given: Uint8Array): ByteSource {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  return { length: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}

/** First byte, and the one behind the last. */
export type PlaceInFile = readonly [start: number, end: number];

export interface ScannedHar {
  /** `log` without its entries; what was there where it is not an object. */
  readonly log: unknown;
  /** Where the JSON text of each entry is, in the order of the file; undefined where the log has no list of entries. */
  readonly entries: readonly PlaceInFile[] | undefined;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Bytes that are in memory at once. */
const chunkSize = 128 * 1024;

/**
 * Follows brackets and texts alone: JSON.parse reads what is around the entries, with the number of each in its place. Throws
 * SyntaxError where that is not JSON, HarError where it is not UTF-8; what is wrong inside an entry shows once that is parsed.
 */
export function scanHar(source: ByteSource): ScannedHar {
  const places: PlaceInFile[] = [];
  const rest: Buffer[] = [];
  const [opened, names]: [number[], string[]] = [[], []];
  let [depth, inText, inEntries, textStart, textEnd, restStart] = [0, false, false, 0, 0, 0];
  let entry: number | undefined;
  const endEntry = (end: number) => {
    rest.push(Buffer.from(` ${places.length} `));
    places.push([entry!, end]);
    [entry, restStart] = [undefined, end];
  };
  for (let at = 0; at < source.length; ) {
    const [first, chunk] = [at, source.read(at, Math.min(at + chunkSize, source.length))];
    for (; at < first + chunk.length; at += 1) {
      const byte = chunk[at - first]!;
      if (inText) {
        if (byte === backslash) at += 1;
        else if (byte === quote) {
          [inText, textEnd] = [false, at + 1];
          if (entry !== undefined && depth === 3) endEntry(at + 1);
        }
        continue;
      }
      const isEnd = byte === comma || byte === closeList || byte === closeObject || byte <= 0x20;
      if (inEntries && depth === 3) {
        if (entry !== undefined && isEnd) endEntry(at);
        else if (entry === undefined && !isEnd) {
          rest.push(source.read(restStart, at));
          entry = at;
        }
      }
      if (byte === quote) [inText, textStart] = [true, at];
      else if (byte === openObject || byte === openList) {
        const isOfLog = opened[0] === openObject && opened[1] === openObject && names[0] === 'log';
        if (depth === 2) inEntries = byte === openList && isOfLog && names[1] === 'entries';
        if (depth < 2) opened[depth] = byte;
        depth += 1;
      } else if (byte === closeObject || byte === closeList) {
        depth -= 1;
        if (entry !== undefined && depth === 3) endEntry(at + 1);
      } else if (byte === colon && (depth === 1 || depth === 2)) {
        names[depth - 1] = String(JSON.parse(textIn(source.read(textStart, textEnd), textStart)));
      }
    }
  }
  rest.push(source.read(entry ?? restStart, source.length));
  // RFC 8259 section 8.1 allows a reader to ignore a byte-order mark, and browsers on Windows write one.
  const log = member(JSON.parse(textIn(Buffer.concat(rest), 0).replace(/^\ufeff/, '')), 'log');
  // Of members of one name the last one counts, as JSON.parse has it.
  const numbers = member(log, 'entries');
  if (!Array.isArray(numbers)) return { log, entries: undefined };
  return { log: { ...(log as object), entries: undefined }, entries: numbers.map((number) => places[number]!) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes that start there in the file. Throws HarError: another character in the place of what is not UTF-8 would be judged as if it had been recorded. */
export function textIn(bytes: Buffer, start: number): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    const what = `the HAR file is not UTF-8 between its bytes ${start} and ${start + bytes.length}`;
    throw new HarError('not-json', what, 'Save it as UTF-8 (RFC 8259 section 8.1).', cause);
  }
}
