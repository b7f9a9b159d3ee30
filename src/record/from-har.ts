/** HAR 1.2 to exchanges: ours come back exactly, and those that another tool recorded as exactly as it wrote them. */
import { createHash } from 'node:crypto';
import { validate } from '../../schemas/index.ts';
import type { ClientCase, ClientRun } from './client-case.ts';
import { type Exchange, excessOf, type SentRequest } from './exchange.ts';
import type { GatewayRun } from './gateway-run.ts';
import { type KeepMessage, type ReadExchange, readExchange } from './har-entry.ts';
import { HarError } from './har-error.ts';
import { beyondHttp, type HarClient, largestBody, largestEntry, largestJudged } from './har-format.ts';
import { member, textOr } from './har-values.ts';
import { type ByteSource, type PlaceInFile, scanHar, sourceOf, textIn } from './scan-har.ts';
import { longBody, type WithBody } from './stored-body.ts';

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
 * All that the file holds. `isWanted` gets each entry, from 1: of one that is not wanted nothing is kept. Throws HarError, and what
 * `isWanted` throws.
 */
export function readHar(
  har: string | Uint8Array | ByteSource,
  isWanted: (entry: ReadExchange, number: number) => boolean = () => true,
): ReadHar {
  const bytes = typeof har === 'string' ? Buffer.from(har) : har;
  const source = bytes instanceof Uint8Array ? sourceOf(bytes) : bytes;
  const { log, entries } = parse(() => scanHar(source), source);
  if (entries === undefined) {
    throw new HarError(
      'not-har',
      'the file has no log with entries',
      'Give a HAR 1.2 file, as a run, a browser or a proxy writes it.',
    );
  }
  checkOwn('recording', log, log, '');
  const reading: Reading = { source, log, keep: bodiesOnce() };
  let judged = 0;
  const read = entries.map((place, index) => {
    const one = readEntry(place, index, reading);
    if (one.unreadable !== undefined) return one;
    if (!isWanted(one, index + 1)) return { exchange: nothing };
    judged += place[1] - place[0];
    if (judged > largestJudged)
      throw tooLarge('the HAR file has', largestJudged, ' to judge', 'Record less at a time.');
    return one;
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
  readonly source: ByteSource;
  readonly log: unknown;
  readonly keep: ReturnType<typeof bodiesOnce>;
}

/**
 * A long body is in one entry of a run, and named by its digest in the later ones: all of them get the same bytes. Throws Error where
 * they are in no entry before.
 */
function bodiesOnce(): <T extends WithBody>(message: T, said: string | undefined) => T {
  const known = new Map<string, Uint8Array>();
  return (message, said) => {
    const { body } = message;
    if (said === undefined || (body.length > 0 && body.length < longBody)) return message;
    const digest = body.length === 0 ? said : createHash('sha256').update(body).digest('hex');
    const kept = known.get(digest) ?? body;
    if (kept.length === 0) throw new Error('its body is in another entry, which is not before it');
    known.set(digest, kept);
    return { ...message, body: kept };
  };
}

/** Throws HarError for an entry of this suite that is not as it was written; one of another tool is `unreadable`. */
function readEntry([start, end]: PlaceInFile, index: number, reading: Reading): ReadExchange {
  const number = index + 1;
  let entry: unknown;
  try {
    if (end - start > largestEntry) throw tooLarge(`entry ${number} of the HAR file has`, largestEntry, '', leaveOut);
    entry = JSON.parse(textIn(reading.source.read(start, end), start));
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

/** In the place of an exchange that cannot be read, or is not wanted. */
const nothing: Exchange = {
  request: { method: '', ...beyondHttp, headers: [], body: Buffer.alloc(0) },
  startedAt: 0,
  durationMs: 0,
};

function exchangeIn(entry: unknown, index: number, { log, keep }: Reading): ReadExchange {
  const kept: KeepMessage = (message, digest) => {
    const named = `entry ${index + 1} of the HAR file has`;
    const excess = isRequest(message) ? excessOf(message) : undefined;
    if (excess !== undefined) throw new HarError('bad-entry', `${named} ${excess}`, leaveOut);
    if (message.body.length > largestBody) throw tooLarge(`${named} a body of`, largestBody, '', leaveOut);
    return keep(message, digest);
  };
  return readExchange(entry, kept, textOr(member(member(log, 'creator'), 'name')));
}

function isRequest(message: WithBody): message is SentRequest {
  return 'target' in message;
}

const leaveOut = 'Leave the entry out of the file.';

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
