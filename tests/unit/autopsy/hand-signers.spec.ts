/** The signer of the autopsy computes the same as clients written by hand, which share no code with it. */

import { createHash, createHmac } from 'node:crypto';
import { readEvidence } from '../../../src/autopsy/facts.ts';
import { deviationOf } from '../../../src/autopsy/index.ts';
import { candidatesFor } from '../../../src/deviations/candidates.ts';
import { canCombine } from '../../../src/deviations/deviation.ts';
import type { DeviationId } from '../../../src/deviations/index.ts';
import { expect, test } from '../../engine.ts';
import { plainRequest, wire } from './drawn.ts';

interface Parameter {
  readonly source: 'header' | 'query' | 'body';
  readonly name: string;
  readonly value: string;
}

type Text = (text: string) => string;
type Encoded = readonly [name: string, value: string];

/** The steps of RFC 5849 section 3.4, in their order. */
interface Steps {
  readonly list: (sent: readonly Parameter[]) => readonly Parameter[];
  /** Encodes names and values. */
  readonly inner: Text;
  readonly encodeName: (inner: Text) => Text;
  readonly encodeValue: (inner: Text, parameter: Parameter) => Text;
  readonly before: (a: Parameter, b: Parameter, encoded: (one: Parameter) => Encoded) => number;
  readonly pair: (name: string, value: string, equals: string) => string;
  readonly end: (ampersand: string) => string;
  /** `written` joins the encoded pairs, each text changed by `part`. */
  readonly sealed: (written: (part: Text, equals: string, ampersand: string) => string, outer: Text) => string;
  /** Encodes the parts of the base string. */
  readonly outer: Text;
  readonly uri: Text;
  readonly toUri: (outer: Text) => Text;
  readonly method: Text;
  readonly whole: (base: string, outer: Text) => string;
  readonly secret: Text;
  readonly key: (consumer: string, token: string, secret: Text) => string;
  readonly mac: (key: string, base: string) => Buffer;
}

const rfc3986: Text = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const textOrder = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const right: Steps = {
  list: (sent) => sent,
  inner: rfc3986,
  encodeName: (inner) => inner,
  encodeValue: (inner) => inner,
  before: (a, b, encoded) => {
    const [[nameA, valueA], [nameB, valueB]] = [encoded(a), encoded(b)];
    return textOrder(nameA, nameB) || textOrder(valueA, valueB);
  },
  pair: (name, value, equals) => name + equals + value,
  end: () => '',
  sealed: (written, outer) => outer(written((text) => text, '=', '&')),
  outer: rfc3986,
  uri: (uri) => uri,
  toUri: (outer) => outer,
  method: (method) => method,
  whole: (base) => base,
  secret: rfc3986,
  key: (consumer, token, secret) => `${secret(consumer)}&${secret(token)}`,
  mac: (key, base) => createHmac('sha1', key).update(base).digest(),
};

type Change = (steps: Steps) => Partial<Steps>;

/** Changes the encoder wherever it is used. */
const withEncoder =
  (change: (before: Text) => Text): Change =>
  ({ inner, outer, secret }) => ({ inner: change(inner), outer: change(outer), secret: change(secret) });
const leaveBare = (escapes: RegExp): Change =>
  withEncoder((before) => (text) => before(text).replace(escapes, decodeURIComponent));
const escaped = (characters: RegExp): Change =>
  withEncoder(
    (before) => (text) => before(text).replace(characters, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
  );
const perCharacter = (of: (character: string) => string | undefined): Change =>
  withEncoder((before) => (text) => [...text].map((one) => of(one) ?? before(one)).join(''));
const lowerCase =
  (before: Text): Text =>
  (text) =>
    before(text).replace(/%../g, (found) => found.toLowerCase());
const withList =
  (change: Steps['list']): Change =>
  ({ list }) => ({ list: (sent) => change(list(sent)) });
const mapAll = (change: (one: Parameter) => Parameter): Change => withList((all) => all.map(change));
/** Signs an empty credential, which is not sent. */
const signing = (name: string): Change =>
  withList((all) => {
    const isSent = ({ source }: Parameter) => source === 'header';
    return [...all.filter(isSent), { source: 'header', name, value: '' }, ...all.filter((one) => !isSent(one))];
  });
const sorting =
  (before: Steps['before']): Change =>
  () => ({ before });
const uriAs =
  (change: Text): Change =>
  ({ uri }) => ({ uri: (right) => change(uri(right)) });
const changeValue = (change: Text): Change =>
  mapAll((one) => (one.source === 'header' ? one : { ...one, value: change(one.value) }));

const secretAs =
  (change: Text): Change =>
  ({ key }) => ({ key: (consumer, token, secret) => key(change(consumer), token, secret) });

/** Some deviations of each stage, in the order in which a client does them. */
const handSigned: Readonly<Record<string, Change>> = {
  'values-trimmed': changeValue((value) => value.trim()),
  'spaces-merged': changeValue((value) => value.replace(/ +/g, ' ')),
  'crlf-after-signing': changeValue((value) => value.replaceAll('\r\n', '\n')),
  'payload-signed-unpadded': mapAll((one) =>
    one.name === 'payload' ? { ...one, value: one.value.replace(/=+$/, '') } : one,
  ),
  'names-lower-cased': mapAll((one) => (one.source === 'header' ? one : { ...one, name: one.name.toLowerCase() })),
  'body-left-out': withList((all) => all.filter(({ source }) => source !== 'body')),
  'body-counted-twice': withList((all) => [...all, ...all.filter(({ source }) => source === 'body')]),
  'query-left-out': withList((all) => all.filter(({ source }) => source !== 'query')),
  'oauth-parameters-counted-twice': withList((all) => [...all.filter(({ source }) => source === 'header'), ...all]),
  'version-left-out-of-base-string': withList((all) => all.filter(({ name }) => name !== 'oauth_version')),
  'signature-included': signing('oauth_signature'),
  'empty-token-signed': signing('oauth_token'),
  'timestamp-one-second-later': mapAll((one) =>
    one.name === 'oauth_timestamp' ? { ...one, value: String(Number(one.value) + 1) } : one,
  ),
  'duplicates-collapsed-last': withList((all) =>
    all.filter(({ name }, at) => !all.slice(at + 1).some((later) => later.name === name)),
  ),
  'duplicates-joined-by-comma': withList((all) =>
    all.flatMap((one, at) => {
      const same = all.filter(({ name }) => name === one.name);
      const isFirst = all.findIndex(({ name }) => name === one.name) === at;
      return isFirst ? [{ ...one, value: same.map(({ value }) => value).join() }] : [];
    }),
  ),
  'copies-dropped': withList((all) =>
    all.filter(({ name, value }, at) => all.findIndex((one) => one.name === name && one.value === value) === at),
  ),
  'empty-values-left-out': withList((all) => all.filter(({ value }) => value !== '')),
  'latin-1': perCharacter((one) => {
    const code = one.codePointAt(0)!;
    return code < 0x80 ? undefined : code > 0xff ? '%3F' : `%${code.toString(16).toUpperCase()}`;
  }),
  'non-ascii-as-question-mark': perCharacter((one) => (one > '\x7f' ? '%3F' : undefined)),
  'non-ascii-left-bare': perCharacter((one) => (one > '\x7f' ? one : undefined)),
  'space-as-plus': withEncoder((before) => (text) => before(text).replaceAll('%20', '+')),
  'sub-delims-left-bare': leaveBare(/%(?:2[1789A])/g),
  'slash-left-bare': leaveBare(/%2F/g),
  'reserved-left-bare': leaveBare(/%(?:3B|2C|2F|3F|3A|40|26|3D|2B|24|23)/g),
  'tilde-encoded': escaped(/~/g),
  'unreserved-encoded': escaped(/[-._~]/g),
  'lower-case-hex': withEncoder(lowerCase),
  'lower-case-hex-in-parameters': ({ inner, secret }) => ({ inner: lowerCase(inner), secret: lowerCase(secret) }),
  'lower-case-hex-outside': ({ outer }) => ({ outer: lowerCase(outer) }),
  'wrong-encoder-in-parameters-only': () => ({ outer: rfc3986, secret: rfc3986 }),
  'wrong-encoder-in-base-string-only': () => ({ secret: rfc3986 }),
  'values-not-encoded': () => ({ encodeName: () => (text) => text, encodeValue: () => (text) => text }),
  'encoded-once-too-often': () => ({
    encodeName: (inner) => (text) => inner(inner(text)),
    encodeValue: (inner) => (text) => inner(inner(text)),
  }),
  'names-not-encoded': () => ({ encodeName: () => (text) => text }),
  'header-value-not-encoded': ({ encodeValue }) => ({
    encodeValue: (inner, one) => (one.source === 'header' ? (text) => text : encodeValue(inner, one)),
  }),
  'not-sorted': sorting(() => 0),
  'not-sorted-query-first': sorting((a, b) => 'qhb'.indexOf(a.source[0]!) - 'qhb'.indexOf(b.source[0]!)),
  'sorted-case-insensitively': sorting((a, b, encoded) =>
    right.before(a, b, (one) => [encoded(one)[0].toLowerCase(), encoded(one)[1].toLowerCase()]),
  ),
  'sorted-before-encoding': sorting((a, b) => textOrder(a.name, b.name) || textOrder(a.value, b.value)),
  'sorted-as-joined': sorting((a, b, encoded) => textOrder(encoded(a).join('='), encoded(b).join('='))),
  'sorted-by-key-only': sorting((a, b, encoded) => textOrder(encoded(a)[0], encoded(b)[0])),
  'sorted-descending': sorting((a, b, encoded) => right.before(b, a, encoded)),
  'empty-values-without-equals': () => ({ pair: (name, value, sign) => (value === '' ? name : name + sign + value) }),
  'joined-string-not-encoded': () => ({ sealed: (written) => written((text) => text, '=', '&') }),
  'separators-left-bare': () => ({ sealed: (written, outer) => written(outer, '=', '&') }),
  'joined-string-encoded-twice': () => ({ sealed: (written, outer) => outer(outer(written((one) => one, '=', '&'))) }),
  'trailing-ampersand': () => ({ end: (ampersand) => ampersand }),
  'base-string-lower-cased': () => ({ whole: (base) => base.toLowerCase() }),
  'base-string-encoded-again': () => ({ whole: (base, outer) => outer(base) }),
  'host-case-kept': uriAs((uri) => uri.replace('gate.example.com', 'Gate.Example.com')),
  'port-left-out': uriAs((uri) => uri.replace(':44380', '')),
  'scheme-http': uriAs((uri) => uri.replace(/^https/i, 'http')),
  'path-lower-cased': uriAs((uri) => uri.replace('/Pay%20net/', '/pay%20net/')),
  'path-decoded': uriAs(decodeURIComponent),
  'path-encoded-again': uriAs((uri) => uri.replaceAll('%', '%25')),
  'path-tilde-escaped': uriAs((uri) => uri.replace('~', '%7E')),
  'path-delimiters-escaped': uriAs((uri) => uri.replace('@(1)', '%40%281%29')),
  'double-slashes-merged': uriAs((uri) => uri.replace('net//', 'net/')),
  'port-cut': uriAs((uri) => uri.replace(':443', '')),
  'last-path-segment-left-out': uriAs((uri) => uri.replace(/\/1111(?=\/|$)/, '')),
  'trailing-slash-added': uriAs((uri) => `${uri}/`),
  'port-after-path': uriAs((uri) => uri.replace(/(:44380)(.*)/, '$2$1')),
  'query-kept-in-uri': ({ list, uri }) => ({
    list: (all) => list(all).filter(({ source }) => source !== 'query'),
    uri: (right) => `${uri(right)}?${form(query)}`,
  }),
  'uri-with-trailing-space': uriAs((uri) => `${uri} `),
  'uri-not-encoded': () => ({ toUri: () => (uri) => uri }),
  'uri-encoded-twice': () => ({ toUri: (outer) => (uri) => outer(outer(uri)) }),
  'method-lower-case': () => ({ method: (method) => method.toLowerCase() }),
  'method-signed-as-get': () => ({ method: () => 'GET' }),
  'no-ampersand-in-key': () => ({ key: (consumer, token, secret) => secret(consumer) + secret(token) }),
  'secrets-swapped': () => ({ key: (consumer, token, secret) => `${secret(token)}&${secret(consumer)}` }),
  'secret-missing': () => ({ key: () => '&' }),
  'secret-not-encoded': () => ({ secret: (text) => text }),
  'secret-with-newline': secretAs((secret) => `${secret}\n`),
  'secret-lower-cased': secretAs((secret) => secret.toLowerCase()),
  'secret-upper-cased': secretAs((secret) => secret.toUpperCase()),
  'key-and-text-swapped': () => ({ mac: (key, base) => createHmac('sha1', base).update(key).digest() }),
  'hash-without-key': () => ({ mac: (_, base) => createHash('sha1').update(base).digest() }),
  'hex-digest-signed': ({ mac }) => ({ mac: (key, base) => mac(key, createHash('sha1').update(base).digest('hex')) }),
  'base-string-with-newline': ({ mac }) => ({ mac: (key, base) => mac(key, `${base}\n`) }),
};

const ids = Object.keys(handSigned);

/** Base string, and HMAC in hex, of a client with these deviations. */
function signByHand(deviant: readonly string[]) {
  let steps = right;
  for (const id of ids) if (deviant.includes(id)) steps = { ...steps, ...handSigned[id]!(steps) };
  const encoded = (one: Parameter): Encoded => [
    steps.encodeName(steps.inner)(one.name),
    steps.encodeValue(steps.inner, one)(one.value),
  ];
  const pairs = steps
    .list(sent)
    .toSorted((a, b) => steps.before(a, b, encoded))
    .map(encoded);
  const written = (part: Text, equals: string, ampersand: string): string =>
    pairs.map(([name, value]) => steps.pair(part(name), part(value), equals)).join(ampersand) + steps.end(ampersand);
  const joined = [steps.method('POST'), steps.toUri(steps.outer)(steps.uri(uri)), steps.sealed(written, steps.outer)];
  const base = steps.whole(joined.join('&'), steps.outer);
  return { base, mac: steps.mac(steps.key(...secrets, steps.secret), base).toString('hex') };
}

const body = [
  ['payload', 'aGVsbG8='],
  ['Marks', "a!*'()b! ~ 1 0+4;,/?:@&=$#"],
  ['z', 'é漢'],
  ['z', 'z'],
  ['z', 'z'],
  ['a', ''],
  ['a-b', '%2f'],
  ['a_b', '  edge\r\nline '],
  ['count', '9'],
  ['count', '10'],
] as const;
const query = Object.entries({ q: '1 2+3', 'Q é': '/' });
const credentials = [
  ['oauth_consumer_key', 'shop &/é'],
  ['oauth_nonce', 'n0nce'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '1700000000'],
  ['oauth_version', '1.0'],
] as const;
const secrets = ["A secret: +&%!*'()~/é", 'token/secret'] as const;

const form = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
const from = (source: Parameter['source'], pairs: readonly (readonly [string, string])[]): Parameter[] =>
  pairs.map(([name, value]) => ({ source, name, value }));
const sent = [...from('header', credentials), ...from('query', query), ...from('body', body)];
const path = '/Pay%20net//x~@(1)/api/v2/close-day/1111';
const uri = `https://gate.example.com:44380${path}`;

const written = [...credentials, ['oauth_signature', 'AAAA'] as const].map(
  ([name, value]) => `${name}="${rfc3986(value)}"`,
);
const header = `OAuth ${written.join(', ')}`;
const request = { host: 'Gate.Example.com:44380', target: `${path}?${form(query)}`, body: form(body) };
const [consumerSecret, tokenSecret] = secrets;
const keys = { consumerKey: 'shop &/é', consumerSecret, tokenSecret };
const candidates = candidatesFor(readEvidence(wire({ ...plainRequest, ...request }, header)), keys);
const byAutopsy = (ids: readonly string[]) => {
  const set = ids.map((id) => deviationOf(id as DeviationId));
  return { base: candidates.baseString(set), mac: candidates.mac(set, 'sha1') };
};

const pairs = ids
  .flatMap((a, at) => ids.slice(at + 1).map((b) => [a, b] as const))
  .filter((pair) => canCombine(pair.map((id) => deviationOf(id as DeviationId))));

test('without a deviation both sign the same', () => {
  expect(byAutopsy([])).toEqual(signByHand([]));
});

test('each deviation made by hand changes a signature, alone or with another encoder', () => {
  const shows = (id: string, others: readonly string[]): boolean =>
    JSON.stringify(signByHand([id, ...others])) !== JSON.stringify(signByHand(others));
  expect(ids.filter((id) => !shows(id, []) && !shows(id, ['reserved-left-bare']))).toEqual([]);
});

for (const id of ids) {
  test(`a client with ${id} signs what the autopsy computes for it`, () => {
    expect(byAutopsy([id])).toEqual(signByHand([id]));
  });
}

test('a client with two deviations signs what the autopsy computes for both', () => {
  expect(pairs.length).toBeGreaterThan(1_000);
  expect(pairs.filter((pair) => JSON.stringify(byAutopsy(pair)) !== JSON.stringify(signByHand(pair)))).toEqual([]);
});
