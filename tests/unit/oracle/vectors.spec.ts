/** The second voice against the vectors: known answers, wrong readings, forged signatures. */
import { type OpinionKey, secondOpinion, verifiesRsaSha256 } from '../../../src/oracle/second-opinion.ts';
import { signRequest } from '../../../src/protocol/oauth/sign-request.ts';
import { expect, test } from '../../engine.ts';
import {
  disagreements,
  type KeyText,
  primitiveVectors,
  type RequestText,
  type RequestVector,
  type RsaVector,
  readVectorFile,
  readVectors,
  requestVectors,
  type Vector,
  wireRequest,
} from '../protocol/vectors.ts';

const requests = requestVectors();
const judged = requests.filter((vector) => ['ok', 'bad-signature'].includes(vector.class));

test('the second voice reproduces every base string of base-string.json, with any key', () => {
  const vectors = readVectors<Vector & { request: RequestText; baseString: string }>('base-string.json');
  const own = (vector: { request: RequestText }) =>
    secondOpinion(wireRequest(vector.request), { consumerSecret: 's' }).baseString;
  expect(disagreements(vectors, (vector) => vector.baseString, own)).toEqual([]);
});

test('the second voice verifies the right requests of the vectors and no wrongly signed one', () => {
  const verified = (vector: RequestVector) =>
    secondOpinion(wireRequest(vector.request), opinionKey(vector.key)).verified;
  expect(disagreements(judged, (vector) => vector.class === 'ok', verified)).toEqual([]);
  expect(judged.filter((vector) => vector.class === 'ok').length).toBeGreaterThan(50);
  expect(judged.filter((vector) => vector.class !== 'ok').length).toBeGreaterThan(20);
});

test('the second voice verifies no request whose header the vectors call missing, malformed or repetitive', () => {
  const unreadable = requests.filter((vector) =>
    ['missing-header', 'malformed-header', 'repeated-parameter'].includes(vector.class),
  );
  const verified = (vector: RequestVector) =>
    secondOpinion(wireRequest(vector.request), opinionKey(vector.key)).verified;
  expect(disagreements(unreadable, () => false, verified)).toEqual([]);
  expect(unreadable.length).toBeGreaterThan(25);
});

test('a backslash that is signed and sent raw makes a header unreadable, for the second voice too', () => {
  const key = { method: 'HMAC-SHA1', consumerSecret: 's' } as const;
  const url = { method: 'POST', scheme: 'https', host: 'gate.example', target: '/a' };
  const fresh = { timestamp: '1700000000', nonce: 'a\\b' };
  const { authorization } = signRequest({ ...url, body: [] }, { consumerKey: 'k', key }, fresh);
  const verified = (value: string) =>
    secondOpinion({ ...url, headers: [['Authorization', value]], body: Buffer.of() }, key).verified;
  expect(verified(authorization)).toBe(true);
  expect(verified(authorization.replace('%5C', '\\'))).toBe(false);
});

test('the second voice takes no forged RSA signature of the vectors', () => {
  const signatures = primitiveVectors().filter((vector): vector is RsaVector => vector.kind === 'rsa-sha256');
  const verdict = (vector: RsaVector) => {
    const message = Buffer.from(vector.messageHex, 'hex').toString('latin1');
    const signature = Buffer.from(vector.signatureHex, 'hex').toString('base64');
    return verifiesRsaSha256(message, signature, readVectorFile(vector.publicKeyFile)) ? 'ok' : 'bad-signature';
  };
  expect(disagreements(signatures, (vector) => vector.class, verdict)).toEqual([]);
});

test('a request without credentials has a base string and is not verified', () => {
  const request = {
    method: 'post',
    scheme: 'HTTPS',
    host: 'Gate.Example:443',
    target: '?a=1',
    headers: [],
    body: Buffer.of(),
  };
  expect(secondOpinion(request, { consumerSecret: 's' })).toEqual({
    baseString: 'POST&https%3A%2F%2Fgate.example%2F&a%3D1',
    verified: false,
  });
});

test('a key that cannot be read is an error, not a verdict', () => {
  const right = requests.find((vector) => vector.name === 'own-rsa-plain')!;
  expect(() => secondOpinion(wireRequest(right.request), { publicKeyPem: 'no key' })).toThrow();
});

test('a public key with CRLF line ends and a byte-order mark is read', () => {
  const right = requests.find((vector) => vector.name === 'own-rsa-plain')!;
  const publicKeyPem = `\ufeff${readVectorFile('keys/rsa-test-public.pem').replaceAll('\n', '\r\n')}`;
  expect(secondOpinion(wireRequest(right.request), { publicKeyPem }).verified).toBe(true);
});

function opinionKey(key: KeyText): OpinionKey {
  return key.method === 'HMAC-SHA1' ? key : { publicKeyPem: readVectorFile(key.publicKeyFile) };
}
