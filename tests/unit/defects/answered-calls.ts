/** Calls that differ in their answer alone: between them they show every defect of a decoder. */
import type { Gate } from '../../../src/protocol/close-day.ts';
import { type Call, plainBatch, plainCloseDay, reply, zones } from './telling-calls.ts';

const serial = '00000000-0000-0000-0000-000002D9b22a';

/** As written in JSON, without quotes. */
export type GateTexts = Readonly<Record<keyof Gate, string>>;

const gate: GateTexts = {
  gateId: '9007199254740993',
  isDayClosing: 'false',
  gateCloseDate: 'Wed Jan 31 23:59:59 GMT+03:00 2024',
  epntId: '9223372036854775807',
  saleApprovedCount: '007',
  saleAmount: '10.42',
  reversalApprovedCount: '9',
  reversalAmount: '10.94',
  code39: '05',
  RRN: '000000000042',
};

const bare: readonly string[] = ['gateId', 'isDayClosing', 'epntId'];

function gateText(changed: Partial<GateTexts> = {}): string {
  const members = Object.entries({ ...gate, ...changed }).map(([name, value]) =>
    bare.includes(name) ? `"${name}":${value}` : `"${name}":"${value}"`,
  );
  return `{${members.join(',')}}`;
}

/** A day closed on these gates. */
export function finished(...gates: Partial<GateTexts>[]): Call {
  const list = gates.map(gateText).join(',');
  return closeDay(`{"response":{"status":"finished","gates":[${list}]},"theRequestSerialNumber":"${serial}"}`);
}

export function failed(code: string, message: string, status = 'error', transferEncoding?: string): Call {
  return closeDay(
    `{"response":{"status":"${status}","errorCode":"${code}","errorMessage":${JSON.stringify(message)}},` +
      `"theRequestSerialNumber":"${serial}"}`,
    200,
    transferEncoding,
  );
}

export function closeDay(body: string, status = 200, transferEncoding?: string): Call {
  return { ...plainCloseDay, answers: [reply(body, status, 'text/html;charset=utf-8', transferEncoding)] };
}

export function batch(body: string, status = 200): Call {
  return { ...plainBatch, answers: [reply(body, status)] };
}

/** A body of 2.4. */
export function failedBatch(type: string, message: string, code = '403'): Call {
  return batch(
    `type=${type}\n&serial-number=${serial}\n&error-message=${message}\n&error-code=${code}\n&error-id=E1\n`,
  );
}

/** A lock, a date, an amount, a message and a type that another locale or time zone reads otherwise. */
const foreignAnswers: readonly Call[] = [
  finished({ isDayClosing: 'true', gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024', saleAmount: '1234.50' }),
  failed('7', 'Gerät'),
  failedBatch('validation-error', 'Ger%C3%A4t'),
  batch('type=process-recurring-payment-response\n&status=processing\n'),
];

export const answeredCalls: readonly Call[] = [
  finished({}),
  finished({ isDayClosing: 'true' }, { gateId: '2' }, { gateId: '3' }),
  finished({ gateCloseDate: 'Ср янв 31 23:59:59 MSK 2024' }),
  failed('99', 'gate is closing already'),
  failed('007', 'a'),
  closeDay(
    '{"response":{"status":"error","errorCode":"7","errorMessage":"a\\/b","previous":{"status":"finished"}},"theRequestSerialNumber":"1"}',
  ),
  closeDay('{"status":"finished","gates":[],"theRequestSerialNumber":"1"}'),
  finished({ saleApprovedCount: '0', reversalApprovedCount: '0' }),
  finished({ gateCloseDate: 'Thu Feb 01 00:00:00 UTC 2024', code39: '5', RRN: '7' }),
  finished({ gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024' }),
  finished({ gateCloseDate: 'Sun Sep 1 09:05:07 UTC 2024', reversalApprovedCount: '010' }, { gateId: '2', RRN: '1' }),
  finished({ isDayClosing: 'true', saleApprovedCount: '0', reversalApprovedCount: '0' }),
  closeDay(`{"theRequestSerialNumber":"${serial}","response":{"gates":[],"st\\u0061tus":"finished"}}`),
  closeDay(`{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"${serial}"}`, 200, 'chunked'),
  failed('E-0042', 'Gerät 漢'),
  failed('7', 'Gerät', 'error', 'chunked'),
  failed('7', `<b>${'n'.repeat(300)}</b>`),
  ...['processing', 'finishing', 'unfinished', ' finished', 'FINISHED', ''].map((status) => failed('1', 'a', status)),
  closeDay('<html></html>'),
  finished({ gateId: '-42' }),
  closeDay(`{"response":{"status":true,"gates":[]},"theRequestSerialNumber":"${serial}"}`),
  closeDay(`{"trace":1,"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"${serial}"}`),
  ...[400, 500].map((status) =>
    closeDay(`{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"${serial}"}`, status),
  ),
  batch(''),
  batch(' \r\n'),
  ...[403, 202, 204, 302, 503].map((status) => batch('', status)),
  batch('<html></html>'),
  batch(`type=process-recurring-payment-response\n&status=processing\n&serial-number=${serial}\n`),
  ...['process-recurring-payments-response', 'PROCESS-RECURRING-PAYMENT-RESPONSE'].map((type) =>
    batch(`type=${type}\n&status=processing\n`),
  ),
  failedBatch('validation-error', 'a%26b+c%0Ad+%C3%9F+100%2525'),
  batch('error%2Dmessage=%53t+%c3%9f\n&type=validation-error\n'),
  failedBatch('error', 'batch+was+refused', '200'),
  failedBatch('error', 'refused%0A'),
  failedBatch('error', `%3Cb%3E${'n'.repeat(300)}`, '200'),
  ...zones.flatMap((environment) => foreignAnswers.map((call) => ({ ...call, environment }))),
];
