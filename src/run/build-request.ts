/** Turns a planned request into the bytes to send. Pure: timestamp and nonce are given. */

import type { Header, SentRequest } from '../exchange/exchange.ts';
import { encodeForm, type Pair } from '../protocol/form.ts';
import { baseString } from '../protocol/oauth/base-string.ts';
import { baseStringUri } from '../protocol/oauth/base-string-uri.ts';
import { collectParameters } from '../protocol/oauth/collect-parameters.ts';
import { printAuthorization } from '../protocol/oauth/header.ts';
import { normalizeParameters } from '../protocol/oauth/normalize.ts';
import { type SignatureMethod, type SigningKey, sign } from '../protocol/oauth/signature.ts';
import type { RequestPlan, Situation } from '../scenarios/scenario.ts';
import { operationPath, type Target } from './target.ts';

export interface Fresh {
  /** Seconds since the Unix epoch. */
  readonly timestamp: string;
  readonly nonce: string;
}

export interface BuiltRequest {
  readonly request: SentRequest;
  /** Absent for an unsigned request. */
  readonly baseString?: string;
  /** Whether the signature verifies over what is sent, with the key of the operation's own method. */
  readonly signatureIsRight: boolean;
}

/** The request that the plan describes, for this target and situation (sections 4 and 5; RFC 5849 3.4). */
export function buildRequest(plan: RequestPlan, target: Target, situation: Situation, fresh: Fresh): BuiltRequest {
  const method = plan.method ?? 'POST';
  const path = operationPath(target.prefix, plan.operation, target.endpoints[plan.situation ?? situation] ?? '');
  const body = Buffer.from(plan.rawBody ?? encodeForm(plan.body), 'utf8');
  const contentType: Header[] =
    plan.contentType === null ? [] : [['Content-Type', plan.contentType ?? 'application/x-www-form-urlencoded']];
  const unsigned: SentRequest = {
    method,
    scheme: target.scheme,
    host: target.host,
    target: path,
    headers: [...contentType, ...(plan.extraHeaders ?? [])],
    body,
  };
  const finish = plan.wire ?? ((request: SentRequest) => request);
  if (plan.unsigned) return { request: finish(unsigned), signatureIsRight: false };

  const signed = signPlan(plan, unsigned, target, fresh);
  const authorization = plan.authorization ?? ((value: string) => [value]);
  const lines = authorization(printAuthorization(signed.parameters), signed.parameters);
  const headers = [...lines.map((value): Header => ['Authorization', value]), ...unsigned.headers];
  return {
    request: finish({ ...unsigned, headers }),
    baseString: signed.baseString,
    signatureIsRight:
      plan.key !== 'other' && !plan.otherMethod && !plan.signed && !plan.signature && plan.omit !== 'oauth_signature',
  };
}

function signPlan(plan: RequestPlan, request: SentRequest, target: Target, fresh: Fresh) {
  const own: SignatureMethod = plan.operation === 'close-day' ? 'HMAC-SHA1' : 'RSA-SHA256';
  const other: SignatureMethod = own === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1';
  const method = plan.otherMethod ? other : own;
  const right: Pair[] = [
    ['oauth_consumer_key', target.credentials.consumerKey],
    ['oauth_signature_method', method],
    ['oauth_timestamp', fresh.timestamp],
    ['oauth_nonce', fresh.nonce],
    ['oauth_version', '1.0'],
  ];
  const extra = Object.entries(plan.oauth ?? {}).filter(([name]) => !right.some(([known]) => known === name));
  const parameters: Pair[] = [
    ...right.map(([name, value]): Pair => [name, replaced(plan, name) ?? value]),
    ...extra,
  ].filter(([name]) => name !== plan.omit);
  const base = baseString(
    plan.signed?.method ?? request.method,
    baseStringUri({
      scheme: request.scheme,
      host: plan.signed?.host ?? request.host,
      target: plan.signed?.target ?? request.target,
    }),
    normalizeParameters(
      collectParameters({ authorization: parameters, body: plan.signed?.body ?? plan.body, query: [] }),
    ),
  );
  const signature = sign(base, signingKey(method, plan.key ?? 'right', target));
  const finished = plan.signature?.(signature) ?? signature;
  const all: Pair[] = plan.omit === 'oauth_signature' ? parameters : [...parameters, ['oauth_signature', finished]];
  return { parameters: all, baseString: base };
}

function replaced(plan: RequestPlan, name: string): string | undefined {
  return (plan.oauth as Readonly<Record<string, string | undefined>> | undefined)?.[name];
}

function signingKey(method: SignatureMethod, key: 'right' | 'other', target: Target): SigningKey {
  if (method === 'HMAC-SHA1') {
    return { method, consumerSecret: key === 'right' ? target.credentials.consumerSecret : target.otherSecret };
  }
  return { method, privateKey: key === 'right' ? target.credentials.privateKey : target.otherPrivateKey };
}
