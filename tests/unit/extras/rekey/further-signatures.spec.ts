/** A copy has no signature that was made with the original secret, also if requests or answers repeat the signature. */

import { gzipSync } from 'node:zlib';
import { exchangesOf, rekeyRecordings, type SigningResult } from '../../../../src/extras/rekey/rekey.ts';
import { encodeForm, type Pair, signRequest } from '../../../../src/protocol/index.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../../../../src/record/exchange.ts';
import { groupByScenario } from '../../../../src/record/run.ts';
import { expect, test } from '../../../engine.ts';

const key = { method: 'HMAC-SHA1', consumerSecret: 'secret of the shop' } as const;
const options = { keysOf: () => [key], issued: 'shop', salt: 'salt of the test', secrets: [] };
const fields: Pair[] = [['day_close_request_id', 'ABCDEFGH1']];
const form = 'application/x-www-form-urlencoded';
const target = { method: 'POST', scheme: 'https', host: 'gateway.test', target: '/api/v2/close-day/1111' } as const;
const { authorization } = signRequest(
  { ...target, body: fields },
  { consumerKey: 'shop', key },
  { timestamp: '1700000000', nonce: 'n1' },
);
const written = /oauth_signature="([^"]+)"/.exec(authorization)![1]!;
const once = `oauth_signature="${written}"`;
const other = 'oauth_signature="AAECAwQFBgcICQoLDA0ODxAREhM%3D"';
const unsigned = authorization.replace(once, 'oauth_signature=""');

const cases: Readonly<Record<string, readonly [SigningResult, Partial<Request>]>> = {
  'twice in the header': ['right', { header: `${authorization}, ${once}` }],
  'beside another one in the header': ['right', { header: `${authorization}, ${other}` }],
  'behind an empty one': ['unsigned', { header: `${unsigned}, ${once}` }],
  'in a second header': ['right', { second: authorization }],
  'in the query too': ['same-fault', { query: `?oauth_signature=${written}` }],
  'in the body too': ['other-fault', { body: `&oauth_signature=${written}` }],
  'in a form said to be text': ['unsigned', { header: '', type: 'text/plain', body: `&oauth_signature=${written}` }],
  'under an escaped name': ['other-fault', { body: `&oauth%5fsignature=${written}`, type: 'text/plain' }],
  'under a misspelt name': ['unsigned', { header: authorization.replace('oauth_signature=', 'oauth-signature=') }],
  'under a cut name': ['unsigned', { header: authorization.replace('oauth_signature=', 'oauth_signatur=') }],
  'in a header that is separated by semicolons': ['right', { header: authorization.replaceAll(', ', '; ') }],
  'in JSON inside of JSON': [
    'unsigned',
    { header: '', type: 'application/json', body: JSON.stringify({ a: JSON.stringify({ oauth_signature: plain() }) }) },
  ],
  'in JSON with escaped slashes': [
    'unsigned',
    { header: '', type: 'application/json', body: `{"oauth_signature":"${plain().replaceAll('/', '\\/')}"}` },
  ],
  'in JSON': ['unsigned', { header: '', type: 'application/json', body: `{"oauth_signature": "${plain()}"}` }],
};

type Request = Record<'header' | 'second' | 'query' | 'type' | 'body', string>;

test('a signature is not in the copy, wherever it is in the request', () => {
  for (const [name, [signed, input]] of Object.entries(cases)) {
    const original = request(input);
    const texts = [written, plain(), plain().split('/')[0]!, 'AAECAwQFBgcICQoLDA0ODxAREhM'];
    const isShown = texts.some((text) => textOf(original).includes(text));
    expect(isShown, name).toBe(true);
    const result = rekey({ request: original });
    expect(result.signed, name).toEqual({ ...none, [signed]: 1 });
    const copy = textOf(result.request);
    for (const text of texts) expect(copy, name).not.toContain(text);
  }
});

const none = { right: 0, 'same-fault': 0, 'other-fault': 0, unsigned: 0 };

/** The copy of a recording with one exchange. */
function rekey(input: Pick<Exchange, 'request' | 'response'>) {
  const label = { operation: 'close-day', intent: 'open' } as const;
  const exchange = { ...input, startedAt: 1.7e12, durationMs: 1 };
  const records = groupByScenario([{ scenario: 's', number: 1, label, exchanges: [exchange] as const }]);
  const { signed, recordings } = rekeyRecordings([{ side: 'gateway', records, unrelated: 0 }], options);
  return { signed, ...exchangesOf(recordings[0]!)[0]! };
}

function plain(): string {
  return decodeURIComponent(written);
}

function request(given: Partial<Request>): SentRequest {
  const { header = authorization, second, query = '', type = form, body = '' } = given;
  const headers: [string, string][] = [['Content-Type', type]];
  if (header !== '') headers.push(['Authorization', header]);
  if (second !== undefined) headers.push(['Authorization', second]);
  const text = body.startsWith('{') ? body : `${encodeForm(fields)}${body}`;
  return { ...target, target: `${target.target}${query}`, headers, body: Buffer.from(text) };
}

function textOf({ target: path, headers, body }: SentRequest): string {
  return `${path} ${headers.map(([, value]) => value).join(' ')} ${Buffer.from(body).toString()}`;
}

const signature = 'k+QMDBBNzAXUmpT0Hz/X1dGyMOs=';
const escaped = 'k%2BQMDBBNzAXUmpT0Hz%2FX1dGyMOs%3D';

const echoes: Readonly<Record<string, string>> = {
  'as it is': `bad signature ${signature}`,
  'as it was written': `<p>${escaped}</p>`,
  'behind its name': `signature=${escaped}, 100% sure`,
  'in a form': `type=error\n&error-message=${encodeURIComponent(`signature ${escaped}`)}`,
  'behind blanks of a form': `${new URLSearchParams({ m: `bad signature ${signature}` })}`,
  'behind a line feed of a form': `m=expected%0A${escaped}`,
  'behind a line feed of JSON': JSON.stringify({ m: `expected\n${signature}` }),
  'in JSON of .NET': `{"m":"${signature.replaceAll('+', '\\u002B')}"}`,
  'in JSON inside of JSON': JSON.stringify({ m: JSON.stringify({ m: signature }).replaceAll('/', '\\/') }),
  'in JSON': JSON.stringify({ errorMessage: `"${signature}"` }).replaceAll('/', '\\/'),
};

const sentWith = [`"${escaped}"`, undefined, '"AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D"', '""'];

test('a signature in an answer is replaced, and keeps its length', () => {
  for (const text of Object.values(echoes)) {
    for (const value of sentWith) {
      const header = value === undefined ? '' : `OAuth oauth_signature=${value}`;
      const { body, headers } = answerIn(header, answer(text));
      expect(body).toHaveLength(answer(text).body.length);
      for (const part of [Buffer.from(body).toString(), headers.join()]) expect(part).not.toMatch(/QMDBBNzAXUmpT0Hz/);
    }
  }
});

test('a signature with two layers of escapes is replaced, with all or some of its escapes', () => {
  const twice = encodeURIComponent(escaped);
  for (const text of [twice, escaped, signature]) {
    const { body } = answerIn(`OAuth oauth_signature="${twice}"`, answer(text));
    expect(Buffer.from(body).toString()).not.toContain('QMDBBNzAXUmpT0Hz');
  }
});

test('an answer without a signature is unchanged, even if it has other base64', () => {
  for (const text of ['no', 'A'.repeat(32), `${'A'.repeat(26)}==`, `${'A'.repeat(31)}=`, `${'A'.repeat(27)}==`]) {
    const plain = answer(text, gzipSync(text));
    expect(answerIn(`OAuth oauth_signature="${escaped}"`, plain)).toEqual(plain);
    expect(answerIn('OAuth oauth_signature_method="HMAC-SHA1", oauth_signature=""', answer(text))).toEqual(
      answer(text),
    );
  }
});

/** The copy of an answer to a request with this Authorization. */
function answerIn(header: string, response: ReceivedResponse): ReceivedResponse {
  return rekey({ request: request({ header }), response }).response!;
}

function answer(text: string, body: Uint8Array = Buffer.from(text)): ReceivedResponse {
  return { status: 403, reason: 'Forbidden', headers: [['X-Why', text.replaceAll('\n', ' ')]], body };
}
