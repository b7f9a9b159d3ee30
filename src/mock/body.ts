/** Reads a request body within a bound. */
import type { IncomingMessage } from 'node:http';

/** The whole body; `too-large` as soon as that is known; `gone` where the client leaves before the end. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too-large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        resolve('too-large');
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => resolve('gone'));
    request.once('close', () => resolve('gone'));
  });
}
