/**
 * Shows one exchange in detail. These functions also run in the browser, because the script of a page contains their
 * code. So they may call only each other, `visible`, `visibleLines`, and their parameter `h`, which makes an element.
 */
import type { Header } from '../../record/exchange.ts';
import { visible, visibleLines } from '../visible.ts';

interface PageBody {
  readonly text?: string;
  /** The body in base64, if its bytes are not UTF-8. Then `text` is absent. */
  readonly base64?: string;
  readonly bytes: number;
  readonly cut?: true;
}

export interface PageMessage {
  readonly line: string;
  readonly headers: readonly Header[];
  readonly body: PageBody;
}

interface PageMessages {
  readonly request: PageMessage;
  readonly response?: PageMessage;
  readonly failure?: string;
}

export interface PageExchange extends PageMessages {
  readonly number: number;
  readonly scenario: string;
  readonly origin: string;
  /** What the suite wanted to test with the exchange. */
  readonly label: string;
  /** What a tested client got (input, environment), what it reported, and the error message of its adapter. */
  readonly said: readonly (readonly [caption: string, text: string])[];
  readonly twin?: number;
  readonly ms: number;
  readonly at: string;
  /** See RFC 5849 section 3.4.1. Set only for failed and inconclusive exchanges, and for their twins. */
  readonly baseString?: string;
}

/** Prints label, base string and messages of an exchange. If there is a twin, prints the messages side by side. */
export function exchangeDetail<Node>(h: Make<Node>, exchange: PageExchange, twin: PageExchange | undefined): Node[] {
  const link = (number: number) => h('a', { href: `#exchange-${number}` }, String(number));
  const request = requestLines(exchange);
  const answer = responseLines(exchange);
  const pair = (captions: readonly (readonly (Node | string)[])[], mine: readonly Line[], other: readonly Line[]) =>
    h(
      'div',
      { class: 'pair' },
      h('div', null, lineBlock(h, captions[0]!, mine, other)),
      h('div', null, lineBlock(h, captions[1]!, other, mine)),
    );
  return [
    h('p', { class: 'label' }, `${visible(exchange.label)} ${exchange.ms} ms, ${exchange.at.slice(11, 19)} UTC.`),
    ...baseStringBlock(h, exchange, twin),
    ...exchange.said.map(([caption, text]) => codeBlock(h, caption, visibleLines(text))),
    ...(twin === undefined
      ? [lineBlock(h, ['Request'], request), lineBlock(h, ['Response'], answer)]
      : [
          pair(
            [
              ['Request ', link(exchange.number), ': differences to its twin are marked'],
              ['Twin ', link(twin.number), ', which is correct'],
            ],
            request,
            requestLines(twin),
          ),
          pair([[`Response to ${exchange.number}`], [`Response to ${twin.number}`]], answer, responseLines(twin)),
        ]),
    ...oauthTable(h, exchange.request),
    fold(h, 'Bytes of the request', exchange.request),
    ...(exchange.response === undefined ? [] : [fold(h, 'Bytes of the response', exchange.response)]),
  ];
}

function disclosure<Node>(h: Make<Node>, title: string, ...inside: Node[]): Node {
  return h('details', { class: 'fold' }, h('summary', null, title), ...inside);
}

function baseStringBlock<Node>(h: Make<Node>, { baseString }: PageExchange, twin: PageExchange | undefined): Node[] {
  if (baseString === undefined) return [];
  const varyingValues = /(oauth_nonce|oauth_timestamp|day_close_request_id)%3D[^%&]*/g;
  const twinString = twin?.baseString?.replace(
    varyingValues,
    (all, name: string) => new RegExp(`${name}%3D[^%&]*`).exec(baseString)?.[0] ?? all,
  );
  const sameNote = twinString === baseString ? ': as in its twin, except values that must be new' : '';
  return [codeBlock(h, `Base string of RFC 5849${sameNote}`, visible(baseString), twinString && visible(twinString))];
}

function oauthTable<Node>(h: Make<Node>, { headers }: PageMessage): Node[] {
  return headers
    .filter(([name, value]) => name.toLowerCase() === 'authorization' && /^oauth\s/i.test(value))
    .map(([, value]) => {
      const facts = value
        .slice(6)
        .split(',')
        .map((part): [string, string] => {
          const [name = '', ...values] = part.trim().split('=');
          const raw = values.join('=').replace(/^"|"$/g, '');
          try {
            return [name, decodeURIComponent(raw)];
          } catch {
            return [name, raw];
          }
        });
      // A hostile subject may send long values, so cut them.
      const cut = (text: string) => visible(text.slice(0, 1000));
      const list = facts.map(([label, text]) =>
        h('div', null, h('dt', null, cut(label)), h('dd', null, h('code', null, cut(text)))),
      );
      return disclosure(h, 'Parts of the OAuth header', h('dl', { class: 'facts' }, ...list));
    });
}

function fold<Node>(h: Make<Node>, title: string, { line, headers, body }: PageMessage): Node {
  const bytes =
    body.text === undefined
      ? Uint8Array.from(atob(body.base64!), (unit) => unit.charCodeAt(0))
      : new TextEncoder().encode(body.text);
  const fullTitle = `${title}, ${body.bytes.toLocaleString('en-US')} in the body`;
  const head = [line, ...headers.map((header) => header.join(': '))].map(visible).join('\n');
  return disclosure(h, fullTitle, codeBlock(h, 'Head on the wire', head), hexView(h, 'Body', bytes));
}

/** A line of a message. To compare two messages, compare the lines with the same key. */
interface Line {
  readonly key: string;
  readonly text: string;
  /** True if the value changes with every message, so that a difference means nothing. */
  readonly varies?: boolean;
}

/** The lines of a request, with one line for each OAuth parameter and each form field. */
export function requestLines({ request }: PageMessages): Line[] {
  const lines: Line[] = [{ key: 'line', text: visible(request.line) }];
  for (const [name, value] of request.headers) {
    if (/^oauth\s/i.test(value)) {
      lines.push({ key: name, text: `${visible(name)}: ${visible(value.slice(0, 6))}` });
      for (const part of value.slice(6).split(/,\s*/)) {
        const [key = ''] = part.trim().split('=');
        lines.push({ key, text: visible(part.trim()), varies: /^oauth_(nonce|timestamp|signature)$/.test(key) });
      }
    } else {
      lines.push({ key: name, text: visible(`${name}: ${value}`), varies: name.toLowerCase() === 'content-length' });
    }
  }
  lines.push({ key: '', text: '' });
  const { text } = request.body;
  if (text === undefined || !/^[\w%.-]+=/.test(text)) {
    const body = bodyText(request.body).split('\n');
    return [...lines, ...body.map((line, index) => ({ key: `body ${index}`, text: line }))];
  }
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === 'payload') {
      let decoded = value;
      try {
        decoded = new TextDecoder().decode(Uint8Array.from(atob(value), (unit) => unit.charCodeAt(0)));
      } catch {}
      const isDecoded = decoded !== value;
      lines.push({ key: name, text: isDecoded ? 'payload, decoded from base64:' : visible(`payload = ${value}`) });
      const rows = isDecoded ? decoded.split('\n') : [];
      lines.push(...rows.map((row, index) => ({ key: `row ${index}`, text: visible(row) })));
    } else {
      lines.push({ key: name, text: visible(`${name} = ${value}`), varies: name === 'day_close_request_id' });
    }
  }
  if (request.body.cut) lines.push({ key: 'cut', text: '[… shortened: exchanges.har has all of it]' });
  return lines;
}

function lineBlock<Node>(
  h: Make<Node>,
  caption: readonly (Node | string)[],
  lines: readonly Line[],
  other?: readonly Line[],
): Node {
  const remaining = [...(other ?? [])];
  const hasOnlyVarying =
    other !== undefined && !lines.some((line) => !line.varies && !remaining.some(({ text }) => text === line.text));
  const parts = lines.flatMap(({ key, text, varies }): (Node | string)[] => {
    const at = remaining.findIndex((one) => one.key === key);
    const otherText = at < 0 ? undefined : remaining.splice(at, 1)[0]!.text;
    if (other === undefined || otherText === text) return [`${text}\n`];
    if (varies && !(hasOnlyVarying && key === 'oauth_signature') && otherText !== undefined)
      return [h('span', { class: 'muted' }, text), '\n'];
    const { start, end } = otherText === undefined ? { start: 0, end: text.length } : differingPart(text, otherText);
    return [
      text.slice(0, start),
      h('mark', { class: end > start ? '' : 'gap' }, text.slice(start, end)),
      `${text.slice(end)}\n`,
    ];
  });
  return figure(h, 'code', caption, parts);
}

/** The lines of a response, one for each member of a JSON body. */
export function responseLines({ response, failure }: PageMessages): Line[] {
  const failures = failure === undefined ? [] : [{ key: 'failure', text: `No complete response: ${visible(failure)}` }];
  if (response === undefined) return failures.length > 0 ? failures : [{ key: 'failure', text: 'No response' }];
  const body = indentJson(response.body) ?? bodyText(response.body);
  return [
    ...failures,
    { key: 'line', text: visible(response.line) },
    ...response.headers.map(([name, value]) => ({
      key: name.toLowerCase(),
      text: visible(`${name}: ${value}`),
      varies: /^(date|content-length)$/i.test(name),
    })),
    { key: '', text: '' },
    ...body
      .split('\n')
      .map((text): Line => ({ key: text.split('":')[0]!.trim(), text, varies: /date|rrn|serial/i.test(text) })),
  ];
}

/** Marks each line end of a body with ↵, so that a final line end is visible. */
function bodyText({ text, base64, bytes, cut }: PageBody): string {
  const rest = cut ? `\n[… shortened: ${bytes.toLocaleString('en-US')} bytes in all, exchanges.har has them]` : '';
  if (text === undefined) return `${bytes} bytes that are not UTF-8, here as base64:\n${base64}${rest}`;
  return `${text === '' ? '(empty)' : text.split('\n').map(visible).join('↵\n')}${rest}`;
}

/** The body as indented JSON, with numbers and escapes as they were sent. Undefined if the body is not JSON. */
function indentJson({ text, cut }: PageBody): string | undefined {
  if (text === undefined || cut || !/^\s*[{[]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  let result = '';
  const line = () => `\n${'  '.repeat(Math.min(depth, 40))}`;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (token === ':') result += ': ';
    else if (token === ',' || token === '{' || token === '[') result += token + line();
    else if (token === '}' || token === ']') result += line() + token;
    else result += visible(token);
  }
  return result;
}

export type Make<Node> = (
  name: string,
  attributes: Readonly<Record<string, string | number>> | null,
  ...children: (Node | string)[]
) => Node;

function figure<Node>(
  h: Make<Node>,
  looks: 'code' | 'hex',
  caption: readonly (Node | string)[],
  text: readonly (Node | string)[],
): Node {
  return h(
    'figure',
    { class: looks },
    h('figcaption', { class: 'caption' }, ...caption),
    h('pre', { tabindex: 0 }, ...text),
  );
}

/** Prints a text under a caption, and marks the part that differs from `other`. */
export function codeBlock<Node>(h: Make<Node>, caption: string, text: string, other?: string): Node {
  const { start, end } = other === undefined ? { start: text.length, end: text.length } : differingPart(text, other);
  const marked = end > start ? [h('mark', null, text.slice(start, end))] : [];
  return figure(h, 'code', [caption], [text.slice(0, start), ...marked, text.slice(end)]);
}

/** The part of `text` from the first to the last character that differs from `other`. */
export function differingPart(text: string, other: string): { readonly start: number; readonly end: number } {
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  if (start === text.length && start === other.length) return { start, end: start };
  let tail = 0;
  const max = Math.min(text.length, other.length) - start;
  while (tail < max && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return { start, end: text.length - tail };
}

function hexView<Node>(h: Make<Node>, caption: string, bytes: Uint8Array, limit = 4096): Node {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, limit); at += 16) {
    const line = [...bytes.subarray(at, Math.min(at + 16, limit))];
    const digits = line
      .map((byte, index) => `${index === 8 ? ' ' : ''}${byte.toString(16).padStart(2, '0')}`)
      .join(' ');
    const ascii = line.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(49)} ${ascii}`);
  }
  const [limitText, all] = [limit, bytes.length].map((count) => count.toLocaleString('en-US'));
  const rest = bytes.length > limit ? `, the first ${limitText} of ${all}` : '';
  return figure(h, 'hex', [`${caption}${rest}`], [lines.join('\n')]);
}

/** The request as a curl command. Undefined if a part was shortened, or the request line or a header is not ASCII. */
export function curlCommand({ origin, request: { line, headers, body } }: PageExchange): string | undefined {
  const [method, target] = line.split(' ');
  const sent = headers.filter(([name]) => !/^(content-length|transfer-encoding|connection|expect)$/i.test(name));
  const curlHeaders = ['User-Agent', 'Accept', 'Content-Type'].filter(
    (name) => !headers.some(([one]) => one.toLowerCase() === name.toLowerCase()),
  );
  const isPlain = (text: string) => /^[ -~]*$/.test(text) && !text.includes('[… ');
  const all = [
    method!,
    `${origin}${target}`,
    ...sent.map((header) => header.join(': ')),
    ...curlHeaders.map((name) => `${name}:`),
  ];
  if (body.cut || !all.every(isPlain) || line.split(' ').length !== 3) return undefined;
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const [verb, url, ...rest] = all.map(quote);
  const start = `curl --globoff --path-as-is -i -X ${verb} ${url}${rest.map((header) => ` -H ${header}`).join('')}`;
  if (body.bytes === 0) return start;
  if (body.text !== undefined && isPlain(body.text)) return `${start} --data-raw ${quote(body.text)}`;
  const bytes = body.base64 ?? btoa(String.fromCharCode(...new TextEncoder().encode(body.text)));
  return `printf %s ${bytes} | base64 -d | ${start} --data-binary @-`;
}

/** The functions that the script of a page includes. */
export const viewFunctions: readonly ((...input: never[]) => unknown)[] = [
  ...[exchangeDetail, disclosure, baseStringBlock, oauthTable, fold, requestLines, lineBlock, responseLines],
  ...[bodyText, indentJson, figure, codeBlock, differingPart, hexView, curlCommand],
];
