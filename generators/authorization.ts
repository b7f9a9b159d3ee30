/** Writes the Authorization header (section 5; RFC 5849 3.3, 3.5.1): the valid header, edge cases and faults. */
import * as fc from 'fast-check';
import { type Operation, oauthParameters, operations } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { anyOf, fault, type Labelled, open, valid } from './labelled.ts';

export interface HeaderPlan {
  readonly scheme: string;
  readonly space: string;
  readonly separator: string;
  readonly equals: string;
  readonly quote: '"' | '';
  /** How values are percent-encoded. `raw-signature` leaves the signature unencoded. `lower-case-hex` writes %2b. */
  readonly escape: 'once' | 'twice' | 'raw-signature' | 'lower-case-hex';
  /** Rewrites the base64 text of the signature. By default the text is unchanged. */
  readonly signatureForm?: (base64: string) => string;
  /** Without percent-encoding, in header order. `printHeader` inserts the signature. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Changes the valid header when the request is sent. Timestamp and nonce are not known earlier. */
export type HeaderChange = (plan: HeaderPlan) => HeaderPlan;

/** The parameters that a signature covers: all except realm and oauth_signature (RFC 5849 section 3.4.1.3.1). */
export function signedParameters(plan: HeaderPlan): readonly (readonly [string, string])[] {
  return plan.parameters.filter(([name]) => name !== 'realm' && name !== 'oauth_signature');
}

export function printHeader(plan: HeaderPlan, signature: string): string {
  const { equals, quote, signatureForm = (base64) => base64 } = plan;
  const parts = plan.parameters.map(([name, value]) => {
    const isSignature = name === 'oauth_signature';
    const text = isSignature ? signatureForm(signature) : value;
    const printable = isSignature && plan.escape === 'raw-signature' ? text : encodeValue(text, plan.escape);
    return `${name}${equals}${quote}${printable}${quote}`;
  });
  return plan.scheme + plan.space + parts.join(plan.separator);
}

function encodeValue(text: string, mode: HeaderPlan['escape']): string {
  const once = percentEncode(text);
  if (mode === 'twice') return percentEncode(once);
  return mode === 'lower-case-hex' ? once.replace(/%../g, (triplet) => triplet.toLowerCase()) : once;
}

/** Percent-encodes by RFC 5849 section 3.6. `encodeURIComponent` does not escape !*'(). */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!*'()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

type Pair = readonly [name: string, value: string];

const headerEdges: readonly Labelled<HeaderChange>[] = [
  valid((plan) => plan, 'documented-order'),
  open('A4', 'reverse-order', (plan) => ({ ...plan, parameters: [...plan.parameters].reverse() })),
  open('A4', 'sorted-order', (plan) => ({
    ...plan,
    parameters: [...plan.parameters].sort(([a], [b]) => (a < b ? -1 : 1)),
  })),
  headerForm('comma-without-space', { separator: ',' }),
  headerForm('comma-and-tab', { separator: ',\t' }),
  headerForm('spaces-around-the-comma', { separator: '  ,  ' }),
  headerForm('spaces-around-the-equals-sign', { equals: ' = ' }),
  headerForm('two-spaces-after-the-scheme', { space: '  ' }),
  headerForm('unquoted-values', { quote: '' }),
  headerForm('lower-case-hex', { escape: 'lower-case-hex' }),
  headerForm('scheme-in-lower-case', { scheme: 'oauth' }),
  headerForm('scheme-in-upper-case', { scheme: 'OAUTH' }),
  open('A4', 'realm-first', (plan) => ({ ...plan, parameters: [['realm', 'Gateway'], ...plan.parameters] })),
  open('A4', 'realm-last', withParameter(['realm', 'Gateway'])),
  open('A4', 'realm-empty', (plan) => ({ ...plan, parameters: [['realm', ''], ...plan.parameters] })),
  open('A4', 'empty-token', withParameter(['oauth_token', ''])),
  nonceEdge('nonce-of-one-character', (fresh) => fresh.slice(0, 1)),
  nonceEdge('nonce-of-256-characters', (fresh) => fresh.padEnd(256, 'n')),
  nonceEdge('nonce-with-reserved-characters', (fresh) => `${fresh}+/= &%"n`),
  nonceEdge('nonce-that-contains-realm', (fresh) => `${fresh}realm1`),
  nonceEdge('nonce-of-non-ascii', (fresh) => `${fresh}\u00e9\u6f22`),
  timeEdge('timestamp-a-minute-ago', (now) => String(now - 60)),
  timeEdge('timestamp-in-a-minute', (now) => String(now + 60)),
  timeEdge('timestamp-an-hour-ago', (now) => String(now - 3600)),
  timeEdge('timestamp-a-day-ago', (now) => String(now - 86_400)),
  timeEdge('timestamp-a-year-ago', (now) => String(now - 365 * 86_400)),
  timeEdge('timestamp-in-an-hour', (now) => String(now + 3600)),
  timeEdge('timestamp-with-leading-zero', (now) => `0${now}`),
  timeEdge('timestamp-with-plus', (now) => `+${now}`),
  signatureEdge('signature-in-url-safe-alphabet', (base64) => base64.replaceAll('+', '-').replaceAll('/', '_')),
  signatureEdge('signature-without-padding', (base64) => base64.replace(/=+$/, '')),
  signatureEdge('signature-with-a-line-feed', (base64) => `${base64.slice(0, 20)}\n${base64.slice(20)}`),
];

/** Headers with one fault each, which a client must not send. */
export function headerFaults(operation: Operation): readonly Labelled<HeaderChange>[] {
  const { area, signatureMethod: method } = operations[operation];
  const otherMethod = method === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1';
  const methodRow = `authentication/${area}-method` as const;
  const header = 'authentication/header-parameters';
  return [
    ...oauthParameters.map((name) => fault(header, `missing-${name}`, renameParameter(name))),
    ...oauthParameters.map((name) => fault(header, `misspelt-${name}`, renameParameter(name, name.slice(0, -1)))),
    ...oauthParameters.map((name) => fault(header, `repeated-${name}`, renameParameter(name, name, name))),
    ...oauthParameters
      .filter((name) => name !== 'oauth_signature')
      .map((name) => fault(header, `repeated-${name}-with-another-value`, repeatParameter(name))),
    ...oauthParameters.map((name) => fault(header, `upper-case-${name}`, renameParameter(name, name.toUpperCase()))),
    ...oauthParameters.map((name) =>
      fault(header, `mixed-case-${name}`, renameParameter(name, name.replace('oauth', 'OAuth'))),
    ),
    fault(header, 'body-hash', withParameter(['oauth_body_hash', '2jmj7l5rSw0yVb/vlWAYkK/YBwk='])),
    fault(header, 'unknown-token', withParameter(['oauth_token', 'token1'])),
    valueFault(header, 'empty-oauth_nonce', 'oauth_nonce', () => ''),
    keyFault('empty-oauth_consumer_key', () => ''),
    keyFault('other-consumer-key', () => 'nobody-knows-this-key'),
    keyFault('consumer-key-with-blank-behind', (key) => `${key} `),
    keyFault('consumer-key-with-blank-before', (key) => ` ${key}`),
    keyFault('consumer-key-in-other-case', toOtherCase),
    keyFault('consumer-key-one-character-longer', (key) => `${key}0`),
    keyFault('consumer-key-one-character-shorter', dropLast),
    // Some databases wrongly find a consumer here: they ignore width or accents, use wildcards or stop at NUL.
    keyFault('consumer-key-in-full-width', toFullWidth),
    keyFault('consumer-key-with-accent', (key) => `${key}\u0301`),
    keyFault('consumer-key-as-pattern', () => '%'),
    keyFault('consumer-key-with-nul-behind', (key) => `${key}\0`),
    valueFault(methodRow, 'empty-oauth_signature_method', 'oauth_signature_method', () => ''),
    valueFault(methodRow, 'method-of-the-other-operation', 'oauth_signature_method', () => otherMethod),
    valueFault(methodRow, 'method-in-lower-case', 'oauth_signature_method', () => method.toLowerCase()),
    valueFault(methodRow, 'plaintext-method', 'oauth_signature_method', () => 'PLAINTEXT'),
    timeFault('empty-oauth_timestamp', () => ''),
    timeFault('timestamp-in-milliseconds', (now) => `${now}000`),
    timeFault('timestamp-with-fraction', (now) => `${now}.5`),
    timeFault('negative-timestamp', (now) => `-${now}`),
    timeFault('timestamp-zero', () => '0'),
    timeFault('timestamp-as-date', () => '2026-01-31T12:00:00Z'),
    timeFault('timestamp-in-hexadecimal', (now) => `0x${Number(now).toString(16)}`),
    valueFault('authentication/version', 'empty-oauth_version', 'oauth_version', () => ''),
    valueFault('authentication/version', 'version-2.0', 'oauth_version', () => '2.0'),
    valueFault('authentication/version', 'version-1', 'oauth_version', () => '1'),
    valueFault('authentication/version', 'version-with-blank-behind', 'oauth_version', () => '1.0 '),
    valueFault('authentication/version', 'version-with-blank-before', 'oauth_version', () => ' 1.0'),
    valueFault('authentication/version', 'version-1.0a', 'oauth_version', () => '1.0a'),
    headerFault('authentication/signature-base64', 'empty-oauth_signature', { signatureForm: () => '' }),
    headerFault('authentication/signature-base64', 'signature-in-hexadecimal', {
      signatureForm: (text) => Buffer.from(text, 'base64').toString('hex'),
    }),
    headerFault('authentication/header-values-encoded', 'values-encoded-twice', { escape: 'twice' }),
    headerFault('authentication/header-values-encoded', 'raw-signature', { escape: 'raw-signature' }),
    headerFault('authentication/header-scheme', 'bearer-scheme', { scheme: 'Bearer' }),
    headerFault('authentication/header-scheme', 'no-scheme', { scheme: '', space: '' }),
    headerFault('authentication/header-scheme', 'comma-after-the-scheme', { space: ', ' }),
    headerFault('authentication/header-scheme', 'semicolons', { separator: '; ' }),
    headerFault('authentication/header-scheme', 'ampersands', { separator: '&' }),
  ];
}

export function changeParameter(name: string, change: (value: string) => string): HeaderChange {
  return replaceParameter(name, (value) => [[name, change(value)]]);
}

function replaceParameter(name: string, replace: (value: string) => readonly Pair[]): HeaderChange {
  return (plan) => ({
    ...plan,
    parameters: plan.parameters.flatMap((pair) => (pair[0] === name ? replace(pair[1]) : [pair])),
  });
}

function headerForm(edge: string, change: Partial<HeaderPlan>): Labelled<HeaderChange> {
  return open('A4', edge, (plan) => ({ ...plan, ...change }));
}

function headerFault(row: RequirementId, edge: string, change: Partial<HeaderPlan>): Labelled<HeaderChange> {
  return fault(row, edge, (plan) => ({ ...plan, ...change }));
}

function nonceEdge(edge: string, change: (fresh: string) => string): Labelled<HeaderChange> {
  return open('A3', edge, changeParameter('oauth_nonce', change));
}

function timeEdge(edge: string, change: (now: number) => string): Labelled<HeaderChange> {
  return open(
    'A3',
    edge,
    changeParameter('oauth_timestamp', (now) => change(Number(now))),
  );
}

function signatureEdge(edge: string, signatureForm: (base64: string) => string): Labelled<HeaderChange> {
  return open('A16', edge, (plan) => ({ ...plan, signatureForm }));
}

function keyFault(edge: string, change: (key: string) => string): Labelled<HeaderChange> {
  return valueFault('authentication/consumer-key', edge, 'oauth_consumer_key', change);
}

function timeFault(edge: string, change: (now: string) => string): Labelled<HeaderChange> {
  return valueFault('authentication/timestamp-seconds', edge, 'oauth_timestamp', change);
}

function valueFault(row: RequirementId, edge: string, name: string, change: (value: string) => string) {
  return fault(row, edge, changeParameter(name, change));
}

function repeatParameter(name: string): HeaderChange {
  return replaceParameter(name, (value) => [
    [name, value],
    [name, `${value}0`],
  ]);
}

/** Adds a parameter at the end of the header. */
export function withParameter(pair: Pair): HeaderChange {
  return (plan) => ({ ...plan, parameters: [...plan.parameters, pair] });
}

function renameParameter(name: string, ...names: readonly string[]): HeaderChange {
  return replaceParameter(name, (value) => names.map((newName): Pair => [newName, value]));
}

function toOtherCase(key: string): string {
  const swapped = key.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  return swapped === key ? `${key}A` : swapped;
}

/** Drops the last character. A key of one character becomes longer instead, because an empty key is another fault. */
function dropLast(key: string): string {
  return [...key].length > 1 ? [...key].slice(0, -1).join('') : `${key}0`;
}

function toFullWidth(key: string): string {
  return key.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
}

interface HeaderInput {
  readonly operation: Operation;
  readonly consumerKey: string;
  readonly timestamp: number | string;
  readonly nonce: string;
}

/** The valid header: six parameters in the order of the document. */
export function validHeader({ operation, consumerKey, timestamp, nonce }: HeaderInput): HeaderPlan {
  return {
    scheme: 'OAuth',
    space: ' ',
    separator: ', ',
    equals: '=',
    quote: '"',
    escape: 'once',
    parameters: [
      ['oauth_consumer_key', consumerKey],
      ['oauth_signature_method', operations[operation].signatureMethod],
      ['oauth_timestamp', String(timestamp)],
      ['oauth_nonce', nonce],
      ['oauth_version', '1.0'],
      ['oauth_signature', ''],
    ],
  };
}

const edgeHeader: fc.Arbitrary<Labelled<HeaderChange>> = fc.oneof(
  { arbitrary: anyOf(headerEdges), weight: 3 },
  fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }).map((order) =>
    open('A4', 'another-order', (plan: HeaderPlan) => ({
      ...plan,
      parameters: order.map((at) => plan.parameters[at]!),
    })),
  ),
  fc
    .tuple(spaces(), spaces())
    .map(([before, after]) =>
      open('A4', 'white-space', (plan: HeaderPlan) => ({ ...plan, separator: `${before},${after}` })),
    ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => {
    const longer = changeParameter('oauth_nonce', (fresh) => `${fresh}${text}`);
    return open('A3', 'any-nonce', longer);
  }),
);

export function faultyHeader(operation: HeaderInput['operation']): fc.Arbitrary<Labelled<HeaderChange>> {
  const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 });
  return fc.oneof(
    { arbitrary: anyOf(headerFaults(operation)), weight: 3 },
    printable
      .filter((text) => text !== '1.0')
      .map((text) => valueFault('authentication/version', 'any-version', 'oauth_version', () => text)),
    printable
      .filter((text) => !/^\s*\+?\d+\s*$/.test(text))
      .map((text) => valueFault('authentication/timestamp-seconds', 'any-timestamp', 'oauth_timestamp', () => text)),
    printable.map((text) =>
      valueFault('authentication/consumer-key', 'any-consumer-key', 'oauth_consumer_key', (key) => `${key}${text}`),
    ),
  );
}

/** Turns a valid base64 signature into a wrong signature. */
export const wrongSignature: fc.Arbitrary<{ readonly edge: string; readonly change: (signature: string) => string }> =
  fc.oneof(
    fc.nat({ max: 10_000 }).map((at) => ({ edge: 'one bit of the signature', change: flipBit(at) })),
    fc.nat({ max: 10_000 }).map((at) => ({ edge: 'the case of one letter of the signature', change: swapCase(at) })),
    fc.integer({ min: 1, max: 8 }).map((groups) => ({
      edge: 'a signature cut short',
      change: (signature: string) => signature.slice(0, -4 * Math.min(groups, signature.length / 4 - 1)),
    })),
    fc.uint8Array({ minLength: 1, maxLength: 16 }).map((more) => ({
      edge: 'bytes more at the end of the signature',
      change: (signature: string) => base64(Buffer.concat([Buffer.from(signature, 'base64'), more])),
    })),
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => ({
      edge: 'any other bytes',
      change: (signature: string) =>
        base64(Buffer.from(Buffer.from(signature, 'base64').map((byte, at) => byte ^ (bytes[at % bytes.length]! | 1)))),
    })),
  );

export const authorizationHeaders = { edges: headerEdges, edge: edgeHeader };

/** Flips bit `at` of a base64 signature, counted from the start, modulo the number of bits. Keeps the length. */
export function flipBit(at: number): (signature: string) => string {
  return (signature) => {
    const bytes = Buffer.from(signature, 'base64');
    bytes[Math.floor(at / 8) % bytes.length]! ^= 0x80 >> (at % 8);
    return base64(bytes);
  };
}

/** Swaps the case of letter `at`, modulo the number of letters. A signature practically always has a letter. */
export function swapCase(at: number): (signature: string) => string {
  return (signature) => {
    const letters = [...signature.matchAll(/[a-z]/gi)].map(({ index }) => index);
    const place = letters[at % letters.length]!;
    const letter = signature[place]!;
    const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    return signature.slice(0, place) + swapped + signature.slice(place + 1);
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function spaces(): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 4 });
}
