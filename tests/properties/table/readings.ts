/** What a client makes of answers, and operators on it: each value misread, each kind taken for another (sections 2.2, 2.4, 3, 4 and 7). */
import { gateResultFields } from '../../../contracts/requirements/gate-result.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Decoded, DecodedGate, DecodedValue } from '../../../src/record/client-case.ts';
import type { answeredBy } from '../../unit/rules/client/decoding-cases.ts';
import { inGroup, type Rows, type TableOperator } from './operator.ts';

export interface TabledReading {
  readonly kind: string;
  read: Parameters<typeof answeredBy>[0];
}

/** Made anew: every question of the plans, read right. */
export function rightReadings(): TabledReading[] {
  return [{ kind: 'all answers', read: (right) => right }];
}

const reading = inGroup<TabledReading>('readings');

function misread(what: string, breaks: Rows, read: TabledReading['read']): TableOperator<TabledReading> {
  return reading(what, breaks, (message) => {
    message.read = read;
  });
}

type Slug = keyof typeof gateResultFields;

const slugs = Object.keys(gateResultFields) as Slug[];
const quantities: readonly Slug[] = [
  'sale-approved-count',
  'sale-amount',
  'reversal-approved-count',
  'reversal-amount',
];
const texts = slugs.filter((slug) => slug !== 'is-day-closing');

/**
 * A locked gate that is not read as one is a row of its own besides. Whether undocumented members lead to another gate
 * shows in its id; the one of that answer is short.
 */
function rowsOf(slug: Slug): RequirementId[] {
  return [
    `close-day/decodes-gate-${slug}`,
    ...(slug === 'is-day-closing' ? ['close-day/decodes-locked-gate' as const] : []),
    ...(slug === 'id' ? ['close-day/decodes-extra-members' as const] : []),
  ];
}

function member(
  what: string,
  of: readonly Slug[],
  breaks: boolean,
  change: (text: string) => string | DecodedValue,
  long = false,
) {
  return of.map((slug) => {
    const name = gateResultFields[slug].member;
    return misread(
      `${name} ${what}`,
      breaks ? rowsOf(slug).filter((row) => !(long && row.endsWith('extra-members'))) : [],
      inGates((gate) => {
        const text = String(Object.values(gate[name]!)[0]);
        const read = change(text);
        const kind = Object.keys(gate[name]!)[0]!;
        return { [name]: typeof read === 'string' ? ({ [kind]: read } as unknown as DecodedValue) : read };
      }),
    );
  });
}

function inGates(change: (gate: DecodedGate) => DecodedGate): TabledReading['read'] {
  return (right) => withGates(right, (gates) => gates.map((gate) => ({ ...gate, ...change(gate) })));
}

function withGates(right: Decoded, change: (gates: readonly DecodedGate[]) => readonly DecodedGate[]): Decoded {
  return right.kind === 'finished' ? { ...right, gates: change(right.gates ?? []) } : right;
}

/** Only where there are two. */
const several = (change: (gates: readonly DecodedGate[]) => readonly DecodedGate[]) => (right: Decoded) =>
  withGates(right, (gates) => (gates.length > 1 ? change(gates) : gates));

const without =
  (name: string): TabledReading['read'] =>
  (right) =>
    withGates(right, (gates) =>
      gates.map((gate) => Object.fromEntries(Object.entries(gate).filter(([one]) => one !== name))),
    );

const gateLost = ['close-day/decodes-gates', 'close-day/decodes-locked-gate'] as const satisfies Rows;

const memberOperators = [
  ...slugs.map((slug) =>
    misread(`${gateResultFields[slug].member} not exposed`, [], without(gateResultFields[slug].member)),
  ),
  ...member('as null', slugs, true, () => ({ text: 'null' })),
  ...member('as undefined', slugs, true, () => ({ text: 'undefined' })),
  ...member('as NaN', slugs, true, () => ({ text: 'NaN' })),
  ...member('as an object', slugs, true, () => ({ text: '[object Object]' })),
  ...member('as a text', ['id', 'epnt-id', 'is-day-closing'], false, (text) => ({ text })),
  ...member('with a blank behind it', texts, true, (text) => `${text} `),
  ...member('with a blank before it', texts, true, (text) => ` ${text}`),
  ...member('with a line feed behind it', texts, true, (text) => `${text}\n`),
  ...member('with a quote on each side', texts, true, (text) => `"${text}"`),
  ...member('without its first character', texts, true, (text) => text.slice(1)),
  ...member('without its last character', texts, true, (text) => text.slice(0, -1)),
  ...member('with a character more', texts, true, (text) => `${text}1`),
  ...member('with its last digit raised', texts, true, (text) =>
    text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
  ),
  ...member('in full-width digits', texts, true, (text) =>
    text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  ),
  ...member('with a zero before it', ['id', 'epnt-id', 'code39', 'rrn', 'close-date'], true, (text) => `0${text}`),
  ...member('with a zero before it', quantities, false, (text) => text.replace(/^-?/, '$&0')),
  ...member('with a comma for its point', ['sale-amount', 'reversal-amount'], true, (text) => text.replace('.', ',')),
  ...member('in cents', ['sale-amount', 'reversal-amount'], true, (text) => text.replace('.', '')),
  ...member('with a zero behind it', ['sale-amount', 'reversal-amount'], false, (text) => `${text}0`),
  ...member('with an exponent', quantities, false, (text) => `${text}e0`),
  ...member('as its negative', quantities, true, (text) => (/[1-9]/.test(text) ? `-${text}` : text)),
  ...member('with its currency', ['sale-amount', 'reversal-amount'], true, (text) => `${text} EUR`),
  ...member('through a double', ['id', 'epnt-id'], true, (text) => String(Number(text)), true),
  ...member(
    'as a number of 32 bits',
    ['id', 'epnt-id'],
    true,
    (text) => String(Number(BigInt.asIntN(32, BigInt(text)))),
    true,
  ),
  ...member('through a double', ['code39', 'rrn'], true, (text) => String(Number(text))),
  ...member('inverted', ['is-day-closing'], true, (text) => ({ bool: text !== 'true' })),
  ...member('as 1 or 0', ['is-day-closing'], true, (text) => ({ long: text === 'true' ? '1' : '0' })),
  ...member('in capitals', ['is-day-closing'], true, (text) => ({ text: text.toUpperCase() })),
];

const finishedLost: Rows = ['close-day/decodes-finished'];
const failureTaken: Rows = [
  'close-day/broken-body-not-success',
  'close-day/decodes-error',
  'close-day/decodes-error-99',
  'close-day/decodes-unknown-status',
];

const kindOperators = [
  ...(
    [
      ['an error', { kind: 'error', errorCode: '1', errorMessage: 'm' }],
      ['an acceptance', { kind: 'accepted' }],
      ['a refusal', { kind: 'refused', http_status: 200 }],
      ['parameters', { kind: 'parameters', params: [] }],
      ['nothing', { kind: 'undecodable' }],
    ] as const satisfies readonly (readonly [string, Decoded])[]
  ).map(([what, read]) =>
    misread(`finished is taken for ${what}`, finishedLost, (right) => (right.kind === 'finished' ? read : right)),
  ),
  misread('every failure of close-day is taken for finished', failureTaken, (right, { operation }) =>
    operation === 'close-day' && right.kind !== 'finished' ? { kind: 'finished', gates: [] } : right,
  ),
  misread(
    'gates in the other order',
    [],
    several((gates) => [...gates].reverse()),
  ),
  misread('gates not exposed', [], (right) => {
    if (right.kind !== 'finished') return right;
    const { gates: _, ...rest } = right;
    return rest;
  }),
  misread(
    'the first gate is lost',
    gateLost,
    several((gates) => gates.slice(1)),
  ),
  misread(
    'the first gate comes twice',
    ['close-day/decodes-gates'],
    several(([first, ...gates]) => [first!, first!, ...gates]),
  ),
  misread(
    'the first gate in place of the second one',
    gateLost,
    several(([first, , ...gates]) => [first!, first!, ...gates]),
  ),
  misread('theRequestSerialNumber not exposed', [], (right) => {
    if (right.kind !== 'finished' && right.kind !== 'error') return right;
    const { serial: _, ...rest } = right;
    return rest;
  }),
  ...(
    [
      ['in capitals', (text) => text.toUpperCase()],
      ['without dashes', (text) => text.replaceAll('-', '')],
      ['in braces', (text) => `{${text}}`],
      ['without leading zeros', (text) => text.replace(/^0+/, '')],
      ['with a line feed', (text) => `${text}\n`],
      ['empty', () => ''],
    ] as const satisfies readonly (readonly [string, (text: string) => string])[]
  ).map(([what, change]) =>
    misread(`theRequestSerialNumber ${what}`, ['close-day/decodes-serial'], (right) =>
      (right.kind === 'finished' || right.kind === 'error') && right.serial !== undefined
        ? { ...right, serial: change(right.serial) }
        : right,
    ),
  ),
];

const ofErrors: Rows = ['close-day/decodes-error', 'close-day/decodes-error-99'];

const errorOperators = (['errorCode', 'errorMessage'] as const).flatMap((name) => [
  misread(`${name} not exposed`, [], (right) => {
    if (right.kind !== 'error') return right;
    const { [name]: _, ...rest } = right;
    return rest;
  }),
  ...(
    [
      ['empty', () => ''],
      ['with a blank behind it', (text) => `${text} `],
      ['with a zero before it', (text) => `0${text}`],
      ['with a quote on each side', (text) => `"${text}"`],
      ['cut by a character', (text) => text.slice(0, -1)],
      ['replaced', () => 'unknown'],
    ] as const satisfies readonly (readonly [string, (text: string) => string])[]
  ).map(([what, change]) =>
    misread(`${name} ${what}`, ofErrors, (right) =>
      right.kind === 'error' ? { ...right, [name]: change(right[name] ?? '') } : right,
    ),
  ),
]);

export const readingOperators: readonly TableOperator<TabledReading>[] = [
  ...memberOperators,
  ...kindOperators,
  ...errorOperators,
];
