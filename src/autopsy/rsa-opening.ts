/** What an RSA signature holds, seen with the public key (RFC 8017 sections 8.2.2 and 9.2). */
import { constants, createHash, type KeyObject, publicDecrypt } from 'node:crypto';
import type { HashName } from '../deviations/signer/mac.ts';

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

export interface PssOpening {
  readonly kind: 'pss';
  readonly hash: HashName;
  /** No: so little structure that one signature in many thousands has it by chance. */
  readonly certain: boolean;
  readonly matches: (digest: string) => boolean;
}

const lengths: readonly (readonly [HashName, number])[] = [
  ['sha256', 32],
  ['sha1', 20],
  ['sha384', 48],
  ['sha512', 64],
];

/** `block` is the signature raised to the public exponent. Undefined where no hash gives a block that is PSS. */
export function openPss(block: Buffer, modulusBits: number): PssOpening | undefined {
  if (block.at(-1) !== 0xbc) return undefined;
  for (const [hash, length] of lengths) {
    const found = saltOf(block, modulusBits, hash, length);
    if (found === undefined) continue;
    const { salt, certain } = found;
    const tag = block.subarray(block.length - 1 - length, -1).toString('hex');
    const matches = (digest: string): boolean =>
      createHash(hash).update(Buffer.alloc(8)).update(digest, 'hex').update(salt).digest('hex') === tag;
    return { kind: 'pss', hash, certain, matches };
  }
  return undefined;
}

/** The salt, which follows zeros and a one; with the longest salt there are no zeros. */
function saltOf(
  block: Buffer,
  modulusBits: number,
  hash: HashName,
  length: number,
): { salt: Buffer; certain: boolean } | undefined {
  // With a modulus of 8n + 1 bits the encoded message is a byte shorter than the block.
  const message = (modulusBits - 1) % 8 === 0 ? block.subarray(1) : block;
  const maskedLength = message.length - length - 1;
  if (maskedLength < 9) return undefined;
  const tag = message.subarray(maskedLength, -1);
  const mask = maskOf(tag, maskedLength, hash);
  const data = Buffer.from(message.subarray(0, maskedLength)).map((byte, index) => byte ^ mask[index]!);
  const unusedBits = 8 * message.length - (modulusBits - 1);
  data[0]! &= 0xff >> unusedBits;
  const one = data.findIndex((byte) => byte !== 0);
  if (one === -1 || data[one] !== 1) return undefined;
  return { salt: Buffer.from(data.subarray(one + 1)), certain: one >= 4 };
}

/** MGF1 (RFC 8017 appendix B.2.1). */
function maskOf(seed: Uint8Array, length: number, hash: HashName): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0, done = 0; done < length; counter += 1) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    const block = createHash(hash).update(seed).update(number).digest();
    blocks.push(block);
    done += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}
