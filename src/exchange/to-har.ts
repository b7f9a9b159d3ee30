/** Exchanges to HAR 1.2, byte-exact: bytes that are not UTF-8 travel as base64. */
import type { Case } from './case.ts';
import type { ClientRun } from './client-case.ts';
import { type Exchange, type Header, headerValues, type SentRequest } from './exchange.ts';
import type { GatewayRun } from './gateway-run.ts';
import {
  type HarCase,
  type HarClient,
  type HarEntry,
  type HarPair,
  type HarRequest,
  type HarResponse,
  splitUrl,
} from './har-format.ts';

/**
 * The text of exchanges.har, one entry a line. `cases` are in the order of their numbers, the first one has number 1;
 * `suite` is named as the creator. `client` is set where one was the subject: calls that led to no request are kept too;
 * `gateway` where there is something to say of what was not sent. `fromHar` and `readHar` are the inverse.
 */
export function toHar(
  cases: readonly Case[],
  { suite }: { readonly suite: { readonly name: string; readonly version: string } },
  beside: { readonly client?: ClientRun; readonly gateway?: GatewayRun } = {},
): string {
  return [...toHarParts(cases, { suite }, beside)].join('');
}

/**
 * The same text in parts, with a cut in no value: a long body that comes in many entries is one text in memory.
 *
 * @param safe what is done to all JSON in it
 */
export function* toHarParts(
  cases: readonly Case[],
  { suite }: { readonly suite: { readonly name: string; readonly version: string } },
  { client, gateway }: { readonly client?: ClientRun; readonly gateway?: GatewayRun },
  safe: (json: string) => string = (json) => json,
): Generator<string> {
  const json = (value: unknown) => safe(JSON.stringify(value));
  yield `{"log":{"version":"1.2","creator":${json({ name: suite.name, version: suite.version })}`;
  if (client !== undefined) yield `,\n"_client":${json(unsent(client))}\n`;
  if (gateway !== undefined) yield `,\n"_gateway":${json(gateway)}\n`;
  yield ',"entries":[';
  const known = new Map<Uint8Array, string>();
  for (const [index, examined] of cases.entries()) {
    const written = entry(examined, index + 1);
    const body = examined.exchange.response?.body;
    yield `${index === 0 ? '' : ','}\n`;
    if (body === undefined || body.length < long) yield json(written);
    else {
      const text = known.get(body) ?? json(written.response.content.text);
      known.set(body, text);
      yield* withLongText(written, text, json);
    }
  }
  yield '\n]}}\n';
}

/** Bytes of a body whose text is made once: a gateway may give the same one of megabytes to every request. */
const long = 64 * 1024;

function withLongText(written: HarEntry, text: string, json: (value: unknown) => string): readonly string[] {
  const { response } = written;
  const content = around(response.content, 'text', json);
  const answer = around(response, 'content', json);
  const entry = around(written, 'response', json);
  return [`${entry.before}${answer.before}${content.before}`, text, `${content.after}${answer.after}${entry.after}`];
}

/** JSON of an object before and behind the value of one member, which is not its first one. */
function around(value: object, name: string, json: (value: unknown) => string): { before: string; after: string } {
  const members = Object.entries(value);
  const place = members.findIndex(([key]) => key === name);
  const [before, after] = [members.slice(0, place), members.slice(place + 1)].map((some) =>
    json(Object.fromEntries(some)).slice(1, -1),
  );
  return { before: `{${before},${json(name)}:`, after: `${after === '' ? '' : `,${after}`}}` };
}

function unsent({ calls, ...rest }: ClientRun): HarClient {
  return { ...rest, calls: calls.filter(({ wire }) => wire.length === 0).map(({ wire: _, ...call }) => call) };
}

function entry(examined: Case, number: number): HarEntry {
  const { scenario, exchange } = examined;
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: exchange.durationMs,
    request: request(exchange.request),
    response: exchange.response === undefined ? noResponse(exchange) : response(exchange.response),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: exchange.durationMs, receive: 0 },
    ...(exchange.connection === undefined ? {} : { connection: `${scenario}#${exchange.connection}` }),
    _countersign: caseOf(examined, number),
  };
}

function caseOf({ scenario, number: ownNumber, label, exchange, call }: Case, number: number): HarCase {
  const { scheme, host, target } = exchange.request;
  const read = splitUrl(urlOf(exchange.request));
  const ambiguous = read?.scheme !== scheme || read.host !== host || read.target !== target;
  return {
    scenario,
    case: ownNumber,
    ...(exchange.connection === undefined ? {} : { connection: exchange.connection }),
    ...(exchange.silence === undefined ? {} : { silence: exchange.silence }),
    number,
    label,
    ...(exchange.failure === undefined ? {} : { failure: exchange.failure }),
    ...(call === undefined ? {} : { call }),
    ...(ambiguous ? { url: { scheme, host, target } } : {}),
  };
}

function request(sent: SentRequest): HarRequest {
  const { body, method, target, headers } = sent;
  const { text, base64 } = textOf(body);
  return {
    method,
    url: urlOf(sent),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(pair),
    queryString: queryOf(target),
    ...(body.length === 0
      ? {}
      : { postData: { mimeType: mimeTypeOf(headers), text, ...(base64 ? { _encoding: 'base64' } : {}) } }),
    headersSize: -1,
    bodySize: body.length,
  };
}

function response({ status, reason, headers, body }: NonNullable<Exchange['response']>): HarResponse {
  const { text, base64 } = textOf(body);
  return {
    status,
    statusText: reason,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(pair),
    content: { size: body.length, mimeType: mimeTypeOf(headers), text, ...(base64 ? { encoding: 'base64' } : {}) },
    redirectURL: headerValues(headers, 'location')[0] ?? '',
    headersSize: -1,
    bodySize: body.length,
  };
}

function noResponse({ failure }: Exchange): HarResponse {
  return {
    status: 0,
    statusText: '',
    httpVersion: 'unknown',
    cookies: [],
    headers: [],
    content: { size: 0, mimeType: unknownType },
    redirectURL: '',
    headersSize: -1,
    bodySize: -1,
    _error: failure?.message ?? 'no response came',
  };
}

/** What browsers write where there is no Content-Type; the member itself is required. */
const unknownType = 'x-unknown';

function mimeTypeOf(headers: readonly Header[]): string {
  return headerValues(headers, 'content-type')[0] ?? unknownType;
}

/**
 * The target URI (RFC 9112 section 3.3), which every reader can parse: a target in absolute form is one already, and one in
 * authority form or `*` has no path. What was sent stands beside it where that differs.
 */
function urlOf({ scheme, host, target }: SentRequest): string {
  const origin = URL.canParse(`${scheme}://${host}`) ? `${scheme}://${host}` : `${scheme}://unknown.invalid`;
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return target;
  return /^[/?]/.test(target) ? `${origin}${target}` : origin;
}

function pair([name, value]: Header): HarPair {
  return { name, value };
}

/** Only viewers read these; the URL has the query as it was sent. */
function queryOf(target: string): HarPair[] {
  const start = target.indexOf('?');
  return start === -1 ? [] : [...new URLSearchParams(target.slice(start + 1))].map(pair);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(body: Uint8Array): { readonly text: string; readonly base64: boolean } {
  try {
    return { text: utf8.decode(body), base64: false };
  } catch {
    return { text: Buffer.from(body).toString('base64'), base64: true };
  }
}
