/** Right requests of both operations, in the parts that the operators of the tables change: as a recording has them, and as asked for. */
import type { ClientCase } from '../../../src/record/client-case.ts';
import type { Header } from '../../../src/record/exchange.ts';
import { type MutableRequest, requestParts, requestTime, rightRequest } from '../mutations/requests.ts';

export interface TabledRequest {
  readonly kind: string;
  /** Whether it is known what the client was asked for. */
  readonly asked: boolean;
  readonly parts: MutableRequest;
  method: string;
  scheme: 'http' | 'https';
  target: string;
  headers: Header[];
}

/** Makes each of them anew. */
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
  return tabled(kind, asked, rightRequest(always(0)), '/api/v2/close-day/1111');
}

function recurring(kind: string, asked: boolean): TabledRequest {
  const parts = rightRequest(always(1));
  parts.csv.splice(1, parts.csv.length, ...payments.map((row) => [...row]));
  return tabled(kind, asked, parts, '/api/v4/process-recurring-payments/1111');
}

/** One row for each form of the amount; the base64 text of them has a + and padding. */
const payments = [
  ['order>>>0', '0000000042', '1234567.89', '', '', ''],
  ['order>>?1', '0000000043', '', '1.00', '2', ''],
  ['"é;2"', '0000000044', '', '', '', '1,2'],
];

function tabled(kind: string, asked: boolean, parts: MutableRequest, target: string): TabledRequest {
  const headers: Header[] = [['Content-Type', 'application/x-www-form-urlencoded']];
  return { kind, asked, parts, method: 'POST', scheme: 'https', target, headers };
}

/** The bytes of the signature have a + and a / in base64; no keys are given, so it is not verified. */
function always(place: number) {
  return { below: (bound: number) => (bound === 256 ? 0xfb : 0), of: <T>(list: readonly T[]) => list[place]! };
}

export function callOf({ asked, parts, method, scheme, target, headers }: TabledRequest): ClientCase {
  const { authorization, body } = requestParts(parts);
  const lines = [...headers, ...authorization.map((line) => ['Authorization', line] as const)];
  const right = asked
    ? rightRequests().find((one) => one.asked && one.parts.operation === parts.operation)!
    : undefined;
  const { operation } = parts;
  return {
    scenario: 'table',
    number: 1,
    label: { operation, input: asked ? 'mandatory' : 'observed' },
    ...(right === undefined ? {} : { asked: askedFor(right) }),
    wire: [
      {
        request: { method, scheme, host: 'gateway.test', target, headers: lines, body },
        startedAt: requestTime * 1000,
        durationMs: 1,
      },
    ],
  };
}

function askedFor({ parts }: TabledRequest): NonNullable<ClientCase['asked']> {
  const [columns, ...rows] = parts.csv.map((row) => row.map((cell) => cell.replace(/^"|"$/g, '')));
  const fields = Object.fromEntries(parts.form.map(({ name, value }) => [name, value]));
  const input = parts.operation === 'close-day' ? fields : { columns: columns!, rows };
  return { baseUrl: 'https://gateway.test', endpointId: '1111', consumerKey: 'shop', input };
}
