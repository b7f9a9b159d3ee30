/** Ed25519 keys as PEM: the one that certificates are signed with, and the one that they are checked with. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A fresh pair: PKCS#8 and SubjectPublicKeyInfo. */
export function newKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** The key, or what the text holds in its place, to complete "the file x ...". Nothing of the text is repeated. */
export function signingKey(pem: string): KeyObject | string {
  if (pem.includes('ENCRYPTED')) return 'holds an encrypted key';
  if (!pem.includes('PRIVATE KEY')) return 'holds no private key in PEM';
  return ed25519(() => createPrivateKey(pem));
}

/** The same for a public key. */
export function checkingKey(pem: string): KeyObject | string {
  // It would work, since a private key implies the public one; but then it is in a place where it does not belong.
  if (pem.includes('PRIVATE KEY')) return 'holds a private key, which nobody but its owner needs';
  if (!pem.includes('PUBLIC KEY')) return 'holds no public key in PEM';
  return ed25519(() => createPublicKey(pem));
}

function ed25519(read: () => KeyObject): KeyObject | string {
  try {
    const key = read();
    return key.asymmetricKeyType === 'ed25519' ? key : 'holds a key for something else than Ed25519';
  } catch {
    return 'holds a key that cannot be read';
  }
}
