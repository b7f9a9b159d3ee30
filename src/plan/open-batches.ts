/** Batches of which the document does not say what becomes of them: observed and never judged (A7, A22, A23, A33). */
import { payments, recurring, rows } from './requests.ts';
import type { PlannedCase, Scenario } from './scenario.ts';
import { withTwin } from './signature-faults.ts';

const common = {
  operation: 'process-recurring-payments',
  effect: 'starts-payments',
  situation: 'open',
  inFlight: 1,
  shows: [],
} as const;

/** The last of all: a big batch uses up much of what a live target allows. */
export const openBatches: readonly Scenario[] = [
  {
    ...common,
    id: 'recurring/reused-order-id',
    title: 'The same client-orderid in two batches',
    plan: (draw) => {
      const request = recurring(payments(rows(draw, 1)), { keepsId: true });
      return [
        { label: { intent: 'valid' }, request },
        { label: { intent: 'open', openPoint: 'A7', twin: 0, differsIn: 'a client-orderid used before' }, request },
      ];
    },
  },
  {
    ...common,
    id: 'recurring/repeated-ids',
    title: 'The same id in two rows of a batch',
    plan: (draw) =>
      withTwin(recurring(payments(rows(draw, 2))), () =>
        (['client-orderid', 'recurring-payment-id'] as const).map((name, column) => {
          const [first = [], second = []] = rows(draw, 2);
          const batch = payments([first, second.with(column, first[column]!)]);
          return {
            label: { intent: 'open', openPoint: 'A7', differsIn: `one ${name} twice in a batch` },
            request: recurring(batch, { keepsId: true }),
          };
        }),
      ),
  },
  {
    ...common,
    id: 'recurring/gate-states',
    title: 'Batches for a gate that is closing, and for a locked one',
    plan: (draw) =>
      withTwin(recurring(payments(rows(draw, 1))), (twin) =>
        (['closing', 'locked'] as const).map((situation) => ({
          label: { intent: 'open', openPoint: 'A33', differsIn: `a gate that is ${situation}` },
          request: { ...twin, situation },
        })),
      ),
  },
  {
    ...common,
    id: 'recurring/mixed-batches',
    title: 'Batches with one bad CSV row among right ones',
    plan: (draw) =>
      withTwin(recurring(payments(rows(draw, 2))), () =>
        badCells.map(([at, cell, what]): PlannedCase => {
          const [right = [], other = []] = rows(draw, 2);
          const bad = other.map((text, index) => (index === at ? cell(text) : text));
          return {
            label: { intent: 'open', openPoint: 'A22', differsIn: `${what} in one row of two` },
            request: recurring(payments([right, bad])),
          };
        }),
      ),
  },
  {
    ...common,
    id: 'recurring/stopped-profiles',
    title: 'Batches with a stopped or an unknown recurring payment',
    needsProfiles: true,
    plan: (draw) =>
      withTwin(recurring(payments(rows(draw, 2))), () =>
        (['stopped', 'unknown'] as const).flatMap((state) => {
          const [first = [], second = [], third = []] = rows(draw, 3);
          const observed = (differsIn: string, batch: readonly (readonly string[])[]): PlannedCase => ({
            label: { intent: 'open', openPoint: 'A33', differsIn },
            request: recurring(payments(batch), { profile: { id: batch[0]![1]!, state } }),
          });
          const a = state === 'stopped' ? 'a stopped' : 'an unknown';
          return [
            observed(`${a} recurring payment beside an active one`, [first, second]),
            observed(`${a} recurring payment alone`, [third]),
          ];
        }),
      ),
  },
  {
    ...common,
    id: 'recurring/growing-batches',
    title: 'Batches of more and more payments',
    plan: (draw) =>
      withTwin(recurring(payments(rows(draw, 1))), () =>
        [10, 11, 25, 100].map((count) => ({
          label: { intent: 'open', openPoint: 'A23', differsIn: `${count} rows` },
          request: recurring(payments(rows(draw, count))),
        })),
      ),
  },
];

const badCells: readonly (readonly [at: number, cell: (right: string) => string, what: string])[] = [
  [0, () => '', 'no client-orderid'],
  [1, (id) => `${id}0`, 'a recurring-payment-id of 11 characters'],
  [2, () => 'ten', 'an amount that is a word'],
];
