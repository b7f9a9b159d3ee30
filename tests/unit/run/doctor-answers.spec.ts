/** What doctor concludes from answers: refused valid requests, clocks, paths, and proxies on the way. */
import { createHash, createPublicKey } from 'node:crypto';
import type { Exchange, Header } from '../../../src/record/exchange.ts';
import * as answers from '../../../src/run/doctor/answer-findings.ts';
import { reachableFinding } from '../../../src/run/doctor/examine-target.ts';
import { type DoctorFinding, examineSecret, openConfig } from '../../../src/run/target/live-config.ts';
import { publishedConfig } from '../../../src/run/target/target.ts';
import { refusalReason } from '../../../src/verdict/conclude.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { batchAnswer, errorAnswer, sampleCase } from '../rules/sample-cases.ts';

const { answerFindings, credentialFailureReason, diagnoseValid, isPastAuthentication } = answers;
const finished = answer(200, '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"1"}');
const [closing, closeDayRefused] = [99, 403].map((code) => {
  const response = { status: 'error', errorCode: String(code), errorMessage: 'x' };
  return answer(200, JSON.stringify({ response, theRequestSerialNumber: '1' }));
}) as [Exchange, Exchange];
const started = answer(200, '');
const batchRefused = answer(403, '');

const unknown = undefined;
type Sent = Exchange | undefined;
const twins: [name: string, closeDay: Sent, batch: Sent, clock: number | undefined, findings: string][] = [
  ['both accepted', finished, started, unknown, 'ok close-day, ok process-recurring-payments'],
  ['only HMAC refused', closeDayRefused, started, 0, 'problem secret, ok process-recurring-payments'],
  ['only RSA refused', finished, batchRefused, 0, 'ok close-day, problem private-key'],
  ['RSA refused at closing', closing, batchRefused, unknown, 'ok close-day, remark gate-closing, problem private-key'],
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
for (const [name, closeDay, batch, clockOffset, findings] of twins) {
  test(`${name}: ${findings || 'nothing to say'}`, () => {
    const sent = { 'close-day': closeDay, 'process-recurring-payments': batch };
    const found = format(diagnoseValid({ sent, clockOffset })).join(', ');
    expect(found.replaceAll('signature/', '')).toBe(findings);
  });
}

test('hints name the other causes: the clock, a day that was closed before, a payment that was charged before', () => {
  const hint = (closeDay: Exchange, batch: Exchange, clockOffset?: number) =>
    diagnoseValid({ sent: { 'close-day': closeDay, 'process-recurring-payments': batch }, clockOffset }).find(
      ({ status }) => status === 'problem',
    )?.hint;
  expect(hint(closeDayRefused, batchRefused)).toContain('The clock is unknown');
  expect(hint(closeDayRefused, batchRefused, 1)).toContain('The Date header agrees with this clock');
  expect(hint(closeDayRefused, started, 0)).toContain(
    'the day may have been closed before, by doctor or an earlier run',
  );
  expect(hint(finished, batchRefused, 0)).toContain('already charged');
});

test('the offset of the clock comes from the quickest answer, halfway through the exchange, and never from a cache', () => {
  const quick = at(1_000_000_000_000, 100, 'Sun, 09 Sep 2001 01:56:40 GMT');
  const slow = at(1_000_000_000_000, 9_000, 'Sun, 09 Sep 2001 03:00:00 GMT');
  const cached = at(1_000_000_000_000, 1, 'Sun, 09 Sep 2001 01:56:40 GMT', ['Age', '600']);
  const offset = (first: Exchange, ...more: Exchange[]) =>
    answerFindings(
      first,
      more.map((exchange) => ({ operation: 'close-day', exchange })),
      {},
    ).clockOffset;
  expect(offset(slow, quick)).toBe(600);
  for (const without of [answer(200, ''), cached]) expect(offset(without)).toBeUndefined();
});

test('a clock is wrong if it is more than a minute off, and the hint says how the target sees timestamps', () => {
  for (const [offset, status, what, hint] of [
    [0, 'ok', 'the clocks agree to the second'],
    [60, 'ok', "the target's clock is 60 s ahead of this machine's"],
    [-60, 'ok', "the target's clock is 60 s behind this machine's"],
    [61, 'problem', "the target's clock is 61 s ahead of this machine's, by its Date header", 'in the past'],
    [
      -600,
      'problem',
      "the target's clock is 600 s (10 minutes) behind this machine's, by its Date header",
      'in the future',
    ],
    [undefined, 'unchecked', "no answer has a usable Date header, so the target's clock is unknown"],
  ] as const) {
    const date = offset === undefined ? 'unknown' : new Date(1_000_000_000_000 + offset * 1000).toUTCString();
    const [, finding] = answerFindings(at(1_000_000_000_000, 1000, date), [], {}).findings;
    expect(finding).toMatchObject({ status, what, ...(hint && { hint: expect.stringContaining(hint) }) });
  }
});

const to = (location: string, status = 302) => answer(status, '', [['Location', location]]);
function pathFinding(closeDay: Exchange, recurring?: Exchange): DoctorFinding {
  const more = recurring && ({ operation: 'process-recurring-payments', exchange: recurring } as const);
  const calls = [{ operation: 'close-day', exchange: closeDay } as const, ...(more ? [more] : [])];
  return answerFindings(silence(), calls, {}).findings[0]!;
}

const paths: [name: string, closeDay: Exchange, recurring: Exchange, finding: string][] = [
  ['both refused', closeDayRefused, batchRefused, 'ok path'],
  ['both 401', answer(401, ''), answer(401, ''), 'ok path'],
  ['both not found', answer(404, ''), answer(404, ''), 'problem path/prefix'],
  ['one not found', closeDayRefused, answer(404, ''), 'problem path/prefix'],
  ['a method not allowed', answer(405, ''), answer(405, ''), 'problem path/prefix'],
  ['a redirect', to('https://elsewhere.example/', 301), batchRefused, 'problem path/redirect'],
  ['moved', to('https://gateway.example/new/api/v2/close-day/999999999/'), batchRefused, 'problem path/redirect'],
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
  ['JSON that ends too early', answer(200, '{"response":{'), batchRefused, 'unchecked path'],
  ['an acceptance', finished, batchRefused, 'problem path/accepted'],
  ['a fault', answer(500, ''), answer(500, ''), 'unchecked path'],
  ['silence', silence(), batchRefused, 'unchecked path'],
];
for (const [name, closeDay, recurring, finding] of paths) {
  test(`at the unknown endpoint ${name}: ${finding}`, () => {
    const found = pathFinding(closeDay, recurring);
    expect(format([found])).toEqual([finding]);
  });
}

test('an answer with an unrequested compression is named by its Content-Encoding', () => {
  const gzipped = answer(200, '\u001f\u008b', [['content-encoding', 'identity, GZIP']]);
  const found = pathFinding(gzipped);
  expect(found.id).toBe('path/content-encoding');
  expect(found.what).toContain('in an encoding that the suite does not read: ');
  expect(found.what).toContain(' (Content-Encoding: GZIP, which the request ');
  const plain = answer(200, '<html>', [['Content-Encoding', 'identity']]);
  expect(pathFinding(plain).id).toBe('path/other');
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
    const [, , ...found] = answerFindings(exchange, [], env).findings;
    expect(format(found)).toEqual(findings);
    expect(JSON.stringify(found)).not.toContain('hidden-words');
  });
}

function format(findings: readonly DoctorFinding[]): string[] {
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

test('the message on an unknown name has no port, and the message on a refused connection has one', () => {
  const messageOn = (code: string) => reachableFinding({ host: 'gateway.example', port: 8443 }, { code }).what;
  expect(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'].map(messageOn)).toEqual([
    'gateway.example cannot be resolved here (DNS)',
    'gateway.example cannot be resolved, because the name server does not answer (DNS)',
    'gateway.example:8443 refuses connections',
  ]);
});

const secret = 'R4nd0m/secret+of-the-test';

const [base64, hex] = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')];
const digits = '9f86d081884c7d659a2feaa0c55ad015';
const secrets: [name: string, text: string | Buffer, secret: string | undefined, findings: string[]][] = [
  ['as it was issued', secret, secret, ['ok secret']],
  ['with a line end', `${secret}\n`, secret, ['ok secret', 'remark secret/line-end']],
  ['with a line end of Windows', `${secret}\r\n`, secret, ['ok secret', 'remark secret/line-end']],
  ['with a byte-order mark', `\uFEFF${secret}`, secret, ['ok secret', 'remark secret/byte-order-mark']],
  ['in quotes', `"${secret}"`, `"${secret}"`, ['problem secret/quotes']],
  ['with a blank at its end', `${secret} `, `${secret} `, ['problem secret/spaces']],
  ['in quotes and blanks', ` '${secret}' `, ` '${secret}' `, ['problem secret/spaces']],
  ['in base64', base64, base64, ['ok secret', 'remark secret/encoded']],
  ['in hexadecimal', hex, hex, ['ok secret', 'remark secret/encoded']],
  ['percent-encoded', encodeURIComponent(secret), encodeURIComponent(secret), ['ok secret', 'remark secret/encoded']],
  ['of random hexadecimal digits', digits, digits, ['ok secret']],
  ['of 15 characters', 'x'.repeat(15), undefined, ['problem secret/short']],
  ['of 16 characters', 'x'.repeat(16), 'x'.repeat(16), ['ok secret']],
  ['of 1025 characters', 'x'.repeat(1025), undefined, ['problem secret/long']],
  ['of two lines', `${secret}\n${secret}\n`, undefined, ['problem secret/lines']],
  ['with two line ends', `${secret}\n\n`, undefined, ['problem secret/lines']],
  ['that is empty', '\n', undefined, ['problem secret/empty']],
  ['in UTF-16', Buffer.from(`\uFEFF${secret}`, 'utf16le'), undefined, ['problem secret/encoding']],
  ['that is a key', privatePemOf(shopKeys), undefined, ['problem secret/key']],
];
test('a secret is used without byte-order mark and line end, and suspicious forms are reported without their text', () => {
  for (const [name, text, expected, findings] of secrets) {
    const examination = examineSecret(Buffer.from(text as string), 'the file s');
    expect([examination.secret, format(examination.findings)], name).toEqual([expected, findings]);
    expect(JSON.stringify(examination.findings)).not.toContain(secret);
    expect(examination.findings.filter(({ status, hint }) => status === 'problem' && !hint)).toEqual([]);
  }
});

test('a private key is reported by its size, form and fingerprint, and never by its text', async () => {
  const pem = privatePemOf(shopKeys);
  const hash = createHash('sha256')
    .update(createPublicKey(shopKeys.privateKey).export({ type: 'spki', format: 'der' }))
    .digest('hex');
  const right = `the environment variable K holds an RSA key of 2048 bits (PKCS#8); its public half has the SHA-256 ${hash}`;
  for (const [text, first, ids] of [
    [pem, right, ['ok private-key']],
    [pem.replaceAll('\n', '\\n'), right, ['ok private-key', 'remark private-key/spelling']],
    [pem.slice(0, 400), expect.stringMatching(/^the environment variable K/), ['problem private-key/cut-off']],
  ] as const) {
    const credentials = { consumerKey: 'shop', consumerSecret: { variable: 'S' }, privateKey: { variable: 'K' } };
    const opened = await openConfig({ ...publishedConfig, target: 'http://x', credentials }, { S: secret, K: text });
    const findings = opened.findings.filter(({ id }) => id.startsWith('private-key'));
    expect(format(findings)).toEqual(ids);
    expect([opened.credentials === undefined, findings[0]?.what]).toEqual([ids[0].startsWith('problem'), first]);
    expect(JSON.stringify(findings)).not.toContain(pem.split('\n')[1]);
  }
});

const redirects = {
  'close-day': to('https://pay.example/login'),
  'process-recurring-payments': to('https://pay.example/login', 308),
};

test('redirects of all valid requests are reported with a fix, and without a word about signatures', () => {
  for (const sent of [redirects, { 'close-day': redirects['close-day'] }]) {
    const reason = credentialFailureReason({ sent });
    expect(reason).toContain('close-day is redirected (HTTP 302) to https://pay.example/login');
    expect(reason).toContain('write the final base URL in "target"');
    expect(reason).not.toContain('base string');
    expect(reason?.split('final base URL')).toHaveLength(2);
  }
});

test('a redirect decides nothing if a request of the other operation was accepted', () => {
  const sent = { 'close-day': redirects['close-day'], 'process-recurring-payments': started };
  expect(credentialFailureReason({ sent })).toBeUndefined();
  expect(diagnoseValid({ sent }).map(({ status }) => status)).toEqual(['unchecked', 'ok']);
  expect(credentialFailureReason({ sent: { ...redirects, 'close-day': finished } })).toBeUndefined();
});

test('a redirect of a correct request to a result page does not mean that the gateway has moved', () => {
  const pageRedirect = { 'process-recurring-payments': to('/payment/result.html') };
  for (const sent of [pageRedirect, { ...redirects, ...pageRedirect }]) {
    const [batch] = diagnoseValid({ sent }).filter(({ id }) => id === 'signature/process-recurring-payments');
    expect(batch).toMatchObject({ status: 'unchecked', hint: expect.stringContaining('may have had an effect') });
  }
  expect(credentialFailureReason({ sent: pageRedirect })).toBeUndefined();
});

test('if redirects of wrong requests used the allowance, the findings name the new address of the gateway', () => {
  const record = (settles: boolean, exchange: Exchange) => ({
    scenario: 'close-day/unsigned',
    settles,
    suiteErrors: [],
    cases: [{ ...sampleCase('close-day', {}, { intent: 'fault' }), exchanges: [exchange] }],
  });
  const said = (...records: ReturnType<typeof record>[]) => refusalReason({}, records as never);
  expect(said(record(false, redirects['close-day']))).toContain('write the final base URL in "target"');
  expect(said(record(false, redirects['close-day']), record(false, finished))).toBeUndefined();
  expect(said()).toBeUndefined();
});

const closed = errorAnswer({ errorCode: '7', errorMessage: 'the day is closed' });
const closingError = errorAnswer({ errorCode: '99', errorMessage: 'gate is closing already' });
const sent = (batch = batchAnswer()) => ({
  'close-day': closed.exchanges[0],
  'process-recurring-payments': batch.exchanges[0],
});

test('a refused close-day does not blame the secret if another endpoint accepted it', () => {
  const [blame, causes] = ['most likely the consumer secret is wrong', 'may block a consumer after wrong signatures'];
  for (const words of [blame, causes]) expect(credentialFailureReason({ sent: sent() })).toContain(words);
  const said = credentialFailureReason({ sent: sent(), isAcceptedElsewhere: true });
  expect(said).toContain('another endpoint answered with error 99 (gate is closing)');
  expect(said).toContain(
    'So consumer key, secret and clock are correct, unless the gateway checks gates before signatures',
  );
  expect(said).toContain('the day may have been closed before');
  expect(said).not.toContain('secret is wrong');
  expect(said).not.toContain('base string');
});

test('two refusals do not blame the consumer key then, and a refused batch alone still blames its key', () => {
  const refused = batchAnswer({ status: 403 });
  const [both, ...more] = diagnoseValid({ sent: sent(refused), isAcceptedElsewhere: true });
  expect(both?.what).toContain('process-recurring-payments: HTTP 403');
  expect(more).toEqual([]);
  const onlyBatch = { 'close-day': closingError.exchanges[0], 'process-recurring-payments': refused.exchanges[0] };
  expect(diagnoseValid({ sent: onlyBatch, isAcceptedElsewhere: true })).toEqual(diagnoseValid({ sent: onlyBatch }));
});

test('the run looks for error 99 among all of its right requests, and not among wrong ones', () => {
  const record = (one: typeof closed, settles = false) => ({ scenario: 's', settles, suiteErrors: [], cases: [one] });
  const said = (before: typeof closed) =>
    refusalReason({}, [record(before), record(closed, true), record(batchAnswer(), true)] as never);
  expect(said(closingError)).toContain('another endpoint answered with error 99');
  const wrong = errorAnswer({ errorCode: '99' }, { intent: 'fault' });
  expect(isPastAuthentication(wrong)).toBe(false);
  expect(said(wrong)).toContain('most likely the consumer secret is wrong');
});
