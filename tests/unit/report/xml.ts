/** A strict reader for the XML that our writer produces: elements, attributes, text; no comments, no CDATA, no DTD. */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** The root element; throws on anything that is not well-formed. */
export function parseXml(xml: string): Element {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error('no XML declaration');
  const holder: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [holder];
  const token = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  token.lastIndex = declaration.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (!match) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 60)}`);
    const [, closing, name, attributes, empty, text] = match;
    const current = open.at(-1)!;
    if (text !== undefined) {
      current.text += unescapeXml(text);
    } else if (closing) {
      if (current.name !== name) throw new Error(`</${name}> closes <${current.name}>`);
      open.pop();
    } else {
      const element: Element = { name: name!, attributes: attributesOf(attributes ?? ''), children: [], text: '' };
      current.children.push(element);
      if (!empty) open.push(element);
    }
  }
  if (open.length !== 1 || holder.children.length !== 1 || holder.text.trim() !== '') throw new Error('no single root');
  return holder.children[0]!;
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescapeXml(value!)]);
  const names = found.map(([name]) => name);
  if (new Set(names).size !== names.length) throw new Error(`an attribute twice:${text}`);
  return Object.fromEntries(found);
}

function unescapeXml(text: string): string {
  if (/&(?!#\d+;)/.test(text) || text.includes(']]>')) throw new Error(`not escaped: ${text}`);
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
