/** Judges of the signature: its bytes, its method, and the signed URI (section 5; RFC 5849 sections 3.4 and 3.5). */
import { constants, type KeyObject, publicDecrypt } from 'node:crypto';
import { type Operation, operations } from '../../../contracts/operations.ts';
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
  /** The signature in canonical base64. Absent if it has no bytes. */
  readonly repaired?: string;
  /** The fault of the base64 text. Percent-encoding is ignored. */
  readonly fault?: string;
}

function readSignature(value: string): SignatureText {
  let text = decodeRepeatedly(value);
  if (/^(?:[0-9a-f]{2}){20,}$/i.test(text) && isHexSize(text.length)) {
    return { repaired: Buffer.from(text, 'hex').toString('base64'), fault: 'hexadecimal text' };
  }
  let fault: string | undefined;
  if (/[\r\n]/.test(text)) fault = 'a line break';
  else if (/\s/.test(text)) fault = /[^\S ]/.test(text) ? 'white space' : 'a space';
  // A + that was not escaped arrives as a space, so turn spaces into + again.
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

/** The algorithm of the signature, if it certainly differs from the algorithm of the key. */
function otherAlgorithm(signature: string, key: VerifyingKey): string | undefined {
  const bytes = Buffer.from(signature, 'base64');
  if (key.method === 'HMAC-SHA1') {
    if (bytes.length >= 128) return `a signature of ${bytes.length} bytes, as RSA makes`;
    const hash = { 16: 'MD5', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' }[bytes.length];
    return hash && `a signature of ${bytes.length} bytes, as HMAC with ${hash} makes`;
  }
  if (bytes.length <= 64) return `a signature of ${bytes.length} bytes, as an HMAC makes`;
  const block = paddedBlock(bytes, key.publicKey);
  const found = digests.find(({ prefix }) => block.includes(prefix));
  return found && `RSA with ${found.name}`;
}

/** True if HMACs or RSA signatures usually have this number of hexadecimal digits. */
function isHexSize(digits: number): boolean {
  return digits === 40 || digits === 64 || digits === 128 || digits >= 256;
}

/** The signature inside the base64 text, if its bytes are hexadecimal or base64 text themselves. */
function innerText(bytes: Buffer): SignatureText | undefined {
  const text = bytes.toString('latin1');
  if (/^[0-9a-f]+$/i.test(text) && isHexSize(text.length)) {
    return { repaired: Buffer.from(text, 'hex').toString('base64'), fault: 'base64 of hexadecimal text' };
  }
  const canonical = Buffer.from(text, 'base64').toString('base64') === text;
  return canonical && text.length >= 28 ? { repaired: text, fault: 'base64 of base64' } : undefined;
}

/** DigestInfo prefixes of other digests than SHA-256 in a PKCS#1 v1.5 block (RFC 8017 section 9.2). */
const digests = [
  { name: 'SHA-1', prefix: '3021300906052b0e03021a05000414' },
  { name: 'SHA-384', prefix: '3041300d060960864801650304020205000430' },
  { name: 'SHA-512', prefix: '3051300d060960864801650304020305000440' },
  { name: 'MD5', prefix: '3020300c06082a864886f70d020505000410' },
];

/** The padded block inside an RSA signature, in hexadecimal. Empty if the signature is longer than the key. */
function paddedBlock(signature: Buffer, key: KeyObject): string {
  // Some libraries drop leading zeros of a signature, or add one, so give it the length of the key.
  const digits = Math.ceil(key.asymmetricKeyDetails!.modulusLength! / 8) * 2;
  const number = signature
    .toString('hex')
    .replace(/^(?:00)+/, '')
    .padStart(digits, '0');
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, Buffer.from(number, 'hex')).toString('hex');
  } catch {
    return '';
  }
}

export const signatureJudges = {
  'authentication/close-day-method': signatureMethodOf('close-day'),
  'authentication/recurring-method': signatureMethodOf('process-recurring-payments'),
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
      if (signed.kind === 'no key') return inconclusive('no key to verify with', 'configuration');
      if (signed.kind === 'unknown') return null;
      const { base, key, signature } = signed;
      const over = base.length > 600 ? `${base.slice(0, 600)}…` : base;
      const expected = key.method === 'HMAC-SHA1' ? sign(base, key) : `a signature by ${key.method}`;
      return fail(`${expected} over ${over}`, otherAlgorithm(signature, key) ?? signature);
    },
    { body: true, address: true },
  ),
  'authentication/uri-host-case': uriRule('host-case', (wire) =>
    authoritiesOf(wire).some((authority) => authority !== authority.toLowerCase()),
  ),
  'authentication/uri-default-port': uriRule('default-port', (wire) =>
    authoritiesOf(wire).some((authority) =>
      authority.endsWith(wire.exchange.request.scheme === 'https' ? ':443' : ':80'),
    ),
  ),
  'authentication/uri-port': uriRule('port', (_, uri) => /^\w+:\/\/[^/]*:\d+(?:\/|$)/.test(uri)),
} satisfies ClientJudges;

/** The host and port in the base URL, and the host and port that were sent. */
function authoritiesOf({ testCase: { call }, exchange }: WireCase): readonly string[] {
  return [call.asked === undefined ? '' : splitBaseUrl(call.asked.baseUrl).authority, exchange.request.host];
}

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

/** Fails if the signature verifies only with a URI that breaks the rule. No finding if this request cannot break the rule. */
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
  | { readonly kind: 'no key' }
  /** The signature cannot be verified, for a reason that another judge reports. */
  | { readonly kind: 'unknown' };

function signedBy(wire: WireCase): Signed {
  const { keysOf } = wire.judgeInput;
  const known = verified(wire.exchange);
  const signed = known.get(keysOf) ?? verify(wire);
  known.set(keysOf, signed);
  return signed;
}

/** One result for each function `keysOf`, because a record may be judged with and without keys. */
const verified = memoizeLast((_: WireCase['exchange']) => new Map<WireCase['judgeInput']['keysOf'], Signed>());

function verify(wire: WireCase): Signed {
  const { reading, judgeInput, exchange } = wire;
  const text = parameter(reading, 'oauth_signature');
  const consumer = consumerKeyOf(wire);
  const method = methodOf(wire);
  if (text === undefined || method === undefined) return { kind: 'unknown' };
  const issued = consumer?.issued ?? wire.testCase.call.asked?.consumerKey;
  const keys = issued === undefined ? undefined : judgeInput.keysOf(issued);
  const key = keys?.find((one) => one.method === method);
  if (key === undefined) return { kind: issued === undefined ? 'unknown' : 'no key' };
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
  const deviation = uriDeviations(wire, uri).find((candidate) => fits(candidate.uri));
  if (deviation !== undefined) return { kind: 'verified', uri, deviation };
  return { kind: 'wrong', base: baseString(exchange.request.method, uri, sets[0]!), signature, key };
}

/** The announced method in upper case. If the header announces no method, the method of the operation. */
function methodOf({ testCase, reading }: WireCase): SignatureMethod | undefined {
  const announced = parameter(reading, 'oauth_signature_method')?.toUpperCase();
  if (announced === undefined) return operations[testCase.label.operation].signatureMethod;
  return announced === 'HMAC-SHA1' || announced === 'RSA-SHA256' ? announced : undefined;
}

/** Parameters that the client may have signed: first as sent, then without the faults that other judges report. */
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
  // A value may have changed after signing. The judge of its field reports that, so also try the values of the input.
  const given = input && buildCloseDay({ ...input, ...unfaultedTotals(input, pairs) });
  const isOther = given?.length !== outside.length || !samePairs(sorted(given), sorted(outside));
  if (given !== undefined && isOther) sets.push(given);
  return sets;
}

/** Totals in another notation than in the input. Their judges accept them, so the signature must cover them as sent. */
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

/** If the record lacks the called address, other possible addresses: another scheme, no port, or a forwarded host. */
function otherAddresses({ testCase, exchange: { request } }: WireCase, uri: string): string[] {
  if (!lacks(testCase.call, 'address')) return [];
  const path = uri.replace(/^\w+:\/\/[^/]*/, '');
  const forwarded = headerValues(request.headers, 'x-forwarded-host').flatMap((hosts) => hosts.split(/[ ,]+/, 1));
  const hosts = [request.host, ...forwarded].flatMap((host) => [host, host.replace(/:\d+$/, '')]);
  return hosts.flatMap((host) => ['https', 'http'].map((scheme) => `${scheme}://${host.toLowerCase()}${path}`));
}

/** Wrong URIs that the client may have signed. Each breaks one rule of RFC 5849 section 3.4.1.2. */
function uriDeviations(wire: WireCase, uri: string): { is: UriDeviation; uri: string }[] {
  const [, scheme = '', authority = '', path = ''] = /^(\w+):\/\/([^/]*)(.*)$/s.exec(uri)!;
  const deviations = authoritiesOf(wire)
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
