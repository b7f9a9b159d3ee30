/** What the signature itself shows: its form, its length, and what the public key makes of it. */
import type { Fact } from './facts.ts';
import type { Announced, ReadSignature } from './readings.ts';
import { digestLength } from './rsa-opening.ts';

/** `text` is the decoded value of `oauth_signature`. */
export function signatureFacts(text: string, announced: Announced | undefined, read: ReadSignature): Fact[] {
  if (announced === undefined) {
    return [{ id: 'unknown-method', text: 'The announced signature method is not one that is known here.' }];
  }
  if (announced.kind === 'plaintext' || text === '') return [];
  if (read.length === undefined) {
    return [{ id: 'not-base64', text: 'oauth_signature is neither base64 nor another known form of bytes.' }];
  }
  return announced.kind === 'hmac' ? aboutHmac(announced, read) : aboutRsa(announced, read);
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

function aboutRsa({ hash }: Announced, { opening, readings }: ReadSignature): Fact[] {
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
          text: `The key matches and the padding is right, but the ${opening.length} bytes inside are not a digest.`,
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
