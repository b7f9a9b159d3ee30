/** Reads HAR 1.2 entry by entry. Entries of this suite come back exactly, byte for byte. */
import { validate } from '../../schemas/index.ts';
import { type AnyCase, type Case, clientCase } from './case.ts';
import type { Exchange } from './exchange.ts';
import { groupBy } from './group-by.ts';
import { beyondHttp, type HarClient, HarError, type HarGateway, maxJudged } from './har.ts';
import { member, type ReadExchange, readExchange, textOr, tooLarge } from './har-entry.ts';
import { perScenario, type RecordedRun } from './run.ts';

interface ReadHar {
  readonly entries: readonly ReadExchange[];
  readonly run?: RecordedRun;
  readonly runId?: string;
}

/** The exchanges in the order of the file. Throws HarError if the file is not HAR, or if no entry can be read. */
export function fromHar(har: string | Uint8Array): readonly ReadExchange[] {
  return readHar(har).entries;
}

/** Reads the file and keeps only wanted entries; `number` counts from 1. Throws HarError, and errors of `isWanted`. */
export function readHar(
  har: string | Uint8Array | ByteSource,
  isWanted: (entry: ReadExchange, number: number) => boolean = () => true,
): ReadHar {
  const bytes = typeof har === 'string' ? Buffer.from(har) : har;
  const source = bytes instanceof Uint8Array ? sourceOf(bytes) : bytes;
  const { log, entries } = scanned(source);
  if (entries === undefined) throw new HarError('not-har', 'the file has no log with entries', aHar);
  checkOwn('recording', log, log, '');
  const reading: Reading = { source, log, bodies: new Map() };
  let judged = 0;
  const read = entries.map((place, index) => {
    const one = readEntry(place, index, reading);
    if (one.unreadable !== undefined) return one;
    if (!isWanted(one, index + 1)) return { exchange: nothing };
    judged += place[1] - place[0];
    if (judged > maxJudged) {
      const what = `the HAR file has more than ${maxJudged / 1024 / 1024} MB to judge`;
      throw new HarError('bad-entry', what, 'Record less traffic in one file.');
    }
    return one;
  });
  const [first] = read;
  if (first?.unreadable !== undefined && read.every(({ unreadable }) => unreadable !== undefined))
    throw first.unreadable;
  const runId = member(member(log, '_countersign'), 'runId') as string | undefined;
  const cases = read.flatMap(({ testCase }) => testCase ?? []);
  return { entries: read, runId, run: cases.length === 0 ? undefined : runOf(cases, log) };
}

/** In bytes of text. The limit is larger than the limit of a body, because base64 makes a body a third longer. */
const maxEntryBytes = 96 * 1024 * 1024;

interface Reading {
  readonly source: ByteSource;
  readonly log: unknown;
  readonly bodies: Map<string, Uint8Array>;
}

/** Throws HarError for an invalid entry of this suite. An invalid entry of another tool is `unreadable`. */
function readEntry([start, end]: PlaceInFile, index: number, reading: Reading): ReadExchange {
  const number = index + 1;
  let entry: unknown;
  try {
    if (end - start > maxEntryBytes) throw tooLarge(`entry ${number} of the HAR file has`, maxEntryBytes);
    entry = JSON.parse(textIn(reading.source.read(start, end), start));
    checkOwn('recording/entry', entry, reading.log, `entry ${number} of `);
    return readExchange(entry, number, reading.bodies, textOr(member(member(reading.log, 'creator'), 'name')));
  } catch (cause) {
    const isJson = !(cause instanceof SyntaxError);
    const reason = isJson ? (cause as Error).message : 'the entry is not JSON';
    const hint = 'Record the traffic again with a tool that writes HAR 1.2.';
    const message = `entry ${number} of the HAR file cannot be read: ${reason}`;
    const unreadable =
      cause instanceof HarError ? cause : new HarError(isJson ? 'bad-entry' : 'not-json', message, hint, cause);
    if ([reading.log, entry].some((one) => member(one, '_countersign') !== undefined)) throw unreadable;
    return { exchange: nothing, unreadable };
  }
}

const nothing: Exchange = {
  request: { method: '', ...beyondHttp, headers: [], body: Buffer.alloc(0) },
  startedAt: 0,
  durationMs: 0,
};

function runOf(cases: readonly Case[], log: unknown): RecordedRun {
  const client = member(log, '_client') as HarClient | undefined;
  if (client !== undefined) {
    const { calls, ...about } = client;
    const none = calls.map(({ scenario, number, ...call }) => clientCase({ scenario, number, exchanges: [] }, call));
    return { side: 'client', ...about, records: perScenario([...callsOf(cases), ...none]) };
  }
  const { scenarios = [], ...about }: Partial<HarGateway> = (member(log, '_gateway') as HarGateway | undefined) ?? {};
  const listOf = new Map<string, Case[]>();
  const records = scenarios.map(({ caseNumbers, ...rest }) => {
    const own: Case[] = [];
    for (const number of caseNumbers) listOf.set(`${rest.scenario}#${number}`, own);
    return { ...rest, cases: own };
  });
  const others = cases.filter((one) => listOf.get(`${one.scenario}#${one.number}`)?.push(one) === undefined);
  return { side: 'gateway', ...about, records: [...records, ...perScenario(others)] };
}

function callsOf(cases: readonly Case[]): AnyCase[] {
  const own = cases.filter(({ call }) => call !== undefined);
  return [...groupBy(own, ({ scenario, number }) => `${scenario}#${number}`).values()].map((requests) => {
    const { scenario, number, call } = requests.at(-1)!;
    return clientCase({ scenario, number, exchanges: requests.flatMap(({ exchanges }) => exchanges) }, call!);
  });
}

/** Throws HarError if a member of this suite is invalid. */
function checkOwn(name: 'recording' | 'recording/entry', part: unknown, log: unknown, place: string): void {
  const own = Object.entries(part ?? {}).filter(([key]) => ['_client', '_gateway', '_countersign'].includes(key));
  const [fault] = own.length === 0 ? [] : validate(name, Object.fromEntries(own));
  if (fault === undefined) return;
  const writer = ['name', 'version'].map((key) => member(member(log, 'creator'), key));
  const hint = writer.every((text) => typeof text === 'string' && text !== '')
    ? `${writer.join(' ').slice(0, 80)} wrote it: give the unchanged file, or judge it with that version.`
    : 'Give the unchanged file of the run.';
  throw new HarError('bad-run', `${place}the HAR file cannot be used: ${fault.sentence}`, hint);
}

/** Like `scanHar`, but if the file is of another known form, the HarError names that form. */
function scanned(source: ByteSource): ReturnType<typeof scanHar> {
  try {
    return scanHar(source);
  } catch (cause) {
    const start = source.read(0, Math.min(8, source.length)).toString('latin1');
    const end = source.read(Math.max(0, source.length - 64), source.length).toString('latin1');
    const other = otherFiles.find(([form]) => form.test(start));
    if (cause instanceof HarError && other === undefined) throw cause;
    const isCut = /^\s*\{/.test(start) && !/\}\s*$/.test(end);
    const ours = isCut ? cutOff : (['', 'the file is not JSON', aHar] as const);
    const [, what, hint] = other ?? ours;
    throw new HarError('not-json', what, hint, cause);
  }
}

const aHar = 'Give a HAR 1.2 file of a run, a browser or a proxy.';

const cutOff = ['', 'the JSON of the file is not complete', 'Give the whole file.'] as const;

/** Other files that recorders and browsers write. Each form is recognized by the first bytes of the file. */
const otherFiles: readonly (readonly [form: RegExp, what: string, hint: string])[] = [
  [/^$/, 'the file is empty', 'End the recording, then save the HAR file.'],
  [/^\x1f\x8b/, 'the file is compressed (gzip)', 'Decompress it first.'],
  [/^PK\x03\x04/, 'the file is a zip archive', 'Unpack the archive, and give the HAR file inside.'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'the file is UTF-16', 'Save the file as UTF-8.'],
  [/^\d+:/, 'the file is a flow file of mitmproxy', 'Convert to HAR: mitmdump -nr FILE --set hardump=FILE.har.'],
];

interface ByteSource {
  readonly length: number;
  read(start: number, end: number): Buffer;
}

export function sourceOf(input: Uint8Array): ByteSource {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  return { length: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}

type PlaceInFile = readonly [start: number, end: number];

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Returns `log` without its entries, and the place of each entry. Finds entries only by brackets and strings; JSON.parse reads
 * the rest. Throws SyntaxError if the file is not JSON, HarError if the file is not UTF-8.
 */
export function scanHar(source: ByteSource): {
  readonly log: unknown;
  readonly entries?: readonly PlaceInFile[] | undefined;
} {
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
    const [first, chunk] = [at, source.read(at, Math.min(at + 128 * 1024, source.length))];
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
  // Ignore a byte-order mark, as RFC 8259 section 8.1 allows: browsers on Windows write one.
  const log = member(JSON.parse(textIn(Buffer.concat(rest), 0).replace(/^\ufeff/, '')), 'log');
  // If the member `entries` occurs twice, the last one counts, as in JSON.parse.
  const numbers = member(log, 'entries');
  if (!Array.isArray(numbers)) return { log, entries: undefined };
  return { log: { ...(log as object), entries: undefined }, entries: numbers.map((number) => places[number]!) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `start` is the place in the file. Throws HarError if the bytes are not UTF-8: judges must not see replaced characters. */
function textIn(bytes: Buffer, start: number): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    const what = `the HAR file is not UTF-8 between bytes ${start} and ${start + bytes.length}`;
    throw new HarError('not-json', what, 'Save the file as UTF-8 (RFC 8259 section 8.1).', cause);
  }
}
