/** Operators on the members of a close-day answer: each left out, named otherwise, doubled, and given values of all types (section 2.2). */
import { gateResultFields } from '../../../contracts/requirements/gate-result.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { isClosing, type JsonNode, membersNamed, printJson, saysClosing, type TabledAnswer } from './answers.ts';
import { inGroup, misnamed, type Rows, type TableOperator } from './operator.ts';

const make = inGroup<TabledAnswer>('close-day members');
const twice: Rows = ['close-day/body-decodable'];

type Member = [name: string, value: JsonNode];
type Breaks = TableOperator<TabledAnswer>['breaks'];

/** What the statements say of a member: the row on its presence, and those that a value breaks. */
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
    broken: (value, answer) => {
      if (!('text' in value)) return ['close-day/status-present'];
      return ['close-day/status-value', ...(isClosing(answer) ? (['close-day/closing-gate-error'] as const) : [])];
    },
  },
  {
    name: 'gates',
    absent: 'close-day/finished-has-gates',
    broken: (value) => {
      if (!('items' in value)) return ['close-day/finished-has-gates'];
      return ['close-day/one-result-per-gate'];
    },
  },
  {
    name: 'errorCode',
    absent: 'close-day/error-has-code',
    broken: (value, answer) => {
      const fits = ('text' in value && value.text.trim() !== '') || isLong(value);
      return [
        ...(fits ? [] : (['close-day/error-has-code'] as const)),
        ...(saysClosing(answer) ? (['close-day/closing-gate-error'] as const) : []),
      ];
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

/** A gate of which it is known that it is free. */
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
      // In the first gate alone, where it is a member of gates.
      const [first] = root === undefined ? [] : membersNamed(root, name);
      return first !== undefined && change(first, objectWith(root!, first)!);
    });
  const written = (what: string, breaks: Rows, as: string) =>
    make(`${name} ${what}`, breaks, (answer) => {
      if (answer.root === undefined || membersNamed(answer.root, name).length === 0) return false;
      answer.spoil = (body) => Buffer.from(body.toString('utf8').replace(`"${name}":`, as));
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
    ...misnamed
      .filter(([, change]) => change(name) !== name)
      .map(([how, change]) => own(`is written ${how}`, [absent], (one) => Object.assign(one, { 0: change(name) }))),
    own('comes twice', twice, (one, all) => all.push([...one])),
    own('comes twice, first as null', twice, (_, all) => all.unshift([name, { raw: 'null' }])),
    written('comes twice, once in escapes', twice, `${escaped}null,"${name}":`),
    written('is written with an escape', [], escaped),
    ...values.map(([words, value]) => changed(words, () => value)),
    ...(name === 'gates' ? [] : [changed('an array of what it was', (before) => ({ items: [before] }))]),
    changed('an object with what it was', (before) => ({ members: [[name, before]] })),
    changed('a text of its JSON', (before) => ({ text: printJson(before) })),
  ];
}

function objectWith(node: JsonNode, member: Member): Member[] | undefined {
  if ('members' in node && node.members.includes(member)) return node.members;
  const inside = 'items' in node ? node.items : 'members' in node ? node.members.map(([, value]) => value) : [];
  return inside.map((one) => objectWith(one, member)).find((found) => found !== undefined);
}

function isLong(value: JsonNode): boolean {
  return 'raw' in value && /^-?\d+$/.test(value.raw);
}

function isTrue(value: JsonNode): boolean {
  return 'raw' in value && value.raw === 'true';
}
