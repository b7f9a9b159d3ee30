/** The second voice: base string and verdict from the raw request, by libraries that this project did not write. */

import forge from 'node-forge';
import OAuth from 'oauth-1.0a';
import { type RawParameter, type RawRequest, requestParameters, requestUri } from './raw-request.ts';

export type { RawRequest } from './raw-request.ts';

export type OpinionKey =
  | { readonly consumerSecret: string; readonly tokenSecret?: string }
  /** SPKI, PKCS#1 or an X.509 certificate, in PEM. */
  | { readonly publicKeyPem: string };

interface Opinion {
  readonly baseString: string;
  /** Whether the header's signature is that of the base string under the key; nothing else is looked at. */
  readonly verified: boolean;
}

/**
 * What `oauth-1.0a` and `node-forge` make of a request exactly as it was on the wire. A request without credentials has
 * a base string too, and is not verified. Throws only where the key cannot be read.
 */
export function secondOpinion(request: RawRequest, key: OpinionKey): Opinion {
  const { signed, signature } = requestParameters(request);
  const baseString = libraryBaseString(request.method, requestUri(request), signed);
  return { baseString, verified: signature !== undefined && verifies(baseString, signature, key) };
}

/** HMAC-SHA1 of a base string, in base64. */
function secondSignature(baseString: string, consumerSecret: string, tokenSecret = ''): string {
  return oracleHmac(baseString, consumerSecret, tokenSecret);
}

function verifies(baseString: string, signature: string, key: OpinionKey): boolean {
  if ('publicKeyPem' in key) return verifiesRsaSha256(baseString, signature, key.publicKeyPem);
  return secondSignature(baseString, key.consumerSecret, key.tokenSecret) === signature;
}

type Values = Record<string, string[]>;

/** The library's own types leave this method out. */
const Library = OAuth as unknown as new (options: OAuth.Options) => OAuth & { percentEncodeData(data: Values): Values };

/**
 * Takes the URI without its query and all parameters decoded. The library reads a `+` of a query as a plus and forgets
 * one of two equal names, so it is given neither a query nor plain values: every name comes with the list of its values.
 */
function libraryBaseString(method: string, uri: string, parameters: readonly RawParameter[]): string {
  const data: Values = Object.create(null);
  for (const [name, value] of parameters) {
    data[name] ??= [];
    data[name].push(value);
  }
  return library().getBaseString({ method, url: uri, data }, Object.create(null));
}

/** The library, with two gaps of its data structures closed; its encoder stays what encodes text. */
function library(): OAuth {
  const oauth = new Library({
    consumer: { key: '', secret: '' },
    signature_method: 'HMAC-SHA1',
    hash_function: () => '',
  });
  const encodeText = oauth.percentEncode.bind(oauth);
  // It cannot carry bytes that are not UTF-8: they come as lone surrogates and leave as their escapes.
  oauth.percentEncode = (text) =>
    text
      .split(/([\udc80-\udcff])/u)
      .map((part, index) => (index % 2 === 0 ? encodeText(part) : escapeKeptByte(part)))
      .join('');
  // It collects into an object with a prototype, where a parameter named __proto__ would vanish.
  oauth.percentEncodeData = (data) => {
    const encoded: Values = Object.create(null);
    for (const [name, values] of Object.entries(data)) {
      encoded[oauth.percentEncode(name)] = values.map((value) => oauth.percentEncode(value));
    }
    return encoded;
  };
  return oauth;
}

function escapeKeptByte(surrogate: string): string {
  return `%${(surrogate.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`;
}

/** HMAC-SHA1 in base64 under both secrets. */
function oracleHmac(baseString: string, consumerSecret: string, tokenSecret: string): string {
  const hmac = forge.hmac.create();
  hmac.start('sha1', `${escaped(consumerSecret)}&${escaped(tokenSecret)}`);
  hmac.update(baseString);
  return forge.util.encode64(hmac.digest().getBytes());
}

/** Whether a signature in canonical base64 is the RSASSA-PKCS1-v1_5 one with SHA-256. Throws where the key is none. */
export function verifiesRsaSha256(baseString: string, signature: string, publicKeyPem: string): boolean {
  const bytes = forge.util.decode64(signature);
  if (forge.util.encode64(bytes) !== signature) return false;
  const { modulus, exponent, length } = publicKey(publicKeyPem);
  const written = BigInt(`0x0${forge.util.bytesToHex(bytes)}`);
  if (bytes.length !== length || written >= modulus) return false;
  const digest = forge.md.sha256.create().update(baseString).digest().toHex();
  return power(written, exponent, modulus) === encodedMessage(digest, length);
}

/** DigestInfo of SHA-256 before the digest itself (RFC 8017 section 9.2, note 1). */
const digestInfo = '3031300d060960864801650304020105000420';

/**
 * The whole encoded message (RFC 8017 section 9.2), to be compared as a whole: the library's own comparison takes a padding
 * that names another hash than the one in use.
 */
function encodedMessage(digest: string, length: number): bigint {
  const padding = 'ff'.repeat(Math.max(length - (digestInfo.length + digest.length) / 2 - 3, 0));
  return BigInt(`0x0001${padding}00${digestInfo}${digest}`);
}

/** The language's own numbers, since the library's take twenty times as long. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

interface PublicNumbers {
  readonly modulus: bigint;
  readonly exponent: bigint;
  /** Bytes of the modulus. */
  readonly length: number;
}

const parsed = new Map<string, PublicNumbers>();

function publicKey(pem: string): PublicNumbers {
  const known = parsed.get(pem);
  if (known !== undefined) return known;
  const text = pem.replace(/^\ufeff/, '');
  const { n, e } = text.includes('BEGIN CERTIFICATE')
    ? (forge.pki.certificateFromPem(text).publicKey as forge.pki.rsa.PublicKey)
    : (forge.pki.publicKeyFromPem(text) as forge.pki.rsa.PublicKey);
  const [modulus, exponent] = [BigInt(`0x${n.toString(16)}`), BigInt(`0x${e.toString(16)}`)];
  const key = { modulus, exponent, length: Math.ceil(n.bitLength() / 8) };
  // A run knows few keys; the bound is there for one that makes them up.
  if (parsed.size >= 64) parsed.clear();
  parsed.set(pem, key);
  return key;
}

function escaped(secret: string): string {
  return encodeURIComponent(secret).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
