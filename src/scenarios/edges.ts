/** Values at the edges of their bounds and beyond, each with a twin that differs in that one value: sections 2.1, 2.3 and 8. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { amountEdges, faultyAmount } from '../../generators/amount.ts';
import { clientOrderidEdges, faultyClientOrderid } from '../../generators/client-orderid.ts';
import { validCloseDayRequest } from '../../generators/close-day-request.ts';
import { countEdges, sumEdges } from '../../generators/counts-and-sums.ts';
import { dayCloseRequestIdEdges, faultyDayCloseRequestId } from '../../generators/day-close-request-id.ts';
import type { Labelled } from '../../generators/labelled.ts';
import { faultyRecurringPaymentId, recurringPaymentIdEdges } from '../../generators/recurring-payment-id.ts';
import { tellingInputs } from '../../generators/telling-inputs.ts';
import { closeDay, paymentColumns, payments, recurring } from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario } from './scenario.ts';
import { withTwin } from './signature-faults.ts';

/** What a client must not send, and the row that says what a gateway makes of it. */
const enforcedBy: Readonly<Partial<Record<RequirementId, RequirementId>>> = {
  'close-day/request-id-present': 'close-day/missing-request-id-refused',
  'close-day/request-id-length': 'close-day/request-id-length-enforced',
  'close-day/request-id-alphabet': 'close-day/request-id-alphabet-enforced',
  'recurring/client-orderid-present': 'recurring/missing-client-orderid-refused',
  'recurring/client-orderid-length': 'recurring/client-orderid-length-enforced',
  'recurring/recurring-payment-id-present': 'recurring/missing-recurring-payment-id-refused',
  'recurring/recurring-payment-id-length': 'recurring/recurring-payment-id-length-enforced',
  'recurring/amount-conditional': 'recurring/missing-amount-refused',
  'recurring/amount-length': 'recurring/amount-length-enforced',
  'recurring/amount-numeric': 'recurring/amount-numeric-enforced',
};

const closeDayRows = ['close-day/request-id-length-enforced', 'close-day/request-id-alphabet-enforced'] as const;
const recurringRows = [
  'recurring/client-orderid-length-enforced',
  'recurring/recurring-payment-id-length-enforced',
  'recurring/amount-length-enforced',
  'recurring/amount-numeric-enforced',
] as const;

const ofCloseDay = { operation: 'close-day', effect: 'closes-day', situation: 'open', inFlight: 16 } as const;
const ofRecurring = {
  operation: 'process-recurring-payments',
  effect: 'starts-payments',
  situation: 'open',
  inFlight: 16,
} as const;

/** `rows` draws right rows of the three named columns. */
export function edgeScenarios(rows: (draw: Draw, count: number) => string[][]): Scenario[] {
  return [
    {
      ...ofCloseDay,
      id: 'close-day/edges',
      title: 'Ids, counts and sums at and beyond their edges',
      shows: ['close-day/generated-requests-accepted', ...closeDayRows],
      plan: (draw) => {
        const fields = draw.values(validCloseDayRequest, 1)[0]!.value;
        const full = { sale_approved_count: '2', sale_approved_sum: '10.42', ...fields };
        const put = (name: string) => (value: string) =>
          closeDay({ ...full, [name]: value }, { keepsId: name === 'day_close_request_id' });
        return withTwin(closeDay(full), (twin) => [
          ...cases('close-day', 'id', dayCloseRequestIdEdges, put('day_close_request_id')),
          ...cases('close-day', 'count', countEdges, put('sale_approved_count')),
          ...cases('close-day', 'sum', sumEdges, put('sale_approved_sum')),
          ...telling(twin),
        ]);
      },
    },
    {
      ...ofCloseDay,
      id: 'close-day/generated-faults',
      title: 'Generated ids with one fault',
      shows: closeDayRows,
      plan: (draw) => {
        const fields = draw.values(validCloseDayRequest, 1)[0]!.value;
        return withTwin(closeDay(fields), () =>
          draw.generate(faultyDayCloseRequestId, draw.cases, (labelled) =>
            caseOf('close-day', 'id', labelled, (id) =>
              closeDay({ ...fields, day_close_request_id: id }, { keepsId: true }),
            ),
          ),
        );
      },
    },
    {
      ...ofRecurring,
      id: 'recurring/edges',
      title: 'Cells at and beyond their edges',
      shows: ['recurring/generated-requests-accepted', ...recurringRows],
      plan: (draw) => {
        const row = rows(draw, 1)[0]!;
        return withTwin(recurring(payments([row])), () => [
          ...cases('recurring', 'client-orderid', clientOrderidEdges, (value) => putCell(row, 0)(draw.orderId(value))),
          ...cases('recurring', 'recurring-payment-id', recurringPaymentIdEdges, putCell(row, 1)),
          ...cases('recurring', 'amount', amountEdges, putCell(row, 2)),
        ]);
      },
    },
    {
      ...ofRecurring,
      id: 'recurring/generated-faults',
      title: 'Generated cells with one fault',
      shows: recurringRows,
      plan: (draw) => {
        const row = rows(draw, 1)[0]!;
        const third = Math.ceil(draw.cases / 3);
        return withTwin(recurring(payments([row])), () => [
          ...draw.generate(faultyClientOrderid, third, (cell) =>
            caseOf('recurring', 'client-orderid', cell, putCell(row, 0)),
          ),
          ...draw.generate(faultyRecurringPaymentId, third, (cell) =>
            caseOf('recurring', 'recurring-payment-id', cell, putCell(row, 1)),
          ),
          ...draw.generate(faultyAmount, third, (cell) => caseOf('recurring', 'amount', cell, putCell(row, 2))),
        ]);
      },
    },
  ];
}

type Area = 'close-day' | 'recurring';

function cases(
  area: Area,
  what: string,
  values: readonly Labelled<string>[],
  request: (value: string) => RequestPlan,
): PlannedCase[] {
  return values.map((labelled) => caseOf(area, what, labelled, request));
}

/** What is right must be accepted, what is wrong refused, what is open is observed. */
function caseOf(
  area: Area,
  what: string,
  { value, label, edge = 'generated' }: Labelled<string>,
  request: (value: string) => RequestPlan,
): PlannedCase {
  const differsIn = `${what}: ${edge}`;
  if (label.kind === 'open') {
    return { label: { intent: 'open', openPoint: label.openPoint, differsIn }, request: request(value) };
  }
  if (label.kind === 'valid') {
    const about = `${area}/generated-requests-accepted` as const;
    return { label: { intent: 'valid', about, differsIn }, request: request(value) };
  }
  const about = enforcedBy[label.breaks];
  if (about === undefined) throw new Error(`no row says what a gateway makes of a breach of ${label.breaks}`);
  return { label: { intent: 'fault', about, differsIn }, request: request(value) };
}

/** The telling inputs that are form fields: whether a gateway signs them as RFC 5849 does shows in whether it takes them. */
function telling(twin: RequestPlan): PlannedCase[] {
  return tellingInputs.flatMap(({ value: { form }, edge, label }) => {
    if (form === undefined || label.kind !== 'open') return [];
    const names = form.map(([name]) => name);
    const body = [...twin.body.filter(([name]) => !names.includes(name)), ...form];
    const differsIn = `telling input: ${edge}`;
    return [{ label: { intent: 'open', openPoint: label.openPoint, differsIn }, request: { ...twin, body } }];
  });
}

function putCell(row: readonly string[], at: number): (value: string) => RequestPlan {
  return (value) => recurring(payments([paymentColumns.map((_, index) => (index === at ? value : row[index]!))]));
}
