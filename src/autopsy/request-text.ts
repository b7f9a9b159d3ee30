/** An HTTP/1.1 request as text (RFC 9112 section 3): a request line, header lines, an empty line, the body. */

import type { WireRequest } from '../protocol/index.ts';
import { CodedError } from '../record/errors.ts';
import { excessOf, withoutBlanks } from '../record/exchange.ts';
import { pluralize } from '../record/pluralize.ts';
import { type Fact, lineEndLeftOut } from './facts.ts';
import { readPaste } from './pasted.ts';

export interface RequestText {
  readonly request: WireRequest;
  readonly remarks: readonly string[];
  /** Another possible end of the body, and the fact to report if the signature fits it. */
  readonly shorter?: { readonly body: Uint8Array; readonly fact: Fact };
  readonly lacking?: string;
  readonly missing?: RequestTextError;
}

export type RequestTextErrorCode =
  | 'no-request-line'
  | 'malformed-header-line'
  | 'no-host'
  | 'chunked-body'
  | 'body-not-whole'
  | 'pasted-form'
  | 'too-long';

export class RequestTextError extends CodedError<RequestTextErrorCode> {}

/** Scheme and authority as the client saw them. The text itself does not show the scheme. */
export interface SeenUrl {
  readonly scheme: string;
  readonly host?: string;
}

/** Host and port stay as typed, because capitals and a written default port change the signature. Undefined if not a base URL. */
export function readSeenUrl(text: string): (SeenUrl & { readonly prefix: string }) | undefined {
  const found = /^(https?):\/\/([^/?#\s@]+)(\/[^?#\s]*)?$/i.exec(text);
  return found === null
    ? undefined
    : { scheme: found[1]!.toLowerCase(), host: found[2]!, prefix: (found[3] ?? '').replace(/(?<!\/)\/+$/, '') };
}

/** A proxy may have removed the prefix that the client signed. */
export function withPrefix(request: WireRequest, prefix: string): WireRequest {
  if (prefix === '' || request.target === prefix || request.target.startsWith(`${prefix}/`)) return request;
  return request.target.startsWith('/') ? { ...request, target: `${prefix}${request.target}` } : request;
}

const example = 'It looks like: POST /api/v2/close-day/1111 HTTP/1.1';

/**
 * Lines end with LF or CRLF. A byte-order mark and empty lines at the start are skipped. `seen` replaces the Host header. The
 * default scheme is https, unless the target is absolute. Throws RequestTextError.
 */
export function readRequestText(pasted: Uint8Array, seen?: SeenUrl): RequestText {
  const paste = readPaste(pasted);
  if (paste !== undefined && 'refused' in paste) throw new RequestTextError('pasted-form', paste.refused, paste.hint);
  const bytes = paste?.http ?? pasted;
  const start = startOf(bytes);
  const { lines, body } = splitAtEmptyLine(bytes.subarray(start));
  // If a proxy decoded the path, it may contain blanks.
  const requestLine = /^([A-Za-z]+) (\S+|\/.*(?= HTTP\/\d))(?: HTTP\/\d\S*)?$/.exec(lines[0] ?? '');
  if (requestLine === null) {
    throw new RequestTextError(
      'no-request-line',
      'the text does not start with the request line of an HTTP request',
      example,
    );
  }
  const [, method, target] = requestLine as unknown as [string, string, string];
  const headers = unfolded(lines.slice(1)).map(readHeader);
  const host = seen?.host ?? headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
  const absolute = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target);
  if (host === undefined && absolute === null) {
    throw new RequestTextError(
      'no-host',
      'the request has no Host header',
      'Give the URL of the gateway with --base-url.',
    );
  }
  const scheme = seen?.scheme ?? absolute?.[1] ?? 'https';
  const seenTarget = seen !== undefined && absolute !== null ? target.replace(/^[^:]+:\/\/[^/?]*/, '') || '/' : target;
  const { body: bytesOfBody, ...about } = countedBody(body, headers);
  const request = { method, scheme, host: host ?? '', target: seenTarget, headers, body: bytesOfBody };
  const excess = excessOf(request);
  if (excess !== undefined) {
    const hint = 'Sign a shorter request in the same way, and examine that.';
    throw new RequestTextError('too-long', `the request has ${excess}`, hint);
  }
  return { ...about, request };
}

function startOf(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at += 1;
  return at;
}

/** Bytes of headers beyond ASCII become one character each, as in HTTP. */
function splitAtEmptyLine(bytes: Uint8Array): { lines: string[]; body: Uint8Array } {
  const lines: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const found = bytes.indexOf(0x0a, at);
    const end = found === -1 ? bytes.length : found;
    const line = Buffer.from(bytes.subarray(at, end)).toString('latin1').replace(/\r$/, '');
    at = end + 1;
    // Postman writes a blank into the empty line.
    if (line.trim() === '') break;
    lines.push(line);
  }
  return { lines, body: bytes.subarray(Math.min(at, bytes.length)) };
}

/** A line that starts with a space continues the previous one (RFC 9112 section 5.2). People wrap long headers so. */
function unfolded(lines: readonly string[]): string[] {
  return lines.reduce<string[]>((whole, line) => {
    if (/^[ \t]/.test(line) && whole.length > 0) whole.push(`${whole.pop()} ${line.trim()}`);
    else whole.push(line);
    return whole;
  }, []);
}

function readHeader(line: string): [name: string, value: string] {
  const found = /^([^\s:]+):(.*)$/.exec(line);
  if (found === null) {
    // The line is not quoted, because it may hold a credential.
    throw new RequestTextError(
      'malformed-header-line',
      'a line before the empty line is not a header line',
      'Header lines look like Name: value; an empty line comes before the body.',
    );
  }
  return [found[1]!, withoutBlanks(found[2]!)];
}

type CountedBody = Omit<RequestText, 'request'> & { readonly body: Uint8Array };

/** Finds the end of the body (RFC 9112 section 6.3): people also paste the answer and further requests. */
function countedBody(whole: Uint8Array, headers: readonly (readonly [string, string])[]): CountedBody {
  const value = (name: string): string | undefined =>
    headers.find(([found]) => found.toLowerCase() === name)?.[1].toLowerCase();
  if (value('transfer-encoding')?.includes('chunked')) {
    const { chunks, rest, isChunked } = dechunked(whole);
    return isChunked
      ? { body: chunks, remarks: ['The chunks of the body were put together.', ...(restRemarks(rest) ?? [])] }
      : uncounted(whole);
  }
  const announced = value('content-length');
  const length = Number(announced);
  if (announced === undefined || !Number.isSafeInteger(length)) return uncounted(whole);
  const [body, rest] = [whole.subarray(0, length), Buffer.from(whole.subarray(length)).toString('latin1')];
  const own = uncounted(whole).body.length;
  if (length > own && (length > whole.length || uncounted(whole).remarks.length > 0)) {
    const has = `Content-Length is ${length}, and ${pluralize(own, 'byte')} of it are here`;
    const hint = 'Copy the whole body and examine that.';
    const missing = new RequestTextError('body-not-whole', `the body is incomplete: ${has}`, hint);
    if (own === 0) throw missing;
    return { body: whole.subarray(0, own), remarks: [`${has}.`], missing };
  }
  const remarks = restRemarks(rest);
  if (remarks !== undefined) return { body, remarks };
  const text = `The body was taken to the ${length} bytes that Content-Length counts; what follows was left out.`;
  return {
    body: whole,
    remarks: [
      `Content-Length is ${length}, but the body has ${pluralize(whole.length, 'byte')}; the whole body is taken.`,
    ],
    shorter: { body, fact: { id: 'rest-left-out', text } },
  };
}

const message = /\s*(?:HTTP\/\d(?:\.\d)? \d{3}\b|[A-Z]+ \S+ HTTP\/\d)/;

/** Remarks on the text after a body; undefined if it is neither line ends nor another message. */
function restRemarks(rest: string): string[] | undefined {
  if (rest === '') return [];
  if (/^\s*$/.test(rest)) return ['A line end after the body was left out, because Content-Length does not count it.'];
  const found = new RegExp(`^${message.source}`).exec(rest);
  if (found === null) return undefined;
  const what = found[0].trim().startsWith('HTTP/') ? 'An HTTP answer' : 'A further request';
  return [`${what} after the body was left out.`];
}

/** Without a length the body ends before another message, or at the end of the text. */
function uncounted(whole: Uint8Array): CountedBody {
  const text = Buffer.from(whole).toString('latin1');
  const next = text.search(new RegExp(`(?:^|\\n)${message.source}|(?<=[^\\s])HTTP/1\\.[01] \\d{3} [A-Z]`));
  const end = next === -1 ? whole.length : text.slice(0, next).trimEnd().length;
  const body = whole.subarray(0, end);
  if (next !== -1) return { body, remarks: restRemarks(text.slice(end)) ?? [] };
  if (body.at(-1) !== 0x0a) return { body, remarks: [] };
  return {
    body,
    remarks: [],
    shorter: { body: body.subarray(0, body.at(-2) === 0x0d ? -2 : -1), fact: lineEndLeftOut },
  };
}

/** `isChunked` is false if a tool already decoded the body. Throws if the chunks are incomplete. */
function dechunked(body: Uint8Array): { isChunked: boolean; chunks: Buffer; rest: string } {
  const text = Buffer.from(body).toString('latin1');
  let chunks = '';
  for (let at = 0; ; ) {
    const size = /^([0-9a-f]+)[ \t]*(?:;[^\n]*)?\r?\n/i.exec(text.slice(at, at + 200));
    if (size === null && at === 0) return { isChunked: false, chunks: Buffer.alloc(0), rest: '' };
    const length = size === null ? Number.NaN : Number.parseInt(size[1]!, 16);
    const start = at + (size?.[0].length ?? 0);
    const after = text.slice(start + length);
    const end = length === 0 ? /^(?:[^\s:]+:[^\n]*\n)*(?:\r?\n|$)/.exec(after) : /^\r?\n/.exec(after);
    if (end === null || !(start + length <= text.length)) {
      const hint = 'Copy the whole body, or paste it decoded, without chunk lengths.';
      throw new RequestTextError('chunked-body', 'the body is chunked, but its chunks are incomplete', hint);
    }
    if (length === 0)
      return { isChunked: true, chunks: Buffer.from(chunks, 'latin1'), rest: after.slice(end[0].length) };
    chunks += text.slice(start, start + length);
    at = start + length + end[0].length;
  }
}
