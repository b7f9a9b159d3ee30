/** HMAC-SHA1 (RFC 5849 section 3.4.2) and the verification of RSA-SHA256 by `node-forge`. */
import forge from 'node-forge';

/** HMAC-SHA1 in base64 under both secrets. */
export function oracleHmac(baseString: string, consumerSecret: string, tokenSecret: string): string {
  const hmac = forge.hmac.create();
  hmac.start('sha1', `${escaped(consumerSecret)}&${escaped(tokenSecret)}`);
  hmac.update(baseString);
  return forge.util.encode64(hmac.digest().getBytes());
}

/** Whether a signature in canonical base64 is the RSASSA-PKCS1-v1_5 one with SHA-256. Throws where the key is none. */
export function verifiesRsaSha256(baseString: string, signature: string, publicKeyPem: string): boolean {
  const bytes = forge.util.decode64(signature);
  if (forge.util.encode64(bytes) !== signature) return false;
  const { modulus, exponent, length } = publicKey(publicKeyPem);
  const written = BigInt(`0x0${forge.util.bytesToHex(bytes)}`);
  if (bytes.length !== length || written >= modulus) return false;
  const digest = forge.md.sha256.create().update(baseString).digest().toHex();
  return power(written, exponent, modulus) === encodedMessage(digest, length);
}

/** DigestInfo of SHA-256 before the digest itself (RFC 8017 section 9.2, note 1). */
const digestInfo = '3031300d060960864801650304020105000420';

/**
 * The whole encoded message (RFC 8017 section 9.2), to be compared as a whole: the library's own comparison takes a padding
 * that names another hash than the one in use.
 */
function encodedMessage(digest: string, length: number): bigint {
  const padding = 'ff'.repeat(Math.max(length - (digestInfo.length + digest.length) / 2 - 3, 0));
  return BigInt(`0x0001${padding}00${digestInfo}${digest}`);
}

/** The language's own numbers, since the library's take twenty times as long. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

interface PublicNumbers {
  readonly modulus: bigint;
  readonly exponent: bigint;
  /** Bytes of the modulus. */
  readonly length: number;
}

const parsed = new Map<string, PublicNumbers>();

function publicKey(pem: string): PublicNumbers {
  const known = parsed.get(pem);
  if (known !== undefined) return known;
  const text = pem.replace(/^\ufeff/, '');
  const { n, e } = text.includes('BEGIN CERTIFICATE')
    ? (forge.pki.certificateFromPem(text).publicKey as forge.pki.rsa.PublicKey)
    : (forge.pki.publicKeyFromPem(text) as forge.pki.rsa.PublicKey);
  const [modulus, exponent] = [BigInt(`0x${n.toString(16)}`), BigInt(`0x${e.toString(16)}`)];
  const key = { modulus, exponent, length: Math.ceil(n.bitLength() / 8) };
  // A run knows few keys; the bound is there for one that makes them up.
  if (parsed.size >= 64) parsed.clear();
  parsed.set(pem, key);
  return key;
}

function escaped(secret: string): string {
  return encodeURIComponent(secret).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
