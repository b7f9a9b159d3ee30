/** The same batch in other forms of CSV, for a target that refuses it in the suite's own: which form it has is open (A12). Pure. */
import { type CsvStyle, plainStyle, printCsv } from '../../../generators/print-csv.ts';
import type { PlannedCase } from '../../plan/scenario.ts';
import { decodeCsv } from '../../protocol/csv.ts';
import type { LiveStep } from './order.ts';

const forms: readonly (readonly [differsIn: string, style: Partial<CsvStyle>])[] = [
  ['CRLF line ends', { lineEnd: '\r\n' }],
  ['quotes around every cell', { cells: 'all' }],
  ['no line end after the last row', { finalLineEnd: false }],
  ['quotes around every cell and CRLF line ends', { cells: 'all', lineEnd: '\r\n' }],
  ['CRLF line ends, and none after the last row', { lineEnd: '\r\n', finalLineEnd: false }],
];

/** Whether a refusal in this step is followed by the other forms. */
export function asksOtherForms({ phase, scenario }: LiveStep): boolean {
  return phase === 'first positives' && scenario.operation === 'process-recurring-payments';
}

/** @param planned a right batch, in the plain form */
export function inOtherForms(planned: PlannedCase, number: number): readonly PlannedCase[] {
  const [, payload] = planned.request.body[0]!;
  const { columns, rows } = decodeCsv(Buffer.from(payload, 'base64').toString('utf8'));
  // Each twice: one acceptance may be chance.
  return forms
    .flatMap((form) => [form, form])
    .map(([differsIn, style]) => {
      const csv = printCsv(columns, rows, { ...plainStyle, ...style });
      return {
        label: { intent: 'open', openPoint: 'A12', twin: number, differsIn },
        request: { ...planned.request, body: [['payload', Buffer.from(csv, 'utf8').toString('base64')]] },
      };
    });
}
