/** A strict parser for the HTML of our pages. It throws on errors that a browser would repair. */
export interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Node | string)[];
  readonly parent?: Node;
}

/** Elements without an end (HTML standard, 13.1.2). */
const empty = new Set(['meta', 'input', 'br', 'wbr', 'hr', 'img', 'link']);
const rawText = new Set(['script', 'style']);
const phrasing = new Set('a button code input label mark output span strong time br wbr'.split(' '));
const onlyPhrasing = new Set('p h1 h4 pre dt figcaption legend button code a title mark'.split(' '));
const parents: Readonly<Record<string, readonly string[]>> = {
  li: ['ul', 'ol'],
  dt: ['div'],
  dd: ['div'],
  thead: ['table'],
  tbody: ['table'],
  tr: ['thead', 'tbody'],
  th: ['tr'],
  td: ['tr'],
  figcaption: ['figure'],
  summary: ['details'],
  legend: ['fieldset'],
  main: ['div'],
};

/** Parses a page and returns its root element. Throws if an element is not well-formed or has a wrong parent. */
export function parseHtml(html: string): Node {
  const doctype = '<!doctype html>\n';
  if (!html.startsWith(doctype)) throw new Error('no doctype');
  const holder: Node = { name: '', attributes: {}, children: [] };
  let current = holder;
  const token = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"<]*")?)*)\/?>|([^<]+)/gy;
  token.lastIndex = doctype.length;
  while (token.lastIndex < html.length) {
    const at = token.lastIndex;
    const match = token.exec(html);
    if (!match) throw new Error(`not well-formed at ${at}: ${html.slice(at, at + 80)}`);
    const [, closing, name = '', attributes = '', text] = match;
    if (text !== undefined) {
      current.children.push(unescapeHtml(text));
    } else if (closing) {
      if (current.name !== name) throw new Error(`</${name}> closes <${current.name}> at ${at}`);
      current = current.parent!;
    } else {
      const node: Node = { name, attributes: attributesOf(attributes), children: [], parent: current };
      checkPlace(node);
      current.children.push(node);
      if (rawText.has(name)) {
        const end = html.indexOf(`</${name}>`, token.lastIndex);
        if (end === -1) throw new Error(`<${name}> has no end`);
        node.children.push(html.slice(token.lastIndex, end));
        token.lastIndex = end + name.length + 3;
      } else if (!empty.has(name)) {
        current = node;
      }
    }
  }
  if (current !== holder) throw new Error(`<${current.name}> is not closed`);
  const root = holder.children.find((child): child is Node => typeof child !== 'string');
  if (root?.name !== 'html') throw new Error('no html element');
  return root;
}

/** All elements below the node, in the order of the document. */
export function elements(node: Node, name?: string): Node[] {
  return node.children.flatMap((child) =>
    typeof child === 'string'
      ? []
      : [...(name === undefined || child.name === name ? [child] : []), ...elements(child, name)],
  );
}

export function textOf(node: Node): string {
  return node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

export function byId(node: Node, id: string): Node {
  const found = elements(node).find(({ attributes }) => attributes.id === id);
  if (!found) throw new Error(`no element has the id ${id}`);
  return found;
}

function checkPlace(node: Node): void {
  const parent = node.parent!;
  const allowed = parents[node.name];
  if (allowed !== undefined && !allowed.includes(parent.name)) throw new Error(`<${node.name}> in <${parent.name}>`);
  if (node.name === 'dd' || node.name === 'dt') {
    if (parent.parent?.name !== 'dl') throw new Error(`<${node.name}> outside <dl>`);
  }
  for (let above: Node | undefined = parent; above; above = above.parent) {
    if (onlyPhrasing.has(above.name) && !phrasing.has(node.name)) throw new Error(`<${node.name}> in <${above.name}>`);
    if (node.name === above.name && ['a', 'button', 'label'].includes(node.name)) {
      throw new Error(`<${node.name}> in itself`);
    }
    if (above.name === 'summary' && ['a', 'button', 'input'].includes(node.name)) {
      throw new Error(`<${node.name}> in <summary> takes the click that opens it`);
    }
  }
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/ ([a-zA-Z-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [
    name!,
    unescapeHtml(value),
  ]);
  const names = found.map(([name]) => name);
  if (new Set(names).size !== names.length) throw new Error(`an attribute twice:${text}`);
  return Object.fromEntries(found);
}

function unescapeHtml(text: string): string {
  if (/&(?!(?:lt|gt|amp|quot);)/.test(text)) throw new Error(`not escaped: ${text.slice(0, 80)}`);
  return text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name]!);
}
