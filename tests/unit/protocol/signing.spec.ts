/** Base string (RFC 5849 section 3.4.1), signing and verifying (sections 3.2 and 3.4): vectors and further cases. */
import { createSecretKey } from 'node:crypto';
import { encodeBase64 } from '../../../src/protocol/base64.ts';
import { decodeForm, encodeForm } from '../../../src/protocol/form.ts';
import { readPublicKey } from '../../../src/protocol/keys.ts';
import { baseStringUri, collectParameters } from '../../../src/protocol/oauth/base-string.ts';
import { parseAuthorization } from '../../../src/protocol/oauth/header.ts';
import { signRequest, unsignedSteps } from '../../../src/protocol/oauth/sign-request.ts';
import { hmacKeyText, isHmacSha1, sign, verifySignature } from '../../../src/protocol/oauth/signature.ts';
import { formParameters, verifyRequest, type WireRequest } from '../../../src/protocol/oauth/verify-request.ts';
import { expect, test } from '../../engine.ts';
import type { HmacVector, RequestText, RequestVector, RsaVector, Vector } from './vectors.ts';
import {
  disagreements,
  errorCode,
  primitiveVectors,
  readVectorFile,
  readVectors,
  requestVectors,
  signingKey,
  verifyingKey,
  wireRequest,
} from './vectors.ts';

interface BaseStringVector extends Vector {
  readonly request: RequestText;
  readonly baseStringUri: string;
  readonly normalized: string;
  readonly baseString: string;
}

const vectors = readVectors<BaseStringVector>('base-string.json');

test('URI, parameters and base string of every vector come out as it says', () => {
  const wanted = (vector: BaseStringVector) => [vector.baseStringUri, vector.normalized, vector.baseString];
  const steps = (vector: BaseStringVector) => {
    const request = wireRequest(vector.request);
    const header = request.headers.find(([name]) => name === 'Authorization');
    const authorization = header === undefined ? [] : parseAuthorization(header[1]).parameters;
    const found = unsignedSteps({ ...request, body: formParameters(request) }, authorization);
    return [found.baseStringUri, found.normalized, found.baseString];
  };
  expect(disagreements(vectors, wanted, steps)).toEqual([]);
});

test('realm and signature of the header are left out, the same names elsewhere are not', () => {
  const parameters = collectParameters({
    authorization: decodeForm('realm=a&oauth_signature=b&oauth_nonce=c'),
    query: decodeForm('realm=d'),
    body: decodeForm('oauth_signature=e&x=f&x=f'),
  });
  expect(encodeForm(parameters)).toBe('realm=d&oauth_nonce=c&oauth_signature=e&x=f&x=f');
});

test('a target that is a whole URI replaces scheme and host', () => {
  const url = { scheme: 'http', host: 'proxy.example', target: 'HTTPS://Gate.Example:443/a?b=c' };
  expect(baseStringUri(url)).toBe('https://gate.example/a');
  expect(baseStringUri({ ...url, target: 'https://gate.example' })).toBe('https://gate.example/');
});

test('a target that is neither path nor URI is refused', () => {
  for (const target of ['*', 'a/b', 'gate.example:443'])
    expect(errorCode(() => baseStringUri({ scheme: 'https', host: 'gate.example', target }))).toBe('malformed-target');
});

const requests = requestVectors();
const primitives = primitiveVectors();

test('every request of the vectors is verified or refused for the reason that it names', () => {
  const reason = (vector: RequestVector) => {
    const key = verifyingKey(vector.key);
    const lookup = (consumer: string) => (consumer === 'nobody' ? undefined : [key]);
    const answer = verifyRequest(wireRequest(vector.request), lookup);
    return answer.ok ? 'ok' : answer.failure;
  };
  expect(disagreements(requests, (vector) => vector.class, reason)).toEqual([]);
});

test('every right request of the vectors is signed to the same signature', () => {
  const right = requests.filter((vector) => vector.class === 'ok');
  const signAgain = (vector: RequestVector) => sign(vector.baseString!, signingKey(vector.key));
  expect(disagreements(right, (vector) => vector.signature, signAgain)).toEqual([]);
});

test('the base string of a wrongly signed request is the one that the vector names', () => {
  const wrong = requests.filter((vector) => vector.class === 'bad-signature');
  const steps = (vector: RequestVector) => {
    const answer = verifyRequest(wireRequest(vector.request), () => [verifyingKey(vector.key)]);
    return answer.steps?.baseString;
  };
  expect(disagreements(wrong, (vector) => vector.baseString, steps)).toEqual([]);
});

test('raw HMAC-SHA1 tags are verified or refused as the vectors say', () => {
  const tags = primitives.filter((vector): vector is HmacVector => vector.kind === 'hmac-sha1');
  const verdict = ({ tagHex, keyHex, messageHex }: HmacVector) => {
    const key = createSecretKey(Buffer.from(keyHex, 'hex'));
    return isHmacSha1(Buffer.from(tagHex, 'hex'), key, Buffer.from(messageHex, 'hex')) ? 'ok' : 'bad-signature';
  };
  expect(disagreements(tags, (vector) => vector.class, verdict)).toEqual([]);
});

test('raw RSA-SHA256 signatures are verified or refused as the vectors say', () => {
  const signatures = primitives.filter((vector): vector is RsaVector => vector.kind === 'rsa-sha256');
  const verdict = (vector: RsaVector) => {
    const publicKey = readPublicKey(readVectorFile(vector.publicKeyFile));
    const message = Buffer.from(vector.messageHex, 'hex').toString('utf8');
    const signature = encodeBase64(Buffer.from(vector.signatureHex, 'hex'));
    return verifySignature(message, signature, { method: 'RSA-SHA256', publicKey }) ? 'ok' : 'bad-signature';
  };
  const asText = signatures.filter(({ messageHex }) => isUtf8(messageHex));
  expect(disagreements(asText, (vector) => vector.class, verdict)).toEqual([]);
  expect(asText.length).toBeGreaterThan(40);
});

test('the HMAC key is both secrets encoded, with the ampersand even where there is no token', () => {
  expect(hmacKeyText('a b')).toBe('a%20b&');
  expect(hmacKeyText('a&', 'é')).toBe('a%26&%C3%A9');
});

test('a request that is signed here is verified here, with realm, token, query and no version', () => {
  const key = { method: 'HMAC-SHA1', consumerSecret: 'secret' } as const;
  const url = { method: 'POST', scheme: 'https', host: 'gate.example:443', target: '/a?b=1&b=0' };
  const signed = signRequest(
    { ...url, body: [['c', ' ']] },
    { consumerKey: 'shop', key },
    { timestamp: '1700000000', nonce: 'n' },
    { realm: 'x', version: null, extra: [['oauth_token', '']] },
  );
  expect(signed.authorization).toMatch(
    /^OAuth realm="x", oauth_consumer_key="shop", .*oauth_token="", oauth_signature="/,
  );
  expect(signed.authorization).not.toContain('oauth_version');
  const request = form({ ...url, body: 'c=+' }, signed.authorization);
  const answer = verifyRequest(request, (consumer) => (consumer === 'shop' ? [key] : undefined));
  const { steps } = signed;
  const verified = { consumerKey: 'shop', method: 'HMAC-SHA1', timestamp: '1700000000', nonce: 'n', steps };
  expect(answer).toEqual({ ok: true, ...verified });
});

test('one of several keys of a consumer is enough, as during a rotation', () => {
  const [old, fresh] = ['old', 'new'].map((consumerSecret) => ({ method: 'HMAC-SHA1', consumerSecret }) as const);
  const url = { method: 'POST', scheme: 'https', host: 'a', target: '/' };
  const signed = signRequest({ ...url, body: [] }, { consumerKey: 'k', key: fresh! }, { timestamp: '1', nonce: 'n' });
  const request = form({ ...url, body: '' }, signed.authorization);
  expect(verifyRequest(request, () => [old!, fresh!])).toMatchObject({ ok: true });
  expect(verifyRequest(request, () => [old!])).toMatchObject({ ok: false, failure: 'bad-signature' });
});

test('only the media type of a form makes the body count', () => {
  const count = (type: string) =>
    formParameters({ headers: [['CONTENT-TYPE', type]], body: Buffer.from('a=1') }).length;
  expect(count('application/x-www-form-urlencoded')).toBe(1);
  expect(count(' Application/X-WWW-Form-URLencoded ;charset="utf-8"')).toBe(1);
  expect(count('application/x-www-form-urlencoded-v2')).toBe(0);
  expect(count('multipart/form-data')).toBe(0);
  expect(formParameters({ headers: [], body: Buffer.from('a=1') })).toEqual([]);
});

test('a target that is not a path is a refusal, not an error', () => {
  const url = { method: 'POST', scheme: 'https', host: 'a', target: '*', body: '' };
  const authorization =
    'OAuth oauth_consumer_key="k", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1", oauth_nonce="n", oauth_signature="x"';
  const answer = verifyRequest(form(url, authorization), () => [{ method: 'HMAC-SHA1', consumerSecret: 's' }]);
  expect(answer).toMatchObject({ ok: false, failure: 'bad-signature' });
});

test('no answer quotes the secret', () => {
  const secret = 'canary-secret-0123456789';
  const answers = requests.map((vector) =>
    verifyRequest(wireRequest(vector.request), () => [{ method: 'HMAC-SHA1', consumerSecret: secret }]),
  );
  expect(JSON.stringify(answers)).not.toContain(secret);
});

function form(url: Omit<WireRequest, 'headers' | 'body'> & { body: string }, authorization: string): WireRequest {
  const headers = [
    ['Authorization', authorization],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ] as const;
  return { ...url, headers, body: Buffer.from(url.body) };
}

function isUtf8(hex: string): boolean {
  return Buffer.from(Buffer.from(hex, 'hex').toString('utf8')).toString('hex') === hex;
}
