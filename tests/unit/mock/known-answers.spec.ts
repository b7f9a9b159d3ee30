/** Public known answers, computed by others: the mock verifies them. */

import { defaultSettings, defaultWorld, newGate, respond } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';

const secret = '11111111-1111-1111-1111-111111111111';
const id = 'day_close_request_id=902B4FF5';

const signatures: [body: string, signature: string][] = [
  [id, '8cqT2WpZTAIlKH6NbvVbfKOUg+Y='],
  [
    `${id}&sale_approved_count=2&sale_approved_sum=10.42&reversal_approved_count=1&reversal_approved_sum=0.94`,
    'UmkyajKOP1IjfcbjqcN41VWZrvQ=',
  ],
  [`${id}&sale_approved_sum=`, '+rs76iZvKPxe+fhm+DRON5Mrz7Q='],
  [`${id}&sale_approved_sum=1+0%2B4`, 'w7FsDbxQXdjqsRh57/gBo59WKBs='],
  [`${id}&sale_approved_count=2&sale_approved_count=10`, 'DDKkTN2xytwnSaenronbc9/B0Yc='],
];

for (const [body, signature] of signatures) {
  test(`${body} verifies with ${signature}`, () => {
    expect(stepThatRefuses(body, signature)).toBe(
      body.includes('count=2&sale_approved_count') ? 'fields-once' : undefined,
    );
  });

  test(`${body} with another request id does not`, () => {
    expect(stepThatRefuses(body.replace('902B4FF5', '902B4FF6'), signature)).toBe('signature');
  });
}

function stepThatRefuses(body: string, signature: string): string | undefined {
  const parameters = {
    oauth_consumer_key: 'merchantlogin',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: '1669966913',
    oauth_nonce: 'y3qlvMPky7g',
    oauth_version: '1.0',
    oauth_signature: encodeURIComponent(signature),
  };
  const authorization = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  const world = defaultWorld({
    consumers: [{ consumerKey: 'merchantlogin', consumerSecret: secret }],
    endpoints: { 1111: [newGate('1', '1111')] },
  });
  const sent = {
    method: 'POST',
    scheme: 'https',
    host: 'gate.payneteasy.com',
    target: '/paynet/api/v2/close-day/1111',
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Authorization', `OAuth ${authorization.join(', ')}`],
    ],
    body: Buffer.from(body),
  } as const;
  return respond(sent, world, { ...defaultSettings, prefix: '/paynet' }, 1_669_966_913_000).about.step;
}
