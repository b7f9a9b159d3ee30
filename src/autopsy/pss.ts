/** Recognises RSASSA-PSS (RFC 8017 section 9.1.2), which clients use where PKCS #1 v1.5 is meant. */
import { createHash } from 'node:crypto';
import type { HashName } from './signer/mac.ts';

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
