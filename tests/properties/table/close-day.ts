/** Operators on the members and values of close-day answers (sections 2.2, 3, 4.1 and 7). */
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import {
  gatesOf,
  isClosing,
  isError99,
  type JsonNode,
  membersNamed,
  object,
  printJson,
  type TabledAnswer,
} from './answers.ts';
import { again, inGroup, type Rows, split, type TableOperator, wrongNames } from './operator.ts';

const make = inGroup<TabledAnswer>('close-day members');
const duplicate: Rows = ['close-day/body-decodable'];

const perGate: Rows = ['close-day/one-result-per-gate'];
/** What breaks if a closing gate is not reported at all, or by another error than 99. */
const closingError = (answer: TabledAnswer): Rows => (isClosing(answer) ? ['close-day/closing-gate-error'] : []);
const otherError = (answer: TabledAnswer): Rows => (isError99(answer) ? ['close-day/closing-gate-error'] : []);

type Member = [name: string, value: JsonNode];
type Breaks = TableOperator<TabledAnswer>['breaks'];

/** The requirement on the presence of a member, and the requirements that a value breaks. */
interface MemberRows {
  readonly name: string;
  readonly absent: RequirementId;
  readonly broken: (value: JsonNode, answer: TabledAnswer) => Rows;
}

const members: readonly MemberRows[] = [
  {
    name: 'response',
    absent: 'close-day/response-member',
    broken: (value) => ('members' in value ? ['close-day/status-present'] : ['close-day/response-member']),
  },
  {
    name: 'theRequestSerialNumber',
    absent: 'close-day/serial-present',
    broken: (value) => ['text' in value ? 'close-day/serial-shape' : 'close-day/serial-type'],
  },
  {
    name: 'status',
    absent: 'close-day/status-present',
    broken: (value, answer) =>
      'text' in value ? ['close-day/status-value', ...closingError(answer)] : ['close-day/status-present'],
  },
  {
    name: 'gates',
    absent: 'close-day/finished-has-gates',
    broken: (value) => ('items' in value ? perGate : ['close-day/finished-has-gates']),
  },
  {
    name: 'errorCode',
    absent: 'close-day/error-has-code',
    broken: (value, answer) => {
      const fits = ('text' in value && value.text.trim() !== '') || isLong(value);
      return fits ? otherError(answer) : ['close-day/error-has-code', ...otherError(answer)];
    },
  },
  {
    name: 'errorMessage',
    absent: 'close-day/error-has-message',
    broken: (value, { kind }) => {
      const documented: Rows = kind === 'error' || !('text' in value) ? [] : ['close-day/closing-gate-message'];
      return 'text' in value && value.text.trim() !== '' ? documented : ['close-day/error-has-message', ...documented];
    },
  },
  ...Object.entries(gateResultFields).map(([slug, { member, type }]): MemberRows => {
    const row = (what: string) => `close-day/gate-${slug}-${what}` as RequirementId;
    const form = { gateCloseDate: row('shape'), saleAmount: row('form'), reversalAmount: row('form') };
    return {
      name: member,
      absent: row('present'),
      broken: (value, answer) => {
        if (!{ string: 'text' in value, long: isLong(value), boolean: isTrue(value) }[type]) return [row('type')];
        if (isTrue(value)) return [...(lockRows[answer.kind] ?? [])];
        return member in form ? [form[member as keyof typeof form]] : [];
      },
    };
  }),
];

/** Kinds of answers whose gate is certainly free. */
const lockRows: Readonly<Record<string, Rows>> = {
  finished: ['close-day/open-gate-reported'],
  'finished after the lock was removed': ['close-day/lock-removal'],
};

const values: readonly (readonly [words: string, value: JsonNode])[] = [
  ['null', { raw: 'null' }],
  ['true', { raw: 'true' }],
  ['the number 1', { raw: '1' }],
  ['the number 1.0', { raw: '1.0' }],
  ['the number 1e3', { raw: '1e3' }],
  ['an empty text', { text: '' }],
  ['a blank', { text: ' ' }],
  ['the text true', { text: 'true' }],
  ['the text null', { text: 'null' }],
  ['the text 7', { text: '7' }],
  ['an empty array', { items: [] }],
  ['an empty object', { members: [] }],
];

export const closeDayMemberOperators: readonly TableOperator<TabledAnswer>[] = members.flatMap(operatorsOn);

function operatorsOn({ name, absent, broken }: MemberRows): TableOperator<TabledAnswer>[] {
  const escaped = `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":`;
  const own = (what: string, breaks: Breaks, change: (one: Member, all: Member[]) => unknown) =>
    make(`${name} ${what}`, breaks, ({ root }) => {
      // A member of a gate is changed only in the first gate.
      const [first] = root === undefined ? [] : membersNamed(root, name);
      return first !== undefined && change(first, objectWith(root!, first)!);
    });
  const written = (what: string, breaks: Rows, replacement: string) =>
    make(`${name} ${what}`, breaks, (answer) => {
      if (answer.root === undefined || membersNamed(answer.root, name).length === 0) return false;
      answer.spoil = (body) => Buffer.from(body.toString('utf8').replace(`"${name}":`, replacement));
      return true;
    });
  const changed = (what: string, to: (before: JsonNode) => JsonNode) =>
    own(
      `is ${what}`,
      (answer) => {
        const [first] = membersNamed(answer.root ?? { raw: '' }, name);
        return first === undefined ? [] : broken(to(first[1]), answer);
      },
      (one) => Object.assign(one, { 1: structuredClone(to(one[1])) }),
    );
  return [
    own('is left out', [absent], (one, all) => all.splice(all.indexOf(one), 1)),
    ...wrongNames
      .filter(([, change]) => change(name) !== name)
      .map(([how, change]) => own(`is written ${how}`, [absent], (one) => Object.assign(one, { 0: change(name) }))),
    own('comes twice', duplicate, (one, all) => all.push([...one])),
    own('comes twice, first as null', duplicate, (_, all) => all.unshift([name, { raw: 'null' }])),
    written('comes twice, once in escapes', duplicate, `${escaped}null,"${name}":`),
    written('is written with an escape', [], escaped),
    ...values.map(([words, value]) => changed(words, () => value)),
    ...(name === 'gates' ? [] : [changed('an array of what it was', (before) => ({ items: [before] }))]),
    changed('an object with what it was', (before) => ({ members: [[name, before]] })),
    changed('a text of its JSON', (before) => ({ text: printJson(before) })),
  ];
}

function objectWith(node: JsonNode, member: Member): Member[] | undefined {
  if ('members' in node && node.members.includes(member)) return node.members;
  const children = 'items' in node ? node.items : 'members' in node ? node.members.map(([, value]) => value) : [];
  return children.map((one) => objectWith(one, member)).find((found) => found !== undefined);
}

function isLong(value: JsonNode): boolean {
  return 'raw' in value && /^-?\d+$/.test(value.raw);
}

function isTrue(value: JsonNode): boolean {
  return 'raw' in value && value.raw === 'true';
}

const makeValue = inGroup<TabledAnswer>('close-day values');
const refused = 'close-day/missing-request-id-refused';

const dates = {
  right: [
    ...split(`Wed Jan 31 23:59:60 UTC 2024¦Wed Jan 1 00:00:00 UTC 2024¦Wed Jan 01 00:00:00 UTC 2024`),
    ...split(`Thu Feb 29 12:00:00 UTC 2024¦Tue Feb 29 12:00:00 UTC 2000¦Ср янв 31 12:00:00 МСК 2024`),
    ...split(`Wed Jan 31 12:00:00 GMT+03:00 2024¦Wed Jan 31 12:00:00 +0300 2024`),
    ...split(`Thu FEB 29 12:00:00 UTC 2024¦Wed January 31 12:00:00 UTC 2024¦Wed Avril 31 12:00:00 UTC 2024`),
    ...split(`mar mar 12 12:00:00 UTC 2024¦Mar Wed. 12 12:00:00 UTC 2024`),
  ],
  wrong: [
    ...split(`Wed Jan 32 12:00:00 UTC 2024¦Wed Jan 0 12:00:00 UTC 2024¦Wed Jan 00 12:00:00 UTC 2024`),
    ...split(`Wed Jan 001 12:00:00 UTC 2024¦Thu Feb 30 12:00:00 UTC 2024¦Wed Feb 29 12:00:00 UTC 2023`),
    ...split(`Thu Feb 29 12:00:00 UTC 1900¦Wed Apr 31 12:00:00 UTC 2024¦Wed Jun 31 12:00:00 UTC 2024`),
    ...split(`Wed Sep 31 12:00:00 UTC 2024¦Wed Nov 31 12:00:00 UTC 2024¦Wed Jan 31 24:00:00 UTC 2024`),
    ...split(`Wed Jan 31 12:60:00 UTC 2024¦Wed Jan 31 12:00:61 UTC 2024¦Wed Jan 31 1:00:00 UTC 2024`),
    ...split(`Wed Jan 31 12:00 UTC 2024¦Wed Jan 31 12:00:00.5 UTC 2024¦Wed Jan 31 12:00:00 2024`),
    ...split(`Wed Jan 31 12:00:00 UTC¦Wed Jan 31 12:00:00 UTC 24¦Wed Jan 31 12:00:00 UTC 0000`),
    ...split(`Wed Jan 31 12:00:00 UTC 02024¦Jan 31 12:00:00 UTC 2024¦Wed 31 Jan 12:00:00 UTC 2024`),
    ...split(`Wed, 31 Jan 2024 12:00:00 GMT¦Wed Jan 31 2024 12:00:00 UTC¦2024-01-31T12:00:00Z¦2024-01-31`),
    ...split(
      `31.01.2024 12:00:00¦Wed\u00a0Jan 31 12:00:00 UTC 2024¦1706745600¦Wed  Jan 31 12:00:00 UTC 2024¦Wed\tJan 31 12:00:00 UTC 2024`,
    ),
    ...split(` Wed Jan 31 12:00:00 UTC 2024¦Wed Jan 31 12:00:00 UTC 2024 ¦Wed Jan 31 12:00:00 UTC 2024\n`),
    ...split(`Wed Jan 31 12:00:00 UTC 2024 AD¦Wed 01 31 12:00:00 UTC 2024¦3 Jan 31 12:00:00 UTC 2024`),
    ...split(`Wed Jan ٣١ 12:00:00 UTC 2024¦Wed Jan -1 12:00:00 UTC 2024¦Wed Jan 31 -1:00:00 UTC 2024`),
    ...split(`Wed_Jan_31_12:00:00_UTC_2024¦Wed FEB 30 12:00:00 UTC 2024¦Wed February 29 12:00:00 UTC 2023`),
    ...split(`Jan Wed 31 12:00:00 UTC 2024¦november SATURDAY 30 12:00:00 UTC 2024¦Sept Thurs 5 12:00:00 UTC 2024`),
    ...split(`Wed apr 31 12:00:00 UTC 2024¦Wed Sept 31 12:00:00 UTC 2024¦Wed JUNE 31 12:00:00 UTC 2024`),
  ],
};

const amounts = {
  right: ['0.00', '-0.10', '1234567890123456789012345678901234567890.00', '00.10'],
  wrong: [
    ...split(`10¦10.4¦10.420¦10.¦.42¦10,42¦1.042,00¦1,042.00¦1 042.00¦+1.00¦--1.00¦1e2¦1.0e2¦NaN¦0x1.00¦ 1.00`),
    ...split(`1.00 ¦1.00\n¦1.00 EUR¦€1.00¦١.٠٠¦1.0٠¦−1.00¦1٫00¦10.42.00¦１０.４２¦null`),
  ],
};

const serials = {
  right: ['00000000-0000-0000-0000-000002d9b22A', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'],
  wrong: [
    ...split(`0¦42¦00000000000000000000000002d9b22a¦{00000000-0000-0000-0000-000002d9b22a}`),
    ...split(`urn:uuid:00000000-0000-0000-0000-000002d9b22a¦0000000-0000-0000-0000-000002d9b22a`),
    ...split(`00000000-0000-0000-0000-000002d9b22¦00000000-0000-0000-0000-000002d9b22a0`),
    ...split(`00000000-0000-0000-000002d9b22a¦00000000-0000-0000-0000-000002d9b22g`),
    ...split(`00000000-0000-0000-0000-000002d9b22а¦ 00000000-0000-0000-0000-000002d9b22a`),
    ...split(`00000000-0000-0000-0000-000002d9b22a\n¦00000000–0000–0000–0000–000002d9b22a`),
  ],
};

const longs = {
  right: ['0', '-1', '9223372036854775807', '9223372036854775808', '123456789012345678901234567890', '9'.repeat(400)],
  wrong: ['1.0', '1.5', '1e3', '1E+3', '-0.0', '0.1e1', '1e400'],
  noJson: split(`01¦+1¦.5¦5.¦0x10¦NaN¦Infinity¦1_000¦1,000¦--1¦1e¦'1'¦undefined¦TRUE¦True¦1L`),
};

export const closeDayValueOperators: readonly TableOperator<TabledAnswer>[] = [
  ...onTexts('gateCloseDate', dates, 'close-day/gate-close-date-shape'),
  ...onTexts('saleAmount', amounts, 'close-day/gate-sale-amount-form'),
  ...onTexts('reversalAmount', amounts, 'close-day/gate-reversal-amount-form'),
  ...onTexts('theRequestSerialNumber', serials, 'close-day/serial-shape'),
  ...(['gateId', 'epntId'] as const).flatMap((name) => [
    ...longs.right.map((raw) => setting(name, { raw }, [])),
    ...longs.wrong.map((raw) =>
      setting(name, { raw }, [name === 'gateId' ? 'close-day/gate-id-type' : 'close-day/gate-epnt-id-type']),
    ),
    ...longs.noJson.map((raw) => setting(name, { raw }, ['close-day/body-decodable'])),
  ]),
  ...split(
    `Finished¦FINISHED¦finished ¦ finished¦finish¦finished\0¦closed¦success¦ok¦processing¦Error¦errors¦fіnished`,
  ).map((text) => setting('status', { text }, (answer) => ['close-day/status-value', ...closingError(answer)])),
  makeValue(
    'status error without a code and a message',
    ({ kind }) => [
      'close-day/error-has-code',
      'close-day/error-has-message',
      ...(/^finished( with two gates)?$/.test(kind) ? (['authentication/close-day-valid-accepted'] as const) : []),
    ],
    setFirst('response', object({ status: { text: 'error' } }), /^finished$|two gates|enclosing/),
  ),
  makeValue(
    'status finished without gates',
    (answer) => [
      'close-day/finished-has-gates',
      ...closingError(answer),
      ...(answer.kind === 'error' ? ([refused] as const) : []),
    ],
    setFirst('status', { text: 'finished' }, /^error/),
  ),
  ...['100', '099', ' 99', '99.0', '9 9', 'E99', '٩٩'].map((text) => setting('errorCode', { text }, otherError)),
  setting('errorCode', { raw: '99' }, ({ kind }) => (kind === 'error' ? ['close-day/closing-gate-message'] : [])),
  setting('errorCode', { raw: '99.0' }, (answer) => ['close-day/error-has-code', ...otherError(answer)]),
  ...[
    ...split(`Gate is closing already¦gate is closing already.¦gate is closing already `),
    ...split(`gate  is closing already¦gate is already closing¦'gate is closing already'`),
  ].map((text) =>
    setting('errorMessage', { text }, ({ kind }) => (kind === 'error' ? [] : ['close-day/closing-gate-message'])),
  ),
  onGates('a gate too many', perGate, /two gates|^finished$|locked/, (gates) => again(gates, withId(gates[0]!, '77'))),
  onGates('gates come in another order', [], /two gates/, (gates) => gates.reverse()),
  twoGates('both gates have one id', perGate, '9007199254740993', '9007199254740993'),
  twoGates('both gates have one id, in other digits', ['close-day/gate-id-type', ...perGate], '7101', '71010e-1'),
  twoGates('two gates have the ids 0 and -0', perGate, '0', '-0'),
  ...['null', '1', '"gate"', 'true', '[]'].map((raw) =>
    onGates(`an element ${raw} in place of a gate`, undefined, /enclosing/, (gates) => gates.splice(0, 1, { raw })),
  ),
  makeValue('the gates in an object by their ids', ['close-day/finished-has-gates'], (answer) =>
    setFirst('gates', { members: gatesOf(answer).map((gate, at) => [`${at}`, gate]) })(answer),
  ),
  ...['response', 'root'].map((where) =>
    makeValue(`a further member of ${where} comes twice`, ['close-day/body-decodable'], ({ root }) => {
      const target = where === 'root' ? root : firstMember(root, 'response')?.[1];
      const further: [string, JsonNode] = ['further', { raw: '1' }];
      return target !== undefined && 'members' in target && target.members.push(further, further);
    }),
  ),
  makeValue(
    'a further member with an object that has a name twice',
    ['close-day/body-decodable'],
    ({ root }) => root !== undefined && 'members' in root && root.members.push(['further', { raw: '[{"a":1,"a":1}]' }]),
  ),
  makeValue(
    'a further member everywhere',
    [],
    (answer) =>
      answer.root !== undefined &&
      Object.assign(answer, {
        spoil: (body: Buffer) => Buffer.from(body.toString('utf8').replaceAll('{', '{"further":{"a":[null,1.5,"ü"]},')),
      }),
  ),
  makeValue('gates beside the error', [], ({ kind, root }) => {
    const response = kind.startsWith('error') ? firstMember(root, 'response')?.[1] : undefined;
    return response !== undefined && 'members' in response && response.members.push(['gates', { items: [] }]);
  }),
  makeValue('the serial number stands in response', ['close-day/serial-present'], ({ root }) => {
    const [response, serial] = [firstMember(root, 'response')?.[1], firstMember(root, 'theRequestSerialNumber')];
    if (response === undefined || serial === undefined || !('members' in response)) return false;
    response.members.push([...serial]);
    serial[0] = 'serial';
    return true;
  }),
];

function onTexts(name: string, { right, wrong }: typeof dates, row: RequirementId): TableOperator<TabledAnswer>[] {
  return [...right.map((text) => setting(name, { text }, [])), ...wrong.map((text) => setting(name, { text }, [row]))];
}

function setting(name: string, value: JsonNode, breaks: Breaks, kinds = /./): TableOperator<TabledAnswer> {
  const words = 'text' in value ? JSON.stringify(value.text) : `the bare ${printJson(value)}`;
  return makeValue(`${name} is ${words}`, breaks, setFirst(name, value, kinds));
}

/** Gives the value to the first member with that name, in answers of these kinds. */
function setFirst(name: string, value: JsonNode, kinds = /./) {
  return ({ root, kind }: TabledAnswer) => {
    const member = kinds.test(kind) ? firstMember(root, name) : undefined;
    return member !== undefined && Object.assign(member, { 1: structuredClone(value) });
  };
}

function firstMember(root: JsonNode | undefined, name: string): [string, JsonNode] | undefined {
  return root === undefined ? undefined : membersNamed(root, name)[0];
}

function onGates(what: string, breaks: Breaks, kinds: RegExp, change: (gates: JsonNode[]) => unknown) {
  return makeValue(what, breaks, ({ root, kind }) => {
    const gates = kinds.test(kind) ? firstMember(root, 'gates')?.[1] : undefined;
    return gates !== undefined && 'items' in gates && change(gates.items);
  });
}

function twoGates(what: string, breaks: Rows, ...ids: readonly string[]): TableOperator<TabledAnswer> {
  return onGates(what, breaks, /two gates/, (gates) =>
    gates.splice(0, 2, ...ids.map((id, at) => withId(gates[at]!, id))),
  );
}

function withId(gate: JsonNode, raw: string): JsonNode {
  if (!('members' in gate)) return gate;
  return { members: gate.members.map(([name, value]) => [name, name === 'gateId' ? { raw } : value]) };
}
