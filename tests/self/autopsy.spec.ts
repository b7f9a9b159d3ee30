/**
 * The autopsy names what a client does wrong, exactly, and nothing else: deviations, pairs, right requests and junk,
 * all drawn by seed.
 */
import { createHash, type KeyObject, sign as signBytes } from 'node:crypto';
import { type AutopsyKeys, autopsy } from '../../src/autopsy/autopsy.ts';
import { credentialOf } from '../../src/autopsy/facts.ts';
import { deviations } from '../../src/autopsy/index.ts';
import { canCombine, type Deviation } from '../../src/deviations/deviation.ts';
import { decodeForm, type SignatureMethod, signRequest, type WireRequest } from '../../src/protocol/index.ts';
import { expect, test } from '../engine.ts';
import { shopKeys } from '../keys/index.ts';
import {
  type Choice,
  choiceOf,
  type Draft,
  drawRequest,
  headerOf,
  signatureText,
  signWith,
  trapRequests,
} from '../unit/autopsy/drawn.ts';

const methods: readonly SignatureMethod[] = ['HMAC-SHA1', 'RSA-SHA256'];
const pairsOnly = { limits: { depth: 2 } };

/**
 * What only one of the methods can show: an RSA signature has no shared key in it, and an HMAC is too short for lines.
 */
const onlyHmac = new Set(['key-and-text-swapped', 'hash-of-key-and-text', 'hash-of-text-and-key', 'hash-without-key']);
const onlyRsa = new Set([
  'signature-wrapped',
  'hmac-instead-of-rsa',
  'pss-padding',
  'digest-info-missing',
  'hash-sha1',
  'signed-as-hmac-sha1',
]);
const notWithRsa = new Set(['rsa-instead-of-hmac', 'plaintext-signature', 'hash-sha256', 'signed-as-rsa-sha256']);

/** Deviations that show only with another one. */
const combinedOnly = new Set(['wrong-encoder-in-parameters-only', 'wrong-encoder-in-base-string-only']);

function applies({ id, stage }: Deviation, method: SignatureMethod): boolean {
  if (combinedOnly.has(id)) return false;
  if (method === 'HMAC-SHA1') return !onlyRsa.has(id);
  return stage !== 'key' && !onlyHmac.has(id) && !notWithRsa.has(id);
}

for (const method of methods) {
  for (const [which, seed, step, tag] of [
    ['one deviation in fifteen', 11, 15, []],
    ['each deviation', 11, 1, ['@all']],
  ] as const) {
    test(`${which} of a client that signs with ${method} is named exactly, seed ${seed}`, { tag: [...tag] }, () => {
      const choice = choiceOf(seed);
      const keys = shopKeys;
      const requests = trapRequests(choice, method);
      const problems: string[] = [];
      for (const deviation of deviations.filter((one, at) => at % step === 0 && applies(one, method))) {
        const first = requests.some((draft) => {
          const request = signWith(draft, [deviation], keys.privateKey);
          const found = autopsy(request, keysOf(draft, keys.publicKey), { limits: { depth: 1 } });
          if (found.signature === 'wrong' && !allNames(found).includes(deviation.id)) {
            problems.push(`${deviation.id} was called ${allNames(found)}`);
          }
          return names(found.deviations.map(({ id }) => id)) === deviation.id;
        });
        if (!first) problems.push(`${deviation.id} is nowhere named first`);
      }
      expect(problems).toEqual([]);
    });
  }
}

for (const [seed, wantedPairs, tag] of [
  [20, 2, []],
  [21, 75, ['@all']],
] as const) {
  test(`${wantedPairs} random pairs of deviations are named exactly, seed ${seed}`, { tag: [...tag] }, () => {
    const choice = choiceOf(seed);
    const keys = shopKeys;
    const problems: string[] = [];
    for (let count = 0; count < wantedPairs; ) {
      // Without a shared secret there are fewer pairs, and the search for them is shorter.
      const method = choice.below(3) === 0 ? 'HMAC-SHA1' : 'RSA-SHA256';
      const draft = choice.below(12) === 0 ? choice.pick(trapRequests(choice, method)) : drawRequest(choice, method);
      const pair = drawPair(draft, choice);
      if (pair === undefined) continue;
      const request = signWith(draft, pair, keys.privateKey);
      const found = autopsy(request, keysOf(draft, keys.publicKey), pairsOnly);
      if (hasSameEffect(found, draft, request, keys.privateKey)) continue;
      count += 1;
      const expected = names(pair.map(({ id }) => id));
      if (!allNames(found).includes(expected)) problems.push(`${expected} was called ${allNames(found).join(' | ')}`);
    }
    expect(problems).toEqual([]);
  });
}

for (const [seed, requests, tag] of [
  [30, 100, []],
  [31, 1_000, ['@all']],
] as const) {
  test(`${requests} random right signatures are called right, seed ${seed}`, { tag: [...tag] }, () => {
    const choice = choiceOf(seed);
    const keys = shopKeys;
    const problems: string[] = [];
    for (let count = 0; count < requests; count += 1) {
      const draft = drawRequest(choice, count % 4 === 0 ? 'RSA-SHA256' : 'HMAC-SHA1');
      const found = autopsy(rightRequest(draft, choice, keys.privateKey), keysOf(draft, keys.publicKey));
      if (found.signature !== 'right' || found.deviations.length > 0)
        problems.push(`${JSON.stringify(draft)}: ${allNames(found)}`);
    }
    expect(problems).toEqual([]);
  });
}

for (const [seed, requests, tag] of [
  [40, 2, []],
  [41, 50, ['@all']],
  [42, 500, ['@all']],
] as const) {
  test(`${requests} requests that are signed with junk get no name, seed ${seed}`, { tag: [...tag] }, () => {
    const choice = choiceOf(seed);
    const keys = shopKeys;
    let falseNames = 0;
    for (let count = 0; count < requests; count += 1) {
      const method = count % 2 === 0 ? 'HMAC-SHA1' : 'RSA-SHA256';
      // Sixteen thousand spellings of a host that has letters would take most of the time.
      const host = requests > 50 ? { host: '127.0.0.1:3000' } : {};
      const draft = { ...drawRequest(choice, method), ...host };
      const junk = [['oauth_signature', junkFor(method, choice, keys.privateKey)] as const];
      const header = headerOf([...draft.credentials, ...junk], draft.realm, false);
      // Where there is nothing to be found the search is longest: to full depth it goes on one in fifty, through pairs
      // on five.
      const options =
        count % 50 === 0 && requests === 50
          ? { limits: { deepSets: 20_000 } }
          : { limits: { depth: count % 9 === 0 && requests <= 50 ? 2 : 1 } };
      const found = autopsy(withHeader(draft, header), keysOf(draft, keys.publicKey), options);
      if (found.verified || found.deviations.length > 0) falseNames += 1;
    }
    const rate = `${falseNames} of ${requests} junk signatures named, seed ${seed}`;
    test.info().annotations.push({ type: 'measured: false-naming rate', description: rate });
    expect(falseNames, rate).toBe(0);
  });
}

function keysOf({ consumerSecret, tokenSecret }: Draft, publicKey: KeyObject): AutopsyKeys {
  return { consumerSecret, tokenSecret, publicKey };
}

function names(ids: readonly string[]): string {
  return [...ids].sort().join(' + ');
}

/** The named set of deviations, and its alternatives. */
function allNames(found: ReturnType<typeof autopsy>): string[] {
  return [found.deviations.map(({ id }) => id), ...(found.alternatives ?? [])].map(names);
}

/** Two deviations that both change the signature of this request. Undefined if the draw has no such pair. */
function drawPair(draft: Draft, choice: Choice): Deviation[] | undefined {
  const pair = [choice.pick(deviations), choice.pick(deviations)];
  const [first, second] = pair as [Deviation, Deviation];
  const fromSignature = pair.filter(({ change }) => Object.keys(change).length === 0);
  if (first === second || !canCombine(pair) || fromSignature.length > 1) return undefined;
  // A signature that is the key itself shows nothing of the rest, and one with PSS padding is another one each time.
  if (pair.some(({ id }) => id === 'plaintext-signature' || id === 'pss-padding')) return undefined;
  const request = signWith(draft, pair);
  const [both, ...fewer] = [pair, [first], [second], []].map((set) => signatureText(draft, request, set));
  return fewer.includes(both!) ? undefined : pair;
}

/** True if one named deviation gives this signature: some pairs have the effect of one deviation. */
function hasSameEffect(
  found: ReturnType<typeof autopsy>,
  draft: Draft,
  request: WireRequest,
  privateKey: KeyObject,
): boolean {
  if (found.deviations.length !== 1) return false;
  const matches = deviations.filter(({ id }) => id === found.deviations[0]!.id);
  return credentialOf(request, 'oauth_signature') === signatureText(draft, request, matches, privateKey);
}

/** Signed by the protocol layer, which knows nothing of deviations. */
function rightRequest(draft: Draft, choice: Choice, privateKey: KeyObject): WireRequest {
  const credential = new Map(draft.credentials);
  const token = credential.get('oauth_token');
  const { authorization } = signRequest(
    { ...draft, body: decodeForm(draft.body) },
    {
      consumerKey: credential.get('oauth_consumer_key')!,
      key:
        credential.get('oauth_signature_method') === 'RSA-SHA256'
          ? { method: 'RSA-SHA256', privateKey }
          : { method: 'HMAC-SHA1', consumerSecret: draft.consumerSecret, tokenSecret: draft.tokenSecret },
    },
    { timestamp: credential.get('oauth_timestamp')!, nonce: choice.word(10) },
    {
      ...(draft.realm === undefined ? {} : { realm: draft.realm }),
      ...(token === undefined ? {} : { extra: [['oauth_token', token]] }),
    },
  );
  return withHeader(draft, authorization);
}

function withHeader(draft: Draft, authorization: string): WireRequest {
  const { method, scheme, host, target, body, contentType } = draft;
  const headers = Object.entries({ 'Content-Type': contentType, Authorization: authorization });
  return { method, scheme, host, target, headers, body: Buffer.from(body) };
}

/** Random bytes as long as a signature, signatures of other texts, and other texts in place of a signature. */
function junkFor(method: SignatureMethod, choice: Choice, privateKey: KeyObject): string {
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => choice.below(256)));
  switch (choice.below(6)) {
    case 0:
      return choice.word(1 + choice.below(60));
    case 1:
      return bytes(choice.pick([16, 20, 32, 64])).toString(choice.pick(['hex', 'base64', 'base64url']));
    case 2:
      return createHash('sha1').update(choice.word(9)).digest('base64');
    default:
      if (method === 'HMAC-SHA1') return bytes(20).toString('base64');
      return (choice.below(3) === 0 ? bytes(256) : signBytes('sha256', bytes(50), privateKey)).toString('base64');
  }
}
