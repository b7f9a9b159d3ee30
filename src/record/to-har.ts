/** Exchanges to HAR 1.2, byte-exact: bytes that are not UTF-8 travel as base64, and a long body is in one entry only. */
import type * as Har from 'har-format';
import type { Case } from './case.ts';
import type { ClientRun } from './client-case.ts';
import { type Exchange, type Header, headerValues, type ReceivedResponse, type SentRequest } from './exchange.ts';
import type { GatewayRun } from './gateway-run.ts';
import { type HarCase, type HarClient, type HarEntry, splitUrl } from './har-format.ts';
import { type HarPart, type LongText, longText, textOf, textOfPart, withLongTexts } from './har-texts.ts';
import { bodyDigest, bodyKey, bodyLength, longBody, type WithBody } from './stored-body.ts';

/**
 * The text of exchanges.har, one entry a line. `cases` are in the order of their numbers, the first one has number 1;
 * `suite` is named as the creator. `client` is set where one was the subject: calls that led to no request are kept too;
 * `gateway` where there is something to say of what was not sent. `fromHar` and `readHar` are the inverse.
 */
export function toHar(
  cases: readonly Case[],
  writer: HarWriter,
  beside: { readonly client?: ClientRun; readonly gateway?: GatewayRun } = {},
): string {
  return Array.from(toHarParts(cases, writer, beside), textOfPart).join('');
}

/** The suite, and the run that the exchanges are of. */
export interface HarWriter {
  readonly suite: { readonly name: string; readonly version: string };
  readonly runId?: string;
}

/**
 * The same text in parts, with a cut in no value; each entry is a part, and so is each long body.
 *
 * @param safe what is done to all JSON in it
 */
export function* toHarParts(
  cases: readonly Case[],
  { suite, runId }: HarWriter,
  { client, gateway }: { readonly client?: ClientRun; readonly gateway?: GatewayRun },
  safe: (json: string) => string = (json) => json,
): Generator<HarPart> {
  const json = (value: unknown) => safe(JSON.stringify(value));
  yield `{"log":{"version":"1.2","creator":${json({ name: suite.name, version: suite.version })}`;
  if (runId !== undefined) yield `,"_countersign":${json({ runId })}`;
  if (client !== undefined) yield `,\n"_client":${json(unsent(client))}\n`;
  if (gateway !== undefined) yield `,\n"_gateway":${json(gateway)}\n`;
  yield ',"entries":[';
  const digests = new Map<object, string>();
  const digestOf = (message: WithBody | undefined): string | undefined => {
    if (message === undefined || bodyLength(message) < longBody) return undefined;
    const digest = digests.get(bodyKey(message)) ?? bodyDigest(message);
    digests.set(bodyKey(message), digest);
    return digest;
  };
  const written = new Set<string>();
  for (const [index, examined] of cases.entries()) {
    const { request, response } = examined.exchange;
    yield `${index === 0 ? '' : ','}\n`;
    const long = { request: digestOf(request), response: digestOf(response) };
    if (long.request === undefined && long.response === undefined) {
      yield () => json(entry(examined, index + 1));
      continue;
    }
    const texts: LongText[] = [];
    const add = (
      path: LongText['path'],
      message: WithBody | undefined,
      digest: string | undefined,
      encoding: string,
    ) => {
      if (digest === undefined || written.has(digest)) return;
      written.add(digest);
      texts.push({ path, part: () => longText(message!.body, safe, encoding) });
    };
    add(['request', 'postData', 'text'], request, long.request, '_encoding');
    add(['response', 'content', 'text'], response, long.response, 'encoding');
    yield* withLongTexts(entry(examined, index + 1, long), texts, json);
  }
  yield '\n]}}\n';
}

function unsent({ calls, ...rest }: ClientRun): HarClient {
  return { ...rest, calls: calls.filter(({ wire }) => wire.length === 0).map(({ wire: _, ...call }) => call) };
}

/** Digests of the long ones. */
interface LongBodies {
  readonly request?: string | undefined;
  readonly response?: string | undefined;
}

/** With the digest of a long body the text of that is left out. */
function entry(examined: Case, number: number, long: LongBodies = {}): HarEntry {
  const { scenario, exchange } = examined;
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: exchange.durationMs,
    request: request(exchange.request, long.request === undefined),
    response:
      exchange.response === undefined ? noResponse(exchange) : response(exchange.response, long.response === undefined),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: exchange.durationMs, receive: 0 },
    ...(exchange.connection === undefined ? {} : { connection: `${scenario}#${exchange.connection}` }),
    _countersign: { ...caseOf(examined, number), bodyDigest: long.response, requestBodyDigest: long.request },
  };
}

function caseOf({ scenario, number: ownNumber, label, exchange, call }: Case, number: number): HarCase {
  const { scheme, host, target } = exchange.request;
  const read = splitUrl(urlOf(exchange.request));
  const ambiguous = read?.scheme !== scheme || read.host !== host || read.target !== target;
  return {
    scenario,
    case: ownNumber,
    connection: exchange.connection,
    silence: exchange.silence,
    number,
    label,
    failure: exchange.failure,
    call,
    ...(ambiguous ? { url: { scheme, host, target } } : {}),
  };
}

function request(sent: SentRequest, withText: boolean): Har.Request {
  const { method, target, headers } = sent;
  const length = bodyLength(sent);
  return {
    method,
    url: urlOf(sent),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(pair),
    queryString: queryOf(target),
    ...(length === 0
      ? {}
      : { postData: { mimeType: mimeTypeOf(headers), ...(withText ? postedText(sent.body) : { text: '' }) } }),
    headersSize: -1,
    bodySize: length,
  };
}

function response(received: ReceivedResponse, withText: boolean): Har.Response {
  const { status, reason, headers } = received;
  const length = bodyLength(received);
  return {
    status,
    statusText: reason,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(pair),
    content: { size: length, mimeType: mimeTypeOf(headers), ...(withText ? shortText(received.body) : {}) },
    redirectURL: headerValues(headers, 'location')[0] ?? '',
    headersSize: -1,
    bodySize: length,
  };
}

function postedText(body: Uint8Array): { readonly text: string; readonly _encoding?: 'base64' } {
  const { text, base64 } = textOf(body);
  return base64 ? { text, _encoding: 'base64' } : { text };
}

function shortText(body: Uint8Array): { readonly text: string; readonly encoding?: 'base64' } {
  const { text, base64 } = textOf(body);
  return base64 ? { text, encoding: 'base64' } : { text };
}

function noResponse({ failure }: Exchange): Har.Response & { readonly _error: string } {
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
    _error: failure?.message ?? 'no response was received',
  };
}

/** What browsers write where there is no Content-Type; the member itself is required. */
const unknownType = 'x-unknown';

function mimeTypeOf(headers: readonly Header[]): string {
  return headerValues(headers, 'content-type')[0] ?? unknownType;
}

/**
 * The target URI (RFC 9112 section 3.3), which every reader can parse: a target in absolute form is one already, and one in
 * authority form or `*` has no path. What was sent is beside it where that differs.
 */
function urlOf({ scheme, host, target }: SentRequest): string {
  const origin = URL.canParse(`${scheme}://${host}`) ? `${scheme}://${host}` : `${scheme}://unknown.invalid`;
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return target;
  return /^[/?]/.test(target) ? `${origin}${target}` : origin;
}

function pair([name, value]: Header): Har.Header {
  return { name, value };
}

/** Only viewers read these; the URL has the query as it was sent. */
function queryOf(target: string): Har.Header[] {
  const start = target.indexOf('?');
  return start === -1 ? [] : [...new URLSearchParams(target.slice(start + 1))].map(pair);
}
