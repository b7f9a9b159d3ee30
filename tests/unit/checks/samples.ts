/** For every judge of responses: cases that it must accept and cases that it must reject. The compiler asks for each. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { Case } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { batchAnswer, errorAnswer, finished, gate, parameterAnswer, sampleCase, serial } from './sample-cases.ts';

export interface Samples {
  /** Each list is one run's cases: the judge passes them all. */
  readonly accepts: readonly (readonly Case[])[];
  /** The judge fails at least one case of each list. */
  readonly rejects: readonly (readonly Case[])[];
}

type TwinId = Extract<
  TestableId<'gateway'>,
  `${string}-refused` | `${string}-accepted` | `${string}-enforced` | `${string}/accepts-${string}`
>;
export type SampledId = Exclude<TestableId<'gateway'>, TwinId>;

const one = (accepts: readonly Case[], rejects: readonly Case[]): Samples => ({
  accepts: accepts.map((examined) => [examined]),
  rejects: rejects.map((examined) => [examined]),
});

const closing = { facts: { gate: 'closing' } } as const;
const locked = { facts: { gate: 'locked' } } as const;
const unlocked = { about: 'close-day/lock-removal' } as const;
const closedByHand = { about: 'close-day/manual-close' } as const;
const open = { facts: { gate: 'open', gates: 1 } } as const;
const unsigned = { intent: 'fault', about: 'authentication/recurring-unsigned-refused' } as const;
const noColumn = { intent: 'fault', about: 'recurring/missing-amount-refused' } as const;

const text = (member: string): Samples =>
  one(
    [finished({ gate: { [member]: '0' } })],
    [finished({ gate: { [member]: 0 } }), finished({ gate: { [member]: null } })],
  );
const long = (member: string): Samples =>
  one(
    [finished(), finished({ gate: { [member]: -1 } })],
    [finished({ gate: { [member]: '1' } }), finished({ gate: { [member]: 1.5 } })],
  );
const present = (member: string): Samples =>
  one([finished()], [finished({ gate: { [member]: undefined } }), finished({ response: { gates: [gate, null] } })]);
const amount = (member: string): Samples =>
  one(
    ['0.00', '100.10', '-1.00'].map((value) => finished({ gate: { [member]: value } })),
    ['10.4', '10', '10,42', '.42', ''].map((value) => finished({ gate: { [member]: value } })),
  );

const error = { type: 'error', 'serial-number': '1', 'error-message': 'no', 'error-code': '403' };
const silent = (silence: Exchange['silence']): Case => {
  const examined = batchAnswer();
  return { ...examined, exchange: { ...examined.exchange, silence } };
};
const taken = { type: 'process-recurring-payment-response', status: 'processing', 'serial-number': '1' };
const without = (name: string) =>
  parameterAnswer(Object.fromEntries(Object.entries(error).filter(([key]) => key !== name)));

export const samples = {
  'close-day/status-200': one(
    [finished(), errorAnswer()],
    [finished({ status: 201 }), errorAnswer({ errorCode: '1' }, {}, 400), errorAnswer({}, {}, 403)],
  ),
  'close-day/content-type': one(
    [
      finished(),
      finished({ headers: [['content-type', 'text/html; charset="UTF-8"']] }),
      finished({ headers: [['Content-Type', 'Text/HTML;a=b;;CHARSET=utf-8;']] }),
    ],
    [
      ...[
        'charset=utf-8;charset=latin1',
        'charset=utf-8;charset=utf-8',
        'charset="utf-8',
        'charset=utf-8,',
        'charset= utf-8',
      ].map((parameters) => finished({ headers: [['Content-Type', `text/html;${parameters}`]] })),
      finished({ headers: [] }),
      finished({ headers: [['Content-Type', 'application/json']] }),
      finished({ headers: [['Content-Type', 'text/html']] }),
      finished({ headers: [['Content-Type', 'text/html;charset=iso-8859-1']] }),
    ],
  ),
  'close-day/body-decodable': one(
    [finished(), errorAnswer()],
    [
      ...['<html></html>', '{"response":', '', 'status=finished'],
      // Deeper than in one enclosing object.
      ...['{"a":{"b":{"response":{}}}}', '{"a":[{"theRequestSerialNumber":"1"}]}', '{"a":[{"b":{"response":{}}}]}'],
    ].map((body) => sampleCase('close-day', { body })),
  ),
  'close-day/response-member': one(
    [finished()],
    [
      sampleCase('close-day', { body: `{"theRequestSerialNumber":"${serial}"}` }),
      finished({ root: { response: 'finished' } }),
    ],
  ),
  'close-day/serial-present': one(
    [finished(), errorAnswer()],
    [finished({ root: { theRequestSerialNumber: undefined } })],
  ),
  'close-day/serial-type': one([finished()], [finished({ root: { theRequestSerialNumber: 47821354 } })]),
  'close-day/serial-shape': one(
    [finished(), finished({ root: { theRequestSerialNumber: serial.toUpperCase() } })],
    ['', '1', serial.replaceAll('-', ''), `{${serial}}`, serial.replace('d', 'g')].map((value) =>
      finished({ root: { theRequestSerialNumber: value } }),
    ),
  ),
  'close-day/status-present': one(
    [finished()],
    [finished({ response: { status: undefined } }), finished({ response: { status: 1 } })],
  ),
  'close-day/status-value': one([finished(), errorAnswer()], [finished({ response: { status: 'closing' } })]),
  'close-day/finished-has-gates': one(
    [finished(), finished({ response: { gates: [] } })],
    [
      finished({ response: { gates: undefined } }),
      finished({ response: { gates: gate } }),
      finished({ response: { gates: [gate, null] } }),
      finished({ response: { gates: [1] } }),
    ],
  ),
  'close-day/one-result-per-gate': one(
    [finished({}, open)],
    [
      finished({ response: { gates: [] } }),
      finished({ response: { gates: [gate, gate] } }),
      finished({}, { facts: { gate: 'open', gates: 3 } }),
      // One gate in other digits.
      ...['7101.0', '71010e-1', '7.101E+3', '"7101"'].map((id) =>
        sampleCase('close-day', {
          body: `{"response":{"status":"finished","gates":[{"gateId":7101},{"gateId":${id}}]}}`,
        }),
      ),
    ],
  ),
  'close-day/error-has-code': one(
    [errorAnswer(), errorAnswer({ errorCode: 99 })],
    [undefined, '', ' ', null, 1.5, true, ['99'], {}].map((errorCode) => errorAnswer({ errorCode })),
  ),
  'close-day/error-has-message': one(
    [errorAnswer()],
    [undefined, 1, '', ' ', '\n\u00a0', null].map((errorMessage) => errorAnswer({ errorMessage })),
  ),
  'close-day/gate-id-present': present('gateId'),
  'close-day/gate-id-type': long('gateId'),
  'close-day/gate-is-day-closing-present': present('isDayClosing'),
  'close-day/gate-is-day-closing-type': one(
    [finished()],
    [finished({ gate: { isDayClosing: 'false' } }), finished({ gate: { isDayClosing: 0 } })],
  ),
  'close-day/gate-close-date-present': present('gateCloseDate'),
  'close-day/gate-close-date-type': text('gateCloseDate'),
  'close-day/gate-epnt-id-present': present('epntId'),
  'close-day/gate-epnt-id-type': long('epntId'),
  'close-day/gate-sale-approved-count-present': present('saleApprovedCount'),
  'close-day/gate-sale-approved-count-type': text('saleApprovedCount'),
  'close-day/gate-sale-amount-present': present('saleAmount'),
  'close-day/gate-sale-amount-type': text('saleAmount'),
  'close-day/gate-reversal-approved-count-present': present('reversalApprovedCount'),
  'close-day/gate-reversal-approved-count-type': text('reversalApprovedCount'),
  'close-day/gate-reversal-amount-present': present('reversalAmount'),
  'close-day/gate-reversal-amount-type': text('reversalAmount'),
  'close-day/gate-code39-present': present('code39'),
  'close-day/gate-code39-type': text('code39'),
  'close-day/gate-rrn-present': present('RRN'),
  'close-day/gate-rrn-type': text('RRN'),
  'close-day/gate-close-date-shape': one(
    [
      'mar. nov. 3 23:59:59 GMT+03:00 2026',
      '\u0432\u0442 \u043d\u043e\u044f\u0431. 3 23:59:59 MSK 2026',
      '\u5468\u4e8c 11\u6708 03 00:00:00 +0800 2026',
      'Thu Feb 29 23:59:60 UTC 2024',
    ].map((value) => finished({ gate: { gateCloseDate: value } })),
    [
      '2026-11-03T23:59:59Z',
      'Tue Nov 03 2026',
      'Tue Nov 03 23:59 UTC 2026',
      '1 2 99 77:88:99 ? 0000',
      'Tue 11 03 23:59:59 UTC 2026',
      'Tue Nov 00 23:59:59 UTC 2026',
      'Tue Nov 31 23:59:59 UTC 2026',
      'Sun Feb 29 23:59:59 UTC 2026',
      'Tue Nov 03 24:00:00 UTC 2026',
      'Tue Nov 03 23:60:00 UTC 2026',
      'Tue Nov 03 23:59:59 ? 2026',
      'Tue Nov 03 23:59:59 UTC 0000',
      'Tue  Nov 03 23:59:59 UTC 2026',
      'Tue Nov 03 23:59:59 UTC 2026 ',
      '',
    ].map((value) => finished({ gate: { gateCloseDate: value } })),
  ),
  'close-day/gate-sale-amount-form': amount('saleAmount'),
  'close-day/gate-reversal-amount-form': amount('reversalAmount'),
  'close-day/closing-gate-error': one([errorAnswer({}, closing)], [finished({}, closing)]),
  'close-day/closing-gate-message': one([errorAnswer()], [errorAnswer({ errorMessage: 'Gate is closing already' })]),
  'close-day/locked-gate-reported': one([finished({ gate: { isDayClosing: true } }, locked)], [finished({}, locked)]),
  'close-day/open-gate-reported': one([finished({}, open)], [finished({ gate: { isDayClosing: true } }, open)]),
  'close-day/lock-removal': one([finished({}, unlocked)], [finished({ gate: { isDayClosing: true } }, unlocked)]),
  'close-day/manual-close': one([finished({}, closedByHand)], [errorAnswer({}, closedByHand)]),
  'recurring/success-status-200': one([batchAnswer()], [batchAnswer({ status: 201 }), batchAnswer({ status: 204 })]),
  'recurring/success-body-empty': one(
    [batchAnswer(), parameterAnswer({ type: 'process-recurring-payment-response' })],
    [batchAnswer({ body: 'OK' }), batchAnswer({ body: '\n' })],
  ),
  'recurring/success-content-length-zero': one(
    [batchAnswer()],
    [
      batchAnswer({ headers: [] }),
      batchAnswer({
        headers: [
          ['Content-Length', '0'],
          ['Transfer-Encoding', 'chunked'],
        ],
      }),
    ],
  ),
  'recurring/failure-status-403': one(
    [batchAnswer({ status: 403 }), batchAnswer({ status: 401 }, unsigned), batchAnswer({ status: 403 }, noColumn)],
    [
      batchAnswer({ status: 400 }, unsigned),
      batchAnswer({ status: 401 }, noColumn),
      batchAnswer({ status: 401 }),
      batchAnswer({ status: 422 }),
    ],
  ),
  'recurring/failure-body-empty': one(
    [batchAnswer({ status: 403 }), parameterAnswer(error, { status: 403 })],
    [batchAnswer({ status: 403, body: '<html>' }), batchAnswer({ status: 403, body: ' ' })],
  ),
  'recurring/keep-alive-timeout': one(
    [batchAnswer(), batchAnswer({ headers: [['keep-alive', 'max=100, timeout=60']] })],
    [
      batchAnswer({ headers: [] }),
      ...[
        'timeout=5',
        'timeout=60s',
        'timeout=60.9',
        'timeout=60abc',
        'timeout=600',
        'timeout=60, timeout=5',
        'timeout="60',
      ].map((value) => batchAnswer({ headers: [['Keep-Alive', value]] })),
    ],
  ),
  'recurring/keep-alive-kept': one(
    [silent({ waitedMs: 61_000 }), silent({ waitedMs: 61_000, closedAfterMs: 60_010 })],
    [silent({ waitedMs: 61_000, closedAfterMs: 5_000 }), silent({ waitedMs: 300, closedAfterMs: 100 })],
  ),
  'recurring/parameters-content-type': one(
    [parameterAnswer(error)],
    [parameterAnswer(error, { headers: [['Content-Type', 'text/plain']] })],
  ),
  'recurring/parameters-line-feed': one(
    [
      parameterAnswer(error),
      batchAnswer({ body: 'type=error%0A&serial-number=1%0A' }),
      // After the last value it is open (A18).
      batchAnswer({ body: 'type=error\n&serial-number=1' }),
    ],
    [
      'type=error&serial-number=1',
      'type=error&serial-number=1\n',
      'type=error\n&error-message=not valid\n',
      'type=error\n&error-message=100%\n',
      'type=error\n&error-message=%ff\n',
      'type=error\n&error-message=\u00e9\n',
      'type=error\n&error-message="no"\n',
      'type=error\n&&error-code=403\n',
      'type=error\n&error-code\n',
      '\ufefftype=error\n&error-code=403\n',
      'type=error\r\n&error-code=403\r\n',
      'type=error\nerror-code=403\n',
    ].map((body) => batchAnswer({ body })),
  ),
  'recurring/type-present': one(
    [parameterAnswer(error)],
    [
      without('type'),
      parameterAnswer({ ...error, type: '' }),
      parameterAnswer({ ...error, type: ' ' }),
      batchAnswer({ body: 'type=error\n&type=process-recurring-payment-response\n' }),
    ],
  ),
  'recurring/type-value': one([parameterAnswer(error)], [parameterAnswer({ ...error, type: 'async-response' })]),
  'recurring/status-present': one(
    [parameterAnswer({ type: 'process-recurring-payment-response', status: 'processing' })],
    [parameterAnswer({ type: 'process-recurring-payment-response' }), parameterAnswer({ ...taken, status: '' })],
  ),
  'recurring/serial-number-present': one(
    [parameterAnswer(taken)],
    [parameterAnswer({ ...taken, 'serial-number': '' }), parameterAnswer({ type: taken.type, status: taken.status })],
  ),
  'recurring/serial-number-unique': {
    accepts: [[parameterAnswer(error), parameterAnswer({ ...error, 'serial-number': '2' })]],
    rejects: [[parameterAnswer(error), parameterAnswer(error)]],
  },
  'recurring/error-message-present': one(
    [parameterAnswer(error)],
    [
      without('error-message'),
      ...['', ' ', '\t\u00a0'].map((blank) => parameterAnswer({ ...error, 'error-message': blank })),
    ],
  ),
  'recurring/error-code-present': one(
    [parameterAnswer(error)],
    [
      without('error-code'),
      parameterAnswer({ ...error, 'error-code': '' }),
      parameterAnswer({ ...error, 'error-code': ' ' }),
      batchAnswer({ body: 'type=error\n&error-code=403\n&error-code=500\n' }),
    ],
  ),
  'recurring/error-code-value': one([parameterAnswer(error)], [parameterAnswer({ ...error, 'error-code': '404' })]),
  'recurring/error-id-with-500': one(
    [
      parameterAnswer({ ...error, 'error-code': '500', 'error-id': 'x1' }),
      parameterAnswer({ ...error, 'error-code': '500', 'error-message': 'internal error, ID 4711' }),
    ],
    [
      parameterAnswer({ ...error, 'error-code': '500' }),
      parameterAnswer({ ...error, 'error-code': '500', 'error-id': '' }),
      parameterAnswer({ ...error, 'error-code': '500', 'error-id': ' \u00a0' }),
      parameterAnswer({ ...error, 'error-code': '500', ' ': 'x1', '': 'x1' }),
    ],
  ),
  'transport/https-served': one(
    [sampleCase('close-day', { scheme: 'https' })],
    [sampleCase('close-day', { host: '127.example.com' })],
  ),
} satisfies Record<SampledId, Samples>;
