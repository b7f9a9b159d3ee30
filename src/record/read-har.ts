/** Reads HAR 1.2 files one entry at a time. Reads files of this suite exactly, and files of other tools leniently. */
import type * as Har from 'har-format';
import { validate } from '../../schemas/index.ts';
import { type AnyCase, type Case, clientCase } from './case.ts';
import {
  answerTooLarge,
  type Exchange,
  excessOf,
  type Header,
  headerValues,
  maxBodyBytes,
  type ReceivedResponse,
  type SentRequest,
} from './exchange.ts';
import { groupBy } from './group-by.ts';
import { type HarCase, type HarClient, HarError, type HarGateway, maxJudgedBytes, splitUrl } from './har.ts';
import { losses } from './losses.ts';
import { groupByScenario, type RecordedRun } from './run.ts';

export interface ReadExchange {
  readonly exchange: Exchange;
  readonly testCase?: Case;
  /** What the recorder omitted or damaged, in the phrases of `losses`. */
  readonly incomplete?: string;
  /** Set if the entry cannot be read; `exchange` is empty in this case. */
  readonly unreadable?: HarError;
}

/** Reads a HAR file. Unwanted entries become empty exchanges. `number` counts entries from 1. Throws HarError. */
export function readHar(
  har: string | Uint8Array | ByteSource,
  isWanted: (entry: ReadExchange, number: number) => boolean = () => true,
): { readonly entries: readonly ReadExchange[]; readonly run?: RecordedRun; readonly runId?: string } {
  const bytes = typeof har === 'string' ? Buffer.from(har) : har;
  const source = bytes instanceof Uint8Array ? sourceOf(bytes) : bytes;
  const { log, entries } = scanFile(source);
  if (entries === undefined) throw new HarError('not-har', 'the file has no log with entries', harHint);
  checkOwnMembers('recording', log, log, '');
  const bodies: KnownBodies = new Map();
  let judgedBytes = 0;
  const readEntries = entries.map(([start, end], index) => {
    const entry = readEntry(source, [start, end], index + 1, log, bodies);
    if (entry.unreadable !== undefined) return entry;
    if (!isWanted(entry, index + 1)) return { exchange: emptyExchange };
    judgedBytes += end - start;
    if (judgedBytes > maxJudgedBytes) {
      const what = `the HAR file has more than ${maxJudgedBytes / 1024 / 1024} MB to judge`;
      throw new HarError('bad-entry', what, 'Record less traffic in one file.');
    }
    return entry;
  });
  const [first] = readEntries;
  if (first?.unreadable !== undefined && readEntries.every(({ unreadable }) => unreadable !== undefined))
    throw first.unreadable;
  const runId = member(member(log, '_countersign'), 'runId') as string | undefined;
  const cases = readEntries.flatMap(({ testCase }) => testCase ?? []);
  return { entries: readEntries, runId, run: cases.length === 0 ? undefined : runOf(cases, log) };
}

/** Maximum bytes of an entry. It is larger than the maximum of a body, because base64 makes a body a third longer. */
const maxEntryBytes = 96 * 1024 * 1024;

function readEntry(
  source: ByteSource,
  [start, end]: PlaceInFile,
  number: number,
  log: unknown,
  bodies: KnownBodies,
): ReadExchange {
  let entry: unknown;
  try {
    if (end - start > maxEntryBytes) throw tooLarge(`entry ${number} of the HAR file has`, maxEntryBytes);
    entry = JSON.parse(decodeUtf8(source.read(start, end), start));
    checkOwnMembers('recording/entry', entry, log, `entry ${number} of `);
    return readExchange(entry, number, bodies, asText(member(member(log, 'creator'), 'name')));
  } catch (cause) {
    const isJson = !(cause instanceof SyntaxError);
    const reason = isJson ? (cause as Error).message : 'the entry is not JSON';
    const hint = 'Record the traffic again with a tool that writes HAR 1.2.';
    const message = `entry ${number} of the HAR file cannot be read: ${reason}`;
    const unreadable =
      cause instanceof HarError ? cause : new HarError(isJson ? 'bad-entry' : 'not-json', message, hint, cause);
    // Skip unreadable entries only in files of other tools.
    if ([log, entry].some((one) => member(one, '_countersign') !== undefined)) throw unreadable;
    return { exchange: emptyExchange, unreadable };
  }
}

/** Stands for a URL that is not HTTP, such as `wss:`. Its empty target matches no operation. */
const nonHttpUrl = { scheme: 'http', host: '', target: '' } satisfies HarCase['url'];

const emptyExchange: Exchange = {
  request: { method: '', ...nonHttpUrl, headers: [], body: Buffer.alloc(0) },
  startedAt: 0,
  durationMs: 0,
};

function runOf(cases: readonly Case[], log: unknown): RecordedRun {
  const client = member(log, '_client') as HarClient | undefined;
  if (client !== undefined) {
    const { calls, ...facts } = client;
    const unsent = calls.map(({ scenario, number, ...call }) => clientCase({ scenario, number, exchanges: [] }, call));
    return { side: 'client', ...facts, records: groupByScenario([...callsOf(cases), ...unsent]) };
  }
  const { scenarios = [], ...facts }: Partial<HarGateway> = (member(log, '_gateway') as HarGateway | undefined) ?? {};
  const listByCase = new Map<string, Case[]>();
  const records = scenarios.map(({ caseNumbers, ...rest }) => {
    const list: Case[] = [];
    for (const number of caseNumbers) listByCase.set(`${rest.scenario}#${number}`, list);
    return { ...rest, cases: list };
  });
  const others = cases.filter((one) => listByCase.get(`${one.scenario}#${one.number}`)?.push(one) === undefined);
  return { side: 'gateway', ...facts, records: [...records, ...groupByScenario(others)] };
}

function callsOf(cases: readonly Case[]): AnyCase[] {
  const withCall = cases.filter(({ call }) => call !== undefined);
  return [...groupBy(withCall, ({ scenario, number }) => `${scenario}#${number}`).values()].map((requests) => {
    const { scenario, number, call } = requests.at(-1)!;
    return clientCase({ scenario, number, exchanges: requests.flatMap(({ exchanges }) => exchanges) }, call!);
  });
}

function checkOwnMembers(name: 'recording' | 'recording/entry', part: unknown, log: unknown, place: string): void {
  const own = Object.entries(part ?? {}).filter(([key]) => ['_client', '_gateway', '_countersign'].includes(key));
  const [fault] = own.length === 0 ? [] : validate(name, Object.fromEntries(own));
  if (fault === undefined) return;
  const writer = ['name', 'version'].map((key) => member(member(log, 'creator'), key));
  const hint = writer.every((text) => typeof text === 'string' && text !== '')
    ? `Give the unchanged file, or judge it with ${writer.join(' ').slice(0, 80)}, which wrote the file.`
    : 'Give the unchanged file of the run.';
  throw new HarError('bad-run', `${place}the HAR file cannot be used: ${fault.sentence}`, hint);
}

function scanFile(source: ByteSource): ReturnType<typeof scanHar> {
  try {
    return scanHar(source);
  } catch (cause) {
    const start = source.read(0, Math.min(8, source.length)).toString('latin1');
    const end = source.read(Math.max(0, source.length - 64), source.length).toString('latin1');
    const other = otherFiles.find(([form]) => form.test(start));
    if (cause instanceof HarError && other === undefined) throw cause;
    const isCut = /^\s*\{/.test(start) && !/\}\s*$/.test(end);
    const [what, hint] = isCut
      ? ['the JSON of the file is not complete', 'Give the whole file.']
      : ['the file is not JSON', harHint];
    throw new HarError('not-json', other?.[1] ?? what, other?.[2] ?? hint, cause);
  }
}

const harHint = 'Give a HAR 1.2 file of a run, a browser or a proxy.';

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

function sourceOf(input: Uint8Array): ByteSource {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  return { length: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}

type PlaceInFile = readonly [start: number, end: number];
type KnownBodies = Map<string, Uint8Array>;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Finds where each entry starts and ends; parses the rest. Throws SyntaxError if not JSON, HarError if not UTF-8. */
export function scanHar(source: ByteSource): { readonly log: unknown; readonly entries?: readonly PlaceInFile[] } {
  const places: PlaceInFile[] = [];
  const rest: Buffer[] = [];
  const opened: number[] = [];
  const names: string[] = [];
  let depth = 0;
  let inText = false;
  let inEntries = false;
  let textStart = 0;
  let textEnd = 0;
  let restStart = 0;
  let entry: number | undefined;
  const endEntry = (end: number) => {
    rest.push(Buffer.from(` ${places.length} `));
    places.push([entry!, end]);
    entry = undefined;
    restStart = end;
  };
  for (let offset = 0; offset < source.length; ) {
    const chunkStart = offset;
    const chunk = source.read(offset, Math.min(offset + 128 * 1024, source.length));
    for (; offset < chunkStart + chunk.length; offset += 1) {
      const byte = chunk[offset - chunkStart]!;
      if (inText) {
        if (byte === backslash) offset += 1;
        else if (byte === quote) {
          inText = false;
          textEnd = offset + 1;
          if (entry !== undefined && depth === 3) endEntry(offset + 1);
        }
        continue;
      }
      const isEnd = byte === comma || byte === closeList || byte === closeObject || byte <= 0x20;
      if (inEntries && depth === 3) {
        if (entry !== undefined && isEnd) endEntry(offset);
        else if (entry === undefined && !isEnd) {
          rest.push(source.read(restStart, offset));
          entry = offset;
        }
      }
      if (byte === quote) {
        inText = true;
        textStart = offset;
      } else if (byte === openObject || byte === openList) {
        const isOfLog = opened[0] === openObject && opened[1] === openObject && names[0] === 'log';
        if (depth === 2) inEntries = byte === openList && isOfLog && names[1] === 'entries';
        if (depth < 2) opened[depth] = byte;
        depth += 1;
      } else if (byte === closeObject || byte === closeList) {
        depth -= 1;
        if (entry !== undefined && depth === 3) endEntry(offset + 1);
      } else if (byte === colon && (depth === 1 || depth === 2)) {
        names[depth - 1] = String(JSON.parse(decodeUtf8(source.read(textStart, textEnd), textStart)));
      }
    }
  }
  rest.push(source.read(entry ?? restStart, source.length));
  // Ignore a byte-order mark, as RFC 8259 section 8.1 allows: browsers on Windows write one.
  const log = member(JSON.parse(decodeUtf8(Buffer.concat(rest), 0).replace(/^\ufeff/, '')), 'log');
  // If the member `entries` occurs twice, the last one counts, as in JSON.parse.
  const numbers = member(log, 'entries');
  if (!Array.isArray(numbers)) return { log, entries: undefined };
  return { log: { ...(log as object), entries: undefined }, entries: numbers.map((number) => places[number]!) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Buffer, start: number): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    const what = `the HAR file is not UTF-8 between bytes ${start} and ${start + bytes.length}`;
    throw new HarError('not-json', what, 'Save the file as UTF-8 (RFC 8259 section 8.1).', cause);
  }
}

function readExchange(entry: unknown, number: number, bodies: KnownBodies, creator: string): ReadExchange {
  if (!isObject(entry)) throw new Error('the entry is not a JSON object');
  const own = member(entry, '_countersign') as HarCase | undefined;
  // If a request was aborted, browsers write null as its response.
  const isAborted = own === undefined && member(entry, 'response') === null;
  const missing = ['request', 'response'].find((name) => !isObject(member(entry, name)));
  if (missing !== undefined && !(isAborted && missing === 'response'))
    throw new Error(`the ${missing} is not a JSON object`);
  const received: Received = isAborted ? { failure: noAnswer, lost: [] } : readResponse(member(entry, 'response'), own);
  const sent = readRequest(member(entry, 'request'), own, creator, isAccepted(received));
  const started = readTime(member(entry, 'startedDateTime'));
  if (started === undefined) throw new Error('"startedDateTime" is not a date');
  const durationMs = own === undefined && member(entry, 'time') === null ? 0 : numberMember(entry, 'time');
  // The schemas of report.json and shard.json have the same maximum.
  if (Math.abs(durationMs) > 1e12) throw new Error('the duration in "time" is longer than thirty years');
  const request = withBody(sent.request, own?.requestBodyDigest, bodies);
  const response = received.response && withBody(received.response, own?.bodyDigest, bodies);
  const prefix = `entry ${number} of the HAR file has`;
  const excess = excessOf(request);
  const length = response?.body.length ?? 0;
  if (excess !== undefined) throw new HarError('bad-entry', `${prefix} ${excess}`, removeHint);
  if (length > maxForeignBody) throw tooLarge(`${prefix} a body of`, maxForeignBody);
  const failure = own === undefined ? received.failure : own.failure;
  const exchange: Exchange = {
    request,
    ...(length > maxBodyBytes ? { failure: answerTooLarge } : { response, failure }),
    startedAt: started.at,
    durationMs,
    connection: own?.connection,
    silence: own?.silence,
  };
  const lost = [...sent.lost, ...received.lost, ...(own === undefined && !started.hasZone ? (['zone'] as const) : [])];
  return {
    exchange,
    testCase: own && {
      ...{ scenario: own.scenario, number: own.case, label: own.label, call: own.call },
      exchanges: [exchange],
    },
    ...(lost.length === 0 ? {} : { incomplete: lost.map((loss) => losses[loss]).join(' and ') }),
  };
}

function withBody<T extends SentRequest | ReceivedResponse>(
  message: T,
  digest: string | undefined,
  bodies: KnownBodies,
): T {
  if (digest === undefined) return message;
  if (message.body.length > 0) {
    bodies.set(digest, message.body);
    return message;
  }
  const body = bodies.get(digest);
  if (body === undefined) throw new Error('the body is missing, and no earlier entry has the same body');
  return { ...message, body };
}

const removeHint = 'Remove the entry from the file.';

/** Maximum bytes of a response body. Larger than `maxBodyBytes`, because other traffic may be in the file. */
const maxForeignBody = 64 * 1024 * 1024;

function tooLarge(what: string, limit: number): HarError {
  return new HarError('bad-entry', `${what} more than ${limit / 1024 / 1024} MB`, removeHint);
}

type Loss = keyof typeof losses;

function readRequest(value: unknown, own: HarCase | undefined, creator: string, isAccepted: boolean) {
  const urlText = textMember(value, 'url');
  const isOtherScheme = own === undefined && /^[a-z][a-z0-9+.-]*:/i.test(urlText);
  const url = own?.url ?? splitUrl(urlText) ?? (isOtherScheme ? nonHttpUrl : undefined);
  if (url === undefined) throw new Error('the URL of the request is not http or https');
  const posted = postedBytes(value, own !== undefined);
  const body = posted ?? Buffer.alloc(0);
  // If the entry has only a list of parameters, the escapes in the body are unknown, so the body counts as lost.
  const parameters = member(member(value, 'postData'), 'params');
  const hasParameters = Array.isArray(parameters) && parameters.length > 0;
  const hasDigest = own?.requestBodyDigest !== undefined;
  const headers = readHeaders(value, own);
  const hasSize = isPositive(member(value, 'bodySize')) || (own === undefined && hasLength(headers));
  const isLost = posted === undefined || (body.length === 0 && !hasDigest && (hasParameters || hasSize));
  const stated = own === undefined && url !== nonHttpUrl ? statedAddress(value, headers, url) : url;
  const recorded = { value, headers, body, url, stated, creator, isAccepted };
  const found = own === undefined ? lossSigns.filter(([, isThere]) => isThere(recorded)).map(([loss]) => loss) : [];
  const lost: readonly Loss[] = isLost ? ['requestBody', ...found] : found;
  return { request: { method: textMember(value, 'method'), ...stated, headers, body }, lost };
}

/** Prefers the Host header, because the client signed it (RFC 5849 3.4.1.2). A proxy may have changed the URL. */
function statedAddress(value: unknown, headers: readonly Header[], url: NonNullable<HarCase['url']>): typeof url {
  const listed = member(value, 'headers') as readonly Har.Header[];
  const authorities = listed.filter(({ name }) => name === ':authority').map((one) => one.value);
  const hosts = headerValues(headers, 'host');
  const [host = '', ...more] = hosts.length > 0 ? hosts : authorities;
  const isHost = more.length === 0 && /^[^\s/?#@,]+$/.test(host);
  const [proto = ''] = headerValues(headers, 'x-forwarded-proto');
  const scheme = /^https\b/i.test(proto) ? 'https' : url.scheme;
  return { ...url, scheme, host: isHost ? host : url.host };
}

type Received = Pick<Exchange, 'response' | 'failure'> & { readonly lost: readonly Loss[] };

function isAccepted({ response }: Received): boolean {
  if (response === undefined || response.status < 200 || response.status >= 400) return false;
  return !/"status"\s*:\s*"error"|type=(?:validation-)?error/.test(
    Buffer.from(response.body).toString('latin1', 0, 4096),
  );
}

const noAnswer = { kind: 'reset', message: 'the recording has no response' } as const;

function readResponse(value: unknown, own: HarCase | undefined): Received {
  const status = numberMember(value, 'status');
  const error = member(value, '_error');
  if (typeof error === 'string') return { failure: { ...noAnswer, message: error }, lost: [] };
  if (status === 0 && member(value, 'bodySize') === -1) return { failure: noAnswer, lost: [] };
  const { text, encoding } = recordedText(member(value, 'content'));
  const content = bytesOf(text, encoding);
  const body = content ?? Buffer.alloc(0);
  const hasDigest = own?.bodyDigest !== undefined;
  const headers = readHeaders(value, own);
  const hasSize = isPositive(member(member(value, 'content'), 'size')) || (own === undefined && hasLength(headers));
  const isLost = content === undefined || (body.length === 0 && !hasDigest && hasSize);
  const response = { status, reason: textMember(value, 'statusText'), headers, body };
  return { response, lost: isLost ? ['responseBody'] : [] };
}

/** Some recorders omit a body and its size. Only Content-Length still shows that the message had a body. */
function hasLength(headers: readonly Header[]): boolean {
  return headerValues(headers, 'content-length').some((length) => Number(length) > 0);
}

/** The bytes of a request body. If the entry names no encoding, prefers the one that gives the stated length. */
function postedBytes(request: unknown, isOwn: boolean): Uint8Array | undefined {
  const data = member(request, 'postData');
  const { text, encoding } = recordedText(data);
  const body = bytesOf(text, encoding);
  const { length, isExact } = statedLength(request);
  if (isOwn || encoding !== undefined || typeof text !== 'string' || body?.length === length) return body;
  const isLatin1 = isExact && !/[^\0-\xff]/.test(text);
  const alternatives = [isLatin1 ? Buffer.from(text, 'latin1') : undefined, base64Of(text)];
  const hasNoText = member(data, 'text') === undefined;
  return alternatives.find((one) => one?.length === length) ?? (hasNoText ? alternatives[1] : undefined) ?? body;
}

/** The recorded body and its encoding. HAR 1.2 has no encoding of request bodies, so recorders add their own fields. */
function recordedText(data: unknown): { readonly text: unknown; readonly encoding: unknown } {
  const isBase64 = member(data, '_base64') === true || /^base64\b/i.test(asText(member(data, 'comment')));
  const stated = [member(data, '_encoding'), member(data, 'encoding'), isBase64 ? 'base64' : undefined];
  return { text: member(data, 'text') ?? member(data, '_data'), encoding: stated.find(Boolean) };
}

function readHeaders(message: unknown, own: HarCase | undefined): readonly Header[] {
  const listed = member(message, 'headers');
  if (!Array.isArray(listed)) throw new Error('headers is not a list');
  const headers = listed.map((header) => [textMember(header, 'name'), textMember(header, 'value')] as const);
  // Remove the pseudo-headers of HTTP/2, which browsers also list (RFC 9113 section 8.3).
  return own === undefined ? headers.filter(([name]) => !name.startsWith(':')) : headers;
}

const encodings = new Map<string, BufferEncoding>([
  ...['', 'utf-8', 'utf8'].map((name) => [name, 'utf8'] as const),
  ...['latin1', 'iso-8859-1', 'binary'].map((name) => [name, 'latin1'] as const),
  ...(['base64', 'hex'] as const).map((name) => [name, name] as const),
]);

function bytesOf(text: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text === '') return Buffer.alloc(0);
  const known = encodings.get(asText(encoding).toLowerCase());
  return known && Buffer.from(text, known);
}

function base64Of(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text.replace(/\s+/g, '') ? bytes : undefined;
}

/** Reads ISO 8601, Unix time in seconds or milliseconds, or a form that Date.parse reads. The default zone is UTC. */
function readTime(value: unknown): { readonly at: number; readonly hasZone: boolean } | undefined {
  const text = typeof value === 'number' ? String(value) : asText(value).trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const at = Math.round(Number(text) * (Number(text) < 1e11 ? 1000 : 1));
    return at <= 8.64e15 ? { at, hasZone: true } : undefined;
  }
  const hasZone = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d|:\d\d(?:[.,]\d+)?\s*[+-]\d\d)(?: *\(.*\))?$/i.test(text);
  // Date.parse cannot read `T` before some zones, a decimal comma, or `12:00:00UTC` without a space.
  const normalized = text
    .replace(/^([\d-]{10})T/i, '$1 ')
    .replace(/(?<=:\d\d)[.,](\d{1,3})\d*/, '.$1')
    .replace(/(?<=\d)(?=UTC|GMT)/i, ' ')
    .replace(/(?<=:\d\d(?:\.\d+)?\s*[+-]\d\d)$/, ':00');
  const at = Date.parse(hasZone ? normalized : `${normalized} UTC`);
  return Number.isNaN(at) ? undefined : { at, hasZone };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textMember(value: unknown, name: string): string {
  const found = member(value, name);
  if (typeof found !== 'string') throw new Error(`${name} is not a text`);
  // JSON can escape half of a surrogate pair, but no HTTP message can contain such a half.
  if (!found.isWellFormed()) throw new Error(`${name} contains half of a surrogate pair`);
  return found;
}

function numberMember(value: unknown, name: string): number {
  const found = member(value, name);
  if (typeof found === 'string' && /^-?\d+(?:\.\d+)?$/.test(found)) return Number(found);
  if (typeof found !== 'number') throw new Error(`${name} is not a number`);
  return found;
}

interface RecordedRequest {
  readonly value: unknown;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly url: NonNullable<HarCase['url']>;
  readonly stated: NonNullable<HarCase['url']>;
  readonly creator: string;
  readonly isAccepted: boolean;
}

/** The body length that the entry states in Content-Length (exact) or else in `bodySize`. -1 if it states none. */
function statedLength(request: unknown): { readonly length: number; readonly isExact: boolean } {
  const listed = member(request, 'headers');
  const header = Array.isArray(listed) && listed.find((one) => /^content-length$/i.test(asText(member(one, 'name'))));
  const counted = Number.parseInt(asText(member(header, 'value')), 10);
  if (!Number.isNaN(counted)) return { length: counted, isExact: true };
  const size = member(request, 'bodySize');
  return { length: isPositive(size) ? size : -1, isExact: false };
}

const lossSigns: readonly (readonly [loss: Loss, isThere: (recorded: RecordedRequest) => boolean])[] = [
  ['requestEnd', isCut],
  ['requestPart', mayBeCut],
  ['characters', isDamaged],
  ['authorization', isSanitized],
  ['address', isBehindProxy],
];

function isCut({ value, body }: RecordedRequest): boolean {
  const { length, isExact } = statedLength(value);
  return isExact && body.length > 0 && length > body.length;
}

// Some recorders cut a body at a power of two, such as 64 KB. `bodySize` may count bytes or characters.
function mayBeCut({ value, body }: RecordedRequest): boolean {
  const { length, isExact } = statedLength(value);
  if (isExact || body.length === 0) return false;
  const isRound = [0, 1].some((more) => body.length >= 16_383 && Number.isInteger(Math.log2(body.length + more)));
  return isRound || length > Math.max(body.length, textOf(value).length);
}

function isDamaged({ value, body, headers }: RecordedRequest): boolean {
  const text = textOf(value);
  if (body.length > 0 && (/[\0\ufffd]/.test(text) || redacted.test(text))) return true;
  if (headers.some((header) => header[1].includes('\ufffd'))) return true;
  return misread.test(text) && statedLength(value).length !== body.length;
}

const misread =
  /[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]/;

function textOf(request: unknown): string {
  return asText(member(member(request, 'postData'), 'text'));
}

/** Recorders that omit the Authorization header by default. */
const sanitizers = /WebInspector|Chrom|Edge|Opera|Safari|Firefox|sitespeed|browsertime|sanitiz/i;

const redacted =
  /(?:^|[\s="'[<({])(?:authorization |value )?(?:redacted|sanitized|removed|filtered|hidden|masked|scrubbed|censored|omitted)(?=$|[\s"'\]>)}.,])|\*{3}|[\u2022\u2026]|"x{3,}"/i;

/** True if the recorder redacted the Authorization header, or has probably removed it. */
function isSanitized({ headers, body, url, creator, isAccepted }: RecordedRequest): boolean {
  const [sent = ''] = headerValues(headers, 'authorization');
  if (sent.trim() !== '') return redacted.test(sent);
  if (/oauth_/.test(url.target) || Buffer.from(body).includes('oauth_')) return false;
  return isAccepted || sanitizers.test(creator);
}

/** True if the called address is uncertain: a proxy may have changed it, or the URL has only an IP address. */
function isBehindProxy({ headers, url, stated }: RecordedRequest): boolean {
  const [forwarded] = headerValues(headers, 'x-forwarded-host');
  if (forwarded !== undefined && forwarded.toLowerCase() !== stated.host.toLowerCase()) return true;
  const normalize = (host: string) => host.toLowerCase().replace(/:(?:80|443)$/, '');
  const isAddress = /^(?:[\d.]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(url.host);
  if (normalize(url.host) === normalize(stated.host)) {
    const hasHostHeader = headers.some(([one]) => /^:?(?:host|authority)$/i.test(one));
    return isAddress && !hasHostHeader && !/^(?:127\.|\[::1\])/.test(url.host);
  }
  return !isAddress || stated.scheme === 'http';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isPositive(size: unknown): size is number {
  return typeof size === 'number' && size > 0;
}
