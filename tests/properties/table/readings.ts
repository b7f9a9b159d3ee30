/** What a client decodes from answers, and operators that misread a value or the kind of answer (sections 2.2, 2.4, 3, 4 and 7). */
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { alterationOf, type ClientEdit } from '../../../src/faults/client/defect.ts';
import { type ClientAlteration, type Context, operationSteps } from '../../../src/peer/client/client.ts';
import type { Decoded, DecodedGate, DecodedValue } from '../../../src/record/case.ts';
import type { readAll } from '../../unit/rules/client/decoding-cases.ts';
import { inGroup, type Rows, split, type TableOperator } from './operator.ts';

export interface TabledReading {
  readonly kind: string;
  read: Parameters<typeof readAll>[0];
}

/** The right readings of all questions of the plans. */
export function rightReadings(): TabledReading[] {
  return [{ kind: 'all answers', read: (right) => right }];
}

/** The reading of the reference client if its last step is altered. */
function readerOf({ decoded }: ClientAlteration): TabledReading['read'] {
  return (right, { operation }, { answer, environment = {} }) => {
    if (answer.kind !== 'reply') return right;
    const response = { ...answer, reason: '' };
    const done = { response } as Partial<Context['done']> as Context['done'];
    const context = { operation, environment, done } as Partial<Context> as Context;
    return decoded!(operationSteps[operation].read(response), context);
  };
}

function misread(what: string, breaks: Rows, edit: ClientEdit): TableOperator<TabledReading> {
  return inGroup<TabledReading>('readings')(what, breaks, { read: readerOf(alterationOf(edit)) });
}

type Slug = keyof typeof gateResultFields;

const slugs = Object.keys(gateResultFields) as Slug[];
const quantities: Slug[] = ['sale-approved-count', 'sale-amount', 'reversal-approved-count', 'reversal-amount'];
const texts = slugs.filter((slug) => slug !== 'is-day-closing');

/** A wrong lock also breaks the requirement on locked gates, and a wrong id the one on undocumented members. */
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
    const rows = breaks ? rowsOf(slug).filter((row) => !(long && row.endsWith('extra-members'))) : [];
    const gate = (one: DecodedGate): DecodedGate => {
      const [[kind, value] = ['text', '']] = Object.entries(one[name]!);
      const read = change(String(value));
      return { ...one, [name]: typeof read === 'string' ? ({ [kind]: read } as unknown as DecodedValue) : read };
    };
    return misread(`${name} ${what}`, rows, { gate });
  });
}

/** Applies only to answers with several gates. */
const several =
  (change: (gates: readonly DecodedGate[]) => readonly DecodedGate[]) =>
  (gates: readonly DecodedGate[]): readonly DecodedGate[] =>
    gates.length > 1 ? change(gates) : gates;

const without =
  <T extends object>(name: string) =>
  (from: T): T =>
    Object.fromEntries(Object.entries(from).filter(([one]) => one !== name)) as T;

const memberOperators = [
  ...Object.values(gateResultFields).map(({ member }) =>
    misread(`${member} not exposed`, [], { gate: without(member) }),
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
  ...member('with another last digit', texts, true, (text) =>
    text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 5) % 10)),
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
  ...member('as 32 bits', ['id', 'epnt-id'], true, (text) => String(Number(BigInt.asIntN(32, BigInt(text)))), true),
  ...member('through a double', ['code39', 'rrn'], true, (text) => String(Number(text))),
  ...member('inverted', ['is-day-closing'], true, (text) => ({ bool: text !== 'true' })),
  ...member('as 1 or 0', ['is-day-closing'], true, (text) => ({ long: text === 'true' ? '1' : '0' })),
  ...member('in capitals', ['is-day-closing'], true, (text) => ({ text: text.toUpperCase() })),
];

const gateLost: Rows = ['close-day/decodes-gates', 'close-day/decodes-locked-gate'];
const failureRows: Rows = split('broken-body-not-success¦decodes-error¦decodes-error-99¦decodes-unknown-status').map(
  (row) => `close-day/${row}` as RequirementId,
);

const otherKinds: Readonly<Record<string, Decoded>> = {
  'an error': { kind: 'error', errorCode: '1', errorMessage: 'm' },
  'an acceptance': { kind: 'accepted' },
  'a refusal': { kind: 'refused', http_status: 200 },
  parameters: { kind: 'parameters', params: [] },
  nothing: { kind: 'undecodable' },
};

const kindOperators = [
  ...Object.entries(otherKinds).map(([what, read]) =>
    misread(`finished is taken for ${what}`, ['close-day/decodes-finished'], { finished: () => read }),
  ),
  misread('every failure of close-day is taken for finished', failureRows, {
    decoded: (one, { operation }) =>
      operation === 'close-day' && one.kind !== 'finished' ? { kind: 'finished', gates: [] } : one,
  }),
  misread('gates in the other order', [], { gates: several((gates) => gates.toReversed()) }),
  misread('gates not exposed', [], { finished: without('gates') }),
  misread('the first gate is lost', gateLost, { gates: several((gates) => gates.slice(1)) }),
  misread('the first gate comes twice', ['close-day/decodes-gates'], {
    gates: several(([first, ...gates]) => [first!, first!, ...gates]),
  }),
  misread('the first gate in place of the second one', gateLost, {
    gates: several(([first, , ...gates]) => [first!, first!, ...gates]),
  }),
  misread('theRequestSerialNumber not exposed', [], { decoded: without('serial') }),
];

/** Wrong readings of a text. If the text is absent, they get an empty one. */
const misreadTexts: Readonly<Record<string, (text: string) => string>> = {
  empty: () => '',
  'with a blank behind it': (text) => `${text} `,
  'with a zero before it': (text) => `0${text}`,
  'with a quote on each side': (text) => `"${text}"`,
  'cut by a character': (text) => text.slice(0, -1),
};

const textOperators = Object.entries(misreadTexts).flatMap(([what, change]) => [
  misread(`theRequestSerialNumber ${what}`, ['close-day/decodes-serial'], { serial: change }),
  ...(['errorCode', 'errorMessage'] as const).map((name) =>
    misread(`${name} ${what}`, ['close-day/decodes-error', 'close-day/decodes-error-99'], {
      error: (one) => ({ ...one, [name]: change(one[name] ?? '') }),
    }),
  ),
]);

export const readingOperators: readonly TableOperator<TabledReading>[] = [
  ...memberOperators,
  ...kindOperators,
  ...textOperators,
  ...(['errorCode', 'errorMessage'] as const).map((name) =>
    misread(`${name} not exposed`, [], { error: without(name) }),
  ),
];
