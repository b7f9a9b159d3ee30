/** Right requests that are answered with a redirect: a run says so and ends, and does not leave a hundred rows open. */

import type { Exchange } from '../../../src/record/exchange.ts';
import { diagnoseTwins, whyCredentialsFail } from '../../../src/run/doctor/signed-checks.ts';
import { whyRefused } from '../../../src/verdict/conclude-gateway.ts';
import { expect, test } from '../../engine.ts';
import { batchAnswer, finished, sampleCase } from '../checks/sample-cases.ts';

function redirected(operation: 'close-day' | 'process-recurring-payments', status = 302): Exchange {
  return sampleCase(operation, { status, headers: [['Location', 'https://pay.example/login']], body: '' }).exchange;
}

const both = {
  'close-day': redirected('close-day'),
  'process-recurring-payments': redirected('process-recurring-payments', 308),
};

test('redirects of all right requests are told, with what to do and no word about signatures', () => {
  for (const sent of [both, { 'close-day': both['close-day'] }]) {
    const said = whyCredentialsFail({ sent });
    expect(said).toContain('close-day is redirected (HTTP 302) to https://pay.example/login');
    expect(said).toContain('write the final base URL in target');
    expect(said).not.toContain('base string');
    expect(said?.split('final base URL')).toHaveLength(2);
  }
});

test('a redirect beside an accepted request of the other operation decides nothing', () => {
  const { exchange } = batchAnswer();
  const sent = { 'close-day': both['close-day'], 'process-recurring-payments': exchange };
  expect(whyCredentialsFail({ sent })).toBeUndefined();
  expect(diagnoseTwins({ sent }).map(({ status }) => status)).toEqual(['unchecked', 'ok']);
  const other = { ...both, 'close-day': finished().exchange };
  expect(whyCredentialsFail({ sent: other })).toBeUndefined();
});

test('a redirect to a page that says what became of a right request is not the address of a gateway that has moved', () => {
  const page = { status: 302, headers: [['Location', '/payment/result.html']] as const, body: '' };
  const { exchange } = sampleCase('process-recurring-payments', { ...page, headers: [...page.headers] });
  for (const sent of [
    { 'process-recurring-payments': exchange },
    { ...both, 'process-recurring-payments': exchange },
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
      { scenario: 'close-day/unsigned', number: 1, label: { operation: 'close-day', intent: 'fault' }, exchange },
    ],
  });
  const refused = finished().exchange;
  const said = (...records: ReturnType<typeof record>[]) => whyRefused({}, records as never);
  expect(said(record(false, both['close-day']))).toContain('write the final base URL in target');
  expect(said(record(false, both['close-day']), record(false, refused))).toBeUndefined();
  expect(said()).toBeUndefined();
});
