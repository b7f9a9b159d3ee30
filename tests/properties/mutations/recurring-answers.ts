/** Mutations of the answer to a batch: parameters, their encoding and their line feeds (section 2.4). */
import type { Dice } from '../../dice.ts';
import { type Operator, spoiltText } from './operator.ts';

export interface Parameter {
  name: string;
  /** As it is on the wire, without the line feed. */
  value: string;
  end: string;
  equals: string;
}

export interface RecurringAnswer {
  status: number;
  parameters: Parameter[];
  separator: string;
  before: string;
  after: string;
}

export function rightRecurringAnswer(dice: Dice): RecurringAnswer {
  const type = dice.of(['process-recurring-payment-response', 'validation-error', 'error']);
  const own: [string, string][] =
    type === 'process-recurring-payment-response'
      ? [
          ['status', 'processing'],
          ['serial-number', '42'],
        ]
      : [
          ['error-message', dice.of(['No+such+profile', 'internal+error+17'])],
          ['error-code', dice.of(['200', '403', '500', '500'])],
          ...(dice.below(3) === 0 ? [['error-id', 'a1'] as [string, string]] : []),
        ];
  const pairs: [string, string][] = [['type', type], ...own];
  return {
    status: dice.of([200, 200, 403, 500]),
    parameters: pairs.map(([name, value]) => ({ name, value, end: '\n', equals: '=' })),
    separator: '&',
    before: '',
    after: '',
  };
}

const lineFeeds = [
  '',
  '\n',
  '%0A',
  '%0a',
  '\n\n',
  '\n%0A',
  '%0A\n',
  '\r\n',
  '%0D%0A',
  '\r',
  ' \n',
  '\n ',
  '%250A',
  '\n=',
];
const codings = [
  ...['%zz', '%', '%4', '%41', '%C3%A9', '%c3%a9', '%C3', '%A9', '%C0%80', '%E0%9F%BF', '%ED%A0%80', '%EF%BB%BF'],
  ...['%F0%9D%90%80', '%F4%90%80%80', '%F5%80%80%80', '%00', '%26', '%3D', '%25', '%0A', '\n', ' ', '+', '=', '?'],
  ...['\u00e9', '"', '<', '\\', '^', '`', '{', '|', '#', '[', ';', "'", '*', '~', '\t', '\0', '\x7f'],
];
/** By name; a map, since a mutated name may be one that every object has. */
const telling = new Map<string, readonly string[]>(
  Object.entries({
    type: [
      'process-recurring-payment-response',
      'validation-error',
      'error',
      'Error',
      'error+',
      'async-response',
      'err%6Fr',
    ],
    'error-code': ['200', '403', '500', '404', '0500', '500.0', '5%300', '', '+500'],
    'error-message': ['', 'no', 'no+1', '%D9%A1', '17', '%0A'],
  }),
);

function onParameter(name: string, change: (one: Parameter, all: Parameter[], dice: Dice) => void) {
  return {
    name,
    apply: ({ parameters }, dice) => {
      if (parameters.length > 0) change(dice.of(parameters), parameters, dice);
    },
  } satisfies Operator<RecurringAnswer>;
}

export const recurringAnswerOperators: readonly Operator<RecurringAnswer>[] = [
  onParameter('a parameter removed', (one, all) => all.splice(all.indexOf(one), 1)),
  onParameter('a parameter doubled', (one, all, dice) =>
    all.splice(dice.below(all.length + 1), 0, { ...one, value: dice.of([one.value, '', 'x']) }),
  ),
  onParameter('a parameter emptied', (one) => {
    one.value = '';
  }),
  onParameter('a parameter renamed', (one, _, dice) => {
    const { name } = one;
    const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    one.name = dice.of([spoiltText(name, dice), name.toUpperCase(), escaped, `${name}+`, '', '__proto__', 'error-id']);
  }),
  onParameter('a value re-encoded', (one, _, dice) => {
    const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
    one.value = dice.of([
      one.value.replace(/[a-z0-9-]/g, escaped),
      encodeURIComponent(one.value),
      one.value.replaceAll('+', dice.of([' ', '%20', '%2B'])),
    ]);
  }),
  onParameter('a coding put in', (one, _, dice) => {
    const at = dice.below(one.value.length + 1);
    one.value = one.value.slice(0, at) + dice.of(codings) + one.value.slice(at);
  }),
  onParameter('a coding put into a name', (one, _, dice) => {
    const at = dice.below(one.name.length + 1);
    one.name = one.name.slice(0, at) + dice.of(codings) + one.name.slice(at);
  }),
  onParameter('another line feed', (one, _, dice) => {
    one.end = dice.of(lineFeeds);
  }),
  onParameter('no line feed', (one) => {
    one.end = '';
  }),
  onParameter('no equals sign', (one, _, dice) => {
    one.equals = dice.of(['', '==', '=%3D', ':', ' = ']);
  }),
  onParameter('another value', (one, _, dice) => {
    one.value = spoiltText(one.value, dice, telling.get(one.name));
  }),
  onParameter('a telling value', (one, _, dice) => {
    const values = telling.get(one.name);
    if (values !== undefined) one.value = dice.of(values);
  }),
  onParameter('a parameter moved', (one, all, dice) => {
    all.splice(all.indexOf(one), 1);
    all.splice(dice.below(all.length + 1), 0, one);
  }),
  {
    name: 'a further parameter',
    apply: ({ parameters }, dice) =>
      parameters.splice(dice.below(parameters.length + 1), 0, {
        name: dice.of(['error-id', 'x', '', 'type2', '%74ype', 'status', 'error-code', 'toString']),
        value: dice.of(['', 'a', '1', '+', '%0A']),
        end: dice.of(['\n', '%0A', '']),
        equals: dice.of(['=', '=', '=', '']),
      }),
  },
  {
    name: 'another separator',
    apply: (answer, dice) => {
      answer.separator = dice.of([';', '&&', '&amp;', '\n', '&\n', '&+', '%26', '']);
    },
  },
  {
    name: 'something before it',
    apply: (answer, dice) => {
      answer.before = dice.of(['\ufeff', '?', '&', ' ', '\n', '%EF%BB%BF', '#', '{', '=']);
    },
  },
  {
    name: 'something after it',
    apply: (answer, dice) => {
      answer.after = dice.of(['\n', '&', '\r\n', ' ', '&\n', '%0A', '\0', '&=', '<html>']);
    },
  },
  {
    name: 'another status',
    apply: (answer, dice) => {
      answer.status = dice.of([200, 201, 400, 401, 403, 404, 500]);
    },
  },
];

export function recurringAnswerBytes({ parameters, separator, before, after }: RecurringAnswer): Uint8Array {
  const written = parameters.map(({ name, value, end, equals }) => name + equals + value + end);
  return Buffer.from(before + written.join(separator) + after);
}
