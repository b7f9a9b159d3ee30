/** Mutations of close-day answers: members, values, arrays, wrapping and bytes (section 2.2). */
import type { Dice } from '../../dice.ts';
import { type Operator, spoiltText } from './operator.ts';

/** JSON as it is written: names may repeat, and numbers have a text. */
export type JsonNode =
  | { members: [name: string, value: JsonNode][] }
  | { items: JsonNode[] }
  | { text: string }
  | { raw: string };

export interface CloseDayAnswer {
  status: number;
  root: JsonNode;
  /** What is done to the bytes at last. */
  bytes: (text: string) => Uint8Array;
}

const serial = '00000000-0000-0000-0000-000002d9b22a';

export function rightCloseDayAnswer(dice: Dice): CloseDayAnswer {
  const response = dice.below(3) === 0 ? failed(dice) : finished(dice);
  return {
    status: dice.of([200, 200, 200, 200, 401, 403, 500]),
    root: { members: [...object({ response, theRequestSerialNumber: { text: serial } }).members] },
    bytes: (text) => Buffer.from(text),
  };
}

export function object(members: Record<string, JsonNode>): { members: [string, JsonNode][] } {
  return { members: Object.entries(members) };
}

function finished(dice: Dice): JsonNode {
  return object({
    status: { text: 'finished' },
    gates: { items: Array.from({ length: 1 + dice.below(3) }, (_, at) => gate(at)) },
  });
}

function failed(dice: Dice): JsonNode {
  const code = dice.of<JsonNode>([{ text: '99' }, { raw: '99' }, { text: '1' }]);
  return object({ status: { text: 'error' }, errorCode: code, errorMessage: { text: 'gate is closing already' } });
}

function gate(at: number): JsonNode {
  return object({
    gateId: { raw: String(9_007_199_254_740_993n + BigInt(at)) },
    isDayClosing: { raw: 'false' },
    gateCloseDate: { text: 'Wed Jan 31 23:59:59 UTC 2024' },
    epntId: { raw: '1111' },
    saleApprovedCount: { text: '2' },
    saleAmount: { text: '10.42' },
    reversalApprovedCount: { text: '1' },
    reversalAmount: { text: '0.94' },
    code39: { text: '00' },
    RRN: { text: '000000000042' },
  });
}

type Member = { readonly of: [string, JsonNode][]; readonly at: number };

/** Every member of every object, so that each is as likely as any other. */
function membersOf(node: JsonNode): Member[] {
  if ('items' in node) return node.items.flatMap(membersOf);
  if (!('members' in node)) return [];
  return node.members.flatMap(([, value], at) => [{ of: node.members, at }, ...membersOf(value)]);
}

function arraysOf(node: JsonNode): { items: JsonNode[] }[] {
  if ('items' in node) return [node, ...node.items.flatMap(arraysOf)];
  return 'members' in node ? node.members.flatMap(([, value]) => arraysOf(value)) : [];
}

const oddValues: readonly (() => JsonNode)[] = [
  ...['null', 'true', '0', '-0', '1', '-7', '1.0', '1.5', '1e3', '1E+3', '1e-3', '10e400', '99', '99.0', '0.990e2'],
  ...['9223372036854775808', '01', '+1', '.5', '5.', 'NaN', 'undefined', 'True', "'x'", '1 2', '--1', '1e', ''],
]
  .map((raw) => (): JsonNode => ({ raw }))
  .concat([
    () => ({ items: [] }),
    () => ({ items: [{ raw: 'null' }] }),
    () => ({ members: [] }),
    () => ({ members: [['gateId', { raw: '1' }]] }),
  ]);

/** By name; a map, since a mutated name may be one that every object has. */
const telling = new Map<string, readonly string[]>(
  Object.entries({
    status: ['finished', 'error', 'Finished', 'finished ', 'processing', ''],
    errorCode: ['99', '99.0', ' 99', '0', '', 'E99'],
    errorMessage: ['gate is closing already', 'Gate is closing already', 'gate is closing already.', ' ', ''],
    theRequestSerialNumber: [
      serial.toUpperCase(),
      serial.replaceAll('-', ''),
      `{${serial}}`,
      `${serial}\n`,
      serial.slice(1),
    ],
    saleAmount: [
      '0.10',
      '-0.10',
      '--0.10',
      '.10',
      '10',
      '10.4',
      '10.420',
      '10,42',
      '1e2',
      '1 000.00',
      '+1.00',
      '\u0661.\u0660\u0660',
    ],
    reversalAmount: ['-0.00', '00.00', '0.0', '0.00 ', '1.00\n', 'NaN', '1.0\u0660', '9'.repeat(40).concat('.99')],
    gateCloseDate: dates(),
  }),
);

function dates(): string[] {
  const days = ['0', '00', '1', '01', '9', '10', '28', '29', '30', '31', '32', '001', '\u0661', ' 1'];
  const months = [
    'Jan',
    'Feb',
    'Mar',
    'Apr',
    'May',
    'Jun',
    'Jul',
    'Aug',
    'Sep',
    'Oct',
    'Nov',
    'Dec',
    'feb',
    '02',
    '\u044f\u043d\u0432',
    '\u6708',
  ];
  const years = ['2023', '2024', '1900', '2000', '2100', '0000', '0001', '0004', '0100', '0400', '9999', '24', '02024'];
  const times = [
    '00:00:00',
    '23:59:60',
    '24:00:00',
    '12:60:00',
    '12:00:61',
    '1:00:00',
    '12:00',
    '12:00:00.5',
    '\u0661\u0662:00:00',
  ];
  const zones = ['UTC', 'GMT+03:00', '+0300', '-03', 'Z', '(UTC)', '[UTC]', '\u041c\u0421\u041a', '3', '_', '/', ''];
  const names = ['Wed', '\u0421\u0440', 'W', 'W.', '1W', '12', '-', '\u0301', ''];
  return [
    ...months.flatMap((month) => days.map((day) => `Wed ${month} ${day} 12:00:00 UTC 2024`)),
    ...years.flatMap((year) => ['28', '29', '30'].map((day) => `Thu Feb ${day} 12:00:00 UTC ${year}`)),
    ...times.map((time) => `Wed Jan 31 ${time} UTC 2024`),
    ...zones.map((zone) => `Wed Jan 31 12:00:00 ${zone} 2024`),
    ...names.flatMap((name) => [`${name} Jan 31 12:00:00 UTC 2024`, `Wed ${name} 31 12:00:00 UTC 2024`]),
    ...[
      '2024-01-31',
      'Wed  Jan 31 12:00:00 UTC 2024',
      'Wed\tJan 31 12:00:00 UTC 2024',
      'Wed Jan 31 12:00:00 UTC 2024 AD',
    ],
  ];
}

function onMember(name: string, change: (member: Member, dice: Dice) => void): Operator<CloseDayAnswer> {
  return {
    name,
    apply: ({ root }, dice) => {
      const members = membersOf(root);
      if (members.length > 0) change(dice.of(members), dice);
    },
  };
}

function onArray(name: string, change: (items: JsonNode[], dice: Dice) => void): Operator<CloseDayAnswer> {
  return {
    name,
    apply: ({ root }, dice) => {
      const arrays = arraysOf(root);
      if (arrays.length > 0) change(dice.of(arrays).items, dice);
    },
  };
}

function onBytes(name: string, change: (text: string, dice: Dice) => string | Uint8Array): Operator<CloseDayAnswer> {
  return {
    name,
    apply: (answer, dice) => {
      answer.bytes = (text) => Buffer.from(change(text, dice) as string);
    },
  };
}

export const closeDayAnswerOperators: readonly Operator<CloseDayAnswer>[] = [
  onMember('a member removed', ({ of, at }) => of.splice(at, 1)),
  onMember('a member renamed', ({ of, at }, dice) => {
    of[at]![0] = dice.of([spoiltText(of[at]![0], dice), '__proto__', 'toString', 'gateid', 'status', 'response']);
  }),
  onMember('a member doubled', ({ of, at }) => of.push([...of[at]!])),
  onMember('a member nulled', ({ of, at }) => {
    of[at]![1] = { raw: 'null' };
  }),
  onMember('a member emptied', ({ of, at }) => {
    of[at]![1] = { text: '' };
  }),
  onMember('a member retyped', ({ of, at }) => {
    const [, value] = of[at]!;
    if ('raw' in value) of[at]![1] = { text: value.raw };
    else if ('text' in value) of[at]![1] = { raw: value.text };
    else of[at]![1] = { text: printJson(value) };
  }),
  onMember('another value', ({ of, at }, dice) => {
    of[at]![1] = dice.of(oddValues)();
  }),
  ...['first', 'second', 'third'].map((which) =>
    onMember(`a spoilt text, ${which} helping`, ({ of, at }, dice) => {
      const [name, value] = of[at]!;
      if ('text' in value) of[at]![1] = { text: spoiltText(value.text, dice, telling.get(name)) };
    }),
  ),
  onMember('a member moved', ({ of, at }, dice) => of.splice(dice.below(of.length), 0, ...of.splice(at, 1))),
  onMember('a member into the object of another', ({ of, at }, dice) => {
    const [name, value] = of[at]!;
    of[at]![1] = { members: [[dice.of([name, 'value']), value]] };
  }),
  onArray('an odd element', (items, dice) => items.splice(dice.below(items.length + 1), 0, dice.of(oddValues)())),
  onArray('an element doubled', (items, dice) => items.push(...items.slice(dice.below(items.length + 1)))),
  onArray('an array emptied', (items) => items.splice(0)),
  onArray('an element in an array', (items) => items.splice(0, 1, { items: items.slice(0, 1) })),
  {
    name: 'wrapped',
    apply: (answer, dice) => {
      for (let deep = dice.of([1, 1, 1, 2, 3]); deep > 0; deep--) {
        const more: [string, JsonNode][] = dice.below(4) === 0 ? [['more', { raw: '1' }]] : [];
        answer.root = { members: [[dice.of(['body', 'response', 'x']), answer.root], ...more] };
      }
    },
  },
  {
    name: 'another root',
    apply: (answer, dice) => {
      answer.root = dice.of([{ items: [answer.root] }, ...oddValues.map((value) => value())]);
    },
  },
  {
    name: 'another status',
    apply: (answer, dice) => {
      answer.status = dice.of([200, 201, 204, 400, 401, 403, 404, 500, 503]);
    },
  },
  onBytes('cut short', (text, dice) => text.slice(0, dice.below(text.length + 1))),
  onBytes('something around it', (text, dice) => {
    const odd = dice.of([
      '\ufeff',
      ' ',
      '\n',
      '\t',
      '\v',
      '\u00a0',
      '\0',
      ';',
      ',',
      '}',
      ']',
      '{}',
      'x',
      '<html>',
      '//',
    ]);
    return dice.of([odd + text, text + odd]);
  }),
  onBytes('a character spoilt', (text, dice) => spoiltText(text, dice)),
  onBytes('a byte that is no UTF-8', (text, dice) => {
    const bytes = Buffer.from(text);
    bytes[dice.below(bytes.length || 1)] = dice.of([0xff, 0xc3, 0x80]);
    return bytes;
  }),
  onBytes('escapes', (text, dice) =>
    text.replace(/[a-z]/g, (letter) =>
      dice.below(20) === 0 ? `\\u00${letter.charCodeAt(0).toString(16)}` : dice.below(400) === 0 ? '\\u12' : letter,
    ),
  ),
  onBytes('white space', (text) => text.replace(/[:,{}[\]]/g, (mark) => ` ${mark}\n\t`)),
];

/** The JSON text. */
export function printJson(node: JsonNode): string {
  if ('raw' in node) return node.raw;
  if ('text' in node) return JSON.stringify(node.text);
  if ('items' in node) return `[${node.items.map(printJson).join(',')}]`;
  return `{${node.members.map(([name, value]) => `${JSON.stringify(name)}:${printJson(value)}`).join(',')}}`;
}

export function closeDayAnswerBytes({ root, bytes }: CloseDayAnswer): Uint8Array {
  return bytes(printJson(root));
}
