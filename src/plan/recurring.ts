/** Requests to process-recurring-payments, and scripted answers with bodies of section 2.4 (2.3, 2.4, 4.2 and 8). */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { dayCloseRequestIds } from '../../generators/day-close-request-id.ts';
import { amountFormEdges, payloads } from '../../generators/payload.ts';
import { batchForms, furtherGaps, missingColumns } from './batch-forms.ts';
import { headerForms } from './header-forms.ts';
import { framingScenario } from './open-forms.ts';
import {
  atOnce,
  caseOf,
  closeDay,
  paymentColumns,
  payments,
  recurring,
  recurringScenario,
  recurringText,
  rowOf,
  rows,
  signingFaultsIn,
  validOf,
  withLines,
  withOtherAmount,
  withoutRepeats,
  withTwin,
} from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario, ScriptedAnswer } from './scenario.ts';
import { signatureScenarios } from './signature-faults.ts';

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
    const [row] = rows(draw, 1);
    // A gateway may refuse an amount, so both rows have the amount of the accepted twin.
    const two = ofOneLength(rows(draw, 2)).map(([order, profile]) => [order!, profile!, row![2]!]);
    return withTwin(recurring(payments([row!])), () => [
      validOf('recurring/many-rows-accepted', '2 rows', recurring(payments(two))),
    ]);
  })`A valid batch of two payments`,
  recurringScenario('amount-forms', ['amount-range-accepted', 'amount-sequence-accepted'], (draw) => {
    const [order, profile, amount] = rows(draw, 1)[0]!;
    const form = (about: TestableId<'gateway'>, columns: readonly string[]) => {
      const cells = [order!, profile!, ...columns.map(() => amount!)];
      const table = { columns: ['client-orderid', 'recurring-payment-id', ...columns], rows: [cells] };
      return validOf(about, `${columns.join(' and ')} in place of amount`, recurring(table));
    };
    return withTwin(recurring(payments([[order!, profile!, amount!]])), () => [
      form('recurring/amount-range-accepted', ['amount-from', 'amount-to']),
      form('recurring/amount-sequence-accepted', ['amount-sequence']),
      ...formsTogether([order!, profile!, amount!]),
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
      const row = rows(draw, 1)[0]!;
      const { columns } = payments([]);
      return withTwin(recurring(payments([row])), (twin) => [
        caseOf('recurring/missing-payload-refused', 'no payload', { ...twin, body: [] }),
        caseOf('recurring/missing-payload-refused', 'an empty payload', { ...twin, body: [['payload', '']] }),
        ...missingColumns.flatMap(([about, column], at) => [
          caseOf(
            about,
            `no column ${column}`,
            recurring({ columns: columns.toSpliced(at, 1), rows: [row.toSpliced(at, 1)] }),
          ),
          // A gateway that reads cells by position finds the value in spite of the wrong column name.
          caseOf(
            about,
            `a column note in place of ${column}`,
            recurring({ columns: columns.with(at, 'note'), rows: [row] }),
          ),
        ]),
        ...(draw.hasRoom ? furtherGaps(twin, row, rows(draw, 1)[0]!) : []),
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
      const [order, profile, amount] = rows(draw, 1)[0] as unknown as [string, string, string];
      type Rule = 'client-orderid-length' | 'recurring-payment-id-length' | 'amount-length' | 'amount-numeric';
      const changed = (rule: Rule, differsIn: string, at: number, cell: string) =>
        caseOf(`recurring/${rule}-enforced`, differsIn, recurring(payments([[order, profile, amount].with(at, cell)])));
      const commas = `${paymentColumns.map((name) => `"${name}"`).join(',')}\n${order},${profile},${amount}\n`;
      return withTwin(recurring(payments([[order, profile, amount]])), () => [
        changed('client-orderid-length', 'a client-orderid of 129 characters', 0, order.padEnd(129, 'x')),
        changed('recurring-payment-id-length', 'a recurring-payment-id of 11 characters', 1, profile.padEnd(11, '0')),
        changed('amount-length', 'an amount of 11 digits', 2, '123456789.01'),
        changed('amount-numeric', 'an amount that is a word', 2, 'ten'),
        caseOf('recurring/csv-delimiter-enforced', 'a comma as delimiter', recurringText(commas)),
      ]);
    },
  )`Batches with a value outside its limits or in another form`,
  atOnce(
    recurringScenario('generated', ['generated-requests-accepted'], (draw) =>
      withTwin(recurring(payments(rows(draw, 1))), () =>
        withoutRepeats(
          draw.generate(payloads, draw.cases, ({ value: { csv } }) => {
            const batch = recurring(payments(csv.rows.map((cells) => draw.payment(cells))));
            return validOf('recurring/generated-requests-accepted', 'generated values', batch);
          }),
        ),
      ),
    )`Generated valid batches`,
  ),
  ...batchForms,
  headerForms('process-recurring-payments', oneRow),
  framingScenario('process-recurring-payments', oneRow),
  ...signatureScenarios({
    operation: 'process-recurring-payments',
    right: oneRow,
    // The other body is valid too: it repeats the row.
    altered: (plan) => ({
      ...plan,
      body: [['payload', withLines(plan.body[0]![1], ([header, row]) => [header!, row!, row!])]],
    }),
    large: (_, draw) => recurring(payments(rows(draw, 25))),
    own: (plan) => [signingFaultsIn(plan).values('a signature made over another amount', withOtherAmount)],
    other: (draw) =>
      closeDay({ day_close_request_id: draw.values(dayCloseRequestIds.valid, 1)[0]!.value.slice(0, 16) }),
  }),
];

/** Rows with more than one form of the amount. The document does not say if such rows are allowed (A15). */
function formsTogether(row: readonly string[]): PlannedCase[] {
  return amountFormEdges(rowOf(row)).flatMap(({ value, label, edge }) => {
    const forms = ['amount', 'amount-from', 'amount-sequence'].filter((name) => name in value);
    if (label.kind !== 'open' || forms.length < 2) return [];
    const batch = recurring({ columns: Object.keys(value), rows: [Object.values(value)] });
    const planned = caseOf(label.openPoint, `amounts: ${edge}`, batch);
    return [{ ...planned, label: { ...planned.label, edge: { generator: 'amount-forms', name: edge! } } }];
  });
}

function oneRow(draw: Draw): RequestPlan {
  return recurring(payments(rows(draw, 1)));
}

/** Cuts order ids to the length of the shortest id, as ids of a shop often have one length. Equal ids are not cut. */
function ofOneLength(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const shortest = Math.min(...rows.map(([order]) => order!.length));
  const cut = rows.map(([order, ...rest]) => [order!.slice(0, shortest), ...rest]);
  return new Set(cut.map(([order]) => order)).size === rows.length ? cut : rows;
}

const shows = [
  // The scripted answers have bodies with parameters, which this requirement allows.
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

export const scriptedAnswers: Scenario = {
  ...recurringScenario('scripted-answers', shows, (draw) =>
    answers.map((answer): PlannedCase => {
      const code = answer.code === undefined ? '' : ` ${answer.code}`;
      return {
        label: { intent: 'valid', differsIn: `the answer ${answer.type}${code} under HTTP ${answer.httpStatus}` },
        request: recurring(payments(rows(draw, 1)), { answer }),
      };
    }),
  )`Valid batches, each answered with another body of section 2.4`,
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
