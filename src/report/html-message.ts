/** What report.html shows of a message: its head and body as they were on the wire, and what the body says once decoded. */
import { type Exchange, type Header, headerValues } from '../exchange/exchange.ts';
import { shortened, visible } from './visible.ts';

/** A text under a caption. */
export interface Shown {
  readonly caption: string;
  /** Safe to show; a line end stands as `↵` and a line break. */
  readonly text: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The request, at most `limit` characters of each part. */
export function shownRequest({ request }: Exchange, limit: number): Shown[] {
  const { method, target, headers, body } = request;
  return [head(`${method} ${target} HTTP/1.1`, headers, limit), ...raw(body, limit), ...form(body, limit)];
}

/** The response likewise, or why none came. */
export function shownResponse({ response, failure }: Exchange, limit: number): Shown[] {
  const lost =
    failure === undefined ? [] : [{ caption: `No whole response: ${failure.kind}`, text: visible(failure.message) }];
  if (response === undefined) return lost.length > 0 ? lost : [{ caption: 'No response', text: '' }];
  const { status, reason, headers, body } = response;
  const parsed = json(body, limit) ?? (isForm(headers, body) ? parameters(body, limit) : undefined);
  return [
    ...lost,
    head(`HTTP/1.1 ${status} ${reason}`, headers, limit),
    ...raw(body, limit),
    ...(parsed === undefined ? [] : [parsed]),
  ];
}

function head(first: string, headers: readonly Header[], limit: number): Shown {
  // A line break inside a value cannot be on the wire, so here each line is a line of ours.
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return { caption: 'Head', text: lines.map((line) => visible(shortened(line, limit))).join('\n') };
}

function raw(body: Uint8Array, limit: number): Shown[] {
  if (body.length === 0) return [{ caption: 'Body, empty', text: '' }];
  const size = `${body.length.toLocaleString('en-US')} ${body.length === 1 ? 'byte' : 'bytes'}`;
  const text = textOf(body);
  return text === undefined
    ? [cut(`Body, ${size}, not UTF-8, here as base64`, Buffer.from(body).toString('base64'), limit)]
    : [cut(`Body, ${size}`, text, limit)];
}

/** A form as its fields, and a payload that is CSV in base64 as that CSV. */
function form(body: Uint8Array, limit: number): Shown[] {
  if (body.length === 0) return [];
  const fields = fieldsOf(body);
  const payload = fields.find(([name]) => name === 'payload')?.[1];
  const csv = payload === undefined ? undefined : fromBase64(payload);
  return [
    ...(fields.length === 1 && csv !== undefined ? [] : [fieldList('Fields, decoded', fields, limit)]),
    ...(csv === undefined ? [] : [cut('payload, decoded from base64', csv, limit)]),
  ];
}

function parameters(body: Uint8Array, limit: number): Shown {
  return fieldList('Parameters, decoded', fieldsOf(body), limit);
}

function fieldList(caption: string, fields: readonly (readonly [string, string])[], limit: number): Shown {
  return { caption, text: fields.map(([name, value]) => visible(shortened(`${name} = ${value}`, limit))).join('\n') };
}

/** The WHATWG reader takes anything; it is good enough for the eye, and no verdict rests on it. */
function fieldsOf(body: Uint8Array): [string, string][] {
  return [...new URLSearchParams(Buffer.from(body).toString('utf8'))];
}

function isForm(headers: readonly Header[], body: Uint8Array): boolean {
  if (body.length === 0) return false;
  const named = headerValues(headers, 'content-type').some((type) => type.includes('x-www-form-urlencoded'));
  return named || /^[\w-]+=[^<>{}]*$/.test(textOf(body) ?? '');
}

/** JSON with a member a line. Numbers and escapes stay as they were written, which no parser would leave them. */
function json(body: Uint8Array, limit: number): Shown | undefined {
  const text = textOf(body);
  if (text === undefined || !/^\s*[{[]/.test(text) || text.length > 4 * limit) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  const tokens = text.match(/"(?:\\.|[^"\\])*"|[{[]\s*[}\]]|[{}[\],:]|[^\s"{}[\],:]+/g) ?? [];
  const laid = tokens.map((token) => {
    if (token === ':') return ': ';
    if (token === ',') return `,\n${'  '.repeat(depth)}`;
    if (token === '{' || token === '[') return `${token}\n${'  '.repeat(++depth)}`;
    if (token === '}' || token === ']') return `\n${'  '.repeat(--depth)}${token}`;
    return visible(token);
  });
  const shown = shortened(laid.join(''), limit);
  return { caption: shown === laid.join('') ? 'JSON, laid out' : 'JSON, laid out, shortened', text: shown };
}

function cut(caption: string, text: string, limit: number): Shown {
  const kept = shortened(text, limit);
  const note = kept === text ? '' : ', shortened: exchanges.har has it whole';
  return { caption: `${caption}${note}`, text: lines(kept) };
}

/** Line ends stay line ends, with a sign for each, since whether one is there at the end matters. */
function lines(text: string): string {
  return text.split('\n').map(visible).join('↵\n');
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
