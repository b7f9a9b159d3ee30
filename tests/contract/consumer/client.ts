/** A client made of the suite's own request builders, with a clock that stands still and nonces that are known. */
import { createPrivateKey } from 'node:crypto';
import { otherPrivateKeyPem, otherSecret, publishedIdentity } from '../../../src/mock/identity.ts';
import { payments } from '../../../src/plan/requests.ts';
import { buildCloseDay, type CloseDayFields, decodeCloseDayResponse } from '../../../src/protocol/close-day.ts';
import { encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { signRequest } from '../../../src/protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../../src/protocol/oauth/signature.ts';
import { buildRecurring, decodeRecurringResponse } from '../../../src/protocol/recurring.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';

/** `wrong` keys are those that no gateway knows; with `none` nothing is signed. */
export type Keys = 'right' | 'wrong' | 'none';

export interface ClientRequest {
  readonly path: string;
  readonly body: readonly Pair[];
  readonly key: SigningKey;
  readonly unsigned?: true;
}

export function closeDayRequest(endpointId: string, fields: CloseDayFields, keys: Keys = 'right'): ClientRequest {
  const consumerSecret = keys === 'right' ? publishedIdentity.consumerSecret : otherSecret;
  return {
    path: `/api/v2/close-day/${endpointId}`,
    body: buildCloseDay(fields),
    key: { method: 'HMAC-SHA1', consumerSecret },
    ...(keys === 'none' ? { unsigned: true } : {}),
  };
}

export function recurringRequest(
  endpointId: string,
  rows: readonly (readonly string[])[],
  keys: Keys = 'right',
): ClientRequest {
  const privateKey = createPrivateKey(keys === 'right' ? publishedIdentity.privateKeyPem : otherPrivateKeyPem);
  return {
    path: `/api/v4/process-recurring-payments/${endpointId}`,
    body: buildRecurring(payments(rows)).body,
    key: { method: 'RSA-SHA256', privateKey },
    ...(keys === 'none' ? { unsigned: true } : {}),
  };
}

/** The value of the Authorization header when the request goes to that scheme and host. */
export function authorization({ path, body, key }: ClientRequest, scheme: 'http' | 'https', host: string): string {
  const request = { method: 'POST', scheme, host, target: path, body };
  const fresh = { timestamp: '1800000000', nonce: 'c0ffee00c0ffee00' };
  return signRequest(request, { consumerKey: publishedIdentity.consumerKey, key }, fresh).authorization;
}

/** Sends a close-day request and decodes what comes. */
export async function closeDay(baseUrl: string, request: ClientRequest) {
  return decodeCloseDayResponse(await send(baseUrl, request));
}

/** Sends a batch and decodes what comes. */
export async function processRecurring(baseUrl: string, request: ClientRequest) {
  return decodeRecurringResponse(await send(baseUrl, request));
}

/** Sends the request signed for that address, or with another Authorization header, or as another content type. */
export async function send(
  baseUrl: string,
  request: ClientRequest,
  header?: string,
  contentType = 'application/x-www-form-urlencoded',
) {
  const { host } = new URL(baseUrl);
  const transport = openTransport();
  try {
    const { response, failure } = await transport.send({
      method: 'POST',
      scheme: 'http',
      host,
      target: request.path,
      headers: [
        ...(request.unsigned ? [] : [['Authorization', header ?? authorization(request, 'http', host)] as const]),
        ['Content-Type', contentType],
      ],
      body: Buffer.from(encodeForm(request.body), 'utf8'),
    });
    if (response === undefined) throw new Error(failure?.message);
    return response;
  } finally {
    await transport.close();
  }
}
