/** What is sent to process-recurring-payments to show what the gateway makes of a batch, and what it answers: sections 2.3, 2.4, 4.2 and 8. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { amountFormEdges } from '../../generators/csv-row.ts';
import { validDayCloseRequestId } from '../../generators/day-close-request-id.ts';
import { validPayload } from '../../generators/payload.ts';
import { batchForms, furtherGaps, missingColumns, withNoteFor } from './batch-forms.ts';
import { headerForms } from './header-forms.ts';
import { framingScenario } from './open-forms.ts';
import {
  closeDay,
  doubled,
  faultOf,
  paymentColumns,
  payments,
  recurring,
  recurringText,
  rowOf,
  rows,
  signedOtherwiseIn,
  withOtherAmount,
  without,
  withoutRepeats,
} from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario, ScriptedAnswer } from './scenario.ts';
import { signatureScenarios, withTwin } from './signature-faults.ts';

const common = {
  operation: 'process-recurring-payments',
  effect: 'starts-payments',
  situation: 'open',
  inFlight: 1,
} as const;

export const recurringScenarios: readonly Scenario[] = [
  {
    ...common,
    id: 'recurring/one-row',
    title: 'A right batch of one payment',
    shows: [
      'authentication/recurring-valid-accepted',
      'recurring/success-status-200',
      'recurring/success-body-empty',
      'recurring/success-content-length-zero',
      'recurring/keep-alive-timeout',
    ],
    plan: (draw) => [
      { label: { intent: 'valid', about: 'authentication/recurring-valid-accepted' }, request: oneRow(draw) },
    ],
  },
  {
    ...common,
    id: 'recurring/kept-connection',
    title: 'A connection that is left silent for a minute after a right batch',
    slow: true,
    shows: ['recurring/keep-alive-kept'],
    plan: (draw) => [{ label: { intent: 'valid' }, request: { ...oneRow(draw), framing: 'kept-open' } }],
  },
  {
    ...common,
    id: 'recurring/many-rows',
    title: 'A right batch of two payments',
    shows: ['recurring/many-rows-accepted'],
    plan: (draw) => {
      const [row] = rows(draw, 1);
      // A gateway may refuse an amount: that of the twin is known to be taken.
      const two = ofOneLength(rows(draw, 2)).map(([order, profile]) => [order!, profile!, row![2]!]);
      const label = { intent: 'valid', about: 'recurring/many-rows-accepted', differsIn: '2 rows' } as const;
      return withTwin(recurring(payments([row!])), () => [{ label, request: recurring(payments(two)) }]);
    },
  },
  {
    ...common,
    id: 'recurring/amount-forms',
    title: 'CSV rows with a range or a sequence in place of the amount, and beside it',
    shows: ['recurring/amount-range-accepted', 'recurring/amount-sequence-accepted'],
    plan: (draw) => {
      const [order, profile, amount] = rows(draw, 1)[0]!;
      const form = (about: TestableId<'gateway'>, columns: readonly string[]): PlannedCase => ({
        label: { intent: 'valid', about, differsIn: `${columns.join(' and ')} in place of amount` },
        request: recurring({
          columns: ['client-orderid', 'recurring-payment-id', ...columns],
          rows: [[order!, profile!, ...columns.map(() => amount!)]],
        }),
      });
      return withTwin(recurring(payments([[order!, profile!, amount!]])), () => [
        form('recurring/amount-range-accepted', ['amount-from', 'amount-to']),
        form('recurring/amount-sequence-accepted', ['amount-sequence']),
        ...formsTogether([order!, profile!, amount!]),
      ]);
    },
  },
  {
    ...common,
    id: 'recurring/missing-fields',
    title: 'Batches that lack a required field',
    shows: [
      'recurring/missing-payload-refused',
      'recurring/missing-client-orderid-refused',
      'recurring/missing-recurring-payment-id-refused',
      'recurring/missing-amount-refused',
    ],
    plan: (draw) => {
      const row = rows(draw, 1)[0]!;
      return withTwin(recurring(payments([row])), (twin) => [
        faultOf('recurring/missing-payload-refused', 'no payload', { ...twin, body: [] }),
        faultOf('recurring/missing-payload-refused', 'an empty payload', { ...twin, body: [['payload', '']] }),
        ...missingColumns.flatMap(([about, column]) => [
          faultOf(about, `no column ${column}`, without(row, column)),
          faultOf(about, `a column note in place of ${column}`, withNoteFor(row, column)),
        ]),
        ...(draw.hasRoom ? furtherGaps(twin, row, rows(draw, 1)[0]!) : []),
      ]);
    },
  },
  {
    ...common,
    id: 'recurring/bounds-broken',
    title: 'Batches with a value outside its bounds or in another form',
    shows: [
      'recurring/client-orderid-length-enforced',
      'recurring/recurring-payment-id-length-enforced',
      'recurring/amount-length-enforced',
      'recurring/amount-numeric-enforced',
      'recurring/csv-delimiter-enforced',
    ],
    plan: (draw) => {
      const [order, profile, amount] = rows(draw, 1)[0] as unknown as [string, string, string];
      const changed = (row: readonly string[]) => recurring(payments([row]));
      return withTwin(changed([order, profile, amount]), () => [
        faultOf(
          'recurring/client-orderid-length-enforced',
          'a client-orderid of 129 characters',
          changed([order.padEnd(129, 'x'), profile, amount]),
        ),
        faultOf(
          'recurring/recurring-payment-id-length-enforced',
          'a recurring-payment-id of 11 characters',
          changed([order, profile.padEnd(11, '0'), amount]),
        ),
        faultOf(
          'recurring/amount-length-enforced',
          'an amount of 11 digits',
          changed([order, profile, '123456789.01']),
        ),
        faultOf('recurring/amount-numeric-enforced', 'an amount that is a word', changed([order, profile, 'ten'])),
        faultOf(
          'recurring/csv-delimiter-enforced',
          'a comma as delimiter',
          recurringText(`${paymentColumns.map((name) => `"${name}"`).join(',')}\n${order},${profile},${amount}\n`),
        ),
      ]);
    },
  },
  {
    ...common,
    id: 'recurring/generated',
    title: 'Generated right batches',
    inFlight: 16,
    shows: ['recurring/generated-requests-accepted'],
    plan: (draw) =>
      withTwin(recurring(payments(rows(draw, 1))), () =>
        withoutRepeats(
          draw.generate(validPayload, draw.cases, ({ value: { csv } }) => ({
            label: { intent: 'valid', about: 'recurring/generated-requests-accepted', differsIn: 'generated values' },
            request: recurring(payments(csv.rows.map((cells) => draw.payment(cells)))),
          })),
        ),
      ),
  },
  ...batchForms,
  headerForms('process-recurring-payments', oneRow),
  framingScenario('process-recurring-payments', oneRow),
  ...signatureScenarios({
    operation: 'process-recurring-payments',
    right: oneRow,
    // The other body is a right one too: the same batch with a space more at the end of its last line would not be.
    altered: (plan) => ({ ...plan, body: [['payload', doubled(plan.body[0]![1])]] }),
    large: (_, draw) => recurring(payments(rows(draw, 25))),
    own: (plan) => [signedOtherwiseIn(plan).values('a signature made over another amount', withOtherAmount)],
    other: (draw) => closeDay({ day_close_request_id: draw.values(validDayCloseRequestId, 1)[0]!.value.slice(0, 16) }),
  }),
];

/** More than one form of the amount in a row: whether that may be is open (A15). */
function formsTogether(row: readonly string[]): PlannedCase[] {
  return amountFormEdges(rowOf(row)).flatMap(({ value, label, edge }) => {
    const forms = ['amount', 'amount-from', 'amount-sequence'].filter((name) => name in value);
    if (label.kind !== 'open' || forms.length < 2) return [];
    const request = recurring({ columns: Object.keys(value), rows: [Object.values(value)] });
    return [
      {
        label: {
          intent: 'open',
          openPoint: label.openPoint,
          differsIn: `amounts: ${edge}`,
          edge: { generator: 'amount-forms', name: edge! },
        },
        request,
      },
    ];
  });
}

function oneRow(draw: Draw): RequestPlan {
  return recurring(payments(rows(draw, 1)));
}

/** As the orders of a shop are: cut to the shortest, unless that makes them equal. Generated batches have ids of different lengths. */
function ofOneLength(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const shortest = Math.min(...rows.map(([order]) => order!.length));
  const cut = rows.map(([order, ...rest]) => [order!.slice(0, shortest), ...rest]);
  return new Set(cut.map(([order]) => order)).size === rows.length ? cut : rows;
}

const shows = [
  // A body of parameters is one that may come in place of the empty one.
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
  id: 'recurring/scripted-answers',
  operation: 'process-recurring-payments',
  title: 'Right batches that are answered with each body of section 2.4',
  situation: 'open',
  effect: 'starts-payments',
  needsAnswers: true,
  // One at a time: an answer is for the next request.
  inFlight: 1,
  shows,
  plan: (draw) =>
    answers.map((answer): PlannedCase => {
      const code = answer.code === undefined ? '' : ` ${answer.code}`;
      return {
        label: { intent: 'valid', differsIn: `the answer ${answer.type}${code} under HTTP ${answer.httpStatus}` },
        request: recurring(payments(rows(draw, 1)), { answer }),
      };
    }),
};

const answers: readonly ScriptedAnswer[] = [
  { kind: 'parameters', type: 'process-recurring-payment-response', httpStatus: 200 },
  ...(['validation-error', 'error'] as const).flatMap((type) =>
    (['200', '403', '500'] as const).map(
      (code): ScriptedAnswer => ({ kind: 'parameters', type, code, httpStatus: 200 }),
    ),
  ),
];
