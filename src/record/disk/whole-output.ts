/** Output that leads to a file arrives there whole, or its stream ends with an error. */
import { fstatSync, writeSync } from 'node:fs';

/** A disk that fills up takes a part of a write and says nothing of the rest, and node does not look at how much was taken. */
export function writeWholly(stream: Pick<NodeJS.WriteStream, '_write'> & { readonly fd: number }): void {
  // A stream that failed forgets which file it was.
  const { fd } = stream;
  if (!isFile(fd)) return;
  stream._write = (chunk: string | Uint8Array, encoding, done) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch (cause) {
      done(cause as NodeJS.ErrnoException);
      return;
    }
    done();
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
