/** What the signature itself shows: its form, its length, and what the public key makes of it. */
import { createHash } from 'node:crypto';
import { percentEncode } from '../protocol/index.ts';
import type { Fact } from './facts.ts';
import type { Announced, ReadSignature } from './readings.ts';
import { digestInfos, digestLength, hashNames, type RsaOpening } from './rsa-opening.ts';

/** `text` is the decoded value of `oauth_signature`; `base` the right base string, where nothing explains the signature. */
export function signatureFacts(
  text: string,
  announced: Announced | undefined,
  read: ReadSignature,
  base?: string,
): Fact[] {
  if (announced === undefined) {
    return [{ id: 'unknown-method', text: 'The announced signature method is not one that is known here.' }];
  }
  if (announced.kind === 'plaintext' || text === '') return [];
  if (read.length === undefined) {
    return [{ id: 'not-base64', text: 'oauth_signature is neither base64 nor another known form of bytes.' }];
  }
  return announced.kind === 'hmac' ? aboutHmac(announced, read) : aboutRsa(announced, read, base);
}

function aboutHmac({ hash }: Announced, { length, readings }: ReadSignature): Fact[] {
  const wanted = digestLength(hash);
  const lengths = readings.filter(({ kind }) => kind === 'hmac').map((reading) => digestLength(reading.hash));
  if (length === wanted || lengths.includes(wanted)) return [];
  const found = lengths[0] ?? length!;
  const like = readings.find(({ kind }) => kind === 'hmac')?.hash.toUpperCase();
  const which = like === undefined ? '' : `, as many as ${like} gives`;
  return [
    { id: 'hmac-length', text: `The signature has ${found} bytes${which}; the announced method gives ${wanted}.` },
  ];
}

function aboutRsa({ hash }: Announced, { opening, readings }: ReadSignature, base: string | undefined): Fact[] {
  const text = base === undefined ? undefined : insideText(opening, base);
  if (text !== undefined) return [{ id: 'inside', text: `The key matches. ${text}` }];
  switch (opening?.kind) {
    case undefined:
      return [];
    case 'wrong-length': {
      const hmac = readings.some(({ kind }) => kind === 'hmac');
      const like = hmac ? ' It has the length of an HMAC.' : '';
      return [
        { id: 'rsa-length', text: `The signature is not ${opening.expected} bytes long, as the key demands.${like}` },
      ];
    }
    case 'no-padding':
      return [
        {
          id: 'key-does-not-match',
          text: 'Opened with the public key the signature shows no padding: it was made with another key, or it is damaged.',
        },
      ];
    case 'other-content':
      return [
        {
          id: 'no-digest-inside',
          text: `The key matches and the padding is right, but the ${opening.content.length} bytes inside are not a digest.`,
        },
      ];
    case 'bare-digest':
      return [
        {
          id: 'digest-info-missing',
          text: 'The key matches, but the digest inside has no name of its hash.',
        },
      ];
    case 'pss':
      return opening.certain
        ? [{ id: 'pss-padding', text: 'The key matches, but the padding is PSS, not PKCS #1 v1.5.' }]
        : [];
    case 'digest':
      return opening.hash === hash
        ? [{ id: 'key-matches', text: `The key matches, and inside is a digest of ${hash.toUpperCase()}.` }]
        : [
            {
              id: 'other-digest',
              text: `The key matches, but inside is a digest of ${opening.hash.toUpperCase()}, not of ${hash.toUpperCase()}.`,
            },
          ];
  }
}

const signIt = 'Give the base string itself, as bytes, to a function that signs with SHA-256 and PKCS #1 v1.5.';

/** What the bytes inside are, compared byte for byte with the base string and its digests. */
function insideText(opening: RsaOpening | undefined, base: string): string | undefined {
  const forms = [
    ['the base string', base],
    ['the base string in base64', Buffer.from(base).toString('base64')],
    ['the base string in hex', Buffer.from(base).toString('hex')],
    ['the percent-encoded base string', percentEncode(base)],
  ] as const;
  if (opening?.kind === 'digest' || opening?.kind === 'bare-digest') {
    const found = forms.slice(1).find(([, form]) => digestOf(form, opening.hash).toString('hex') === opening.digest);
    return found && `What was signed is ${found[0]}, not the base string. ${signIt}`;
  }
  if (opening?.kind !== 'other-content') return undefined;
  const { content } = opening;
  const text = content.toString('latin1');
  const whole = forms.find(([, form]) => content.equals(Buffer.from(form)))?.[0];
  const like = /^[A-Z]+(?:&|%26)https?%/.test(text) ? 'a text like a base string, but not the right one' : undefined;
  if (whole ?? like) return `Inside is ${whole ?? like}, encrypted without a hash. ${signIt}`;
  for (const hash of hashNames) {
    const digest = digestOf(base, hash);
    const name = hash.toUpperCase();
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const length = digest.toString(encoding).length;
      const isDigest = text.toLowerCase() === digest.toString(encoding).toLowerCase();
      const isLike = encoding === 'hex' && text.length === length && /^[0-9a-f]+$/i.test(text);
      const of = isDigest ? 'of the base string' : 'of another text';
      if (isDigest || isLike) return `Inside is the ${name} digest ${of} as ${encoding} text, not its bytes. ${signIt}`;
    }
    const named = hashNames.find((other) => content.toString('hex').startsWith(digestInfos[other]));
    if (named !== undefined && content.subarray(digestInfos[named].length / 2).equals(digest)) {
      return `Inside is the ${name} digest under the name of ${named.toUpperCase()}. Name the hash that was computed.`;
    }
  }
  return undefined;
}

function digestOf(text: string, hash: (typeof hashNames)[number]): Buffer {
  return createHash(hash).update(text).digest();
}
