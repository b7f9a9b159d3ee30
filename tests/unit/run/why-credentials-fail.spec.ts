/** Right requests that are redirected, or refused although error 99 elsewhere shows that the credentials are right: the run says so and ends. */
import type { Exchange } from '../../../src/record/exchange.ts';
import { diagnoseTwins, isTakenElsewhere, whyCredentialsFail } from '../../../src/run/doctor/answers.ts';
import { whyRefused } from '../../../src/verdict/conclude.ts';
import { expect, test } from '../../engine.ts';
import { batchAnswer, errorAnswer, finished, sampleCase } from '../rules/sample-cases.ts';

function redirected(operation: 'close-day' | 'process-recurring-payments', status = 302): Exchange {
  return sampleCase(operation, { status, headers: [['Location', 'https://pay.example/login']], body: '' }).exchanges[0];
}

const redirects = {
  'close-day': redirected('close-day'),
  'process-recurring-payments': redirected('process-recurring-payments', 308),
};

test('redirects of all right requests are told, with what to do and no word about signatures', () => {
  for (const sent of [redirects, { 'close-day': redirects['close-day'] }]) {
    const said = whyCredentialsFail({ sent });
    expect(said).toContain('close-day is redirected (HTTP 302) to https://pay.example/login');
    expect(said).toContain('write the final base URL in target');
    expect(said).not.toContain('base string');
    expect(said?.split('final base URL')).toHaveLength(2);
  }
});

test('a redirect beside an accepted request of the other operation decides nothing', () => {
  const [exchange] = batchAnswer().exchanges;
  const sent = { 'close-day': redirects['close-day'], 'process-recurring-payments': exchange };
  expect(whyCredentialsFail({ sent })).toBeUndefined();
  expect(diagnoseTwins({ sent }).map(({ status }) => status)).toEqual(['unchecked', 'ok']);
  const other = { ...redirects, 'close-day': finished().exchanges[0] };
  expect(whyCredentialsFail({ sent: other })).toBeUndefined();
});

test('a redirect to a page that says what became of a right request is not the address of a gateway that has moved', () => {
  const page = { status: 302, headers: [['Location', '/payment/result.html']] as const, body: '' };
  const [exchange] = sampleCase('process-recurring-payments', { ...page, headers: [...page.headers] }).exchanges;
  for (const sent of [
    { 'process-recurring-payments': exchange },
    { ...redirects, 'process-recurring-payments': exchange },
  ]) {
    const [batch] = diagnoseTwins({ sent }).filter(({ id }) => id === 'signature/process-recurring-payments');
    expect(batch).toMatchObject({ status: 'unchecked', hint: expect.stringContaining('may have had its effect') });
  }
  expect(whyCredentialsFail({ sent: { 'process-recurring-payments': exchange } })).toBeUndefined();
});

test('where redirects of wrong requests took the allowance they say where the gateway is', () => {
  const record = (settles: boolean, exchange: Exchange) => ({
    scenario: 'close-day/unsigned',
    settles,
    suiteErrors: [],
    cases: [
      {
        scenario: 'close-day/unsigned',
        number: 1,
        label: { operation: 'close-day', intent: 'fault' },
        exchanges: [exchange],
      },
    ],
  });
  const refused = finished().exchanges[0];
  const said = (...records: ReturnType<typeof record>[]) => whyRefused({}, records as never);
  expect(said(record(false, redirects['close-day']))).toContain('write the final base URL in target');
  expect(said(record(false, redirects['close-day']), record(false, refused))).toBeUndefined();
  expect(said()).toBeUndefined();
});

const closed = errorAnswer({ errorCode: '7', errorMessage: 'the day is closed' });
const closing = errorAnswer({ errorCode: '99', errorMessage: 'gate is closing already' });
const sent = (batch = batchAnswer()) => ({
  'close-day': closed.exchanges[0],
  'process-recurring-payments': batch.exchanges[0],
});

test('a close-day that is refused here and let through elsewhere is not laid to the secret', () => {
  expect(whyCredentialsFail({ sent: sent() })).toContain('most likely the consumer secret is wrong');
  const said = whyCredentialsFail({ sent: sent(), isTakenElsewhere: true });
  expect(said).toContain('error 99 at another one shows that consumer key, secret and clock are right');
  expect(said).toContain('its day may have been closed before');
  expect(said).not.toContain('secret is wrong');
  expect(said).not.toContain('base string');
});

test('where both are refused here it is not laid to the consumer key, and a batch alone is laid to its key as before', () => {
  const refused = batchAnswer({ status: 403 });
  const [both, ...more] = diagnoseTwins({ sent: sent(refused), isTakenElsewhere: true });
  expect(both?.what).toContain('process-recurring-payments: HTTP 403');
  expect(more).toEqual([]);
  const batchAlone = { 'close-day': closing.exchanges[0], 'process-recurring-payments': refused.exchanges[0] };
  expect(diagnoseTwins({ sent: batchAlone, isTakenElsewhere: true })).toEqual(diagnoseTwins({ sent: batchAlone }));
});

test('the run looks for error 99 among all of its right requests, and not among wrong ones', () => {
  const record = (one: typeof closed, settles = false) => ({ scenario: 's', settles, suiteErrors: [], cases: [one] });
  const said = (before: typeof closed) =>
    whyRefused({}, [record(before), record(closed, true), record(batchAnswer(), true)] as never);
  expect(said(closing)).toContain('error 99 at another one');
  const wrong = errorAnswer({ errorCode: '99' }, { intent: 'fault' });
  expect(isTakenElsewhere(wrong)).toBe(false);
  expect(said(wrong)).toContain('most likely the consumer secret is wrong');
});

test('a consumer that is refused after wrong signatures is among what a run names', () => {
  expect(whyCredentialsFail({ sent: sent() })).toContain('may refuse a consumer after wrong signatures');
});
