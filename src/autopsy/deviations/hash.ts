/** Deviations in the last step: hash, MAC and RSA signature (RFC 5849 sections 3.4.2 and 3.4.3). */
import type { Deviation } from '../deviation.ts';
import type { Recipe } from '../signer/recipe.ts';

const stage = 'hash';
const snippet = 'sign';

function mac<Id extends string>(
  id: Id,
  change: Partial<Recipe>,
  developer: string,
  fix: string,
): Deviation & { readonly id: Id } {
  const summary = 'The client computes the signature in another way than it announces.';
  return { id, stage, snippet, change, summary, developer, fix };
}

/** Searched for. */
export const hashing = [
  mac(
    'key-and-text-swapped',
    { mac: 'swapped' },
    'Key and base string are exchanged in the call of the HMAC function.',
    'Look at the order of its arguments.',
  ),
  mac(
    'hash-of-key-and-text',
    { mac: 'key-first' },
    'A plain hash of key and base string, one after the other, is not an HMAC.',
    'Use the HMAC function of your language.',
  ),
  mac(
    'hash-of-text-and-key',
    { mac: 'key-last' },
    'A plain hash of base string and key, one after the other, is not an HMAC.',
    'Use the HMAC function of your language.',
  ),
  mac(
    'hash-without-key',
    { mac: 'no-key' },
    'A plain hash of the base string, without any key.',
    'Use the HMAC function of your language.',
  ),
  mac(
    'digest-signed',
    { prehash: 'bytes' },
    'The base string is hashed before it goes to a function that hashes by itself.',
    'Give the base string itself to the signing function.',
  ),
  mac(
    'hex-digest-signed',
    { prehash: 'hex' },
    'The hash of the base string, written in hex, is signed instead of the base string.',
    'Give the base string itself to the signing function.',
  ),
  mac(
    'base64-digest-signed',
    { prehash: 'base64' },
    'The hash of the base string, written in base64, is signed instead of the base string.',
    'Give the base string itself to the signing function.',
  ),
] as const satisfies readonly Deviation[];

function read<Id extends string>(id: Id, developer: string, fix: string): Deviation & { readonly id: Id } {
  return mac(id, {}, developer, fix);
}

function hash<Name extends string>(name: Name, title: string) {
  return read(
    `hash-${name}` as const,
    `The signature is made with ${title}, which is not the hash of the announced method.`,
    'Use the hash that oauth_signature_method names.',
  );
}

/** Seen from the signature itself. */
export const seenInSignature = [
  hash('md5', 'MD5'),
  hash('sha1', 'SHA-1'),
  hash('sha224', 'SHA-224'),
  hash('sha256', 'SHA-256'),
  hash('sha384', 'SHA-384'),
  hash('sha512', 'SHA-512'),
  read(
    'hmac-instead-of-rsa',
    'The announced method is RSA, and the signature an HMAC with the consumer secret.',
    'Sign with the RSA private key.',
  ),
  read(
    'rsa-instead-of-hmac',
    'The announced method is HMAC, and the signature an RSA signature.',
    'Sign with the consumer secret.',
  ),
  read(
    'pss-padding',
    'The signature has PSS padding; RSA-SHA256 means RSASSA-PKCS1-v1_5.',
    'Choose PKCS #1 v1.5 padding.',
  ),
  read(
    'digest-info-missing',
    'The bare digest is signed, without the DigestInfo that names the hash (RFC 8017 9.2).',
    'Use the signing function of the library, not its private-key encryption.',
  ),
  read(
    'plaintext-signature',
    'The signature is the key itself, as for the method PLAINTEXT.',
    'Change the secret, which was sent in the clear, and sign with the announced method.',
  ),
] as const satisfies readonly Deviation[];
