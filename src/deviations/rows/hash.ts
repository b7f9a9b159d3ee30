/** Deviations in hash, MAC, RSA signature and output encoding (RFC 5849 sections 3.4.2, 3.4.3 and 3.5.1). */
import { inStep } from '../deviation.ts';

const otherWay = 'The client does not use the signature method that it announces.';
const made = inStep('hash', 'sign', { summary: otherWay });
const noHmac = inStep('hash', 'sign', { summary: otherWay, fix: 'Use the HMAC function of your language.' });
const hashed = inStep('hash', 'sign', {
  summary: otherWay,
  fix: 'Pass the base string itself to the signing function.',
});

/** The search tries these; `seenInSignature` needs no search. */
export const hashing = [
  made('key-and-text-swapped', { mac: 'swapped' })`
    Key and base string are exchanged in the call of the HMAC function.
    Look at the order of its arguments.`,
  noHmac('hash-of-key-and-text', { mac: 'key-first' })`
    A plain hash of key and base string, one after the other, is not an HMAC.`,
  noHmac('hash-of-text-and-key', { mac: 'key-last' })`
    A plain hash of base string and key, one after the other, is not an HMAC.`,
  noHmac('hash-without-key', { mac: 'no-key' })`A plain hash of the base string, without any key.`,
  hashed('digest-signed', { prehash: 'bytes' })`
    The base string is hashed before it goes to a function that hashes by itself.`,
  hashed('hex-digest-signed', { prehash: 'hex' })`
    The hash of the base string, written in hex, is signed instead of the base string.`,
  hashed('base64-digest-signed', { prehash: 'base64' })`
    The hash of the base string, written in base64, is signed instead of the base string.`,
] as const;

function hash<const Name extends string>(name: Name, title: string) {
  return made(`hash-${name}`)`
    The signature is made with ${title}, which is not the hash of the announced method.
    Use the hash that oauth_signature_method names.`;
}

const form = 'The signature is right, but written in the wrong form.';
const written = inStep('output', 'header', { summary: form });
const notBase64 = inStep('output', 'header', {
  summary: form,
  fix: 'Encode the bytes of the signature in base64 with the standard alphabet, with padding, in one line.',
});

export const seenInSignature = [
  hash('md5', 'MD5'),
  hash('sha1', 'SHA-1'),
  hash('sha224', 'SHA-224'),
  hash('sha256', 'SHA-256'),
  hash('sha384', 'SHA-384'),
  hash('sha512', 'SHA-512'),
  made('hmac-instead-of-rsa')`
    The announced method is RSA, and the signature an HMAC with the consumer secret.
    Sign with the RSA private key.`,
  made('rsa-instead-of-hmac')`
    The announced method is HMAC, and the signature an RSA signature.
    Sign with the consumer secret.`,
  made('pss-padding')`
    The signature has PSS padding; RSA-SHA256 means RSASSA-PKCS1-v1_5.
    Choose PKCS #1 v1.5 padding.`,
  made('digest-info-missing')`
    The bare digest is signed, without the DigestInfo that names the hash (RFC 8017 9.2).
    Use the signing function of the library, not its private-key encryption.`,
  made('plaintext-signature')`
    The signature is the key itself, as for the method PLAINTEXT.
    Change the secret, which was sent in the clear, and sign with the announced method.`,
  notBase64('signature-unpadded')`The "=" at the end of the base64 text is missing.`,
  notBase64('signature-url-safe')`The base64 text has "-" and "_" instead of "+" and "/".`,
  notBase64('signature-url-safe-unpadded')`The base64 text has "-" and "_" instead of "+" and "/", and no padding.`,
  notBase64('signature-with-newline')`A line end follows the base64 text.`,
  notBase64('signature-wrapped')`The base64 text is broken into lines, as many encoders do by default.`,
  written('signature-plus-lost')`
    Every "+" of the signature arrived as a space: it was sent raw through something that reads forms.
    Percent-encode the signature in the header: %2B, %2F, %3D.`,
  notBase64('signature-in-hex')`The bytes are written in hex.`,
  notBase64('signature-in-upper-case-hex')`The bytes are written in hex, in upper case.`,
  written('hex-digest-in-base64')`
    The hex text of the bytes is encoded in base64.
    Ask the hash function for bytes, not for hex.`,
  written('double-base64')`
    The base64 text is encoded in base64 again.
    Encode once; the function may have done it already.`,
  written('signature-escaped-before-header')`
    Only the signature is percent-encoded twice: before the header is written, and then with it.
    Encode values once, when the header is written.`,
  written('signature-bytes-reversed')`
    The bytes are in reverse order, as the Windows CryptoAPI gives them.
    Reverse them before you encode.`,
] as const;
