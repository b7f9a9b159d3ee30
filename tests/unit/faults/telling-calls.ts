/** Calls of the reference client that between them show every defect, and what a call leaves behind. */
import * as fc from 'fast-check';
import { type Operation, operations } from '../../../contracts/operations.ts';
import { type Consumer, consumers } from '../../../generators/consumer.ts';
import type { StoredRequest } from '../../../src/faults/client/defect.ts';
import { type Identity, punctuationIdentity } from '../../../src/mock/identity.ts';
import { type ClientAlteration, newClient, type Sent } from '../../../src/peer/client/client.ts';
import { readPrivateKey, type SignatureMethod, type SigningKey } from '../../../src/protocol/index.ts';
import type { CallInput, CloseDayInput, RecurringInput } from '../../../src/record/case.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';

export interface Call {
  readonly operation: Operation;
  readonly input: CallInput;
  readonly baseUrl?: string;
  readonly endpointId?: string;
  /** Default: one with reserved characters in key and secret. */
  readonly consumer?: Consumer;
  readonly fresh?: { readonly nonce: string; readonly timestamp: number };
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers in their order; the last one is given again and again. */
  readonly answers?: readonly Sent[];
}

/** What the network saw, and what was signed last. */
export interface Trace {
  readonly requests: readonly SentRequest[];
  readonly baseString?: string;
}

/** The identity with reserved characters, and with letters of both cases besides. */
const identity: Identity = {
  ...punctuationIdentity,
  consumerKey: `${punctuationIdentity.consumerKey}-KEY`,
  consumerSecret: `${punctuationIdentity.consumerSecret}-SECRET${'-longer-than-128-characters'.repeat(4)}`,
};

export const keys: Readonly<Record<SignatureMethod, SigningKey>> = {
  'HMAC-SHA1': { method: 'HMAC-SHA1', consumerSecret: identity.consumerSecret },
  'RSA-SHA256': {
    method: 'RSA-SHA256',
    privateKey: readPrivateKey(identity.privateKeyPem),
    // Hundreds of defects change nothing of what is signed.
    made: new Map(),
  },
};

/** Performs a call; the clock stands still. */
export async function traced(call: Call, alterations: readonly ClientAlteration[]): Promise<Trace> {
  const { operation, input, baseUrl = 'https://Gate.Example:8443/pay%20Net', endpointId = 'Endpoint-7' } = call;
  const { environment, answers = [accepted], consumer = identity } = call;
  const { signatureMethod } = operations[operation];
  const { consumerKey, consumerSecret } = consumer;
  const hmacKey = { method: 'HMAC-SHA1', consumerSecret } as const;
  const requests: SentRequest[] = [];
  const client = newClient({
    baseUrl,
    endpointId,
    credentials: { consumerKey, key: signatureMethod === 'HMAC-SHA1' ? hmacKey : keys[signatureMethod] },
    send: async (request) => {
      requests.push(request);
      return answers[Math.min(requests.length, answers.length) - 1]!;
    },
    clock: () => (call.fresh?.timestamp ?? 1_700_000_000) * 1000 + 999,
    nonce: () => call.fresh?.nonce ?? 'n',
    alterations,
    ...(environment === undefined ? {} : { environment }),
  });
  const { stages } = await client.call(operation, input);
  return { requests, baseString: stages?.base_string };
}

/** Turns the steps of any close-day call into those of the stored request. */
export function asStored({ fields, target }: StoredRequest): ClientAlteration {
  return { fields: () => fields, url: (url) => ({ ...url, target: target ?? url.target }) };
}

function reply(body: string, status = 200, type = 'text/html;charset=utf-8', transferEncoding?: string): Sent {
  const coded = transferEncoding === undefined ? [] : [['Transfer-Encoding', transferEncoding] as const];
  return { response: { status, reason: '', headers: [['Content-Type', type], ...coded], body: Buffer.from(body) } };
}

const accepted = reply('');
const id = 'TITLEiI12';
const columns = ['client-orderid', 'recurring-payment-id', 'amount'];

function closeDay(input: CloseDayInput, more: Partial<Call> = {}): Call {
  return { operation: 'close-day', input, ...more };
}

function batch(rows: RecurringInput['rows'], more: Partial<Call> = {}, names = columns): Call {
  return { operation: 'process-recurring-payments', input: { columns: names, rows }, ...more };
}

const totals = (value: string): CloseDayInput => ({ day_close_request_id: id, sale_approved_sum: value });

export const plainCloseDay = closeDay({
  day_close_request_id: id,
  sale_approved_count: '2',
  sale_approved_sum: '10.42',
  reversal_approved_count: '1',
  reversal_approved_sum: '0.94',
});

export const plainBatch = batch([['TITLEi-1', '1234567890', '1234.50']]);

const oddTotals = [
  "!*'()",
  '-._~',
  ' 1 0 ',
  '1+1',
  'a/b:c@d,e;f',
  '1%20000',
  '',
  'é漢',
  '😀',
  '1\r\n2',
  '0.10',
  '"<{}>',
  '3  4',
];
const oddIds = ['00000042', 'a1b2c3d', '0123456789abcdefABCDEF0123456789', `${'a'.repeat(33)}`, 'a1b2-c3d4'];
const zones: readonly Readonly<Record<string, string>>[] = [
  { TZ: 'Pacific/Kiritimati' },
  { LC_ALL: 'tr_TR.UTF-8' },
  { LC_ALL: 'de_DE.UTF-8' },
  { LC_ALL: 'C' },
];

export const wireCalls: readonly Call[] = [
  plainCloseDay,
  plainBatch,
  ...oddTotals.map((value) => closeDay(totals(value))),
  ...oddIds.map((value) => closeDay({ day_close_request_id: value })),
  closeDay({ day_close_request_id: id, sale_approved_count: '9007199254740993' }),
  closeDay({ day_close_request_id: id, sale_approved_count: '0', reversal_approved_count: '0' }),
  closeDay({ day_close_request_id: id }, { baseUrl: 'https://gate.example:443/paynet' }),
  ...[503, 504, 429, 401].map((status) =>
    closeDay({ day_close_request_id: id }, { answers: [reply('', status), accepted] }),
  ),
  ...[302, 307].map((status) => closeDay({ day_close_request_id: id }, { answers: [redirect(status), accepted] })),
  closeDay({ day_close_request_id: id }, { baseUrl: 'https://gate.example/pay//net' }),
  closeDay({ day_close_request_id: id }, { endpointId: '009007199254740993' }),
  closeDay({ day_close_request_id: id }, { baseUrl: 'https://gate.example:44380/n%C3%AAt' }),
  closeDay({ day_close_request_id: id }, { answers: [{ failure: { kind: 'timeout', message: 'late' } }] }),
  closeDay({ day_close_request_id: id }, { answers: [{ failure: { kind: 'tls', message: 'unknown' } }, accepted] }),
  closeDay({ day_close_request_id: id }, { answers: [{ failure: { kind: 'reset', message: 'gone' } }] }),
  batch([
    ['>>>???;"a"', '0000000042', '0.01'],
    ['a;b', '0000000042', '0.10'],
    ['the \\"second"', '0000000042', '0.10'],
    ['=1+1', '12345678e9', '100.00'],
    ['a  b', '1234567890', '0.0000001'],
    ['a\u00a0b', '1234567890', '1.00'],
    ['a\u200db', '1234567890', '1.00'],
    ['漢é', '9999999999', '1234567.89'],
    ...['NULL', '1E5', 'a\\nb', '#1'].map((order) => [order, '1234567890', '1.00']),
  ]),
  batch([
    ['0042', '1234567890', '1.5'],
    ['43', '1234567890', '0.55'],
  ]),
  batch([
    ['order', '1234567890', '1.00'],
    ['order', '1234567890', '1.00'],
  ]),
  ...[
    [null, '1234567890', '1.00'],
    ['order', null, '1.00'],
    ['order', '1234567890', null],
    ['A'.repeat(129), '1234567890', '1.00'],
    ['order', '12345678901', '1.00'],
    ['order', '1234567890', '12345678901'],
  ].map((row) => batch([row])),
  batch([['order', '1234567890', '1.00', '']], {}, [...columns, 'order_desc']),
  ...consumers.flatMap(({ drawn }) =>
    fc.sample(drawn, { seed: 1, numRuns: 4 }).map((consumer) => ({ ...plainCloseDay, consumer })),
  ),
  ...[plainCloseDay, plainBatch].flatMap((call) => [
    { ...call, baseUrl: 'https://gate.example/~pay@net(1)' },
    { ...call, consumer: fc.sample(consumers[0]!.drawn.filter(isNumber), { seed: 1, numRuns: 1 })[0]! },
    { ...call, fresh: { nonce: 'n'.repeat(40), timestamp: 2 ** 31 } },
  ]),
  ...zones.flatMap((environment) => [
    { ...plainCloseDay, environment },
    { ...plainBatch, environment },
  ]),
];

function isNumber({ consumerKey }: Consumer): boolean {
  return /^\d+$/.test(consumerKey);
}

function redirect(status: number): Sent {
  return { response: { status, reason: '', headers: [['Location', 'elsewhere']], body: new Uint8Array() } };
}
