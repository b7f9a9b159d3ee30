/** Shared functions for gateways that accept wrong or missing signatures, which section 5 does not allow. */
import { operations } from '../../../contracts/operations.ts';
import { signerOf } from '../../deviations/candidates.ts';
import { type DeviationId, deviationOf } from '../../deviations/index.ts';
import { verifies } from '../../mock/authentication.ts';
import type { Alteration } from '../../mock/gateway.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { firstValue, type Reading, type Received } from '../../mock/received.ts';
import type { SignatureMaterial } from '../../mock/step.ts';
import {
  baseString,
  baseStringUri,
  collectParameters,
  normalizeParameters,
  type Pair,
  percentDecode,
  readPrivateKey,
  type SignatureMethod,
  type SigningKey,
  sign,
} from '../../protocol/index.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import type { Row } from '../../record/row.ts';
import { auth, type GatewayDefect } from '../defect.ts';

type Pairs = readonly Pair[];

export function authorizationLine(request: SentRequest): string {
  return headerValues(request.headers, 'authorization')[0] ?? '';
}

export function oauthValue({ oauth }: Reading, name: string): string {
  return firstValue(oauth, `oauth_${name}`) ?? '';
}

export function signatureBytes(reading: Reading): Buffer {
  return Buffer.from(oauthValue(reading, 'signature'), 'base64');
}

/** The base string of the request as received (RFC 5849 section 3.4.1). */
export function baseStringOf({ request, oauth, form, query }: Reading): string {
  const parameters = collectParameters({ authorization: [...oauth], body: [...form], query: [...query] });
  return baseString(request.method, baseStringUri(request), normalizeParameters(parameters));
}

const { consumerKey, consumerSecret, privateKeyPem } = publishedIdentity;
const keys: Readonly<Record<SignatureMethod, SigningKey>> = {
  'HMAC-SHA1': { method: 'HMAC-SHA1', consumerSecret },
  'RSA-SHA256': { method: 'RSA-SHA256', privateKey: readPrivateKey(privateKeyPem) },
};

export function rightSignature(reading: Reading): string {
  return sign(baseStringOf(reading), keys[operations[reading.operation].signatureMethod]);
}

type AuthDefect = typeof auth;
type Other = (right: SignatureMaterial, original: Received) => Partial<SignatureMaterial>;

/** A gateway that also accepts a signature over changed parts of the request. `other` returns the changed parts. */
export function over(
  of: AuthDefect,
  what: string,
  rows: Parameters<AuthDefect>[1],
  other: Other,
  skips: Alteration['skips'] = [],
): Row<GatewayDefect> {
  const signs: Alteration['signs'] = (right, original) =>
    verifies(right) ? right : { ...right, ...other(right, original) };
  return of(what, rows, { skips, signs });
}

/** For each deviation, a gateway that also accepts a signature with that deviation. */
export function taken(of: AuthDefect, rows: Parameters<AuthDefect>[1], ...ids: readonly DeviationId[]) {
  return ids.map((id): GatewayDefect => {
    const deviation = deviationOf(id);
    const other: Other = ({ key, steps }, original) => {
      const secret = key.method === 'HMAC-SHA1' ? key.consumerSecret : '';
      const signer = signerOf(original, { consumerKey, consumerSecret: secret });
      if (deviation.stage !== 'key') return { steps: { ...steps, base: () => signer.baseString([deviation]) } };
      const [keyText = ''] = signer.keyText([deviation]).split('&');
      return { key: { method: 'HMAC-SHA1', consumerSecret: percentDecode(keyText) } };
    };
    return over(of, deviation.gateway!.defect, rows, other)`${deviation.gateway!.summary}`;
  });
}

export function overBody(
  of: AuthDefect,
  what: string,
  body: (sent: Pairs) => Pairs,
  skips: Alteration['skips'] = [],
): Row<GatewayDefect> {
  return over(of, what, 'altered-body-refused', (sent) => ({ body: body(sent.body) }), skips);
}

export function overValues(
  of: AuthDefect,
  what: string,
  change: (value: string, name: string) => string,
): Row<GatewayDefect> {
  return overBody(of, what, (body) => body.map(([name, value]) => [name, change(value, name)]));
}

export function overQuery(what: string, query: (sent: Pairs) => Pairs): Row<GatewayDefect> {
  return over(auth, what, 'altered-uri-refused', (sent) => ({ query: query(sent.query) }));
}

type Url = SignatureMaterial['url'];

export function overUrl(what: string, url: (sent: Url) => Partial<Url>): Row<GatewayDefect> {
  return over(auth, what, 'altered-uri-refused', (sent) => ({ url: { ...sent.url, ...url(sent.url) } }));
}

export function overTarget(what: string, signed: (target: string) => string): Row<GatewayDefect> {
  return overUrl(what, ({ target }) => ({ target: signed(target) }));
}

function taking(name: 'version' | 'timestamp' | 'signature_method', rows: Parameters<AuthDefect>[1]) {
  const step = name.replace('_', '-');
  return (what: string, is: (sent: string, reading: Reading) => boolean): Row<GatewayDefect> =>
    auth(what, rows, { takes: (reading, at) => at === step && is(oauthValue(reading, name), reading) });
}

export const version = taking('version', 'wrong-version-refused');
export const timestamp = taking('timestamp', 'malformed-timestamp-refused');
export const methodName = taking('signature_method', 'other-method-refused');

export function consumerFound(what: string, isTaken: (key: string) => boolean): Row<GatewayDefect> {
  return auth(`consumer-key-${what}`, 'unknown-consumer-refused', {
    takes: (reading, step) => step === 'consumer' && isTaken(oauthValue(reading, 'consumer_key')),
  });
}

export function consumerFoundAs(what: string, lookedUp: (key: string) => string): Row<GatewayDefect> {
  return consumerFound(what, (key) => lookedUp(key) === consumerKey);
}

/** Changes the lines of the CSV in a payload. */
export function csvOf(change: (lines: readonly string[]) => readonly string[]): (payload: string) => string {
  return (payload) => {
    const lines = Buffer.from(payload, 'base64').toString().replace(/\n$/, '').split('\n');
    return Buffer.from(`${change(lines).join('\n')}\n`).toString('base64');
  };
}
