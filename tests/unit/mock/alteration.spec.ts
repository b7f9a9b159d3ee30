/** Hooks for defects and variants, as far as no defect of the kill matrix shows them, and the bytes of the telling variants. */

import { variants } from '../../../src/faults/variants.ts';
import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, csv, noon, request } from './caller.ts';

test('explicit settings win over those of alterations, undefined over nothing', () => {
  const alterations = [{ settings: { refusalStatus: 401, timestampWindowSeconds: 1 } }] as const;
  const settings = mock.settingsWith(alterations, { refusalStatus: 403, timestampWindowSeconds: undefined });
  expect([settings.refusalStatus, settings.timestampWindowSeconds]).toEqual([403, 1]);
});

function sendVariant(id: string | undefined, sent: mock.Received, world = mock.defaultWorld()) {
  const alterations = variants.filter((variant) => variant.id === id).map(({ alteration }) => alteration);
  if (alterations.length !== (id === undefined ? 0 : 1))
    throw new Error(`${alterations.length} variants are called ${id}`);
  const reply = mock.respond(sent, world, mock.settingsWith(alterations), noon, mock.joinAlterations(alterations));
  return { status: reply.status, headers: reply.headers, body: Buffer.from(reply.body).toString('utf8') };
}

test('no variant is without a reason: an open point, a rule, or one of three remarks', () => {
  const without = variants.filter(({ openPoint, meaningless }) => openPoint === undefined && meaningless === undefined);
  expect(without.map(({ id }) => id)).toEqual(['refusal-401', 'refusal-403', 'refusal-without-body', 'keep-alive-5']);
});

const bodies: [id: string, body: RegExp][] = [
  ['wrapped-body', /^\{"closeDay":\{"response":\{"status":"finished",.*"theRequestSerialNumber":"[^"]+"\}\}$/],
  [
    'members-in-another-order',
    /^\{"theRequestSerialNumber":"[^"]+","response":\{"gates":\[\{"RRN":.*"status":"finished"\}\}$/,
  ],
  ['date-in-russian', /"gateCloseDate":"пт янв\. 2 15:00:00 MSK 2026"/],
  ['longs-of-19-digits', /"gateId":9000000000000007101,.*"epntId":9000000000000001111,/],
  ['escaped-text', /"status":"\\u0066\\u0069\\u006e/],
];

for (const [id, body] of bodies) {
  test(`${id}: the body has that form, and its length is right`, () => {
    const answer = sendVariant(id, request());
    expect(answer.body).toMatch(body);
    expect(answer.headers).toContainEqual(['Content-Length', String(Buffer.byteLength(answer.body))]);
  });
}

test('escaped-line-feeds: %0A after each value, and no byte 0x0A', () => {
  const { body } = sendVariant('escaped-line-feeds', batchRequest(csv, { signature: () => 'AAAA' }));
  expect(body).toMatch(/^type=validation-error%0A&serial-number=[0-9a-f-]+%0A&error-message=\S+%0A&error-code=403%0A$/);
});

test('variants with a body of 2.4 leave a scripted answer alone', () => {
  const world = mock.defaultWorld();
  mock.setNextAnswer(world, '1111', { kind: 'parameters', type: 'error', code: '403' });
  expect(sendVariant('error-with-code-500', batchRequest(csv), world).body).toContain('error-code=403');
});
