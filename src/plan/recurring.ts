/** Requests to process-recurring-payments, and scripted answers to them: sections 2.3, 2.4, 4.2 and 8. */
import fc from 'fast-check';
import type { TestableId } from '../../contracts/requirements/index.ts';
import { amounts } from '../../generators/amount.ts';
import { clientOrderids } from '../../generators/client-orderid.ts';
import { dayCloseRequestIds } from '../../generators/day-close-request-id.ts';
import type { AtGateway, Labelled } from '../../generators/labelled.ts';
import {
  amountFormEdges,
  type CsvStyle,
  csvFaults,
  faultyPayloadOf,
  oddPayloadOf,
  type PayloadSample,
  type PaymentRow,
  paddingEdges,
  payloads,
  plainRow,
  plainStyle,
  printCsv,
} from '../../generators/payload.ts';
import { recurringPaymentIds } from '../../generators/recurring-payment-id.ts';
import type { Pair } from '../protocol/form.ts';
import {
  atGatewayOf,
  batchOf,
  breachRequirements,
  caseOf,
  closeDay,
  concurrent,
  drawRows,
  edgeCase,
  faultsIn,
  freshIds,
  isRequirement,
  paymentColumns,
  recurring,
  renameFields,
  rowOf,
  scenariosOf,
  sendTwice,
  validCase,
  withLines,
  withoutRepeats,
  withTwin,
} from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario, ScriptedAnswer } from './scenario.ts';
import { signatureScenarios } from './signature-faults.ts';
import { contentTypes, formScenarios } from './unusual-forms.ts';

const recurringScenario = scenariosOf<'recurring'>('process-recurring-payments');

const missingColumns = [
  ['recurring/missing-client-orderid-refused', 'client-orderid'],
  ['recurring/missing-recurring-payment-id-refused', 'recurring-payment-id'],
  ['recurring/missing-amount-refused', 'amount'],
] as const satisfies readonly (readonly [TestableId<'gateway'>, string])[];

const batchForms: readonly Scenario[] = [
  recurringScenario('csv-forms', requirementsOn(csvFaults([plainRow])), (draw) => {
    const batch = drawRows(draw, 2);
    return withTwin(batchOf(batch), () => csvForms(batch, draw.isThorough));
  })`The same batch, with its CSV written in other forms`,
  recurringScenario('payload-forms', ['payload-base64-enforced', 'content-type-enforced'], (draw) =>
    withBase64urlTwin(
      withTwin(paddedBatch(drawRows(draw, 1)[0]!), (twin) => [
        ...payloadForms(twin, drawRows(draw, 1)[0]!),
        ...contentTypes(twin),
      ]),
    ),
  )`The same batch with other forms of base64, form encoding and content type`,
];

export const recurringScenarios: readonly Scenario[] = [
  recurringScenario(
    'one-row',
    [
      'authentication/recurring-valid-accepted',
      'success-status-200',
      'success-body-empty',
      'success-content-length-zero',
      'keep-alive-timeout',
    ],
    (draw) => [{ label: { intent: 'valid', about: 'authentication/recurring-valid-accepted' }, request: oneRow(draw) }],
  )`A valid batch of one payment`,
  {
    ...recurringScenario('kept-connection', ['keep-alive-kept'], (draw) => [
      { label: { intent: 'valid' }, request: { ...oneRow(draw), framing: 'kept-open' } },
    ])`A connection that stays idle for a minute after a valid batch`,
    slow: true,
  },
  recurringScenario('many-rows', ['many-rows-accepted'], (draw) => {
    const [row] = drawRows(draw, 1);
    // Use the amount of the batch with one row in both rows, because a gateway may refuse another amount.
    const twoRows = cutToSameLength(drawRows(draw, 2)).map(([order, profile]) => [order!, profile!, row![2]!]);
    return withTwin(batchOf([row!]), () => [validCase('recurring/many-rows-accepted', '2 rows', batchOf(twoRows))]);
  })`A valid batch of two payments`,
  recurringScenario('amount-forms', ['amount-range-accepted', 'amount-sequence-accepted'], (draw) => {
    const [order, profile, amount] = drawRows(draw, 1)[0]!;
    const form = (about: TestableId<'gateway'>, columns: readonly string[]) => {
      const cells = [order!, profile!, ...columns.map(() => amount!)];
      const table = { columns: ['client-orderid', 'recurring-payment-id', ...columns], rows: [cells] };
      return validCase(about, `${columns.join(' and ')} in place of amount`, recurring(table));
    };
    return withTwin(batchOf([[order!, profile!, amount!]]), () => [
      form('recurring/amount-range-accepted', ['amount-from', 'amount-to']),
      form('recurring/amount-sequence-accepted', ['amount-sequence']),
      ...mixedAmountForms([order!, profile!, amount!]),
    ]);
  })`CSV rows with a range, a sequence, or several forms of the amount`,
  recurringScenario(
    'missing-fields',
    [
      'missing-payload-refused',
      'missing-client-orderid-refused',
      'missing-recurring-payment-id-refused',
      'missing-amount-refused',
    ],
    (draw) => {
      const row = drawRows(draw, 1)[0]!;
      const columns: readonly string[] = paymentColumns;
      const missing = (about: AtGateway, differsIn: string, names: string[], cells: string[]) =>
        caseOf(about, differsIn, recurring({ columns: names, rows: [cells] }));
      return withTwin(batchOf([row]), (twin) => [
        caseOf('recurring/missing-payload-refused', 'no payload', { ...twin, body: [] }),
        caseOf('recurring/missing-payload-refused', 'an empty payload', { ...twin, body: [['payload', '']] }),
        ...missingColumns.flatMap(([about, column], at) => [
          missing(about, `no column ${column}`, columns.toSpliced(at, 1), row.toSpliced(at, 1)),
          // A gateway that ignores column names accepts this batch.
          missing(about, `a column note in place of ${column}`, columns.with(at, 'note'), row),
        ]),
        ...(draw.isThorough ? missingFieldCases(twin, row, drawRows(draw, 1)[0]!) : []),
      ]);
    },
  )`Batches that lack a required field`,
  recurringScenario(
    'bounds-broken',
    [
      'client-orderid-length-enforced',
      'recurring-payment-id-length-enforced',
      'amount-length-enforced',
      'amount-numeric-enforced',
      'csv-delimiter-enforced',
    ],
    (draw) => {
      const row = drawRows(draw, 1)[0]!;
      type Rule = 'client-orderid-length' | 'recurring-payment-id-length' | 'amount-length' | 'amount-numeric';
      const changedCase = (rule: Rule, differsIn: string, at: number, cell: (sent: string) => string) =>
        caseOf(`recurring/${rule}-enforced`, differsIn, batchOf([row.with(at, cell(row[at]!))]));
      const commas = [paymentColumns.map((name) => `"${name}"`), row].map((cells) => `${cells.join(',')}\n`).join('');
      return withTwin(batchOf([row]), () => [
        changedCase('client-orderid-length', 'a client-orderid of 129 characters', 0, (id) => id.padEnd(129, 'x')),
        changedCase('recurring-payment-id-length', 'a recurring-payment-id of 11 characters', 1, (id) =>
          id.padEnd(11, '0'),
        ),
        changedCase('amount-length', 'an amount of 11 digits', 2, () => '123456789.01'),
        changedCase('amount-numeric', 'an amount that is a word', 2, () => 'ten'),
        caseOf('recurring/csv-delimiter-enforced', 'a comma as delimiter', csvRequest(commas)),
      ]);
    },
  )`Batches in which one value breaks its limits or has a wrong form`,
  concurrent(
    recurringScenario('generated', ['generated-requests-accepted'], (draw) =>
      withTwin(oneRow(draw), () =>
        withoutRepeats(
          draw.generate(payloads, draw.cases, ({ value: { csv } }) => {
            const batch = batchOf(csv.rows.map((cells) => draw.payment(cells)));
            return validCase('recurring/generated-requests-accepted', 'generated values', batch);
          }),
        ),
      ),
    )`Generated valid batches`,
  ),
  ...batchForms,
  ...formScenarios('process-recurring-payments', oneRow),
  ...signatureScenarios({
    operation: 'process-recurring-payments',
    valid: oneRow,
    // The altered body is valid too: it has the row twice.
    alter: (plan) => ({
      ...plan,
      body: [['payload', withLines(plan.body[0]![1], ([header, row]) => [header!, row!, row!])]],
    }),
    enlarge: (_, draw) => batchOf(drawRows(draw, 25)),
    ownFaults: (plan) => [faultsIn(plan).values('a signature made over another amount', withOtherAmount)],
    otherOperation: (draw) =>
      closeDay({ day_close_request_id: draw.values(dayCloseRequestIds.valid, 1)[0]!.value.slice(0, 16) }),
  }),
];

function csvForms(batch: readonly (readonly string[])[], isThorough: boolean): PlannedCase[] {
  const printStyled = (style: Partial<CsvStyle>) => printCsv(paymentColumns, batch, { ...plainStyle, ...style });
  const plain = printStyled({});
  const [header, first] = plain.split('\n');
  const openCase = (differsIn: string, csv: string | Uint8Array) => caseOf('A12', differsIn, csvRequest(csv));
  const printChanged = (change: (cells: readonly string[], isHeader: boolean) => string[]) =>
    printCsv(
      change(paymentColumns, true),
      batch.map((row) => change(row, false)),
    );
  const reorder = (cells: readonly string[]) => [2, 0, 1].map((at) => cells[at]!);
  const faults = csvFaults(batch.map(rowOf)).filter(
    ({ edge }) => isThorough || !/^column names in (?!single)/.test(edge!),
  );
  return [
    ...casesOf(faults, ({ text }) => csvRequest(text)),
    // Send each form twice, because one accepted batch does not prove that the gateway requires this form.
    ...[1, 2].flatMap(() => [
      openCase('quotes around every cell', printStyled({ cells: 'all' })),
      openCase('CRLF line ends', printStyled({ lineEnd: '\r\n' })),
      openCase('no line end after the last row', printStyled({ finalLineEnd: false })),
    ]),
    openCase('an empty line at the end', `${plain}\n`),
    openCase('a byte-order mark', printStyled({ byteOrderMark: true })),
    openCase('columns in another order', printChanged(reorder)),
    openCase(
      'a further column',
      printChanged((row, isHeader) => [...row, isHeader ? 'order_desc' : 'Subscription']),
    ),
    openCase('the header row alone', `${header}\n`),
    openCase('ISO 8859-1 in place of UTF-8', Buffer.from(plain.replace(first!, `\u00df${first!.slice(1)}`), 'latin1')),
  ];
}

function payloadForms(twin: RequestPlan, row: readonly string[]): PlannedCase[] {
  const base64 = twin.body[0]![1];
  const csv = Buffer.from(base64, 'base64').toString('utf8');
  const open = (differsIn: string, payload: string) => caseOf('A16', differsIn, payloadRequest(payload));
  const faulty = (differsIn: string, payload: string) =>
    caseOf('recurring/payload-base64-enforced', differsIn, payloadRequest(payload));
  const other = (differsIn: string, body: readonly Pair[]) => caseOf('A30', differsIn, bodyRequest(body));
  return [
    faulty('the CSV as it is', csv),
    faulty('hexadecimal', Buffer.from(csv, 'utf8').toString('hex')),
    faulty('base64 of the base64', Buffer.from(base64, 'utf8').toString('base64')),
    open('no padding', base64.replace(/=+$/, '')),
    open('a line feed after 76 characters', `${base64.slice(0, 76)}\n${base64.slice(76)}`),
    open('a line feed at the end', `${base64}\n`),
    open('a space in place of a character', `${base64.slice(0, 10)} ${base64.slice(11)}`),
    other('payload twice', [...twin.body, ...twin.body]),
    other('a further parameter', [...twin.body, ['format', 'csv']]),
    other('Payload in place of payload', [['Payload', base64]]),
    ...alphabetCases(row),
  ];
}

/** The same payload in base64url and in base64. They differ, because `>>>` gives a `+` and `???` gives a `/`. */
function alphabetCases([order = '', ...rest]: readonly string[]): PlannedCase[] {
  const payload = batchOf([[`${order.slice(0, 64)}>>>???`, ...rest]]).body[0]![1];
  const urlSafe = payload.replaceAll('+', '-').replaceAll('/', '_');
  return [
    caseOf('A16', urlSafeAlphabet, payloadRequest(urlSafe)),
    caseOf('A37', 'an order id that brings + and / into the base64', payloadRequest(payload)),
  ];
}

const urlSafeAlphabet = 'the alphabet of base64url';

/** Compares the case with base64url with the next case: the same payload in base64. */
function withBase64urlTwin(planned: readonly PlannedCase[]): readonly PlannedCase[] {
  return planned.map((one, at) =>
    one.label.differsIn === urlSafeAlphabet ? { ...one, label: { ...one.label, twin: at + 1 } } : one,
  );
}

/** A batch with this row. Its base64 ends in `==`. */
function paddedBatch(row: readonly string[]): RequestPlan {
  return bodyRequest(paddingEdges(rowOf(row))[2]!.value.form);
}

function bodyRequest(body: readonly Pair[]): RequestPlan {
  return { operation: 'process-recurring-payments', body };
}

function payloadRequest(payload: string): RequestPlan {
  return bodyRequest([['payload', payload]]);
}

function csvRequest(csv: string | Uint8Array): RequestPlan {
  return payloadRequest(Buffer.from(csv as string).toString('base64'));
}

/** More batches without a required field, and batches with only one end of an amount range (A15). */
function missingFieldCases(twin: RequestPlan, row: readonly string[], other: readonly string[]): PlannedCase[] {
  const header = paymentColumns.map((name) => `"${name}"`);
  const batch = (cells: readonly (readonly string[])[]) =>
    csvRequest(`${[header, ...cells].map((line) => line.join(';')).join('\n')}\n`);
  const amountIn = (forms: readonly string[], cell: string) =>
    recurring({
      columns: [...paymentColumns.slice(0, 2), ...forms],
      rows: [[...row.slice(0, 2), ...forms.map(() => cell)]],
    });
  return [
    ...['PAYLOAD', 'data', 'payload[]'].map((name) =>
      caseOf('recurring/missing-payload-refused', `${name} in place of payload`, renameFields(twin, name)),
    ),
    ...missingColumns.flatMap(([about, column], at) => [
      caseOf(about, `an empty ${column}`, batch([row.with(at, '')])),
      caseOf(about, `an empty ${column} in quotes`, batch([row.with(at, '""')])),
      caseOf(about, `an empty ${column} in each row of two`, batch([row.with(at, ''), other.with(at, '')])),
    ]),
    ...[['amount-from', 'amount-to'], ['amount-sequence']].map((forms) =>
      caseOf('recurring/missing-amount-refused', `nothing but an empty ${forms.join(' and ')}`, amountIn(forms, '')),
    ),
    ...['amount-from', 'amount-to'].map((column) =>
      caseOf('A15', `${column} alone in place of amount`, amountIn([column], row[2]!)),
    ),
  ];
}

const badCells: readonly (readonly [at: number, cell: (valid: string) => string, what: string])[] = [
  [0, () => '', 'no client-orderid'],
  [1, (id) => `${id}0`, 'a recurring-payment-id of 11 characters'],
  [2, () => 'ten', 'an amount that is a word'],
];

function withOtherAmount(payload: string): string {
  const csv = Buffer.from(payload, 'base64').toString('utf8');
  return Buffer.from(csv.replace(/\d(?=\D*$)/, (digit) => (digit === '9' ? '8' : '9'))).toString('base64');
}

function casesOf<T>(values: readonly Labelled<T>[], request: (value: T) => RequestPlan): PlannedCase[] {
  return values.flatMap(({ label, edge = '', value }) =>
    label.kind === 'valid' ? [] : [caseOf(atGatewayOf(label), edge, request(value))],
  );
}

function requirementsOn(values: readonly Labelled<unknown>[]): TestableId<'gateway'>[] {
  const ids = values.flatMap(({ label }) => (label.kind === 'valid' ? [] : [atGatewayOf(label)]));
  return [...new Set(ids.filter(isRequirement))];
}

/** Rows with two of the columns `amount`, `amount-from` and `amount-sequence`. What they mean is open (A15). */
function mixedAmountForms(row: readonly string[]): PlannedCase[] {
  return amountFormEdges(rowOf(row)).flatMap(({ value, label, edge }) => {
    const forms = ['amount', 'amount-from', 'amount-sequence'].filter((name) => name in value);
    if (label.kind !== 'open' || forms.length < 2) return [];
    const batch = recurring({ columns: Object.keys(value), rows: [Object.values(value)] });
    const planned = caseOf(label.openPoint, `amounts: ${edge}`, batch);
    return [{ ...planned, label: { ...planned.label, edge: { generator: 'amount-forms', name: edge! } } }];
  });
}

function oneRow(draw: Draw): RequestPlan {
  return batchOf(drawRows(draw, 1));
}

/** Cuts all order ids to the same length, as in many shops, unless two ids would become equal. */
function cutToSameLength(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const shortest = Math.min(...rows.map(([order]) => order!.length));
  const cut = rows.map(([order, ...rest]) => [order!.slice(0, shortest), ...rest]);
  return new Set(cut.map(([order]) => order)).size === rows.length ? cut : rows;
}

const answerRequirements = [
  // `success-body-empty` also allows a body with the parameters of section 2.4.
  'recurring/success-body-empty',
  'recurring/parameters-content-type',
  'recurring/parameters-line-feed',
  'recurring/type-present',
  'recurring/type-value',
  'recurring/status-present',
  'recurring/serial-number-present',
  'recurring/serial-number-unique',
  'recurring/error-message-present',
  'recurring/error-code-present',
  'recurring/error-code-value',
  'recurring/error-id-with-500',
] as const satisfies readonly TestableId<'gateway'>[];

const scriptedAnswers: Scenario = {
  ...recurringScenario('scripted-answers', answerRequirements, (draw) =>
    answers.map((answer): PlannedCase => {
      const code = answer.code === undefined ? '' : ` ${answer.code}`;
      return {
        label: { intent: 'valid', differsIn: `the answer ${answer.type}${code} under HTTP ${answer.httpStatus}` },
        request: batchOf(drawRows(draw, 1), { answer }),
      };
    }),
  )`Valid batches, each answered with a different body of section 2.4`,
  needsAnswers: true,
};

const answers: readonly ScriptedAnswer[] = [
  { kind: 'parameters', type: 'process-recurring-payment-response', httpStatus: 200 },
  ...(['validation-error', 'error'] as const).flatMap((type) =>
    (['200', '403', '500'] as const).map(
      (code): ScriptedAnswer => ({ kind: 'parameters', type, code, httpStatus: 200 }),
    ),
  ),
];

const openBatches: readonly Scenario[] = [
  recurringScenario('reused-order-id', [], (draw) => {
    const request = batchOf(drawRows(draw, 1), { keepsId: true });
    return sendTwice('a client-orderid used before', request);
  })`The same client-orderid in two batches`,
  recurringScenario('repeated-ids', [], (draw) =>
    withTwin(batchOf(drawRows(draw, 2)), () =>
      (['client-orderid', 'recurring-payment-id'] as const).map((name, column) => {
        const [first = [], second = []] = drawRows(draw, 2);
        const batch = batchOf([first, second.with(column, first[column]!)], { keepsId: true });
        return caseOf('A7', `one ${name} twice in a batch`, batch);
      }),
    ),
  )`Batches in which two rows have the same id`,
  recurringScenario('gate-states', [], (draw) =>
    withTwin(oneRow(draw), (twin) =>
      (['closing', 'locked'] as const).map((situation) =>
        caseOf('A33', `a gate that is ${situation}`, { ...twin, situation }),
      ),
    ),
  )`Batches for a closing gate and for a locked gate`,
  recurringScenario('mixed-batches', [], (draw) =>
    withTwin(batchOf(drawRows(draw, 2)), () =>
      badCells.map(([at, cell, what]): PlannedCase => {
        const [valid = [], other = []] = drawRows(draw, 2);
        const badRow = other.map((text, index) => (index === at ? cell(text) : text));
        return caseOf('A22', `${what} in one row of two`, batchOf([valid, badRow]));
      }),
    ),
  )`Batches of one valid and one faulty CSV row`,
  {
    ...recurringScenario('stopped-profiles', [], (draw) =>
      withTwin(batchOf(drawRows(draw, 2)), () =>
        (['stopped', 'unknown'] as const).flatMap((state) => {
          const [first = [], second = [], third = []] = drawRows(draw, 3);
          const openCase = (differsIn: string, batch: readonly (readonly string[])[]): PlannedCase =>
            caseOf('A33', differsIn, batchOf(batch, { profile: { id: batch[0]![1]!, state } }));
          const subject = state === 'stopped' ? 'a stopped' : 'an unknown';
          return [
            openCase(`${subject} recurring payment beside an active one`, [first, second]),
            openCase(`${subject} recurring payment alone`, [third]),
          ];
        }),
      ),
    )`Batches with a stopped or an unknown recurring payment`,
    needsProfiles: true,
  },
  recurringScenario('growing-batches', [], (draw) =>
    withTwin(oneRow(draw), () =>
      [10, 11, 25, 100].map((count) => caseOf('A23', `${count} rows`, batchOf(drawRows(draw, count)))),
    ),
  )`Batches of 10 to 100 rows`,
];

/** These scenarios run last, because a big batch uses much of the allowance of a live target. */
export const lateScenarios: readonly Scenario[] = [scriptedAnswers, ...openBatches];

const recurringRules = [
  'recurring/client-orderid-length-enforced',
  'recurring/recurring-payment-id-length-enforced',
  'recurring/amount-length-enforced',
  'recurring/amount-numeric-enforced',
] as const;

export const recurringEdges: readonly Scenario[] = [
  recurringScenario('edges', ['generated-requests-accepted', ...recurringRules], (draw) => {
    const row = drawRows(draw, 1)[0]!;
    const edge = (at: number, sent = (value: string) => value) =>
      edgeCase('recurring', paymentColumns[at]!, (value: string) => batchOf([row.with(at, sent(value))]));
    return withTwin(batchOf([row]), () => [
      ...freshIds(draw, clientOrderids.edges).map(edge(0, draw.orderId)),
      ...recurringPaymentIds.edges.map(edge(1)),
      ...amounts.edges.map(edge(2)),
      ...paddingEdges(rowOf(row)).map(payloadCase),
    ]);
  })`Cells at and beyond their limits`,
  recurringScenario('generated-edges', ['generated-requests-accepted', ...recurringRules], (draw) =>
    recurringCases(draw, (row) => oddPayloadOf(row, draw.orderId)),
  )`Generated batches at and beyond the limits`,
  recurringScenario('generated-faults', [...breachRequirements('recurring'), 'missing-payload-refused'], (draw) =>
    recurringCases(draw, (row) => faultyPayloadOf(fc.constant(row))),
  )`Generated batches with one fault: in a cell, in the CSV, in its encoding or in the form`,
].map(concurrent);

function recurringCases(
  draw: Draw,
  arbitraryOf: (row: PaymentRow) => fc.Arbitrary<Labelled<PayloadSample>>,
): readonly PlannedCase[] {
  const row = drawRows(draw, 1)[0]!;
  return withTwin(batchOf([row]), () => draw.generate(arbitraryOf(rowOf(row)), draw.cases, payloadCase));
}

function payloadCase(payload: Labelled<PayloadSample>): PlannedCase {
  return edgeCase('recurring', 'payload', ({ form }: PayloadSample) => bodyRequest(form))(payload);
}
