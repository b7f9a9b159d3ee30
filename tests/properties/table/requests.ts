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
  lineCount: number;
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

/** The target of each request, as the document has it. */
export const targets: Readonly<Record<Operation, string>> = {
  'close-day': '/api/v2/close-day/1111',
  'process-recurring-payments': '/api/v4/process-recurring-payments/1111',
};

/** The start of each exchange, in seconds. */
export const requestTime = 1_700_000_000;

export interface TabledRequest {
  readonly kind: string;
  /** True if the input of the client is known. */
  readonly hasInput: boolean;
  readonly parts: RequestParts;
  method: string;
  scheme: 'http' | 'https';
  target: string;
  headers: Header[];
}

export function rightRequests(): TabledRequest[] {
  return [
    makeRequest('close-day of a recording', 'close-day', false),
    makeRequest('close-day as asked for', 'close-day', true),
    makeRequest('a batch of a recording', 'process-recurring-payments', false),
    makeRequest('a batch as asked for', 'process-recurring-payments', true),
  ];
}

export const isCloseDay = ({ parts }: TabledRequest) => parts.operation === 'close-day';

const fields = { day_close_request_id: '902B4FF5a1b2c3d4', sale_approved_count: '2', sale_approved_sum: '10.42' };

/** One row for each form of the amount. The base64 text of the CSV has a + and padding. */
const csv = [
  ['"client-orderid"', '"recurring-payment-id"', '"amount"', '"amount-from"', '"amount-to"', '"amount-sequence"'],
  ['order>>>0', '0000000042', '1234567.89', '', '', ''],
  ['order>>?1', '0000000043', '', '1.00', '2', ''],
  ['"é;2"', '0000000044', '', '', '', '1,2'],
];

function makeRequest(kind: string, operation: Operation, hasInput: boolean): TabledRequest {
  const isCloseDay = operation === 'close-day';
  // In base64 these bytes have a + and a /. The signature is not verified, because no keys are given.
  const signature = Buffer.alloc(isCloseDay ? 20 : 256, 0xfb).toString('base64');
  const credentials = {
    oauth_consumer_key: 'shop',
    oauth_signature_method: isCloseDay ? 'HMAC-SHA1' : 'RSA-SHA256',
    oauth_timestamp: String(requestTime),
    oauth_nonce: 'y3qlvMPky7g',
    oauth_version: '1.0',
    oauth_signature: signature,
  };
  const parts: RequestParts = {
    operation,
    scheme: 'OAuth ',
    header: pairsOf(credentials),
    comma: ', ',
    lineCount: 1,
    form: pairsOf(isCloseDay ? fields : { payload: '' }),
    csv: csv.map((row) => [...row]),
    delimiter: ';',
    lineEnd: '\n',
    mark: '',
    encodings: [base64],
    body: (text) => text,
  };
  const headers: Header[] = [['Content-Type', 'application/x-www-form-urlencoded']];
  return { kind, hasInput, parts, method: 'POST', scheme: 'https', target: targets[operation], headers };
}

function pairsOf(values: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

export function callOf({ hasInput, parts, method, scheme, target, headers }: TabledRequest): ClientCase {
  const { authorization, body } = print(parts);
  const lines = [...headers, ...authorization.map((line) => ['Authorization', line] as const)];
  const right = hasInput
    ? rightRequests().find((one) => one.hasInput && one.parts.operation === parts.operation)!
    : undefined;
  const { operation } = parts;
  const request = { method, scheme, host: 'gateway.test', target, headers: lines, body };
  const exchanges = [{ request, startedAt: requestTime * 1000, durationMs: 1 }];
  return clientCase(
    { scenario: 'table', number: 1, exchanges },
    {
      label: { operation, input: hasInput ? 'mandatory' : 'observed' },
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

function print(request: RequestParts): { readonly authorization: string[]; readonly body: Uint8Array } {
  const { scheme, header, comma, lineCount, form, csv, delimiter, lineEnd, mark, encodings, body } = request;
  const line = scheme + header.map(({ name, value }) => `${name}="${percentEncode(value)}"`).join(comma);
  const text = mark + csv.map((row) => row.join(delimiter) + lineEnd).join('');
  const payload = encodings.reduce((encoded, encode) => encode(encoded), text);
  const sent = ({ name, value }: Pair) => (name === 'payload' && value === '' ? payload : value);
  const pairs = form.map((one) => `${one.name}=${percentEncode(sent(one))}`);
  return { authorization: Array<string>(lineCount).fill(line), body: Buffer.from(body(pairs.join('&')) as string) };
}

/** Encodes as RFC 5849 3.6 says. Half of a surrogate pair becomes the replacement character. */
function percentEncode(text: string): string {
  const odd = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/[!'()*]/g, odd);
}
