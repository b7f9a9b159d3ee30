/** Right requests that are refused at the endpoint, while error 99 of another one shows that the credentials are right. */

import { diagnoseTwins, isTakenElsewhere, whyCredentialsFail } from '../../../src/run/doctor/signed-checks.ts';
import { whyRefused } from '../../../src/verdict/conclude-gateway.ts';
import { expect, test } from '../../engine.ts';
import { batchAnswer, errorAnswer } from '../checks/sample-cases.ts';

const closed = errorAnswer({ errorCode: '7', errorMessage: 'the day is closed' });
const closing = errorAnswer({ errorCode: '99', errorMessage: 'gate is closing already' });
const sent = (batch = batchAnswer()) => ({
  'close-day': closed.exchange,
  'process-recurring-payments': batch.exchange,
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
  const batchAlone = { 'close-day': closing.exchange, 'process-recurring-payments': refused.exchange };
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
