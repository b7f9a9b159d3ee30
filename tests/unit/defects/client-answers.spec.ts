/** What defects of the reference client make of an answer, one line each. */

import { clientDefects } from '../../../src/faults/client/index.ts';
import { expect, test } from '../../engine.ts';
import { batch, closeDay, failed, failedBatch, finished } from './answered-calls.ts';
import { type Call, traced } from './telling-calls.ts';

const page = '<html></html>';
const accepted = batch('type=process-recurring-payment-response\n&serial-number=0042\n');
const typed = (type: string) => failedBatch(type, 'a+b', '200');
const gates = (...read: object[]) => ({ kind: 'finished', gates: read });

const readings: readonly (readonly [id: string, call: Call, reading: Record<string, unknown>])[] = [
  ['close-day/finished-not-known', finished({}), { kind: 'error' }],
  ['close-day/text-html-not-read', finished({}), { kind: 'undecodable' }],
  ['close-day/serial-without-zeros', finished({}), { kind: 'finished', serial: '2D9b22a' }],
  ['close-day/error-taken-for-success', failed('7', 'no'), { kind: 'finished' }],
  [
    'close-day/error-message-lost',
    failed('7', 'no'),
    { kind: 'error', errorCode: '7', errorMessage: 'close-day failed' },
  ],
  [
    'close-day/error-code-read-as-number',
    failed('E-0042', 'no'),
    { kind: 'error', errorCode: '0', errorMessage: 'no' },
  ],
  ['close-day/answer-read-as-latin-1', failed('7', 'é'), { kind: 'error', errorMessage: 'Ã©' }],
  ['close-day/error-message-cut', failed('7', 'n'.repeat(300)), { kind: 'error', errorMessage: 'n'.repeat(255) }],
  ['close-day/markup-of-message-dropped', failed('7', '<b>no</b>'), { kind: 'error', errorMessage: 'no' }],
  ['close-day/error-99-taken-for-success', failed('99', 'closing'), { kind: 'finished' }],
  ['close-day/error-99-taken-for-success', failed('7', 'no'), { kind: 'error', errorCode: '7' }],
  ['close-day/unknown-status-taken-for-success', failed('1', 'a', 'processing'), { kind: 'finished' }],
  ['close-day/unknown-status-taken-for-success', closeDay(page), { kind: 'undecodable' }],
  ['close-day/broken-body-taken-for-success', closeDay(page), { kind: 'finished' }],
  ['close-day/broken-body-taken-for-success', closeDay(page, 500), { kind: 'undecodable' }],
  ['close-day/broken-body-taken-for-success', failed('1', 'a', 'processing'), { kind: 'undecodable' }],
  [
    'close-day/further-members-refused',
    closeDay('{"a":1,"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"s"}'),
    { kind: 'undecodable' },
  ],
  ['close-day/further-members-refused', finished({}), { kind: 'finished' }],
  [
    'close-day/longs-through-a-double',
    finished({ epntId: '7' }),
    gates({ gateId: { long: '9007199254740992' }, epntId: { long: '7' } }),
  ],
  [
    'close-day/gate-id-through-a-double',
    finished({}),
    gates({ gateId: { long: '9007199254740992' }, epntId: { long: '9223372036854775807' } }),
  ],
  [
    'close-day/epnt-id-in-32-bits',
    finished({}),
    gates({ gateId: { long: '9007199254740993' }, epntId: { long: '-1' } }),
  ],
  ['close-day/locked-gate-read-as-free', finished({ isDayClosing: 'true' }), gates({ isDayClosing: { bool: false } })],
  ['close-day/free-gate-read-as-locked', finished({}), gates({ isDayClosing: { bool: true } })],
  [
    'close-day/close-date-without-zone',
    finished({}),
    gates({ gateCloseDate: { text: 'Wed Jan 31 23:59:59 UTC 2024' } }),
  ],
  [
    'close-day/close-date-day-without-zero',
    finished({ gateCloseDate: 'Thu Feb 01 00:00:00 UTC 2024' }),
    gates({ gateCloseDate: { text: 'Thu Feb 1 00:00:00 UTC 2024' } }),
  ],
  [
    'close-day/close-date-in-years-of-weeks',
    finished({ gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024' }),
    gates({ gateCloseDate: { text: 'Tue Dec 31 23:59:59 UTC 2025' } }),
  ],
  [
    'close-day/counts-swapped',
    finished({}),
    gates({ saleApprovedCount: { text: '9' }, reversalApprovedCount: { text: '007' } }),
  ],
  ['close-day/reversal-count-as-flag', finished({}), gates({ reversalApprovedCount: { text: '1' } })],
  ['close-day/sale-amount-through-a-float', finished({}), gates({ saleAmount: { text: '10.420000076293945' } })],
  ['close-day/reversal-amount-by-german-rules', finished({}), gates({ reversalAmount: { text: '1094' } })],
  ['close-day/code39-as-number', finished({}), gates({ code39: { text: '5' } })],
  ['close-day/rrn-as-number', finished({}), gates({ RRN: { text: '42' } })],
  ['close-day/code39-of-two-digits', finished({ code39: '5' }), gates({ code39: { text: '05' } })],
  ['close-day/rrn-of-twelve-digits', finished({ RRN: '7' }), gates({ RRN: { text: '000000000007' } })],
  ['recurring/empty-answer-taken-for-error', batch(''), { kind: 'undecodable' }],
  ['recurring/refusal-taken-for-acceptance', batch('', 403), { kind: 'accepted' }],
  ['recurring/any-2xx-taken-for-acceptance', batch('', 202), { kind: 'accepted' }],
  ['recurring/no-content-taken-for-acceptance', batch('', 204), { kind: 'accepted' }],
  ['recurring/redirect-taken-for-acceptance', batch('', 302), { kind: 'accepted' }],
  ['recurring/refusal-taken-for-acceptance', batch('', 401), { kind: 'refused' }],
  ['recurring/line-feeds-kept', batch('type=error\n&a=1%0A\n'), parameters(['type', 'error\n'], ['a', '1\n\n'])],
  [
    'recurring/serial-number-lost',
    accepted,
    parameters(['type', 'process-recurring-payment-response'], ['serial-number', '42']),
  ],
  ['recurring/body-taken-for-error', accepted, { kind: 'refused', http_status: 200 }],
  ['recurring/validation-error-taken-for-success', typed('validation-error'), { kind: 'accepted' }],
  ['recurring/validation-error-taken-for-success', typed('error'), { kind: 'parameters' }],
  ['recurring/error-taken-for-success', typed('error'), { kind: 'accepted' }],
  ['recurring/error-code-200-taken-for-success', typed('error'), { kind: 'accepted' }],
  ['recurring/error-code-200-taken-for-success', failedBatch('error', 'a', '500'), { kind: 'parameters' }],
  ['recurring/all-line-feeds-dropped', batch('type=error\n&a=1%0A2\n'), parameters(['type', 'error'], ['a', '12'])],
  [
    'recurring/values-of-answer-cut',
    batch(`type=error\n&a=${'1'.repeat(300)}\n`),
    parameters(['type', 'error'], ['a', '1'.repeat(255)]),
  ],
  ['recurring/markup-of-answer-dropped', batch('type=error\n&a=%3Cb%3E1\n'), parameters(['type', 'error'], ['a', '1'])],
  ['recurring/answer-decoded-twice', batch('type=error\n&a=1%2B%2525\n'), parameters(['type', 'error'], ['a', '1+%'])],
  [
    'recurring/answer-decoded-before-splitting',
    batch('type=error\n&a=1%26b\n'),
    parameters(['type', 'error'], ['a', '1'], ['b', '']),
  ],
  ['recurring/answer-read-as-latin-1', batch('type=error\n&a=%C3%A9\n'), parameters(['type', 'error'], ['a', 'Ã©'])],
  ['recurring/plus-of-answer-kept', batch('type=error\n&a=1+2\n'), parameters(['type', 'error'], ['a', '1+2'])],
  ['recurring/unknown-parameters-dropped', batch('type=error\n&error-id=1\n'), parameters(['type', 'error'])],
  ['recurring/any-body-taken-for-success', batch(page), { kind: 'accepted' }],
  ['recurring/any-body-taken-for-success', batch(page, 403), { kind: 'refused' }],
];

for (const [at, [id, call, reading]] of readings.entries()) {
  test(`${id} reads ${JSON.stringify(reading).slice(0, 90)} (line ${at + 1})`, async () => {
    const { alteration } = clientDefects.find((defect) => defect.id === id)!;
    const { reply } = await traced(call, [alteration]);
    expect(reply.outcome).toBe('completed');
    expect(reply.decoded).toMatchObject(reading);
  });
}

test('gates after the second one are not read', async () => {
  const { alteration } = clientDefects.find(({ id }) => id === 'close-day/at-most-two-gates-read')!;
  const { reply } = await traced(finished({}, { gateId: '2' }, { gateId: '3' }), [alteration]);
  expect(reply.decoded).toMatchObject(gates({}, { gateId: { long: '2' } }));
});

function parameters(...params: [string, string][]): Record<string, unknown> {
  return { kind: 'parameters', params };
}
