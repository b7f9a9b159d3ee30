/** Writes all messages of the project on one page, for review, and limits their length. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from '../engine.ts';
import { root, treeFiles } from './tree.ts';

const page = 'test-results/messages.txt';
const maxWords = 40;
const maxSentences = 4;

interface Message {
  readonly place: string;
  /** The tag of the template, such as the code of an error. */
  readonly tagText: string;
  /** The first line says what is wrong, the second line what to do. */
  readonly lines: readonly string[];
}

type Node = Readonly<{ type: string; start: number; end: number } & Record<string, unknown>>;

test('no message has a very long sentence or many sentences', () => {
  const messages = treeFiles().flatMap(({ path, text }) =>
    /^(?:src|contracts|generators|schemas|bin)\/.*\.(?:ts|mjs)$/.test(path) ? messagesIn(path, text) : [],
  );
  mkdirSync(dirname(join(root, page)), { recursive: true });
  const entries = messages.map(({ place, tagText, lines }) =>
    [`${place}${tagText}`, ...lines.map((line) => `  ${line}`)].join('\n'),
  );
  writeFileSync(join(root, page), `${entries.join('\n')}\n`);
  expect(messages.length).toBeGreaterThan(2000);
  expect(messages.filter(({ lines }) => lines.some(isTooLong)).map(({ place }) => place)).toEqual([]);
});

function isTooLong(line: string): boolean {
  const sentences = line.split(/(?<=[.?!]) /);
  return sentences.length > maxSentences || sentences.some((sentence) => sentence.split(' ').length > maxWords);
}

/** Finds the texts in a source file that have at least four words and are not code. */
function messagesIn(path: string, source: string): Message[] {
  const found: Message[] = [];
  const visit = (value: unknown, tagText = ''): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const one of value) visit(one);
      return;
    }
    const node = value as Node;
    const lines = textOf(node, source)
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim());
    if (
      /(?:^| )[A-Za-z][a-z]+ [a-z]+,? \S+ \S/.test(lines.join(' ')) &&
      !/[;{}] |=>|^\s*[<{#^]|\$$/.test(lines.join(' '))
    )
      found.push({
        place: `${path}:${source.slice(0, node.start).split('\n').length}`,
        tagText,
        lines: lines.filter(Boolean),
      });
    const tag = node.type === 'TaggedTemplateExpression' ? (node.tag as Node) : undefined;
    const code = tag === undefined ? '' : ` ${source.slice(tag.start, tag.end).replace(/\s+/g, ' ').slice(0, 60)}`;
    for (const [name, member] of Object.entries(node)) if (name !== 'tag') visit(member, code);
  };
  visit(parseAst(source, { lang: path.endsWith('.ts') ? 'ts' : 'js' }));
  return found;
}

/** The text of a literal or template; empty for any other node. */
function textOf(node: Node, source: string): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return '';
  const values = (node.expressions as Node[]).map(({ start, end }) => `<${source.slice(start, end).slice(0, 25)}>`);
  const parts = node.quasis as { readonly value: { readonly cooked: string } }[];
  return parts.map(({ value: { cooked } }, at) => cooked + (values[at] ?? '').replace(/\s+/g, '')).join('');
}
