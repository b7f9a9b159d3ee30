/** Literal templates of the answers to a client: sections 2.2, 2.4, 4.1, 4.2 and 7. */
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import { plain } from '../../../generators/gate-result.ts';
import type { Gate } from '../../protocol/close-day.ts';
import type { ExpectedReading } from '../../record/case.ts';
import type { LocalAnswer } from '../scenario.ts';

export const htmlAnswer = 'text/html;charset=utf-8';

/** A gate with ordinary values, which any suitable type keeps unchanged. */
export const plainGate: Gate = { ...plain, reversalAmount: '10.94', code39: '12', RRN: '123456789012' };

/** A zero-padded serial number with hex letters of both cases, as gateways send. */
export const serial = '00000000-0000-0000-0000-000002D9b22a';

export const serialOfError = '00000000-0000-0000-0000-000002D9b22b';

export const serialOfBatch = '00000000-0000-0000-0000-0000006C1a42';

export function reply(
  status: number,
  contentType: string | null,
  body: string | Uint8Array,
  more: readonly (readonly [name: string, value: string])[] = [],
): Extract<LocalAnswer, { readonly kind: 'reply' }> {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const type = contentType === null ? [] : [['Content-Type', contentType] as const];
  // RFC 9110 section 8.6 forbids Content-Length with status 204.
  const length = status === 204 ? [] : [['Content-Length', String(bytes.length)] as const];
  return { kind: 'reply', status, headers: [...type, ...more, ...length], body: bytes };
}

/** JSON text of a gate whose values need no escape. */
export function gateText(gate: Gate): string {
  const members = Object.values(gateResultFields).map(
    ({ member, type }) => `"${member}":${type === 'string' ? `"${gate[member]}"` : gate[member]}`,
  );
  return `{${members.join()}}`;
}

export function finishedBody(gates: readonly Gate[]): string {
  return finishedWith(gates.map(gateText));
}

export function finishedWith(gates: readonly string[]): string {
  return `{"response":{"status":"finished","gates":[${gates.join(',')}]},"theRequestSerialNumber":"${serial}"}`;
}

/** The body of an error. `code` and `message` are JSON texts. If `reversed`, the members are in reverse order. */
export function errorBody(code: string, message: string, reversed = false): string {
  const inOrder = (members: readonly string[]) => (reversed ? members.toReversed() : members).join(',');
  const response = inOrder(['"status":"error"', `"errorCode":${code}`, `"errorMessage":${message}`]);
  return `{${inOrder([`"response":{${response}}`, `"theRequestSerialNumber":"${serialOfError}"`])}}`;
}

const lineFeeds = { 'raw-line-feed': '\n', 'escaped-line-feed': '%0A' } as const;

/** A body of section 2.4, with a line feed after each value. Values must already be escaped. */
export function parameterBody(
  parameters: readonly (readonly [name: string, escaped: string])[],
  form: keyof typeof lineFeeds,
): string {
  return parameters.map(([name, escaped]) => `${name}=${escaped}${lineFeeds[form]}`).join('&');
}

export const dayClosed = reply(200, htmlAnswer, finishedBody([plainGate]));

export type Params = readonly (readonly [name: string, value: string])[];

export function failure(type: 'validation-error' | 'error', message: string, code = '403'): Params {
  return [
    ['type', type],
    ['serial-number', serialOfBatch],
    ['error-message', message],
    ['error-code', code],
  ];
}

export function acceptance(serialNumber = serialOfBatch): Params {
  return [
    ['type', 'process-recurring-payment-response'],
    ['status', 'processing'],
    ['serial-number', serialNumber],
  ];
}

export function finishedReading(gates: readonly Gate[]): Extract<ExpectedReading, { kind: 'finished' }> {
  return { kind: 'finished', serial, gates: gates.map((gate) => ({ ...gate })) };
}

export const emptyOk = reply(200, null, '');

/** A message of more than 255 characters, with markup, placeholders and delimiters. */
export const longMessage = `<b>Gerät 漢</b> &amp; 50% <br/> it's {0} %s $1 at https://a/b?c=d;e#f${' endpoint 1111 is switched off'.repeat(9)} </end>`;

/** ASCII punctuation that JSON does not escape. There is no %, so a client that decodes twice changes the text and does not fail. */
export const punctuation = "!#$&'()*+,-./:;<=>?@[]^_`{|}~ --1 /*2*/ //3 {4}";
