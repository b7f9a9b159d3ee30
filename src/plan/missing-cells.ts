/** Batches in which a required value of section 2.3 is missing in other ways than as a column that is left out. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { faultOf, paymentColumns, recurring, recurringText, renamed } from './requests.ts';
import type { PlannedCase, RequestPlan } from './scenario.ts';

export const missingColumns = [
  ['recurring/missing-client-orderid-refused', 'client-orderid'],
  ['recurring/missing-recurring-payment-id-refused', 'recurring-payment-id'],
  ['recurring/missing-amount-refused', 'amount'],
] as const satisfies readonly (readonly [TestableId<'gateway'>, string])[];

/** A batch that has another column in place of that one: who goes by the place of a cell finds a value there all the same. */
export function withNoteFor(row: readonly string[], column: string): RequestPlan {
  return recurring({ columns: paymentColumns.map((name) => (name === column ? 'note' : name)), rows: [row] });
}

/** Required cells that are missing in other ways, and a range that has one end: 2.3 does not say what that means. */
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
      faultOf(
        'recurring/missing-payload-refused',
        `${name} in place of payload`,
        renamed(twin, () => name),
      ),
    ),
    ...missingColumns.flatMap(([about, column], at) => [
      faultOf(about, `an empty ${column}`, batch([row.with(at, '')])),
      faultOf(about, `an empty ${column} in quotes`, batch([row.with(at, '""')])),
      faultOf(about, `an empty ${column} in each row of two`, batch([row.with(at, ''), other.with(at, '')])),
    ]),
    ...[['amount-from', 'amount-to'], ['amount-sequence']].map((forms) =>
      faultOf('recurring/missing-amount-refused', `nothing but an empty ${forms.join(' and ')}`, inForms(forms, '')),
    ),
    ...['amount-from', 'amount-to'].map(
      (column): PlannedCase => ({
        label: { intent: 'open', openPoint: 'A15', differsIn: `${column} alone in place of amount` },
        request: inForms([column], row[2]!),
      }),
    ),
  ];
}
