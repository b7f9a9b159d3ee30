/**
 * The fast path beside `signRequest` and `verifyRequest`, for callers that need no steps: load tests, large batches.
 *
 * quick-base-string.ts says why its base string is that of the reference. Whatever is unusual, or would be refused, goes to the
 * reference itself.
 */
import { sign as cryptoSign, verify as cryptoVerify, timingSafeEqual } from 'node:crypto';
import { encodeBase64 } from '../base64.ts';
import { decodeForm, type Pair } from '../form.ts';
import { percentDecode, percentEncode } from '../percent.ts';
import { queryOf, type RequestUrl } from './base-string-uri.ts';
import { newHmacSha1 } from './hmac.ts';
import { signLong } from './long-payload.ts';
import { encodeTwice, firstParts, isPlain, newHeads, newNormalizer } from './quick-base-string.ts';
import { hmacKeyText, type SharedSecretKey, type SigningKey } from './signature.ts';
import { type KeyLookup, type Unverified, type Verified, verifyRequest, type WireRequest } from './verify-request.ts';

/** Signs calls of one method and URL; gives the value of the Authorization header, as `signRequest` does without options. */
export type QuickSigner = (
  body: readonly Pair[],
  fresh: { readonly timestamp: string; readonly nonce: string },
) => string;

/** Prepares what calls of one method and URL have in common. Throws `malformed-target`; the signer throws `not-text`. */
export function newQuickSigner(
  request: RequestUrl & { readonly method: string },
  credentials: { readonly consumerKey: string; readonly key: SigningKey },
): QuickSigner {
  const { consumerKey, key } = credentials;
  const head = firstParts(request);
  const normalize = newNormalizer();
  const query = decodeForm(queryOf(request.target));
  const start = [...slots.slice(0, 5), ...query.map(([name]) => encodeTwice(name))];
  const consumer = encodeTwice(consumerKey);
  const values = query.map(([, value]) => encodeTwice(value));
  const opening = `OAuth oauth_consumer_key="${percentEncode(consumerKey)}", oauth_signature_method="${key.method}", oauth_timestamp="`;
  return (body, { timestamp, nonce }) => {
    const allNames = start.slice();
    const allValues = [consumer, key.method, encodeTwice(timestamp), encodeTwice(nonce), '1.0', ...values];
    const long = key.method === 'RSA-SHA256' && body.length === 1 && body[0]![1].length > 4096 ? body[0] : undefined;
    for (const [name, value] of body) {
      allNames.push(encodeTwice(name));
      allValues.push(long === undefined ? encodeTwice(value) : gap);
    }
    const base = head + normalize(allNames, allValues);
    const signature =
      key.method === 'HMAC-SHA1'
        ? hmacOf(key)(base)
        : long === undefined
          ? encodeBase64(cryptoSign('RSA-SHA256', Buffer.from(base, 'latin1'), key.privateKey))
          : signLong(base.split(gap) as [string, string], long[1], key.privateKey);
    const fields = `${percentEncode(timestamp)}", oauth_nonce="${percentEncode(nonce)}", oauth_version="1.0"`;
    return `${opening}${fields}, oauth_signature="${percentEncode(signature)}"`;
  };
}

/** What `verifyRequest` says, without the steps. */
export type QuickVerification = Omit<Verified, 'steps'> | Unverified;

const formType = 'application/x-www-form-urlencoded';

/**
 * A verifier that says of each request what `verifyRequest` says. It is quick for requests that are right and written as usual; it
 * asks the reference about all others, so it never has to explain a failure.
 */
export function newQuickVerifier(lookup: KeyLookup): (request: WireRequest) => QuickVerification {
  const normalize = newNormalizer();
  const headOf = newHeads();
  return (request) => usual(request) ?? verifyRequest(request, lookup);

  function usual(request: WireRequest): Omit<Verified, 'steps'> | undefined {
    let line: string | undefined;
    let type: string | undefined;
    for (const [name, value] of request.headers) {
      if (name.length === 13 && name.toLowerCase() === 'authorization') {
        if (line !== undefined) return undefined;
        line = value;
      } else if (name.length === 12 && name.toLowerCase() === 'content-type') type ??= value;
    }
    if (line === undefined || type !== formType || request.body.length > 4096) return undefined;
    const names: string[] = [];
    const values: string[] = [];
    const given = readUsual(line, names, values);
    if (given === undefined || given.version !== '1.0' || !/^[1-9][0-9]*$/.test(given.timestamp)) return undefined;
    const key = lookup(given.consumerKey)?.find(({ method }) => method === given.method);
    if (key === undefined || !readForm(request.body, names, values)) return undefined;
    if (request.target.includes('?')) return undefined;
    const head = headOf(request);
    if (head === undefined) return undefined;
    const base = head + normalize(names, values);
    const right =
      key.method === 'HMAC-SHA1'
        ? sameText(hmacOf(key)(base), given.signature)
        : isRsaSignature(base, given.signature, key.publicKey);
    const { consumerKey, timestamp, nonce } = given;
    return right ? { ok: true, consumerKey, method: key.method, timestamp, nonce } : undefined;
  }
}

interface UsualHeader {
  readonly consumerKey: string;
  readonly method: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly version: string;
  readonly signature: string;
}

const slots = ['consumer_key', 'signature_method', 'timestamp', 'nonce', 'version', 'signature'].map(
  (name) => `oauth_${name}`,
);

/** The six parameters, each once, with one comma and one space between them; adds the five that are signed, encoded twice. */
function readUsual(line: string, names: string[], values: string[]): UsualHeader | undefined {
  if (!line.startsWith('OAuth ') || line.includes('\\')) return undefined;
  const found: (string | undefined)[] = [];
  for (let at = 6, count = 0; at < line.length; count++) {
    const equals = line.indexOf('="', at);
    const end = line.indexOf('"', equals + 2);
    if (equals === -1 || end === -1 || count === slots.length) return undefined;
    const slot = slots.indexOf(line.slice(at, equals));
    if (slot === -1 || found[slot] !== undefined) return undefined;
    const raw = line.slice(equals + 2, end);
    const value = decodeUsual(raw);
    if (value === undefined || value === '') return undefined;
    found[slot] = value;
    if (slot < 5) {
      names.push(slots[slot]!);
      values.push(value === raw ? raw : raw.replaceAll('%', '%25'));
    }
    at = end + 1;
    if (at < line.length) {
      if (!line.startsWith(', ', at) || at + 2 === line.length) return undefined;
      at += 2;
    }
  }
  const [consumerKey, method, timestamp, nonce, version, signature] = found;
  return consumerKey && method && timestamp && nonce && version && signature
    ? { consumerKey, method, timestamp, nonce, version, signature }
    : undefined;
}

/** The text of a value that is encoded as `percentEncode` would encode it; undefined for any other spelling. */
function decodeUsual(raw: string): string | undefined {
  if (isPlain(raw)) return raw;
  if (!raw.includes('%')) return undefined;
  try {
    const value = percentDecode(raw);
    return percentEncode(value) === raw ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Adds the fields of a form, encoded twice; false where a piece has no `=` or an empty name. */
function readForm(body: Uint8Array, names: string[], values: string[]): boolean {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  if (!/^[\w\-.~=&]*$/.test(text)) {
    for (const [name, value] of decodeForm(body)) {
      names.push(encodeTwice(name));
      values.push(encodeTwice(value));
    }
    return true;
  }
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('&', at);
    const end = found === -1 ? text.length : found;
    const equals = text.indexOf('=', at);
    if (equals <= at || equals > end) return false;
    const value = text.slice(equals + 1, end);
    if (value.includes('=')) return false;
    names.push(text.slice(at, equals));
    values.push(value);
    at = end + 1;
  }
  return true;
}

/** Stands for a value that is not put into the text; encoded text has no such character. */
const gap = '\0';

const hmacs = new WeakMap<SharedSecretKey, (base: string) => string>();

function hmacOf(key: SharedSecretKey): (base: string) => string {
  let known = hmacs.get(key);
  if (known === undefined) {
    known = newHmacSha1(hmacKeyText(key.consumerSecret, key.tokenSecret));
    hmacs.set(key, known);
  }
  return known;
}

const [expected, received] = [Buffer.alloc(28), Buffer.alloc(28)];

/** In constant time, as the reference compares. */
function sameText(right: string, given: string): boolean {
  if (given.length !== right.length) return false;
  expected.write(right, 'latin1');
  received.write(given, 'latin1');
  return timingSafeEqual(expected, received);
}

function isRsaSignature(base: string, signature: string, publicKey: Parameters<typeof cryptoVerify>[2]): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return encodeBase64(bytes) === signature && cryptoVerify('RSA-SHA256', Buffer.from(base, 'latin1'), publicKey, bytes);
}
