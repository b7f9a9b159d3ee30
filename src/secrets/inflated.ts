/** The content of packed bytes (RFC 1950 to 1952), and a quick look that spares most of those that are not. */
import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Piece } from './escapes.ts';

/**
 * Also where its end is missing. Bytes, so that a small body cannot fill the memory. Node keeps a buffer of `chunkSize` for each
 * attempt until the event loop turns, which it does not while a recording is gone through: few bytes get a small one.
 */
const limitsFor = ({ length }: Buffer) => ({
  finishFlush: constants.Z_SYNC_FLUSH,
  maxOutputLength: 64 * 1024 * 1024,
  chunkSize: Math.min(Math.max(length, 64), 16 * 1024),
});

/**
 * Whether deflate can start so (RFC 1951 sections 3.2.3 and 3.2.7): a last block with fixed codes, or a block whose code of code
 * lengths is complete. Of random bytes every eighth starts like the former, and next to none like the latter.
 */
function startsDeflate(bytes: Buffer): boolean {
  const kind = bytes[0]! & 7;
  if (kind === 3) return true;
  if (kind !== 4 && kind !== 5) return false;
  const bitsAt = (at: number, count: number) => (bytes.readUInt16LE(at >> 3) >> (at & 7)) & ((1 << count) - 1);
  const lengths = Array.from({ length: bitsAt(13, 4) + 4 }, (_, index) => {
    const at = 17 + 3 * index;
    return (at >> 3) + 1 < bytes.length ? bitsAt(at, 3) : 0;
  });
  const filled = lengths.reduce((sum, length) => sum + (length === 0 ? 0 : 128 >> length), 0);
  return filled === 128 && bitsAt(3, 5) < 30;
}

/**
 * Whether a first block with fixed codes (RFC 1951 section 3.2.6) has a fault, as random bytes have after a few symbols: a code
 * that says nothing, or a distance to what is before the start. To ask the library takes a hundred times as long.
 */
function breaksOff(bytes: Buffer): boolean {
  let at = 3;
  const bits = (count: number): number => {
    let value = 0;
    for (let place = 0; place < count; place += 1, at += 1) value |= ((bytes[at >> 3]! >> (at & 7)) & 1) << place;
    return value;
  };
  // The bits of a code come with the first one in front.
  const code = (count: number): number => {
    let value = 0;
    for (let left = count; left > 0; left -= 1) value = 2 * value + bits(1);
    return value;
  };
  let said = 0;
  // What the last bits say is for the library to judge.
  while (at + longestPair <= 8 * bytes.length) {
    const seven = code(7);
    if (seven === 0) return false;
    const eight = seven < 24 ? 0 : 2 * seven + code(1);
    if (seven >= 24 && (eight < 0xc0 || eight > 0xc7)) {
      if (eight > 0xc7) code(1);
      said += 1;
      continue;
    }
    const length = (seven < 24 ? seven : eight - 0xc0 + 24) - 1;
    if (length > 28) return true;
    const more = length < 8 || length === 28 ? 0 : (length >> 2) - 1;
    const copied = length === 28 ? 258 : (length < 8 ? length : (4 + (length & 3)) << more) + 3 + bits(more);
    const distance = code(5);
    if (distance > 29) return true;
    const further = distance < 4 ? 0 : (distance >> 1) - 1;
    const back = (distance < 4 ? distance : (2 + (distance & 1)) << further) + 1 + bits(further);
    if (back > said) return true;
    said += copied;
  }
  return false;
}

/** Bits of a length and a distance with what follows each of them. */
const longestPair = 9 + 5 + 5 + 13;

/** gzip, zlib and deflate (RFC 1950 to 1952). What was packed cannot be written back at its length: all of it goes. */
export function inflated(bytes: Buffer): readonly Piece[] {
  if (bytes.length < 8) return [];
  const start = (bytes[0]! << 8) | bytes[1]!;
  const isZlib = (start & 0x0f00) === 0x0800 && start % 31 === 0;
  // The first block of deflate alone: its last one with fixed codes, or one with codes of its own.
  if (start !== 0x1f8b && !isZlib && !startsDeflate(bytes)) return [];
  // Text is none of them.
  if (!bytes.subarray(0, 64).some((byte) => byte < 9 || byte > 126)) return [];
  if (start !== 0x1f8b && !isZlib && (bytes[0]! & 7) === 3 && breaksOff(bytes)) return [];
  const unpack = start === 0x1f8b ? gunzipSync : isZlib ? inflateSync : inflateRawSync;
  // Most of what starts so is random: the place of an error takes longer to find than the error.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const decoded = unpack(bytes, limitsFor(bytes));
    return decoded.length === 0 ? [] : [{ decoded, put: (out) => void out.fill('x') }];
  } catch {
    return [];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
