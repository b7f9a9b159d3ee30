/** Replaces `node:crypto` in the browser, because WebCrypto has no synchronous hashes and no RSA without padding. */
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';

const hashes = { md5, sha1, sha224, sha256, sha384, sha512 };
type HashName = keyof typeof hashes;
type Data = string | Uint8Array;

export function hash(name: HashName, data: Data, encoding: 'hex'): string {
  return Buffer.from(hashes[name](bytesOf(data))).toString(encoding);
}

export function createHash(name: HashName): Hasher {
  return new Hasher(hashes[name].create());
}

export function createHmac(name: HashName, key: Data | { readonly secret: Uint8Array }): Hasher {
  const bytes = typeof key === 'object' && 'secret' in key ? key.secret : bytesOf(key);
  return new Hasher(hmac.create(hashes[name], bytes));
}

export function createSecretKey(text: string): { readonly secret: Uint8Array } {
  return { secret: bytesOf(text) };
}

/** Compares bytes. Constant time is not needed, because the user of the page knows the secrets. */
export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

class Hasher {
  private readonly state: { update(data: Uint8Array): unknown; digest(): Uint8Array };

  constructor(state: Hasher['state']) {
    this.state = state;
  }

  update(data: Data, encoding?: BufferEncoding): this {
    this.state.update(typeof data === 'string' ? Buffer.from(data, encoding) : bytesOf(data));
    return this;
  }

  digest(): Buffer;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding): Buffer | string {
    const bytes = Buffer.from(this.state.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

/** An RSA public key with those members of KeyObject that the autopsy uses. */
class PublicKey {
  readonly type = 'public';
  readonly asymmetricKeyType = 'rsa';
  readonly asymmetricKeyDetails: { readonly modulusLength: number };
  readonly modulus: bigint;
  readonly exponent: bigint;
  private readonly jwk: { readonly n: string; readonly e: string };

  constructor([modulus, exponent]: readonly Uint8Array[]) {
    this.modulus = numberOf(modulus!);
    this.exponent = numberOf(exponent!);
    this.asymmetricKeyDetails = { modulusLength: this.modulus.toString(2).length };
    const base64url = (value: bigint) =>
      bigEndian(value, Math.ceil(value.toString(16).length / 2)).toString('base64url');
    this.jwk = { n: base64url(this.modulus), e: base64url(this.exponent) };
  }

  export(): { readonly n: string; readonly e: string } {
    return this.jwk;
  }
}

const rsaEncryption = '2a864886f70d010101';

/** Reads PEM: SPKI (RFC 5280 section 4.1), PKCS #1 (RFC 8017 appendix A.1.1), or a certificate. Throws Error. */
export function createPublicKey(pem: string): PublicKey | { readonly asymmetricKeyType: string } {
  const found = /-----BEGIN (PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----([^-]+)-----END \1-----/.exec(pem);
  if (found === null) throw new Error('no PEM');
  const [, label, base64] = found;
  const parts = parseDer(contentOf(Buffer.from(base64!, 'base64')));
  if (label === 'RSA PUBLIC KEY') return new PublicKey(parts.map(({ content }) => content));
  const [algorithm, key] = label === 'CERTIFICATE' ? parseDer(parts[0]!.content).map(spkiOf).find(Boolean)! : parts;
  const oid = Buffer.from(parseDer(algorithm!.content)[0]!.content).toString('hex');
  if (oid !== rsaEncryption) return { asymmetricKeyType: `other than rsa (${oid})` };
  // Skip the first byte of the bit string, which is the number of unused bits.
  return new PublicKey(parseDer(contentOf(key!.content.subarray(1))).map(({ content }) => content));
}

/** Returns the algorithm and the key of a SubjectPublicKeyInfo. Undefined for other parts of a certificate. */
function spkiOf({ tag, content }: Der): readonly Der[] | undefined {
  if (tag !== 0x30) return undefined;
  const parts = parseDer(content);
  return parts.length === 2 && parts[0]!.tag === 0x30 && parts[1]!.tag === 0x03 ? parts : undefined;
}

/** Replaces functions of node:crypto that the page never calls, such as `sign`. */
function unsupported(): never {
  throw new Error('nothing is signed here');
}

export { unsupported as createPrivateKey, unsupported as createSign, unsupported as createVerify, unsupported as sign };

export const constants = { RSA_NO_PADDING: 3 };

/** RSA without padding: signature ** exponent % modulus. Throws Error if the length is wrong or the value too large. */
export function publicDecrypt({ key }: { readonly key: PublicKey }, signature: Uint8Array): Buffer {
  const length = Math.ceil(key.asymmetricKeyDetails.modulusLength / 8);
  let power = numberOf(signature);
  if (signature.length !== length || power >= key.modulus) throw new Error('not below the modulus');
  let result = 1n;
  for (let { exponent } = key; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * power) % key.modulus;
    power = (power * power) % key.modulus;
  }
  return bigEndian(result, length);
}

/** RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2.2). */
export function verify(_: 'RSA-SHA256', data: Uint8Array, key: PublicKey, signature: Uint8Array): boolean {
  try {
    const hex = publicDecrypt({ key }, signature).toString('hex');
    const digest = `003031300d060960864801650304020105000420${hash('sha256', data, 'hex')}`;
    return hex === `0001${'f'.repeat(hex.length - 4 - digest.length)}${digest}`;
  } catch {
    return false;
  }
}

function bytesOf(data: Data): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

function bigEndian(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex');
}

/** A DER value (X.690), as far as it is needed to read a public key. */
interface Der {
  readonly tag: number;
  readonly content: Uint8Array;
}

function parseDer(bytes: Uint8Array): Der[] {
  const parts: Der[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const tag = bytes[offset]!;
    let length = bytes[offset + 1] ?? 0;
    offset += 2;
    if (length > 0x80) {
      const digits = bytes.subarray(offset, offset + (length & 0x7f));
      offset += digits.length;
      length = digits.reduce((total, digit) => total * 256 + digit, 0);
    }
    if (offset + length > bytes.length) throw new Error('truncated DER');
    parts.push({ tag, content: bytes.subarray(offset, offset + length) });
    offset += length;
  }
  return parts;
}

function contentOf(bytes: Uint8Array): Uint8Array {
  const [outer] = parseDer(bytes);
  if (outer === undefined) throw new Error('no DER');
  return outer.content;
}
