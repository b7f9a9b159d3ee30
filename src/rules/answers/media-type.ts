/** Media types (RFC 9110 section 8.3), and web pages among the answers. */
import { type Exchange, withoutBlanks } from '../../record/exchange.ts';
import { pluralize } from '../../record/pluralize.ts';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t\\x20-\\x7e])*"';
// Only one part of this pattern may match blanks before a semicolon: with two parts, backtracking is exponential.
const grammar = new RegExp(`^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*$`);
const parameter = new RegExp(`;[ \\t]*(${token})=(${token}|${quoted})`, 'g');

/** True for `text/html;charset=utf-8` in any notation. False for an invalid value or a repeated charset. */
export function isHtmlUtf8(value: string): boolean {
  const text = withoutBlanks(value);
  if (!grammar.test(text) || withoutBlanks(text.split(';', 1)[0]!).toLowerCase() !== 'text/html') return false;
  const charsets = [...text.matchAll(parameter)].filter(([, name]) => name!.toLowerCase() === 'charset');
  const charset = charsets[0]?.[2]?.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').toLowerCase();
  return charsets.length === 1 && charset === 'utf-8';
}

/** Describes a web page with its title. Undefined if the body is no web page. */
export function webPage(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.subarray(0, 4096))
    .toString('utf8')
    .replace(/<!--.*?-->/gs, '');
  if (!/^\ufeff?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|title)\b/i.test(text)) return undefined;
  const title = (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '').replace(/\s+/g, ' ').replaceAll('"', "'").trim();
  const shown = title.length > 80 ? `${title.slice(0, 80)}…` : title;
  return shown === '' ? 'a web page' : `a web page "${shown}"`;
}

/** One sentence for each kind of page. Ignores a page with 401 or 403 and no title, because it may be a refusal. */
export function webPageNotes(exchanges: readonly Exchange[]): string[] {
  const found = new Map<string, number[]>();
  for (const [index, { response }] of exchanges.entries()) {
    if (response === undefined || response.body.length === 0) continue;
    const page = webPage(response.body);
    if (page === undefined || (page === 'a web page' && [401, 403].includes(response.status))) continue;
    const kind = `${page} with HTTP ${response.status}`;
    found.set(kind, [...(found.get(kind) ?? []), index + 1]);
  }
  return [...found].map(([kind, [first, ...more]]) => {
    const others = more.length === 0 ? '' : ` and ${pluralize(more.length, 'other')}`;
    return `The answer in exchange ${first}${others} is ${kind}: look for a firewall, a proxy or a wrong URL.`;
  });
}
