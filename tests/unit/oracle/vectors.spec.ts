/** The second opinion on known base strings, wrong decodings and forged signatures. */

import fc from 'fast-check';
import { anyOf } from '../../../generators/labelled.ts';
import {
  faultyPayloadOf,
  payloadFormEdges,
  paymentRows,
  plainRow,
  plusAndSlashPayload,
} from '../../../generators/payload.ts';
import { runOracle, verifyRsaSha256 } from '../../../src/oracle/oracle.ts';
import { encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { readPrivateKey, readPublicKey } from '../../../src/protocol/keys.ts';
import { signRequest } from '../../../src/protocol/oauth/sign-request.ts';
import type { SigningKey, VerifyingKey } from '../../../src/protocol/oauth/signature.ts';
import { verifyRequest, type WireRequest } from '../../../src/protocol/oauth/verify-request.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
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

type OpinionKey = Parameters<typeof runOracle>[1];

const requests = requestVectors();
const refused = ['bad-signature', 'missing-header', 'malformed-header', 'repeated-parameter'];
const judged = requests.filter((vector) => ['ok', ...refused].includes(vector.class));

test('the second opinion reproduces every base string of base-string.json, with any key', () => {
  const vectors = readVectors<Vector & { request: RequestText; baseString: string }>('base-string.json');
  const own = (vector: { request: RequestText }) =>
    runOracle(wireRequest(vector.request), { consumerSecret: 's' }).baseString;
  expect(disagreements(vectors, (vector) => vector.baseString, own)).toEqual([]);
});

test('the second opinion verifies the valid requests of the vectors, and none with a wrong signature or header', () => {
  const verified = (vector: RequestVector) => runOracle(wireRequest(vector.request), opinionKey(vector.key)).verified;
  expect(disagreements(judged, (vector) => vector.class === 'ok', verified)).toEqual([]);
  expect(judged.filter((vector) => vector.class === 'ok').length).toBeGreaterThan(50);
  expect(judged.filter((vector) => vector.class !== 'ok').length).toBeGreaterThan(45);
});

test('the second opinion accepts no forged RSA signature of the vectors', () => {
  const signatures = primitiveVectors().filter((vector): vector is RsaVector => vector.kind === 'rsa-sha256');
  const verdict = (vector: RsaVector) => {
    const message = Buffer.from(vector.messageHex, 'hex').toString('latin1');
    const signature = Buffer.from(vector.signatureHex, 'hex').toString('base64');
    return verifyRsaSha256(message, signature, readVectorFile(vector.publicKeyFile)) ? 'ok' : 'bad-signature';
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
  expect(runOracle(request, { consumerSecret: 's' })).toEqual({
    baseString: 'POST&https%3A%2F%2Fgate.example%2F&a%3D1',
    verified: false,
  });
});

test('a key that cannot be read is an error, not a verdict', () => {
  const right = requests.find((vector) => vector.name === 'own-rsa-plain')!;
  expect(() => runOracle(wireRequest(right.request), { publicKeyPem: 'no key' })).toThrow();
});

test('a public key with CRLF line ends and a byte-order mark is read', () => {
  const right = requests.find((vector) => vector.name === 'own-rsa-plain')!;
  const publicKeyPem = `\ufeff${readVectorFile('keys/rsa-test-public.pem').replaceAll('\n', '\r\n')}`;
  expect(runOracle(wireRequest(right.request), { publicKeyPem }).verified).toBe(true);
});

function opinionKey(key: KeyText): OpinionKey {
  return key.method === 'HMAC-SHA1' ? key : { publicKeyPem: readVectorFile(key.publicKeyFile) };
}

// The seed gives the same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

const odd = "¦a¦A¦ ¦+¦%¦%20¦&¦=¦~¦*¦!'()¦é¦e\u0301¦😀¦\n¦\0¦__proto__";
const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 6 }), fc.constantFrom(...odd.split('¦')));
const pairs: fc.Arbitrary<Pair[]> = fc.array(fc.tuple(text, text), { maxLength: 8 });
const host = fc.constantFrom(
  ...['gate.example', 'GATE.Example', 'gate.example:443', 'gate.example:80', 'localhost:8443', '[::1]:9'],
);
const path = fc.constantFrom('', '/', '/paynet/api/v2/close-day/1111', '/a%20b/%2F', '/A//b/', '/x;y=1,2');
const address = fc.record(
  {
    scheme: fc.constantFrom('http', 'https', 'HTTPS'),
    host,
    path,
    query: fc.option(pairs, { nil: undefined }),
    method: fc.constantFrom('POST', 'GET', 'post'),
  },
  { noNullPrototype: true },
);
const credentials = fc.record(
  { consumerKey: text.filter((key) => key !== ''), consumerSecret: text, nonce: text.filter((nonce) => nonce !== '') },
  { noNullPrototype: true },
);

const privateKey = readPrivateKey(readVectorFile('keys/rsa-test-private.pem'));
const publicKeyPem = readVectorFile('keys/rsa-test-public.pem');
const publicKey = readPublicKey(publicKeyPem);

interface Keys {
  readonly signing: SigningKey;
  readonly verifying: VerifyingKey;
  readonly opinion: OpinionKey;
}

function keysOf(method: 'HMAC-SHA1' | 'RSA-SHA256', consumerSecret: string): Keys {
  if (method === 'RSA-SHA256') {
    return { signing: { method, privateKey }, verifying: { method, publicKey }, opinion: { publicKeyPem } };
  }
  return { signing: { method, consumerSecret }, verifying: { method, consumerSecret }, opinion: { consumerSecret } };
}

/** Forms of generated batches (valid, at an edge, faulty), and forms of any pairs. */
const batches = fc
  .oneof(plusAndSlashPayload, anyOf(payloadFormEdges(plainRow)), faultyPayloadOf(paymentRows.map(({ value }) => value)))
  .map(({ value }) => [...value.form]);
const bodies = { 'HMAC-SHA1': pairs, 'RSA-SHA256': fc.oneof(pairs, batches) };

for (const method of ['HMAC-SHA1', 'RSA-SHA256'] as const) {
  test(`verifier and oracle agree on base string and verdict of any request signed with ${method}`, () => {
    fc.assert(
      fc.property(address, credentials, bodies[method], (where, who, body) => {
        const keys = keysOf(method, who.consumerSecret);
        const { request, signed } = signedRequest(where, who, body, keys.signing);
        const own = verifyRequest(request, () => [keys.verifying]);
        const second = runOracle(request, keys.opinion);
        return own.ok && second.verified && second.baseString === signed && own.steps.baseString === signed;
      }),
      { numRuns: method === 'HMAC-SHA1' ? 300 : 100 },
    );
  });
}

test('signer and second opinion accept the same spellings of a header', () => {
  const edit = fc.record(
    {
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      removed: fc.nat(2),
      inserted: fc.constantFrom(...'¦ ¦\t¦,¦"¦%¦\\¦=¦x¦, x="y"¦realm="z",¦, Realm="z"¦%6F'.split('¦')),
    },
    { noNullPrototype: true },
  );
  const keys = keysOf('HMAC-SHA1', 's');
  let acceptedCount = 0;
  fc.assert(
    fc.property(address, credentials, fc.array(edit, { minLength: 1, maxLength: 2 }), (where, who, edits) => {
      const { request } = signedRequest(where, who, [], keys.signing);
      const spelled = {
        ...request,
        headers: request.headers.map(([name, value]) => [name, applyEdits(value, edits)] as const),
      };
      const own = verifyRequest(spelled, () => [keys.verifying]);
      acceptedCount += own.ok ? 1 : 0;
      return own.ok === runOracle(spelled, keys.opinion).verified;
    }),
    { numRuns: 1000 },
  );
  expect(acceptedCount).toBeGreaterThan(30);
});

function applyEdits(value: string, edits: readonly { at: number; removed: number; inserted: string }[]): string {
  if (!value.startsWith('OAuth')) return value;
  return edits.reduce((text, { at, removed, inserted }) => {
    const start = Math.floor(at * text.length);
    return text.slice(0, start) + inserted + text.slice(start + removed);
  }, value);
}

test('signer and second opinion decode all bytes of a body and all characters of a query in the same way', () => {
  const bytes = fc.array(fc.oneof(fc.constantFrom(0x25, 0x26, 0x2b, 0x3d, 0x32, 0x46, 0xc3, 0xe3), fc.nat(255)));
  const query = fc.string({ unit: fc.constantFrom(...'?&=+%2fFaé#;/'.split('')) });
  fc.assert(
    fc.property(bytes, query, (body, search) => {
      const request: WireRequest = {
        method: 'POST',
        scheme: 'https',
        host: 'gate.example',
        target: `/a?${search}`,
        headers: [
          ['authorization', header],
          ['content-type', 'application/x-www-form-urlencoded; charset=UTF-8'],
        ],
        body: Uint8Array.from(body),
      };
      const own = verifyRequest(request, () => [{ method: 'HMAC-SHA1', consumerSecret: 's' }]);
      return own.steps?.baseString === runOracle(request, { consumerSecret: 's' }).baseString;
    }),
    { numRuns: 600 },
  );
});

const header =
  'OAuth realm="x, oauth_nonce=y", oauth_consumer_key="k", oauth_signature_method="HMAC-SHA1" ,oauth_timestamp="1", oauth_nonce="%C3%A9+", oauth_signature="x"';

interface Address {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: Pair[] | undefined;
  readonly method: string;
}

function signedRequest(
  { path, query, ...where }: Address,
  { consumerKey, nonce }: { consumerKey: string; nonce: string },
  body: Pair[],
  key: SigningKey,
): { request: WireRequest; signed: string } {
  const url = { ...where, target: query === undefined ? path : `${path}?${encodeForm(query)}` };
  const { authorization, steps } = signRequest(
    { ...url, body },
    { consumerKey, key },
    { timestamp: '1700000000', nonce },
  );
  const headers = [
    ['Host', url.host],
    ['Authorization', authorization],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ] as const;
  return { request: { ...url, headers, body: Buffer.from(encodeForm(body)) }, signed: steps.baseString };
}
