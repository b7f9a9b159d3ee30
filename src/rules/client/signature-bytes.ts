/** The text of oauth_signature (section 5): its bytes, whatever was done to their base64, and the hash that they were made with. */
import type { SignatureMethod, VerifyingKey } from '../../protocol/index.ts';
import { decodeRepeatedly } from './header-reading.ts';

export interface SignatureText {
  /** Canonical base64 of the signature's bytes; absent where there are none. */
  readonly repaired?: string;
  /** What is wrong with the base64; percent-encoding is not looked at. */
  readonly fault?: string;
}

/** Reads the value of oauth_signature, decoded once. */
export function readSignature(value: string): SignatureText {
  let text = decodeRepeatedly(value);
  if (/^(?:[0-9a-f]{2}){20,}$/i.test(text) && isHexSize(text.length)) {
    return { repaired: Buffer.from(text, 'hex').toString('base64'), fault: 'hexadecimal text' };
  }
  let fault: string | undefined;
  if (/[\r\n]/.test(text)) fault = 'a line break';
  else if (/[^\S ]/.test(text)) fault = 'white space';
  // A + that was read as the space of a form; the escape is at fault, and the bytes are still there.
  else if (text.includes(' ')) fault = 'a space';
  text = text
    .replace(/[^\S ]/g, '')
    .trim()
    .replaceAll(' ', '+');
  if (/[-_]/.test(text)) {
    fault ??= 'the URL-safe alphabet';
    text = text.replaceAll('-', '+').replaceAll('_', '/');
  }
  if (/[^A-Za-z0-9+/=]/.test(text)) return { fault: fault ?? 'characters that are not base64' };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0) return { fault: fault ?? 'no bytes' };
  const canonical = bytes.toString('base64');
  if (canonical !== text) fault ??= 'text without its padding';
  const inner = innerText(bytes);
  return inner ?? { repaired: canonical, fault };
}

/** The hash or algorithm that the signature was made with, where it is plainly not that of the method. */
export function otherAlgorithm(signature: string, key: VerifyingKey): string | undefined {
  const bytes = Buffer.from(signature, 'base64');
  if (key.method === 'HMAC-SHA1') {
    if (bytes.length >= 128) return `a signature of ${bytes.length} bytes, as RSA makes`;
    const hash = { 16: 'MD5', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' }[bytes.length];
    return hash && `a signature of ${bytes.length} bytes, as HMAC with ${hash} makes`;
  }
  if (bytes.length <= 64) return `a signature of ${bytes.length} bytes, as an HMAC makes`;
  const block = recovered(bytes, key);
  const found = block && digests.find(({ prefix }) => block.includes(prefix));
  return found && `RSA with ${found.name}`;
}

/** Usual sizes, in hexadecimal digits: HMACs and RSA signatures. */
function isHexSize(digits: number): boolean {
  return digits === 40 || digits === 64 || digits === 128 || digits >= 256;
}

/** A base64 text whose bytes are again hexadecimal or base64 text of a signature. */
function innerText(bytes: Buffer): SignatureText | undefined {
  const text = bytes.toString('latin1');
  if (/^[0-9a-f]+$/i.test(text) && isHexSize(text.length)) {
    return { repaired: Buffer.from(text, 'hex').toString('base64'), fault: 'base64 of hexadecimal text' };
  }
  const canonical = Buffer.from(text, 'base64').toString('base64') === text;
  return canonical && text.length >= 28 ? { repaired: text, fault: 'base64 of base64' } : undefined;
}

/** How a digest begins in a PKCS#1 v1.5 block (RFC 8017 section 9.2), besides that of SHA-256. */
const digests = [
  { name: 'SHA-1', prefix: '3021300906052b0e03021a05000414' },
  { name: 'SHA-384', prefix: '3041300d060960864801650304020205000430' },
  { name: 'SHA-512', prefix: '3051300d060960864801650304020305000440' },
  { name: 'MD5', prefix: '3020300c06082a864886f70d020505000410' },
];

/** The block under an RSA signature in hexadecimal: signature to the power of the public exponent. */
function recovered(bytes: Buffer, key: Extract<VerifyingKey, { method: 'RSA-SHA256' }>): string | undefined {
  const { n, e } = key.publicKey.export({ format: 'jwk' });
  if (n === undefined || e === undefined) return undefined;
  const modulus = numberOf(Buffer.from(n, 'base64url'));
  let exponent = numberOf(Buffer.from(e, 'base64url'));
  let power = numberOf(bytes) % modulus;
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * power) % modulus;
    power = (power * power) % modulus;
  }
  return result.toString(16);
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

/** The method that a header names, without regard to case; undefined where it is none of the two. */
export function knownMethod(name: string): SignatureMethod | undefined {
  const upper = name.toUpperCase();
  return upper === 'HMAC-SHA1' || upper === 'RSA-SHA256' ? upper : undefined;
}
