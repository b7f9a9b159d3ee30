/** Batches that a client must not send, each with the one row that it breaks: sections 2.3 and 8. */
import { amountEdges } from '../../../generators/amount.ts';
import { clientOrderidEdges } from '../../../generators/client-orderid.ts';
import { csvRowEdges } from '../../../generators/csv-row.ts';
import { fault, type Labelled } from '../../../generators/labelled.ts';
import { recurringPaymentIdEdges } from '../../../generators/recurring-payment-id.ts';
import type { RecurringInput } from '../../record/client-case.ts';
import type { ClientPlan, ClientScenario } from './client-scenario.ts';
import { classified, documentedColumns, plainCells, recurringCase, withCell } from './wire-plans.ts';

export const recurringForbidden: ClientScenario = {
  id: 'recurring/forbidden',
  operation: 'process-recurring-payments',
  title: 'Cells outside their bounds, absent and empty ones',
  shows: [
    'recurring/client-orderid-present',
    'recurring/client-orderid-length',
    'recurring/recurring-payment-id-present',
    'recurring/recurring-payment-id-length',
    'recurring/amount-conditional',
    'recurring/amount-numeric',
    'recurring/amount-length',
  ],
  plan: () => [
    ...outOfBounds(0, clientOrderidEdges),
    ...outOfBounds(1, recurringPaymentIdEdges),
    ...outOfBounds(2, amountEdges),
    ...absent.flatMap(([about, at]) => [
      forbidden(fault(about, `${documentedColumns[at]}: a cell that is absent`, withCell(at, null))),
      forbidden(fault(about, `${documentedColumns[at]}: no such column`, withoutColumn(at))),
    ]),
    ...csvRowEdges
      .filter(({ edge }) => edge === 'amount-from-alone' || edge === 'amount-to-alone' || edge === 'empty-amount')
      .map((edge) =>
        forbidden({ ...edge, value: { columns: Object.keys(edge.value), rows: [Object.values(edge.value)] } }),
      ),
  ],
};

const absent = [
  ['recurring/client-orderid-present', 0],
  ['recurring/recurring-payment-id-present', 1],
  ['recurring/amount-conditional', 2],
] as const;

function outOfBounds(at: number, edges: readonly Labelled<string>[]): ClientPlan[] {
  return edges
    .filter(({ label }) => label.kind === 'fault')
    .map((edge) =>
      forbidden({ ...edge, value: withCell(at, edge.value), edge: `${documentedColumns[at]}: ${edge.edge}` }),
    );
}

function forbidden(edge: Labelled<RecurringInput>): ClientPlan {
  return recurringCase(edge.value, classified(edge, 'recurring/csv-rows'));
}

function withoutColumn(at: number): RecurringInput {
  return {
    columns: documentedColumns.filter((_, index) => index !== at),
    rows: [plainCells.filter((_, index) => index !== at)],
  };
}
