/** Right requests of both operations, split into the parts that operators change. The input is known or not, as in a recording. */
import type { Operation } from '../../../contracts/operations.ts';
import { type ClientCase, clientCase } from '../../../src/record/case.ts';
import type { Header } from '../../../src/record/exchange.ts';

export interface Pair {
  name: string;
  /** The value before it is encoded. */
  value: string;
}

export interface RequestParts {
  readonly operation: Operation;
  scheme: string;
  header: Pair[];
  /** The text between two parameters. */
  comma: string;
  lines: number;
  form: Pair[];
  /** The cells of the CSV as they are written. The first row has the names. */
  csv: string[][];
  delimiter: string;
  lineEnd: string;
  mark: string;
  encodings: ((text: string) => string)[];
  /** The last change of the body. */
  body: (text: string) => string | Uint8Array;
}

/** The start of each exchange, in seconds. */
export const requestTime = 1_700_000_000;

export interface TabledRequest {
  readonly kind: string;
  /** True if the input of the client is known. */
  readonly asked: boolean;
  readonly parts: RequestParts;
  method: string;
  scheme: 'http' | 'https';
  target: string;
  headers: Header[];
}

export function rightRequests(): TabledRequest[] {
  return [
    closeDay('close-day of a recording', false),
    closeDay('close-day as asked for', true),
    recurring('a batch of a recording', false),
    recurring('a batch as asked for', true),
  ];
}

export const isCloseDay = ({ parts }: TabledRequest) => parts.operation === 'close-day';

function closeDay(kind: string, asked: boolean): TabledRequest {
  const form = [
    { name: 'day_close_request_id', value: '902B4FF5a1b2c3d4' },
    { name: 'sale_approved_count', value: '2' },
    { name: 'sale_approved_sum', value: '10.42' },
  ];
  return tabled(kind, asked, { operation: 'close-day', form }, '/api/v2/close-day/1111');
}

function recurring(kind: string, asked: boolean): TabledRequest {
  const form = [{ name: 'payload', value: '' }];
  return tabled(
    kind,
    asked,
    { operation: 'process-recurring-payments', form },
    '/api/v4/process-recurring-payments/1111',
  );
}

/** One row for each form of the amount. The base64 text of the CSV has a + and padding. */
const csv = [
  ['"client-orderid"', '"recurring-payment-id"', '"amount"', '"amount-from"', '"amount-to"', '"amount-sequence"'],
  ['order>>>0', '0000000042', '1234567.89', '', '', ''],
  ['order>>?1', '0000000043', '', '1.00', '2', ''],
  ['"é;2"', '0000000044', '', '', '', '1,2'],
];

function tabled(
  kind: string,
  asked: boolean,
  own: Pick<RequestParts, 'operation' | 'form'>,
  target: string,
): TabledRequest {
  const isCloseDay = own.operation === 'close-day';
  // In base64 these bytes have a + and a /. The signature is not verified, because no keys are given.
  const signature = Buffer.alloc(isCloseDay ? 20 : 256, 0xfb).toString('base64');
  const parts: RequestParts = {
    ...own,
    scheme: 'OAuth ',
    header: [
      { name: 'oauth_consumer_key', value: 'shop' },
      { name: 'oauth_signature_method', value: isCloseDay ? 'HMAC-SHA1' : 'RSA-SHA256' },
      { name: 'oauth_timestamp', value: String(requestTime) },
      { name: 'oauth_nonce', value: 'y3qlvMPky7g' },
      { name: 'oauth_version', value: '1.0' },
      { name: 'oauth_signature', value: signature },
    ],
    comma: ', ',
    lines: 1,
    csv: csv.map((row) => [...row]),
    delimiter: ';',
    lineEnd: '\n',
    mark: '',
    encodings: [base64],
    body: (text) => text,
  };
  const headers: Header[] = [['Content-Type', 'application/x-www-form-urlencoded']];
  return { kind, asked, parts, method: 'POST', scheme: 'https', target, headers };
}

export function callOf({ asked, parts, method, scheme, target, headers }: TabledRequest): ClientCase {
  const { authorization, body } = printed(parts);
  const lines = [...headers, ...authorization.map((line) => ['Authorization', line] as const)];
  const right = asked
    ? rightRequests().find((one) => one.asked && one.parts.operation === parts.operation)!
    : undefined;
  const { operation } = parts;
  const request = { method, scheme, host: 'gateway.test', target, headers: lines, body };
  const exchanges = [{ request, startedAt: requestTime * 1000, durationMs: 1 }];
  return clientCase(
    { scenario: 'table', number: 1, exchanges },
    {
      label: { operation, input: asked ? 'mandatory' : 'observed' },
      ...(right === undefined ? {} : { asked: askedFor(right) }),
    },
  );
}

function askedFor({ parts }: TabledRequest): NonNullable<ClientCase['call']['asked']> {
  const [columns, ...rows] = parts.csv.map((row) => row.map((cell) => cell.replace(/^"|"$/g, '')));
  const fields = Object.fromEntries(parts.form.map(({ name, value }) => [name, value]));
  const input = parts.operation === 'close-day' ? fields : { columns: columns!, rows };
  return { baseUrl: 'https://gateway.test', endpointId: '1111', consumerKey: 'shop', input };
}

export const base64 = (text: string) => Buffer.from(text).toString('base64');

function printed(request: RequestParts): { readonly authorization: string[]; readonly body: Uint8Array } {
  const { scheme, header, comma, lines, form, csv, delimiter, lineEnd, mark, encodings, body } = request;
  const line = scheme + header.map(({ name, value }) => `${name}="${percentEncode(value)}"`).join(comma);
  const text = mark + csv.map((row) => row.join(delimiter) + lineEnd).join('');
  const payload = encodings.reduce((encoded, encode) => encode(encoded), text);
  const sent = ({ name, value }: Pair) => (name === 'payload' && value === '' ? payload : value);
  const pairs = form.map((one) => `${one.name}=${percentEncode(sent(one))}`);
  return { authorization: Array<string>(lines).fill(line), body: Buffer.from(body(pairs.join('&')) as string) };
}

/** Encodes as RFC 5849 3.6 says. Half of a surrogate pair becomes the replacement character. */
function percentEncode(text: string): string {
  const odd = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/[!'()*]/g, odd);
}
