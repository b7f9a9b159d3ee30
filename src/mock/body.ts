/** Reads a request body within a bound. */
import type { IncomingMessage } from 'node:http';

/** The whole body, or `too-large` as soon as that is known; rejects where the client goes away. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.pause();
        resolve('too-large');
      } else {
        chunks.push(chunk);
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client went away')));
  });
}
