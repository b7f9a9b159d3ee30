/** Zip archives for tests, as small as the format allows (PKWARE APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16). */
import { deflateRawSync } from 'node:zlib';

/** An archive of these members; checksums are left zero, which no scan looks at. */
export function zip(members: Readonly<Record<string, Buffer>>, compressed = true): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of Object.entries(members)) {
    const data = compressed ? deflateRawSync(bytes) : bytes;
    const common = fields(
      [2, 20],
      [2, 0],
      [2, compressed ? 8 : 0],
      [4, 0],
      [4, 0],
      [4, data.length],
      [4, bytes.length],
    );
    const [label, length] = [Buffer.from(name), fields([2, Buffer.byteLength(name)], [2, 0])];
    const local = Buffer.concat([fields([4, 0x04034b50]), common, length, label, data]);
    const place = fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(Buffer.concat([fields([4, 0x02014b50], [2, 20]), common, length, place, label]));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const count = directory.length;
  const end = fields([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, entries.length], [4, offset], [2, 0]);
  return Buffer.concat([...locals, entries, end]);
}

function fields(...all: readonly (readonly [width: number, value: number])[]): Buffer {
  return Buffer.concat(
    all.map(([width, value]) => {
      const bytes = Buffer.alloc(width);
      bytes.writeUIntLE(value, 0, width);
      return bytes;
    }),
  );
}
