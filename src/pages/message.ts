/** What report.html shows of a message: its head and body as they were on the wire, and what the body says once decoded. */
import { type Exchange, type Header, headerValues } from '../exchange/exchange.ts';
import { bodyKey, bodyLength, longBody } from '../exchange/stored-body.ts';
import { type Excerpt, excerptOf, shortened, shortenedExcerpt, visible } from '../report/visible.ts';

/** A text under a caption. */
export interface Shown {
  readonly caption: string;
  /** Safe to show; a line end of the body is shown as `↵` and a line break. */
  readonly text: string;
  /** Whether each line is one value, and not what was sent. */
  readonly laidOut?: true;
}

export interface MessageOptions {
  /** Longest line of the head, longest body and longest decoded text, in characters. */
  readonly limit: number;
  /** Whether to show in a second form what is readable in its raw form too: fields of a form, members of JSON. */
  readonly layOut: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The request as it was sent, then what its body says. */
export function shownRequest({ request }: Exchange, options: MessageOptions): Shown[] {
  const { method, target, headers, body } = request;
  return [
    raw('Request', `${method} ${target} HTTP/1.1`, headers, partOf(body), options.limit),
    ...(options.layOut ? authorization(headers, options.limit) : []),
    ...decodedForm(body, options),
  ];
}

/** The response likewise, or why none was received. */
export function shownResponse({ response, failure }: Exchange, options: MessageOptions): Shown[] {
  const lost =
    failure === undefined ? [] : [{ caption: `No whole response: ${failure.kind}`, text: visible(failure.message) }];
  if (response === undefined) return lost.length > 0 ? lost : [{ caption: 'No response', text: '' }];
  const { status, reason, headers } = response;
  const body: Part = { key: bodyKey(response), length: bodyLength(response), bytes: () => response.body };
  const laidOut = options.layOut
    ? (json(response.body, options.limit) ?? parameters(headers, response.body, options.limit))
    : undefined;
  return [
    ...lost,
    raw('Response', `HTTP/1.1 ${status} ${reason}`, headers, body, options.limit),
    ...(laidOut === undefined ? [] : [laidOut]),
  ];
}

/** A body that may not be in memory. */
interface Part {
  /** The same one for equal bodies of several responses. */
  readonly key: object;
  readonly length: number;
  readonly bytes: () => Uint8Array;
}

function partOf(body: Uint8Array): Part {
  return { key: body, length: body.length, bytes: () => body };
}

function raw(
  name: 'Request' | 'Response',
  first: string,
  headers: readonly Header[],
  body: Part,
  limit: number,
): Shown {
  const head = headOf([first, ...headers.map(([header, value]) => `${header}: ${value}`)], limit);
  if (body.length === 0) return { caption: `${name} on the wire, empty body`, text: head };
  const shown = shownBody(name, body, limit);
  return { caption: shown.caption, text: `${head}\n\n${shown.text}` };
}

/** A long body is taken apart once, and no more is kept of it than is shown: a gateway may give the same one to every request. */
function shownBody(name: string, { key, length, bytes }: Part, limit: number): Shown {
  const size = length === 1 ? '1 byte' : `${length.toLocaleString('en-US')} bytes`;
  const caption = (isText: boolean) =>
    `${name} on the wire, body of ${size}${isText ? '' : ' that is not UTF-8, here as base64'}`;
  if (length < longBody || limit > mostKept) {
    const { text, isText } = textOrBase64(bytes());
    return cut(caption(isText), text, limit);
  }
  const kept = known.get(key) ?? keptOf(bytes());
  known.set(key, kept);
  return { caption: `${caption(kept.isText)}${cutNote}`, text: lines(shortenedExcerpt(kept.excerpt, limit)) };
}

/** Characters; what the list of exchanges shows of a message at most. */
const mostKept = 4_096;

const known = new WeakMap<object, { readonly excerpt: Excerpt; readonly isText: boolean }>();

function keptOf(body: Uint8Array): { readonly excerpt: Excerpt; readonly isText: boolean } {
  const { text, isText } = textOrBase64(body);
  return { excerpt: excerptOf(text, mostKept), isText };
}

function textOrBase64(body: Uint8Array): { readonly text: string; readonly isText: boolean } {
  const text = textOf(body);
  return text === undefined ? { text: Buffer.from(body).toString('base64'), isText: false } : { text, isText: true };
}

/** A line break inside a value cannot be on the wire, so each line of the text is a line of the head. */
function headOf(lines: readonly string[], limit: number): string {
  const whole = lines.join('\n');
  // Nearly every head is short and plain; looking at it once is several times faster than at each line.
  if (whole.length <= limit && plain.test(whole) && !lines.some((line) => line.includes('\n'))) return whole;
  return lines.map((line) => visible(shortened(line, limit))).join('\n');
}

/** Text that `visible` would not change, but for its line ends. */
const plain = /^[\x20-\x7e\n]*$/;

/** The header that signs the request, a parameter a line. */
function authorization(headers: readonly Header[], limit: number): Shown[] {
  return headerValues(headers, 'authorization').map((value) => ({
    caption: 'Authorization, a parameter a line',
    text: shortened(value, limit).split(/,\s*/).map(visible).join('\n'),
    laidOut: true as const,
  }));
}

/** A form as its fields, and a payload that is CSV in base64 as that CSV. */
function decodedForm(body: Uint8Array, { limit, layOut }: MessageOptions): Shown[] {
  if (body.length === 0 || (!layOut && !Buffer.from(body.buffer, body.byteOffset, body.length).includes('payload='))) {
    return [];
  }
  const fields = fieldsOf(body);
  const payload = fields.find(([name]) => name === 'payload')?.[1];
  const csv = payload === undefined ? undefined : fromBase64(payload);
  return [
    ...(layOut && (fields.length > 1 || csv === undefined) ? [fieldList('Fields, decoded', fields, limit)] : []),
    ...(csv === undefined ? [] : [cut('The payload, decoded from base64', csv, limit)]),
  ];
}

function parameters(headers: readonly Header[], body: Uint8Array, limit: number): Shown | undefined {
  if (body.length === 0) return undefined;
  const named = headerValues(headers, 'content-type').some((type) => type.includes('x-www-form-urlencoded'));
  if (!named && !/^[\w-]+=[^<>{}]*$/.test(textOf(body) ?? '')) return undefined;
  return fieldList('Parameters, decoded', fieldsOf(body), limit);
}

function fieldList(caption: string, fields: readonly (readonly [string, string])[], limit: number): Shown {
  const text = fields.map(([name, value]) => visible(shortened(`${name} = ${value}`, limit))).join('\n');
  return { caption, text, laidOut: true };
}

/** The WHATWG reader takes anything; it is good enough for the eye, and no verdict rests on it. */
function fieldsOf(body: Uint8Array): [string, string][] {
  return [...new URLSearchParams(Buffer.from(body).toString('utf8'))];
}

/** JSON with a member a line. Numbers and escapes stay as they were written, which no parser would leave them. */
function json(body: Uint8Array, limit: number): Shown | undefined {
  // What would be shortened to its ends is not worth laying out. A unit of text has at most three bytes.
  const text = body.length > 3 * 4 * limit ? undefined : textOf(body);
  if (text === undefined || text.length > 4 * limit || !/^\s*[{[]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  let laid = '';
  const line = () => `\n${'  '.repeat(Math.min(depth, deepest))}`;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    laid += laidOut(token, line);
  }
  return { caption: 'The JSON, laid out', text: shortened(laid, limit), laidOut: true };
}

/** Steps of indentation; nesting goes on beyond it, and a very wide page would be unreadable. */
const deepest = 40;

function laidOut(token: string, line: () => string): string {
  switch (token) {
    case ':':
      return ': ';
    case ',':
    case '{':
    case '[':
      return `${token}${line()}`;
    case '}':
    case ']':
      return `${line()}${token}`;
    default:
      return visible(token);
  }
}

function cut(caption: string, text: string, limit: number): Shown {
  const kept = shortened(text, limit);
  return { caption: `${caption}${kept === text ? '' : cutNote}`, text: lines(kept) };
}

const cutNote = ', shortened: exchanges.har has it whole';

/** Line ends stay line ends, with a sign for each, since whether one is there at the end matters. */
function lines(text: string): string {
  return plain.test(text) ? text.replaceAll('\n', '↵\n') : text.split('\n').map(visible).join('↵\n');
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

function fromBase64(text: string): string | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  return textOf(Buffer.from(text, 'base64'));
}
