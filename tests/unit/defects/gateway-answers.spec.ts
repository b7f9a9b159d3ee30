/** Defects of the mock that answer otherwise, one line each: what the right answer has and what comes in its place. */

import { gatewayDefects } from '../../../src/faults/index.ts';
import type { NextAnswer, Received } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import * as gateway from './gateway-calls.ts';

const { batch, closeDay } = gateway;

const right = closeDay();
const several = closeDay({ endpointId: '1114' });
const closing = closeDay({ endpointId: '1112' });
const locked = closeDay({ endpointId: '1113' });
const wrong = closeDay({ secret: 'x' });
const error: NextAnswer = { kind: 'parameters', type: 'error', code: '403' };
const accepted: NextAnswer = { kind: 'parameters', type: 'process-recurring-payment-response' };

/** Status line, headers and body of the answer. */
function textOf(id: string | undefined, requests: readonly Received[], next?: NextAnswer): string {
  const { status, headers, text } = gateway.answered(id, requests, next);
  return `${status}\n${headers}\n\n${text}`;
}

const answers: readonly (readonly [id: string, requests: readonly Received[], has: RegExp, lacks: RegExp])[] = [
  ...['gateId', 'isDayClosing', 'gateCloseDate', 'epntId'].map((name) => gone(name)),
  ...['saleApprovedCount', 'saleAmount', 'reversalApprovedCount', 'reversalAmount', 'code39', 'RRN'].map((name) =>
    gone(name),
  ),
  ['close-day/gate-id-as-text', several, /"gateId":"9007199254740993"/, /"gateId":9007199254740993/],
  ['close-day/is-day-closing-as-text', right, /"isDayClosing":"false"/, /"isDayClosing":false/],
  ['close-day/date-as-number', right, /"gateCloseDate":\d{13},/, /"gateCloseDate":"/],
  ['close-day/date-in-iso-form', right, /"gateCloseDate":"\d{4}-/, /"gateCloseDate":"[A-Z]/],
  ['close-day/epnt-id-as-text', right, /"epntId":"1111"/, /"epntId":1111/],
  ['close-day/sale-count-as-number', right, /"saleApprovedCount":2/, /"saleApprovedCount":"/],
  ['close-day/sale-amount-as-number', right, /"saleAmount":10\.42/, /"saleAmount":"/],
  ['close-day/sale-amount-without-cents', right, /"saleAmount":"10\.4"/, /"saleAmount":"10\.42"/],
  ['close-day/reversal-count-as-number', right, /"reversalApprovedCount":1/, /"reversalApprovedCount":"/],
  ['close-day/reversal-amount-as-number', right, /"reversalAmount":0\.94/, /"reversalAmount":"/],
  ['close-day/reversal-amount-without-cents', right, /"reversalAmount":"0\.9"/, /"reversalAmount":"0\.94"/],
  ['close-day/gate-code39-as-number', right, /"code39":0,/, /"code39":"/],
  ['close-day/gate-rrn-as-number', right, /"RRN":1\}/, /"RRN":"/],
  ['close-day/finished-without-gates', right, /"status":"finished"/, /"gates"/],
  ['close-day/only-first-gate', several, /9007199254740993/, /9007199254740995/],
  ['close-day/gate-twice', right, /"gateId":7101.*"gateId":7101/, /^(?!.*"gateId":7101.*"gateId":7101)/s],
  ['close-day/locked-gate-hidden', locked, /"isDayClosing":false/, /"isDayClosing":true/],
  ['close-day/free-gate-as-locked', right, /"isDayClosing":true/, /"isDayClosing":false/],
  ['close-day/content-type-json', right, /Type: application\/json/, /Type: text\/html/],
  ['close-day/failure-as-400', wrong, /^400/, /^200/],
  ['close-day/error-cut-off', wrong, /"\n?$/, /\}$/],
  ['close-day/error-without-response', wrong, /\{"result":\{/, /\{"response":\{/],
  ['close-day/error-without-status', wrong, /"errorCode":"403"/, /"status"/],
  ['close-day/error-as-failed', wrong, /"status":"failed"/, /"status":"error"/],
  ['close-day/error-without-code', wrong, /"errorMessage"/, /"errorCode"/],
  ['close-day/error-without-message', wrong, /"errorCode":"403"/, /"errorMessage"/],
  ['close-day/serial-missing', right, /"status":"finished"/, /theRequestSerialNumber/],
  ['close-day/serial-as-number', wrong, /"theRequestSerialNumber":\d+\}/, /"theRequestSerialNumber":"/],
  ['close-day/serial-short', right, /"theRequestSerialNumber":"[\da-f]{12}"/, /SerialNumber":"[\da-f]{8}-/],
  ['close-day/closing-gate-other-code', closing, /"errorCode":"98"/, /"errorCode":"99"/],
  ['close-day/closing-gate-other-message', closing, /the gate is being closed/, /gate is closing already/],
  ['recurring/accepted-says-ok', batch(), /\n\nOK$/, /Length: 0/],
  ['recurring/accepted-with-201', batch(), /^201/, /^200/],
  ['recurring/accepted-chunked', batch(), /Keep-Alive/, /Content-Length/],
  ['recurring/refused-with-page', batch('x'), /Forbidden<\/body>/, /Length: 0/],
  ['recurring/refused-with-400', batch('x'), /^400/, /^403/],
  ['recurring/keep-alive-short', batch(), /timeout=5\n/, /timeout=60/],
];

for (const [id, requests, has, lacks] of answers) {
  test(`${id} answers otherwise`, () => {
    const [rightly, wrongly] = [textOf(undefined, requests), textOf(id, requests)];
    expect(rightly).toMatch(lacks);
    expect(wrongly).not.toMatch(lacks);
    expect(wrongly).toMatch(has);
    expect(gateway.answered(id, requests).headers).toMatch(/Content-Length: \d+|^Keep-Alive/);
  });
}

const bodies: readonly (readonly [id: string, next: NextAnswer, has: RegExp, lacks: RegExp])[] = [
  ['parameters-as-plain-text', error, /Type: text\/plain/, /Type: text\/html/],
  ['parameters-without-line-feeds', error, /type=error&/, /type=error\n/],
  ['parameters-without-type', error, /\n\nserial-number=/, /type=error/],
  ['parameters-of-other-type', accepted, /type=async-response/, /type=process/],
  ['parameters-without-status', accepted, /serial-number=/, /[&\n]status=/],
  ['parameters-without-serial', error, /type=error/, /serial-number=/],
  ['parameters-with-one-serial', error, /serial-number=1\n/, /serial-number=0/],
  ['error-without-message', error, /error-code=403/, /error-message=/],
  ['error-without-code', error, /error-message=/, /error-code=/],
  ['error-with-other-code', error, /error-code=404/, /error-code=403/],
  ['error-500-without-id', { ...error, code: '500' }, /error-code=500/, /error-id=/],
];

for (const [id, next, has, lacks] of bodies) {
  test(`recurring/${id} writes another body of 2.4`, () => {
    expect(textOf(undefined, batch(), next)).toMatch(lacks);
    expect(textOf(`recurring/${id}`, batch(), next)).not.toMatch(lacks);
    expect(textOf(`recurring/${id}`, batch(), next)).toMatch(has);
  });
}

test('what a defect leaves out or changes in a gate leaves JSON behind', () => {
  const ofGates = gatewayDefects.filter(({ breaks }) => breaks.every((row) => row.startsWith('close-day/gate-')));
  expect(ofGates.length).toBe(28);
  for (const { id } of ofGates) {
    const { text } = gateway.answered(id, several);
    expect(JSON.parse(text).response.gates).toHaveLength(3);
  }
});

test('ids of defects are unique, and every one breaks a row', () => {
  const ids = gatewayDefects.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(gatewayDefects.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
});

/** The line for the defect that leaves a member out of every gate. */
function gone(member: string): (typeof answers)[number] {
  const names: Readonly<Record<string, string>> = {
    gateId: 'gate-id',
    isDayClosing: 'is-day-closing',
    gateCloseDate: 'close-date',
    epntId: 'epnt-id',
    saleApprovedCount: 'sale-count',
    saleAmount: 'sale-amount',
    reversalApprovedCount: 'reversal-count',
    reversalAmount: 'reversal-amount',
    code39: 'code39',
    RRN: 'rrn',
  };
  return [
    `close-day/gate-without-${names[member]}`,
    several,
    /"gates":\[\{"\w+":[^{}]*\},\{"/,
    new RegExp(`"${member}"`),
  ];
}
