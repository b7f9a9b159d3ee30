/** One entry of a HAR file to the exchange that it records. */
import type { Case } from './case.ts';
import type { EqualParts } from './equal-parts.ts';
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
import { beyondHttp, type HarCase, splitUrl } from './har-format.ts';
import { bytesOf, isObject, isPositive, member, numberMember, textMember } from './har-values.ts';
import { bodyLength, type WithBody } from './stored-body.ts';

export interface ReadExchange {
  readonly exchange: Exchange;
  /** The case that the exchange is, where this suite wrote the entry. */
  readonly examined?: Case;
  /** Set where the recorder left out bytes of a body, which is then shorter here than it was: what is missing. */
  readonly incomplete?: string;
}

/** Gives what is kept of a message; `bodyIn` reads its bytes from an entry once more. */
export type KeepMessage = <T extends WithBody>(
  message: T,
  digest: string | undefined,
  bodyIn: (entry: unknown) => Uint8Array,
) => T;

/** Milliseconds, as in the schemas of our own files: some thirty years. */
const longestMs = 1e12;

/** Throws Error for an entry that has not that form, and what `kept` throws. */
export function readExchange(entry: unknown, shared: EqualParts, kept: KeepMessage): ReadExchange {
  if (!isObject(entry)) throw new Error('it is no JSON object');
  const absent = ['request', 'response'].find((name) => !isObject(member(entry, name)));
  if (absent !== undefined) throw new Error(`its ${absent} is no JSON object`);
  const own = member(entry, '_countersign') as HarCase | undefined;
  const sent = readRequest(member(entry, 'request'), own, shared);
  const received = readResponse(member(entry, 'response'), own, shared);
  const startedAt = Date.parse(textMember(entry, 'startedDateTime'));
  if (Number.isNaN(startedAt)) throw new Error('startedDateTime is not a date');
  const durationMs = numberMember(entry, 'time');
  if (Math.abs(durationMs) > longestMs) throw new Error('time is more than an exchange can have taken');
  const failure = own === undefined ? received.failure : own.failure;
  const request = kept(sent.request, own?.requestBodyDigest, requestBody);
  const response = received.response && kept(received.response, own?.bodyDigest, answerBody);
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
  const incomplete = [sent.incomplete, received.incomplete].filter((part) => part !== undefined).join(' and ');
  return {
    exchange,
    examined: own && readCase(own, exchange, shared),
    ...(incomplete === '' ? {} : { incomplete }),
  };
}

function readCase({ scenario, case: number, call, label }: HarCase, exchange: Exchange, shared: EqualParts): Case {
  shareTexts(label as unknown as Texts, shared);
  return { scenario: shared.word(scenario), number, label, exchange, call };
}

type Texts = { [name: string]: unknown };

/** The cases of a scenario are labelled alike: each was read with texts of its own. */
function shareTexts(of: Texts, shared: EqualParts): void {
  for (const name in of) {
    const value = of[name];
    if (typeof value === 'string') of[name] = shared.word(value);
    else if (typeof value === 'object' && value !== null) shareTexts(value as Texts, shared);
  }
}

function readRequest(
  value: unknown,
  own: HarCase | undefined,
  shared: EqualParts,
): { request: SentRequest; incomplete?: string } {
  const written = textMember(value, 'url');
  const url = own?.url ?? splitUrl(written) ?? (own === undefined && isAbsolute(written) ? beyondHttp : undefined);
  if (url === undefined) throw new Error('the URL of the request is not http or https');
  const data = member(value, 'postData');
  const body = postedBytes(data);
  // Some recorders write the parameters instead of the bytes; how those were escaped cannot be seen in them.
  const parameters = member(data, 'params');
  const listed = Array.isArray(parameters) && parameters.length > 0;
  const isElsewhere = own?.requestBodyDigest !== undefined;
  const headers = readHeaders(value, own, shared);
  const sized = isPositive(member(value, 'bodySize')) || (own === undefined && saysLength(headers));
  const lost = body.length === 0 && !isElsewhere && (listed || sized);
  return {
    request: {
      method: shared.text(textMember(value, 'method')),
      scheme: url.scheme === 'https' ? 'https' : 'http',
      host: shared.text(url.host),
      target: shared.text(url.target),
      headers,
      body,
    },
    ...(lost ? { incomplete: 'the bytes of the request body' } : {}),
  };
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

function readResponse(value: unknown, own: HarCase | undefined, shared: EqualParts): Received {
  const status = numberMember(value, 'status');
  const error = member(value, '_error');
  if (typeof error === 'string' || (status === 0 && member(value, 'bodySize') === -1)) {
    const kind: FailureKind = 'reset';
    return { failure: { kind, message: typeof error === 'string' ? error : 'the recorder shows no response' } };
  }
  const body = contentBytes(value);
  const isElsewhere = own?.bodyDigest !== undefined;
  const headers = readHeaders(value, own, shared);
  const sized = isPositive(member(member(value, 'content'), 'size')) || (own === undefined && saysLength(headers));
  const lost = body.length === 0 && !isElsewhere && sized;
  return {
    response: {
      status,
      reason: shared.text(textMember(value, 'statusText')),
      headers,
      body,
    },
    ...(lost ? { incomplete: 'the bytes of the response body' } : {}),
  };
}

/** Whether the message says that it has a body, which some recorders leave out and give no size of. */
function saysLength(headers: readonly Header[]): boolean {
  return headerValues(headers, 'content-length').some((length) => Number(length) > 0);
}

function requestBody(entry: unknown): Uint8Array {
  return postedBytes(member(member(entry, 'request'), 'postData'));
}

function postedBytes(data: unknown): Uint8Array {
  return bytesOf(member(data, 'text'), member(data, '_encoding'));
}

function answerBody(entry: unknown): Uint8Array {
  return contentBytes(member(entry, 'response'));
}

function contentBytes(response: unknown): Uint8Array {
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
