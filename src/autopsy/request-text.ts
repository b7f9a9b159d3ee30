/** Reads an HTTP/1.1 request from text (RFC 9112 section 3), or from a log, a mail or a curl command. */
import { percentEncode, type WireRequest } from '../protocol/index.ts';
import { CodedError } from '../record/errors.ts';
import { excessOf, trimBlanks } from '../record/exchange.ts';
import { pluralize } from '../record/pluralize.ts';
import { type Fact, skippedLineEnd } from './facts.ts';

export interface RequestText {
  readonly request: WireRequest;
  readonly remarks: readonly string[];
  /** A shorter body that the client may have signed, and the fact to report if it did. */
  readonly shorter?: { readonly body: Uint8Array; readonly fact: Fact };
  /** Describes the signed part that the record lacks. */
  readonly lacking?: string;
  /** Set if the body is incomplete: the error to throw if no deviation explains the signature. */
  readonly bodyError?: RequestTextError;
}

export class RequestTextError extends CodedError<
  | 'no-request-line'
  | 'malformed-header-line'
  | 'no-host'
  | 'chunked-body'
  | 'body-not-whole'
  | 'pasted-form'
  | 'too-long'
> {}

/** The scheme and the host with port that the client called. HTTP text does not show the scheme. */
export interface BaseUrl {
  readonly scheme: string;
  readonly host: string;
}

/** Reads a base URL, or returns undefined for other text. Keeps capitals and a default port: a client may sign them. */
export function readBaseUrl(text: string): (BaseUrl & { readonly prefix: string }) | undefined {
  const found = /^(https?):\/\/([^/?#\s@]+)(\/[^?#\s]*)?$/i.exec(text);
  return found === null
    ? undefined
    : { scheme: found[1]!.toLowerCase(), host: found[2]!, prefix: (found[3] ?? '').replace(/(?<!\/)\/+$/, '') };
}

/** Adds the path prefix that the client called, if a proxy removed it. */
export function withPrefix(request: WireRequest, prefix: string): WireRequest {
  if (prefix === '' || request.target === prefix || request.target.startsWith(`${prefix}/`)) return request;
  return request.target.startsWith('/') ? { ...request, target: `${prefix}${request.target}` } : request;
}

/** Reads a pasted request. `base` replaces scheme and host. The default scheme is https. Throws RequestTextError. */
export function readRequestText(pasted: Uint8Array, base?: BaseUrl): RequestText {
  const bytes = readPaste(pasted) ?? pasted;
  const { lines, body } = splitAtEmptyLine(bytes);
  // Allow spaces in the path, because a proxy may have decoded it.
  const match = /^([A-Za-z]+) (\S+|\/.*(?= HTTP\/\d))(?: HTTP\/\d\S*)?$/.exec(lines[0] ?? '');
  if (match === null) {
    const hint = 'Start with a line like: POST /api/v2/close-day/1111 HTTP/1.1';
    throw new RequestTextError('no-request-line', 'the text does not start with an HTTP request line', hint);
  }
  const [, method, target] = match as unknown as [string, string, string];
  const headers = unfold(lines.slice(1)).map(readHeader);
  const host = base?.host ?? headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
  const absolute = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target);
  if (host === undefined && absolute === null) {
    const hint = 'Give the URL of the gateway with --base-url.';
    throw new RequestTextError('no-host', 'the request has no Host header', hint);
  }
  const scheme = base?.scheme ?? absolute?.[1] ?? 'https';
  const sentTarget = base !== undefined && absolute !== null ? target.replace(/^[^:]+:\/\/[^/?]*/, '') || '/' : target;
  const { body: countedBytes, ...about } = findBody(body, headers);
  const request = { method, scheme, host: host ?? '', target: sentTarget, headers, body: countedBytes };
  const excess = excessOf(request);
  if (excess !== undefined) {
    const hint = 'Sign a shorter request in the same way, and give that request.';
    throw new RequestTextError('too-long', `the request has ${excess}`, hint);
  }
  return { ...about, request };
}

/** Splits header lines from the body. Each byte of a header becomes one character, as in HTTP. */
function splitAtEmptyLine(bytes: Uint8Array): { lines: string[]; body: Uint8Array } {
  const text = Buffer.from(bytes).toString('latin1');
  const start = /^(?:\u00ef\u00bb\u00bf)?[\r\n]*/.exec(text)![0].length;
  // Allow spaces in the empty line, because Postman writes one.
  const found = /\n[^\S\n]*(?:\n|$)/.exec(text.slice(start));
  const head = text.slice(start, found === null ? undefined : start + found.index);
  const body = found === null ? new Uint8Array() : bytes.subarray(start + found.index + found[0].length);
  return { lines: head.split('\n').map((line) => line.replace(/\r$/, '')), body };
}

/** Joins each line that starts with a space to the line before (RFC 9112 section 5.2): people wrap long headers. */
function unfold(lines: readonly string[]): string[] {
  return lines.reduce<string[]>((whole, line) => {
    if (/^[ \t]/.test(line) && whole.length > 0) whole.push(`${whole.pop()} ${line.trim()}`);
    else whole.push(line);
    return whole;
  }, []);
}

function readHeader(line: string): [name: string, value: string] {
  const found = /^([^\s:]+):(.*)$/.exec(line);
  if (found === null) {
    // The line may contain a credential, so the message does not quote the line.
    const hint = 'Write headers as Name: value, and an empty line before the body.';
    throw new RequestTextError('malformed-header-line', 'a line before the empty line is not a header line', hint);
  }
  return [found[1]!, trimBlanks(found[2]!)];
}

type FoundBody = Omit<RequestText, 'request'> & { readonly body: Uint8Array };

/** Finds the end of the body (RFC 9112 section 6.3), because people also paste the answer and further requests. */
function findBody(whole: Uint8Array, headers: readonly (readonly [string, string])[]): FoundBody {
  const value = (name: string): string | undefined =>
    headers.find(([found]) => found.toLowerCase() === name)?.[1].toLowerCase();
  if (value('transfer-encoding')?.includes('chunked')) {
    const joined = dechunk(whole);
    if (joined === undefined) return bodyWithoutLength(whole);
    const remarks = ['The chunks of the body were joined.', ...(restRemarks(joined.rest) ?? [])];
    return { body: joined.chunks, remarks };
  }
  const contentLength = value('content-length');
  const length = Number(contentLength);
  if (contentLength === undefined || !Number.isSafeInteger(length)) return bodyWithoutLength(whole);
  const body = whole.subarray(0, length);
  const rest = Buffer.from(whole.subarray(length)).toString('latin1');
  const available = bodyWithoutLength(whole).body.length;
  if (length > available && (length > whole.length || bodyWithoutLength(whole).remarks.length > 0)) {
    const gap = `Content-Length is ${length}, but the text has only ${pluralize(available, 'byte')} of the body`;
    const bodyError = new RequestTextError('body-not-whole', `the body is incomplete: ${gap}`, 'Copy the whole body.');
    if (available === 0) throw bodyError;
    return { body: whole.subarray(0, available), remarks: [`${gap}.`], bodyError };
  }
  const remarks = restRemarks(rest);
  if (remarks !== undefined) return { body, remarks };
  const text = `The body has the ${length} bytes of Content-Length; the bytes after the body were left out.`;
  const longer = `Content-Length is ${length}, but the body has ${pluralize(whole.length, 'byte')}`;
  return {
    body: whole,
    remarks: [`${longer}; the whole body counts.`],
    shorter: { body, fact: { id: 'rest-left-out', text } },
  };
}

const messageStart = /\s*(?:HTTP\/\d(?:\.\d)? \d{3}\b|[A-Z]+ \S+ HTTP\/\d)/;

function restRemarks(rest: string): string[] | undefined {
  if (rest === '') return [];
  if (/^\s*$/.test(rest)) return ['A line end after the body was left out, because Content-Length does not count it.'];
  const found = new RegExp(`^${messageStart.source}`).exec(rest);
  if (found === null) return undefined;
  const what = found[0].trim().startsWith('HTTP/') ? 'An HTTP answer' : 'A further request';
  return [`${what} after the body was left out.`];
}

/** A body of unknown length ends before the next message, or at the end of the text. */
function bodyWithoutLength(whole: Uint8Array): FoundBody {
  const text = Buffer.from(whole).toString('latin1');
  const next = text.search(new RegExp(`(?:^|\\n)${messageStart.source}|(?<=[^\\s])HTTP/1\\.[01] \\d{3} [A-Z]`));
  const end = next === -1 ? whole.length : text.slice(0, next).trimEnd().length;
  const body = whole.subarray(0, end);
  if (next !== -1) return { body, remarks: restRemarks(text.slice(end)) ?? [] };
  if (body.at(-1) !== 0x0a) return { body, remarks: [] };
  return {
    body,
    remarks: [],
    shorter: { body: body.subarray(0, body.at(-2) === 0x0d ? -2 : -1), fact: skippedLineEnd },
  };
}

/** Joins the chunks of a body. Returns undefined if a tool has already joined them. Throws for incomplete chunks. */
function dechunk(body: Uint8Array): { chunks: Buffer; rest: string } | undefined {
  const text = Buffer.from(body).toString('latin1');
  let chunks = '';
  for (let at = 0; ; ) {
    const size = /^([0-9a-f]+)[ \t]*(?:;[^\n]*)?\r?\n/i.exec(text.slice(at, at + 200));
    if (size === null && at === 0) return undefined;
    const length = size === null ? Number.NaN : Number.parseInt(size[1]!, 16);
    const start = at + (size?.[0].length ?? 0);
    const after = text.slice(start + length);
    const end = length === 0 ? /^(?:[^\s:]+:[^\n]*\n)*(?:\r?\n|$)/.exec(after) : /^\r?\n/.exec(after);
    if (end === null || !(start + length <= text.length)) {
      const hint = 'Copy the whole body, or paste it decoded, without chunk lengths.';
      throw new RequestTextError('chunked-body', 'the body is chunked, but its chunks are incomplete', hint);
    }
    if (length === 0) return { chunks: Buffer.from(chunks, 'latin1'), rest: after.slice(end[0].length) };
    chunks += text.slice(start, start + length);
    at = start + length + end[0].length;
  }
}

/** A known form of pasted requests. If it has no `read`, the text is refused with `name` and `hint`. */
interface PastedForm {
  readonly name: string;
  readonly regex: RegExp;
  readonly read?: (text: string) => string | undefined;
  readonly hint: string;
}

const wholeHint = 'Give the request with its body: as HTTP text, as a HAR file, or as a curl command.';
const requestLine = /[A-Z]+ \S+ HTTP\/\d(?:\.\d)?/.source;

const forms: readonly PastedForm[] = [
  {
    name: 'a wire log',
    regex: new RegExp(`>> ?"${requestLine}\\[\\\\r\\]`),
    read: (text) => [...text.matchAll(/>> ?"(.*)"[ \t]*$/gm)].map(([, line]) => unmark(line!)).join(''),
    hint: wholeHint,
  },
  {
    name: 'the debug output of http.client in Python',
    regex: new RegExp(`^send: b?["']${requestLine}`, 'm'),
    read: (text) =>
      [...text.matchAll(/^(?:send: b?(["'])(.*)\1|reply:.*)[ \t]*$/gm)].reduce<{ all: string; ended?: true }>(
        ({ all, ended }, [, , sent]) =>
          ended || sent === undefined ? { all, ended: true } : { all: all + unescaped(sent) },
        { all: '' },
      ).all,
    hint: 'The lines with "send:" must also contain the body. If they do not, give the request as HTTP text.',
  },
  {
    name: 'a bytes literal of Python',
    regex: new RegExp(`^\\s*b?(["'])${requestLine}\\\\r\\\\n`),
    read: (text) => unescaped(/^\s*b?(["'])([\s\S]*)\1\s*$/.exec(text)?.[2] ?? ''),
    hint: wholeHint,
  },
  {
    name: 'a log of OkHttp',
    regex: /--> [A-Z]+ https?:\/\/\S+[\s\S]*--> END [A-Z]+/,
    read: readOkHttp,
    hint: 'Log at the level BODY. Give all lines from "--> POST" to "--> END".',
  },
  {
    // curl marks the lines of a request with >. The Python package requests-toolbelt marks them with <.
    name: 'the output of curl -v, or of a tool that writes like it',
    regex: new RegExp(`^[<>|] ?${requestLine}\\s*$`, 'm'),
    read: readVerbose,
    hint: 'This output has no body. Paste the curl command instead. Or remove the > at the start of each line, and add an empty line and the sent body.',
  },
  {
    name: 'a command line of curl',
    regex: /^\s*(?:[$#>%] ?)?curl(?:\.exe)?\s/,
    read: readCurl,
    hint: 'Copy the request as cURL (bash). It must not have variables, @files, -F or -G. If it has them, give it as HTTP text.',
  },
  {
    name: 'a list of HTTP/2 headers',
    regex: /^:(?:authority|method|path|scheme):?\s/m,
    read: readPseudoHeaders,
    hint: 'The list of headers needs :method, :path and :authority. After the list, add an empty line and the body.',
  },
  {
    name: 'a command of PowerShell, fetch, wget or HTTPie',
    regex: /Invoke-(?:WebRequest|RestMethod)|\biwr\b|^\s*(?:await )?fetch\(|^\s*(?:\$ )?(?:wget|https?) /i,
    hint: 'Copy the request as cURL (bash), or save it as a HAR file.',
  },
  {
    name: 'the text that a program prints for a request object',
    regex: /<(?:Prepared)?Request \[|<Response \[|^Method: [A-Z]+, RequestUri: /m,
    hint: 'Print the request as HTTP text: request line with the URL, headers, an empty line, body.',
  },
  {
    name: 'a log of headers',
    regex: new RegExp(
      `^=> Send header|>> ${requestLine}|^\\s*\\{\\s*["'](?:content-type|authorization|host|accept)`,
      'im',
    ),
    hint: `This log has no body. ${wholeHint}`,
  },
  {
    name: 'a text with words before the request',
    regex: new RegExp(`^${requestLine}\\s*$`, 'm'),
    read: (text) => text.slice(text.search(new RegExp(`^${requestLine}\\s*$`, 'm'))),
    hint: wholeHint,
  },
  { name: 'an HTTP answer', regex: /^\s*HTTP\/\d(?:\.\d)? \d{3}\b/, hint: 'Give the request that led to this answer.' },
  {
    name: 'a mail',
    regex: /^(?:From|Subject|To|Received|Return-Path): /m,
    hint: 'Give only the request that the mail quotes.',
  },
];

/** Converts a log, a command or a mail to HTTP text. Undefined if it is HTTP text already, or has no known form. */
function readPaste(bytes: Uint8Array): Buffer | undefined {
  // Make one character of each byte, so that no byte of a log is lost.
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '');
  if (new RegExp(`^\\s*(?:${requestLine}|[A-Z]+ https?://)`).test(text)) return undefined;
  const form = forms.find(({ regex }) => regex.test(text));
  if (form === undefined) return undefined;
  const http = form.read?.(text.replaceAll('\r\n', '\n'));
  if (http !== undefined && hasBody(http)) return Buffer.from(http, 'latin1');
  throw new RequestTextError('pasted-form', `the text is ${form.name}, but it has no complete request`, form.hint);
}

function hasBody(http: string): boolean {
  const end = /\r?\n\r?\n/.exec(http);
  const head = end === null ? http : http.slice(0, end.index);
  const body = end === null ? '' : http.slice(end.index + end[0].length);
  return body !== '' || !/^(?:content-length: *0*[1-9]|content-type:|transfer-encoding:)/im.test(head);
}

/** Replaces marks such as `[\r]`, `[\n]` and `[0xe4]` by their bytes. Apache HttpClient logs bytes as such marks. */
function unmark(line: string): string {
  return line
    .replaceAll('[\\r]', '\r')
    .replaceAll('[\\n]', '\n')
    .replace(/\[0x([0-9a-f]{1,2})\]/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function unescaped(literal: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return literal.replace(/\\(?:x([0-9a-f]{2})|([\s\S]))/gi, (_, hex, one) =>
    hex === undefined ? (escapes[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function readVerbose(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^[<>|] ?${requestLine}\\s*$`).test(line));
  const mark = lines[start]![0]!;
  const answerMark = mark === '>' ? '<' : '>';
  const rest = lines.slice(start);
  const end = rest.findIndex((line) => line.startsWith(answerMark));
  const head: string[] = [];
  const body: string[] = [];
  let isHead = true;
  for (const line of rest.slice(0, end === -1 ? undefined : end)) {
    const content = line.startsWith(mark) ? line.slice(1).replace(/^ /, '') : undefined;
    const isBlank = (content ?? line).trim() === '';
    if (isHead && (isBlank || /^\| /.test(line))) isHead = false;
    if (isHead && (content !== undefined || /^[ \t]/.test(line))) head.push(content ?? line);
    // Insomnia marks each body line with |, and requests-toolbelt marks only the first line, with <.
    else if (!isHead && !isBlank && !/^[*{}]/.test(line)) body.push(content ?? line.replace(/^\| /, ''));
  }
  return `${head.join('\n')}\n\n${body.join('\n')}`;
}

function readOkHttp(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /--> [A-Z]+ http/.test(line));
  const indent = lines[start]!.indexOf('-->');
  const end = lines.findIndex((line, at) => at > start && /--> END/.test(line));
  const [first = '', ...own] = lines.slice(start, end).map((line) => line.slice(indent));
  return [first.replace(/^--> ([A-Z]+ \S+).*/, '$1 HTTP/1.1'), ...own].join('\n');
}

function readPseudoHeaders(text: string): string | undefined {
  const value = (name: string) => new RegExp(`^:${name}:?[ \\t\\n]+(\\S+)`, 'm').exec(text)?.[1];
  const [method, path, authority, scheme = 'https'] = ['method', 'path', 'authority', 'scheme'].map(value);
  if (method === undefined || path === undefined || authority === undefined) return undefined;
  const rest = text.replace(/^:[a-z]+:?[ \t\n]+\S+[ \t]*\n/gm, '').replace(/^\n+/, '');
  return `${method} ${scheme}://${authority}${path} HTTP/1.1\nHost: ${authority}\n${rest}`;
}

/** Splits a POSIX shell command into words. Returns undefined if the shell must evaluate a part, such as a variable. */
function shellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  const piece =
    /\s+|\\\n|'([^']*)'|\$'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|([^\s'"\\$`;|&<>^]+)/y;
  const line = text.trim().replace(/^[$#>%] /, '');
  while (piece.lastIndex < line.length) {
    const found = piece.exec(line);
    if (found === null) return undefined;
    const [all, single, escaped, double, one, bare] = found;
    if (all === '\\\n') continue;
    if (double !== undefined && /(?<!\\)[$`]/.test(double)) return undefined;
    const part = single ?? (escaped && unescaped(escaped)) ?? double?.replace(/\\(["\\$`\n])/g, '$1') ?? one ?? bare;
    if (part !== undefined || escaped === '') word = (word ?? '') + (part ?? '');
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

const valueOptions =
  /^(?:-[oAbemxuEwcr]|--(?:output|user-agent|cookie|referer|max-time|proxy|cert|key|cacert|write-out|connect-timeout|retry|resolve|cookie-jar|tlsv\S*|connect-to))$/;
const flagOptions =
  /^(?:-[ksSviLfgN#46]+|--(?:insecure|silent|show-error|verbose|include|location|compressed|fail|globoff|http[12][\d.]*|http2-prior-knowledge|path-as-is|no-\S+|tlsv1\S*|ssl\S*|ipv[46]))$/;

function readCurl(text: string): string | undefined {
  const words = shellWords(text)?.slice(1);
  if (words === undefined) return undefined;
  const headers: string[] = [];
  const data: string[] = [];
  let url: string | undefined;
  let method: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    // An option and its value may be one word, such as -XPOST or --data=x.
    const [, option = words[at]!, joined] =
      /^(-[XHd])(.+)$/s.exec(words[at]!) ?? /^(--[a-z-]+)=(.*)$/s.exec(words[at]!) ?? [];
    const next = () => joined ?? words[++at] ?? '';
    if (/^(?:-X|--request)$/.test(option)) method = next();
    else if (/^(?:-H|--header)$/.test(option)) headers.push(next());
    else if (/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/.test(option)) {
      const value = next();
      if (value.startsWith('@') && option !== '--data-raw') return undefined;
      data.push(value);
    } else if (option === '--data-urlencode') {
      const [, name = '', value] = /^([^=@]*=)?([\s\S]*)$/.exec(next())!;
      if (value!.startsWith('@')) return undefined;
      data.push(`${name === '=' ? '' : name}${percentEncode(Buffer.from(value!, 'latin1').toString())}`);
    } else if (option === '--url') url = next();
    else if (valueOptions.test(option)) next();
    else if (option.startsWith('-') ? !flagOptions.test(option) : url !== undefined) return undefined;
    else if (!option.startsWith('-')) url = option;
  }
  const found = /^(?:(https?):\/\/)?([^/?#]+)([^#]*)/i.exec(url ?? '');
  if (found === null) return undefined;
  const [, scheme = 'http', host = '', target = ''] = found;
  const hasHeader = (name: string) => headers.some((header) => header.toLowerCase().startsWith(`${name}:`));
  const form = data.length > 0 && !hasHeader('content-type') ? ['Content-Type: application/x-www-form-urlencoded'] : [];
  const path = target.startsWith('/') ? target : `/${target}`;
  const first = `${method ?? (data.length > 0 ? 'POST' : 'GET')} ${scheme}://${host}${path} HTTP/1.1`;
  const body = data.join('&');
  const length = hasHeader('content-length') || body === '' ? [] : [`Content-Length: ${body.length}`];
  return [first, ...(hasHeader('host') ? [] : [`Host: ${host}`]), ...headers, ...form, ...length, '', body].join('\n');
}
