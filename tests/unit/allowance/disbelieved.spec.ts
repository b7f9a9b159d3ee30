/** Refusals that count, since the right request beside them was not accepted: what is missing then is no greater allowance. */
import { openLedger } from '../../../src/run/allowance/ledger.ts';
import { expect, test } from '../../engine.ts';

const allow = { 'closes-day': 2, 'starts-payments': { count: 3, total: '3.00' } };
const limits = { allow, trustRefusals: 10 };
const day = { effect: 'closes-day', endpointId: '1' } as const;

test('the reason names the right request and not the allowance alone, and an unreadable answer is the gateway’s own', () => {
  for (const [settled, why] of [
    [{ answer: { said: 'timeout' } }, 'given-up'],
    [{ answer: { said: 'unclear' }, unreadable: true }, 'unreadable'],
  ] as const) {
    const ledger = openLedger(test.info().outputPath(`${why}.jsonl`), 'a');
    ledger.begin('https://gateway.example', '1', allow);
    for (const id of [1, 2]) {
      expect(ledger.reserve(day, { what: 'wrong' }, limits)).toEqual({ id });
      ledger.settle(id, { event: 'release', answer: { said: 'refused' }, by: 'target' });
    }
    ledger.reserve(day, { what: 'right', settles: true }, limits);
    ledger.settle(3, { event: 'unclear', ...settled });
    expect(ledger.reserve(day, { what: 'right' }, limits)).toEqual({
      why,
      reason: expect.stringMatching(/is used up: the first right request was not accepted, so that refusals count/),
    });
  }
});
