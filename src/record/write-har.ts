/** Writes HAR 1.2. Bytes that are not UTF-8 are base64, and a repeated long body is written once. */
import { createHash } from 'node:crypto';
import type * as Har from 'har-format';
import type { Case } from './case.ts';
import { type Exchange, type Header, headerValues, type ReceivedResponse, type SentRequest } from './exchange.ts';
import { type HarCase, type HarClient, type HarGateway, splitUrl } from './har.ts';
import type { RecordedRun } from './run.ts';

/** Minimum bytes of a long body. If a long body occurs again, later entries contain only its digest. */
const minLongBody = 64 * 1024;

type HarEntry = Har.Entry & { readonly _countersign?: HarCase };

interface HarWriter {
  readonly suite: { readonly name: string; readonly version: string };
  readonly runId?: string;
}

/** A HAR file with one entry per line. `cases` are in the order of their numbers. `readHar` reads the file back. */
export function toHar(cases: readonly Case[], writer: HarWriter, run?: RecordedRun): string {
  return [...toHarParts(cases, writer, run)].join('');
}

/** Like `toHar`, but yields parts, because a string cannot hold a long file. `escapeJson` may add escapes to JSON. */
export function* toHarParts(
  cases: readonly Case[],
  { suite, runId }: HarWriter,
  run?: RecordedRun,
  escapeJson: (json: string) => string = (json) => json,
): Generator<string> {
  const json = (value: unknown) => escapeJson(JSON.stringify(value));
  yield `{"log":{"version":"1.2","creator":${json({ name: suite.name, version: suite.version })}`;
  if (runId !== undefined) yield `,"_countersign":${json({ runId })}`;
  const [name, data] = run?.side === 'client' ? ['_client', clientData(run)] : ['_gateway', run && gatewayData(run)];
  if (data !== undefined) yield `,\n"${name}":${json(data)}\n`;
  yield ',"entries":[';
  const writtenBodies = new Set<string>();
  for (const [index, testCase] of cases.entries()) {
    yield `${index === 0 ? '' : ','}\n${json(toEntry(testCase, index + 1, writtenBodies))}`;
  }
  yield '\n]}}\n';
}

function clientData({ records, skipped = [], leftOut, offered, language, aborted }: RecordedRun): HarClient {
  const withoutRequest = records.flatMap(({ cases }) => cases).filter(({ exchanges }) => exchanges.length === 0);
  const calls = withoutRequest.map(({ scenario, number, call }) => ({ scenario, number, ...call! }));
  return { skipped, leftOut, offered, language, aborted, calls };
}

function gatewayData({ records, aborted, misconfigured, leftOut }: RecordedRun): HarGateway | undefined {
  const scenarios = records.flatMap(({ scenario, cases, givenUp, goneAfter, notSent, unreachable, suiteErrors }) => {
    const isEmpty = (givenUp ?? unreachable) === undefined && !notSent?.length && !suiteErrors.length;
    const caseNumbers = cases.map(({ number }) => number);
    return isEmpty ? [] : [{ scenario, caseNumbers, givenUp, goneAfter, notSent, unreachable, suiteErrors }];
  });
  const isEmpty = scenarios.length === 0 && (aborted ?? misconfigured ?? leftOut) === undefined;
  return isEmpty ? undefined : { aborted, misconfigured, leftOut, scenarios };
}

function toEntry(testCase: Case, number: number, writtenBodies: Set<string>): HarEntry {
  const { scenario } = testCase;
  const [exchange] = testCase.exchanges;
  const sent = bodyOf(exchange.request, writtenBodies);
  const received = exchange.response && bodyOf(exchange.response, writtenBodies);
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: exchange.durationMs,
    request: toRequest(exchange.request, sent),
    response: received === undefined ? noResponse(exchange) : toResponse(exchange.response!, received),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: exchange.durationMs, receive: 0 },
    connection: exchange.connection === undefined ? undefined : `${scenario}#${exchange.connection}`,
    _countersign: { ...caseOf(testCase, number), bodyDigest: received?.digest, requestBodyDigest: sent.digest },
  };
}

interface WrittenBody {
  readonly text?: string;
  readonly base64?: boolean;
  readonly digest?: string;
}

function bodyOf({ body }: { readonly body: Uint8Array }, writtenBodies: Set<string>): WrittenBody {
  if (body.length < minLongBody) return textOf(body);
  const digest = createHash('sha256').update(body).digest('hex');
  if (writtenBodies.has(digest)) return { digest };
  writtenBodies.add(digest);
  return { ...textOf(body), digest };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Writes UTF-8 as text, and other bytes as base64. Long text becomes base64 too if escapes make it much longer. */
function textOf(body: Uint8Array): { readonly text: string; readonly base64: boolean } {
  try {
    const text = utf8.decode(body);
    if (body.length < minLongBody || JSON.stringify(text).length <= 1.5 * body.length) return { text, base64: false };
  } catch {}
  return { text: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64'), base64: true };
}

function caseOf({ scenario, number: ownNumber, label, exchanges: [exchange], call }: Case, number: number): HarCase {
  const { scheme, host, target } = exchange.request;
  const parsed = splitUrl(urlOf(exchange.request));
  const isAmbiguous = parsed?.scheme !== scheme || parsed.host !== host || parsed.target !== target;
  return {
    scenario,
    case: ownNumber,
    connection: exchange.connection,
    silence: exchange.silence,
    number,
    label,
    failure: exchange.failure,
    call,
    url: isAmbiguous ? { scheme, host, target } : undefined,
  };
}

function toRequest(sent: SentRequest, { text = '', base64 }: WrittenBody): Har.Request {
  const { method, target, headers, body } = sent;
  const data = { mimeType: mimeTypeOf(headers), text, ...(base64 ? { _encoding: 'base64' } : {}) };
  return {
    method,
    url: urlOf(sent),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(toPair),
    queryString: queryOf(target),
    ...(body.length === 0 ? {} : { postData: data }),
    headersSize: -1,
    bodySize: body.length,
  };
}

function toResponse({ status, reason, headers, body }: ReceivedResponse, { text, base64 }: WrittenBody): Har.Response {
  return {
    status,
    statusText: reason,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(toPair),
    content: { size: body.length, mimeType: mimeTypeOf(headers), text, ...(base64 ? { encoding: 'base64' } : {}) },
    redirectURL: headerValues(headers, 'location')[0] ?? '',
    headersSize: -1,
    bodySize: body.length,
  };
}

function noResponse({ failure }: Exchange): Har.Response & { readonly _error: string } {
  const none = toResponse({ status: 0, reason: '', headers: [], body: Buffer.alloc(0) }, {});
  return { ...none, httpVersion: 'unknown', bodySize: -1, _error: failure?.message ?? 'no response was received' };
}

/** HAR requires a MIME type. If a message has no Content-Type, browsers write `x-unknown`. */
const unknownType = 'x-unknown';

function mimeTypeOf(headers: readonly Header[]): string {
  return headerValues(headers, 'content-type')[0] ?? unknownType;
}

/** A URL (RFC 9112 3.3) that every HAR viewer can parse. If the sent URL differs, `_countersign.url` has its parts. */
function urlOf({ scheme, host, target }: Pick<SentRequest, 'scheme' | 'host' | 'target'>): string {
  const origin = URL.canParse(`${scheme}://${host}`) ? `${scheme}://${host}` : `${scheme}://unknown.invalid`;
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return target;
  return /^[/?]/.test(target) ? `${origin}${target}` : origin;
}

function toPair([name, value]: Header): Har.Header {
  return { name, value };
}

/** The decoded query, for HAR viewers. The suite itself reads the query from the URL. */
function queryOf(target: string): Har.Header[] {
  const start = target.indexOf('?');
  return start === -1 ? [] : [...new URLSearchParams(target.slice(start + 1))].map(toPair);
}
