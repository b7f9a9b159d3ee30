/**
 * The fast path beside `verifyRequest`, for callers that need no steps. It is quick for requests that are right and written as usual,
 * and gives up on all others, so it never has to explain a failure. Callers repeat themselves: what a text was the last time is tried
 * first, and is no more than a guess.
 */
import { verify as cryptoVerify, type KeyObject } from 'node:crypto';
import { encodeBase64 } from '../base64.ts';
import { decodeForm } from '../form.ts';
import { percentDecode, percentEncode } from '../percent.ts';
import type { RequestUrl } from './base-string-uri.ts';
import { encodeTwice, isPlain, newHeads, newNormalizer, oauthNames } from './quick-base-string.ts';
import { quickHmacOf } from './signature.ts';
import { type KeyLookup, type Unverified, type Verified, verifyRequest, type WireRequest } from './verify-request.ts';

/** What `verifyRequest` says, without the steps. */
export type QuickVerification = Omit<Verified, 'steps'> | Unverified;

const formType = 'application/x-www-form-urlencoded';
/** Bytes; a longer body is no usual one. */
const longest = 4096;

/** A verifier that says of each request what `verifyRequest` says; it asks the reference about what is not as usual. */
export function newQuickVerifier(lookup: KeyLookup): (request: WireRequest) => QuickVerification {
  const verify = newUsualVerifier(lookup);
  return (request) => usual(request) ?? verifyRequest(request, lookup);

  function usual(request: WireRequest): QuickVerification | undefined {
    let line: string | undefined;
    let type: string | undefined;
    for (const [name, value] of request.headers) {
      if (name.length === 13 && name.toLowerCase() === 'authorization') {
        if (line !== undefined) return undefined;
        line = value;
      } else if (name.length === 12 && name.toLowerCase() === 'content-type') type ??= value;
    }
    if (line === undefined || type !== formType) return undefined;
    const call = verify(request, line, request.body);
    if (call === undefined) return undefined;
    const { consumerKey, method, timestamp, nonce } = call;
    return { ok: true, consumerKey, method, timestamp, nonce };
  }
}

/** A request that is right. */
export interface UsualCall extends Omit<Verified, 'steps' | 'ok'> {
  /** Names of the signed parameters as the base string has them: five of OAuth, then the form's in their order. */
  readonly names: readonly string[];
  /** Their values. */
  readonly values: readonly string[];
}

/**
 * Verifies a request with one Authorization header and the body of a form, as `verifyRequest` would; undefined where it is wrong, has
 * a query, or is not written as usual.
 */
export function newUsualVerifier(
  lookup: KeyLookup,
): (url: RequestUrl & { readonly method: string }, authorization: string, body: Uint8Array) => UsualCall | undefined {
  const normalize = newNormalizer();
  const headOf = newHeads();
  const readHeader = newHeaderReader();
  const readForm = newFormReader();
  return (url, authorization, body) => {
    const names: string[] = [];
    const values: string[] = [];
    const given = body.length > longest ? undefined : readHeader(authorization, names, values);
    if (given === undefined || !readForm(body, names, values)) return undefined;
    const [consumerKey, method, timestamp, nonce, version, signature] = given as [string, ...string[]] as SixTexts;
    if (version !== '1.0' || !/^[1-9][0-9]*$/.test(timestamp) || url.target.includes('?')) return undefined;
    const key = lookup(consumerKey)?.find((one) => one.method === method);
    const head = headOf(url);
    if (key === undefined || head === undefined) return undefined;
    const base = head + normalize(names, values);
    const right =
      key.method === 'HMAC-SHA1'
        ? isEscaped(quickHmacOf(key)(base), signature)
        : isRsaSignature(base, signature, key.publicKey);
    return right ? { consumerKey, method: key.method, timestamp, nonce, names, values } : undefined;
  };
}

type SixTexts = [string, string, string, string, string, string];

const openings = oauthNames.map((name) => `${name}="`);
const [signatureSlot, allSlots] = [5, 0b111111];
const [comma, space] = [0x2c, 0x20];

/** Reads the six parameters, each once, with one comma and one space between them; the signature alone is left as it is written. */
function newHeaderReader(): (line: string, names: string[], values: string[]) => string[] | undefined {
  const order = [0, 1, 2, 3, 4, 5];
  const lastWritten = ['', '', '', '', ''];
  const lastRead = ['', '', '', '', ''];
  return (line, names, values) => {
    if (!line.startsWith('OAuth ')) return undefined;
    const found = ['', '', '', '', '', ''];
    let seen = 0;
    for (let at = 6, count = 0; count < order.length; count++, at += 2) {
      let slot = order[count]!;
      if (!line.startsWith(openings[slot]!, at)) {
        slot = openings.findIndex((opening) => line.startsWith(opening, at));
        if (slot === -1) return undefined;
        order[count] = slot;
      }
      const from = at + openings[slot]!.length;
      const end = line.indexOf('"', from);
      if (end <= from || (seen & (1 << slot)) !== 0) return undefined;
      seen |= 1 << slot;
      const written = line.slice(from, end);
      if (slot === signatureSlot) found[slot] = written;
      else {
        const read = written === lastWritten[slot] ? lastRead[slot] : decodeUsual(written);
        if (read === undefined) return undefined;
        lastWritten[slot] = written;
        lastRead[slot] = read;
        found[slot] = read;
        names.push(oauthNames[slot]!);
        values.push(read === written ? written : written.replaceAll('%', '%25'));
      }
      at = end + 1;
      if (at === line.length) return seen === allSlots ? found : undefined;
      if (line.charCodeAt(at) !== comma || line.charCodeAt(at + 1) !== space) return undefined;
    }
    return undefined;
  };
}

/** The text of a value that is encoded as `percentEncode` would encode it; undefined for any other spelling. */
function decodeUsual(written: string): string | undefined {
  if (isPlain(written)) return written;
  if (!written.includes('%')) return undefined;
  try {
    const value = percentDecode(written);
    return percentEncode(value) === written ? value : undefined;
  } catch {
    return undefined;
  }
}

/** 1 where a byte is encoded as itself; separators have numbers of their own. */
const kindOf = new Uint8Array(256);
const [other, plain, equalsSign, ampersand] = [0, 1, 2, 3];
for (let byte = 0; byte < 128; byte++) if (isPlain(String.fromCharCode(byte))) kindOf[byte] = plain;
kindOf[0x3d] = equalsSign;
kindOf[0x26] = ampersand;

/** Adds the fields of a form, encoded twice; false where a piece has no `=`, two of them, or an empty name. */
function newFormReader(): (body: Uint8Array, names: string[], values: string[]) => boolean {
  const last: string[] = [];
  return (body, names, values) => {
    const text = (Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length)).toString(
      'latin1',
    );
    const fields = names.length;
    let [start, equals] = [0, -1];
    for (let at = 0; at <= body.length; at++) {
      const kind = at === body.length ? ampersand : kindOf[body[at]!]!;
      if (kind === plain) continue;
      if (kind === other) return readEscaped(body, names, values, fields);
      if (kind === equalsSign) {
        if (equals !== -1 || at === start) return false;
        equals = at;
        continue;
      }
      // Empty pieces vanish, but nobody writes them.
      if (equals === -1) return at === 0 && body.length === 0;
      const guess = last[names.length - fields];
      const isGuess = guess?.length === equals - start && text.startsWith(guess, start);
      const name = isGuess ? guess : text.slice(start, equals);
      if (!isGuess && names.length - fields < 16) last[names.length - fields] = name;
      names.push(name);
      values.push(text.slice(equals + 1, at));
      start = at + 1;
      equals = -1;
    }
    return true;
  };
}

function readEscaped(body: Uint8Array, names: string[], values: string[], fields: number): boolean {
  names.length = fields;
  values.length = fields;
  for (const [name, value] of decodeForm(body)) {
    names.push(encodeTwice(name));
    values.push(encodeTwice(value));
  }
  return true;
}

/** Whether a text is what `percentEncode` makes of that base64; however much of it is, it takes the same time. */
function isEscaped(base64: string, given: string): boolean {
  let [at, differences] = [0, 0];
  for (let place = 0; place < base64.length; place++) {
    const code = base64.charCodeAt(place);
    const written = code === 0x2b ? '%2B' : code === 0x2f ? '%2F' : code === 0x3d ? '%3D' : undefined;
    if (written === undefined) differences |= code ^ given.charCodeAt(at++);
    else for (let digit = 0; digit < 3; digit++) differences |= written.charCodeAt(digit) ^ given.charCodeAt(at++);
  }
  return differences === 0 && at === given.length;
}

function isRsaSignature(base: string, written: string, publicKey: KeyObject): boolean {
  const signature = decodeUsual(written) ?? '';
  const bytes = Buffer.from(signature, 'base64');
  return encodeBase64(bytes) === signature && cryptoVerify('RSA-SHA256', Buffer.from(base, 'latin1'), publicKey, bytes);
}
