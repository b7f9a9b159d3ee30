/** What doctor makes of answers: the four ways in which two right requests are refused, clocks, paths, and what is in between. */
import type { Exchange, Header } from '../../../src/record/exchange.ts';
import { betweenFindings, clockFinding, clockOffset, pathFinding } from '../../../src/run/doctor/answers.ts';
import { reachableFinding } from '../../../src/run/doctor/connection.ts';
import { diagnoseTwins } from '../../../src/run/doctor/signed-checks.ts';
import type { DoctorFinding } from '../../../src/run/target/examination.ts';
import { expect, test } from '../../engine.ts';

const finished = answer(200, '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"1"}');
const [closing, closeDayRefused] = [99, 403].map((code) => {
  const response = { status: 'error', errorCode: String(code), errorMessage: 'x' };
  return answer(200, JSON.stringify({ response, theRequestSerialNumber: '1' }));
}) as [Exchange, Exchange];
const started = answer(200, '');
const batchRefused = answer(403, '');

const [both, unknown] = [{ 'close-day': closeDayRefused, 'process-recurring-payments': batchRefused }, undefined];
type Sent = Exchange | undefined;
const twins: [name: string, closeDay: Sent, batch: Sent, clock: number | undefined, findings: string][] = [
  ['both accepted', finished, started, unknown, 'ok close-day, ok process-recurring-payments'],
  ['only HMAC refused', closeDayRefused, started, 0, 'problem secret, ok process-recurring-payments'],
  ['only RSA refused', finished, batchRefused, 0, 'ok close-day, problem private-key'],
  [
    'RSA refused in a closing',
    closing,
    batchRefused,
    unknown,
    'ok close-day, remark gate-closing, problem private-key',
  ],
  ['both refused with the clock right', closeDayRefused, batchRefused, 3, 'problem consumer'],
  ['both refused with the clock unknown', closeDayRefused, batchRefused, unknown, 'problem consumer'],
  ['both refused with the clock off', closeDayRefused, batchRefused, -600, 'problem clock'],
  ['both not found', answer(404, ''), answer(404, ''), unknown, 'problem path/prefix, problem path/prefix'],
  ['one sent and refused', closeDayRefused, undefined, 0, 'problem close-day'],
  ['one sent and accepted', undefined, started, unknown, 'ok process-recurring-payments'],
  ['a fault too', closeDayRefused, answer(503, ''), unknown, 'problem close-day, unchecked process-recurring-payments'],
  ['no answer', silence(), undefined, unknown, 'unchecked close-day'],
  ['nothing sent', undefined, undefined, unknown, ''],
];
for (const [name, closeDay, batch, offset, findings] of twins) {
  test(`${name}: ${findings || 'nothing to say'}`, () => {
    const sent = { ...(closeDay && { 'close-day': closeDay }), ...(batch && { 'process-recurring-payments': batch }) };
    const found = brief(diagnoseTwins({ sent, ...(offset !== undefined && { clockOffset: offset }) })).join(', ');
    expect(found.replaceAll('signature/', '')).toBe(findings);
  });
}

test('with the clock unknown, both refused sends the person to the clock as well', () => {
  const [dark] = diagnoseTwins({ sent: both });
  const [right] = diagnoseTwins({ sent: both, clockOffset: 1 });
  expect(dark?.hint).toContain('The clock is not known');
  expect(right?.hint).toContain('The Date header agrees with the clock here');
  expect(right?.hint).toContain('whether the gateway checks timestamps by another clock cannot be seen');
});

test('one operation alone that is refused may have been done already, so that the credentials are only the likeliest cause', () => {
  const said = (closeDay: Exchange, batch: Exchange) =>
    diagnoseTwins({ sent: { 'close-day': closeDay, 'process-recurring-payments': batch }, clockOffset: 0 }).find(
      ({ status }) => status === 'problem',
    );
  const secret = said(closeDayRefused, started);
  expect(secret?.what).toContain('most likely the consumer secret is wrong');
  expect(secret?.hint).toContain('the day may have been closed before, by doctor or an earlier run');
  const key = said(finished, batchRefused);
  expect(key?.what).toContain('most likely the private key is wrong');
  expect(key?.hint).toContain('charged already');
});

test('the offset of the clock is taken from the quickest answer, halfway through the exchange', () => {
  const quick = at(1_000_000_000_000, 100, 'Sun, 09 Sep 2001 01:56:40 GMT');
  const slow = at(1_000_000_000_000, 9_000, 'Sun, 09 Sep 2001 03:00:00 GMT');
  expect(clockOffset([slow, quick])).toBe(600);
  expect(clockOffset([answer(200, '')])).toBeUndefined();
});

test('an answer out of a cache does not tell the time', () => {
  const cached = at(1_000_000_000_000, 1, 'Sun, 09 Sep 2001 01:56:40 GMT', ['Age', '600']);
  expect(clockOffset([cached])).toBeUndefined();
});

for (const [offset, status, words] of [
  [0, 'ok', 'the clocks agree to the second'],
  [60, 'ok', "the target's clock is 60 s ahead of this machine's"],
  [-60, 'ok', "the target's clock is 60 s behind this machine's"],
  [61, 'problem', "the target's clock is 61 s ahead of this machine's, by its Date header"],
  [-600, 'problem', "the target's clock is 600 s (10 minutes) behind this machine's, by its Date header"],
  [undefined, 'unchecked', 'no answer of the target has a usable Date header: its clock is not known'],
] as const) {
  test(`a clock offset of ${offset} is ${status}`, () => {
    expect(clockFinding(offset)).toMatchObject({ status, what: words });
  });
}

test('a clock that is ahead makes the timestamps old, one that is behind makes them come from the future', () => {
  expect(clockFinding(600).hint).toContain('old');
  expect(clockFinding(-600).hint).toContain('from the future');
});

const to = (location: string, status = 302) => answer(status, '', [['Location', location]]);
const paths: [name: string, closeDay: Exchange, recurring: Exchange, finding: string][] = [
  ['both refused', closeDayRefused, batchRefused, 'ok path'],
  ['both 401', answer(401, ''), answer(401, ''), 'ok path'],
  ['both not found', answer(404, ''), answer(404, ''), 'problem path/prefix'],
  ['one not found', closeDayRefused, answer(404, ''), 'problem path/prefix'],
  ['a method not allowed', answer(405, ''), answer(405, ''), 'problem path/prefix'],
  ['a redirect', to('https://elsewhere.example/', 301), batchRefused, 'problem path/redirect'],
  [
    'a redirect to the same',
    to('https://gateway.example/new/api/v2/close-day/999999999/'),
    batchRefused,
    'problem path/redirect',
  ],
  ['two redirects to a page', to('/login'), to('/login'), 'problem path/redirect'],
  ['a redirect to a page beside a wrong prefix', to('/error'), answer(404, ''), 'problem path/prefix'],
  ['a redirect to a page beside a fault of the server', to('/error'), answer(500, ''), 'problem path/redirect'],
  ['a redirect to a page beside an acceptance', to('/error'), answer(200, ''), 'problem path/accepted'],
  ['a page with a link', closeDayRefused, answer(200, '<html><a href="/?a=1&type=2">'), 'problem path/other'],
  ['a redirect nowhere', answer(302, ''), batchRefused, 'problem path/redirect'],
  ['a redirect to a page', closeDayRefused, to('/error'), 'problem path/redirect-in-refusal'],
  ['a page', answer(200, '<html>'), answer(200, '<html>'), 'problem path/other'],
  ['a body of 2.4 of no known type', closeDayRefused, answer(200, 'type=Error\n&error-code=403\n'), 'unchecked path'],
  ['JSON behind something', answer(200, ')]}\n{"theRequestSerialNumber":"1"}'), batchRefused, 'unchecked path'],
  ['a page that speaks of it', answer(200, '<p>theRequestSerialNumber'), batchRefused, 'problem path/other'],
  ['one of another operation', answer(200, 'type=Error\n&error-code=403\n'), batchRefused, 'problem path/other'],
  ['JSON that ends too early', answer(200, '{"response":{'), batchRefused, 'unchecked path'],
  ['an acceptance', finished, batchRefused, 'problem path/accepted'],
  ['a fault', answer(500, ''), answer(500, ''), 'unchecked path'],
  ['silence', silence(), batchRefused, 'unchecked path'],
];
for (const [name, closeDay, recurring, finding] of paths) {
  test(`at the unknown endpoint ${name}: ${finding}`, () => {
    const found = pathFinding([
      { operation: 'close-day', exchange: closeDay },
      { operation: 'process-recurring-payments', exchange: recurring },
    ]);
    expect(brief([found])).toEqual([finding]);
  });
}

test('what is not there may be a refusal of the unknown endpoint: the hint says how to run without it', () => {
  const asked = { operation: 'close-day', exchange: answer(404, '') } as const;
  expect(pathFinding([asked]).hint).toMatch(/^Check the prefix in target.*without unknownEndpointId a run begins/);
});

test('an answer that is compressed although nobody asked for it is named by its Content-Encoding', () => {
  const gzipped = answer(200, '\u001f\u008b', [['content-encoding', 'identity, GZIP']]);
  const found = pathFinding([{ operation: 'close-day', exchange: gzipped }]);
  expect(found.id).toBe('path/content-encoding');
  expect(found.what).toContain('in a form that is not read: ');
  expect(found.what).toContain(' (Content-Encoding: GZIP, which the request ');
  const plain = answer(200, '<html>', [['Content-Encoding', 'identity']]);
  expect(pathFinding([{ operation: 'close-day', exchange: plain }]).id).toBe('path/other');
});

const between: [name: string, exchange: Exchange, env: Record<string, string>, findings: string[]][] = [
  ['nothing', answer(200, ''), {}, []],
  ['a limit that is reached', answer(429, '', [['Retry-After', '3']]), {}, ['problem rate-limit']],
  ['a limit that is told', answer(200, '', [['X-RateLimit-Limit', '5']]), {}, ['remark rate-limit']],
  ['a proxy', answer(200, '', [['Via', '1.1 x']]), {}, ['remark proxy']],
  ['a proxy that wants credentials', answer(407, ''), {}, ['problem proxy']],
  ['a set proxy', answer(200, ''), { HTTPS_PROXY: 'http://user:hidden-words@proxy' }, ['remark proxy/unused']],
  ['a fault', answer(503, ''), {}, ['unchecked answers']],
];
for (const [name, exchange, env, findings] of between) {
  test(`between here and the gateway ${name}: ${findings.join() || 'nothing to say'}`, () => {
    const found = betweenFindings([exchange], env);
    expect(brief(found)).toEqual(findings);
    expect(JSON.stringify(found)).not.toContain('hidden-words');
  });
}

function brief(findings: readonly DoctorFinding[]): string[] {
  return findings.map(({ status, id }) => `${status} ${id}`);
}

function answer(status: number, body: string, headers: readonly Header[] = []): Exchange {
  return { ...silence(), failure: undefined, response: { status, reason: '', headers, body: Buffer.from(body) } };
}

function at(startedAt: number, durationMs: number, date: string, ...more: Header[]): Exchange {
  return { ...answer(200, '', [['Date', date], ...more]), startedAt, durationMs };
}

function silence(): Exchange {
  return {
    request: {
      method: 'POST',
      scheme: 'https',
      host: 'gateway.example',
      target: '/paynet/api/v2/close-day/999999999',
      headers: [],
      body: Buffer.alloc(0),
    },
    failure: { kind: 'timeout', message: 'gateway.example did not answer within 10 ms' },
    startedAt: 0,
    durationMs: 1,
  };
}

test('a name that is not known is told without the port; a port that refuses with it', () => {
  const told = (code: string) => reachableFinding({ host: 'gateway.example', port: 8443 }, { code }).what;
  expect(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].map(told)).toEqual([
    'gateway.example is a name that cannot be resolved here (DNS)',
    'gateway.example is a name that the name server does not answer for (DNS)',
    'gateway.example:8443 refuses connections',
  ]);
});
