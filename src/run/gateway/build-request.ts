/** Builds and signs a planned request, and verifies it with the oracle. Pure: timestamp and nonce are input. */
import { constants, createHash, createHmac, type KeyObject, privateEncrypt, sign as signRaw } from 'node:crypto';
import { operations } from '../../../contracts/operations.ts';
import { printHeader, signedParameters } from '../../../generators/authorization.ts';
import { runOracle } from '../../oracle/oracle.ts';
import type { FreshHeader, ImitatedMethod, RequestPlan, SigningMethod, Situation } from '../../plan/scenario.ts';
import { decodeForm, encodeForm, type Pair } from '../../protocol/form.ts';
import { baseString, baseStringUri, collectParameters, normalizeParameters } from '../../protocol/oauth/base-string.ts';
import { printAuthorization } from '../../protocol/oauth/header.ts';
import { hmacKeyText, type SignatureMethod, type SigningKey, sign } from '../../protocol/oauth/signature.ts';
import { percentEncode } from '../../protocol/percent.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';
import type { Credentials } from '../target/live-config.ts';
import { operationPath, type Target } from '../target/target.ts';

export interface Stamp {
  /** Seconds since the Unix epoch. */
  readonly timestamp: string;
  readonly nonce: string;
}

export interface BuiltRequest {
  readonly request: SentRequest;
  readonly stamp: Stamp;
  readonly baseString?: string;
  /** In base64, or the key itself for PLAINTEXT. The header may contain a changed form of it. */
  readonly signature?: string;
  /** Whether the signature is correct. Undefined if this depends on how a gateway reads the request. */
  readonly isSignatureCorrect: boolean | undefined;
}

/** Builds and signs the request of a plan (sections 4 and 5; RFC 5849 section 3.4). */
export function buildRequest(plan: RequestPlan, target: Target, situation: Situation, stamp: Stamp): BuiltRequest {
  const unsigned = unsignedRequest(plan, target, plan.situation ?? situation);
  if (plan.unsigned) return { request: unsigned, stamp, isSignatureCorrect: false };
  const withHeader = (value: string): SentRequest => ({
    ...unsigned,
    headers: [['Authorization', value], ...unsigned.headers],
  });
  if (plan.authorization !== undefined) {
    const { authorization } = plan;
    const value = typeof authorization === 'string' ? authorization : authorization(target.credentials);
    return { request: withHeader(value), stamp, isSignatureCorrect: false };
  }
  const { base, parameters, signature, headerWith } = signPlan(plan, unsigned, target, stamp);
  const first = headerWith(plan.signature?.(signature) ?? signature);
  const authorization = plan.signWrongly ? headerWith(plan.signWrongly(withHeader(first), target.credentials)) : first;
  const credentials: readonly Pair[] = [...parameters, ['oauth_signature', signature]];
  return {
    request:
      plan.credentialsIn === undefined
        ? withHeader(authorization)
        : { ...unsigned, ...placeCredentials(plan, unsigned.target, credentials) },
    stamp,
    baseString: base,
    signature,
    isSignatureCorrect: isSignatureCorrect(plan),
  };
}

/** Builds the request without OAuth credentials. Without an endpoint for the situation, the path has no endpoint id. */
export function unsignedRequest(
  plan: RequestPlan,
  place: Pick<Target, 'scheme' | 'host' | 'prefix' | 'versions' | 'endpoints'>,
  situation: Situation,
): SentRequest {
  const path = operationPath(place, plan.operation, place.endpoints[situation] ?? '');
  const contentType: Header[] =
    plan.contentType === null ? [] : [['Content-Type', plan.contentType ?? 'application/x-www-form-urlencoded']];
  const encoded = encodeForm(plan.body);
  return {
    method: plan.method ?? 'POST',
    scheme: place.scheme,
    host: place.host,
    target: withQuery(typeof plan.target === 'function' ? plan.target(path) : (plan.target ?? path), plan.query),
    headers: [...contentType, ...(plan.extraHeaders ?? [])],
    body: Buffer.from(typeof plan.rawBody === 'function' ? plan.rawBody(encoded) : (plan.rawBody ?? encoded), 'utf8'),
  };
}

function placeCredentials(plan: RequestPlan, target: string, credentials: readonly Pair[]): Partial<SentRequest> {
  if (plan.credentialsIn !== 'body') return { target: withQuery(target, encodeForm(credentials)) };
  return { body: Buffer.from(encodeForm([...plan.body, ...credentials]), 'utf8') };
}

function withQuery(target: string, query: string | undefined): string {
  if (query === undefined) return target;
  const separator = target.includes('?') ? '&' : '?';
  return `${target}${separator}${query}`;
}

function isSignatureCorrect(plan: RequestPlan): boolean | undefined {
  // Gateways differ here. For example, only some include a body with another content type in the signature.
  if (plan.header !== undefined || plan.framing !== undefined || plan.contentType !== undefined) return undefined;
  if (plan.credentialsIn !== undefined || plan.signWrongly !== undefined) return undefined;
  // Here the signature is correct, but the header names another method. Gateways may accept or refuse this.
  if (plan.otherMethod?.signs === methodOf(plan)) return undefined;
  const isChanged = plan.otherMethod || plan.signed || plan.signature || plan.omit === 'oauth_signature';
  return (plan.key ?? 'right') === 'right' && !isChanged;
}

function signPlan(plan: RequestPlan, request: SentRequest, target: Target, stamp: Stamp) {
  const ownMethod = methodOf(plan);
  const { names: method, signs } = plan.otherMethod ?? { names: ownMethod, signs: ownMethod };
  const ordinary: FreshHeader = { consumerKey: target.credentials.consumerKey, method, ...stamp };
  const header = plan.header?.(ordinary);
  const parameters = header === undefined ? ordinaryParameters(ordinary, plan) : signedParameters(header);
  const changed = plan.signed ?? {};
  const identity = <T>(sent: T) => sent;
  const uri = baseStringUri({
    scheme: (changed.scheme ?? identity)(request.scheme),
    host: (changed.host ?? identity)(request.host),
    target: (changed.target ?? identity)(request.target),
  });
  const collected = collectParameters({
    authorization: (changed.parameters ?? identity)(parameters),
    body: (changed.body ?? identity)(plan.body),
    query: changed.query ?? decodeForm(plan.query ?? ''),
  });
  const normalized = normalizeParameters(collected);
  const base = baseString(changed.method ?? request.method, (changed.uri ?? identity)(uri), normalized);
  const isStandardMethod = signs === 'HMAC-SHA1' || signs === 'RSA-SHA256';
  const signature = isStandardMethod
    ? sign(base, signingKey(signs, plan.key ?? 'right', target))
    : signByOtherMethod(base, signs, target.credentials);
  const headerWith = (sent: string): string => {
    if (header !== undefined) return printHeader(header, sent);
    return printAuthorization(
      plan.omit === 'oauth_signature' ? parameters : [...parameters, ['oauth_signature', sent]],
    );
  };
  return { base, parameters, signature, headerWith };
}

function methodOf({ operation }: RequestPlan): SignatureMethod {
  return operations[operation].signatureMethod;
}

function ordinaryParameters(
  { consumerKey, method, timestamp, nonce }: FreshHeader,
  plan: RequestPlan,
): readonly Pair[] {
  const all: Pair[] = [
    ['oauth_consumer_key', consumerKey],
    ['oauth_signature_method', method],
    ['oauth_timestamp', timestamp],
    ['oauth_nonce', nonce],
    ['oauth_version', '1.0'],
  ];
  return all.filter(([name]) => name !== plan.omit);
}

function signingKey(method: SignatureMethod, key: NonNullable<RequestPlan['key']>, target: Target): SigningKey {
  if (method === 'HMAC-SHA1') {
    if (key === 'empty') return { method, consumerSecret: '' };
    if (key === 'public') return { method, consumerSecret: target.credentials.publicKeyPem };
    const { consumerKey, consumerSecret } = target.credentials;
    if (key === 'right') return { method, consumerSecret };
    const swapCase = (letter: string) => (/[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase());
    const otherCase = consumerSecret.replace(/[a-z]/gi, swapCase);
    const changed = { other: target.otherSecret, 'consumer-key': consumerKey, 'other-case': otherCase }[key];
    // The changed secret may equal the right secret: digits have no letter case. If so, use `otherSecret`.
    return { method, consumerSecret: changed === consumerSecret ? target.otherSecret : changed };
  }
  return { method, privateKey: key === 'right' ? target.credentials.privateKey : target.otherPrivateKey };
}

/** Signs by another method, in base64. The signature of PLAINTEXT is the key itself (RFC 5849 section 3.4.4). */
function signByOtherMethod(
  base: string,
  method: Exclude<SigningMethod, SignatureMethod> | ImitatedMethod,
  { consumerSecret, privateKey }: Pick<Credentials, 'consumerSecret' | 'privateKey'>,
): string {
  const keyText = hmacKeyText(consumerSecret);
  if (method === 'PLAINTEXT') return keyText;
  const imitation = imitations[method as ImitatedMethod];
  if (imitation !== undefined) return imitation(base, privateKey).toString('base64');
  const [family, hash = ''] = method.split('-');
  if (family === 'HMAC') return createHmac(hash, keyText).update(base).digest('base64');
  return signRaw(`RSA-${hash}`, Buffer.from(base), privateKey).toString('base64');
}

/** Wrong RSA signatures: RSASSA-PKCS1-v1_5 wrongly encoded (RFC 8017 section 9.2), and RSASSA-PSS (section 8.1). */
const imitations: Readonly<Record<ImitatedMethod, (base: string, key: KeyObject) => Buffer>> = {
  'RSA-DIGEST-ALONE': (base, key) => privateEncrypt(key, digestOf(base)),
  'RSA-OTHER-PADDING': (base, key) => padAndSign(base, key, { padding: 0 }),
  'RSA-OTHER-BLOCK': (base, key) => padAndSign(base, key, { type: 2 }),
  // Eight bytes are the minimum padding of RFC 8017 section 9.2.
  'RSA-BYTES-BEHIND': (base, key) => padAndSign(base, key, { paddingLength: 8 }),
  'RSA-PSS': (base, key) => signRaw('sha256', Buffer.from(base), { key, ...pss }),
};

/** The salt is as long as the digest, because some verifiers accept only this length. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const;

/** Signs with the encoding of RFC 8017 section 9.2, but with the changes in `change`. */
function padAndSign(base: string, key: KeyObject, change: { type?: number; padding?: number; paddingLength?: number }) {
  const { type = 1, padding = 0xff, paddingLength } = change;
  const digestInfo = Buffer.concat([sha256Prefix, digestOf(base)]);
  const message = Buffer.alloc((key.asymmetricKeyDetails?.modulusLength ?? 2048) / 8);
  const start = paddingLength === undefined ? message.length - digestInfo.length : paddingLength + 3;
  message[1] = type;
  message.fill(padding, 2, start - 1);
  message.set(digestInfo, start);
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, message);
}

/** DER prefix of a SHA-256 digest (RFC 8017 section 9.2, note 1). */
const sha256Prefix = Buffer.from('3031300d060960864801650304020105000420', 'hex');

function digestOf(base: string): Buffer {
  return createHash('sha256').update(base).digest();
}

/** How suite and oracle disagree on the base string (if it is known) or on the signature. Undefined if they agree. */
export function oracleDisagreement(
  request: SentRequest,
  key: Parameters<typeof runOracle>[1],
  { isCorrect, baseString }: { readonly isCorrect: boolean; readonly baseString?: string },
): string | undefined {
  const opinion = runOracle(request, key);
  if (baseString !== undefined && opinion.baseString !== baseString) {
    return `the base strings of suite and oracle differ: ${baseString} and ${opinion.baseString}`;
  }
  if (opinion.verified === isCorrect) return undefined;
  return isCorrect
    ? 'the oracle finds the signature incorrect, but the suite expects it to be correct'
    : 'the oracle finds the signature correct, but the suite expects it to be incorrect';
}

/** Percent-encodes `text` in the style of `raw`: which characters stay unescaped, and the case of hex digits. */
export function percentEncodeLike(raw: string, text: string): string {
  const hasNoEscapes = !/%[0-9A-Fa-f]{2}/.test(raw) && /[^A-Za-z0-9\-._~]/.test(raw);
  const isLower = /%(?:[a-f]|\d[a-f])/.test(raw);
  return text.replace(/[^A-Za-z0-9\-._~]/gu, (character) => {
    if (hasNoEscapes || (character !== '%' && raw.includes(character))) return character;
    return isLower ? percentEncode(character).toLowerCase() : percentEncode(character);
  });
}
