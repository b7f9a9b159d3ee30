/** The Authorization header (section 5) as changes of a right one, drawn: which parameters, in which form, with which signature. */
import * as fc from 'fast-check';
import { type Operation, operations } from '../contracts/operations.ts';
import { changing, headerEdges, headerFaults, setting } from './authorization-cases.ts';
import type { HeaderChange, HeaderPlan } from './header-plan.ts';
import { drawn, type Labelled, open, valid } from './labelled.ts';

export { headerEdges, headerFaults } from './authorization-cases.ts';

/** What only the caller knows: for whom and when is signed. */
export interface HeaderSubject {
  readonly operation: Operation;
  readonly consumerKey: string;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number | string;
  readonly nonce: string;
}

/** The right header: the six parameters in the order of the document. */
export function rightHeader({ operation, consumerKey, timestamp, nonce }: HeaderSubject): HeaderPlan {
  return {
    scheme: 'OAuth',
    space: ' ',
    separator: ', ',
    equals: '=',
    quote: '"',
    escape: 'once',
    signatureForm: 'base64',
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

/** Right headers whose nonce has 8 to 32 letters and digits. */
export const validHeader: fc.Arbitrary<Labelled<HeaderChange>> = fc
  .integer({ min: 8, max: 32 })
  .map((length) => valid(changing('oauth_nonce', (fresh) => fresh.slice(0, length).padEnd(length, '0'))));

/** Headers in a form that the document leaves open: named ones, and any order, spacing and nonce. */
export const edgeHeader: fc.Arbitrary<Labelled<HeaderChange>> = fc.oneof(
  { arbitrary: drawn(headerEdges), weight: 3 },
  fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }).map((order) =>
    open('A4', 'another-order', (right: HeaderPlan) => ({
      ...right,
      parameters: order.map((at) => right.parameters[at]!),
    })),
  ),
  fc
    .tuple(spaces(), spaces())
    .map(([before, after]) =>
      open('A4', 'white-space', (right: HeaderPlan) => ({ ...right, separator: `${before},${after}` })),
    ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => {
    const longer = changing('oauth_nonce', (fresh) => `${fresh}${text}`);
    return open('A3', 'any-nonce', longer);
  }),
);

/** Headers with one fault: a parameter missing, repeated, empty, misspelt or wrong, or a wrong form. */
export function faultyHeader(operation: HeaderSubject['operation']): fc.Arbitrary<Labelled<HeaderChange>> {
  const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 });
  return fc.oneof(
    { arbitrary: drawn(headerFaults(operation)), weight: 3 },
    printable
      .filter((text) => text !== '1.0')
      .map((text) => setting('authentication/version', 'any-version', 'oauth_version', () => text)),
    printable
      .filter((text) => !/^\s*\+?\d+\s*$/.test(text))
      .map((text) => setting('authentication/timestamp-seconds', 'any-timestamp', 'oauth_timestamp', () => text)),
    printable.map((text) =>
      setting('authentication/consumer-key', 'any-consumer-key', 'oauth_consumer_key', (key) => `${key}${text}`),
    ),
  );
}

/** What becomes of a right signature, base64: texts that no reader may take for it. */
export const wrongSignature: fc.Arbitrary<{ readonly edge: string; readonly change: (right: string) => string }> =
  fc.oneof(
    fc.nat({ max: 10_000 }).map((at) => ({ edge: 'one bit of the signature', change: bitFlipped(at) })),
    fc.nat({ max: 10_000 }).map((at) => ({ edge: 'the case of one letter of the signature', change: caseSwapped(at) })),
    fc.integer({ min: 1, max: 8 }).map((groups) => ({
      edge: 'a signature cut short',
      change: (right: string) => right.slice(0, -4 * Math.min(groups, right.length / 4 - 1)),
    })),
    fc.uint8Array({ minLength: 1, maxLength: 16 }).map((more) => ({
      edge: 'bytes more at the end of the signature',
      change: (right: string) => base64(Buffer.concat([Buffer.from(right, 'base64'), more])),
    })),
    fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      // As many bytes as the right signature has, none of them at its place.
      .map((bytes) => ({
        edge: 'any other bytes',
        change: (right: string) =>
          base64(Buffer.from(Buffer.from(right, 'base64').map((byte, at) => byte ^ (bytes[at % bytes.length]! | 1)))),
      })),
  );

/** One bit flipped at a place that wraps around the length of the signature: the text stays base64 of the same length. */
export function bitFlipped(at: number): (right: string) => string {
  return (right) => {
    const bytes = Buffer.from(right, 'base64');
    bytes[Math.floor(at / 8) % bytes.length]! ^= 0x80 >> (at % 8);
    return base64(bytes);
  };
}

/** The case of the n-th letter swapped. A signature has letters: 28 characters without any come once in 10^20. */
export function caseSwapped(at: number): (right: string) => string {
  return (right) => {
    const letters = [...right.matchAll(/[a-z]/gi)].map(({ index }) => index);
    const place = letters[at % letters.length]!;
    const letter = right[place]!;
    const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    return right.slice(0, place) + swapped + right.slice(place + 1);
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function spaces(): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 4 });
}
