/** `countersign autopsy` on files: exit codes, text and JSON. */

import { readRequestText } from '../../../src/autopsy/request-text.ts';
import { identities, publishedIdentity } from '../../../src/mock/identity.ts';
import { signRequest } from '../../../src/protocol/index.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { expect, test } from '../../engine.ts';
import { here, refuses, run } from '../app/run-command.ts';
import { file } from '../app/signed-call.ts';

const { consumerKey, consumerSecret } = publishedIdentity;
const body = 'day_close_request_id=902B4FF5&sale_approved_sum=10.42';

/** HTTP text of a close-day whose signature covers only `signedBody`. */
function requestText(
  signedBody: readonly (readonly [string, string])[],
  key = consumerKey,
  secret = consumerSecret,
  query = '',
): string {
  const target = '/api/v2/close-day/1111';
  const { authorization } = signRequest(
    { method: 'POST', scheme: 'https', host: 'gate.example.com', target, body: signedBody },
    { consumerKey: key, key: { method: 'HMAC-SHA1', consumerSecret: secret } },
    { timestamp: '1700000000', nonce: 'n0nce' },
  );
  const lines = [`POST ${target}${query} HTTP/1.1`, 'Host: gate.example.com', `Authorization: ${authorization}`];
  return [...lines, 'Content-Type: application/x-www-form-urlencoded', '', body].join('\r\n');
}

// biome-ignore lint/suspicious/noExplicitAny: tests change entries member by member, so no type fits.
type Json = any;

const counted = { name: 'Content-Length', value: `${body.length}` };

/** A HAR file of another tool with right requests, each of which is changed. */
function foreignHar(changes: readonly ((request: Json) => object)[], startedDateTime = '2026-01-31T12:00:00.000Z') {
  const { request } = readRequestText(Buffer.from(requestText(pairs)));
  const sent = {
    method: request.method,
    url: `https://${request.host}${request.target}`,
    headers: request.headers.map(([name, value]) => ({ name, value })),
    postData: { text: body },
    bodySize: body.length,
  };
  const response = { status: 200, statusText: 'OK', headers: [], content: { size: 0, mimeType: '' } };
  const entries = changes.map((edit) => ({ startedDateTime, time: 1, request: { ...sent, ...edit(sent) }, response }));
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'recorder', version: '1' }, entries } });
}

function requestOf(text: string) {
  return { ...readRequestText(Buffer.from(text)).request, scheme: 'https' as const };
}

/** A HAR file of the suite with these requests. */
function ownHar(...requests: SentRequest[]): string {
  const cases = requests.map((request) => ({
    scenario: 's',
    number: 1,
    label: { operation: 'close-day', intent: 'valid' } as never,
    exchanges: [{ request, startedAt: 0, durationMs: 1 }] as const,
  }));
  return toHar(cases, { suite: { name: 'countersign', version: '0.0.0' } });
}

const pairs = Object.entries({ day_close_request_id: '902B4FF5', sale_approved_sum: '10.42' });

/** The autopsy of a file with this text. */
const examine = (text: string, ...flags: readonly string[]) =>
  run(['autopsy', file(here('request.txt'), text), ...flags]);

/** A signature that is not base64 is not searched for. */
const unreadable = (text: string) => text.replace(/oauth_signature="[^"]*"/, 'oauth_signature="x"');

test('a right request of the published identity is verified without key files', async () => {
  const out = '✓ The signature is right (close-day, HMAC-SHA1).\n';
  expect(await examine(requestText(pairs))).toEqual({ exitCode: 0, err: '', out });
});

test('the JSON has no text of the request that moves a cursor or commands a build server', async () => {
  const words = "\u009b31m ##teamcity[buildStatus text='x']";
  const text = unreadable(requestText(pairs)).replace('OAuth ', `OAuth a="${words}", `);
  const { exitCode, out } = await examine(text, '--json');
  expect(exitCode).toBe(1);
  expect(out).toContain('teamcity');
  expect(out).not.toMatch(/[\u007f-\u009f]|##/);
});

test('a right signature in a malformed header is named and ends with 1, in text and JSON', async () => {
  const raw = requestText(pairs).replace(/%3D"/, '="').replace(', ', '; ');
  const { exitCode, out } = await examine(raw);
  expect(exitCode).toBe(1);
  const broken = ['authentication/header-scheme', 'authentication/header-values-encoded'];
  expect(out.split('\n')[0]).toBe(
    `✗ The signature is right, but the request is malformed (close-day, HMAC-SHA1); it breaks ${broken.join(', ')}`,
  );
  expect(out).toContain('  found      ";" instead of a comma\n');
  expect(out).toMatch(
    / {2}found {6}oauth_signature with .*= not percent-encoded\n {2}fix {8}Percent-encode each value once/,
  );
  expect(out).not.toMatch(/✓|POST&|none gives/);
  const json = await examine(raw, '--json');
  expect(json.exitCode).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({
    verified: false,
    signature: 'right',
    deviations: [],
    malformations: broken.map((id) => ({ id })),
  });
});

test('a wrong signature in a malformed header is reported with both', async () => {
  const { exitCode, out } = await examine(requestText([]).replace(/%3D"/, '="'));
  expect(exitCode).toBe(1);
  expect(out.split('\n').slice(0, 2)).toEqual([
    '✗ The signature is not right (close-day, HMAC-SHA1): body-left-out',
    '  The request is malformed too; it breaks authentication/header-values-encoded',
  ]);
});

test('mistakes that give the same signature are all listed, in text and JSON', async () => {
  const twice = requestText(pairs).replace(/oauth_nonce="[^"]*"/, '$&, $&');
  const { out } = await examine(twice);
  expect(out.split('\n')[0]).toBe(
    '✗ The signature is not right (close-day, HMAC-SHA1): duplicates-collapsed-last (or 2 others, below)',
  );
  expect(out).toContain(
    'deviations give the same signature (see countersign explain ID):\n  - duplicates-collapsed-first\n  - copies-dropped\n',
  );
  expect(JSON.parse((await examine(twice, '--json')).out)).toMatchObject({
    deviations: [{ id: 'duplicates-collapsed-last' }],
    alternatives: [['duplicates-collapsed-first'], ['copies-dropped']],
  });
});

test('a body that is not signed is named, with fix, difference and snippet', async () => {
  const { exitCode, out } = await examine(requestText([]), '--language', 'php');
  expect(exitCode).toBe(1);
  expect(out).toContain('✗ The signature is not right (close-day, HMAC-SHA1): body-left-out\n');
  expect(out).toContain('  what       The client does not sign the form fields');
  expect(out).toContain('  PHP        // Use a list of [name, value], because parse_str() loses repeated names');
  const [, expected, actual, mark] = / {2}expected {3}(.*)\n {2}actual {5}(.*)\n {2}( *\^) character \d+\n/.exec(out)!;
  const at = mark!.length - 1 - 'expected   '.length;
  expect(expected!.slice(0, at)).toBe(actual!.slice(0, at));
  expect(expected!.slice(at)).toMatch(/^day_close_request_id/);
  expect(actual!.slice(at)).toMatch(/^oauth_consumer_key/);
  expect(out).not.toContain(consumerSecret);
});

test('a line end of an editor after the body is no mistake of the client, unless Content-Length counts it', async () => {
  const edited = `${requestText(pairs)}\n`;
  const { exitCode, out } = await examine(edited);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^✓ The signature is right without the last line end of the file \(close-day, HMAC-SHA1\)\.\n/);
  expect(out).toContain('most editors add a');
  expect(JSON.parse((await examine(edited, '--json')).out)).toMatchObject({
    verified: true,
    facts: [{ id: 'last-line-end-left-out' }],
  });
  const counted = `${requestText(pairs).replace('Host:', `Content-Length: ${body.length + 1}\r\nHost:`)}\n`;
  const sent = await examine(counted);
  expect(sent.exitCode).toBe(1);
  expect(sent.out).toContain('final-newline-not-signed');
  const wrong = `${requestText(pairs, consumerKey, `${consumerSecret}\n`)}\n`;
  const simpler = await examine(wrong, '--json');
  expect(JSON.parse(simpler.out).deviations).toMatchObject([{ id: 'secret-with-newline' }]);
  const unexplained = await examine(`${unreadable(requestText(pairs))}\n`);
  expect(unexplained.out).toContain('most editors add a');
  expect(unexplained.out).not.toContain('%250A');
});

test('an entry of a HAR file, or its request, is examined by itself', async () => {
  const [entry] = JSON.parse(foreignHar([() => ({})])).log.entries;
  for (const one of [entry, entry.request])
    expect(await examine(JSON.stringify(one))).toMatchObject({ exitCode: 0, err: '' });
  expect((await examine('{"url": "https://gate.example.com"}')).exitCode).toBe(2);
});

test('a HAR entry is examined as the text is; scheme, host and prefix come from --base-url', async () => {
  const { headers } = requestOf(requestText(pairs));
  const sent = (target: string, some = headers) => {
    return { ...requestOf(requestText(pairs)), scheme: 'http' as const, host: 'inner:8080', target, headers: some };
  };
  const path = '/v2/close-day/1111';
  const one = file(here('one.har'), ownHar(sent('/other', []), sent(path)));
  const urlFlags = ['--base-url', 'https://gate.example.com/api'];
  expect((await run(['autopsy', one, ...urlFlags])).exitCode).toBe(0);
  expect((await run(['autopsy', one, '--entry', '2', ...urlFlags])).exitCode).toBe(0);
  expect((await run(['autopsy', one, '--entry', '1'])).out).toContain('the request has no Authorization header');
  await refuses(['autopsy', one, '--entry', '3'], 'no entry 3');
  const wrong = headers.map(([name, value]) => [name, unreadable(value)] as const);
  const two = file(here('two.har'), ownHar(sent(path), sent(path, wrong)));
  const many = await run(['autopsy', two, '--json', ...urlFlags]);
  expect(many.exitCode).toBe(1);
  const unread = { facts: [{ id: 'not-base64' }], malformed: [] };
  expect(JSON.parse(many.out)).toMatchObject({ signatures: 2, causes: [], unexplained: [2], ...unread });
  file(here('exchanges.har'), ownHar());
  expect((await run(['autopsy', here()])).err).toContain('exchanges.har');
});

test('wrong entries of a run are grouped by their mistake, with the keys of the identities of the suite', async () => {
  const second = identities.punctuation;
  const texts = [requestText(pairs), requestText([]), requestText([], second.consumerKey, second.consumerSecret)];
  const harOf = (some: readonly string[]) => ownHar(...some.map(requestOf));
  const { exitCode, out } = await examine(harOf(texts));
  expect(exitCode).toBe(1);
  expect(out.split('\n')[0]).toBe('✗ 2 of 3 signatures are not right');
  expect(out).toContain('body-left-out: 2 of 2 wrong signatures, entries 2, 3; see --entry 2');
  expect(out).toContain('After this fix, 2 of 2 wrong signatures would be right.');
  expect(out).not.toContain('\n  PHP');
  expect((await examine(harOf(texts), '--language', 'php')).out.match(/\n {2}PHP/g)).toHaveLength(1);
  // One mistake explains the first entry alone, and two mistakes explain both.
  const both = [requestText([]), requestText([], consumerKey, consumerSecret, '?a=b')];
  const causes = (await examine(harOf(both))).out;
  expect(causes).toMatch(/\+ .*: 2 of 2 wrong signatures, entries 1, 2; see --entry 2/);
  const [, names] = /([a-z-]+ \+ [a-z-]+): 2 of 2/.exec(causes)!;
  expect((await examine(harOf(both), '--entry', '2')).out).toContain(`HMAC-SHA1): ${names}`);
  const unquoted = requestText(pairs).replace('oauth_version="1.0"', 'oauth_version=1.0');
  const malformed = harOf([unquoted, requestText(pairs), unquoted]);
  const found = await examine(malformed);
  expect(found.exitCode).toBe(1);
  expect(found.out).toMatch(/^✓ All 3 signatures are right, but requests are malformed\n/);
  expect(found.out).toContain('header-values-encoded: 2 malformed requests, entries 1, 3');
});

test('signatures beyond the limit of searches are counted', async () => {
  const request = requestOf(unreadable(requestText(pairs)));
  const { exitCode, out } = await examine(ownHar(...Array.from({ length: 25 }, () => request)));
  expect(exitCode).toBe(1);
  expect(out).toContain('No deviation explains 25 of 25 wrong signatures');
  expect(out).toContain(
    '- Signatures without a search of their own (only the mistakes of other entries were tested): 1.\n',
  );
});

const without = (headers: Json[], name: string) => headers.filter((one) => one.name !== name);
const lacking: readonly (readonly [words: string, change: (request: Json) => object])[] = [
  ['the bytes of the request body', () => ({ postData: {} })],
  ['the end of the request body', ({ headers }) => ({ postData: { text: 'a=b' }, headers: [...headers, counted] })],
  ['some characters of the request', () => ({ postData: { text: `${body}\ufffd` } })],
  [
    'the address that the client called',
    ({ headers }) => ({ url: 'https://203.0.113.7/api/v2/close-day/1111', headers: without(headers, 'Host') }),
  ],
  ['the Authorization header', ({ headers }) => ({ headers: without(headers, 'Authorization') })],
];
for (const [words, change] of lacking) {
  test(`the first line says that a record without ${words} cannot decide, of one entry and of several`, async () => {
    const results = [];
    for (const changes of [[change], [change, change]]) {
      const { exitCode, out } = await examine(foreignHar(changes));
      results.push([exitCode, out.split('\n')[0], JSON.parse((await examine(foreignHar(changes), '--json')).out)]);
    }
    const undecided = String.raw`^\? The record cannot show whether`;
    expect(results).toMatchObject([
      [
        1,
        expect.stringMatching(`${undecided} the signature is right .*: it lacks ${words}\\.$`),
        { signature: 'unknown', lacking: words },
      ],
      [
        1,
        expect.stringMatching(`${undecided} any of 2 signatures is right: it lacks ${words}\\.$`),
        { signatures: 0, undecided: [words, words] },
      ],
    ]);
  });
}

test('a record that lacks only unsigned parts has the same verdict on its signatures', async () => {
  const unchanged = () => ({});
  const har = foreignHar([unchanged, unchanged], '2026-01-31T12:00:00.000');
  expect((await examine(har)).out).toBe('✓ All 2 signatures are right.\n');
});

test('a request without a header has no signature, no method and no base string', async () => {
  const text = requestText(pairs).replace(/Authorization: .*\r\n/, '');
  const { exitCode, out } = await examine(text);
  expect(exitCode).toBe(1);
  expect(out.split('\n')[0]).toBe(
    '✗ There is no signature to examine: the request has no Authorization header (close-day); it breaks close-day/authorization-sent',
  );
  expect(out).toContain('  fix        Put the OAuth parameters into the Authorization header');
  expect(out).not.toMatch(/signature method|POST&|none gives/);
});

// This searches twice to the full depth, and finds nothing.
test('an unexplained signature is reported with the credentials that were tried', {
  tag: '@all',
}, async () => {
  const text = requestText(pairs, consumerKey, 'another-secret-altogether');
  const published = (await examine(text)).out.replace(/\s+/g, ' ');
  expect(published).toContain('The published secret and key of the test identity were used.');
  const secret = file(here('mine.txt'), 'a-third-secret-of-mine\n');
  const { exitCode, out, err } = await examine(text, '--consumer-secret-file', secret);
  expect(exitCode).toBe(1);
  expect(out.replace(/\s+/g, '')).toContain('mine.txt.Checkthattheclientusesthesamecredentials.');
  expect(out).toMatch(
    /ways to sign were tried, .*none\s+gives\s+this\s+signature\.\s+So\s+the\s+cause\s+is\s+unknown\./s,
  );
  expect(err).toContain('line end');
});

test('what cannot be examined is wrong use, in one sentence', async () => {
  const unknown = file(here('unknown.txt'), requestText(pairs, 'shop'));
  const noise = file(here('noise.txt'), 'not a request\n\n');
  const long = file(here('long.txt'), requestText(pairs) + '&a=b'.repeat(1024 ** 2));
  const rsa = file(here('rsa.txt'), requestText(pairs).replace('HMAC-SHA1', 'RSA-SHA256').replace(consumerKey, 'shop'));
  for (const [args, words] of [
    [[unknown], 'Add --consumer-secret-file.'],
    [[rsa], 'Add --public-key-file.'],
    [[noise], 'request line'],
    [[long], 'has a body of more than 4 MB'],
    [[here('absent.txt')], 'does not exist'],
    [[unknown, '--base-url', 'gate.example.com'], 'is not a base URL'],
    [[unknown, '--entry', '1'], '--entry needs a HAR file'],
    [[unknown, '--entry', '0'], 'whole number from 1'],
    [[unknown, '--language', 'cobol'], 'is not one of node, python'],
    [[unknown, '--language', 'phpp'], 'Did you mean php?'],
    [[unknown, '--page'], '--page reads no request, but a file is named. Remove the file name.'],
  ] as const)
    await refuses(['autopsy', ...args], words);
});
