/** Reads a request body within a bound. */
import type { IncomingMessage } from 'node:http';

/**
 * The whole body; `too-large` as soon as that is known; `gone` where the client leaves before the end.
 * @param keeps is shown each chunk and says whether the body is still wanted; once it is not, the body is given as empty
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  keeps: (chunk: Uint8Array) => boolean = () => true,
): Promise<Uint8Array | 'too-large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) resolve('too-large');
      else if (keeps(chunk)) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once('error', () => resolve('gone'));
    request.once('close', () => resolve('gone'));
  });
}
