/** Judges the Authorization header and its signature: section 5, with RFC 5849 sections 3.1, 3.4 and 3.5. */
import { constants, type KeyObject, publicDecrypt } from 'node:crypto';
import { type Operation, oauthParameters, operations } from '../../../contracts/operations.ts';
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
import type { ClientCase } from '../../record/case.ts';
import { headerValues } from '../../record/exchange.ts';
import { lacks } from '../../record/losses.ts';
import { memoizeLast } from '../../record/memoize.ts';
import { type ClientJudges, type Finding, fail, inconclusive, pass, passIf, type Verdict } from '../judge.ts';
import { closeDayInput, isSameTotal, splitBaseUrl } from './inputs.ts';
import { decodeLeniently, decodeRepeatedly, oddValue, parameter, type RequestReading, readHeader } from './reading.ts';
import { type WireCase, wireJudge } from './wire-judge.ts';

const headerJudges = {
  'authentication/header-scheme': wireJudge('both', ({ reading: { authorization, header } }) => {
    if (header === undefined || authorization[0]!.trim() === '') return null;
    if (authorization.length > 1)
      return fail('one Authorization header', `${authorization.length} Authorization headers`);
    if (!header.isOAuth) return fail('OAuth', header.scheme === '' ? 'a header without a scheme' : header.scheme);
    const [fault] = header.listFaults;
    if (fault !== undefined) return fail('OAuth name="value", name="value"', fault);
    return header.scheme === 'OAuth' ? pass() : pass(`the scheme is written ${header.scheme}`);
  }),
  'authentication/header-parameters': wireJudge('both', ({ reading }) => {
    if (!hasParameters(reading)) return null;
    const { parameters } = reading.header!;
    for (const name of oauthParameters) {
      const found = parameters.filter((one) => one.name === name);
      if (found.length === 0) return fail(`${name} once`, `no ${name}`);
      if (found.length > 1) return fail(`${name} once`, `${name} ${found.length} times`);
      if (found[0]!.value === '') return fail(`${name} once`, `an empty ${name}`);
    }
    const others = parameters.filter(({ name }) => !oauthParameters.some((one) => one === name));
    const foreign = others.find(({ name, value }) => !isRealm(name) && !(name === 'oauth_token' && value === ''));
    if (foreign !== undefined) return fail('only the six OAuth parameters', `also ${foreign.name}`);
    const names = others.map(({ name }) => (isRealm(name) ? 'realm' : `an empty ${name}`));
    const repeated = names.find((name, index) => names.indexOf(name) !== index);
    if (repeated !== undefined) return fail('each parameter once', `${repeated} more than once`);
    return names.length === 0 ? pass() : pass(`the header also has ${names.join(' and ')}`);
  }),
  'authentication/header-values-encoded': wireJudge('both', (wire) => {
    const { reading } = wire;
    if (!hasParameters(reading)) return null;
    const { valueFaults, remarks } = reading.header!;
    const expected = 'values in quotes, percent-encoded once';
    if (valueFaults[0] !== undefined) return fail(expected, valueFaults[0]);
    const signature = parameter(reading, 'oauth_signature');
    if (signature !== undefined && /%[0-9A-Fa-f]{2}/.test(signature)) {
      return fail(expected, 'an oauth_signature that is encoded twice');
    }
    if (consumerKeyOf(wire)?.misencoded) return fail(expected, 'an oauth_consumer_key that is not encoded once');
    return pass(remarks[0]);
  }),
  'authentication/parameters-only-in-header': wireJudge('both', ({ reading }) => {
    // `authorization-sent` reports a missing header.
    if (reading.header === undefined) return null;
    const expected = 'OAuth parameters only in the header';
    const inBody = reading.form.pairs.find(({ name }) => name.startsWith('oauth_'));
    if (inBody !== undefined) return fail(expected, `${inBody.name} in the body`);
    const inQuery = reading.query.split('&').find((piece) => decodeLeniently(piece).startsWith('oauth_'));
    return inQuery === undefined ? pass() : fail(expected, `${inQuery.split('=')[0]} in the query`);
  }),
  'authentication/timestamp-seconds': wireJudge('both', ({ testCase, exchange, reading }) => {
    const { asked } = testCase.call;
    const sent = parameter(reading, 'oauth_timestamp');
    if (sent === undefined) return null;
    if (!/^\d+$/.test(sent) || Number(sent) === 0) {
      const odd = oddValue(sent);
      return fail('a positive whole number', odd === undefined ? sent : `${sent}, ${odd.what}`);
    }
    const isInjected = asked?.inject?.timestamp !== undefined;
    const otherClock = lacks(testCase.call, 'zone') ? 'local' : 'other';
    const clock = asked === undefined ? otherClock : 'same';
    const finding = isInjected ? pass() : judgeTime(Number(sent), exchange.startedAt / 1000, clock);
    return finding.outcome === 'pass' && sent.startsWith('0') ? pass(`leading zeros in ${sent}`) : finding;
  }),
  'authentication/version': wireJudge('both', ({ reading }) => {
    const sent = parameter(reading, 'oauth_version');
    return sent === undefined ? null : passIf(sent === '1.0', '1.0', sent);
  }),
  'authentication/consumer-key': wireJudge('both', (wire) => {
    const key = consumerKeyOf(wire);
    if (key === undefined || key.misencoded) return null;
    const { asked } = wire.testCase.call;
    if (asked !== undefined) return key.sent === asked.consumerKey ? pass() : fail(asked.consumerKey, key.sent);
    if (!wire.judgeInput.hasKeys) return inconclusive('no keys were given to compare with', 'configuration');
    return wire.judgeInput.keysOf(key.sent) === undefined ? fail('a consumer key that was issued', key.sent) : pass();
  }),
  'authentication/nonce-unique': ({ cases }) => {
    const used = new Set<string>();
    const nonces = new Set<string>();
    const verdicts: Verdict<ClientCase>[] = [];
    for (const testCase of cases) {
      if (testCase.call.asked?.inject?.nonce !== undefined || lacks(testCase.call, 'authorization')) continue;
      for (const exchange of testCase.exchanges) {
        const [line] = headerValues(exchange.request.headers, 'authorization');
        if (line === undefined) continue;
        // Read only this header: readings of all requests in a long record would take too much memory.
        const reading = { header: readHeader(line) };
        const nonce = parameter(reading, 'oauth_nonce');
        const timestamp = parameter(reading, 'oauth_timestamp');
        if (nonce === undefined || timestamp === undefined) continue;
        const owner = [parameter(reading, 'oauth_consumer_key'), parameter(reading, 'oauth_token')];
        const key = JSON.stringify([...owner, timestamp, nonce]);
        const nonceKey = JSON.stringify([...owner, nonce]);
        const finding = used.has(key)
          ? fail('a new nonce', `timestamp ${timestamp} and nonce ${nonce} again`)
          : pass(nonces.has(nonceKey) ? 'a nonce is used again with another timestamp' : undefined);
        verdicts.push({ testCase, exchange, finding });
        used.add(key);
        nonces.add(nonceKey);
      }
    }
    return verdicts.length > 1 ? verdicts : [];
  },
} satisfies ClientJudges;

/** The consumer key as sent and as issued. `misencoded`: the client means the issued key, but escapes it wrongly. */
function consumerKeyOf({ testCase, reading, judgeInput }: WireCase) {
  const sent = parameter(reading, 'oauth_consumer_key');
  if (sent === undefined) return undefined;
  const { asked } = testCase.call;
  const isIssued = (key: string) =>
    asked === undefined ? judgeInput.keysOf(key) !== undefined : key === asked.consumerKey;
  if (isIssued(sent)) return { sent, issued: sent, misencoded: false };
  const raw = reading.header!.parameters.find(({ name }) => name === 'oauth_consumer_key')!.raw;
  const issuedKey = [decodeLeniently(sent), decodeLeniently(raw.replaceAll('+', ' ')), raw].find(isIssued);
  return { sent, issued: asked?.consumerKey ?? issuedKey ?? sent, misencoded: issuedKey !== undefined };
}

function hasParameters({ header }: RequestReading): boolean {
  return header !== undefined && (header.isOAuth || header.parameters.some(({ name }) => name.startsWith('oauth_')));
}

function isRealm(name: string): boolean {
  return name.toLowerCase() === 'realm';
}

/** Allowed seconds between timestamp and arrival: a client may sign a request some time before it sends it. */
const tolerance = 300;
/** The year 5138 in seconds. A larger timestamp must be in a smaller unit, such as milliseconds. */
const farFuture = 1e11;

function judgeTime(sent: number, now: number, clock: 'same' | 'local' | 'other'): Finding {
  const offset = Math.round(sent - now);
  if (Math.abs(offset) <= tolerance) return pass();
  const expected = `about ${Math.round(now)}`;
  if (sent >= farFuture) return fail(expected, `${sent}, in ${unitOf(sent, now)}`);
  const quarters = Math.round(offset / 900);
  const isZone = Math.abs(offset - quarters * 900) <= 5 && Math.abs(quarters) <= 14 * 4;
  const halfDay = clock === 'other' && Math.abs(quarters) === 48 ? ' or by a 12-hour clock' : '';
  const reason = isZone ? `, as if in local time${halfDay}` : '';
  if (clock === 'same') return fail(expected, `${sent}, ${Math.abs(offset)} seconds off${reason}`);
  if (clock === 'local' && Math.abs(quarters) <= 14 * 4) return pass('the record does not state its time zone');
  return pass(`${Math.abs(offset)} seconds ${offset < 0 ? 'before' : 'after'} the clock of the record${reason}`);
}

function unitOf(sent: number, now: number): string {
  const ratio = Math.round(Math.log10(sent / now));
  return { 3: 'milliseconds', 6: 'microseconds', 9: 'nanoseconds' }[ratio] ?? 'a unit other than seconds';
}

interface SignatureText {
  /** The signature in canonical base64. Absent if the text cannot be decoded. */
  readonly repaired?: string;
  /** The fault of the base64 text. Another judge reports faults of the percent-encoding. */
  readonly fault?: string;
}

function readSignature(value: string): SignatureText {
  let text = decodeRepeatedly(value);
  const fromHex = base64OfHex(text);
  if (fromHex !== undefined) return { repaired: fromHex, fault: 'hexadecimal text' };
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

function otherAlgorithm(signature: string, key: VerifyingKey): string | undefined {
  const bytes = Buffer.from(signature, 'base64');
  if (key.method === 'HMAC-SHA1') {
    if (bytes.length >= 128) return `a signature of ${bytes.length} bytes, the length of an RSA signature`;
    const hash = { 16: 'MD5', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' }[bytes.length];
    return hash && `a signature of ${bytes.length} bytes, the length of HMAC with ${hash}`;
  }
  if (bytes.length <= 64) return `a signature of ${bytes.length} bytes, the length of an HMAC`;
  const block = paddedBlock(bytes, key.publicKey);
  const found = digests.find(({ prefix }) => block.includes(prefix));
  return found && `RSA with ${found.name}`;
}

/** Decodes a hex text only if it has the length of SHA-1 (40), SHA-256 (64), SHA-512 (128) or RSA (256 or more). */
function base64OfHex(text: string): string | undefined {
  const hasKnownLength = [40, 64, 128].includes(text.length) || text.length >= 256;
  return hasKnownLength && /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex').toString('base64') : undefined;
}

function innerText(bytes: Buffer): SignatureText | undefined {
  const text = bytes.toString('latin1');
  const fromHex = base64OfHex(text);
  if (fromHex !== undefined) return { repaired: fromHex, fault: 'base64 of hexadecimal text' };
  const canonical = Buffer.from(text, 'base64').toString('base64') === text;
  return canonical && text.length >= 28 ? { repaired: text, fault: 'base64 of base64' } : undefined;
}

/** The bytes before the digest in a PKCS#1 v1.5 block, in hex, for digests other than SHA-256 (RFC 8017 9.2). */
const digests = [
  { name: 'SHA-1', prefix: '3021300906052b0e03021a05000414' },
  { name: 'SHA-384', prefix: '3041300d060960864801650304020205000430' },
  { name: 'SHA-512', prefix: '3051300d060960864801650304020305000440' },
  { name: 'MD5', prefix: '3020300c06082a864886f70d020505000410' },
];

/** Decrypts the signature to hexadecimal text. The text is empty if the signature is longer than the key. */
function paddedBlock(signature: Buffer, key: KeyObject): string {
  // Some libraries drop leading zeros of a signature or add a zero, so give the signature the length of the key.
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

const signatureJudges = {
  'authentication/close-day-method': methodJudge('close-day'),
  'authentication/recurring-method': methodJudge('process-recurring-payments'),
  'authentication/signature-base64': wireJudge('both', ({ reading }) => {
    const sent = parameter(reading, 'oauth_signature');
    if (sent === undefined) return null;
    const { fault } = readSignature(sent);
    return fault === undefined ? pass() : fail('base64 of the signature, in one line', fault);
  }),
  'authentication/signature-verifies': wireJudge(
    'both',
    (wire) => {
      const result = signatureResult(wire);
      if (result.kind === 'verified') return pass();
      if (result.kind === 'no key') return inconclusive('no key to verify with', 'configuration');
      if (result.kind === 'unknown') return null;
      const { base, key, signature } = result;
      const excerpt = base.length > 600 ? `${base.slice(0, 600)}…` : base;
      const expected = key.method === 'HMAC-SHA1' ? sign(base, key) : `a signature by ${key.method}`;
      return fail(`${expected} over ${excerpt}`, otherAlgorithm(signature, key) ?? signature);
    },
    { body: true, address: true },
  ),
  'authentication/uri-host-case': uriJudge('host-case', (wire) =>
    authoritiesOf(wire).some((authority) => authority !== authority.toLowerCase()),
  ),
  'authentication/uri-default-port': uriJudge('default-port', (wire) =>
    authoritiesOf(wire).some((authority) =>
      authority.endsWith(wire.exchange.request.scheme === 'https' ? ':443' : ':80'),
    ),
  ),
  'authentication/uri-port': uriJudge('port', (_, uri) => /^\w+:\/\/[^/]*:\d+(?:\/|$)/.test(uri)),
} satisfies ClientJudges;

export const authenticationJudges = { ...headerJudges, ...signatureJudges };

function authoritiesOf({ testCase: { call }, exchange }: WireCase): readonly string[] {
  return [call.asked === undefined ? '' : splitBaseUrl(call.asked.baseUrl).authority, exchange.request.host];
}

function methodJudge(operation: Operation) {
  return wireJudge(operation, (wire) => {
    const expected = operations[operation].signatureMethod;
    const sentMethod = parameter(wire.reading, 'oauth_signature_method');
    if (sentMethod === undefined) return null;
    if (sentMethod !== expected) return fail(expected, sentMethod);
    const result = signatureResult(wire);
    const other = result.kind === 'wrong' ? otherAlgorithm(result.signature, result.key) : undefined;
    return other === undefined ? pass() : fail(expected, other);
  });
}

function uriJudge(rule: UriDeviation, canBreak: (wire: WireCase, uri: string) => boolean) {
  return wireJudge('both', (wire) => {
    const result = signatureResult(wire);
    if (result.kind !== 'verified') return null;
    if (result.deviation?.rule === rule) return fail(result.uri, result.deviation.uri);
    return canBreak(wire, result.uri) ? pass() : null;
  });
}

type UriDeviation = 'host-case' | 'default-port' | 'port';

type SignatureResult =
  | {
      readonly kind: 'verified';
      readonly uri: string;
      readonly deviation?: { readonly rule: UriDeviation; readonly uri: string };
    }
  | { readonly kind: 'wrong'; readonly base: string; readonly signature: string; readonly key: VerifyingKey }
  | { readonly kind: 'no key' }
  /** The signature cannot be verified, for a reason that another judge reports. */
  | { readonly kind: 'unknown' };

function signatureResult(wire: WireCase): SignatureResult {
  const { keysOf } = wire.judgeInput;
  const cached = cache(wire.exchange);
  const result = cached.get(keysOf) ?? verify(wire);
  cached.set(keysOf, result);
  return result;
}

/** Cached for each exchange and `keysOf`: the same record may be judged with keys and without keys. */
const cache = memoizeLast((_: WireCase['exchange']) => new Map<WireCase['judgeInput']['keysOf'], SignatureResult>());

function verify(wire: WireCase): SignatureResult {
  const { testCase, reading, judgeInput, exchange } = wire;
  if (lacks(testCase.call, 'requestBody') || lacks(testCase.call, 'requestEnd')) return { kind: 'unknown' };
  const text = parameter(reading, 'oauth_signature');
  const consumer = consumerKeyOf(wire);
  const method = methodOf(wire);
  if (text === undefined || method === undefined) return { kind: 'unknown' };
  const issued = consumer?.issued ?? testCase.call.asked?.consumerKey;
  const keys = issued === undefined ? undefined : judgeInput.keysOf(issued);
  const key = keys?.find((one) => one.method === method);
  if (key === undefined) return { kind: issued === undefined ? 'unknown' : 'no key' };
  const signature = readSignature(text).repaired;
  if (signature === undefined) return { kind: 'unknown' };

  const uri = uriOf(wire);
  if (uri === undefined) return { kind: 'unknown' };
  const sets = parameterSets(wire).map(normalizeParameters);
  const verifies = (candidate: string) =>
    sets.some((normalized) =>
      verifySignature(baseString(exchange.request.method, candidate, normalized), signature, key),
    );
  const verifiedUri = [uri, ...otherAddresses(wire, uri)].find(verifies);
  if (verifiedUri !== undefined) return { kind: 'verified', uri: verifiedUri };
  const deviation = uriDeviations(wire, uri).find((candidate) => verifies(candidate.uri));
  if (deviation !== undefined) return { kind: 'verified', uri, deviation };
  return { kind: 'wrong', base: baseString(exchange.request.method, uri, sets[0]!), signature, key };
}

function methodOf({ testCase, reading }: WireCase): SignatureMethod | undefined {
  const sentMethod = parameter(reading, 'oauth_signature_method')?.toUpperCase();
  if (sentMethod === undefined) return operations[testCase.label.operation].signatureMethod;
  return sentMethod === 'HMAC-SHA1' || sentMethod === 'RSA-SHA256' ? sentMethod : undefined;
}

/** What the client may have signed: the parameters as sent, or repaired. Other judges report the repaired faults. */
function parameterSets(wire: WireCase): Pair[][] {
  const query = decodeForm(wire.reading.query);
  const bodies = bodySets(wire);
  return headerSets(wire).flatMap((header) => bodies.map((body) => [...query, ...header, ...body]));
}

function headerSets(wire: WireCase): Pair[][] {
  const sent = wire.reading
    .header!.parameters.filter(({ name }) => !isRealm(name) && name !== 'oauth_signature')
    .map(({ name, value }): Pair => [name, value]);
  const sets = [sent];
  const consumer = consumerKeyOf(wire);
  if (consumer !== undefined && consumer.sent !== consumer.issued) {
    sets.push(sent.map(([name, value]) => [name, name === 'oauth_consumer_key' ? consumer.issued : value]));
  }
  const foreign = sent.filter(([name]) => !name.startsWith('oauth_'));
  if (foreign.length > 0) sets.push(sent.filter((pair) => !foreign.includes(pair)));
  const uniquePairs = sent.filter(([name], index) => sent.findIndex((pair) => pair[0] === name) === index);
  if (uniquePairs.length < sent.length) sets.push(uniquePairs);
  return sets;
}

function bodySets({ testCase, exchange, reading }: WireCase): Pair[][] {
  const sent = formParameters(exchange.request);
  const sets = [sent];
  const pairs = reading.form.pairs.map(({ name, value }): Pair => [name, value]);
  if (!samePairs(pairs, sent)) sets.push(pairs);
  const otherPairs = pairs.filter(([name]) => !name.startsWith('oauth_'));
  if (otherPairs.length < pairs.length) sets.push(otherPairs);
  const { payload } = reading;
  if (payload !== undefined) {
    const repaired = [payload.unescaped, payload.sent.replaceAll('\r\n', '\n')].filter((text) => text !== payload.sent);
    for (const text of repaired) {
      sets.push(otherPairs.map((pair): Pair => (pair[1] === payload.sent ? [pair[0], text] : pair)));
    }
  }
  const input = closeDayInput(testCase);
  // If the client changed a field after signing, another judge reports this. So also accept a signature over the input.
  const inputPairs = input && buildCloseDay({ ...input, ...sentTotals(input, pairs) });
  if (inputPairs !== undefined && !samePairs(sortPairs(inputPairs), sortPairs(otherPairs))) sets.push(inputPairs);
  return sets;
}

/** A client that sends 1.0 for the total 1 must also sign 1.0. */
function sentTotals(input: CloseDayFields, pairs: readonly Pair[]): Partial<CloseDayFields> {
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

function otherAddresses({ testCase, exchange: { request } }: WireCase, uri: string): string[] {
  if (!lacks(testCase.call, 'address')) return [];
  const path = uri.replace(/^\w+:\/\/[^/]*/, '');
  const forwarded = headerValues(request.headers, 'x-forwarded-host').flatMap((hosts) => hosts.split(/[ ,]+/, 1));
  const hosts = [request.host, ...forwarded].flatMap((host) => [host, host.replace(/:\d+$/, '')]);
  return hosts.flatMap((host) => ['https', 'http'].map((scheme) => `${scheme}://${host.toLowerCase()}${path}`));
}

/** Faulty URIs that the client may have signed. Each URI breaks one rule of RFC 5849 section 3.4.1.2. */
function uriDeviations(wire: WireCase, uri: string): { rule: UriDeviation; uri: string }[] {
  const [, scheme = '', authority = '', path = ''] = /^(\w+):\/\/([^/]*)(.*)$/s.exec(uri)!;
  const keepPort = (port: string) => (authority.endsWith(port) ? port : '');
  const mixedCase = authoritiesOf(wire)
    .filter((one) => one !== one.toLowerCase())
    .map((one) => one.replace(/:(?:80|443)$/, keepPort));
  const withoutPort = authority.replace(/:\d+$/, '');
  return [
    ...mixedCase.map((one) => ({ rule: 'host-case' as const, uri: `${scheme}://${one}${path}` })),
    withoutPort === authority
      ? { rule: 'default-port', uri: `${scheme}://${authority}${scheme === 'https' ? ':443' : ':80'}${path}` }
      : { rule: 'port', uri: `${scheme}://${withoutPort}${path}` },
  ];
}

function sortPairs(pairs: readonly Pair[]): Pair[] {
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function samePairs(a: readonly Pair[], b: readonly Pair[]): boolean {
  return a.length === b.length && a.every(([name, value], index) => name === b[index]![0] && value === b[index]![1]);
}
