/** What an RSA signature holds, seen with the public key (RFC 8017 sections 8.2.2 and 9.2). */
import { constants, type KeyObject, publicDecrypt } from 'node:crypto';
import { openPss, type PssOpening } from './pss.ts';
import type { HashName } from './signer/mac.ts';

export type RsaOpening =
  /** A DigestInfo in PKCS #1 v1.5 padding. */
  | { readonly kind: 'digest'; readonly hash: HashName; readonly digest: string }
  /** PKCS #1 v1.5 padding, and in it only as many bytes as a digest has. */
  | { readonly kind: 'bare-digest'; readonly hash: HashName; readonly digest: string }
  | PssOpening
  /** Padding, and in it something that is not a digest. */
  | { readonly kind: 'other-content'; readonly content: Buffer }
  | { readonly kind: 'wrong-length'; readonly expected: number }
  /** Neither padding: another key made it, or it is not a signature. */
  | { readonly kind: 'no-padding' };

/** DER of everything before the digest (RFC 8017 section 9.2, note 1). */
export const digestInfos: Readonly<Record<HashName, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

export const hashNames = Object.keys(digestInfos) as HashName[];

/** Bytes of a digest. */
export function digestLength(hash: HashName): number {
  return Number.parseInt(digestInfos[hash].slice(-2), 16);
}

/** Opens a signature. Never throws. */
export function openSignature(signature: Buffer, publicKey: KeyObject): RsaOpening {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  const expected = Math.ceil(bits / 8);
  if (signature.length !== expected) return { kind: 'wrong-length', expected };
  const block = raised(signature, publicKey);
  if (block === undefined) return { kind: 'no-padding' };
  const content = withoutPadding(block);
  if (content !== undefined) return readContent(content);
  return openPss(block, bits) ?? { kind: 'no-padding' };
}

/** The signature to the power of the public exponent; undefined where it is not below the modulus. */
function raised(signature: Buffer, key: KeyObject): Buffer | undefined {
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return undefined;
  }
}

/** What follows 00 01 FF … FF 00, with at least eight FF. */
function withoutPadding(block: Buffer): Buffer | undefined {
  if (block[0] !== 0 || block[1] !== 1) return undefined;
  const end = block.indexOf(0, 2);
  if (end < 10 || !block.subarray(2, end).every((byte) => byte === 0xff)) return undefined;
  return block.subarray(end + 1);
}

function readContent(content: Buffer): RsaOpening {
  const hex = content.toString('hex');
  for (const hash of hashNames) {
    const prefix = digestInfos[hash];
    if (hex.startsWith(prefix) && content.length === prefix.length / 2 + digestLength(hash)) {
      return { kind: 'digest', hash, digest: hex.slice(prefix.length) };
    }
  }
  const hash = hashNames.find((name) => digestLength(name) === content.length);
  const isText = /^[0-9a-f]+$/i.test(content.toString('latin1'));
  return hash === undefined || isText ? { kind: 'other-content', content } : { kind: 'bare-digest', hash, digest: hex };
}
