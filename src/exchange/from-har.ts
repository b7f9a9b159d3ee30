/** HAR 1.2 to exchanges: ours come back exactly, and those that another tool recorded as exactly as it wrote them. */
import { validate } from '../../schemas/index.ts';
import type { Case } from './case.ts';
import type { ClientCase, ClientRun } from './client-case.ts';
import { type EqualParts, equalParts } from './equal-parts.ts';
import type { Exchange, FailureKind, Header, ReceivedResponse, SentRequest } from './exchange.ts';
import type { GatewayRun } from './gateway-run.ts';
import { keptBodies } from './har-bodies.ts';
import { HarError } from './har-error.ts';
import { type HarCase, type HarClient, largestBody, largestEntry, largestRest, splitUrl } from './har-format.ts';
import { type ByteSource, type FileWindow, harParts, type PlaceInFile, sourceOf, windowOn } from './har-parts.ts';
import { bytesOf, isPositive, member, numberMember, textMember } from './har-values.ts';
import { storedBodyOf } from './stored-body.ts';

export interface ReadExchange {
  readonly exchange: Exchange;
  /** The case that the exchange is, where this suite wrote the entry. */
  readonly examined?: Case;
  /** Set where the recorder left out bytes of a body, which is then shorter here than it was: what is missing. */
  readonly incomplete?: string;
}

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

/** The exchanges of a HAR file in its order, from its bytes or its text. Throws HarError. */
export function fromHar(har: string | Uint8Array): readonly ReadExchange[] {
  return readHar(har).entries;
}

/** All that the file holds. Long bodies of a source that is not in memory are read on demand. Throws HarError. */
export function readHar(har: string | Uint8Array | ByteSource): ReadHar {
  const bytes = typeof har === 'string' ? Buffer.from(har) : har;
  const source = bytes instanceof Uint8Array ? sourceOf(bytes) : bytes;
  const { log, entries } = parse(() => harParts(source));
  if (entries === undefined) {
    throw new HarError('not-har', 'the file has no log with entries', 'Give a HAR 1.2 file, such as exchanges.har.');
  }
  checkOwn('recording', log, log, '');
  const kept = keptBodies(source);
  const shared = equalParts();
  const window = windowOn(source);
  let rest = 0;
  const read = entries.map((place, index) => {
    const one = readEntry(place, { source, window, log, number: index + 1, kept, shared });
    const { request, response } = one.exchange;
    const isLong = response !== undefined && storedBodyOf(response) !== undefined;
    rest += isLong ? 4096 + 2 * request.body.length : place[1] - place[0];
    if (rest > largestRest && !source.isWhole) {
      throw tooLarge('the HAR file has', largestRest, ' beside its long bodies', 'Record less at a time.');
    }
    return one;
  });
  const [client, gateway] = [member(log, '_client') as HarClient | undefined, member(log, '_gateway')];
  const runId = member(member(log, '_countersign'), 'runId') as string | undefined;
  return {
    entries: read,
    runId,
    ...(client === undefined ? {} : { client: clientRun(client, read) }),
    ...(gateway === undefined ? {} : { gateway: gateway as GatewayRun }),
  };
}

interface Reading {
  readonly source: ByteSource;
  /** On the source: entries are read one after the other. */
  readonly window: FileWindow;
  readonly log: unknown;
  /** Of the entry, from 1. */
  readonly number: number;
  readonly kept: ReturnType<typeof keptBodies>;
  readonly shared: EqualParts;
}

function readEntry([start, end]: PlaceInFile, { source, window, log, number, kept, shared }: Reading): ReadExchange {
  const leave = 'Leave the entry out of the file.';
  if (end - start > largestEntry) throw tooLarge(`entry ${number} of the HAR file has`, largestEntry, '', leave);
  const entry = parse(() => JSON.parse(window.text([start, end])));
  checkOwn('recording/entry', entry, log, `entry ${number} of `);
  try {
    return readExchange(entry, shared, (response, digest) => {
      if (response.body.length > largestBody) throw new RangeError();
      const again = () => JSON.parse(source.read(start, end).toString('utf8'));
      return kept({ response, digest, again: () => bodyOf(member(again(), 'response')) });
    });
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw tooLarge(`entry ${number} of the HAR file has a body of`, largestBody, '', leave);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = 'Record the traffic again with a tool that writes HAR 1.2.';
    throw new HarError('bad-entry', `entry ${number} of the HAR file cannot be read: ${reason}`, hint, cause);
  }
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
  const [writer, version] = ['name', 'version'].map((key) => member(member(log, 'creator'), key));
  const hint = `It was written by ${writer} ${version}: give it as that wrote it, or judge it with that version.`;
  throw new HarError('bad-run', `${place}the HAR file cannot be used: ${fault.sentence}`, hint);
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new HarError('not-json', 'the file is not JSON', 'Give a HAR 1.2 file, such as exchanges.har.', cause);
  }
}

function readExchange(
  entry: unknown,
  shared: EqualParts,
  kept: (response: ReceivedResponse, digest: string | undefined) => ReceivedResponse,
): ReadExchange {
  const own = member(entry, '_countersign') as HarCase | undefined;
  const sent = readRequest(member(entry, 'request'), own, shared);
  const received = readResponse(member(entry, 'response'), own, shared);
  const startedAt = Date.parse(textMember(entry, 'startedDateTime'));
  if (sent.request.body.length > largestBody) throw new RangeError();
  if (Number.isNaN(startedAt)) throw new Error('startedDateTime is not a date');
  const failure = own === undefined ? received.failure : own.failure;
  const exchange: Exchange = {
    request: sent.request,
    ...(received.response === undefined ? {} : { response: kept(received.response, own?.bodyDigest) }),
    failure,
    startedAt,
    durationMs: numberMember(entry, 'time'),
    ...(own?.connection === undefined ? {} : { connection: own.connection }),
    ...(own?.silence === undefined ? {} : { silence: own.silence }),
  };
  const incomplete = [sent.incomplete, received.incomplete].filter((part) => part !== undefined).join(' and ');
  return {
    exchange,
    ...(own === undefined ? {} : { examined: readCase(own, exchange) }),
    ...(incomplete === '' ? {} : { incomplete }),
  };
}

function readCase(own: HarCase, exchange: Exchange): Case {
  const { scenario, case: number, call, label } = own;
  return { scenario, number, label, exchange, call };
}

function readRequest(
  value: unknown,
  own: HarCase | undefined,
  shared: EqualParts,
): { request: SentRequest; incomplete?: string } {
  const url = own?.url ?? splitUrl(textMember(value, 'url'));
  if (url === undefined) throw new Error('the URL of the request is not http or https');
  const data = member(value, 'postData');
  const body = bytesOf(member(data, 'text'), member(data, '_encoding'));
  // Some recorders write the parameters instead of the bytes; how those were escaped cannot be seen in them.
  const parameters = member(data, 'params');
  const listed = Array.isArray(parameters) && parameters.length > 0;
  const lost = body.length === 0 && (listed || isPositive(member(value, 'bodySize')));
  return {
    request: {
      method: shared.text(textMember(value, 'method')),
      scheme: url.scheme === 'https' ? 'https' : 'http',
      host: shared.text(url.host),
      target: shared.text(url.target),
      headers: readHeaders(value, own, shared),
      body,
    },
    ...(lost ? { incomplete: 'the bytes of the request body' } : {}),
  };
}

interface Received {
  readonly response?: ReceivedResponse;
  readonly failure?: NonNullable<Exchange['failure']>;
  readonly incomplete?: string;
}

function readResponse(value: unknown, own: HarCase | undefined, shared: EqualParts): Received {
  const status = numberMember(value, 'status');
  const error = member(value, '_error');
  if (typeof error === 'string' || (status === 0 && member(value, 'bodySize') === -1)) {
    const kind: FailureKind = 'reset';
    return { failure: { kind, message: typeof error === 'string' ? error : 'the recorder shows no response' } };
  }
  const body = bodyOf(value);
  const isElsewhere = own?.bodyDigest !== undefined;
  const lost = body.length === 0 && !isElsewhere && isPositive(member(member(value, 'content'), 'size'));
  return {
    response: {
      status,
      reason: shared.text(textMember(value, 'statusText')),
      headers: readHeaders(value, own, shared),
      body,
    },
    ...(lost ? { incomplete: 'the bytes of the response body' } : {}),
  };
}

function bodyOf(response: unknown): Uint8Array {
  const content = member(response, 'content');
  return bytesOf(member(content, 'text'), member(content, 'encoding'));
}

function readHeaders(message: unknown, own: HarCase | undefined, shared: EqualParts): readonly Header[] {
  const listed = member(message, 'headers');
  if (!Array.isArray(listed)) throw new Error('headers is not a list');
  const headers = listed.map((header) => shared.line(textMember(header, 'name'), textMember(header, 'value')));
  // Browsers list the pseudo-headers of HTTP/2 (RFC 9113 section 8.3) among the headers.
  return shared.lines(own === undefined ? headers.filter(([name]) => !name.startsWith(':')) : headers);
}
