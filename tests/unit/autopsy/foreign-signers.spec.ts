/** Requests that others signed: libraries, vectors, and signatures that several sets explain. */

import { constants, createHash, createHmac, sign as signBytes } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { autopsy } from '../../../src/autopsy/autopsy.ts';
import { credentialOf } from '../../../src/autopsy/facts.ts';
import { deviationOf, deviations } from '../../../src/autopsy/index.ts';
import { canCombine, type Deviation } from '../../../src/deviations/deviation.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { disagreements, type RequestVector, requestVectors, verifyingKey, wireRequest } from '../protocol/vectors.ts';
import { type Draft, headerOf, plainRequest as plain, signatureText, signWith, wire } from './drawn.ts';

const secret = 'a secret of + and &';
const credentials: readonly (readonly [string, string])[] = [
  ['oauth_consumer_key', 'shop & co/1'],
  ['oauth_nonce', 'n0nce'],
  ['oauth_timestamp', '1700000000'],
  ['oauth_version', '1.0'],
];
const rsa = shopKeys;

interface Sent {
  readonly host?: string;
  readonly target?: string;
  readonly body: string;
  readonly method?: string;
  readonly extra?: readonly (readonly [string, string])[];
  readonly sign: (parameters: readonly (readonly [string, string])[]) => string;
}

function examine({
  host = 'gate.example.com',
  target = '/api/v2/close-day/1',
  body,
  method = 'HMAC-SHA1',
  extra = [],
  sign,
}: Sent) {
  const parameters = [...credentials, ['oauth_signature_method', method] as const, ...extra];
  const header = headerOf([...parameters, ['oauth_signature', sign(parameters)]], undefined, false);
  return autopsy(wire({ ...plain, host, target, body }, header), { consumerSecret: secret, publicKey: rsa.publicKey });
}

function ids(found: ReturnType<typeof examine>): string[] {
  return found.deviations.map(({ id }) => id);
}

function hmac(base: string, key = `${encodeURIComponent(secret)}&`): string {
  return createHmac('sha1', key).update(base).digest('base64');
}

function baseOf(encode: (text: string) => string, pairs: readonly (readonly [string, string])[], uri: string): string {
  const joined = pairs
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  return ['POST', encode(uri), encode(joined)].join('&');
}

const uri = 'https://gate.example.com/api/v2/close-day/1';

test('a signer that escapes with encodeURIComponent alone is named, with its library', () => {
  const found = examine({
    body: 'sum=1*2%21&note=%28ok%29',
    sign: (parameters) => hmac(baseOf(encodeURIComponent, [...parameters, ['sum', '1*2!'], ['note', '(ok)']], uri)),
  });
  expect(ids(found)).toEqual(['sub-delims-left-bare']);
  expect(found.dialects?.map(({ id }) => id)).toContain('encode-uri-component');
});

test('a signer that escapes as a form does is named as a dialect', () => {
  const asForm = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  const found = examine({
    body: 'sum=1*2~3&note=a+b',
    sign: (parameters) => {
      const base = baseOf(asForm, [...parameters, ['sum', '1*2~3'], ['note', 'a b']], uri);
      return hmac(base, `${asForm(secret)}&`);
    },
  });
  expect(ids(found).sort()).toEqual(['space-as-plus', 'star-left-bare', 'tilde-encoded']);
  expect(found.dialects?.map(({ id }) => id)).toEqual(['java-url-encoder', 'url-search-params']);
  // Only a star shows which marks the encoder leaves bare.
  expect(found.alternatives?.map((set) => set.toSorted())).toEqual([
    ['space-as-plus', 'sub-delims-left-bare', 'tilde-encoded'],
    ['all-but-apostrophe-left-bare', 'space-as-plus', 'tilde-encoded'],
  ]);
});

test('a signer that lets URLSearchParams escape only the parameters is named as a dialect', { tag: '@all' }, () => {
  const right = (text: string): string => encodeURIComponent(text).replaceAll('*', '%2A');
  const found = examine({
    body: 'sum=1*2~3&note=a+b',
    sign: (parameters) => {
      const pairs = new URLSearchParams([...parameters, ['sum', '1*2~3'], ['note', 'a b']] as string[][]);
      pairs.sort();
      return hmac(`POST&${right(uri)}&${right(pairs.toString())}`);
    },
  });
  const inside = ['space-as-plus', 'star-left-bare', 'tilde-encoded', 'wrong-encoder-in-parameters-only'];
  expect(ids(found).sort()).toEqual(inside);
  expect(found.dialects?.map(({ id }) => id)).toEqual(['url-search-params-inside']);
});

test('oauth-1.0a keeps the capitals of a host', () => {
  const signer = new OAuth({
    consumer: { key: 'shop & co/1', secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const found = examine({
    host: 'Gate.Example.com',
    body: 'a=1',
    sign: (parameters) =>
      signer.getSignature(
        { url: 'https://Gate.Example.com/api/v2/close-day/1', method: 'POST', data: { a: '1' } },
        undefined,
        Object.fromEntries(parameters) as unknown as OAuth.Data,
      ),
  });
  expect(ids(found)).toEqual(['host-case-kept']);
});

const spellings = [
  ['LocalHost:8443', 'localhost:8443'],
  ['LocalHost', 'LOCALHOST'],
  ['gAtE.eXaMpLe.CoM', 'gate.example.com'],
  // This name has too many spellings to try all.
  ['Sandbox.PaynetEasy.com', 'sandbox.payneteasy.com'],
] as const;

for (const method of ['HMAC-SHA1', 'RSA-SHA256'] as const) {
  const target = method === 'HMAC-SHA1' ? '/api/v2/close-day/1' : '/api/v4/process-recurring-payments/1';
  /** The autopsy of a request to one host that is signed for another spelling. */
  const examineHost = (signed: string, sent: string, signedBody: readonly (readonly [string, string])[]) =>
    examine({
      method,
      host: sent,
      target,
      body: 'a=1',
      sign: (parameters) => {
        const base = baseOf(encodeURIComponent, [...parameters, ...signedBody], `https://${signed}${target}`);
        if (method === 'HMAC-SHA1') return hmac(base);
        return signBytes('sha256', Buffer.from(base), rsa.privateKey).toString('base64');
      },
    });

  for (const [at, [signed, sent]] of spellings.entries()) {
    test(`a host that is ${sent} in the request and ${signed} in what ${method} signs is named and spelled out`, {
      tag: at < 2 ? [] : '@all',
    }, () => {
      const found = examineHost(signed, sent, [['a', '1']]);
      expect(ids(found)).toEqual(['host-case-changed']);
      const name = signed.replace(':8443', '');
      expect(found.deviations[0]!.developer).toContain(name === name.toUpperCase() ? 'in capitals' : ` ${name} `);
      expect(found.signedBaseString).toContain(encodeURIComponent(`//${signed}/`));
    });
  }

  for (const [signed, sent] of [spellings[0], spellings[3]]) {
    test(`${sent}, signed as ${signed}, is named together with another deviation of a client that signs with ${method}`, {
      tag: signed === spellings[0][0] && method === 'HMAC-SHA1' ? [] : ['@all'],
    }, () => {
      expect(ids(examineHost(signed, sent, []))).toEqual(['body-left-out', 'host-case-changed']);
    });
  }

  test(`capitals that are sent and not signed are right with ${method}`, () => {
    expect(examineHost('localhost', 'LocalHost', [['a', '1']])).toMatchObject({ verified: true, deviations: [] });
  });
}

test('a signer that sends a body hash, joins credentials raw and keeps the port is named with all three', () => {
  const body = 'payload=aGVsbG8%3D';
  const extra = [['oauth_body_hash', createHash('sha256').update(body).digest('base64')]] as const;
  const target = '/api/v4/process-recurring-payments/1';
  const found = examine({
    method: 'RSA-SHA256',
    host: 'gate.example.com:443',
    target,
    body,
    extra,
    sign: (parameters) => {
      const joined = parameters
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join('&');
      const base = ['POST', encodeURIComponent(`https://gate.example.com:443${target}`), encodeURIComponent(joined)];
      return signBytes('sha256', Buffer.from(base.join('&')), rsa.privateKey).toString('base64');
    },
  });
  expect(ids(found).sort()).toEqual(['body-hash-instead-of-body', 'default-port-kept', 'header-value-not-encoded']);
  expect(found.dialects?.map(({ id }) => id)).toEqual(['mastercard-oauth1-signer']);
  expect(found.facts.map(({ id }) => id)).toContain('body-hash-sent');
});

test('PSS with a salt as long as possible is named together with a body that is left out', () => {
  const target = '/api/v4/process-recurring-payments/1';
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN };
  const found = examine({
    method: 'RSA-SHA256',
    target,
    body: 'payload=eA%3D%3D',
    sign: (parameters) => {
      const base = baseOf(encodeURIComponent, parameters, `https://gate.example.com${target}`);
      return signBytes('sha256', Buffer.from(base), { key: rsa.privateKey, ...pss }).toString('base64');
    },
  });
  expect(ids(found).sort()).toEqual(['body-left-out', 'pss-padding']);
});

/** The deviations of each vector, by its name without the family. Other wrong signatures have no name. */
const names: Readonly<Record<string, string>> = {
  'oauth-parameters-counted-twice': 'oauth-parameters-counted-twice',
  'body-left-out': 'body-left-out',
  'body-only': 'oauth-parameters-left-out',
  'key-without-ampersand': 'no-ampersand-in-key',
  'parameters-encoded-once': 'joined-string-not-encoded',
  'signed-without-encoding': 'joined-string-not-encoded',
  'empty-realm-included': 'empty-realm-included',
  'signed-with-port': 'port-left-out',
  'signature-url-safe': 'signature-url-safe',
  'signature-no-padding': 'signature-unpadded',
  'signature-hex': 'signature-in-hex',
  'signature-with-line-end': 'signature-with-newline',
  'content-type-missing': 'other-body-signed-as-form',
  'secret-not-encoded': 'secret-not-encoded',
  sha1: 'hash-sha1',
  sha512: 'hash-sha512',
  pss: 'pss-padding',
  // A client with this mistake sends the same as a proxy that altered the request.
  'own-hmac-altered-query': 'query-left-out',
  'own-rsa-altered-query': 'query-left-out path-of-process-recurring-payments-signed',
  'own-hmac-raw-plus-in-body': 'body-signed-as-written',
  'own-rsa-raw-plus-in-body': 'plus-not-escaped-in-body',
};

const signed = requestVectors().filter(({ class: fault }) => fault === 'ok' || fault === 'bad-signature');

const wanted = ({ name, class: fault }: RequestVector) => {
  const known = names[name] ?? names[name.replace(/^(?:own-(?:hmac|rsa)|kat-1)-/, '')];
  return fault === 'ok' ? ['right'] : ['wrong', ...(known?.split(' ') ?? [])];
};

// A search that finds nothing takes longest.
for (const [name, failDepth, tag] of [
  ['every signature of the vectors is verified, named, or named nothing', 1, []],
  ['those that are named nothing get no name from two deviations either', 2, ['@all']],
] as const) {
  test(name, { tag: [...tag] }, () => {
    const found = (vector: RequestVector) => {
      const verifying = verifyingKey(vector.key);
      const keys = verifying.method === 'HMAC-SHA1' ? verifying : { publicKey: verifying.publicKey };
      const depth = wanted(vector).join() === 'wrong' ? failDepth : 2;
      const { signature, deviations } = autopsy(wireRequest(vector.request), keys, { limits: { depth } });
      return [signature, ...deviations.map(({ id }) => id)];
    };
    expect(disagreements(signed, wanted, found)).toEqual([]);
  });
}

const asText = (ids: readonly string[]): string => ids.toSorted().join(' + ');

/** The named sets, each as one text. */
function namesOf(found: ReturnType<typeof autopsy>): string[] {
  return [ids(found), ...(found.alternatives ?? [])].map(asText);
}

/** Those of the sets that give the signature of a client with the deviations `made`. */
function sameAs(drawn: Draft, made: readonly Deviation[], sets: readonly (readonly Deviation[])[]): string[] {
  const request = signWith(drawn, made);
  const sent = credentialOf(request, 'oauth_signature');
  return sets
    .filter((set) => signatureText(drawn, request, set) === sent)
    .map((set) => asText(set.map(({ id }) => id)));
}

test('every single deviation that gives the same bytes is listed', () => {
  const drawn = { ...plain, body: `${plain.body}&z=1&z=1` };
  const made = [deviationOf('copies-dropped')];
  const singles = deviations.map((one) => [one]);
  const all = sameAs(drawn, made, singles);
  expect(all.length).toBeGreaterThan(2);
  const found = autopsy(signWith(drawn, made), drawn);
  expect(namesOf(found).sort()).toEqual(all.sort());
});

test('every pair that gives the same bytes is listed', { tag: '@all' }, () => {
  // Six orders put a capital after the credentials, and four encoders leave parentheses bare.
  const drawn = { ...plain, body: 'Z=%281%29' };
  const made = [deviationOf('parentheses-left-bare'), deviationOf('not-sorted')];
  const pairs = deviations.flatMap((one, at) => deviations.slice(at + 1).map((other) => [one, other]));
  const all = sameAs(drawn, made, pairs.filter(canCombine));
  expect(all.length).toBeGreaterThanOrEqual(24);
  const found = autopsy(signWith(drawn, made), drawn, { limits: { depth: 2 } });
  expect(namesOf(found).sort()).toEqual(all.sort());
});

test('a consumer key that arrives as it was issued shows that the header was not encoded twice', () => {
  const [, ...others] = plain.credentials;
  const drawn = { ...plain, credentials: [['oauth_consumer_key', 'shop%41'], ...others] } as Draft;
  const request = signWith(drawn, [deviationOf('values-decoded-once-more')]);
  const twice = 'header-values-encoded-twice';
  expect(namesOf(autopsy(request, drawn))).toContain(twice);
  expect(namesOf(autopsy(request, { ...drawn, consumerKey: 'shopA' }))).toContain(twice);
  const found = namesOf(autopsy(request, { ...drawn, consumerKey: 'shop%41' }));
  expect(found).toContain('values-decoded-once-more');
  expect(found).not.toContain(twice);
});

test('if only the signature needs escapes, both possible deviations are named', () => {
  const twice = (drawn: Draft) => {
    const sent = credentialOf(signWith(drawn, []), 'oauth_signature')!;
    const header = headerOf([...drawn.credentials, ['oauth_signature', encodeURIComponent(sent)]], undefined, false);
    return namesOf(autopsy(wire(drawn, header), drawn));
  };
  expect(twice(plain)).toEqual(['signature-escaped-before-header', 'header-values-encoded-twice']);
  const reserved = plain.credentials.map(([name, value]) => [name, name === 'oauth_nonce' ? 'n/1' : value] as const);
  expect(twice({ ...plain, credentials: reserved })).toEqual(['signature-escaped-before-header']);
});
