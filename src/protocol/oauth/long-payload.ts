/**
 * A `payload` of megabytes, read from the chunks of a form body with nothing kept of it.
 *
 * Base64 has three characters that are escaped, so native searches over 64 KiB at a time take the place of an encoder, and what has
 * none of them, as the base64 of most ASCII text, is hashed as it is. `payload` sorts after every `oauth_` name, so all of the
 * base string before it is known when the header is. A body that escapes what it need not, or in lower case, is decoded and encoded
 * again chunk by chunk; only a body with further fields cannot be read so, since these may belong before what was hashed.
 */
import { createVerify, type KeyObject } from 'node:crypto';
import { piece } from '../base64.ts';
import { decodeForm, type Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';
import { baseString } from './base-string.ts';
import { baseStringUri, type RequestUrl } from './base-string-uri.ts';
import { normalizeParameters } from './normalize.ts';

/** Reads `payload=…` chunk by chunk. */
export interface PayloadReader {
  /** False where the body has another form, now and from then on: it has to be read as a whole. */
  readonly push: (chunk: Uint8Array) => boolean;
  /** After the last chunk: whether the payload is canonical base64, and whether it is empty; undefined for another form. */
  readonly end: () => { readonly strictBase64: boolean; readonly empty: boolean } | undefined;
  /** Once, after `end`: whether the signature is that of the base string. */
  readonly verifies: (signature: Uint8Array, publicKey: KeyObject) => boolean;
}

const name = Buffer.from('payload=');

/**
 * @param before the base string up to the value, encoded; and `after` it
 * @param take gets the decoded bytes as long as they are base64; what it is given is overwritten afterwards
 */
export function newPayloadReader(
  [before, after]: readonly [string, string],
  take: (bytes: Uint8Array) => void,
): PayloadReader {
  const verifier = createVerify('RSA-SHA256').update(before);
  const scratch = Buffer.allocUnsafe((piece / 4) * 3);
  let named = 0;
  let carried = '';
  let quad = '';
  let [isForm, strict, padded, empty] = [true, true, false, true];

  const push = (chunk: Uint8Array): boolean => {
    let at = 0;
    while (isForm && named < name.length && at < chunk.length) isForm = chunk[at++] === name[named++];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (; isForm && at < bytes.length; at += piece) value(bytes.subarray(at, at + piece).toString('latin1'));
    return isForm;
  };

  /** An escape, and the padding, may go on in the next chunk: they are carried over. */
  function value(chunk: string): void {
    const text = carried + chunk;
    const last = text.indexOf('%', Math.max(0, text.length - 6));
    const end = last === -1 ? text.length : last;
    carried = text.slice(end);
    written(text.slice(0, end));
  }

  function written(text: string): void {
    if (text === '') return;
    empty = false;
    const plain = text.includes('%') ? text.replaceAll('%2B', '+').replaceAll('%2F', '/') : text;
    const usual = isUnescaped(text) && !plain.includes('%');
    if (usual && decoded(plain)) verifier.update(plain === text ? text : text.replaceAll('%', '%25'), 'latin1');
    else otherwise(text);
  }

  /** Any spelling: as the reference reads and encodes it. Bytes that are not UTF-8 are kept by both. */
  function otherwise(text: string): void {
    if (text.includes('&')) {
      isForm = false;
      return;
    }
    const [[, read] = ['', '']] = decodeForm(Buffer.from(`payload=${text}`, 'latin1'));
    verifier.update(encodeTwice(read), 'latin1');
    if (!strict) return;
    const whole = quad + read;
    const length = whole.length - (whole.length % 4);
    const bytes = Buffer.from(whole.slice(0, length), 'base64');
    // The characters that wait for others are looked at too: node would take two of them that the alphabet does not have.
    strict = !padded && bytes.toString('base64') === whole.slice(0, length) && !/[-_]/.test(whole.slice(length));
    padded ||= whole.slice(0, length).includes('=');
    quad = whole.slice(length);
    if (strict) take(bytes);
  }

  /** Whether the characters are of the alphabet; if so they are taken. Node skips others, so that the length tells. */
  function decoded(plain: string): boolean {
    if (!strict || padded) return false;
    const whole = quad === '' ? plain : quad + plain;
    const length = whole.length - (whole.length % 4);
    const aligned = length === whole.length ? whole : whole.slice(0, length);
    const rest = whole.slice(length);
    if (!/^[A-Za-z0-9+/]*$/.test(rest)) return false;
    for (let at = 0; at < length; at += piece) {
      const part = length <= piece ? aligned : aligned.slice(at, at + piece);
      if (scratch.write(part, 0, 'base64') !== (part.length / 4) * 3) return false;
      take(scratch.subarray(0, (part.length / 4) * 3));
    }
    quad = rest;
    return true;
  }

  return {
    push,
    end: () => {
      if (isForm && carried !== '') {
        empty = false;
        otherwise(carried);
      }
      if (!isForm || named < name.length) return undefined;
      return { strictBase64: strict && quad === '', empty };
    },
    verifies: (signature, publicKey) => verifier.update(after).verify(publicKey, signature),
  };
}

/** What a text is in the base string: encoded, and encoded again with all of it. Throws `not-text`. */
function encodeTwice(text: string): string {
  return percentEncode(text).replaceAll('%', '%25');
}

/** Whether none of these is there raw: two are escaped in a usual body, two are of the other alphabet, which node takes too. */
function isUnescaped(text: string): boolean {
  return !(text.includes('+') || text.includes('/') || text.includes('=') || text.includes('-') || text.includes('_'));
}

/** The base string around the value of `payload`, from all other parameters that are signed; undefined where one has its name. */
export function aroundPayload(
  request: RequestUrl & { readonly method: string },
  parameters: readonly Pair[],
): readonly [before: string, after: string] | undefined {
  if (parameters.some(([found]) => found === 'payload')) return undefined;
  const normalized = normalizeParameters([...parameters, ['payload', '']]);
  // Separators are the only "&" and "=" of this text, so no other place looks like it.
  const at = `&${normalized}&`.indexOf('&payload=&') + name.length;
  const before = baseString(request.method, baseStringUri(request), normalized.slice(0, at));
  return [before, percentEncode(normalized.slice(at))];
}
