/** A web page in the place of an answer: a firewall, a proxy, a login or a wrong URL speaks, and no gateway. Pure. */
import { countedWord } from '../../record/counted-word.ts';
import type { Exchange } from '../../record/exchange.ts';

/** Bytes in which a page shows itself and its title. */
const looked = 4 * 1024;
const longestTitle = 80;

/** In a few words, with the title that the page gives itself; undefined for anything else. */
export function webPage(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.subarray(0, looked))
    .toString('utf8')
    .replace(/<!--.*?-->/gs, '');
  if (!/^\ufeff?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body|title)\b/i.test(text)) {
    return undefined;
  }
  const title = (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '').replace(/\s+/g, ' ').replaceAll('"', "'").trim();
  const shown = title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title;
  return shown === '' ? 'a web page' : `a web page "${shown}"`;
}

/** One sentence for each page that answered, by the numbers of the exchanges, from 1. A bare page may be how a gateway refuses. */
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
      `What answers in exchange ${first}${more.length === 0 ? '' : ` and ${countedWord(more.length, 'other')}`} is ${said}: look for a firewall, a proxy or a wrong URL.`,
  );
}
