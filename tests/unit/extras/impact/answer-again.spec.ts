/** A stored answer goes out again as it was, as far as HTTP has a form for it. */
import { planWith } from '../../../../src/extras/impact/check-clients.ts';
import type { Header } from '../../../../src/record/exchange.ts';
import { expect, test } from '../../../engine.ts';
import { answer } from '../../verdict/runs.ts';

const body = '{"response":{"status":"error","errorCode":"7","errorMessage":"no"},"theRequestSerialNumber":"1"}';
const length = ['Content-Length', String(body.length)] as const;

function planOf(headers: readonly Header[], status = 200) {
  return planWith('close-day', answer(body, { headers, status }).exchanges[0]);
}

const framings: Readonly<Record<string, readonly [stored: Header[], sent: readonly Header[]]>> = {
  'a wrong length': [
    [
      ['content-type', 'text/html;charset=utf-8'],
      ['X-Trace', 'a\u00e9'],
      ['content-length', '9'],
    ],
    [
      ['content-type', 'text/html;charset=utf-8'],
      ['X-Trace', 'a\u00e9'],
      ['content-length', length[1]],
    ],
  ],
  'a trailer that does not come': [[['Trailer', 'X-Sum']], []],
  'a coding that was removed': [[['Transfer-Encoding', 'gzip, chunked']], [['Transfer-Encoding', 'chunked']]],
  'two framings': [
    [
      ['Content-Length', '3'],
      ['Transfer-Encoding', 'chunked'],
    ],
    [['Transfer-Encoding', 'chunked']],
  ],
  'two lengths': [
    [
      ['Content-Length', '3'],
      ['Content-Length', '4'],
    ],
    [length],
  ],
};

test('headers keep their order and spelling, and one frames the body', () => {
  for (const [what, [stored, sent]] of Object.entries(framings)) {
    const planned = planOf(stored, 403);
    const expected = { kind: 'reply', status: 403, headers: sent, body: Buffer.from(body) };
    expect('plan' in planned && planned.plan.answer, what).toEqual(expected);
  }
});

test('what HTTP has no form for is unverified, and is not sent', () => {
  const reason = { unverified: 'the stored answer cannot be sent again as it is' };
  expect(planOf([['X', 'a\r\nY: b']])).toEqual(reason);
  expect(planOf([['X Y', 'a']])).toEqual(reason);
  expect(planOf([['X', '\u6f22']])).toEqual(reason);
  for (const status of [0, 101, 199, 600, 1000]) expect(planOf([], status)).toEqual(reason);
});
