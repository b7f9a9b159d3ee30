/** Signatures that were published or computed elsewhere: right ones are verified, wrong readings of the same request are named. */

import { autopsy } from '../../../src/autopsy/index.ts';
import { expect, test } from '../../engine.ts';
import { headerOf } from './drawn.ts';

const kat = {
  secret: '11111111-1111-1111-1111-111111111111',
  host: 'gate.payneteasy.com',
  credentials: [
    ['oauth_consumer_key', 'merchantlogin'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1669966913'],
    ['oauth_nonce', 'y3qlvMPky7g'],
    ['oauth_version', '1.0'],
  ] as const,
};

function examine(target: string, body: string, signature: string) {
  const request = {
    method: 'POST',
    scheme: 'https',
    host: kat.host,
    target,
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Authorization', headerOf([...kat.credentials, ['oauth_signature', signature]], undefined, false)],
    ] as const,
    body: Buffer.from(body),
  };
  return autopsy(request, { consumerSecret: kat.secret }, { limits: { depth: 2 } });
}

const enrolment = '/paynet/api/v2/pan-eligibility/send/ENDPOINTID';
const enrolmentBody = 'client-order-id=1234567890&sending-card-ref-id=7654321';

const wrongReadings = [
  ['oauth-parameters-counted-twice', 'dZYTqoNklf+WRMWg+pOl9YEw9Ww='],
  ['body-left-out', '9Vrx4jCIJot8wL8dAJOOL2qgGHU='],
  ['oauth-parameters-left-out', 'epm2C1A98f90oszmCn0ISQmv+oQ='],
  ['no-ampersand-in-key', 'M8A/Tebo4HbCIlAoWYOQq/Tr6wg='],
  ['joined-string-not-encoded', 'jduXDwWdMAAVVyGM10z08TCKr8Q='],
  ['empty-realm-included', 'rVKt72vGKhQSpZFWesBzwteaQhA='],
] as const;

for (const [id, signature] of wrongReadings) {
  test(`the known answer ${signature} is named ${id}`, () => {
    const found = examine(enrolment, enrolmentBody, signature);
    expect(found).toMatchObject({ verified: false, operation: 'other', deviations: [{ id }] });
    expect(found.deviations).toHaveLength(1);
  });
}

test('the right known answer for another path of the gateway is verified', () => {
  const found = examine(enrolment, enrolmentBody, 'd/IPlITUmPcniwjA7Vckjr6WQeE=');
  expect(found).toMatchObject({ verified: true, deviations: [], facts: [], triedCount: 1 });
});

const totals = 'sale_approved_count=2&sale_approved_sum=10.42&reversal_approved_count=1&reversal_approved_sum=0.94';

for (const [rest, signature] of [
  ['', '8cqT2WpZTAIlKH6NbvVbfKOUg+Y='],
  [`&${totals}`, 'UmkyajKOP1IjfcbjqcN41VWZrvQ='],
  ['&sale_approved_sum=', '+rs76iZvKPxe+fhm+DRON5Mrz7Q='],
  ['&sale_approved_sum=1+0%2B4', 'w7FsDbxQXdjqsRh57/gBo59WKBs='],
  ['&sale_approved_count=2&sale_approved_count=10', 'DDKkTN2xytwnSaenronbc9/B0Yc='],
] as const) {
  test(`the known close-day answer ${signature} is verified`, () => {
    const found = examine('/paynet/api/v2/close-day/1111', `day_close_request_id=902B4FF5${rest}`, signature);
    expect(found).toMatchObject({ verified: true, operation: 'close-day', signatureMethod: 'HMAC-SHA1', facts: [] });
    expect(found.signedBaseString).toBeUndefined();
  });
}

test('the example of OAuth Core 1.0a, a GET with query, token and token secret, is verified', () => {
  const parameters = [
    ['oauth_consumer_key', 'dpf43f3p2l4k3l03'],
    ['oauth_token', 'nnch734d00sl2jdk'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1191242096'],
    ['oauth_nonce', 'kllo9940pd9333jh'],
    ['oauth_version', '1.0'],
    ['oauth_signature', 'tR3+Ty81lMeYAr/Fid0kMTYa/WM='],
  ] as const;
  const request = {
    method: 'GET',
    scheme: 'http',
    host: 'photos.example.net',
    target: '/photos?file=vacation.jpg&size=original',
    headers: [['Authorization', headerOf(parameters, undefined, false)]] as const,
    body: new Uint8Array(),
  };
  const keys = { consumerSecret: 'kd94hf93k423kf44', tokenSecret: 'pfkkdhi9sl3r4s00' };
  expect(autopsy(request, keys)).toMatchObject({ verified: true, facts: [] });
  const other = { ...keys, tokenSecret: 'another-token-secret' };
  expect(autopsy(request, other, { limits: { depth: 1 } }).deviations).toEqual([]);
});
