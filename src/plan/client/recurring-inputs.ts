/** Batches that a client must send, and batches that it must refuse: sections 2.3, 4.2 and 8. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { amounts } from '../../../generators/amount.ts';
import { clientOrderids } from '../../../generators/client-orderid.ts';
import { fault, type Labelled, relabel } from '../../../generators/labelled.ts';
import {
  amountFormEdges,
  csvFaults,
  csvOf,
  type DrawnPayload,
  payloadFormEdges,
  payloads,
  plainRow,
  plusAndSlashPayload,
} from '../../../generators/payload.ts';
import { recurringPaymentIds } from '../../../generators/recurring-payment-id.ts';
import type { InputKind, RecurringInput } from '../../record/case.ts';
import { paymentColumns } from '../requests.ts';
import type { ClientPlan, ClientScenario } from '../scenario.ts';
import { underOtherStatuses } from './broken-bodies.ts';
import {
  classified,
  clientScenario,
  type Exceptions,
  paymentBatch,
  plainCells,
  recurringCase,
  recurringRowIds,
  withCell,
} from './cases.ts';

const rows = 'recurring/csv-rows';

/** Order ids with characters that programs silently remove or replace. */
const invisibleIds = orders(['  ', '\u00a0', '\u200d', '\u00ad', '\u202e', '\u2028'].map((sign) => `order${sign}42`));

/** Order ids that programs may interpret as a value, a comment, an escape or a command. */
const words = orders(
  [
    'NULL None NaN undefined true \\N 0x1F 1.10 1E5 1,000 2024-01-31 12:30 +1 -1 @1 #1 //1',
    "'1' O'Neil `1` $HOME $1 {{1}} %s %41 [1] ~1 ^1 1|2 <b> &amp; &lt; a\\nb a\\\\b C:\\temp\\ a... a--b 1. * ?",
  ].flatMap((line) => line.split(' ')),
);

export const recurringInputScenarios: readonly ClientScenario[] = [
  clientScenario('recurring/generated', recurringRowIds, (draw) => [
    ...draw.generate(payloads, draw.cases, (drawn) => generated(drawn, rows)),
    // A client may decline these batches, because their order ids have unusual characters.
    ...draw.generate(plusAndSlashPayload, Math.ceil(draw.cases / 2), (drawn) => generated(drawn, rows)),
  ])`Generated valid batches, and batches whose base64 has +, / and =`,
  clientScenario('recurring/edges', [...recurringRowIds, 'broken-body-not-success'], () =>
    underOtherStatuses([
      // The document allows the order id `null`, but a client may decline such an unrealistic id.
      ...cells(0, clientOrderids.edges, { hardening: ['null'] }),
      ...cells(1, recurringPaymentIds.edges),
      // A `probe`, because no judge reads digits of another script as a number.
      ...cells(2, amounts.edges, { probe: ['arabic-indic-digits'] }),
      hardening(paymentBatch(...invisibleIds), 'client-orderid: spaces and invisible characters', rows),
      hardening(paymentBatch(...words), 'client-orderid: texts that programs misinterpret', rows),
      hardening(withCell(2, '0.0000001'), 'amount: seven fraction digits', 'recurring/amount-numeric'),
    ]),
  )`Valid and unusual cells, each batch answered with another HTTP status`,
  clientScenario('recurring/tables', recurringRowIds, () => [...paddings(), ...sizes(), ...otherColumns()])`
    Batches with many rows, without rows, and with other columns`,
  clientScenario('recurring/odd-cells', recurringRowIds, (draw) =>
    draw.generate(clientOrderids.odd, Math.ceil(draw.cases / 2), (odd) => {
      const oddCells = [odd.value, '1234567890', '1.00'];
      const cellsOf = odd.value.length % 2 === 0 ? [oddCells, plainCells] : [plainCells, oddCells];
      return recurringCase(paymentBatch(...cellsOf), classified(odd, rows));
    }),
  )`Order ids that contain quotes, delimiters, line ends and non-ASCII letters`,
];

/** Plain edges share a batch. An edge has its own batch if a client may refuse it, if it tests a length, or if it needs quotes. */
function cells(at: 0 | 1 | 2, edges: readonly Labelled<string>[], exceptions: Exceptions = {}): ClientPlan[] {
  const column = paymentColumns[at];
  const otherwise = column === 'amount' ? 'recurring/amount-numeric' : rows;
  const cases = edges
    .filter(({ label }) => label.kind !== 'fault')
    .map((edge) => {
      const aboutLength = edge.edge?.startsWith('length-') === true;
      const untested = at === 0 ? untestedWithout(edge.value) : undefined;
      const label = classified(edge, aboutLength ? `recurring/${column}-length` : (untested ?? otherwise), exceptions);
      const alone = aboutLength || label.input !== 'mandatory' || /[";]/.test(edge.value);
      return { edge, label, alone };
    });
  // A client may accept each order only once, so each row gets its own order.
  const together = cases
    .filter(({ alone }) => !alone)
    .map(({ edge }, number) => [`order-${number}`, ...plainCells.slice(1)].with(at, edge.value));
  return [
    recurringCase(paymentBatch(...together), {
      input: 'mandatory',
      about: otherwise,
      special: `${column}: plain edges`,
    }),
    ...cases
      .filter(({ alone }) => alone)
      .map(({ edge, label }) =>
        recurringCase(withCell(at, edge.value), { ...label, special: `${column}: ${edge.edge}` }),
      ),
  ];
}

/** The requirement that stays untested if the client declines this order id. Only an order id with > or ~ gives a + in base64. */
function untestedWithout(orderid: string): TestableId<'client'> | undefined {
  if (/[^\x00-\x7f]/.test(orderid)) return 'recurring/csv-utf-8';
  return /[>~]/.test(orderid) ? 'recurring/payload-escaped' : undefined;
}

/** Three lengths give 0, 1 and 2 padding characters, whatever line ends and quotes the client writes. */
function paddings(): ClientPlan[] {
  return payloadFormEdges(plainRow)
    .filter(({ edge }) => edge?.startsWith('padding-'))
    .map((edge) => generated(edge, 'recurring/payload-base64'));
}

function generated(body: Labelled<DrawnPayload>, about: TestableId<'client'>): ClientPlan {
  const { columns, rows } = body.value.csv;
  return recurringCase({ columns, rows }, classified(body, about));
}

function sizes(): ClientPlan[] {
  const batch = (count: number) =>
    paymentBatch(...Array.from({ length: count }, (_, at) => [`order-${at}`, id(at), '1.00']));
  const sized = (count: number, input: InputKind, given = batch(count)) =>
    recurringCase(given, { input, about: rows, special: `${count} rows` });
  // A client that reads these cells as numbers loses zeros, and reads 0.55 as slightly more than 0.55.
  const likeNumbers = paymentBatch(['0042715386', id(1), '1.5'], ['42715386', id(2), '0.55']);
  // The document does not limit the number of rows, so no number of rows is a fault.
  return [
    sized(1, 'mandatory'),
    sized(2, 'mandatory', likeNumbers),
    sized(500, 'hardening'),
    sized(0, 'probe'),
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

function hardening(input: RecurringInput, special: string, about: TestableId<'client'> = rows): ClientPlan {
  return recurringCase(input, { input: 'hardening', about, special });
}

function orders(ids: readonly string[]): string[][] {
  return ids.map((order) => [order, '1234567890', '1.00']);
}

function id(number: number): string {
  return String(number).padStart(10, '0');
}

export const recurringForbidden: ClientScenario = clientScenario(
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
    ...absent.flatMap(([about, at]) => [
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

const absent = [
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
  return recurringCase(edge.value, classified(edge, 'recurring/csv-rows'));
}
