/** The reference client with a transport that answers what a test wants, a fixed clock and a fixed nonce. */
import { publishedIdentity } from '../../../src/mock/identity.ts';
import {
  type ClientAlteration,
  newClient,
  type ReferenceClient,
  type ReferenceClientOptions,
  type Sent,
} from '../../../src/peer/client/index.ts';
import { readPrivateKey, type SigningKey } from '../../../src/protocol/index.ts';
import type { ReceivedResponse } from '../../../src/record/exchange.ts';

const hmacKey: SigningKey = { method: 'HMAC-SHA1', consumerSecret: publishedIdentity.consumerSecret };
const rsaKey: SigningKey = { method: 'RSA-SHA256', privateKey: readPrivateKey(publishedIdentity.privateKeyPem) };

export function answer(body: string, status = 200, type = 'text/html;charset=utf-8'): ReceivedResponse {
  return { status, reason: '', headers: [['Content-Type', type]], body: Buffer.from(body) };
}

export const emptyAnswer = answer('');

export function clientThat(
  response: ReceivedResponse | Sent,
  alterations: readonly ClientAlteration[] = [],
  more: Partial<ReferenceClientOptions> = {},
): ReferenceClient {
  return newClient({
    baseUrl: 'https://gate.example/paynet',
    endpointId: '1111',
    credentials: { consumerKey: publishedIdentity.consumerKey, key: hmacKey },
    send: async () => ('status' in response ? { response } : response),
    clock: () => 1_700_000_000_999,
    nonce: () => 'nonce1',
    alterations,
    ...more,
  });
}

/** The same with the key of recurring payments. */
export function batchClientThat(
  response: ReceivedResponse | Sent,
  alterations: readonly ClientAlteration[] = [],
): ReferenceClient {
  return clientThat(response, alterations, {
    credentials: { consumerKey: publishedIdentity.consumerKey, key: rsaKey },
  });
}

export const batch = {
  columns: ['client-orderid', 'recurring-payment-id', 'amount'],
  rows: [
    ['order 1;"a"', '0000000042', '10.00'],
    ['заказ-2>>>???', '1234567890', '1'],
  ],
} as const;

export const closing = { day_close_request_id: 'abcdefgh12', sale_approved_sum: '1 0+4' } as const;
