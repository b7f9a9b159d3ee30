/** Makes the package `buffer` equal to Node's Buffer for base64url and for partly hexadecimal text. */
import { Buffer } from 'buffer/';

const { from } = Buffer;
const written = Buffer.prototype.toString;

Buffer.from = ((value: unknown, encoding?: unknown, ...rest: unknown[]) => {
  // Node reads digits up to the first invalid one.
  const digits = encoding === 'hex' ? /^(?:[0-9a-f]{2})*/i.exec(String(value))![0] : value;
  // Both accept either alphabet when they decode base64.
  return Reflect.apply(from, Buffer, [digits, encoding === 'base64url' ? 'base64' : encoding, ...rest]);
}) as typeof from;

Buffer.prototype.toString = function (this: Buffer, encoding?: string, ...rest: number[]): string {
  if (encoding !== 'base64url') return Reflect.apply(written, this, [encoding, ...rest]);
  const base64: string = Reflect.apply(written, this, ['base64', ...rest]);
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

export { Buffer };
