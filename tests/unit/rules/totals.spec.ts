/** All four totals in one request, beside each of them alone. */
import type { Case } from '../../../src/record/case.ts';
import { judgeCases } from '../../../src/rules/index.ts';
import { expect, test } from '../../engine.ts';
import { errorAnswer, finished } from './sample-cases.ts';

const fields = [
  'sale_approved_count',
  'sale_approved_sum',
  'reversal_approved_count',
  'reversal_approved_sum',
] as const;
const rows = fields.map(
  (field) => `close-day/accepts-${field.replaceAll('_', '-')}` as 'close-day/accepts-sale-approved-sum',
);
const twin = { scenario: 's', number: 9 };

/** `together` and each alone as they were answered; the right request after them was accepted. */
function judged(together: 'taken' | 'refused', ...refused: readonly string[]): readonly (string | undefined)[] {
  const sent = (number: number, isTaken: boolean, names: readonly string[], about?: string): Case => {
    const answer = isTaken ? finished() : errorAnswer({ errorCode: '1' });
    const body = Buffer.from(names.map((name) => `${name}=1`).join('&'));
    const label = { operation: 'close-day', intent: 'valid', about, ...(number === 9 ? {} : { twin, differsIn: 'x' }) };
    const exchange = { ...answer.exchange, request: { ...answer.exchange.request, body } };
    return { ...answer, scenario: 's', number, label: label as Case['label'], exchange };
  };
  const cases = [
    sent(0, together === 'taken', fields),
    ...fields.map((field, at) => sent(at + 1, !refused.includes(field), [field], rows[at])),
    sent(9, true, []),
  ];
  return rows.map((row) => judgeCases(row, cases).find(({ finding }) => finding.outcome === 'fail')?.finding.expected);
}

test('totals that are taken alone and refused together break the rows of all of them', () => {
  expect(judged('taken')).toEqual([undefined, undefined, undefined, undefined]);
  expect(judged('refused').filter((expected) => expected?.includes('together'))).toHaveLength(4);
});

test('a total that is refused alone is why all of them are', () => {
  expect(judged('refused', 'sale_approved_sum')).toEqual([undefined, 'the request is accepted', undefined, undefined]);
});
