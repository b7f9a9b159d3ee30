/** Operators on the bytes of bodies of both operations: cut, extended, in another encoding (sections 2.2 and 2.4). */
import { gzipSync } from 'node:zlib';
import type { TabledAnswer } from './answers.ts';
import { inGroup, listed, type Rows, type TableOperator } from './operator.ts';

const body = inGroup<TabledAnswer>('answer bytes');

const isJson = ({ root, kind }: TabledAnswer) =>
  root !== undefined && /^(?:finished|error|.* enclosing object)$/.test(kind);
const unreadable: Rows = ['close-day/body-decodable'];

/** On close-day answers a body of JSON no more; on the parameters of a batch what the schemas' reading says. */
function bytes(
  summary: string,
  spoil: (whole: Buffer) => Uint8Array,
  closeDay: Rows = unreadable,
): TableOperator<TabledAnswer>[] {
  const apply = (fits: (answer: TabledAnswer) => boolean) => (answer: TabledAnswer) => {
    if (!fits(answer)) return false;
    const before = answer.spoil;
    answer.spoil = (whole) => spoil(Buffer.from(before(whole)));
    return true;
  };
  return [
    body(`close-day: ${summary}`, closeDay, apply(isJson)),
    body(
      `a batch: ${summary}`,
      undefined,
      apply(({ recurring }) => recurring !== undefined),
    ),
  ];
}

const before = [
  ...listed(`\ufeff¦\0¦\u00a0¦\v¦)]}',\n¦callback(¦//¦<!-- -->¦<html>¦HTTP/1.1 200 OK\r\n\r\n¦1a\r\n¦,¦{}`),
  ...listed(`null`),
];
const after = listed(`\ufeff¦\0¦\u00a0¦\v¦;¦,¦}¦]¦)¦{}¦null¦<!-- -->¦</html>¦\r\n0\r\n\r\n¦%`);

export const byteOperators: readonly TableOperator<TabledAnswer>[] = [
  ...Array.from({ length: 16 }, (_, part) =>
    bytes(`cut after ${part} sixteenths`, (whole) => whole.subarray(0, Math.floor((whole.length * part) / 16))),
  ).flat(),
  ...bytes('without its first byte', (whole) => whole.subarray(1)),
  ...bytes('without its last byte', (whole) => whole.subarray(0, -1)),
  ...before.flatMap((odd) =>
    bytes(`${JSON.stringify(odd)} before it`, (whole) => Buffer.concat([Buffer.from(odd), whole])),
  ),
  ...after.flatMap((odd) =>
    bytes(`${JSON.stringify(odd)} after it`, (whole) => Buffer.concat([whole, Buffer.from(odd)])),
  ),
  ...[' ', '\n', '\r\n', '\t'].flatMap((blank) => [
    ...bytes(`${JSON.stringify(blank)} before it`, (whole) => Buffer.concat([Buffer.from(blank), whole]), []),
    ...bytes(`${JSON.stringify(blank)} after it`, (whole) => Buffer.concat([whole, Buffer.from(blank)]), []),
  ]),
  ...bytes('twice', (whole) => Buffer.concat([whole, whole])),
  ...bytes('in UTF-16', (whole) => Buffer.from(whole.toString('utf8'), 'utf16le')),
  ...bytes('in UTF-16 with a mark', (whole) => Buffer.from(`\ufeff${whole.toString('utf8')}`, 'utf16le')),
  ...bytes('in UTF-16, the high byte first', (whole) => Buffer.from(whole.toString('utf8'), 'utf16le').swap16()),
  ...bytes('compressed', (whole) => gzipSync(whole)),
  ...bytes('in base64', (whole) => Buffer.from(whole.toString('base64'))),
  ...bytes('as a JSON text', (whole) => Buffer.from(JSON.stringify(whole.toString('utf8')))),
  ...bytes('in an array', (whole) => Buffer.concat([Buffer.from('['), whole, Buffer.from(']')])),
  ...bytes('escaped as a form is', (whole) => Buffer.from(encodeURIComponent(whole.toString('utf8')))),
  ...bytes('in UTF-7 style, quotes as entities', (whole) =>
    Buffer.from(whole.toString('utf8').replace(/["&]/g, '&quot;')),
  ),
  ...bytes('a byte that is no UTF-8 in the middle', (whole) =>
    Buffer.concat([whole.subarray(0, whole.length >> 1), Buffer.from([0xff]), whole.subarray(whole.length >> 1)]),
  ),
  ...bytes('a letter in ISO 8859-1', (whole) =>
    Buffer.from(whole.toString('utf8').replace(/[ié]/, '\u00e9'), 'latin1'),
  ),
  ...bytes('a letter in an overlong form', (whole) => replaced(whole, 'e', [0xc1, 0xa5])),
  ...bytes('a half of a surrogate pair in three bytes', (whole) => replaced(whole, 'e', [0xed, 0xa0, 0x80])),
  json('with apostrophes', (text) => text.replaceAll('"', "'")),
  json('with a comma after the last member', (text) => `${text.slice(0, -1)},}`),
  json('without a comma', (text) => text.replace(',', ' ')),
  json('without a colon', (text) => text.replace(':', ' ')),
  json('with = for :', (text) => text.replace(':', '=')),
  json('with a bare name', (text) => text.replace(/"(\w+)":/, '$1:')),
  json('with a comment', (text) => text.replace('{', '{/* */')),
  json('with a raw line feed in a text', (text) => text.replace(/:"(\w)/, ':"\n$1')),
  json('with a raw tab in a text', (text) => text.replace(/:"(\w)/, ':"\t$1')),
  json('with an escape that is none', (text) => text.replace(/:"(\w)/, ':"\\x41$1')),
  json('with a short escape', (text) => text.replace(/:"(\w)/, ':"\\u41$1')),
  json('with a text that is not closed', (text) => text.replace(/"([,}])/, '$1')),
  json('as XML', () => '<response><status>finished</status></response>'),
  json('as a form', () => 'status=finished&gates=1'),
  json('as nothing but null', () => 'null'),
  json('as a number', () => '1'),
  json('as an array of nothing', () => '[]'),
  json('as an object of nothing', () => '{}', ['close-day/response-member']),
  json('in two enclosing objects', (text) => `{"a":{"b":${text}}}`, [...unreadable, 'close-day/response-member']),
  json('in an array in an object', (text) => `{"a":[${text}]}`, [...unreadable, 'close-day/response-member']),
  json('with blanks between its parts', (text) => text.replace(/(?<=[{[,]|":)/g, ' \n\t\r'), []),
  json(
    'with the gates deep in arrays',
    (text) => text.replace(/("gates":)(.*])/s, `$1${'['.repeat(200)}$2${']'.repeat(200)}`),
    [],
  ),
  json(
    'with a deep further member',
    (text) => text.replace('{', `{"further":${'['.repeat(200)}${']'.repeat(200)},`),
    [],
  ),
];

function json(summary: string, change: (text: string) => string, breaks = unreadable): TableOperator<TabledAnswer> {
  return body(`JSON ${summary}`, breaks, (answer) => {
    if (!isJson(answer) || (breaks !== unreadable && answer.kind !== 'finished')) return false;
    answer.spoil = (whole) => Buffer.from(change(whole.toString('utf8')));
    return true;
  });
}

function replaced(whole: Buffer, letter: string, by: readonly number[]): Buffer {
  const at = whole.indexOf(letter);
  return Buffer.concat([whole.subarray(0, at), Buffer.from(by), whole.subarray(at + 1)]);
}
