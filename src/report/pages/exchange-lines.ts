/** The messages of an exchange as lines that can be compared, what must be fresh in each told apart; and bodies as text. */
import { visible } from '../visible.ts';
import { differingPart, type Make } from './components.ts';
import type { PageBody, PageMessage, PageMessages } from './message.ts';

/** One line of a request as it is compared: what names it, and the text. */
export interface Lined {
  readonly key: string;
  readonly text: string;
  /** Has to be another one in each request. */
  readonly fresh?: boolean;
}

/** The request with one thing on each line, values of OAuth and of the form decoded. */
export function requestLines({ request }: PageMessages): Lined[] {
  const lines: Lined[] = [{ key: 'line', text: visible(request.line) }];
  for (const [name, value] of request.headers) {
    if (/^oauth\s/i.test(value)) {
      lines.push({ key: name, text: `${visible(name)}: ${visible(value.slice(0, 6))}` });
      for (const part of value.slice(6).split(/,\s*/)) {
        const [key = ''] = part.trim().split('=');
        lines.push({ key, text: visible(part.trim()), fresh: /^oauth_(nonce|timestamp|signature)$/.test(key) });
      }
    } else {
      lines.push({ key: name, text: visible(`${name}: ${value}`), fresh: name.toLowerCase() === 'content-length' });
    }
  }
  lines.push({ key: '', text: '' });
  const { text } = request.body;
  if (text === undefined || !/^[\w%.-]+=/.test(text)) {
    for (const [index, line] of bodyText(request.body).split('\n').entries())
      lines.push({ key: `body ${index}`, text: line });
    return lines;
  }
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === 'payload') {
      let decoded = value;
      try {
        decoded = new TextDecoder().decode(Uint8Array.from(atob(value), (unit) => unit.charCodeAt(0)));
      } catch {}
      lines.push({
        key: name,
        text: decoded === value ? visible(`payload = ${value}`) : 'payload, decoded from base64:',
      });
      if (decoded !== value) {
        for (const [index, line] of decoded.split('\n').entries())
          lines.push({ key: `row ${index}`, text: visible(line) });
      }
    } else {
      lines.push({ key: name, text: visible(`${name} = ${value}`), fresh: name === 'day_close_request_id' });
    }
  }
  if (request.body.cut) lines.push({ key: 'cut', text: '[… shortened: exchanges.har has it whole]' });
  return lines;
}

/** Lines of a request; where another is given, a mark on what it has otherwise, and grey what has to be other in each. */
export function linedBlock<Made>(
  h: Make<Made>,
  caption: readonly (Made | string)[],
  lines: readonly Lined[],
  other?: readonly Lined[],
): Made {
  const left = [...(other ?? [])];
  const only =
    other !== undefined && !lines.some((line) => !line.fresh && !left.some(({ text }) => text === line.text));
  const shown = lines.flatMap(({ key, text, fresh }): (Made | string)[] => {
    const at = left.findIndex((one) => one.key === key);
    const same = at < 0 ? undefined : left.splice(at, 1)[0]!.text;
    if (other === undefined || same === text) return [`${text}\n`];
    if (fresh && !(only && key === 'oauth_signature') && same !== undefined)
      return [h('span', { class: 'muted' }, text), '\n'];
    const { start, end } = same === undefined ? { start: 0, end: text.length } : differingPart(text, same);
    return [
      text.slice(0, start),
      h('mark', { class: end > start ? '' : 'gap' }, text.slice(start, end)),
      `${text.slice(end)}\n`,
    ];
  });
  return h(
    'figure',
    { class: 'code' },
    h('figcaption', { class: 'caption' }, ...caption),
    h('pre', { tabindex: 0 }, ...shown),
  );
}

/** A response with one thing on each line, JSON a member a line. */
export function responseLines({ response, failure }: PageMessages): Lined[] {
  const lost = failure === undefined ? [] : [{ key: 'failure', text: `No whole response: ${visible(failure)}` }];
  if (response === undefined) return lost.length > 0 ? lost : [{ key: 'failure', text: 'No response' }];
  const body = laidOutJson(response.body) ?? bodyText(response.body);
  return [
    ...lost,
    { key: 'line', text: visible(response.line) },
    ...response.headers.map(([name, value]) => ({
      key: name.toLowerCase(),
      text: visible(`${name}: ${value}`),
      fresh: /^(date|content-length)$/i.test(name),
    })),
    { key: '', text: '' },
    ...body
      .split('\n')
      .map((text) => ({ key: text.split('":')[0]!.trim(), text, fresh: /date|rrn|serial/i.test(text) })),
  ];
}

/** Line ends stay line ends, with a sign for each, since whether one is there at the end matters. */
export function bodyText({ text, base64, bytes, cut }: PageBody): string {
  const rest = cut ? `\n[… shortened: ${bytes.toLocaleString('en-US')} bytes in all, exchanges.har has them]` : '';
  if (text === undefined) return `${bytes} bytes that are not UTF-8, here as base64:\n${base64}${rest}`;
  return `${text === '' ? '(empty)' : text.split('\n').map(visible).join('↵\n')}${rest}`;
}

/** Numbers and escapes stay as they were written, which no parser would leave them. */
export function laidOutJson({ text, cut }: PageBody): string | undefined {
  if (text === undefined || cut || !/^\s*[{[]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let [depth, laid] = [0, ''];
  const line = () => `\n${'  '.repeat(Math.min(depth, 40))}`;
  for (const [token] of text.matchAll(/"(?:\\.|[^"\\])*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (token === ':') laid += ': ';
    else if (token === ',' || token === '{' || token === '[') laid += token + line();
    else if (token === '}' || token === ']') laid += line() + token;
    else laid += visible(token);
  }
  return laid;
}

export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

export function wireText(message: PageMessage): string {
  return [message.line, ...message.headers.map((pair) => pair.join(': '))].map(visible).join('\n');
}
