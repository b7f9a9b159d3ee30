/** Operators on the parameters of an answer to a batch: each left out, named otherwise, doubled, emptied, and without its line feed (section 2.4). */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { earlierSerial, type Parameter, type TabledAnswer } from './answers.ts';
import { inGroup, listed, misnamed, type Rows, type TableOperator } from './operator.ts';

const make = inGroup<TabledAnswer>('answer parameters');
const form = 'recurring/parameters-line-feed';

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
  ...texts(
    'type',
    [
      ...listed(`Error¦ERROR¦errors¦validation_error¦validation-errors¦async-response`),
      ...listed(`process-recurring-payments-response¦%D0%B5rror`),
    ],
    ['recurring/type-value'],
  ),
  ...texts('type', ['error+', '+error', 'error%0A', 'error%00', '%22error%22'], ['recurring/type-value']),
  ...texts('type', ['err%6Fr', '%65%72%72%6F%72'], undefined),
  ...texts(
    'error-code',
    ['404', '0403', '403.0', '+403', '4O3', '40', '4030', '-403', '%D9%A4%D9%A0%D9%A3', 'error'],
    ['recurring/error-code-value'],
  ),
  ...texts('error-code', ['200', '%34%30%33'], []),
  ...texts('error-message', ['x', 'a%26b%3Dc', '%D0%9D%D0%B5%D1%82', '%F0%9F%98%80'], []),
  ...texts(
    'error-message',
    listed(`a b¦%¦%4¦%zz¦%C3¦%C3%28¦%ED%A0%80¦%C0%80¦%F5%80%80%80¦é¦"x"¦<b>¦a\nb¦a\tb¦\0¦#¦{x}¦a|b¦a^b¦\``),
    [form],
  ),
  make('an error 500 whose message has the id', [], (answer) => {
    return drop(answer, 'error-id') && set(answer, 'error-message', 'internal+error+17');
  }),
  make('an error 500 with its code in error-message in place of an id', ['recurring/error-id-with-500'], (answer) => {
    return drop(answer, 'error-id') && set(answer, 'error-message', 'internal+error+500');
  }),
  make('an error 500 with status in place of an id', ['recurring/error-id-with-500'], (answer) => {
    return rename(answer, 'error-id', 'status');
  }),
  make('a serial-number that another answer had', ['recurring/serial-number-unique'], (answer) => {
    return set(answer, 'serial-number', earlierSerial);
  }),
  ...['', ...blanks].map((blank) =>
    make(`an error 500 whose id is ${blank || 'empty'}`, ['recurring/error-id-with-500'], (answer) =>
      set(answer, 'error-id', blank),
    ),
  ),
  make('an error 500 whose id has a blank for a name', ['recurring/error-id-with-500'], (answer) =>
    rename(answer, 'error-id', '+'),
  ),
  make('an error 500 whose id has another name', [], (answer) => rename(answer, 'error-id', 'ticket')),
  ...[';', '&amp;', '\n', '&&', ',', '|', '%26', ''].map((separator) =>
    whole(`separated by ${JSON.stringify(separator)}`, (recurring) => {
      recurring.separator = separator;
    }),
  ),
  ...['?', '&', ' ', '=', '#', '{'].map((text) =>
    whole(`${JSON.stringify(text)} before the first name`, (recurring) => {
      recurring.before = text;
    }),
  ),
  whole('in the reverse order', (recurring) => {
    recurring.parameters.reverse();
  }),
  whole('with CRLF after each value', (recurring) => {
    for (const one of recurring.parameters) one.end = '\r\n';
  }),
  whole('without any line feed', (recurring) => {
    for (const one of recurring.parameters) one.end = '';
  }),
  whole('with a line feed at the very end alone', (recurring) => {
    for (const one of recurring.parameters.slice(0, -1)) one.end = '';
  }),
];

function operatorsOn(name: string): TableOperator<TabledAnswer>[] {
  const row = present[name];
  const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  const gone: Rows = [row ?? 'recurring/error-id-with-500'];
  const once: Rows = row === undefined ? [] : [row];
  // Any further parameter can be the error ID.
  const renamed = row === undefined ? [] : gone;
  return [
    make(`${name} is left out`, gone, (answer) => drop(answer, name)),
    make(`${name} is empty`, gone, (answer) => set(answer, name, '')),
    ...(row === undefined ? [] : blanks).map((blank) =>
      make(`${name} is the blank ${blank}`, gone, (answer) => set(answer, name, blank)),
    ),
    make(`${name} has no equals sign`, [...gone, form], (answer) =>
      change(answer, name, (one) => {
        one.value = '';
        one.equals = '';
      }),
    ),
    ...misnamed
      .filter(([how, to]) => to(name) !== name && !/byte-order|blank|zero-width|Cyrillic/.test(how))
      .map(([how, to]) => make(`${name} is written ${how}`, renamed, (answer) => rename(answer, name, to(name)))),
    ...misnamed
      .filter(([how]) => /byte-order|blank|zero-width/.test(how))
      .map(([how, to]) =>
        make(`${name} is written ${how}, escaped`, renamed, (answer) =>
          rename(answer, name, encodeURIComponent(to(name))),
        ),
      ),
    ...(name.includes('-') ? ['_', '', '.', '+'] : []).map((dash) =>
      make(`${name} is written with ${JSON.stringify(dash)} for its dash`, renamed, (answer) =>
        rename(answer, name, name.replace('-', dash)),
      ),
    ),
    make(`${name} is written with an escape`, [], (answer) => rename(answer, name, escaped)),
    make(`${name} comes twice`, once, (answer) => double(answer, name)),
    make(`${name} comes twice, once in an escape`, once, (answer) => double(answer, name, 'x', escaped)),
    make(`${name} comes twice, the second one empty`, once, (answer) => double(answer, name, '')),
    make(`${name} comes twice, the second one another`, once, (answer) => double(answer, name, 'x')),
    ...ends.right.map((end) =>
      make(`${name} ends with ${JSON.stringify(end)}`, [], (answer) =>
        change(answer, name, (one) => {
          one.end = end;
        }),
      ),
    ),
    ...ends.wrong.map((end) =>
      make(`${name} ends with ${JSON.stringify(end)}`, undefined, (answer) =>
        change(answer, name, (one) => {
          one.end = end;
        }),
      ),
    ),
    make(`${name} has its line feed before the value`, undefined, (answer) =>
      change(answer, name, (one) => {
        one.value = `\n${one.value}`;
        one.end = '';
      }),
    ),
    make(`${name} has its line feed before the name`, undefined, (answer) =>
      change(answer, name, (one) => {
        one.name = `\n${one.name}`;
        one.end = '';
      }),
    ),
    make(`${name} has two equals signs`, undefined, (answer) =>
      change(answer, name, (one) => {
        one.equals = '==';
      }),
    ),
  ];
}

function texts(name: string, values: readonly string[], breaks: Rows | undefined): TableOperator<TabledAnswer>[] {
  return values.map((value) =>
    make(
      `${name} is ${JSON.stringify(value)}`,
      breaks,
      (answer) =>
        named(answer, name)?.value !== value && answer.kind === 'validation error' && set(answer, name, value),
    ),
  );
}

function whole(
  summary: string,
  alter: (recurring: NonNullable<TabledAnswer['recurring']>) => void,
): TableOperator<TabledAnswer> {
  return make(`the body ${summary}`, undefined, ({ recurring }) => {
    if (recurring === undefined) return false;
    alter(recurring);
    return true;
  });
}

function named({ recurring }: TabledAnswer, name: string): Parameter | undefined {
  return recurring?.parameters.find((one) => one.name === name);
}

function change(answer: TabledAnswer, name: string, alter: (one: Parameter) => void): boolean {
  const one = named(answer, name);
  if (one === undefined) return false;
  const before = JSON.stringify(one);
  alter(one);
  return JSON.stringify(one) !== before;
}

function set(answer: TabledAnswer, name: string, value: string): boolean {
  return change(answer, name, (one) => {
    one.value = value;
  });
}

function rename(answer: TabledAnswer, name: string, to: string): boolean {
  return change(answer, name, (one) => {
    one.name = to;
  });
}

function drop(answer: TabledAnswer, name: string): boolean {
  const one = named(answer, name);
  answer.recurring?.parameters.splice(answer.recurring.parameters.indexOf(one!), one === undefined ? 0 : 1);
  return one !== undefined;
}

function double(answer: TabledAnswer, name: string, value?: string, as = name): boolean {
  const one = named(answer, name);
  answer.recurring?.parameters.push(...(one === undefined ? [] : [{ ...one, name: as, value: value ?? one.value }]));
  return one !== undefined;
}

/** What the schemas cannot say of the answer to a batch: a body that is not the one of 2.4, or that is gone (sections 4.2 and 7). */
export function rowsBesideSchemas({ label, exchange }: Case): Rows {
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
