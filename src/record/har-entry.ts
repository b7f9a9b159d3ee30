/** Reads one HAR entry as an exchange. Entries of other tools are read as far as possible. */
import type * as Har from 'har-format';
import type { Case } from './case.ts';
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
import { beyondHttp, type HarCase, HarError, splitUrl } from './har.ts';

export interface ReadExchange {
  readonly exchange: Exchange;
  readonly testCase?: Case;
  /** What the recorder omitted or damaged, in the phrases of `losses`. */
  readonly incomplete?: string;
  /** Set if the entry cannot be read; `exchange` is empty in this case. */
  readonly unreadable?: HarError;
}

type KnownBodies = Map<string, Uint8Array>;

/** Reads entry `number`, from 1. `creator` wrote the file. Throws Error for an invalid entry, HarError for a large entry. */
export function readExchange(entry: unknown, number: number, bodies: KnownBodies, creator: string): ReadExchange {
  if (!isObject(entry)) throw new Error('the entry is not a JSON object');
  const own = member(entry, '_countersign') as HarCase | undefined;
  // If a request was aborted, browsers write null as its response.
  const aborted = own === undefined && member(entry, 'response') === null;
  const absent = ['request', 'response'].find((name) => !isObject(member(entry, name)));
  if (absent !== undefined && !(aborted && absent === 'response'))
    throw new Error(`the ${absent} is not a JSON object`);
  const received = aborted ? { failure: noAnswer } : readResponse(member(entry, 'response'), own);
  const sent = readRequest(member(entry, 'request'), own, { creator, isAccepted: isAccepted(received) });
  const started = readTime(member(entry, 'startedDateTime'));
  if (started === undefined) throw new Error('startedDateTime is not a date');
  const durationMs = own === undefined && member(entry, 'time') === null ? 0 : numberMember(entry, 'time');
  // The schemas of our files have the same maximum.
  if (Math.abs(durationMs) > 1e12) throw new Error('the time is longer than thirty years');
  const failure = own === undefined ? received.failure : own.failure;
  const request = withBody(sent.request, own?.requestBodyDigest, bodies);
  const response = received.response && withBody(received.response, own?.bodyDigest, bodies);
  const named = `entry ${number} of the HAR file has`;
  const excess = excessOf(request);
  if (excess !== undefined) throw new HarError('bad-entry', `${named} ${excess}`, leaveOut);
  if (response !== undefined && response.body.length > maxForeignBody)
    throw tooLarge(`${named} a body of`, maxForeignBody);
  const exchange: Exchange = {
    request,
    ...(response !== undefined && response.body.length > maxBodyBytes
      ? { failure: answerTooLarge }
      : { response, failure }),
    startedAt: started.at,
    durationMs,
    connection: own?.connection,
    silence: own?.silence,
  };
  const zone = own === undefined && !started.hasZone ? losses.zone : undefined;
  const incomplete = [sent.incomplete, received.incomplete, zone].filter((part) => part !== undefined).join(' and ');
  return {
    exchange,
    testCase: own && {
      ...{ scenario: own.scenario, number: own.case, label: own.label, call: own.call },
      exchanges: [exchange],
    },
    ...(incomplete === '' ? {} : { incomplete }),
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

const leaveOut = 'Remove the entry from the file.';

/** In bytes. Traffic that is not judged may have larger bodies than `maxBodyBytes`. */
const maxForeignBody = 64 * 1024 * 1024;

export function tooLarge(what: string, limit: number): HarError {
  return new HarError('bad-entry', `${what} more than ${limit / 1024 / 1024} MB`, leaveOut);
}

function readRequest(
  value: unknown,
  own: HarCase | undefined,
  context: { readonly creator: string; readonly isAccepted: boolean },
): { request: SentRequest; incomplete?: string } {
  const written = textMember(value, 'url');
  const url =
    own?.url ??
    splitUrl(written) ??
    (own === undefined && /^[a-z][a-z0-9+.-]*:/i.test(written) ? beyondHttp : undefined);
  if (url === undefined) throw new Error('the URL of the request is not http or https');
  const data = member(value, 'postData');
  const posted = postedBytes(value, own !== undefined);
  const body = posted ?? Buffer.alloc(0);
  // If a recorder lists parameters instead of bytes, their original escaping is unknown, so the body counts as lost.
  const parameters = member(data, 'params');
  const listed = Array.isArray(parameters) && parameters.length > 0;
  const isElsewhere = own?.requestBodyDigest !== undefined;
  const headers = readHeaders(value, own);
  const sized = isPositive(member(value, 'bodySize')) || (own === undefined && saysLength(headers));
  const lost = posted === undefined || (body.length === 0 && !isElsewhere && (listed || sized));
  const stated = own === undefined && url !== beyondHttp ? statedAddress(value, headers, url) : url;
  const recorded = { value, headers, body, url, stated, ...context };
  const found = own === undefined ? signs.filter(([, isThere]) => isThere(recorded)) : [];
  const incomplete = [...(lost ? [losses.requestBody] : []), ...found.map(([loss]) => losses[loss])].join(' and ');
  return {
    request: { method: textMember(value, 'method'), ...stated, headers, body },
    ...(incomplete === '' ? {} : { incomplete }),
  };
}

/** The address that the client signed, which is in the Host header (RFC 5849 3.4.1.2). A proxy may change the URL. */
function statedAddress(value: unknown, headers: readonly Header[], url: NonNullable<HarCase['url']>): typeof url {
  const listed = member(value, 'headers') as readonly Har.Header[];
  const pseudo = listed.filter(({ name }) => name === ':authority').map((one) => one.value);
  const hosts = headerValues(headers, 'host');
  const [host = '', ...more] = hosts.length > 0 ? hosts : pseudo;
  const isHost = more.length === 0 && /^[^\s/?#@,]+$/.test(host);
  const [proto = ''] = headerValues(headers, 'x-forwarded-proto');
  const scheme = /^https\b/i.test(proto) ? 'https' : url.scheme;
  return { ...url, scheme, host: isHost ? host : url.host };
}

type Received = Pick<Exchange, 'response' | 'failure'> & { readonly incomplete?: string };

/** False if there is no response, or if the response has a form of refusal (sections 2.4, 4.1 and 4.2). */
function isAccepted({ response }: Received): boolean {
  if (response === undefined || response.status < 200 || response.status >= 400) return false;
  return !/"status"\s*:\s*"error"|type=(?:validation-)?error/.test(
    Buffer.from(response.body).toString('latin1', 0, 4096),
  );
}

const noAnswer = { kind: 'reset', message: 'the recorder shows no response' } as const;

function readResponse(value: unknown, own: HarCase | undefined): Received {
  const status = numberMember(value, 'status');
  const error = member(value, '_error');
  if (typeof error === 'string' || (status === 0 && member(value, 'bodySize') === -1)) {
    return { failure: typeof error === 'string' ? { ...noAnswer, message: error } : noAnswer };
  }
  const { text, encoding } = recordedText(member(value, 'content'));
  const content = bytesOf(text, encoding);
  const body = content ?? Buffer.alloc(0);
  const isElsewhere = own?.bodyDigest !== undefined;
  const headers = readHeaders(value, own);
  const sized = isPositive(member(member(value, 'content'), 'size')) || (own === undefined && saysLength(headers));
  const lost = content === undefined || (body.length === 0 && !isElsewhere && sized);
  return {
    response: { status, reason: textMember(value, 'statusText'), headers, body },
    ...(lost ? { incomplete: losses.responseBody } : {}),
  };
}

/** Some recorders omit a body and its size. Only Content-Length still shows that the message had a body. */
function saysLength(headers: readonly Header[]): boolean {
  return headerValues(headers, 'content-length').some((length) => Number(length) > 0);
}

/** Reads a text without a stated encoding as UTF-8, Latin-1 or base64. Chooses the encoding that gives the stated length. */
function postedBytes(request: unknown, isOwn: boolean): Uint8Array | undefined {
  const data = member(request, 'postData');
  const { text, encoding } = recordedText(data);
  const body = bytesOf(text, encoding);
  const { length, isExact } = statedLength(request);
  if (isOwn || encoding !== undefined || typeof text !== 'string' || body?.length === length) return body;
  const isLatin1 = isExact && !/[^\0-\xff]/.test(text);
  const others = [isLatin1 ? Buffer.from(text, 'latin1') : undefined, base64Of(text)];
  const isBare = member(data, 'text') === undefined;
  return others.find((one) => one?.length === length) ?? (isBare ? others[1] : undefined) ?? body;
}

/** The recorded body and its encoding. HAR 1.2 has no encoding of requests, so recorders state it in different members. */
function recordedText(of: unknown): { readonly text: unknown; readonly encoding: unknown } {
  const isBase64 = member(of, '_base64') === true || /^base64\b/i.test(textOr(member(of, 'comment')));
  const stated = [member(of, '_encoding'), member(of, 'encoding'), isBase64 ? 'base64' : undefined];
  return { text: member(of, 'text') ?? member(of, '_data'), encoding: stated.find(Boolean) };
}

function readHeaders(message: unknown, own: HarCase | undefined): readonly Header[] {
  const listed = member(message, 'headers');
  if (!Array.isArray(listed)) throw new Error('headers is not a list');
  const headers = listed.map((header) => [textMember(header, 'name'), textMember(header, 'value')] as const);
  // Remove the pseudo-headers of HTTP/2, which browsers also list (RFC 9113 section 8.3).
  return own === undefined ? headers.filter(([name]) => !name.startsWith(':')) : headers;
}

const encodings = new Map<string, BufferEncoding>([
  ...(['', 'utf-8', 'utf8'] as const).map((name) => [name, 'utf8'] as const),
  ...(['latin1', 'iso-8859-1', 'binary'] as const).map((name) => [name, 'latin1'] as const),
  ...(['base64', 'hex'] as const).map((name) => [name, name] as const),
]);

/** The bytes of a recorded text; undefined if the encoding is unknown. */
function bytesOf(text: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text === '') return Buffer.alloc(0);
  const known = encodings.get(textOr(encoding).toLowerCase());
  return known && Buffer.from(text, known);
}

function base64Of(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text.replace(/\s+/g, '') ? bytes : undefined;
}

const isoTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d))?(?:[.,](\d+))?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;

/** Reads ISO 8601, seconds, milliseconds, or another form that JavaScript parses. A time without a zone is UTC. */
function readTime(value: unknown): { readonly at: number; readonly hasZone: boolean } | undefined {
  const text = typeof value === 'number' ? String(value) : textOr(value).trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const at = Math.round(Number(text) * (Number(text) < 1e11 ? 1000 : 1));
    return at <= 8.64e15 ? { at, hasZone: true } : undefined;
  }
  const [, day, minute, second = '00', fraction = '', zone] = isoTime.exec(text) ?? [];
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone ?? '') ?? [];
  const hasZone = zone !== undefined || /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?: *\(.*\))?$/i.test(text);
  const iso = `${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
  const other = `${text.replace(/^([\d-]{10})T/, '$1 ')}${hasZone ? '' : ' UTC'}`;
  const at = Date.parse(day === undefined ? other : iso);
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

/** What a recorder can lose or damage. `incomplete` joins these phrases. */
export const losses = {
  requestBody: 'the bytes of the request body',
  requestEnd: 'the end of the request body',
  requestPart: 'perhaps a part of the request body',
  characters: 'some characters of the request',
  authorization: 'the Authorization header',
  address: 'the address that the client called',
  zone: 'the zone of its times',
  responseBody: 'the bytes of the response body',
} as const;

export function lacks({ incomplete }: { readonly incomplete?: string }, loss: keyof typeof losses): boolean {
  return incomplete?.includes(losses[loss]) ?? false;
}

/** The lost parts that a signature covers, as a phrase; undefined if no signed part is lost. */
export function lossOfSigned({ incomplete = '' }: { readonly incomplete?: string }): string | undefined {
  const { zone: _, responseBody: __, ...signed } = losses;
  const lost = Object.values(signed).filter((words) => incomplete.includes(words));
  return lost.length === 0 ? undefined : lost.join(' and ');
}

interface Recorded {
  readonly value: unknown;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly url: NonNullable<HarCase['url']>;
  readonly stated: NonNullable<HarCase['url']>;
  readonly creator: string;
  readonly isAccepted: boolean;
}

/** The stated length of the body, or -1. Content-Length is exact; the size that a recorder counted may not be. */
function statedLength(request: unknown): { readonly length: number; readonly isExact: boolean } {
  const listed = member(request, 'headers');
  const isLength = (one: unknown) => /^content-length$/i.test(textOr(member(one, 'name')));
  const counted = Array.isArray(listed)
    ? Number.parseInt(textOr(member(listed.find(isLength), 'value')), 10)
    : Number.NaN;
  const size = member(request, 'bodySize');
  return Number.isNaN(counted)
    ? { length: isPositive(size) ? size : -1, isExact: false }
    : { length: counted, isExact: true };
}

const signs: readonly (readonly [loss: keyof typeof losses, isThere: (recorded: Recorded) => boolean])[] = [
  ['requestEnd', isCut],
  ['requestPart', isCutPerhaps],
  ['characters', isDamaged],
  ['authorization', isSanitized],
  ['address', isBehindProxy],
];

function isCut({ value, body }: Recorded): boolean {
  const { length, isExact } = statedLength(value);
  return isExact && body.length > 0 && length > body.length;
}

/** Recorders cut a body at a power of two, such as 64 KB. The size that they state counts bytes or characters. */
function isCutPerhaps({ value, body }: Recorded): boolean {
  const { length, isExact } = statedLength(value);
  if (isExact || body.length === 0) return false;
  const isRound = [0, 1].some((more) => body.length >= 16_383 && Number.isInteger(Math.log2(body.length + more)));
  return isRound || length > Math.max(body.length, textOf(value).length);
}

/** True if the request has replacement characters, NUL, redacted values, or UTF-8 that was read as Latin-1 or Windows-1252. */
function isDamaged({ value, body, headers }: Recorded): boolean {
  const text = textOf(value);
  if (body.length > 0 && (/[\0\ufffd]/.test(text) || redacted.test(text))) return true;
  if (headers.some((header) => header[1].includes('\ufffd'))) return true;
  return misread.test(text) && statedLength(value).length !== body.length;
}

const misread =
  /[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]/;

function textOf(request: unknown): string {
  return textOr(member(member(request, 'postData'), 'text'));
}

/** Recorders that omit the Authorization header by default. */
const sanitizers = /WebInspector|Chrom|Edge|Opera|Safari|Firefox|sitespeed|browsertime|sanitiz/i;

const redacted =
  /(?:^|[\s="'[<({])(?:authorization |value )?(?:redacted|sanitized|removed|filtered|hidden|masked|scrubbed|censored|omitted)(?=$|[\s"'\]>)}.,])|\*{3}|[\u2022\u2026]|"x{3,}"/i;

/** True if the Authorization header is redacted, or if it is missing although the request must have had the header. */
function isSanitized({ headers, body, url, creator, isAccepted }: Recorded): boolean {
  const [sent = ''] = headerValues(headers, 'authorization');
  if (sent.trim() !== '') return redacted.test(sent);
  if (/oauth_/.test(url.target) || Buffer.from(body).includes('oauth_')) return false;
  return isAccepted || sanitizers.test(creator);
}

/** True if the called address is uncertain: a proxy may have changed it, or the URL has only an IP address. */
function isBehindProxy({ headers, url, stated }: Recorded): boolean {
  const [forwarded] = headerValues(headers, 'x-forwarded-host');
  if (forwarded !== undefined && forwarded.toLowerCase() !== stated.host.toLowerCase()) return true;
  const name = (host: string) => host.toLowerCase().replace(/:(?:80|443)$/, '');
  const isAddress = /^(?:[\d.]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(url.host);
  if (name(url.host) === name(stated.host)) {
    const isStated = headers.some(([one]) => /^:?(?:host|authority)$/i.test(one));
    return isAddress && !isStated && !/^(?:127\.|\[::1\])/.test(url.host);
  }
  return !isAddress || stated.scheme === 'http';
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isPositive(size: unknown): size is number {
  return typeof size === 'number' && size > 0;
}
