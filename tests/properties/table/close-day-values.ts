/** Operators on the values of a close-day answer, and on gates as a whole: dates, amounts, numbers, codes and states (sections 2.2, 3 and 7). */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { gatesOf, isClosing, type JsonNode, membersNamed, object, saysClosing, type TabledAnswer } from './answers.ts';
import { again, inGroup, listed, type Rows, type TableOperator } from './operator.ts';

const make = inGroup<TabledAnswer>('close-day values');
const refused = 'close-day/missing-request-id-refused';

const dates = {
  right: [
    ...listed(`Wed Jan 31 23:59:60 UTC 2024¦Wed Jan 1 00:00:00 UTC 2024¦Wed Jan 01 00:00:00 UTC 2024`),
    ...listed(`Thu Feb 29 12:00:00 UTC 2024¦Tue Feb 29 12:00:00 UTC 2000¦Ср янв 31 12:00:00 МСК 2024`),
    ...listed(`Wed Jan 31 12:00:00 GMT+03:00 2024¦Wed Jan 31 12:00:00 +0300 2024`),
    ...listed(`Thu FEB 29 12:00:00 UTC 2024¦Wed January 31 12:00:00 UTC 2024¦Wed Avril 31 12:00:00 UTC 2024`),
    ...listed(`mar mar 12 12:00:00 UTC 2024¦Mar Wed. 12 12:00:00 UTC 2024`),
  ],
  wrong: [
    ...listed(`Wed Jan 32 12:00:00 UTC 2024¦Wed Jan 0 12:00:00 UTC 2024¦Wed Jan 00 12:00:00 UTC 2024`),
    ...listed(`Wed Jan 001 12:00:00 UTC 2024¦Thu Feb 30 12:00:00 UTC 2024¦Wed Feb 29 12:00:00 UTC 2023`),
    ...listed(`Thu Feb 29 12:00:00 UTC 1900¦Wed Apr 31 12:00:00 UTC 2024¦Wed Jun 31 12:00:00 UTC 2024`),
    ...listed(`Wed Sep 31 12:00:00 UTC 2024¦Wed Nov 31 12:00:00 UTC 2024¦Wed Jan 31 24:00:00 UTC 2024`),
    ...listed(`Wed Jan 31 12:60:00 UTC 2024¦Wed Jan 31 12:00:61 UTC 2024¦Wed Jan 31 1:00:00 UTC 2024`),
    ...listed(`Wed Jan 31 12:00 UTC 2024¦Wed Jan 31 12:00:00.5 UTC 2024¦Wed Jan 31 12:00:00 2024`),
    ...listed(`Wed Jan 31 12:00:00 UTC¦Wed Jan 31 12:00:00 UTC 24¦Wed Jan 31 12:00:00 UTC 0000`),
    ...listed(`Wed Jan 31 12:00:00 UTC 02024¦Jan 31 12:00:00 UTC 2024¦Wed 31 Jan 12:00:00 UTC 2024`),
    ...listed(`Wed, 31 Jan 2024 12:00:00 GMT¦Wed Jan 31 2024 12:00:00 UTC¦2024-01-31T12:00:00Z¦2024-01-31`),
    ...listed(
      `31.01.2024 12:00:00¦Wed\u00a0Jan 31 12:00:00 UTC 2024¦1706745600¦Wed  Jan 31 12:00:00 UTC 2024¦Wed\tJan 31 12:00:00 UTC 2024`,
    ),
    ...listed(` Wed Jan 31 12:00:00 UTC 2024¦Wed Jan 31 12:00:00 UTC 2024 ¦Wed Jan 31 12:00:00 UTC 2024\n`),
    ...listed(`Wed Jan 31 12:00:00 UTC 2024 AD¦Wed 01 31 12:00:00 UTC 2024¦3 Jan 31 12:00:00 UTC 2024`),
    ...listed(`Wed Jan ٣١ 12:00:00 UTC 2024¦Wed Jan -1 12:00:00 UTC 2024¦Wed Jan 31 -1:00:00 UTC 2024`),
    ...listed(`Wed_Jan_31_12:00:00_UTC_2024¦Wed FEB 30 12:00:00 UTC 2024¦Wed February 29 12:00:00 UTC 2023`),
    ...listed(`Jan Wed 31 12:00:00 UTC 2024¦november SATURDAY 30 12:00:00 UTC 2024¦Sept Thurs 5 12:00:00 UTC 2024`),
    ...listed(`Wed apr 31 12:00:00 UTC 2024¦Wed Sept 31 12:00:00 UTC 2024¦Wed JUNE 31 12:00:00 UTC 2024`),
  ],
};

const amounts = {
  right: ['0.00', '-0.10', '1234567890123456789012345678901234567890.00', '00.10'],
  wrong: [
    ...listed(`10¦10.4¦10.420¦10.¦.42¦10,42¦1.042,00¦1,042.00¦1 042.00¦+1.00¦--1.00¦1e2¦1.0e2¦NaN¦0x1.00¦ 1.00`),
    ...listed(`1.00 ¦1.00\n¦1.00 EUR¦€1.00¦١.٠٠¦1.0٠¦−1.00¦1٫00¦10.42.00¦１０.４２¦null`),
  ],
};

const serials = {
  right: ['00000000-0000-0000-0000-000002d9b22A', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'],
  wrong: [
    ...listed(`0¦42¦00000000000000000000000002d9b22a¦{00000000-0000-0000-0000-000002d9b22a}`),
    ...listed(`urn:uuid:00000000-0000-0000-0000-000002d9b22a¦0000000-0000-0000-0000-000002d9b22a`),
    ...listed(`00000000-0000-0000-0000-000002d9b22¦00000000-0000-0000-0000-000002d9b22a0`),
    ...listed(`00000000-0000-0000-000002d9b22a¦00000000-0000-0000-0000-000002d9b22g`),
    ...listed(`00000000-0000-0000-0000-000002d9b22а¦ 00000000-0000-0000-0000-000002d9b22a`),
    ...listed(`00000000-0000-0000-0000-000002d9b22a\n¦00000000–0000–0000–0000–000002d9b22a`),
  ],
};

const longs = {
  right: ['0', '-1', '9223372036854775807', '9223372036854775808', '123456789012345678901234567890', '9'.repeat(400)],
  wrong: ['1.0', '1.5', '1e3', '1E+3', '-0.0', '0.1e1', '1e400'],
  noJson: listed(`01¦+1¦.5¦5.¦0x10¦NaN¦Infinity¦1_000¦1,000¦--1¦1e¦'1'¦undefined¦TRUE¦True¦1L`),
};

export const closeDayValueOperators: readonly TableOperator<TabledAnswer>[] = [
  ...ofTexts('gateCloseDate', dates, 'close-day/gate-close-date-shape'),
  ...ofTexts('saleAmount', amounts, 'close-day/gate-sale-amount-form'),
  ...ofTexts('reversalAmount', amounts, 'close-day/gate-reversal-amount-form'),
  ...ofTexts('theRequestSerialNumber', serials, 'close-day/serial-shape'),
  ...(['gateId', 'epntId'] as const).flatMap((name) => [
    ...longs.right.map((raw) => setting(name, { raw }, [])),
    ...longs.wrong.map((raw) =>
      setting(name, { raw }, [name === 'gateId' ? 'close-day/gate-id-type' : 'close-day/gate-epnt-id-type']),
    ),
    ...longs.noJson.map((raw) => setting(name, { raw }, ['close-day/body-decodable'])),
  ]),
  ...listed(
    `Finished¦FINISHED¦finished ¦ finished¦finish¦finished\0¦closed¦success¦ok¦processing¦Error¦errors¦fіnished`,
  ).map((text) =>
    setting('status', { text }, (answer) => [
      'close-day/status-value',
      ...(isClosing(answer) ? (['close-day/closing-gate-error'] as const) : []),
    ]),
  ),
  make(
    'status error without a code and a message',
    ({ kind }) => [
      'close-day/error-has-code',
      'close-day/error-has-message',
      ...(/^finished( with two gates)?$/.test(kind) ? (['authentication/close-day-valid-accepted'] as const) : []),
    ],
    onKind(/^finished$|two gates|enclosing/, (answer) => {
      membersNamed(answer.root!, 'response')[0]![1] = object({ status: { text: 'error' } });
    }),
  ),
  make(
    'status finished without gates',
    (answer) => [
      'close-day/finished-has-gates',
      ...(isClosing(answer)
        ? (['close-day/closing-gate-error'] as const)
        : answer.kind === 'error'
          ? ([refused] as const)
          : []),
    ],
    onKind(/^error/, (answer) => {
      membersNamed(answer.root!, 'status')[0]![1] = { text: 'finished' };
    }),
  ),
  ...(['100', '099', ' 99', '99.0', '9 9', 'E99', '٩٩'] as const).map((text) =>
    setting('errorCode', { text }, (answer) => (saysClosing(answer) ? ['close-day/closing-gate-error'] : [])),
  ),
  setting('errorCode', { raw: '99' }, ({ kind }) => (kind === 'error' ? ['close-day/closing-gate-message'] : [])),
  setting('errorCode', { raw: '99.0' }, (answer) => [
    'close-day/error-has-code',
    ...(saysClosing(answer) ? (['close-day/closing-gate-error'] as const) : []),
  ]),
  ...[
    ...listed(`Gate is closing already¦gate is closing already.¦gate is closing already `),
    ...listed(`gate  is closing already¦gate is already closing¦'gate is closing already'`),
  ].map((text) =>
    setting('errorMessage', { text }, ({ kind }) => (kind === 'error' ? [] : ['close-day/closing-gate-message'])),
  ),
  setting('isDayClosing', { raw: 'false' }, ['close-day/locked-gate-reported'], /locked/),
  make(
    'a gate comes twice',
    ['close-day/one-result-per-gate'],
    onGates((gates) => again(gates, gates[0])),
  ),
  make(
    'a gate is left out',
    ['close-day/one-result-per-gate'],
    onGates((gates) => gates.pop(), /two gates|^finished$|locked/),
  ),
  make(
    'a gate too many',
    ['close-day/one-result-per-gate'],
    onGates((gates) => again(gates, otherGate(gates[0]!)), /two gates|^finished$|locked/),
  ),
  make(
    'gates come in another order',
    [],
    onGates((gates) => gates.reverse(), /two gates/),
  ),
  make(
    'both gates have one id',
    ['close-day/one-result-per-gate'],
    onGates((gates) => {
      gates[1] = otherGate(gates[1]!, membersNamed(gates[0]!, 'gateId')[0]![1]);
    }, /two gates/),
  ),
  make(
    'both gates have one id, in other digits',
    ['close-day/gate-id-type', 'close-day/one-result-per-gate'],
    onGates((gates) => {
      gates[0] = otherGate(gates[0]!, { raw: '7101' });
      gates[1] = otherGate(gates[1]!, { raw: '71010e-1' });
    }, /two gates/),
  ),
  make(
    'two gates have the ids 0 and -0',
    ['close-day/one-result-per-gate'],
    onGates((gates) => {
      gates[0] = otherGate(gates[0]!, { raw: '0' });
      gates[1] = otherGate(gates[1]!, { raw: '-0' });
    }, /two gates/),
  ),
  ...(['null', '1', '"gate"', 'true', '[]'] as const).map((raw) =>
    make(
      `an element ${raw} in place of a gate`,
      undefined,
      onGates((gates) => gates.splice(0, 1, { raw }), /enclosing/),
    ),
  ),
  make('the gates in an object by their ids', ['close-day/finished-has-gates'], (answer) => {
    const [gates] = answer.root === undefined ? [] : membersNamed(answer.root, 'gates');
    if (gates === undefined) return false;
    gates[1] = { members: gatesOf(answer).map((gate, at) => [`${at}`, gate]) };
    return true;
  }),
  ...['response', 'root'].map((where) =>
    make(`a further member of ${where} comes twice`, ['close-day/body-decodable'], (answer) => {
      const [response] = answer.root === undefined ? [] : membersNamed(answer.root, 'response');
      const of = where === 'root' ? answer.root : response?.[1];
      if (of === undefined || !('members' in of)) return false;
      of.members.push(['further', { raw: '1' }], ['further', { raw: '1' }]);
      return true;
    }),
  ),
  make('a further member with an object that has a name twice', ['close-day/body-decodable'], ({ root }) => {
    if (root === undefined || !('members' in root)) return false;
    root.members.push(['further', { raw: '[{"a":1,"a":1}]' }]);
    return true;
  }),
  make('a further member everywhere', [], (answer) => {
    if (answer.root === undefined) return false;
    answer.spoil = (body) => Buffer.from(body.toString('utf8').replaceAll('{', '{"further":{"a":[null,1.5,"ü"]},'));
    return true;
  }),
  make(
    'gates beside the error',
    [],
    onKind(/^error/, (answer) => {
      const response = membersNamed(answer.root!, 'response')[0]![1];
      if ('members' in response) response.members.push(['gates', { items: [] }]);
    }),
  ),
  make('the serial number stands in response', ['close-day/serial-present'], (answer) => {
    const [response] = answer.root === undefined ? [] : membersNamed(answer.root, 'response');
    const [serial] = answer.root === undefined ? [] : membersNamed(answer.root, 'theRequestSerialNumber');
    if (response === undefined || !('members' in response[1])) return false;
    response[1].members.push([...serial!]);
    serial![0] = 'serial';
    return true;
  }),
];

/** One operator for each text that has the form of the member, and for each that has not. */
function ofTexts(
  name: string,
  { right, wrong }: { readonly right: readonly string[]; readonly wrong: readonly string[] },
  row: RequirementId,
): TableOperator<TabledAnswer>[] {
  return [...right.map((text) => setting(name, { text }, [])), ...wrong.map((text) => setting(name, { text }, [row]))];
}

/** The first member of that name gets the value. */
function setting(
  name: string,
  value: { text: string } | { raw: string },
  breaks: Rows | ((answer: TabledAnswer) => Rows),
  kinds = /./,
): TableOperator<TabledAnswer> {
  const words = 'text' in value ? JSON.stringify(value.text) : `the bare ${value.raw}`;
  return make(
    `${name} is ${words}`,
    breaks,
    onKind(kinds, ({ root }) => {
      const [member] = membersNamed(root!, name);
      if (member === undefined) return false;
      member[1] = value;
      return true;
    }),
  );
}

function onKind(kinds: RegExp, change: (answer: TabledAnswer) => unknown) {
  return (answer: TabledAnswer) => answer.root !== undefined && kinds.test(answer.kind) && change(answer);
}

function onGates(change: (gates: JsonNode[]) => unknown, kinds = /./) {
  return onKind(kinds, ({ root }) => {
    const gates = membersNamed(root!, 'gates')[0]?.[1];
    return gates !== undefined && 'items' in gates && change(gates.items);
  });
}

function otherGate(gate: JsonNode, id: JsonNode = { raw: '77' }): JsonNode {
  if (!('members' in gate)) return gate;
  return { members: gate.members.map(([name, value]) => [name, name === 'gateId' ? id : value]) };
}
