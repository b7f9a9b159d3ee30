/** The members of gzip and zip files, such as blob reports and traces (RFC 1952; PKWARE APPNOTE, sections 4.3.12 and 4.3.16). */
import { gunzipSync, inflateRawSync } from 'node:zlib';

/** Bytes of one member; what is larger is not the output of a run. */
const largestMember = 512 * 1024 * 1024;

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const stored = 0;
const deflated = 8;

/** Whether the bytes start as gzip or zip do. */
export function looksPacked(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b);
}

/** Bytes of each member; empty where the bytes are neither gzip nor zip, or are damaged. */
export function unpacked(bytes: Uint8Array): Buffer[] {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!looksPacked(packed)) return [];
  if (packed[0] === 0x1f) return attempt(() => gunzipSync(packed, limits));
  return entriesOf(packed).flatMap(({ method, data }) => {
    if (method === stored) return [data];
    return method === deflated ? attempt(() => inflateRawSync(data, limits)) : [];
  });
}

const limits = { maxOutputLength: largestMember };

interface Entry {
  readonly method: number;
  readonly data: Buffer;
}

/** By the directory at the end: only there are the sizes known for certain. */
function entriesOf(zip: Buffer): Entry[] {
  const end = zip.lastIndexOf(signature(endOfDirectory));
  if (end === -1 || end + 22 > zip.length) return [];
  const count = zip.readUInt16LE(end + 10);
  const entries: Entry[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== directoryEntry) break;
    const local = zip.readUInt32LE(at + 42);
    if (local + 30 > zip.length) break;
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    entries.push({ method: zip.readUInt16LE(at + 10), data: zip.subarray(start, start + zip.readUInt32LE(at + 20)) });
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A foreign body may start like an archive and be none. */
function attempt(unpack: () => Buffer): Buffer[] {
  try {
    return [unpack()];
  } catch {
    return [];
  }
}
