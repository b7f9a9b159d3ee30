/** The package `buffer` with two changes, so that it decodes base64url and invalid hexadecimal text as Node does. */
import { Buffer } from 'buffer/';

const { from } = Buffer;
const originalToString = Buffer.prototype.toString;

Buffer.from = ((value: unknown, encoding?: unknown, ...rest: unknown[]) => {
  // Node decodes hexadecimal text only up to the first invalid digit, so pass only this part.
  const input = encoding === 'hex' ? /^(?:[0-9a-f]{2})*/i.exec(String(value))![0] : value;
  // The package does not know `base64url`, but its `base64` decodes both alphabets.
  return Reflect.apply(from, Buffer, [input, encoding === 'base64url' ? 'base64' : encoding, ...rest]);
}) as typeof from;

Buffer.prototype.toString = function (this: Buffer, encoding?: string, ...rest: number[]): string {
  if (encoding !== 'base64url') return Reflect.apply(originalToString, this, [encoding, ...rest]);
  const base64: string = Reflect.apply(originalToString, this, ['base64', ...rest]);
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

export { Buffer };
