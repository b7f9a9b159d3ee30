/** Node's Buffer for a browser, by the package `buffer`, where that one differs: base64url, and text that is only partly hexadecimal. */
import { Buffer } from 'buffer/';

const { from } = Buffer;
const written = Buffer.prototype.toString;

Buffer.from = ((value: unknown, encoding?: unknown, ...rest: unknown[]) => {
  // Node reads digits up to the first that is none.
  const digits = encoding === 'hex' ? /^(?:[0-9a-f]{2})*/i.exec(String(value))![0] : value;
  // Reading base64, both take either alphabet.
  return Reflect.apply(from, Buffer, [digits, encoding === 'base64url' ? 'base64' : encoding, ...rest]);
}) as typeof from;

Buffer.prototype.toString = function (this: Buffer, encoding?: string, ...rest: number[]): string {
  if (encoding !== 'base64url') return Reflect.apply(written, this, [encoding, ...rest]);
  const base64: string = Reflect.apply(written, this, ['base64', ...rest]);
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
};

export { Buffer };
