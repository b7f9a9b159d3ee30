/** Compares content types as parsed media type and charset (RFC 9110 section 8.3), never as text. */

import { type Exchange, withoutBlanks } from '../../record/exchange.ts';
import { pluralize } from '../../record/pluralize.ts';

interface MediaType {
  readonly type: string;
  readonly charset: string | undefined;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t\\x20-\\x7e])*"';
// Match blanks before a semicolon in one way only. Two ways would make backtracking exponential.
const grammar = new RegExp(`^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*$`);
const parameter = new RegExp(`;[ \\t]*(${token})=(${token}|${quoted})`, 'g');

/** Undefined if the value violates the grammar of RFC 9110 8.3.1, or repeats the charset. */
function parseMediaType(value: string): MediaType | undefined {
  const text = withoutBlanks(value);
  if (!grammar.test(text)) return undefined;
  const charsets = [...text.matchAll(parameter)].filter(([, name]) => name!.toLowerCase() === 'charset');
  if (charsets.length > 1) return undefined;
  const charset = charsets[0]?.[2]?.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').toLowerCase();
  return { type: withoutBlanks(text.split(';', 1)[0]!).toLowerCase(), charset };
}

export function isHtmlUtf8(value: string): boolean {
  const { type, charset } = parseMediaType(value) ?? {};
  return type === 'text/html' && charset === 'utf-8';
}

const looked = 4 * 1024;
const maxTitleLength = 80;

/** Short description of a web page with its title; undefined for any other body. */
export function webPage(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.subarray(0, looked))
    .toString('utf8')
    .replace(/<!--.*?-->/gs, '');
  if (!/^\ufeff?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|title)\b/i.test(text)) {
    return undefined;
  }
  const title = (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '').replace(/\s+/g, ' ').replaceAll('"', "'").trim();
  const shown = title.length > maxTitleLength ? `${title.slice(0, maxTitleLength)}…` : title;
  return shown === '' ? 'a web page' : `a web page "${shown}"`;
}

/** One sentence for each kind of page, with exchange numbers from 1. A gateway may use a bare page as its refusal. */
export function webPageNotes(exchanges: readonly Exchange[]): string[] {
  const found = new Map<string, number[]>();
  for (const [index, { response }] of exchanges.entries()) {
    if (response === undefined || response.body.length === 0) continue;
    const page = webPage(response.body);
    if (page === undefined || (page === 'a web page' && [401, 403].includes(response.status))) continue;
    const said = `${page} with HTTP ${response.status}`;
    found.set(said, [...(found.get(said) ?? []), index + 1]);
  }
  return [...found].map(
    ([said, [first, ...more]]) =>
      `The answer in exchange ${first}${more.length === 0 ? '' : ` and ${pluralize(more.length, 'other')}`} is ${said}: look for a firewall, a proxy or a wrong URL.`,
  );
}
