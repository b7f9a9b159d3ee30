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

/** gzip, zlib and deflate (RFC 1950 to 1952). What was packed cannot be written back at its length: all of it goes. */
export function inflated(bytes: Buffer): readonly Piece[] {
  // Text is none of them.
  if (bytes.length < 8 || !bytes.subarray(0, 64).some((byte) => byte < 9 || byte > 126)) return [];
  const start = bytes.readUInt16BE(0);
  const isZlib = (start & 0x0f00) === 0x0800 && start % 31 === 0;
  // The first block of deflate alone: its last one with fixed codes, or one with codes of its own.
  if (start !== 0x1f8b && !isZlib && !startsDeflate(bytes)) return [];
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
