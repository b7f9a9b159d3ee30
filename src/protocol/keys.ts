/** RSA keys for RSA-SHA256, parsed once: a KeyObject is what `sign` and `verifySignature` take. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ProtocolError } from './protocol-error.ts';

/** Bits; RFC 8017 sets no bound, NIST SP 800-131A does. */
const smallest = 2048;

/**
 * Reads a private key from PEM (PKCS#8 or PKCS#1); a byte-order mark and CRLF line ends do no harm.
 * Throws `not-a-key`, `not-rsa` or `key-too-small`.
 */
export function readPrivateKey(pem: string): KeyObject {
  if (pem.includes('BEGIN ENCRYPTED PRIVATE KEY') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    throw new ProtocolError('not-a-key', 'the private key is encrypted', {
      hint: 'Store it without a passphrase: openssl pkey -in KEY -out KEY.plain',
    });
  }
  return usable(parsed('private', () => createPrivateKey(pem)));
}

/**
 * Reads a public key from PEM: SPKI, PKCS#1, or an X.509 certificate. A private key is refused, so that none ends
 * up where a public one belongs. A key of fewer than `atLeast` bits is refused: 2048, unless a caller only examines what
 * others have signed.
 * Throws `not-a-key`, `not-rsa` or `key-too-small`.
 */
export function readPublicKey(pem: string, atLeast = smallest): KeyObject {
  if (pem.includes('PRIVATE KEY-----')) {
    throw new ProtocolError('not-a-key', 'a private key was given where a public key belongs', {
      hint: 'Take the public half: openssl pkey -in KEY -pubout',
    });
  }
  return usable(
    parsed('public', () => createPublicKey(pem)),
    atLeast,
  );
}

function parsed(kind: string, read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    // The parser's own error is left out: it may quote what it read.
    const name = kind === 'private' ? 'PRIVATE' : 'PUBLIC';
    throw new ProtocolError('not-a-key', `the text is not a ${kind} key in PEM`, {
      hint: `A PEM file starts with "-----BEGIN ${name} KEY-----" and ends with "-----END ${name} KEY-----"; nothing between them may be missing.`,
    });
  }
}

function usable(key: KeyObject, atLeast = smallest): KeyObject {
  if (key.asymmetricKeyType !== 'rsa') {
    throw new ProtocolError('not-rsa', `the key is of type ${key.asymmetricKeyType}, RSA-SHA256 needs an RSA key`);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < atLeast) {
    throw new ProtocolError('key-too-small', `the key has ${bits} bits, at least ${atLeast} are needed`);
  }
  return key;
}
