/** What is equal to a sent value: the same, a remark for the same in another dress, a failure for anything lost. */
import type { DecodedValue } from '../../../../src/record/client-case.ts';
import {
  sameDate,
  sameLong,
  sameQuantity,
  sameText,
  sameTruth,
  worstOf,
} from '../../../../src/rules/client/decoding/forms.ts';
import type { Finding } from '../../../../src/rules/finding.ts';
import { expect, test } from '../../../engine.ts';

const said = ({ outcome, remark }: Finding) => (outcome === 'pass' && remark !== undefined ? 'remark' : outcome);

const compared: readonly (readonly [
  same: (got: DecodedValue) => Finding,
  pass: DecodedValue,
  remark: DecodedValue[],
  fail: DecodedValue[],
])[] = [
  [
    (got) => sameLong('gateId', '9007199254740993', got),
    { long: '9007199254740993' },
    [{ text: '9007199254740993' }],
    [{ long: '9007199254740992' }, { text: '9.007199254740993e15' }, { bool: true }],
  ],
  [(got) => sameTruth('isDayClosing', true, got), { bool: true }, [{ text: 'true' }], [{ bool: false }, { text: '1' }]],
  [(got) => sameText('code39', '10', got), { text: '10' }, [{ long: '10' }], [{ long: '0' }, { text: '010' }]],
  [
    (got) => sameQuantity('saleAmount', '0.10', got),
    { text: '0.10' },
    texts('0.1 0.100 .1 00.1'),
    texts(' . 0 1 10 0.01 -0.1 0,10 ten'),
  ],
  [
    (got) => sameQuantity('saleAmount', '90071992547409.00', got),
    { text: '90071992547409.00' },
    [{ text: '90071992547409' }, { long: '90071992547409' }],
    [{ text: '90071992547409.01' }],
  ],
];

test('a value that is the same passes, in another dress with a remark; whatever lost something fails', () => {
  for (const [same, pass, remark, fail] of compared) {
    expect([pass, ...remark, ...fail].map((got) => said(same(got)))).toEqual([
      'pass',
      ...remark.map(() => 'remark'),
      ...fail.map(() => 'fail'),
    ]);
  }
});

function texts(listed: string): DecodedValue[] {
  return listed.split(' ').map((text) => ({ text }));
}

test('a date is unchanged; the instant of it is a remark', () => {
  const utc = 'Wed Jan 31 23:59:59 UTC 2024';
  expect(said(sameDate('gateCloseDate', utc, { text: utc }))).toBe('pass');
  const instants =
    '2024-01-31T23:59:59Z¦2024-01-31T23:59:59.000Z¦2024-02-01T00:59:59+01:00¦2024-01-31T23:59:59Z[UTC]¦' +
    '2024-01-31 23:59:59+00:00¦1706745599¦1706745599000';
  for (const text of instants.split('¦')) expect(said(sameDate('gateCloseDate', utc, { text })), text).toBe('remark');
  for (const text of ['2024-01-31T22:59:59Z', '2024-01-31T23:59:59', '2024-01-31', 'Wed Jan 31 23:59:59 2024', '']) {
    expect(said(sameDate('gateCloseDate', utc, { text })), text).toBe('fail');
  }
});

test('an instant near the epoch has few digits, and one before it a sign', () => {
  for (const [date, seconds] of [
    ['Thu Jan 1 00:00:00 UTC 1970', 0],
    ['Thu Jan 1 00:00:21 UTC 1970', 21],
    ['Wed Dec 31 23:59:59 UTC 1969', -1],
  ] as const) {
    for (const text of [seconds, seconds * 1000].map(String)) {
      expect(said(sameDate('gateCloseDate', date, { text })), `${date} as ${text}`).toBe('remark');
    }
    expect(said(sameDate('gateCloseDate', date, { text: '22' })), date).toBe('fail');
  }
});

test('a zone that means one offset is compared, another language is left open', () => {
  const read = { text: '2024-01-31T21:00:00Z' };
  expect(said(sameDate('gateCloseDate', 'Thu Feb 1 00:00:00 MSK 2024', read))).toBe('remark');
  expect(said(sameDate('gateCloseDate', 'Thu Feb 01 00:00:00 GMT+03:00 2024', read))).toBe('remark');
  expect(said(sameDate('gateCloseDate', 'Wed Jan 31 18:30:00 GMT-02:30 2024', read))).toBe('remark');
  expect(said(sameDate('gateCloseDate', 'Thu Feb 1 00:00:00 UTC 2024', read))).toBe('fail');
  expect(said(sameDate('gateCloseDate', 'Thu Feb 1 00:00:00 CST 2024', read))).toBe('not-applicable');
  expect(said(sameDate('gateCloseDate', '\u0427\u0442 \u0444\u0435\u0432 1 00:00:00 MSK 2024', read))).toBe(
    'not-applicable',
  );
});

test('of several gates a failure decides, then what was shown, and a remark before none', () => {
  const pass: Finding = { outcome: 'pass' };
  const remark: Finding = { outcome: 'pass', remark: 'as text' };
  const hidden: Finding = { outcome: 'not-applicable', remark: 'not exposed' };
  const fail: Finding = { outcome: 'fail', expected: '1', actual: '2' };
  expect(worstOf([pass, hidden, fail])).toBe(fail);
  expect(worstOf([hidden, pass, remark])).toBe(remark);
  expect(worstOf([hidden, pass])).toBe(pass);
  expect(worstOf([hidden])).toBe(hidden);
  expect(worstOf([])).toBeUndefined();
});
