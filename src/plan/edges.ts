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
import { type DrawnPayload, faultyPayloadOf, oddPayloadOf, paddingEdges } from '../../generators/payload.ts';
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
    const put = (name: string) => (value: string) =>
      closeDay({ ...fields, [name]: value }, { keepsId: name === 'day_close_request_id' });
    return withTwin(closeDay(fields), (twin) => [
      ...cases('close-day', 'day-close-request-id', fresh(draw, dayCloseRequestIds.edges), put('day_close_request_id')),
      ...cases('close-day', 'count', counts.edges, put('sale_approved_count')),
      ...cases('close-day', 'sum', sums.edges, put('sale_approved_sum')),
      ...telling(twin),
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
    return withTwin(recurring(payments([row])), () => [
      ...cases('recurring', 'client-orderid', fresh(draw, clientOrderids.edges), (value) =>
        putCell(row, 0)(draw.orderId(value)),
      ),
      ...cases('recurring', 'recurring-payment-id', recurringPaymentIds.edges, putCell(row, 1)),
      ...cases('recurring', 'amount', amounts.edges, putCell(row, 2)),
      ...paddingEdges(rowOf(row)).map((one) => edgeCase('recurring', 'payload', one, bodyPlan)),
    ]);
  })`Cells at and beyond their limits`,
  recurringScenario('generated-edges', ['generated-requests-accepted', ...recurringRows], (draw) => {
    const row = rows(draw, 1)[0]!;
    return withTwin(recurring(payments([row])), () =>
      draw.generate(oddPayloadOf(rowOf(row), draw.orderId), draw.cases, (one) =>
        edgeCase('recurring', 'payload', one, bodyPlan),
      ),
    );
  })`Generated batches at and beyond the limits`,
  recurringScenario('generated-faults', [...rowsOnBreaches('recurring'), 'missing-payload-refused'], (draw) => {
    const row = rows(draw, 1)[0]!;
    return withTwin(recurring(payments([row])), () =>
      draw.generate(faultyPayloadOf(fc.constant(rowOf(row))), draw.cases, (one) =>
        edgeCase('recurring', 'payload', one, bodyPlan),
      ),
    );
  })`Generated batches with one fault: in a cell, in the CSV, in its encoding or in the form`,
].map(atOnce);

function closeDayCases(draw: Draw, arbitrary: fc.Arbitrary<Labelled<CloseDayFields>>): readonly PlannedCase[] {
  const right = draw.values(closeDayRequests.valid, 1)[0]!.value;
  return withTwin(closeDay(right), () =>
    withoutRepeats(
      draw.generate(arbitrary, draw.cases, (one) =>
        edgeCase('close-day', 'close-day-request', one, (fields) => closeDay(fields, { keepsId: true })),
      ),
    ),
  );
}

/** Drops valid ids of earlier runs, because a gateway may refuse them (A7). */
function fresh(draw: Draw, ids: readonly Labelled<string>[]): Labelled<string>[] {
  return ids.filter(({ value, label }) => label.kind !== 'valid' || draw.isFresh(value));
}

function bodyPlan({ form }: DrawnPayload): RequestPlan {
  return { operation: 'process-recurring-payments', body: form };
}

function cases(
  area: Area,
  what: string,
  values: readonly Labelled<string>[],
  request: (value: string) => RequestPlan,
): PlannedCase[] {
  return values.map((labelled) => edgeCase(area, what, labelled, request));
}

function edgeCase<T>(
  area: Area,
  what: string,
  { value, label, edge = 'generated' }: Labelled<T>,
  request: (value: T) => RequestPlan,
): PlannedCase {
  const differsIn = `${what}: ${edge}`;
  const planned =
    label.kind === 'valid'
      ? validOf(`${area}/generated-requests-accepted`, differsIn, request(value))
      : caseOf(answerTo(label), differsIn, request(value));
  return { ...planned, label: { ...planned.label, edge: { generator: what, name: edge } } };
}

function rowsOnBreaches(area: Area): readonly TestableId<'gateway'>[] {
  return requirements
    .filter(({ id }) => id.startsWith(`${area}/`))
    .flatMap(({ breachAtGateway = '' }) =>
      isRow(breachAtGateway as Answered) ? [breachAtGateway as TestableId<'gateway'>] : [],
    );
}

/** A gateway that signs them as RFC 5849 does accepts them. */
function telling(twin: RequestPlan): PlannedCase[] {
  return discriminatingInputs.map((one) =>
    edgeCase('close-day', 'telling-input', one, (fields) => {
      const others = twin.body.filter(([name]) => !fields.some(([added]) => added === name));
      return { ...twin, body: [...others, ...fields] };
    }),
  );
}

function putCell(row: readonly string[], at: number): (value: string) => RequestPlan {
  return (value) => recurring(payments([paymentColumns.map((_, index) => (index === at ? value : row[index]!))]));
}
