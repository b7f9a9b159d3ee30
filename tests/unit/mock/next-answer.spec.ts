/** Scripted answers: to the byte, in their order, and with the effect that their type says. */

import {
  defaultSettings,
  defaultWorld,
  type NextAnswer,
  respond,
  setNextAnswer,
  type World,
} from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, csv, noon, request } from './caller.ts';

const html = ['Content-Type', 'text/html;charset=utf-8'];
const serial = '00000000-0000-0000-0000-000002d9b22a';

function send(world: World, sent = batchRequest(csv)) {
  const { status, headers, body, about } = respond(sent, world, defaultSettings, noon);
  return { status, headers, body: Buffer.from(body).toString('utf8'), about };
}

function scripted(...answers: NextAnswer[]): World {
  const world = defaultWorld();
  for (const answer of answers) setNextAnswer(world, '1111', answer);
  return world;
}

const bodies: [what: string, answer: NextAnswer, status: number, body: string][] = [
  ['an empty 200', { kind: 'empty-200' }, 200, ''],
  ['an empty 403', { kind: 'empty-403' }, 403, ''],
  [
    'an acceptance with parameters',
    { kind: 'parameters', type: 'process-recurring-payment-response' },
    200,
    `type=process-recurring-payment-response\n&serial-number=${serial}\n&status=processing\n`,
  ],
  [
    'a validation-error',
    { kind: 'parameters', type: 'validation-error', httpStatus: 403 },
    403,
    `type=validation-error\n&serial-number=${serial}\n&error-message=the%20batch%20is%20not%20valid\n&error-code=403\n`,
  ],
  [
    'an error 500 with its error ID',
    { kind: 'parameters', type: 'error', code: '500', httpStatus: 500 },
    500,
    `type=error\n&serial-number=${serial}\n&error-message=the%20batch%20cannot%20be%20processed\n&error-code=500\n` +
      '&error-id=E47821354\n',
  ],
  [
    'an error ID of another name, with escaped line feeds',
    { kind: 'parameters', type: 'error', errorIdName: 'errorId', lineFeed: '%0A' },
    200,
    `type=error%0A&serial-number=${serial}%0A&error-message=the%20batch%20cannot%20be%20processed%0A&error-code=500%0A` +
      '&errorId=E47821354%0A',
  ],
  [
    'an error 200, without an error ID',
    { kind: 'parameters', type: 'error', code: '200' },
    200,
    `type=error\n&serial-number=${serial}\n&error-message=the%20batch%20cannot%20be%20processed\n&error-code=200\n`,
  ],
];

for (const [what, answer, status, body] of bodies) {
  test(`${what} goes out as written`, () => {
    const sent = send(scripted(answer));
    expect([sent.status, sent.body]).toEqual([status, body]);
    if (answer.kind === 'parameters') expect(sent.headers[0]).toEqual(html);
    expect(sent.headers).toContainEqual(['Content-Length', String(body.length)]);
  });

  const accepted = status === 200 && !/type=(validation-)?error/.test(body);
  test(`${what} ${accepted ? 'starts the payments' : 'starts no payment and is a refusal'}`, () => {
    const world = scripted(answer);
    expect(send(world).about.decision).toBe(accepted ? 'accepted' : 'refused');
    expect(world.counters).toMatchObject({
      startedPayments: accepted ? 2 : 0,
      totalAmount: accepted ? '11.00' : '0',
      refused: accepted ? 0 : 1,
    });
    expect(world.endpoints.get('1111')?.gates[0]?.totals.saleApprovedCount).toBe(accepted ? 4 : 2);
  });
}

test('answers are used up in their order, then the ordinary ones come again', () => {
  const world = scripted({ kind: 'empty-403' }, { kind: 'empty-200' }, { kind: 'empty-403' });
  expect([1, 2, 3, 4].map(() => send(world).status)).toEqual([403, 200, 403, 200]);
});

test('a batch that is refused anyway uses none up', () => {
  const world = scripted({ kind: 'parameters', type: 'process-recurring-payment-response' });
  expect(send(world, batchRequest(csv, { signature: () => 'AAAA' })).body).toBe('');
  expect(send(world, batchRequest('"amount"\n1\n')).body).toBe('');
  expect(send(world).body).toContain('type=process-recurring-payment-response');
});

test('close-day and other endpoints use none up', () => {
  const world = scripted({ kind: 'empty-403' });
  expect(send(world, request()).about.decision).toBe('accepted');
  expect(send(world, batchRequest(csv, { endpointId: '1114' })).about.decision).toBe('accepted');
  expect(send(world).about).toMatchObject({ decision: 'refused', step: 'next-answer' });
});

test('a batch that got a scripted refusal has spent its nonce', () => {
  const world = scripted({ kind: 'empty-403' });
  const sent = batchRequest(csv);
  send(world, sent);
  expect(send(world, sent).about.step).toBe('nonce');
});

test('no two answers have the same serial number, whatever the operation', () => {
  const parameters: NextAnswer = { kind: 'parameters', type: 'error' };
  const world = scripted(parameters, parameters);
  const texts = [send(world), send(world, request()), send(world)].map(({ body }) => body);
  const serials = texts.map((text) => /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0]);
  expect(new Set(serials).size).toBe(3);
});

test('an answer for an endpoint that is not there is an error', () => {
  expect(() => setNextAnswer(defaultWorld(), '9999', { kind: 'empty-200' })).toThrow('no endpoint 9999');
});
