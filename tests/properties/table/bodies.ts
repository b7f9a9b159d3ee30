/** Operators on bodies of answers: on their bytes, and on the parameters of 2.4. */
import { gzipSync } from 'node:zlib';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { earlierSerial, type Parameter, type ParameterBody, type TabledAnswer } from './answers.ts';
import { inGroup, type Rows, split, type TableOperator, wrongNames } from './operator.ts';

const body = inGroup<TabledAnswer>('answer bytes');

const isJson = ({ root, kind }: TabledAnswer) =>
  root !== undefined && /^(?:finished|error|.* enclosing object)$/.test(kind);
const unreadable: Rows = ['close-day/body-decodable'];

/** Changes the bytes of close-day bodies, which then are no JSON, and of parameters, where the schemas say what breaks. */
function bytes(
  summary: string,
  spoil: (whole: Buffer) => Uint8Array,
  closeDay: Rows = unreadable,
): TableOperator<TabledAnswer>[] {
  const apply = (fits: (answer: TabledAnswer) => boolean) => (answer: TabledAnswer) => {
    if (!fits(answer)) return false;
    const previous = answer.spoil;
    answer.spoil = (whole) => spoil(Buffer.from(previous(whole)));
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

const prefixes = [
  ...split(`\ufeff¦\0¦\u00a0¦\v¦)]}',\n¦callback(¦//¦<!-- -->¦<html>¦HTTP/1.1 200 OK\r\n\r\n¦1a\r\n¦,¦{}`),
  ...split(`null`),
];
const suffixes = split(`\ufeff¦\0¦\u00a0¦\v¦;¦,¦}¦]¦)¦{}¦null¦<!-- -->¦</html>¦\r\n0\r\n\r\n¦%`);

export const byteOperators: readonly TableOperator<TabledAnswer>[] = [
  ...Array.from({ length: 16 }, (_, part) =>
    bytes(`cut after ${part} sixteenths`, (whole) => whole.subarray(0, Math.floor((whole.length * part) / 16))),
  ).flat(),
  ...bytes('without its first byte', (whole) => whole.subarray(1)),
  ...bytes('without its last byte', (whole) => whole.subarray(0, -1)),
  ...prefixes.flatMap((odd) =>
    bytes(`${JSON.stringify(odd)} before it`, (whole) => Buffer.concat([Buffer.from(odd), whole])),
  ),
  ...suffixes.flatMap((odd) =>
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
  ...bytes('a letter in an overlong form', (whole) => replace(whole, 'e', [0xc1, 0xa5])),
  ...bytes('a half of a surrogate pair in three bytes', (whole) => replace(whole, 'e', [0xed, 0xa0, 0x80])),
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
  json('with deep gates', (text) => text.replace(/("gates":)(.*])/s, `$1${'['.repeat(200)}$2${']'.repeat(200)}`), []),
  json('with a deep member', (text) => text.replace('{', `{"further":${'['.repeat(200)}${']'.repeat(200)},`), []),
];

function json(summary: string, change: (text: string) => string, breaks = unreadable): TableOperator<TabledAnswer> {
  return body(`JSON ${summary}`, breaks, (answer) => {
    if (!isJson(answer) || (breaks !== unreadable && answer.kind !== 'finished')) return false;
    answer.spoil = (whole) => Buffer.from(change(whole.toString('utf8')));
    return true;
  });
}

function replace(whole: Buffer, letter: string, by: readonly number[]): Buffer {
  const at = whole.indexOf(letter);
  return Buffer.concat([whole.subarray(0, at), Buffer.from(by), whole.subarray(at + 1)]);
}

const make = inGroup<TabledAnswer>('answer parameters');
const form = 'recurring/parameters-line-feed';
const noId: Rows = ['recurring/error-id-with-500'];

/** The requirement on the presence of each parameter. The name error-id is not documented. */
const present: Readonly<Record<string, RequirementId>> = {
  type: 'recurring/type-present',
  status: 'recurring/status-present',
  'serial-number': 'recurring/serial-number-present',
  'error-message': 'recurring/error-message-present',
  'error-code': 'recurring/error-code-present',
};
const names = [...Object.keys(present), 'error-id'];

/** Values that count as empty. */
const blanks = ['+', '%09', '%0A', '%C2%A0'];

/** A value ends with one line feed, raw or escaped (A18). */
const ends = {
  right: ['%0A', '%0a'],
  wrong: ['', '\r', '%0D', ' ', '%250A', '\\n', '\u0085', '%C2%85', '%E2%80%A8', '\n\r'],
};

export const parameterOperators: readonly TableOperator<TabledAnswer>[] = [
  ...names.flatMap(operatorsOn),
  ...[
    ...split(`Error¦ERROR¦errors¦validation_error¦validation-errors¦async-response`),
    ...split(`process-recurring-payments-response¦%D0%B5rror¦error+¦+error¦error%0A¦error%00¦%22error%22`),
  ].map((value) => text('type', value, ['recurring/type-value'])),
  ...['err%6Fr', '%65%72%72%6F%72'].map((value) => text('type', value, undefined)),
  ...split(`404¦0403¦403.0¦+403¦4O3¦40¦4030¦-403¦%D9%A4%D9%A0%D9%A3¦error`).map((value) =>
    text('error-code', value, ['recurring/error-code-value']),
  ),
  ...['200', '%34%30%33'].map((value) => text('error-code', value, [])),
  ...['x', 'a%26b%3Dc', '%D0%9D%D0%B5%D1%82', '%F0%9F%98%80'].map((value) => text('error-message', value, [])),
  ...split(`a b¦%¦%4¦%zz¦%C3¦%C3%28¦%ED%A0%80¦%C0%80¦%F5%80%80%80¦é¦"x"¦<b>¦a\nb¦a\tb¦\0¦#¦{x}¦a|b¦a^b¦\``).map(
    (value) => text('error-message', value, [form]),
  ),
  make(
    'an error 500 whose message has the id',
    [],
    (answer) => drop(answer, 'error-id') && edit(answer, 'error-message', { value: 'internal+error+17' }),
  ),
  on('error-id', 'an error 500 with status in place of an id', noId, { name: 'status' }),
  on('serial-number', 'an earlier serial-number', ['recurring/serial-number-unique'], { value: earlierSerial }),
  ...['', ...blanks].map((value) => on('error-id', `an error 500 whose id is ${value || 'empty'}`, noId, { value })),
  on('error-id', 'an error 500 whose id has a blank for a name', noId, { name: '+' }),
  on('error-id', 'an error 500 whose id has another name', [], { name: 'ticket' }),
  ...[';', '&amp;', '\n', '&&', ',', '|', '%26', ''].map((separator) =>
    onBody(`separated by ${JSON.stringify(separator)}`, (body) => Object.assign(body, { separator })),
  ),
  ...['?', '&', ' ', '=', '#', '{'].map((before) =>
    onBody(`${JSON.stringify(before)} before the first name`, (body) => Object.assign(body, { before })),
  ),
  onBody('in the reverse order', ({ parameters }) => parameters.reverse()),
  onBody('with CRLF after each value', ({ parameters }) => endWith(parameters, '\r\n')),
  onBody('with a line feed at the very end alone', ({ parameters }) => endWith(parameters.slice(0, -1), '')),
];

function operatorsOn(name: string): TableOperator<TabledAnswer>[] {
  const row = present[name];
  const absent: Rows = [row ?? 'recurring/error-id-with-500'];
  // Any undocumented parameter can be the error ID.
  const [once, renamed]: readonly Rows[] = row === undefined ? [[], []] : [[row], absent];
  const own = (what: string, breaks: Rows | undefined, to: Edit) => on(name, `${name} ${what}`, breaks, to);
  const twice = (what: string, added: Partial<Parameter>) =>
    make(`${name} comes twice${what}`, once!, (answer) => {
      const one = parameterOf(answer, name);
      return one !== undefined && answer.recurring!.parameters.push({ ...one, ...added });
    });
  const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return [
    make(`${name} is left out`, absent, (answer) => drop(answer, name)),
    own('is empty', absent, { value: '' }),
    ...(row === undefined ? [] : blanks).map((value) => own(`is the blank ${value}`, absent, { value })),
    own('has no equals sign', [...absent, form], { value: '', equals: '' }),
    ...wrongNames
      .filter(([how, to]) => to(name) !== name && !/byte-order|blank|zero-width|Cyrillic/.test(how))
      .map(([how, to]) => own(`is written ${how}`, renamed, { name: to(name) })),
    ...wrongNames
      .filter(([how]) => /byte-order|blank|zero-width/.test(how))
      .map(([how, to]) => own(`is written ${how}, escaped`, renamed, { name: encodeURIComponent(to(name)) })),
    ...(name.includes('-') ? ['_', '', '.', '+'] : []).map((dash) =>
      own(`is written with ${JSON.stringify(dash)} for its dash`, renamed, { name: name.replace('-', dash) }),
    ),
    own('is written with an escape', [], { name: escaped }),
    twice('', {}),
    twice(', once in an escape', { name: escaped, value: 'x' }),
    twice(', the second one empty', { value: '' }),
    twice(', the second one another', { value: 'x' }),
    ...ends.right.map((end) => own(`ends with ${JSON.stringify(end)}`, [], { end })),
    ...ends.wrong.map((end) => own(`ends with ${JSON.stringify(end)}`, undefined, { end })),
    own('has its line feed before the value', undefined, ({ value }) => ({ value: `\n${value}`, end: '' })),
    own('has its line feed before the name', undefined, { name: `\n${name}`, end: '' }),
    own('has two equals signs', undefined, { equals: '==' }),
  ];
}

type Edit = Partial<Parameter> | ((one: Parameter) => Partial<Parameter>);

function on(name: string, what: string, breaks: Rows | undefined, to: Edit): TableOperator<TabledAnswer> {
  return make(what, breaks, (answer) => edit(answer, name, to));
}

function text(name: string, value: string, breaks: Rows | undefined): TableOperator<TabledAnswer> {
  return make(
    `${name} is ${JSON.stringify(value)}`,
    breaks,
    (answer) => answer.kind === 'validation error' && edit(answer, name, { value }),
  );
}

function onBody(what: string, change: (body: ParameterBody) => unknown): TableOperator<TabledAnswer> {
  return make(`the body ${what}`, undefined, ({ recurring }) => recurring !== undefined && change(recurring));
}

function endWith(parameters: readonly Parameter[], end: string): void {
  for (const one of parameters) one.end = end;
}

function parameterOf({ recurring }: TabledAnswer, name: string): Parameter | undefined {
  return recurring?.parameters.find((one) => one.name === name);
}

/** False if the parameter is absent, or the edit changes nothing. */
function edit(answer: TabledAnswer, name: string, to: Edit): boolean {
  const one = parameterOf(answer, name);
  if (one === undefined) return false;
  const before = JSON.stringify(one);
  Object.assign(one, typeof to === 'function' ? to(one) : to);
  return JSON.stringify(one) !== before;
}

function drop(answer: TabledAnswer, name: string): boolean {
  const one = parameterOf(answer, name);
  const parameters = answer.recurring?.parameters ?? [];
  return one !== undefined && parameters.splice(parameters.indexOf(one), 1).length > 0;
}

/** Requirements that break if the body of a batch is not one of 2.4, or is empty (sections 4.2 and 7). No schema knows them. */
export function rowsWithoutSchema({ label, exchanges: [exchange] }: Case): Rows {
  const { status, body } = exchange.response!;
  if (label.operation === 'close-day' || (status !== 200 && status !== 403)) return [];
  const text = Buffer.from(body).toString('latin1');
  if (/(?:^|&)(?:type|status|serial-number|error-message|error-code)(?:=|&|$)/.test(text)) return [];
  if (text !== '') return [status === 200 ? 'recurring/success-body-empty' : 'recurring/failure-body-empty'];
  if (status === 403) return [];
  // The empty body lacks its Content-Length, and accepts a batch that the gateway had to refuse.
  return [
    'recurring/success-content-length-zero',
    ...(label.intent === 'fault' ? ['recurring/missing-payload-refused' as const] : []),
  ];
}
