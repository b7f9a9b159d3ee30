/** HAR 1.2 to exchanges: ours come back exactly, and those that another tool recorded as exactly as it wrote them. */
import { validate } from '../../schemas/index.ts';
import type { Case, ClientCall } from './case.ts';
import type { ClientCase, ClientRun } from './client-case.ts';
import { CodedError } from './coded-error.ts';
import { type EqualParts, equalParts } from './equal-parts.ts';
import { type Exchange, excessOf, type SentRequest } from './exchange.ts';
import type { GatewayRun } from './gateway-run.ts';
import { keptBodies } from './har-bodies.ts';
import { type KeepMessage, type ReadExchange, readExchange } from './har-entry.ts';
import { HarError } from './har-error.ts';
import { beyondHttp, type HarClient, largestBody, largestEntry, largestRest } from './har-format.ts';
import { type ByteSource, harParts, type PlaceInFile, sourceOf, windowOn } from './har-parts.ts';
import { member, textOr } from './har-values.ts';
import { type InFile, lastRead, laterCall, laterExchange } from './later-parts.ts';
import { bodyLength, storedBodyOf, type WithBody } from './stored-body.ts';

/** What a HAR file holds. */
export interface ReadHar {
  /** In the order of the file. */
  readonly entries: readonly ReadExchange[];
  /** The run with a client that the file is of, its calls put together again; absent where it is of none. */
  readonly client?: ClientRun;
  /** Id of the run that wrote the file, where it says so. */
  readonly runId?: string;
  /** What a run against a gateway left beside its exchanges; absent where it left nothing, or was none. */
  readonly gateway?: GatewayRun;
}

/** The exchanges of a HAR file in its order, from its bytes or its text. Throws HarError, also where no entry can be read. */
export function fromHar(har: string | Uint8Array): readonly ReadExchange[] {
  return readHar(har).entries;
}

/**
 * All that the file holds. Long bodies of a source that is not in memory are read on demand. `look` gets each entry, from 1, while it
 * is in memory. Throws HarError, and what `look` throws.
 */
export function readHar(
  har: string | Uint8Array | ByteSource,
  look?: (entry: ReadExchange, number: number) => void,
): ReadHar {
  const bytes = typeof har === 'string' ? Buffer.from(har) : har;
  const source = bytes instanceof Uint8Array ? sourceOf(bytes) : bytes;
  const { log, entries } = parse(() => harParts(source), source);
  if (entries === undefined) {
    throw new HarError(
      'not-har',
      'the file has no log with entries',
      'Give a HAR 1.2 file, as a run, a browser or a proxy writes it.',
    );
  }
  checkOwn('recording', log, log, '');
  const kept = keptBodies(source);
  const shared = equalParts();
  const entryAt = entriesOf(source, entries);
  const reading = { log, entryAt, kept, shared };
  let rest = 0;
  const file = lastRead((index) => {
    const { exchange, examined } = onceMore(index, () => exchangeIn(entryAt(index), index, reading));
    return { exchange, call: examined?.call };
  });
  const read = entries.map((place, index) => {
    const one = readEntry(place, index, reading);
    if (one.unreadable !== undefined) return one;
    look?.(one, index + 1);
    const { request, response } = one.exchange;
    const messages = response === undefined ? [request] : [request, response];
    const short = messages.filter((message) => storedBodyOf(message) === undefined);
    const inMemory = short.reduce((sum, message) => sum + bodyLength(message), 0);
    rest += short.length < messages.length ? 4096 + 2 * inMemory : place[1] - place[0];
    if (rest > largestRest && !source.isWhole) {
      throw tooLarge('the HAR file has', largestRest, ' beside its long bodies', 'Record less at a time.');
    }
    const { examined } = one;
    const isOfGateway = examined !== undefined && examined.call === undefined;
    const staysThere = source.onDemand === 'all' || (source.onDemand === 'of-clients' && !isOfGateway);
    // What a long entry has beside its bodies is kept where they are most of it, since parsing all of it again takes time.
    const inBodies = messages.reduce((sum, message) => sum + bodyLength(message), -inMemory);
    const isMostlyBody = place[1] - place[0] >= longEntry && 2 * inBodies >= place[1] - place[0];
    return staysThere ? readLater(one, file, index, isMostlyBody) : one;
  });
  const [first] = read;
  if (first?.unreadable !== undefined && read.every(({ unreadable }) => unreadable !== undefined))
    throw first.unreadable;
  const client = member(log, '_client') as HarClient | undefined;
  const gateway = member(log, '_gateway') as GatewayRun | undefined;
  const runId = member(member(log, '_countersign'), 'runId') as string | undefined;
  return {
    entries: read,
    runId,
    client: client && clientRun(client, read),
    gateway,
  };
}

interface Reading {
  readonly log: unknown;
  readonly entryAt: (index: number) => unknown;
  readonly kept: ReturnType<typeof keptBodies>;
  readonly shared: EqualParts;
}

/** Bytes of an entry that is worth parsing twice rather than keeping its tree. */
const longEntry = 1024 * 1024;

/** Parses the entry of that index. Its messages and their bodies are asked for one after the other: it is kept until then. */
function entriesOf(source: ByteSource, places: readonly PlaceInFile[]): (index: number) => unknown {
  const window = windowOn(source);
  const parsed = (index: number): unknown => JSON.parse(window.text(places[index]!));
  const last = lastRead(parsed);
  return (index) => {
    const [start, end] = places[index]!;
    return end - start < longEntry ? last(index) : parsed(index);
  };
}

/** Throws HarError for an entry of this suite that is not as it was written; one of another tool is `unreadable`. */
function readEntry([start, end]: PlaceInFile, index: number, reading: Reading): ReadExchange {
  const number = index + 1;
  let entry: unknown;
  try {
    if (end - start > largestEntry) throw tooLarge(`entry ${number} of the HAR file has`, largestEntry, '', leaveOut);
    entry = reading.entryAt(index);
    checkOwn('recording/entry', entry, reading.log, `entry ${number} of `);
    return exchangeIn(entry, index, reading);
  } catch (cause) {
    const isJson = !(cause instanceof SyntaxError);
    const reason = !isJson ? 'it is not JSON' : cause instanceof Error ? cause.message : String(cause);
    const hint = 'Record the traffic again with a tool that writes HAR 1.2.';
    const said = `entry ${number} of the HAR file cannot be read: ${reason}`;
    const unreadable =
      cause instanceof HarError ? cause : new HarError(isJson ? 'bad-entry' : 'not-json', said, hint, cause);
    if ([reading.log, entry].some((one) => member(one, '_countersign') !== undefined)) throw unreadable;
    return { exchange: nothing, unreadable };
  }
}

/** In the place of an exchange that cannot be read. */
const nothing: Exchange = {
  request: { method: '', ...beyondHttp, headers: [], body: Buffer.alloc(0) },
  startedAt: 0,
  durationMs: 0,
};

function exchangeIn(entry: unknown, index: number, { log, entryAt, kept, shared }: Reading): ReadExchange {
  const keep: KeepMessage = (message, digest, bodyIn) => {
    const named = `entry ${index + 1} of the HAR file has`;
    const excess = isRequest(message) ? excessOf(message) : undefined;
    if (excess !== undefined) throw new HarError('bad-entry', `${named} ${excess}`, leaveOut);
    if (message.body.length > largestBody) throw tooLarge(`${named} a body of`, largestBody, '', leaveOut);
    return kept({ message, digest, again: () => onceMore(index, () => bodyIn(entryAt(index))) });
  };
  return readExchange(entry, shared, keep, textOr(member(member(log, 'creator'), 'name')));
}

/** What was read before is read again: others may have written to the file since. */
function onceMore<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const hint = 'Give it once nothing writes to it any more.';
    throw new HarError('bad-entry', `entry ${index + 1} of the HAR file was changed while it was read`, hint, cause);
  }
}

function isRequest(message: WithBody): message is SentRequest {
  return 'target' in message;
}

const leaveOut = 'Leave the entry out of the file.';

type EntriesInFile = InFile<Pick<ReadExchange, 'exchange'> & { readonly call: Case['call'] }>;

function readLater(
  { exchange, examined, ...rest }: ReadExchange,
  file: EntriesInFile,
  place: number,
  isMostlyBody: boolean,
): ReadExchange {
  const later = isMostlyBody ? exchange : laterExchange(exchange, file, place);
  if (examined === undefined) return { ...rest, exchange: later };
  const call = examined.call && laterCall(examined.call, file as InFile<{ readonly call: ClientCall }>, place);
  return { ...rest, exchange: later, examined: { ...examined, exchange: later, call } };
}

function tooLarge(what: string, limit: number, more: string, hint: string): HarError {
  return new HarError('bad-entry', `${what} more than ${limit / 1024 / 1024} MB${more}`, hint);
}

function clientRun({ calls: unsent, ...beside }: HarClient, entries: readonly ReadExchange[]): ClientRun {
  const calls = new Map<string, ClientCase & { readonly wire: Exchange[] }>();
  for (const { examined } of entries) {
    if (examined?.call === undefined) continue;
    const { scenario, number, call, exchange } = examined;
    const place = `${scenario}#${number}`;
    const earlier = calls.get(place)?.wire ?? [];
    earlier.push(exchange);
    calls.set(place, { scenario, number, ...call, wire: earlier });
  }
  return { ...beside, calls: [...calls.values(), ...unsent.map((call) => ({ ...call, wire: [] }))] };
}

/** Throws HarError for the first member of this suite that does not have the form that judging it relies on. */
function checkOwn(name: 'recording' | 'recording/entry', part: unknown, log: unknown, place: string): void {
  const own = Object.entries(part ?? {}).filter(([key]) => ['_client', '_gateway', '_countersign'].includes(key));
  const [fault] = own.length === 0 ? [] : validate(name, Object.fromEntries(own));
  if (fault === undefined) return;
  const writer = ['name', 'version'].map((key) => member(member(log, 'creator'), key));
  const hint = writer.every((text) => typeof text === 'string' && text !== '')
    ? `It was written by ${writer.join(' ').slice(0, 80)}: give it as that wrote it, or judge it with that version.`
    : 'Give the file as it was written, unchanged.';
  throw new HarError('bad-run', `${place}the HAR file cannot be used: ${fault.sentence}`, hint);
}

/** `source` is the whole file, where it is the file that cannot be read. */
function parse<T>(read: () => T, source?: ByteSource): T {
  try {
    return read();
  } catch (cause) {
    const start = source?.read(0, Math.min(8, source.length)).toString('latin1');
    const end = source?.read(Math.max(0, source.length - 64), source.length).toString('latin1');
    const isCut = /^\s*\{/.test(start ?? '') && !/\}\s*$/.test(end ?? '}');
    const other = otherFiles.find(([form]) => start !== undefined && form.test(start));
    if (cause instanceof HarError && other === undefined) throw cause;
    const [, what, hint] = other ?? (isCut ? cutOff : notJson);
    throw new HarError('not-json', what, hint, cause);
  }
}

const cutOff = [/^/, 'the file ends before its JSON does', 'It was cut off: give the whole file.'] as const;

const notJson = [
  /^/,
  'the file is not JSON',
  'Give a HAR 1.2 file, as a run, a browser or a proxy writes it.',
] as const;

/** What recorders and browsers leave beside a HAR file or in its place, by its first bytes. */
const otherFiles: readonly (readonly [form: RegExp, what: string, hint: string])[] = [
  [/^$/, 'the file is empty', 'Save the HAR file when the recording is over.'],
  [/^\x1f\x8b/, 'the file is compressed (gzip)', 'Decompress it first.'],
  [/^PK\x03\x04/, 'the file is a zip archive', 'Unpack it, and give the HAR file that is in it.'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'the file is UTF-16', 'Save it as UTF-8.'],
  [/^\d+:/, 'the file is one of mitmproxy', 'Make a HAR file of it: mitmdump -nr FILE --set hardump=FILE.har.'],
];
