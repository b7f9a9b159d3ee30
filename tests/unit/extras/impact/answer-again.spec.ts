/** A stored answer goes out again as it was, as far as HTTP has a form for it; whatever a file holds, the local gateway stays up. */
import { request } from 'node:http';
import { planWith } from '../../../../src/extras/impact/ask-clients.ts';
import { type LocalGateway, openLocalGateway } from '../../../../src/peer/local-gateway/local-gateway.ts';
import type { Header } from '../../../../src/record/exchange.ts';
import { expect, test } from '../../../engine.ts';
import { answer } from '../../verdict/runs.ts';

let gateway: LocalGateway;

test.beforeAll(async () => {
  gateway = await openLocalGateway({ folder: '/nowhere', now: Date.now, plainHttp: true });
});

test.afterAll(() => gateway.close());

const body = '{"response":{"status":"error","errorCode":"7","errorMessage":"no"},"theRequestSerialNumber":"1"}';

function planOf(headers: readonly Header[], status = 200) {
  return planWith('close-day', answer(body, { headers, status }).exchanges[0]);
}

/** What a client on a socket gets, as node shows it. */
async function received(headers: readonly Header[], status?: number) {
  const planned = planOf(headers, status);
  if ('unverified' in planned) throw new Error(planned.unverified);
  const place = await gateway.open(planned.plan.answer);
  if ('unavailable' in place) throw new Error(place.unavailable);
  return new Promise<{ status: number; headers: string[]; body: string }>((resolve, reject) => {
    request(`${place.baseUrl}/x`, { agent: false }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode!, headers: response.rawHeaders, body: text });
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

test('headers keep their order and spelling, and the length is that of the body', async () => {
  const headers: Header[] = [
    ['content-type', 'text/html;charset=utf-8'],
    ['X-Trace', 'a\u00e9'],
    ['content-length', '9'],
  ];
  const got = await received(headers, 403);
  expect(got).toEqual({
    status: 403,
    headers: expect.arrayContaining([
      'content-type',
      'text/html;charset=utf-8',
      'X-Trace',
      'content-length',
      String(body.length),
    ]),
    body,
  });
});

for (const [what, headers] of Object.entries({
  'a trailer that does not come': [['Trailer', 'X-Sum']],
  'a coding that is not there any more': [['Transfer-Encoding', 'gzip, chunked']],
  'two framings': [
    ['Content-Length', '3'],
    ['Transfer-Encoding', 'chunked'],
  ],
  'two lengths': [
    ['Content-Length', '3'],
    ['Content-Length', '4'],
  ],
  'two codings': [
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'chunked'],
  ],
  'an upgrade': [
    ['Connection', 'upgrade'],
    ['Upgrade', 'h2c'],
  ],
} satisfies Record<string, Header[]>)) {
  test(`an answer with ${what} arrives whole`, async () => {
    expect((await received(headers)).body).toBe(body);
  });
}

test('what HTTP has no form for is unverified, and is not sent', () => {
  const reason = { unverified: 'the stored answer cannot be sent again as it is' };
  expect(planOf([['X', 'a\r\nY: b']])).toEqual(reason);
  expect(planOf([['X Y', 'a']])).toEqual(reason);
  expect(planOf([['X', '\u6f22']])).toEqual(reason);
  for (const status of [0, 101, 199, 600, 1000]) expect(planOf([], status)).toEqual(reason);
});
