/** Compares what the ledger holds with what the target itself says it did: a proof of the safety, and of the business. Pure. */

import { operations } from '../../contracts/operations.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Case } from '../record/case.ts';
import { classify } from '../rules/answers/acceptance.ts';
import { gatesOf, valueInWords } from '../rules/answers/close-day-body.ts';
import type { LedgerBalance } from '../run/allowance/ledger-lines.ts';
import { writtenPayments } from '../run/gateway/effects.ts';
import type { MockCounters } from '../run/target/control.ts';
import { centsOf, inDecimals } from '../run/target/site.ts';

/**
 * Where the mock counted more than the ledger has as accepted or unclear; a sentence each. Fewer payments are not a surprise: the
 * ledger has the worst that a batch can be read as.
 */
export function againstCounters(
  { spent, carried }: Pick<LedgerBalance, 'spent' | 'carried'>,
  before: MockCounters | undefined,
  after: MockCounters | undefined,
): string[] {
  if (before === undefined || after === undefined) return [];
  const cents = ({ totalAmount }: MockCounters) => centsOf(totalAmount) ?? 0;
  const compared = [
    ['closed days', spent.closesDay - carried.closesDay, after.closedDays - before.closedDays, String],
    ['started payments', spent.payments - carried.payments, after.startedPayments - before.startedPayments, String],
    ['charged', spent.cents - carried.cents, cents(after) - cents(before), inDecimals],
  ] as const;
  return compared
    .filter(([, ledger, counted]) => counted > ledger)
    .map(
      ([what, ledger, counted, written]) =>
        `Reconciliation: the target counted ${written(counted)} ${what}, the ledger ${written(ledger)}.`,
    );
}

/** A gateway that never counts is told of at every close-day otherwise. */
const inFull = 3;

/**
 * Between two close-days of one endpoint with a single gate, the second reports the sales since the first (section 2.2).
 * Fewer than the payments of the batches that were accepted in between, as the interface document reads them, is worth a note; more
 * may be others' business.
 */
export function againstReports(cases: readonly Case[]): string[] {
  const inOrder = [...cases].sort((a, b) => a.exchange.startedAt - b.exchange.startedAt);
  const notes: string[] = [];
  const started = new Map<string, number>();
  for (const examined of inOrder) {
    const { label, exchange } = examined;
    const endpoint = exchange.request.target.split('/').at(-1)!;
    // The way out of such a state is a close-day by hand, which starts the totals again.
    if (label.facts?.gate === 'closing' || label.facts?.gate === 'locked') started.delete(endpoint);
    if (classify(examined) !== 'accepted') continue;
    const { effect } = operations[label.operation];
    if (effect === 'starts-payments') {
      const earlier = started.get(endpoint);
      if (earlier !== undefined) started.set(endpoint, earlier + writtenPayments(exchange.request.body));
      continue;
    }
    if (effect !== 'closes-day') continue;
    const reported = reportedSales(exchange);
    const own = started.get(endpoint);
    if (own !== undefined && reported !== undefined && reported < own) {
      notes.push(
        `Reconciliation: ${own} ${own === 1 ? 'payment was' : 'payments were'} accepted at endpoint ${endpoint} between two close-days, and the second one reports ${reported}.`,
      );
    }
    started.set(endpoint, 0);
  }
  const further = notes.length - inFull;
  return further <= 1
    ? notes
    : [
        ...notes.slice(0, inFull),
        `Reconciliation: ${further} more close-days report fewer payments than were accepted.`,
      ];
}

function reportedSales(exchange: Case['exchange']): number | undefined {
  const gates = gatesOf(exchange);
  const gate = gates?.length === 1 ? gates[0] : undefined;
  const count = isJsonObject(gate) ? Number(valueInWords(gate.saleApprovedCount)) : Number.NaN;
  return Number.isInteger(count) ? count : undefined;
}
