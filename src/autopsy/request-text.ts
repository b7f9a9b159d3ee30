/** An HTTP/1.1 request as text (RFC 9112 section 3): a request line, header lines, an empty line, the body. */
import { CodedError } from '../exchange/coded-error.ts';
import { countedWord } from '../exchange/counted-word.ts';
import { excessOf, withoutBlanks } from '../exchange/exchange.ts';
import type { WireRequest } from '../protocol/index.ts';

export interface RequestText {
  readonly request: WireRequest;
  /** Worth a sentence, and no error. */
  readonly remarks: readonly string[];
  /** Nothing says where the body ends but the end of the text. */
  readonly uncounted?: boolean;
}

export class RequestTextError extends CodedError<
  'no-request-line' | 'malformed-header-line' | 'no-host' | 'chunked-body' | 'too-long'
> {}

/** Scheme and authority as the client saw them; the text itself does not show the scheme. */
export interface SeenUrl {
  readonly scheme: string;
  readonly host?: string;
}

/** Host and port as typed: capitals and a written default port are what an autopsy is after. Undefined for what is no base URL. */
export function readSeenUrl(text: string): (SeenUrl & { readonly prefix: string }) | undefined {
  const found = /^(https?):\/\/([^/?#\s@]+)(\/[^?#\s]*)?$/i.exec(text);
  return found === null
    ? undefined
    : { scheme: found[1]!.toLowerCase(), host: found[2]!, prefix: (found[3] ?? '').replace(/(?<!\/)\/+$/, '') };
}

/** A proxy may have cut the prefix that the client signed. */
export function withPrefix(request: WireRequest, prefix: string): WireRequest {
  if (prefix === '' || request.target === prefix || request.target.startsWith(`${prefix}/`)) return request;
  return request.target.startsWith('/') ? { ...request, target: `${prefix}${request.target}` } : request;
}

const example = 'It looks like: POST /api/v2/close-day/1111 HTTP/1.1';

/**
 * Reads a request. Lines end with LF or CRLF; a byte-order mark and empty lines before the request line are passed over.
 * `seen` replaces the Host header; without it `https` is taken, unless the target is absolute.
 * Throws RequestTextError.
 */
export function readRequestText(bytes: Uint8Array, seen?: SeenUrl): RequestText {
  const start = startOf(bytes);
  const { lines, body } = splitAtEmptyLine(bytes.subarray(start));
  const [method = '', target = '', version, ...more] = (lines[0] ?? '').split(' ');
  if (!/^[A-Za-z]+$/.test(method) || target === '' || !/^HTTP\/\d/.test(version ?? 'HTTP/1.1') || more.length > 0) {
    throw new RequestTextError(
      'no-request-line',
      'the text does not start with the request line of an HTTP request',
      example,
    );
  }
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
  const counted = countedBody(body, headers);
  const request = { method, scheme, host: host ?? '', target: seenTarget, headers, body: counted.body };
  const excess = excessOf(request);
  if (excess !== undefined) {
    const hint = 'Sign a shorter one in the same way, and examine that.';
    throw new RequestTextError('too-long', `the request has ${excess}`, hint);
  }
  return {
    request,
    remarks: counted.remarks,
    uncounted: !headers.some(([name]) => name.toLowerCase() === 'content-length'),
  };
}

function startOf(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at += 1;
  return at;
}

/** Header lines as text: bytes beyond ASCII are taken one by one, as HTTP does. */
function splitAtEmptyLine(bytes: Uint8Array): { lines: string[]; body: Uint8Array } {
  const lines: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const found = bytes.indexOf(0x0a, at);
    const end = found === -1 ? bytes.length : found;
    const line = Buffer.from(bytes.subarray(at, end)).toString('latin1').replace(/\r$/, '');
    at = end + 1;
    if (line === '') break;
    lines.push(line);
  }
  return { lines, body: bytes.subarray(Math.min(at, bytes.length)) };
}

/** A line that starts with a space continues the one before (RFC 9112 section 5.2); people break long headers so. */
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
    // The line itself may hold a credential and is not quoted.
    throw new RequestTextError(
      'malformed-header-line',
      'a line before the empty line is not a header line',
      'Header lines look like Name: value; an empty line comes before the body.',
    );
  }
  return [found[1]!, withoutBlanks(found[2]!)];
}

/** What a Content-Length counts, where line ends are all that it does not. */
function countedBody(body: Uint8Array, headers: readonly (readonly [string, string])[]): RequestTextPart {
  const value = (name: string): string | undefined =>
    headers.find(([found]) => found.toLowerCase() === name)?.[1].toLowerCase();
  if (value('transfer-encoding')?.includes('chunked')) {
    if (/^[0-9a-f]+\s*(?:;[^\n]*)?\r?\n/i.test(Buffer.from(body.subarray(0, 64)).toString('latin1'))) {
      throw new RequestTextError(
        'chunked-body',
        'the body is chunked',
        'Give it decoded, without the lengths of the chunks.',
      );
    }
    return { body, remarks: [] };
  }
  const length = Number(value('content-length') ?? body.length);
  if (!Number.isSafeInteger(length) || length === body.length) return { body, remarks: [] };
  const rest = Buffer.from(body.subarray(length)).toString('latin1');
  if (length < body.length && /^[\r\n]+$/.test(rest)) {
    return {
      body: body.subarray(0, length),
      remarks: ['A line end behind the body, beyond Content-Length, was left out.'],
    };
  }
  return {
    body,
    remarks: [
      `Content-Length is ${length}, but the body has ${countedWord(body.length, 'byte')}; the whole body is taken.`,
    ],
  };
}

interface RequestTextPart {
  readonly body: Uint8Array;
  readonly remarks: readonly string[];
}
