/** Batches in other forms of CSV, base64 and form encoding (2.3, 4.2), and batches whose answer the document leaves open (A7, A22, A23, A33). */
import { operations } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import { type CsvStyle, csvFaults, plainRow, plainStyle, printCsv } from '../../generators/payload.ts';
import type { Pair } from '../protocol/form.ts';
import {
  type Answered,
  caseOf,
  casesOf,
  paymentColumns,
  payments,
  recurring,
  recurringScenario,
  recurringText,
  renamed,
  rowOf,
  rows,
  rowsOn,
  usedTwice,
  withTwin,
} from './requests.ts';
import type { PlannedCase, RequestPlan, Scenario } from './scenario.ts';

export const batchForms: readonly Scenario[] = [
  recurringScenario('csv-forms', rowsOn(csvFaults([plainRow])), (draw) => {
    const batch = rows(draw, 2);
    return withTwin(recurring(payments(batch)), () => csvForms(batch, draw.hasRoom));
  })`The same batch in other forms of CSV`,
  recurringScenario('payload-forms', ['payload-base64-enforced', 'content-type-enforced'], (draw) =>
    withBase64urlTwin(
      withTwin(recurring(payments(padded(rows(draw, 1)))), (twin) => [
        ...payloadForms(twin, rows(draw, 1)[0]!),
        ...contentTypes(twin),
      ]),
    ),
  )`The same batch in other forms of base64 and form encoding`,
];

function csvForms(batch: readonly (readonly string[])[], hasRoom: boolean): PlannedCase[] {
  const styled = (style: Partial<CsvStyle>) => printCsv(paymentColumns, batch, { ...plainStyle, ...style });
  const plain = styled({});
  const [header, first] = plain.split('\n');
  const open = (differsIn: string, csv: string | Uint8Array) =>
    withBody('A12', differsIn, [['payload', Buffer.from(csv as string).toString('base64')]]);
  const printed = (change: (cells: readonly string[], isHeader: boolean) => string[]) =>
    printCsv(
      change(paymentColumns, true),
      batch.map((row) => change(row, false)),
    );
  const reorder = (cells: readonly string[]) => [2, 0, 1].map((at) => cells[at]!);
  const faults = csvFaults(batch.map(rowOf)).filter(
    ({ edge }) => hasRoom || !/^column names in (?!single)/.test(edge!),
  );
  return [
    ...casesOf(faults, ({ text }) => recurringText(text)),
    // Sends these forms twice. If the gateway refuses the plain form but accepts another form both times, that form explains why.
    ...[1, 2].flatMap(() => [
      open('quotes around every cell', styled({ cells: 'all' })),
      open('CRLF line ends', styled({ lineEnd: '\r\n' })),
      open('no line end after the last row', styled({ finalLineEnd: false })),
    ]),
    open('an empty line at the end', `${plain}\n`),
    open('a byte-order mark', styled({ byteOrderMark: true })),
    open('columns in another order', printed(reorder)),
    open(
      'a further column',
      printed((row, isHeader) => [...row, isHeader ? 'order_desc' : 'Subscription']),
    ),
    open('the header row alone', `${header}\n`),
    open('ISO 8859-1 in place of UTF-8', Buffer.from(plain.replace(first!, `\u00df${first!.slice(1)}`), 'latin1')),
  ];
}

function payloadForms(twin: RequestPlan, row: readonly string[]): PlannedCase[] {
  const base64 = twin.body[0]![1];
  const csv = Buffer.from(base64, 'base64').toString('utf8');
  const open = (differsIn: string, payload: string) => withBody('A16', differsIn, [['payload', payload]]);
  const wrong = (differsIn: string, payload: string) =>
    withBody('recurring/payload-base64-enforced', differsIn, [['payload', payload]]);
  const other = (differsIn: string, body: readonly Pair[]) => withBody('A30', differsIn, body);
  return [
    wrong('the CSV as it is', csv),
    wrong('hexadecimal', Buffer.from(csv, 'utf8').toString('hex')),
    wrong('base64 of the base64', Buffer.from(base64, 'utf8').toString('base64')),
    open('no padding', base64.replace(/=+$/, '')),
    open('a line feed after 76 characters', `${base64.slice(0, 76)}\n${base64.slice(76)}`),
    open('a line feed at the end', `${base64}\n`),
    open('a space in place of a character', `${base64.slice(0, 10)} ${base64.slice(11)}`),
    other('payload twice', [...twin.body, ...twin.body]),
    other('a further parameter', [...twin.body, ['format', 'csv']]),
    other('Payload in place of payload', [['Payload', base64]]),
    ...alphabets(row),
  ];
}

/** A payload in base64url, and its twin in base64. Only order ids with characters such as > and ? give + and /. A gateway may refuse such an id (A37). */
function alphabets([order = '', ...rest]: readonly string[]): PlannedCase[] {
  const payload = recurring(payments([[`${order.slice(0, 64)}>>>???`, ...rest]])).body[0]![1];
  const urlSafe = payload.replaceAll('+', '-').replaceAll('/', '_');
  return [
    withBody('A16', urlSafeAlphabet, [['payload', urlSafe]]),
    withBody('A37', orderWithPlusAndSlash, [['payload', payload]]),
  ];
}

const urlSafeAlphabet = 'the alphabet of base64url';
const orderWithPlusAndSlash = 'an order id that brings + and / into the base64';

function withBase64urlTwin(planned: readonly PlannedCase[]): readonly PlannedCase[] {
  const twin = planned.findIndex(({ label }) => label.differsIn === orderWithPlusAndSlash);
  return planned.map((one) =>
    one.label.differsIn === urlSafeAlphabet ? { ...one, label: { ...one.label, twin } } : one,
  );
}

/** Lengthens the first order id until the base64 ends in ==. */
function padded(batch: readonly (readonly string[])[]): string[][] {
  for (const fill of ['', 'x', 'xx']) {
    const table = batch.map(([order = '', ...rest], at) => [at === 0 ? order.slice(0, 126) + fill : order, ...rest]);
    if (recurring(payments(table)).body[0]![1].endsWith('==')) return table;
  }
  throw new Error('no length of the order id gives base64 that ends in ==');
}

/** Changes only the content type of the request. */
export function contentTypes(twin: RequestPlan): PlannedCase[] {
  const area = operations[twin.operation].area;
  const about = `${area}/content-type-enforced` as const;
  const typed = (answered: Answered, differsIn: string, contentType: string | null) =>
    caseOf(answered, differsIn, { ...twin, contentType });
  // A signature covers a body only if it is a form (RFC 5849 3.4.1.3.1), so it does not cover these bodies.
  const inForm = (differsIn: string, contentType: string, rawBody: string) =>
    caseOf(about, differsIn, { ...twin, contentType, rawBody, signed: { body: () => [] } });
  return [
    typed(about, 'no Content-Type', null),
    typed(about, 'Content-Type text/plain', 'text/plain'),
    typed(about, 'Content-Type application/json', 'application/json'),
    inForm('a body of JSON', 'application/json', JSON.stringify(Object.fromEntries(twin.body))),
    inForm('a body of multipart/form-data', `multipart/form-data; boundary=${boundary}`, multipart(twin)),
    typed(about, 'the type as a parameter of another', 'text/plain; of=application/x-www-form-urlencoded'),
    typed(about, 'a longer type that starts alike', 'application/x-www-form-urlencoded-not'),
    typed('A30', 'Content-Type with charset', 'application/x-www-form-urlencoded; charset=UTF-8'),
    typed('A30', 'Content-Type in capitals', 'APPLICATION/X-WWW-FORM-URLENCODED'),
  ];
}

const boundary = 'countersign-boundary';

function multipart({ body }: RequestPlan): string {
  const parts = body.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}

function withBody(answered: Answered, differsIn: string, body: readonly Pair[]): PlannedCase {
  return caseOf(answered, differsIn, { operation: 'process-recurring-payments', body });
}

export const missingColumns = [
  ['recurring/missing-client-orderid-refused', 'client-orderid'],
  ['recurring/missing-recurring-payment-id-refused', 'recurring-payment-id'],
  ['recurring/missing-amount-refused', 'amount'],
] as const satisfies readonly (readonly [TestableId<'gateway'>, string])[];

/** Further ways to leave out a required field. A range with only one end is open (A15), because section 2.3 does not define it. */
export function furtherGaps(twin: RequestPlan, row: readonly string[], other: readonly string[]): PlannedCase[] {
  const header = paymentColumns.map((name) => `"${name}"`);
  const batch = (cells: readonly (readonly string[])[]) =>
    recurringText(`${[header, ...cells].map((line) => line.join(';')).join('\n')}\n`);
  const inForms = (forms: readonly string[], cell: string) =>
    recurring({
      columns: [...paymentColumns.slice(0, 2), ...forms],
      rows: [[...row.slice(0, 2), ...forms.map(() => cell)]],
    });
  return [
    ...['PAYLOAD', 'data', 'payload[]'].map((name) =>
      caseOf('recurring/missing-payload-refused', `${name} in place of payload`, renamed(twin, name)),
    ),
    ...missingColumns.flatMap(([about, column], at) => [
      caseOf(about, `an empty ${column}`, batch([row.with(at, '')])),
      caseOf(about, `an empty ${column} in quotes`, batch([row.with(at, '""')])),
      caseOf(about, `an empty ${column} in each row of two`, batch([row.with(at, ''), other.with(at, '')])),
    ]),
    ...[['amount-from', 'amount-to'], ['amount-sequence']].map((forms) =>
      caseOf('recurring/missing-amount-refused', `nothing but an empty ${forms.join(' and ')}`, inForms(forms, '')),
    ),
    ...['amount-from', 'amount-to'].map((column) =>
      caseOf('A15', `${column} alone in place of amount`, inForms([column], row[2]!)),
    ),
  ];
}

/** These batches are sent last, because a big batch uses much of the allowance of a live target. */
export const openBatches: readonly Scenario[] = [
  recurringScenario('reused-order-id', [], (draw) => {
    const request = recurring(payments(rows(draw, 1)), { keepsId: true });
    return usedTwice('a client-orderid used before', request);
  })`The same client-orderid in two batches`,
  recurringScenario('repeated-ids', [], (draw) =>
    withTwin(recurring(payments(rows(draw, 2))), () =>
      (['client-orderid', 'recurring-payment-id'] as const).map((name, column) => {
        const [first = [], second = []] = rows(draw, 2);
        const batch = payments([first, second.with(column, first[column]!)]);
        return caseOf('A7', `one ${name} twice in a batch`, recurring(batch, { keepsId: true }));
      }),
    ),
  )`The same id in two rows of a batch`,
  recurringScenario('gate-states', [], (draw) =>
    withTwin(recurring(payments(rows(draw, 1))), (twin) =>
      (['closing', 'locked'] as const).map((situation) =>
        caseOf('A33', `a gate that is ${situation}`, { ...twin, situation }),
      ),
    ),
  )`Batches for a closing gate and for a locked gate`,
  recurringScenario('mixed-batches', [], (draw) =>
    withTwin(recurring(payments(rows(draw, 2))), () =>
      badCells.map(([at, cell, what]): PlannedCase => {
        const [right = [], other = []] = rows(draw, 2);
        const bad = other.map((text, index) => (index === at ? cell(text) : text));
        return caseOf('A22', `${what} in one row of two`, recurring(payments([right, bad])));
      }),
    ),
  )`Batches with one faulty CSV row among valid ones`,
  {
    ...recurringScenario('stopped-profiles', [], (draw) =>
      withTwin(recurring(payments(rows(draw, 2))), () =>
        (['stopped', 'unknown'] as const).flatMap((state) => {
          const [first = [], second = [], third = []] = rows(draw, 3);
          const observed = (differsIn: string, batch: readonly (readonly string[])[]): PlannedCase =>
            caseOf('A33', differsIn, recurring(payments(batch), { profile: { id: batch[0]![1]!, state } }));
          const a = state === 'stopped' ? 'a stopped' : 'an unknown';
          return [
            observed(`${a} recurring payment beside an active one`, [first, second]),
            observed(`${a} recurring payment alone`, [third]),
          ];
        }),
      ),
    )`Batches with a stopped or an unknown recurring payment`,
    needsProfiles: true,
  },
  recurringScenario('growing-batches', [], (draw) =>
    withTwin(recurring(payments(rows(draw, 1))), () =>
      [10, 11, 25, 100].map((count) => caseOf('A23', `${count} rows`, recurring(payments(rows(draw, count))))),
    ),
  )`Batches of growing size`,
];

const badCells: readonly (readonly [at: number, cell: (right: string) => string, what: string])[] = [
  [0, () => '', 'no client-orderid'],
  [1, (id) => `${id}0`, 'a recurring-payment-id of 11 characters'],
  [2, () => 'ten', 'an amount that is a word'],
];
