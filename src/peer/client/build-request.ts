/** From input to the request that goes out: body, header parameters, signature (sections 2.1, 2.3, 4 and 5; RFC 5849 section 3.4). */

import {
  baseString,
  baseStringUri,
  collectParameters,
  decodeForm,
  encodeForm,
  normalizeParameters,
  printAuthorization,
  queryOf,
  sign,
  utf8Bytes,
} from '../../protocol/index.ts';
import type { SentRequest } from '../../record/exchange.ts';
import type { Context, TakeStep } from './alteration.ts';
import { operationSteps } from './operation-steps.ts';
import { requestUrl } from './request-url.ts';

const method = 'POST';
const formType = 'application/x-www-form-urlencoded';

/** Takes the steps from `table` to `request`. Throws ProtocolError for text that cannot be encoded. */
export function buildClientRequest(take: TakeStep, context: Context, nonce: () => string): SentRequest {
  const fields = operationSteps[context.operation].fields(take, context.done.input);
  const form = take('form', () => encodeForm(fields));
  const body = take('body', () => utf8Bytes(form));
  const url = take('url', () => requestUrl(context.baseUrl, context.operation, context.endpointId));
  const authorization = authorize(take, context, nonce);
  const headers = take('headers', () => [
    ['Host', url.host],
    ['Content-Type', formType],
    ['Content-Length', String(body.length)],
    ['Authorization', authorization],
  ]);
  return take('request', () => ({ method, ...url, headers, body }) as SentRequest);
}

function authorize(take: TakeStep, { done, time }: Context, newNonce: () => string): string {
  const { consumerKey, key } = done.credentials;
  const fresh = take('fresh', () => ({ timestamp: String(Math.floor(time / 1000)), nonce: newNonce() }));
  const unsigned = take('unsigned', () => [
    ['oauth_consumer_key', consumerKey],
    ['oauth_signature_method', key.method],
    ['oauth_timestamp', fresh.timestamp],
    ['oauth_nonce', fresh.nonce],
    ['oauth_version', '1.0'],
  ]);
  const query = decodeForm(queryOf(done.url.target));
  const parameters = take('parameters', () => collectParameters({ authorization: unsigned, body: done.fields, query }));
  const normalized = take('normalized', () => normalizeParameters(parameters));
  const uri = take('baseStringUri', () => baseStringUri(done.url));
  const base = take('baseString', () => baseString(method, uri, normalized));
  const signature = take('signature', () => sign(base, key));
  const signed = take('signed', () => [...unsigned, ['oauth_signature', signature]]);
  return take('authorization', () => printAuthorization(signed));
}
