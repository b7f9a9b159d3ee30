/** A scenario on a mock of its own: the gates and ids that it draws, its nonces, when a target that stops answering is given up, and effects. */
import { encodeForm } from '../../../src/protocol/index.ts';
import type { Case } from '../../../src/record/case.ts';
import { countEffects } from '../../../src/run/gateway/effects.ts';
import { freshNonce } from '../../../src/run/gateway/perform-case.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';
import { finished, sampleCase } from '../rules/sample-cases.ts';

test('a nonce has 32 letters of both cases and digits, and never comes twice', () => {
  const nonces = Array.from({ length: 200 }, freshNonce);
  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces) expect(nonce).toMatch(/^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{32}$/);
});

const header = '"client-orderid";"recurring-payment-id";"amount"\n';

function batch(csv: string): Case {
  const one = sampleCase('process-recurring-payments', { status: 200 });
  const body = Buffer.from(encodeForm([['payload', Buffer.from(csv).toString('base64')]]));
  return { ...one, exchanges: [{ ...one.exchanges[0], request: { ...one.exchanges[0].request, body } }] };
}

function effectsOf(...cases: Case[]) {
  const { recorded, unclear } = countEffects(
    [],
    [{ scenario: 'sample/scenario', cases, suiteErrors: [] }],
    completeRunOptions({}, 0, '.'),
  );
  return [recorded, unclear];
}

test('a line end inside quotes starts no confirmed payment, and may be one', () => {
  expect(effectsOf(batch(`${header}"a\nb";1234567890;1.00\nc;1234567890;1.00\n`))).toEqual([
    { 'closes-day': 0, 'starts-payments': 2 },
    { 'closes-day': 0, 'starts-payments': 1 },
  ]);
});

test('an accepted batch that the document gives no reading confirms nothing', () => {
  expect(effectsOf(batch(`${header}"a;1234567890;1.00\nb;1234567890;1.00\n`))).toEqual([
    { 'closes-day': 0, 'starts-payments': 0 },
    { 'closes-day': 0, 'starts-payments': 2 },
  ]);
});

test('an accepted close-day is confirmed, and one without an answer may have closed a day', () => {
  expect(effectsOf(finished(), sampleCase('close-day', undefined))).toEqual([
    { 'closes-day': 1, 'starts-payments': 0 },
    { 'closes-day': 1, 'starts-payments': 0 },
  ]);
});
