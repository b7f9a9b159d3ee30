/** Inputs that a client must send, and inputs that it must refuse: sections 2.1, 2.3, 4.2 and 8. */
import type { Area } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { amounts } from '../../../generators/amount.ts';
import { clientOrderids } from '../../../generators/client-orderid.ts';
import { closeDayRequestWithTotals, discriminatingInputs } from '../../../generators/close-day-request.ts';
import { counts, sums } from '../../../generators/counts-and-sums.ts';
import { dayCloseRequestIds } from '../../../generators/day-close-request-id.ts';
import { fault, type Labelled, open, relabel } from '../../../generators/labelled.ts';
import {
  amountFormEdges,
  csvFaults,
  csvOf,
  type PayloadSample,
  payloadFormEdges,
  payloads,
  plainRow,
  plusAndSlashPayload,
} from '../../../generators/payload.ts';
import { recurringPaymentIds } from '../../../generators/recurring-payment-id.ts';
import type { ClientLabel, CloseDayInput, RecurringInput } from '../../record/case.ts';
import { paymentColumns } from '../requests.ts';
import type { ClientPlan, ClientScenario } from '../scenario.ts';
import { underOtherStatuses } from './broken-bodies.ts';
import {
  clientScenario,
  closeDayCase,
  fullCloseDay,
  paymentBatch,
  plainCells,
  plainCloseDay,
  recurringCase,
  testableIds,
  type WireLabel,
} from './cases.ts';

/** Other scenarios test these requirements: they need special answers, special addresses or several environments. */
const testedElsewhere = /\/(?:decodes-|broken-body|environment-|uri-host-case|uri-default-port)/;

function requestRows(area: Area, method: TestableId<'client'>): readonly TestableId<'client'>[] {
  const shared = testableIds(/^(?:authentication|transport)\//).filter((id) => !id.endsWith('-method'));
  return [...testableIds(new RegExp(`^${area}/`)), method, ...shared].filter((id) => !testedElsewhere.test(id));
}

const closeDayRowIds = requestRows('close-day', 'authentication/close-day-method');
const recurringRowIds = requestRows('recurring', 'authentication/recurring-method');

export const wireRows: readonly TestableId<'client'>[] = [...new Set([...closeDayRowIds, ...recurringRowIds])];

/** For each kind, the names of edge cases that get it instead of their usual kind. The kind `probe` is not judged. */
type Exceptions = Partial<Record<'mandatory' | 'hardening' | 'probe', readonly string[]>>;

/** For a faulty value, the case tests the requirement `label.breaks`. For any other value, it tests `about`. */
function labelFor(
  { label, edge = 'generated' }: Labelled<unknown>,
  about: TestableId<'client'>,
  exceptions: Exceptions = {},
): WireLabel {
  if (label.kind === 'fault') return { input: 'forbidden', about: label.breaks, special: edge };
  const exception = (['mandatory', 'hardening', 'probe'] as const).find((kind) => exceptions[kind]?.includes(edge));
  return { input: exception ?? (label.kind === 'valid' ? 'mandatory' : 'hardening'), about, special: edge };
}

const totals = [
  ['sale_approved_count', 'close-day/sale-approved-count', counts.edges],
  ['sale_approved_sum', 'close-day/sale-approved-sum', sums.edges],
  ['reversal_approved_count', 'close-day/reversal-approved-count', counts.edges],
  ['reversal_approved_sum', 'close-day/reversal-approved-sum', sums.edges],
] as const satisfies readonly (readonly [keyof CloseDayInput, TestableId<'client'>, readonly Labelled<string>[]])[];

type Total = (typeof totals)[number][0];

const plausibleEdges = ['zero', 'ten-after-nine', 'trailing-zero', 'whole-with-fraction'];
const wideEdges = ['above-2-to-the-53', 'forty-digits'];

/** Both counts are equal, and both sums. A client that finds fields by their values mixes them up. */
const dayWithoutTurnover: CloseDayInput = {
  ...plainCloseDay,
  sale_approved_count: '0',
  sale_approved_sum: '0.00',
  reversal_approved_count: '0',
  reversal_approved_sum: '0.00',
};

const closeDayInputs: readonly ClientScenario[] = [
  clientScenario('close-day/generated', closeDayRowIds, (draw) =>
    draw.generate(closeDayRequestWithTotals, draw.cases, (drawn) =>
      closeDayCase(drawn.value, labelFor(drawn, 'close-day/body-is-form', { mandatory: ['drawn-totals'] })),
    ),
  )`Generated valid requests`,
  clientScenario('close-day/edges', [...closeDayRowIds, 'broken-body-not-success'], () =>
    underOtherStatuses([
      ...dayCloseRequestIds.edges
        .filter(({ label }) => label.kind !== 'fault')
        .map((edge) => {
          const about = edge.edge?.startsWith('length-')
            ? 'close-day/request-id-length'
            : 'close-day/request-id-alphabet';
          return closeDayCase({ day_close_request_id: edge.value }, labelFor(edge, about));
        }),
      ...totals.flatMap(([field, , edges]) => edges.filter(isNumber).map((edge) => totalCase(field, edge))),
    ]),
  )`Valid ids, counts and sums at their limits. Each request is answered with a different HTTP status`,
  clientScenario('close-day/odd-totals', closeDayRowIds, oddTotals)`
    Counts and sums that show how a client encodes and signs`,
  clientScenario('close-day/optional-fields', closeDayRowIds, () => [
    mandatory(plainCloseDay, 'close-day/body-is-form', 'no totals'),
    mandatory(fullCloseDay, 'close-day/body-is-form', 'all totals'),
    mandatory(dayWithoutTurnover, 'close-day/body-is-form', 'equal totals'),
    ...totals.map(([field, about]) =>
      mandatory({ ...plainCloseDay, [field]: fullCloseDay[field] }, about, `${field} alone`),
    ),
    ...totals
      .filter(([field]) => field !== 'sale_approved_sum')
      .map(([field]) => totalCase(field, open('A9', 'empty', ''))),
  ])`Requests whose optional fields are absent, present or empty`,
  clientScenario('close-day/forbidden', closeDayRowIds, () => [
    closeDayCase(
      { sale_approved_count: '2' },
      { input: 'forbidden', about: 'close-day/request-id-present', special: 'no-id' },
    ),
    ...forbiddenIds.map((edge) =>
      closeDayCase({ day_close_request_id: edge.value }, labelFor(edge, 'close-day/request-id-present')),
    ),
  ])`Ids outside their limits, and a missing id`,
];

function mandatory(input: CloseDayInput, about: TestableId<'client'>, special: string): ClientPlan {
  return closeDayCase(input, { input: 'mandatory', about, special });
}

const forbiddenIds: readonly Labelled<string>[] = [
  ...dayCloseRequestIds.edges.filter(({ label }) => label.kind === 'fault'),
  fault('close-day/request-id-length', 'empty', ''),
  ...(['-', '_', ' ', '.', '\u20ac'] as const).map((character) =>
    fault('close-day/request-id-alphabet', `character ${JSON.stringify(character)}`, `a1b2${character}c3d4`),
  ),
];

function totalCase(field: Total, edge: Labelled<string>): ClientPlan {
  const [, about] = totals.find(([name]) => name === field)!;
  const label = labelFor(edge, about, { mandatory: plausibleEdges, hardening: wideEdges });
  return closeDayCase({ ...fullCloseDay, [field]: edge.value }, { ...label, special: `${field}: ${edge.edge}` });
}

function isNumber({ edge }: Labelled<string>): boolean {
  return [...plausibleEdges, ...wideEdges].includes(edge!);
}

function oddTotals(): ClientPlan[] {
  const seen = new Set<string>();
  const isNew = (edge: Labelled<string>) => {
    if (isNumber(edge) || seen.has(edge.value)) return false;
    seen.add(edge.value);
    return true;
  };
  const alternating =
    (...fields: readonly [Total, Total]) =>
    (edge: Labelled<string>, at: number) =>
      totalCase(fields[at % 2]!, edge);
  const discriminating = discriminatingInputs.flatMap((input) => {
    const [only, ...others] = input.value;
    const total = totals.find(([field]) => field === only?.[0]);
    if (only === undefined || total === undefined || others.length > 0) return [];
    const edge = { ...input, value: only[1] };
    return isNew(edge) ? [totalCase(total[0], edge)] : [];
  });
  return [
    ...discriminating,
    ...counts.edges.filter(isNew).map(alternating('sale_approved_count', 'reversal_approved_count')),
    ...sums.edges.filter(isNew).map(alternating('sale_approved_sum', 'reversal_approved_sum')),
    // After signing, an HTTP library may change the line feed to CR LF, or several blanks to one space.
    totalCase('sale_approved_sum', open('A9', 'bare-line-feed', '1\n2\t3  4')),
    totalCase('reversal_approved_sum', open('A9', 'other-punctuation', '"<>\\^`{|}')),
  ];
}

function withCell(at: number, cell: string | null): RecurringInput {
  return paymentBatch(plainCells.map((plain, index) => (index === at ? cell : plain)));
}

const csvRowsId = 'recurring/csv-rows';

const invisibleIds = rowsOf(['  ', '\u00a0', '\u200d', '\u00ad', '\u202e', '\u2028'].map((sign) => `order${sign}42`));

const misreadIds = rowsOf(
  [
    'NULL None NaN undefined true \\N 0x1F 1.10 1E5 1,000 2024-01-31 12:30 +1 -1 @1 #1 //1',
    "'1' O'Neil `1` $HOME $1 {{1}} %s %41 [1] ~1 ^1 1|2 <b> &amp; &lt; a\\nb a\\\\b C:\\temp\\ a... a--b 1. * ?",
  ].flatMap((line) => line.split(' ')),
);

const recurringInputs: readonly ClientScenario[] = [
  clientScenario('recurring/generated', recurringRowIds, (draw) => [
    ...draw.generate(payloads, draw.cases, (drawn) => payloadCase(drawn, csvRowsId)),
    // A client may decline these batches, because their order ids have unusual characters.
    ...draw.generate(plusAndSlashPayload, Math.ceil(draw.cases / 2), (drawn) => payloadCase(drawn, csvRowsId)),
  ])`Generated valid batches, also with the characters "+", "/" and "=" in their base64`,
  clientScenario('recurring/edges', [...recurringRowIds, 'broken-body-not-success'], () =>
    underOtherStatuses([
      // The document allows the order id `null`, but a client may decline such an unrealistic id.
      ...cells(0, clientOrderids.edges, { hardening: ['null'] }),
      ...cells(1, recurringPaymentIds.edges),
      // The suite cannot judge digits of another script, because it does not read them as numbers.
      ...cells(2, amounts.edges, { probe: ['arabic-indic-digits'] }),
      hardening(paymentBatch(...invisibleIds), 'client-orderid: spaces and invisible characters', csvRowsId),
      hardening(paymentBatch(...misreadIds), 'client-orderid: texts that programs misinterpret', csvRowsId),
      hardening(withCell(2, '0.0000001'), 'amount: seven fraction digits', 'recurring/amount-numeric'),
    ]),
  )`Valid and unusual cells. Each batch is answered with a different HTTP status`,
  clientScenario('recurring/tables', recurringRowIds, () => [...paddings(), ...sizes(), ...otherColumns()])`
    Batches with many rows, without rows, and with other columns`,
  clientScenario('recurring/odd-cells', recurringRowIds, (draw) =>
    draw.generate(clientOrderids.odd, Math.ceil(draw.cases / 2), (odd) => {
      const oddCells = [odd.value, '1234567890', '1.00'];
      const bothRows = odd.value.length % 2 === 0 ? [oddCells, plainCells] : [plainCells, oddCells];
      return recurringCase(paymentBatch(...bothRows), labelFor(odd, csvRowsId));
    }),
  )`Order ids that contain quotes, delimiters, line ends and non-ASCII letters`,
];

/** Puts the edge values into one batch. Those that need quotes, test a length or may be refused get their own batch. */
function cells(at: 0 | 1 | 2, edges: readonly Labelled<string>[], exceptions: Exceptions = {}): ClientPlan[] {
  const column = paymentColumns[at];
  const usualAbout = column === 'amount' ? 'recurring/amount-numeric' : csvRowsId;
  const cases = edges
    .filter(({ label }) => label.kind !== 'fault')
    .map((edge) => {
      const testsLength = edge.edge?.startsWith('length-') === true;
      const ownAbout = at === 0 ? specialRequirement(edge.value) : undefined;
      const label = labelFor(edge, testsLength ? `recurring/${column}-length` : (ownAbout ?? usualAbout), exceptions);
      const isSeparate = testsLength || label.input !== 'mandatory' || /[";]/.test(edge.value);
      return { edge, label, isSeparate };
    });
  // A client may accept each order id only once, so each row gets its own order id.
  const sharedRows = cases
    .filter(({ isSeparate }) => !isSeparate)
    .map(({ edge }, number) => [`order-${number}`, ...plainCells.slice(1)].with(at, edge.value));
  return [
    recurringCase(paymentBatch(...sharedRows), {
      input: 'mandatory',
      about: usualAbout,
      special: `${column}: plain edges`,
    }),
    ...cases
      .filter(({ isSeparate }) => isSeparate)
      .map(({ edge, label }) =>
        recurringCase(withCell(at, edge.value), { ...label, special: `${column}: ${edge.edge}` }),
      ),
  ];
}

function specialRequirement(orderid: string): TestableId<'client'> | undefined {
  if (/[^\x00-\x7f]/.test(orderid)) return 'recurring/csv-utf-8';
  // In ASCII text, only > and ~ can give a + in base64.
  return /[>~]/.test(orderid) ? 'recurring/payload-escaped' : undefined;
}

/** The CSV lengths differ by 1 or 2 bytes. So 0, 1 and 2 padding characters occur, whatever CSV style a client has. */
function paddings(): ClientPlan[] {
  return payloadFormEdges(plainRow)
    .filter(({ edge }) => edge?.startsWith('padding-'))
    .map((edge) => payloadCase(edge, 'recurring/payload-base64'));
}

function payloadCase(body: Labelled<PayloadSample>, about: TestableId<'client'>): ClientPlan {
  const { columns, rows } = body.value.csv;
  return recurringCase({ columns, rows }, labelFor(body, about));
}

function sizes(): ClientPlan[] {
  const batch = (count: number) =>
    paymentBatch(...Array.from({ length: count }, (_, at) => [`order-${at}`, paymentId(at), '1.00']));
  const sizeCase = (count: number, input: ClientLabel['input'], table = batch(count)) =>
    recurringCase(table, { input, about: csvRowsId, special: `${count} rows` });
  // A client that reads these cells as numbers loses leading zeros, and reads 0.55 as slightly more than 0.55.
  const numberLike = paymentBatch(['0042715386', paymentId(1), '1.5'], ['42715386', paymentId(2), '0.55']);
  // No size is `forbidden`, because the document does not limit the number of rows.
  return [
    sizeCase(1, 'mandatory'),
    sizeCase(2, 'mandatory', numberLike),
    sizeCase(500, 'hardening'),
    sizeCase(0, 'probe'),
    hardening(paymentBatch(plainCells, plainCells), 'two equal rows'),
  ];
}

function otherColumns(): ClientPlan[] {
  const [order, profile, amount] = plainCells;
  const table = (special: string, columns: readonly string[], ...rows: (string | null)[][]) =>
    hardening({ columns, rows }, special);
  const ids = ['client-orderid', 'recurring-payment-id'];
  return [
    table('columns in another order', ['amount', 'recurring-payment-id', 'client-orderid'], [amount, profile, order]),
    table('amount-from and amount-to', [...ids, 'amount-from', 'amount-to'], [order, profile, '0.29', '1234.50']),
    table('amount-sequence', [...ids, 'amount-sequence'], [order, profile, '1234.50']),
    table(
      'amount empty beside a range',
      [...ids, 'amount', 'amount-from', 'amount-to'],
      [order, profile, '', '0.07', '100.00'],
    ),
    table(
      'amount in one row and a range in another',
      [...ids, 'amount', 'amount-from', 'amount-to'],
      [order, profile, '1.00', null, null],
      [order, profile, null, '1.15', '9999999.99'],
    ),
    table('an unknown column', [...ids, 'amount', 'order_desc'], [order, profile, amount, 'Subscription; monthly']),
    table('an unknown column left empty', [...ids, 'amount', 'order_desc'], [order, profile, amount, '']),
    table('a column twice', [...ids, 'amount', 'order_desc', 'order_desc'], [order, profile, amount, 'a', 'b']),
  ];
}

function hardening(input: RecurringInput, special: string, about: TestableId<'client'> = csvRowsId): ClientPlan {
  return recurringCase(input, { input: 'hardening', about, special });
}

function rowsOf(ids: readonly string[]): string[][] {
  return ids.map((order) => [order, '1234567890', '1.00']);
}

function paymentId(number: number): string {
  return String(number).padStart(10, '0');
}

const absentCells = [
  ['recurring/client-orderid-present', 0],
  ['recurring/recurring-payment-id-present', 1],
  ['recurring/amount-conditional', 2],
] as const;

function outOfBounds(at: number, edges: readonly Labelled<string>[]): ClientPlan[] {
  return edges
    .filter(({ label }) => label.kind === 'fault')
    .map((edge) =>
      forbidden({ ...edge, value: withCell(at, edge.value), edge: `${paymentColumns[at]}: ${edge.edge}` }),
    );
}

function forbidden(edge: Labelled<RecurringInput>): ClientPlan {
  return recurringCase(edge.value, labelFor(edge, 'recurring/csv-rows'));
}

const recurringForbidden: ClientScenario = clientScenario(
  'recurring/forbidden',
  [
    'client-orderid-present',
    'client-orderid-length',
    'recurring-payment-id-present',
    'recurring-payment-id-length',
    'amount-conditional',
    'amount-numeric',
    'amount-length',
  ],
  () => [
    ...outOfBounds(0, clientOrderids.edges),
    ...outOfBounds(1, recurringPaymentIds.edges),
    ...outOfBounds(2, amounts.edges),
    ...absentCells.flatMap(([about, at]) => [
      forbidden(fault(about, `${paymentColumns[at]}: a cell that is absent`, withCell(at, null))),
      forbidden(
        fault(about, `${paymentColumns[at]}: no such column`, {
          columns: paymentColumns.toSpliced(at, 1),
          rows: [plainCells.toSpliced(at, 1)],
        }),
      ),
    ]),
    ...[
      ...amountFormEdges(plainRow).map((edge) => relabel(edge, (row) => csvOf([row]))),
      ...csvFaults([plainRow, { ...plainRow, 'client-orderid': 'order-2' }]),
    ]
      .filter(({ inTable }) => inTable)
      .map((edge) => forbidden(relabel(edge, ({ columns, rows }) => ({ columns, rows })))),
  ],
)`Cells that are outside their limits, missing or empty`;

export const inputScenarios: readonly ClientScenario[] = [...closeDayInputs, ...recurringInputs, recurringForbidden];
