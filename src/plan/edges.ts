/** Values at their bounds and beyond, each with a twin that differs only in that value: sections 2.1, 2.3 and 8. */
import fc from 'fast-check';
import type { Area } from '../../contracts/operations.ts';
import { requirements, type TestableId } from '../../contracts/requirements/index.ts';
import { amounts } from '../../generators/amount.ts';
import { clientOrderids } from '../../generators/client-orderid.ts';
import { closeDayRequests, discriminatingInputs } from '../../generators/close-day-request.ts';
import { counts, sums } from '../../generators/counts-and-sums.ts';
import { dayCloseRequestIds } from '../../generators/day-close-request-id.ts';
import type { Labelled } from '../../generators/labelled.ts';
import {
  type DrawnPayload,
  faultyPayloadOf,
  oddPayloadOf,
  type PaymentRow,
  paddingEdges,
} from '../../generators/payload.ts';
import { recurringPaymentIds } from '../../generators/recurring-payment-id.ts';
import type { CloseDayFields } from '../protocol/close-day.ts';
import {
  type Answered,
  answerTo,
  atOnce,
  caseOf,
  closeDay,
  closeDayScenario,
  isRow,
  paymentColumns,
  payments,
  recurring,
  recurringScenario,
  rowOf,
  rows,
  validOf,
  withoutRepeats,
  withTwin,
} from './requests.ts';
import type { Draw, PlannedCase, RequestPlan, Scenario } from './scenario.ts';

const closeDayRows = ['close-day/request-id-length-enforced', 'close-day/request-id-alphabet-enforced'] as const;
const recurringRows = [
  'recurring/client-orderid-length-enforced',
  'recurring/recurring-payment-id-length-enforced',
  'recurring/amount-length-enforced',
  'recurring/amount-numeric-enforced',
] as const;

export const edgeScenarios: readonly Scenario[] = [
  closeDayScenario('edges', ['generated-requests-accepted', ...closeDayRows], (draw) => {
    const fields = draw.values(closeDayRequests.valid, 1)[0]!.value;
    const edge = (what: string, name: string) =>
      edgeCase('close-day', what, (value: string) =>
        closeDay({ ...fields, [name]: value }, { keepsId: name === 'day_close_request_id' }),
      );
    return withTwin(closeDay(fields), (twin) => [
      ...fresh(draw, dayCloseRequestIds.edges).map(edge('day-close-request-id', 'day_close_request_id')),
      ...counts.edges.map(edge('count', 'sale_approved_count')),
      ...sums.edges.map(edge('sum', 'sale_approved_sum')),
      ...discriminatingCases(twin),
    ]);
  })`Ids, counts and sums at and beyond their limits`,
  closeDayScenario('generated-edges', ['generated-requests-accepted', ...closeDayRows], (draw) =>
    closeDayCases(draw, closeDayRequests.odd),
  )`Generated requests at and beyond the limits`,
  closeDayScenario('generated-faults', rowsOnBreaches('close-day'), (draw) =>
    closeDayCases(draw, closeDayRequests.faulty),
  )`Generated requests with one fault`,
  recurringScenario('edges', ['generated-requests-accepted', ...recurringRows], (draw) => {
    const row = rows(draw, 1)[0]!;
    const edge = (at: number, sent = (value: string) => value) =>
      edgeCase('recurring', paymentColumns[at]!, (value: string) => recurring(payments([row.with(at, sent(value))])));
    return withTwin(recurring(payments([row])), () => [
      ...fresh(draw, clientOrderids.edges).map(edge(0, draw.orderId)),
      ...recurringPaymentIds.edges.map(edge(1)),
      ...amounts.edges.map(edge(2)),
      ...paddingEdges(rowOf(row)).map(payloadCase),
    ]);
  })`Cells at and beyond their limits`,
  recurringScenario('generated-edges', ['generated-requests-accepted', ...recurringRows], (draw) =>
    recurringCases(draw, (row) => oddPayloadOf(row, draw.orderId)),
  )`Generated batches at and beyond the limits`,
  recurringScenario('generated-faults', [...rowsOnBreaches('recurring'), 'missing-payload-refused'], (draw) =>
    recurringCases(draw, (row) => faultyPayloadOf(fc.constant(row))),
  )`Generated batches with one fault: in a cell, in the CSV, in its encoding or in the form`,
].map(atOnce);

function closeDayCases(draw: Draw, arbitrary: fc.Arbitrary<Labelled<CloseDayFields>>): readonly PlannedCase[] {
  const right = draw.values(closeDayRequests.valid, 1)[0]!.value;
  return withTwin(closeDay(right), () =>
    withoutRepeats(
      draw.generate(
        arbitrary,
        draw.cases,
        edgeCase('close-day', 'close-day-request', (fields) => closeDay(fields, { keepsId: true })),
      ),
    ),
  );
}

function recurringCases(
  draw: Draw,
  drawn: (row: PaymentRow) => fc.Arbitrary<Labelled<DrawnPayload>>,
): readonly PlannedCase[] {
  const row = rows(draw, 1)[0]!;
  return withTwin(recurring(payments([row])), () => draw.generate(drawn(rowOf(row)), draw.cases, payloadCase));
}

/** Drops valid ids that an earlier run may have sent, because a gateway may refuse a used id (A7). */
function fresh(draw: Draw, ids: readonly Labelled<string>[]): Labelled<string>[] {
  return ids.filter(({ value, label }) => label.kind !== 'valid' || draw.isFresh(value));
}

function payloadCase(payload: Labelled<DrawnPayload>): PlannedCase {
  const request = ({ form }: DrawnPayload) => ({ operation: 'process-recurring-payments', body: form }) as const;
  return edgeCase('recurring', 'payload', request)(payload);
}

function edgeCase<T>(area: Area, what: string, request: (value: T) => RequestPlan) {
  return ({ value, label, edge = 'generated' }: Labelled<T>): PlannedCase => {
    const differsIn = `${what}: ${edge}`;
    const planned =
      label.kind === 'valid'
        ? validOf(`${area}/generated-requests-accepted`, differsIn, request(value))
        : caseOf(answerTo(label), differsIn, request(value));
    return { ...planned, label: { ...planned.label, edge: { generator: what, name: edge } } };
  };
}

function rowsOnBreaches(area: Area): readonly TestableId<'gateway'>[] {
  return requirements
    .filter(({ id }) => id.startsWith(`${area}/`))
    .flatMap(({ breachAtGateway = '' }) =>
      isRow(breachAtGateway as Answered) ? [breachAtGateway as TestableId<'gateway'>] : [],
    );
}

function discriminatingCases(twin: RequestPlan): PlannedCase[] {
  return discriminatingInputs.map(
    edgeCase('close-day', 'telling-input', (fields) => {
      const others = twin.body.filter(([name]) => !fields.some(([added]) => added === name));
      return { ...twin, body: [...others, ...fields] };
    }),
  );
}
