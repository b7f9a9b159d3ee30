/** Operators on the parameters of an answer to a batch: each left out, named otherwise, doubled, emptied, and without its line feed (section 2.4). */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { earlierSerial, type Parameter, type Parameters, type TabledAnswer } from './answers.ts';
import { inGroup, listed, misnamed, type Rows, type TableOperator } from './operator.ts';

const make = inGroup<TabledAnswer>('answer parameters');
const form = 'recurring/parameters-line-feed';
const noId: Rows = ['recurring/error-id-with-500'];

/** The row on the presence of each parameter; error-id is our name for what has none. */
const present: Readonly<Record<string, RequirementId>> = {
  type: 'recurring/type-present',
  status: 'recurring/status-present',
  'serial-number': 'recurring/serial-number-present',
  'error-message': 'recurring/error-message-present',
  'error-code': 'recurring/error-code-present',
};
const names = [...Object.keys(present), 'error-id'];

/** Values of which no more can be read than of an empty one. */
const blanks = ['+', '%09', '%0A', '%C2%A0'];

/** Line feeds by what they are: one at the end, raw or escaped (A18). */
const ends = {
  right: ['%0A', '%0a'],
  wrong: ['', '\r', '%0D', ' ', '%250A', '\\n', '\u0085', '%C2%85', '%E2%80%A8', '\n\r'],
};

export const parameterOperators: readonly TableOperator<TabledAnswer>[] = [
  ...names.flatMap(operatorsOn),
  ...[
    ...listed(`Error¦ERROR¦errors¦validation_error¦validation-errors¦async-response`),
    ...listed(`process-recurring-payments-response¦%D0%B5rror¦error+¦+error¦error%0A¦error%00¦%22error%22`),
  ].map((value) => text('type', value, ['recurring/type-value'])),
  ...['err%6Fr', '%65%72%72%6F%72'].map((value) => text('type', value, undefined)),
  ...listed(`404¦0403¦403.0¦+403¦4O3¦40¦4030¦-403¦%D9%A4%D9%A0%D9%A3¦error`).map((value) =>
    text('error-code', value, ['recurring/error-code-value']),
  ),
  ...['200', '%34%30%33'].map((value) => text('error-code', value, [])),
  ...['x', 'a%26b%3Dc', '%D0%9D%D0%B5%D1%82', '%F0%9F%98%80'].map((value) => text('error-message', value, [])),
  ...listed(`a b¦%¦%4¦%zz¦%C3¦%C3%28¦%ED%A0%80¦%C0%80¦%F5%80%80%80¦é¦"x"¦<b>¦a\nb¦a\tb¦\0¦#¦{x}¦a|b¦a^b¦\``).map(
    (value) => text('error-message', value, [form]),
  ),
  make(
    'an error 500 whose message has the id',
    [],
    (answer) => drop(answer, 'error-id') && edit(answer, 'error-message', { value: 'internal+error+17' }),
  ),
  on('error-id', 'an error 500 with status in place of an id', noId, { name: 'status' }),
  on('serial-number', 'a serial-number that another answer had', ['recurring/serial-number-unique'], {
    value: earlierSerial,
  }),
  ...['', ...blanks].map((value) => on('error-id', `an error 500 whose id is ${value || 'empty'}`, noId, { value })),
  on('error-id', 'an error 500 whose id has a blank for a name', noId, { name: '+' }),
  on('error-id', 'an error 500 whose id has another name', [], { name: 'ticket' }),
  ...[';', '&amp;', '\n', '&&', ',', '|', '%26', ''].map((separator) =>
    whole(`separated by ${JSON.stringify(separator)}`, (body) => Object.assign(body, { separator })),
  ),
  ...['?', '&', ' ', '=', '#', '{'].map((before) =>
    whole(`${JSON.stringify(before)} before the first name`, (body) => Object.assign(body, { before })),
  ),
  whole('in the reverse order', ({ parameters }) => parameters.reverse()),
  whole('with CRLF after each value', ({ parameters }) => endWith(parameters, '\r\n')),
  whole('with a line feed at the very end alone', ({ parameters }) => endWith(parameters.slice(0, -1), '')),
];

function operatorsOn(name: string): TableOperator<TabledAnswer>[] {
  const row = present[name];
  const gone: Rows = [row ?? 'recurring/error-id-with-500'];
  // Any further parameter can be the error ID.
  const [once, renamed]: readonly Rows[] = row === undefined ? [[], []] : [[row], gone];
  const own = (what: string, breaks: Rows | undefined, to: Edit) => on(name, `${name} ${what}`, breaks, to);
  const twice = (what: string, added: Partial<Parameter>) =>
    make(`${name} comes twice${what}`, once!, (answer) => {
      const one = named(answer, name);
      return one !== undefined && answer.recurring!.parameters.push({ ...one, ...added });
    });
  const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return [
    make(`${name} is left out`, gone, (answer) => drop(answer, name)),
    own('is empty', gone, { value: '' }),
    ...(row === undefined ? [] : blanks).map((value) => own(`is the blank ${value}`, gone, { value })),
    own('has no equals sign', [...gone, form], { value: '', equals: '' }),
    ...misnamed
      .filter(([how, to]) => to(name) !== name && !/byte-order|blank|zero-width|Cyrillic/.test(how))
      .map(([how, to]) => own(`is written ${how}`, renamed, { name: to(name) })),
    ...misnamed
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

function whole(what: string, change: (body: Parameters) => unknown): TableOperator<TabledAnswer> {
  return make(`the body ${what}`, undefined, ({ recurring }) => recurring !== undefined && change(recurring));
}

function endWith(parameters: readonly Parameter[], end: string): void {
  for (const one of parameters) one.end = end;
}

function named({ recurring }: TabledAnswer, name: string): Parameter | undefined {
  return recurring?.parameters.find((one) => one.name === name);
}

/** False where it is not there, or is so already. */
function edit(answer: TabledAnswer, name: string, to: Edit): boolean {
  const one = named(answer, name);
  if (one === undefined) return false;
  const before = JSON.stringify(one);
  Object.assign(one, typeof to === 'function' ? to(one) : to);
  return JSON.stringify(one) !== before;
}

function drop(answer: TabledAnswer, name: string): boolean {
  const one = named(answer, name);
  const parameters = answer.recurring?.parameters ?? [];
  return one !== undefined && parameters.splice(parameters.indexOf(one), 1).length > 0;
}

/** What the schemas cannot say of the answer to a batch: a body that is not the one of 2.4, or that is gone (sections 4.2 and 7). */
export function rowsBesideSchemas({ label, exchanges: [exchange] }: Case): Rows {
  const { status, body } = exchange.response!;
  if (label.operation === 'close-day' || (status !== 200 && status !== 403)) return [];
  const text = Buffer.from(body).toString('latin1');
  if (/(?:^|&)(?:type|status|serial-number|error-message|error-code)(?:=|&|$)/.test(text)) return [];
  if (text !== '') return [status === 200 ? 'recurring/success-body-empty' : 'recurring/failure-body-empty'];
  if (status === 403) return [];
  // The length of the empty answer is not given, and a batch that had to be refused is taken.
  return [
    'recurring/success-content-length-zero',
    ...(label.intent === 'fault' ? ['recurring/missing-payload-refused' as const] : []),
  ];
}
