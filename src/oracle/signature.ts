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
  const key = publicKey(publicKeyPem);
  const digest = forge.md.sha256.create().update(baseString).digest().getBytes();
  try {
    return key.verify(digest, bytes, { verify: isEncodedMessage(key) });
  } catch {
    // The library throws where the length is wrong.
    return false;
  }
}

/** DigestInfo of SHA-256 before the digest itself (RFC 8017 section 9.2, note 1). */
const digestInfo = forge.util.hexToBytes('3031300d060960864801650304020105000420');

/**
 * Compares the whole encoded message (RFC 8017 section 8.2.2). The library's own comparison takes a padding that names
 * another hash than the one in use.
 */
function isEncodedMessage(key: forge.pki.rsa.PublicKey): (digest: string, encoded: string) => boolean {
  return (digest, encoded) => {
    const length = Math.ceil(key.n.bitLength() / 8);
    const padding = '\xff'.repeat(length - digestInfo.length - digest.length - 3);
    return encoded === `\x00\x01${padding}\x00${digestInfo}${digest}`;
  };
}

const parsed = new Map<string, forge.pki.rsa.PublicKey>();

function publicKey(pem: string): forge.pki.rsa.PublicKey {
  const known = parsed.get(pem);
  if (known !== undefined) return known;
  const text = pem.replace(/^\ufeff/, '');
  const key = text.includes('BEGIN CERTIFICATE')
    ? (forge.pki.certificateFromPem(text).publicKey as forge.pki.rsa.PublicKey)
    : (forge.pki.publicKeyFromPem(text) as forge.pki.rsa.PublicKey);
  // A run knows few keys; the bound is there for one that makes them up.
  if (parsed.size >= 64) parsed.clear();
  parsed.set(pem, key);
  return key;
}

function escaped(secret: string): string {
  return encodeURIComponent(secret).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
