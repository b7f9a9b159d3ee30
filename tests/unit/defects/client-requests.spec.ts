/** What defects of the reference client change in a request, one line each. */

import { clientDefects } from '../../../src/faults/client/index.ts';
import { decodeForm } from '../../../src/protocol/index.ts';
import { headerValues, type SentRequest } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';
import { type Call, plainBatch, plainCloseDay, type Trace, traced } from './telling-calls.ts';

async function sent(id: string, call: Call): Promise<Trace> {
  return traced(call, [clientDefects.find((defect) => defect.id === id)!.alteration]);
}

function header(request: SentRequest, name = 'authorization'): string {
  return headerValues(request.headers, name)[0] ?? '';
}

const headers: readonly (readonly [id: string, shows: RegExp])[] = [
  ['authentication/comma-after-scheme', /^OAuth, oauth_consumer_key="/],
  ['authentication/comma-at-the-end', /",$/],
  ['authentication/semicolons-in-header', /^OAuth oauth_consumer_key="[^"]*"; oauth_signature_method="/],
  ['authentication/other-scheme', /^OAuth1 oauth_consumer_key="/],
  ['authentication/header-values-raw', /oauth_consumer_key="countersign test\+key\/&=%41!\*'\(\):@,;\$-KEY"/],
  ['authentication/header-values-encoded-twice', /oauth_consumer_key="countersign%2520test%252Bkey/],
  ['authentication/header-values-without-quotes', /oauth_version=1\.0, oauth_signature=[\w%.~-]+$/],
  ['authentication/version-left-out', /^(?!.*oauth_version)/],
  ['authentication/version-sent-twice', /oauth_version="1\.0".*oauth_version="1\.0"/],
  ['authentication/body-hash-sent', /oauth_body_hash="[\w%]+%3D"/],
  ['authentication/token-null-sent', /oauth_token="null"/],
  ['authentication/body-copied-into-header', /oauth_signature="[^"]*", (?:day_close_request_id|payload)="/],
  ['authentication/version-1-0a', /oauth_version="1\.0a"/],
  ['authentication/consumer-key-in-capitals', /oauth_consumer_key="COUNTERSIGN%20TEST/],
  ['authentication/consumer-key-in-small-letters', /oauth_consumer_key="countersign%20test[^"]*-key"/],
  ['authentication/consumer-key-encoded-before', /oauth_consumer_key="countersign%2520test/],
  ['authentication/method-in-lower-case', /oauth_signature_method="(?:hmac-sha1|rsa-sha256)"/],
  ['authentication/realm-signed', /^OAuth realm="Gateway", /],
  ['authentication/signature-in-hex', /oauth_signature="(?:[0-9a-f]{40}|[0-9a-f]{512})"/],
  ['authentication/signature-without-padding', /oauth_signature="[^"]*(?<!%3D)"/],
  ['authentication/timestamp-in-milliseconds', /oauth_timestamp="1700000000999"/],
  ['authentication/timestamp-with-fraction', /oauth_timestamp="1700000000\.5"/],
  ['authentication/timestamp-as-date', /oauth_timestamp="2023-11-14T22%3A13%3A20\.999Z"/],
  ['authentication/nonce-of-the-second', /oauth_nonce="nonce1700000000"/],
  ['authentication/nonce-for-ever', /oauth_nonce="aOnceDrawnNonce"/],
];

for (const [id, shows] of headers) {
  test(`${id} shows in the header`, async () => {
    for (const call of [plainCloseDay, plainBatch]) {
      expect(header((await sent(id, call)).requests[0]!)).toMatch(shows);
      expect(header((await traced(call, [])).requests[0]!)).not.toMatch(shows);
    }
  });
}

const lines: readonly (readonly [id: string, call: Call, line: RegExp])[] = [
  ['transport/path-with-slash', plainBatch, /^POST \/pay%20Net\/api\/v4\/process-recurring-payments\/Endpoint-7\/ /],
  ['close-day/path-of-version-4', plainCloseDay, /^POST \/pay%20Net\/api\/v4\/close-day\/Endpoint-7 /],
  ['recurring/path-of-version-2', plainBatch, /^POST \/pay%20Net\/api\/v2\/process-recurring-payments\/Endpoint-7 /],
  ['close-day/sent-with-put', plainCloseDay, /^PUT /],
  ['recurring/sent-with-put', plainBatch, /^PUT /],
  ['transport/content-type-left-out', plainCloseDay, / as $/],
  ['close-day/form-sent-as-text', plainCloseDay, / as text\/plain$/],
  ['recurring/form-sent-as-csv', plainBatch, / as text\/csv$/],
  ['close-day/body-as-json', plainCloseDay, / as application\/json$/],
  ['recurring/body-as-multipart', plainBatch, / as multipart\/form-data; boundary=part$/],
  ['authentication/credentials-in-query', plainBatch, /\?oauth_consumer_key=[^ ]*&oauth_signature=/],
];

for (const [id, call, line] of lines) {
  test(`${id} shows in the request line or the content type`, async () => {
    const lineOf = ({ requests: [request] }: Trace) =>
      `${request!.method} ${request!.target} as ${header(request!, 'content-type')}`;
    expect(lineOf(await sent(id, call))).toMatch(line);
    expect(lineOf(await traced(call, []))).not.toMatch(line);
  });
}

test('without an Authorization header the credentials are elsewhere, or nowhere', async () => {
  for (const id of ['credentials-in-body', 'credentials-in-query', 'no-credentials']) {
    const [request] = (await sent(`authentication/${id}`, plainCloseDay)).requests;
    expect(header(request!)).toBe('');
    const names = decodeForm(request!.body).map(([name]) => name);
    expect(names.filter((name) => name.startsWith('oauth_'))).toHaveLength(id === 'credentials-in-body' ? 6 : 0);
    expect(header(request!, 'content-length')).toBe(String(request!.body.length));
  }
});

test('what is sent again carries the same header, and the second answer counts', async () => {
  const page = { response: { status: 503, reason: '', headers: [], body: new Uint8Array() } };
  const moved = { response: { ...page.response, status: 307, headers: [['Location', '../elsewhere']] as const } };
  const again = await sent('authentication/retried-as-signed-before', { ...plainBatch, answers: [page, page] });
  expect(again.requests[1]).toEqual(again.requests[0]);
  const followed = await sent('authentication/redirect-followed-as-signed-before', {
    ...plainBatch,
    answers: [moved, page],
  });
  expect(followed.requests[1]).toEqual({
    ...followed.requests[0],
    target: '/pay%20Net/api/v4/elsewhere',
  });
});

test('only what failed for its certificate is sent again without looking at it', async () => {
  const tls = { failure: { kind: 'tls', message: 'unknown authority' } } as const;
  const given = await sent('transport/certificate-given-up', { ...plainBatch, answers: [tls] });
  expect(given.trusting).toEqual([false, true]);
  const reset = { failure: { kind: 'reset', message: 'gone' } } as const;
  const kept = await sent('transport/certificate-given-up', { ...plainBatch, answers: [reset] });
  expect(kept.trusting).toEqual([false]);
});
