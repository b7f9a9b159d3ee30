/** A client made of the request builders of the suite, with a fixed clock, and the matching rules for its requests. */
import { createPrivateKey } from 'node:crypto';
import type { Rules, V3Request } from '@pact-foundation/pact';
import { otherPrivateKeyPem, otherSecret, publishedIdentity } from '../../../src/mock/identity.ts';
import { payments } from '../../../src/plan/requests.ts';
import { buildCloseDay, type CloseDayFields, decodeCloseDayResponse } from '../../../src/protocol/close-day.ts';
import { encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { signRequest } from '../../../src/protocol/oauth/sign-request.ts';
import type { SigningKey } from '../../../src/protocol/oauth/signature.ts';
import { buildRecurring, decodeRecurringResponse } from '../../../src/protocol/recurring.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { regexRule } from './contract.ts';

/** `wrong`: keys that no gateway knows. `none`: the request is not signed. */
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

/** The value of the Authorization header for this scheme and host. */
export function authorization({ path, body, key }: ClientRequest, scheme: 'http' | 'https', host: string): string {
  const request = { method: 'POST', scheme, host, target: path, body };
  const fresh = { timestamp: '1800000000', nonce: 'c0ffee00c0ffee00' };
  return signRequest(request, { consumerKey: publishedIdentity.consumerKey, key }, fresh).authorization;
}

/** Sends a close-day request, and decodes the answer. */
export async function closeDay(baseUrl: string, request: ClientRequest) {
  return decodeCloseDayResponse(await send(baseUrl, request));
}

/** Sends a batch, and decodes the answer. */
export async function processRecurring(baseUrl: string, request: ClientRequest) {
  return decodeRecurringResponse(await send(baseUrl, request));
}

/** Sends the request, signed for this address, or with another Authorization header or content type. */
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

export const anyText = '^[\\s\\S]*$';

/**
 * The forms of form fields by their name (2.1, 4.2). A field that the example has not is not allowed. Which letters an
 * id may have is open (A8).
 */
const fieldForms: Readonly<Record<string, string>> = {
  day_close_request_id: '^[\\p{L}\\p{Nd}]{8,32}$',
  sale_approved_count: anyText,
  sale_approved_sum: anyText,
  reversal_approved_count: anyText,
  reversal_approved_sum: anyText,
  payload: '^[A-Za-z0-9+/]+={0,2}$',
};

/** The request of an interaction, with its values as examples. `forms`: for a field that is wrong on purpose. */
export function requestOf(
  request: ClientRequest,
  forms: Readonly<Record<string, string>> = fieldForms,
): V3Request & { rules: Rules } {
  return {
    method: 'POST',
    path: request.path,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(request.unsigned ? {} : { Authorization: authorization(request, 'https', 'gateway.example') }),
    },
    body: encodeForm(request.body),
    rules: {
      header: [
        ...(request.unsigned
          ? []
          : [{ path: 'Authorization', rules: authorizationForms(request.key.method).map(regexRule) }]),
        // Case, white space and parameters of a media type do not count (RFC 9110 section 8.3).
        { path: 'Content-Type', rules: [regexRule('^\\s*(?i:application/x-www-form-urlencoded)\\s*(;.*)?$')] },
      ],
      body: request.body.map(([name]) => ({ path: `$.${name}`, rules: [regexRule(forms[name]!)] })),
    },
  };
}

/** One expression for each parameter. Together they require all parameters in any order. */
function authorizationForms(method: string): string[] {
  const parameters = {
    oauth_consumer_key: '[^"]+',
    oauth_signature_method: method,
    oauth_timestamp: '0*[1-9][0-9]*',
    oauth_nonce: '[^"]+',
    oauth_version: '1\\.0',
    oauth_signature: '(?:[A-Za-z0-9]|%2[BbFf]|%3[Dd])+',
  };
  // pact-core compares the whole value, also without anchors in the expression.
  return [
    '^[Oo][Aa][Uu][Tt][Hh][ \\t]+.+$',
    ...Object.entries(parameters).map(([name, form]) => `^.*[ \\t,]${name}="${form}".*$`),
  ];
}
