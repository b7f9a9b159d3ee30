/** A scenario on a mock of its own: the gates and ids that it draws, its nonces, when a target that stops answering is given up, and effects. */
import { encodeForm } from '../../../src/protocol/index.ts';
import type { Case } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { countEffects } from '../../../src/run/gateway/effects.ts';
import { freshNonce } from '../../../src/run/gateway/perform-case.ts';
import { newBreaker } from '../../../src/run/gateway/run-scenario.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';
import { finished, sampleCase } from '../rules/sample-cases.ts';

test('a nonce has 32 letters of both cases and digits, and never comes twice', () => {
  const nonces = Array.from({ length: 200 }, freshNonce);
  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces) expect(nonce).toMatch(/^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{32}$/);
});

const silent = sampleCase('close-day', undefined).exchanges[0];
const answered = sampleCase('close-day', { status: 500 }).exchanges[0];
const unreadable: Exchange = { ...silent, failure: { kind: 'malformed', message: 'Duplicate Content-Length' } };
const sending = {
  planned: { label: { intent: 'valid' }, request: { operation: 'close-day', body: [] } },
  number: 0,
  request: silent.request,
} as const;

test('five requests in a row without an answer end the sending, with the last reason', async () => {
  const breaker = newBreaker();
  for (let sent = 0; sent < 5; sent += 1) expect(await breaker.pass(sending, async () => silent)).toEqual(silent);
  let asked = false;
  const sixth = await breaker.pass(sending, async () => {
    asked = true;
    return answered;
  });
  expect(asked).toBe(false);
  expect(sixth).toMatchObject({ failure: { kind: 'not-sent' } });
  expect(breaker.reason()).toContain('did not answer within 10000 ms');
});

for (const [what, answer] of Object.entries({ 'a 500': answered, 'one that nobody can read': unreadable })) {
  test(`any answer, even ${what}, starts the count again`, async () => {
    const breaker = newBreaker();
    for (const exchange of [silent, silent, silent, silent, answer, silent, silent, silent, silent]) {
      await breaker.pass(sending, async () => exchange);
    }
    expect(breaker.reason()).toBeUndefined();
  });
}

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
