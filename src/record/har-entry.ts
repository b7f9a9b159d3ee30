/** One entry of a HAR file to the exchange that it records. */
import type * as Har from 'har-format';
import type { Case } from './case.ts';
import {
  answerTooLarge,
  type Exchange,
  type FailureKind,
  type Header,
  headerValues,
  mostBodyBytes,
  type ReceivedResponse,
  type SentRequest,
} from './exchange.ts';
import type { HarError } from './har-error.ts';
import { beyondHttp, type HarCase, splitUrl } from './har-format.ts';
import { losses, lossesOf, statedLength } from './har-losses.ts';
import {
  base64Of,
  bytesOf,
  isObject,
  isPositive,
  member,
  numberMember,
  readTime,
  textMember,
  textOr,
} from './har-values.ts';
import { bodyLength, type WithBody } from './stored-body.ts';

export interface ReadExchange {
  readonly exchange: Exchange;
  /** The case that the exchange is, where this suite wrote the entry. */
  readonly examined?: Case;
  /** What the recorder left out or damaged, in the words of `losses`. */
  readonly incomplete?: string;
  /** Why the entry cannot be read; its exchange is then an empty one. */
  readonly unreadable?: HarError;
}

/** Gives what is kept of a message; `digest` is that of its body, where an earlier entry may have the bytes. */
export type KeepMessage = <T extends WithBody>(message: T, digest: string | undefined) => T;

/** Milliseconds, as in the schemas of our own files: some thirty years. */
const longestMs = 1e12;

/** Throws Error for an entry that has not that form, and what `kept` throws. `creator`: the tool that wrote the file. */
export function readExchange(entry: unknown, kept: KeepMessage, creator = ''): ReadExchange {
  if (!isObject(entry)) throw new Error('it is no JSON object');
  const own = member(entry, '_countersign') as HarCase | undefined;
  // Browsers write null for a request that was aborted.
  const aborted = own === undefined && member(entry, 'response') === null;
  const absent = ['request', 'response'].find((name) => !isObject(member(entry, name)));
  if (absent !== undefined && !(aborted && absent === 'response')) throw new Error(`its ${absent} is no JSON object`);
  const received = aborted ? { failure: noAnswer } : readResponse(member(entry, 'response'), own);
  const sent = readRequest(member(entry, 'request'), own, { creator, isAccepted: isAccepted(received) });
  const started = readTime(member(entry, 'startedDateTime'));
  if (started === undefined) throw new Error('startedDateTime is not a date');
  const startedAt = started.at;
  const durationMs = own === undefined && member(entry, 'time') === null ? 0 : numberMember(entry, 'time');
  if (Math.abs(durationMs) > longestMs) throw new Error('time is more than an exchange can have taken');
  const failure = own === undefined ? received.failure : own.failure;
  const request = kept(sent.request, own?.requestBodyDigest);
  const response = received.response && kept(received.response, own?.bodyDigest);
  const exchange: Exchange = {
    request,
    ...(response !== undefined && bodyLength(response) > mostBodyBytes
      ? { failure: answerTooLarge }
      : { response, failure }),
    startedAt,
    durationMs,
    connection: own?.connection,
    silence: own?.silence,
  };
  const zone = own === undefined && !started.hasZone ? losses.zone : undefined;
  const incomplete = [sent.incomplete, received.incomplete, zone].filter((part) => part !== undefined).join(' and ');
  return {
    exchange,
    examined: own && { scenario: own.scenario, number: own.case, label: own.label, exchange, call: own.call },
    ...(incomplete === '' ? {} : { incomplete }),
  };
}

function readRequest(
  value: unknown,
  own: HarCase | undefined,
  beside: { readonly creator: string; readonly isAccepted: boolean },
): { request: SentRequest; incomplete?: string } {
  const written = textMember(value, 'url');
  const url = own?.url ?? splitUrl(written) ?? (own === undefined && isAbsolute(written) ? beyondHttp : undefined);
  if (url === undefined) throw new Error('the URL of the request is not http or https');
  const data = member(value, 'postData');
  const { body, isKnown } = postedBytes(value, own !== undefined);
  // Some recorders write the parameters instead of the bytes; how those were escaped cannot be seen in them.
  const parameters = member(data, 'params');
  const listed = Array.isArray(parameters) && parameters.length > 0;
  const isElsewhere = own?.requestBodyDigest !== undefined;
  const headers = readHeaders(value, own);
  const sized = isPositive(member(value, 'bodySize')) || (own === undefined && saysLength(headers));
  const lost = !isKnown || (body.length === 0 && !isElsewhere && (listed || sized));
  const stated = own === undefined && url !== beyondHttp ? statedAddress(value, headers, url) : url;
  const found = own === undefined ? lossesOf({ value, headers, body, url, stated, ...beside }) : [];
  const incomplete = [...(lost ? [losses.requestBody] : []), ...found].join(' and ');
  return {
    request: {
      method: textMember(value, 'method'),
      scheme: stated.scheme === 'https' ? 'https' : 'http',
      host: stated.host,
      target: url.target,
      headers,
      body,
    },
    ...(incomplete === '' ? {} : { incomplete }),
  };
}

/**
 * The address that the request itself names: the URL of a record may be the one that a proxy dialled, and a base string has the
 * host of the Host header (RFC 5849 3.4.1.2).
 */
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

/** Whether a URL begins with a scheme (RFC 3986 3.1). */
function isAbsolute(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url);
}

interface Received {
  readonly response?: ReceivedResponse;
  readonly failure?: NonNullable<Exchange['failure']>;
  readonly incomplete?: string;
}

/** Neither operation answers a refusal so (sections 2.4, 4.1 and 4.2). */
function isAccepted({ response }: Received): boolean {
  if (response === undefined || response.status < 200 || response.status >= 400) return false;
  return !/"status"\s*:\s*"error"|type=(?:validation-)?error/.test(
    Buffer.from(response.body).toString('latin1', 0, 4096),
  );
}

const noAnswer: { readonly kind: FailureKind; readonly message: string } = {
  kind: 'reset',
  message: 'the recorder shows no response',
};

function readResponse(value: unknown, own: HarCase | undefined): Received {
  const status = numberMember(value, 'status');
  const error = member(value, '_error');
  if (typeof error === 'string' || (status === 0 && member(value, 'bodySize') === -1)) {
    return { failure: typeof error === 'string' ? { ...noAnswer, message: error } : noAnswer };
  }
  const { body, isKnown } = contentBytes(value);
  const isElsewhere = own?.bodyDigest !== undefined;
  const headers = readHeaders(value, own);
  const sized = isPositive(member(member(value, 'content'), 'size')) || (own === undefined && saysLength(headers));
  const lost = !isKnown || (body.length === 0 && !isElsewhere && sized);
  return {
    response: {
      status,
      reason: textMember(value, 'statusText'),
      headers,
      body,
    },
    ...(lost ? { incomplete: losses.responseBody } : {}),
  };
}

/** Whether the message says that it has a body, which some recorders leave out and give no size of. */
function saysLength(headers: readonly Header[]): boolean {
  return headerValues(headers, 'content-length').some((length) => Number(length) > 0);
}

/** Bytes of a body; `isKnown` is false where the recorder names an encoding that nobody reads. */
interface RecordedBody {
  readonly body: Uint8Array;
  readonly isKnown: boolean;
}

/** Where a text has another length than its request states, it may be base64 or Latin-1 of the bytes, and of no stated encoding. */
function postedBytes(request: unknown, isOwn: boolean): RecordedBody {
  const data = member(request, 'postData');
  const { text, encoding } = recordedText(data);
  if (isOwn || encoding !== undefined || typeof text !== 'string') return statedBytes(text, encoding);
  const body = bytesOf(text, encoding);
  const { length, isExact } = statedLength(request);
  if (body.length === length) return { body, isKnown: true };
  const isLatin1 = isExact && !/[^\0-\xff]/.test(text);
  const others = [isLatin1 ? Buffer.from(text, 'latin1') : undefined, base64Of(text)];
  const isBare = member(data, 'text') === undefined;
  return {
    body: others.find((one) => one?.length === length) ?? (isBare ? others[1] : undefined) ?? body,
    isKnown: true,
  };
}

function contentBytes(response: unknown): RecordedBody {
  const { text, encoding } = recordedText(member(response, 'content'));
  return statedBytes(text, encoding);
}

/** What a recorder writes of a body, and the encoding that it states: HAR 1.2 has a place for that in answers alone. */
function recordedText(of: unknown): { readonly text: unknown; readonly encoding: unknown } {
  const isBase64 = member(of, '_base64') === true || /^base64\b/i.test(textOr(member(of, 'comment')));
  const stated = [member(of, '_encoding'), member(of, 'encoding'), isBase64 ? 'base64' : undefined];
  return { text: member(of, 'text') ?? member(of, '_data'), encoding: stated.find(Boolean) };
}

function statedBytes(text: unknown, encoding: unknown): RecordedBody {
  try {
    return { body: bytesOf(text, encoding), isKnown: true };
  } catch {
    return { body: Buffer.alloc(0), isKnown: false };
  }
}

function readHeaders(message: unknown, own: HarCase | undefined): readonly Header[] {
  const listed = member(message, 'headers');
  if (!Array.isArray(listed)) throw new Error('headers is not a list');
  const headers = listed.map((header) => [textMember(header, 'name'), textMember(header, 'value')] as const);
  // Browsers list the pseudo-headers of HTTP/2 (RFC 9113 section 8.3) among the headers.
  return own === undefined ? headers.filter(([name]) => !name.startsWith(':')) : headers;
}
