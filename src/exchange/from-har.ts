/** HAR 1.2 to exchanges: ours come back exactly, and those that another tool recorded as exactly as it wrote them. */
import { validate } from '../../schemas/index.ts';
import type { Case } from './case.ts';
import type { ClientCase, ClientRun } from './client-case.ts';
import type { Exchange, FailureKind, Header, ReceivedResponse, SentRequest } from './exchange.ts';
import type { GatewayRun } from './gateway-run.ts';
import { type HarCase, type HarClient, splitUrl } from './har-format.ts';

export interface ReadExchange {
  readonly exchange: Exchange;
  /** The case that the exchange is, where this suite wrote the entry. */
  readonly examined?: Case;
  /** Set where the recorder left out bytes of a body, which is then shorter here than it was: what is missing. */
  readonly incomplete?: string;
}

export class HarError extends Error {
  /** `not-json`: no JSON at all. `not-har`: JSON without a HAR log. `bad-entry`: an entry that lacks what HAR requires. `bad-run`: what this suite adds is not in its form. */
  readonly code: 'not-json' | 'not-har' | 'bad-entry' | 'bad-run';
  readonly hint: string;

  constructor(code: HarError['code'], message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'HarError';
    this.code = code;
    this.hint = hint;
  }
}

/** The exchanges of a HAR text in the order of the file. Throws HarError. */
export function fromHar(text: string): readonly ReadExchange[] {
  const log = member(parse(text), 'log');
  const entries = member(log, 'entries');
  if (!Array.isArray(entries)) {
    throw new HarError('not-har', 'the file has no log with entries', 'Give a HAR 1.2 file, such as exchanges.har.');
  }
  checkOwn('recording', log, log, '');
  return entries.map((entry, index) => {
    checkOwn('recording/entry', entry, log, `entry ${index + 1} of `);
    try {
      return readEntry(entry);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const hint = 'Record the traffic again with a tool that writes HAR 1.2.';
      throw new HarError('bad-entry', `entry ${index + 1} of the HAR file cannot be read: ${reason}`, hint, cause);
    }
  });
}

/**
 * The run with a client that the file is of, its calls put together again; undefined where it is of none.
 * Throws HarError.
 */
export function clientRunFromHar(text: string): ClientRun | undefined {
  const beside = member(member(parse(text), 'log'), '_client') as HarClient | undefined;
  if (beside === undefined) return undefined;
  const calls = new Map<string, ClientCase>();
  for (const { examined } of fromHar(text)) {
    if (examined?.call === undefined) continue;
    const { scenario, number, call, exchange } = examined;
    const earlier = calls.get(`${scenario}#${number}`)?.wire ?? [];
    calls.set(`${scenario}#${number}`, { scenario, number, ...call, wire: [...earlier, exchange] });
  }
  return { ...beside, calls: [...calls.values(), ...beside.calls.map((call) => ({ ...call, wire: [] }))] };
}

/** What a run against a gateway left beside its exchanges; undefined where it left nothing, or was none. */
export function gatewayRunFromHar(text: string): GatewayRun | undefined {
  return member(member(parse(text), 'log'), '_gateway') as GatewayRun | undefined;
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

function parse(text: string): unknown {
  try {
    // RFC 8259 section 8.1 allows a reader to ignore a byte-order mark, and browsers on Windows write one.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new HarError('not-json', 'the file is not JSON', 'Give a HAR 1.2 file, such as exchanges.har.', cause);
  }
}

function readEntry(entry: unknown): ReadExchange {
  const own = member(entry, '_countersign') as HarCase | undefined;
  const sent = readRequest(member(entry, 'request'), own);
  const received = readResponse(member(entry, 'response'), own);
  const startedAt = Date.parse(textOf(entry, 'startedDateTime'));
  if (Number.isNaN(startedAt)) throw new Error('startedDateTime is not a date');
  const failure = own === undefined ? received.failure : own.failure;
  const exchange: Exchange = {
    request: sent.request,
    ...(received.response === undefined ? {} : { response: received.response }),
    ...(failure === undefined ? {} : { failure }),
    startedAt,
    durationMs: numberOf(entry, 'time'),
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
  return { scenario, number, label, exchange, ...(call === undefined ? {} : { call }) };
}

function readRequest(value: unknown, own: HarCase | undefined): { request: SentRequest; incomplete?: string } {
  const url = own?.url ?? splitUrl(textOf(value, 'url'));
  if (url === undefined) throw new Error('the URL of the request is not http or https');
  const data = member(value, 'postData');
  const body = bytesOf(member(data, 'text'), member(data, '_encoding'));
  // Some recorders write the parameters instead of the bytes; how those were escaped cannot be told from them.
  const parameters = member(data, 'params');
  const listed = Array.isArray(parameters) && parameters.length > 0;
  const lost = body.length === 0 && (listed || Number(member(value, 'bodySize')) > 0);
  return {
    request: { method: textOf(value, 'method'), ...url, headers: readHeaders(value, own), body },
    ...(lost ? { incomplete: 'the bytes of the request body' } : {}),
  };
}

interface Received {
  readonly response?: ReceivedResponse;
  readonly failure?: NonNullable<Exchange['failure']>;
  readonly incomplete?: string;
}

function readResponse(value: unknown, own: HarCase | undefined): Received {
  const status = numberOf(value, 'status');
  const error = member(value, '_error');
  if (typeof error === 'string' || (status === 0 && member(value, 'bodySize') === -1)) {
    const kind: FailureKind = 'reset';
    return { failure: { kind, message: typeof error === 'string' ? error : 'the recorder shows no response' } };
  }
  const content = member(value, 'content');
  const body = bytesOf(member(content, 'text'), member(content, 'encoding'));
  const lost = body.length === 0 && Number(member(content, 'size')) > 0;
  return {
    response: { status, reason: textOf(value, 'statusText'), headers: readHeaders(value, own), body },
    ...(lost ? { incomplete: 'the bytes of the response body' } : {}),
  };
}

function readHeaders(message: unknown, own: HarCase | undefined): Header[] {
  const listed = member(message, 'headers');
  if (!Array.isArray(listed)) throw new Error('headers is not a list');
  const headers = listed.map((header): Header => [textOf(header, 'name'), textOf(header, 'value')]);
  // Browsers list the pseudo-headers of HTTP/2 (RFC 9113 section 8.3) among the headers.
  return own === undefined ? headers.filter(([name]) => !name.startsWith(':')) : headers;
}

function bytesOf(text: unknown, encoding: unknown): Uint8Array {
  return Buffer.from(typeof text === 'string' ? text : '', encoding === 'base64' ? 'base64' : 'utf8');
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown, name: string): string {
  const found = member(value, name);
  if (typeof found !== 'string') throw new Error(`${name} is not a text`);
  return found;
}

function numberOf(value: unknown, name: string): number {
  const found = member(value, name);
  if (typeof found !== 'number') throw new Error(`${name} is not a number`);
  return found;
}
