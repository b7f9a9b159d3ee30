/** Judges of the signature: its bytes, its method, and the signed URI (section 5; RFC 5849 sections 3.4 and 3.5). */
import { type Area, type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import {
  baseString,
  baseStringUri,
  buildCloseDay,
  type CloseDayFields,
  closeDayFieldNames,
  decodeForm,
  formParameters,
  normalizeParameters,
  type Pair,
  type SignatureMethod,
  sign,
  type VerifyingKey,
  verifySignature,
} from '../../protocol/index.ts';
import { headerValues } from '../../record/exchange.ts';
import { lacks } from '../../record/har-entry.ts';
import { memoizeLast } from '../../record/memoize.ts';
import { type ClientJudges, fail, inconclusive, pass } from '../judge.ts';
import { consumerKeyOf } from './authorization.ts';
import { closeDayInput, isSameTotal, splitBaseUrl } from './inputs.ts';
import { decodeRepeatedly, parameter } from './reading.ts';
import { lacksBody, type WireCase, wireJudge } from './wire-judge.ts';

interface SignatureText {
  /** The signature in canonical base64; absent if it has no bytes. */
  readonly repaired?: string;
  /** The base64 fault. Percent-encoding is ignored. */
  readonly fault?: string;
}

function readSignature(value: string): SignatureText {
  let text = decodeRepeatedly(value);
  if (/^(?:[0-9a-f]{2}){20,}$/i.test(text) && isHexSize(text.length)) {
    return { repaired: Buffer.from(text, 'hex').toString('base64'), fault: 'hexadecimal text' };
  }
  let fault: string | undefined;
  if (/[\r\n]/.test(text)) fault = 'a line break';
  else if (/[^\S ]/.test(text)) fault = 'white space';
  // A form decoder read + as a space. The escape is at fault, and the bytes can be restored.
  else if (text.includes(' ')) fault = 'a space';
  text = text
    .replace(/[^\S ]/g, '')
    .trim()
    .replaceAll(' ', '+');
  if (/[-_]/.test(text)) {
    fault ??= 'the URL-safe alphabet';
    text = text.replaceAll('-', '+').replaceAll('_', '/');
  }
  if (/[^A-Za-z0-9+/=]/.test(text)) return { fault: fault ?? 'characters that are not base64' };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0) return { fault: fault ?? 'no bytes' };
  const canonical = bytes.toString('base64');
  if (canonical !== text) fault ??= 'text without its padding';
  const inner = innerText(bytes);
  return inner ?? { repaired: canonical, fault };
}

/** The algorithm that made the signature, if it is clearly not the one of the method. */
function otherAlgorithm(signature: string, key: VerifyingKey): string | undefined {
  const bytes = Buffer.from(signature, 'base64');
  if (key.method === 'HMAC-SHA1') {
    if (bytes.length >= 128) return `a signature of ${bytes.length} bytes, as RSA makes`;
    const hash = { 16: 'MD5', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' }[bytes.length];
    return hash && `a signature of ${bytes.length} bytes, as HMAC with ${hash} makes`;
  }
  if (bytes.length <= 64) return `a signature of ${bytes.length} bytes, as an HMAC makes`;
  const block = recovered(bytes, key);
  const found = block && digests.find(({ prefix }) => block.includes(prefix));
  return found && `RSA with ${found.name}`;
}

/** Usual lengths of HMACs and RSA signatures in hexadecimal digits. */
function isHexSize(digits: number): boolean {
  return digits === 40 || digits === 64 || digits === 128 || digits >= 256;
}

/** The signature text inside base64, if the bytes are hexadecimal or base64 text again. */
function innerText(bytes: Buffer): SignatureText | undefined {
  const text = bytes.toString('latin1');
  if (/^[0-9a-f]+$/i.test(text) && isHexSize(text.length)) {
    return { repaired: Buffer.from(text, 'hex').toString('base64'), fault: 'base64 of hexadecimal text' };
  }
  const canonical = Buffer.from(text, 'base64').toString('base64') === text;
  return canonical && text.length >= 28 ? { repaired: text, fault: 'base64 of base64' } : undefined;
}

/** DigestInfo prefixes of a PKCS#1 v1.5 block (RFC 8017 section 9.2), except SHA-256. */
const digests = [
  { name: 'SHA-1', prefix: '3021300906052b0e03021a05000414' },
  { name: 'SHA-384', prefix: '3041300d060960864801650304020205000430' },
  { name: 'SHA-512', prefix: '3051300d060960864801650304020305000440' },
  { name: 'MD5', prefix: '3020300c06082a864886f70d020505000410' },
];

/** The padded block of an RSA signature in hexadecimal: signature to the power of the public exponent. */
function recovered(bytes: Buffer, key: Extract<VerifyingKey, { method: 'RSA-SHA256' }>): string | undefined {
  const { n, e } = key.publicKey.export({ format: 'jwk' });
  if (n === undefined || e === undefined) return undefined;
  const modulus = numberOf(Buffer.from(n, 'base64url'));
  let exponent = numberOf(Buffer.from(e, 'base64url'));
  let power = numberOf(bytes) % modulus;
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * power) % modulus;
    power = (power * power) % modulus;
  }
  return result.toString(16);
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

/** Ignores case; undefined for an unknown method. */
function knownMethod(name: string): SignatureMethod | undefined {
  const upper = name.toUpperCase();
  return upper === 'HMAC-SHA1' || upper === 'RSA-SHA256' ? upper : undefined;
}

export const signatureJudges = {
  ...(Object.fromEntries(
    operationNames.map((operation) => [
      `authentication/${operations[operation].area}-method`,
      signatureMethodOf(operation),
    ]),
  ) as Record<`authentication/${Area}-method`, ReturnType<typeof signatureMethodOf>>),
  'authentication/signature-base64': wireJudge('both', ({ reading }) => {
    const sent = parameter(reading, 'oauth_signature');
    if (sent === undefined) return null;
    const { fault } = readSignature(sent);
    return fault === undefined ? pass() : fail('base64 of the signature, in one line', fault);
  }),
  'authentication/signature-verifies': wireJudge(
    'both',
    (wire) => {
      const signed = signedBy(wire);
      if (signed.kind === 'verified') return pass();
      if (signed.kind === 'unknown') {
        return signed.why === undefined ? null : inconclusive('no key to verify with', 'configuration');
      }
      const { base, key, signature } = signed;
      const other = otherAlgorithm(signature, key);
      const over = base.length > longest ? `${base.slice(0, longest)}…` : base;
      const expected = key.method === 'HMAC-SHA1' ? sign(base, key) : `a signature by ${key.method}`;
      return fail(`${expected} over ${over}`, other ?? signature);
    },
    { body: true, address: true },
  ),
  'authentication/uri-host-case': uriRule('host-case', ({ testCase: { call }, exchange }) =>
    [call.asked === undefined ? '' : splitBaseUrl(call.asked.baseUrl).authority, exchange.request.host].some(
      (authority) => authority !== authority.toLowerCase(),
    ),
  ),
  'authentication/uri-default-port': uriRule('default-port', ({ testCase, exchange: { request } }) => {
    const { asked } = testCase.call;
    const port = request.scheme === 'https' ? ':443' : ':80';
    return request.host.endsWith(port) || (asked !== undefined && splitBaseUrl(asked.baseUrl).authority.endsWith(port));
  }),
  'authentication/uri-port': uriRule('port', (_, uri) => /^\w+:\/\/[^/]*:\d+(?:\/|$)/.test(uri)),
} satisfies ClientJudges;

const longest = 600;

/** The header must announce the method of the operation, and the signature must not contradict it. */
function signatureMethodOf(operation: Operation) {
  return wireJudge(operation, (wire) => {
    const expected = operations[operation].signatureMethod;
    const announced = parameter(wire.reading, 'oauth_signature_method');
    if (announced === undefined) return null;
    if (announced !== expected) return fail(expected, announced);
    const signed = lacksBody(wire.testCase) ? undefined : signedBy(wire);
    const other = signed?.kind === 'wrong' ? otherAlgorithm(signed.signature, signed.key) : undefined;
    return other === undefined ? pass() : fail(expected, other);
  });
}

/** Fails if the signature verifies only with the URI that breaks the rule. Passes only if the request can break the rule. */
function uriRule(rule: UriDeviation, occasion: (wire: WireCase, uri: string) => boolean) {
  return wireJudge('both', (wire) => {
    const signed = lacksBody(wire.testCase) ? undefined : signedBy(wire);
    if (signed?.kind !== 'verified') return null;
    if (signed.deviation?.is === rule) return fail(signed.uri, signed.deviation.uri);
    return occasion(wire, signed.uri) ? pass() : null;
  });
}

type UriDeviation = 'host-case' | 'default-port' | 'port';

type Signed =
  | {
      readonly kind: 'verified';
      readonly uri: string;
      readonly deviation?: { readonly is: UriDeviation; readonly uri: string };
    }
  /** `base` is the base string of the request as sent. */
  | { readonly kind: 'wrong'; readonly base: string; readonly signature: string; readonly key: VerifyingKey }
  /** Not verifiable: another row reports the reason, except that of `why`. */
  | { readonly kind: 'unknown'; readonly why?: 'no keys' };

function signedBy(wire: WireCase): Signed {
  const { keysOf } = wire.question;
  const known = verified(wire.exchange);
  const signed = known.get(keysOf) ?? verify(wire);
  known.set(keysOf, signed);
  return signed;
}

/** Keyed by the source of the keys, because a record may be judged with and without keys. */
const verified = memoizeLast((_: WireCase['exchange']) => new Map<WireCase['question']['keysOf'], Signed>());

function verify(wire: WireCase): Signed {
  const { reading, question, exchange } = wire;
  const text = parameter(reading, 'oauth_signature');
  const consumer = consumerKeyOf(wire);
  const method = methodOf(wire);
  if (text === undefined || method === undefined) return { kind: 'unknown' };
  const issued = consumer?.issued ?? wire.testCase.call.asked?.consumerKey;
  const keys = issued === undefined ? undefined : question.keysOf(issued);
  const key = keys?.find((one) => one.method === method);
  if (key === undefined) return issued === undefined ? { kind: 'unknown' } : { kind: 'unknown', why: 'no keys' };
  const signature = readSignature(text).repaired;
  if (signature === undefined) return { kind: 'unknown' };

  const uri = uriOf(wire);
  if (uri === undefined) return { kind: 'unknown' };
  const sets = parameterSets(wire).map(normalizeParameters);
  const fits = (candidate: string) =>
    sets.some((normalized) =>
      verifySignature(baseString(exchange.request.method, candidate, normalized), signature, key),
    );
  const fitting = [uri, ...otherAddresses(wire, uri)].find(fits);
  if (fitting !== undefined) return { kind: 'verified', uri: fitting };
  const deviations = uriDeviations(wire, uri).filter((candidate) => fits(candidate.uri));
  if (deviations.length > 0) return { kind: 'verified', uri, deviation: deviations[0] };
  return { kind: 'wrong', base: baseString(exchange.request.method, uri, sets[0]!), signature, key };
}

function methodOf({ testCase, reading }: WireCase): SignatureMethod | undefined {
  const announced = parameter(reading, 'oauth_signature_method');
  return announced === undefined ? operations[testCase.label.operation].signatureMethod : knownMethod(announced);
}

/** Candidate parameters: first as sent, then repaired if another row reports a fault. */
function parameterSets(wire: WireCase): Pair[][] {
  const query = decodeForm(wire.reading.query);
  const bodies = bodySets(wire);
  return headerSets(wire).flatMap((header) => bodies.map((body) => [...query, ...header, ...body]));
}

function headerSets(wire: WireCase): Pair[][] {
  const sent = wire.reading
    .header!.parameters.filter(({ name }) => name.toLowerCase() !== 'realm' && name !== 'oauth_signature')
    .map(({ name, value }): Pair => [name, value]);
  const sets = [sent];
  const consumer = consumerKeyOf(wire);
  if (consumer !== undefined && consumer.sent !== consumer.issued) {
    sets.push(sent.map(([name, value]) => [name, name === 'oauth_consumer_key' ? consumer.issued : value]));
  }
  const foreign = sent.filter(([name]) => !name.startsWith('oauth_'));
  if (foreign.length > 0) sets.push(sent.filter((pair) => !foreign.includes(pair)));
  const once = sent.filter(([name], index) => sent.findIndex((pair) => pair[0] === name) === index);
  if (once.length < sent.length) sets.push(once);
  return sets;
}

function bodySets({ testCase, exchange, reading }: WireCase): Pair[][] {
  const sent = formParameters(exchange.request);
  const sets = [sent];
  const pairs = reading.form.pairs.map(({ name, value }): Pair => [name, value]);
  if (!samePairs(pairs, sent)) sets.push(pairs);
  const outside = pairs.filter(([name]) => !name.startsWith('oauth_'));
  if (outside.length < pairs.length) sets.push(outside);
  const { payload } = reading;
  if (payload !== undefined) {
    const repaired = [payload.unescaped, payload.sent.replaceAll('\r\n', '\n')].filter((text) => text !== payload.sent);
    for (const text of repaired) {
      sets.push(outside.map((pair): Pair => (pair[1] === payload.sent ? [pair[0], text] : pair)));
    }
  }
  const input = closeDayInput(testCase);
  // If a value changed after signing, its own row reports it, unless that row accepts the change.
  const given = input && buildCloseDay({ ...input, ...unfaultedTotals(input, pairs) });
  const isOther = given?.length !== outside.length || !samePairs(sorted(given), sorted(outside));
  if (given !== undefined && isOther) sets.push(given);
  return sets;
}

/** Totals as sent, if their own rows accept them: the signature must cover what is sent. */
function unfaultedTotals(input: CloseDayFields, pairs: readonly Pair[]): Partial<CloseDayFields> {
  const sent = closeDayFieldNames.map((name) => [name, pairs.find((pair) => pair[0] === name)?.[1]] as const);
  return Object.fromEntries(
    sent.filter(([name, value]) => name !== 'day_close_request_id' && isSameTotal(input[name], value)),
  );
}

function uriOf({ exchange }: WireCase): string | undefined {
  try {
    return baseStringUri(exchange.request);
  } catch {
    return undefined;
  }
}

/** Other addresses if the record does not preserve the called one: another scheme, no port, or the host that a proxy forwarded. */
function otherAddresses({ testCase, exchange: { request } }: WireCase, uri: string): string[] {
  if (!lacks(testCase.call, 'address')) return [];
  const path = uri.replace(/^\w+:\/\/[^/]*/, '');
  const forwarded = headerValues(request.headers, 'x-forwarded-host').flatMap((hosts) => hosts.split(/[ ,]+/, 1));
  const hosts = [request.host, ...forwarded].flatMap((host) => [host, host.replace(/:\d+$/, '')]);
  return hosts.flatMap((host) => ['https', 'http'].map((scheme) => `${scheme}://${host.toLowerCase()}${path}`));
}

/** The URI with one rule of RFC 5849 section 3.4.1.2 broken, if the request can break it. */
function uriDeviations({ testCase, exchange }: WireCase, uri: string): { is: UriDeviation; uri: string }[] {
  const [, scheme = '', authority = '', path = ''] = /^(\w+):\/\/([^/]*)(.*)$/s.exec(uri)!;
  const written = [
    testCase.call.asked === undefined ? '' : splitBaseUrl(testCase.call.asked.baseUrl).authority,
    exchange.request.host,
  ];
  const deviations = written
    .filter((one) => one !== one.toLowerCase())
    .map((one) => ({
      is: 'host-case' as const,
      uri: `${scheme}://${one.replace(/:(?:80|443)$/, (port) => (authority.endsWith(port) ? port : ''))}${path}`,
    }));
  const bare = authority.replace(/:\d+$/, '');
  return [
    ...deviations,
    bare === authority
      ? { is: 'default-port', uri: `${scheme}://${authority}${scheme === 'https' ? ':443' : ':80'}${path}` }
      : { is: 'port', uri: `${scheme}://${bare}${path}` },
  ];
}

function sorted(pairs: readonly Pair[]): Pair[] {
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function samePairs(a: readonly Pair[], b: readonly Pair[]): boolean {
  return a.length === b.length && a.every(([name, value], index) => name === b[index]![0] && value === b[index]![1]);
}
