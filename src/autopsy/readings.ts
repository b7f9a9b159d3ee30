/** From the text of `oauth_signature` to what a candidate has to come to: one reading for each form that the text can be. */
import type { KeyObject } from 'node:crypto';
import { percentEncode } from '../protocol/index.ts';
import type { DeviationId } from './deviations/index.ts';
import { digestLength, hashNames, openSignature, type RsaOpening } from './rsa-opening.ts';
import { escapedBefore, outputs } from './signature-text.ts';
import type { HashName } from './signer/mac.ts';

export type SignatureKind = 'hmac' | 'rsa' | 'plaintext';

export interface SignatureReading {
  readonly kind: SignatureKind;
  readonly hash: HashName;
  /** Deviations that this reading takes for granted. */
  readonly ids: readonly DeviationId[];
  /** Whether a candidate's MAC, digest or key text (of `plaintext`, in hex) is the one that was signed. */
  readonly matches: (hex: string) => boolean;
}

export interface Announced {
  readonly kind: SignatureKind;
  readonly hash: HashName;
}

export interface ReadSignature {
  readonly readings: readonly SignatureReading[];
  /** Number of bytes, if the text is base64 or one of the other known forms. */
  readonly length?: number;
  /** What the public key makes of it, where it was asked. */
  readonly opening?: RsaOpening;
}

/** Kind and hash of an announced signature method; undefined for an unknown one. */
export function announcedBy(method: string): Announced | undefined {
  if (method === 'PLAINTEXT') return { kind: 'plaintext', hash: 'sha1' };
  const found = /^(HMAC|RSA)-(SHA1|SHA256|SHA384|SHA512)$/.exec(method);
  if (found === null) return undefined;
  return { kind: found[1] === 'HMAC' ? 'hmac' : 'rsa', hash: found[2]!.toLowerCase() as HashName };
}

/**
 * All readings of a signature that the keys at hand allow, those with the fewest deviations first. `others` are the values of
 * the other credentials: where none of them has a character to escape, it cannot be seen which values were encoded twice.
 */
export function signatureReadings(
  text: string,
  announced: Announced | undefined,
  keys: { readonly secret: boolean; readonly publicKey?: KeyObject },
  others: readonly string[],
): ReadSignature {
  const readings: SignatureReading[] = [];
  const seen = new Set<string>();
  let length: number | undefined;
  let opening: RsaOpening | undefined;
  for (const { bytes, ids } of formsOf(text, others)) {
    const name = `${ids} ${bytes.toString('hex')}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const hmac = keys.secret ? hmacReading(bytes, announced, ids) : undefined;
    const opened = keys.publicKey === undefined ? undefined : openSignature(bytes, keys.publicKey);
    const rsa = opened === undefined ? undefined : rsaReading(opened, announced, ids);
    readings.push(...[hmac, rsa].filter((reading) => reading !== undefined));
    // The first form is the right one; another counts only where it leads somewhere.
    length ??= bytes.length;
    if (opening === undefined || rsa !== undefined) opening = opened;
  }
  if (keys.secret && (announced?.kind === 'plaintext' || /&|%26/.test(text))) {
    readings.push(plaintextReading(text, announced));
  }
  readings.sort((a, b) => a.ids.length - b.ids.length);
  return {
    readings,
    length,
    opening,
  };
}

/** Bytes that the text can stand for, each with the deviations that it takes to write them so. */
function formsOf(text: string, others: readonly string[]): { bytes: Buffer; ids: readonly DeviationId[] }[] {
  const inner = escapedBefore(text);
  const texts = [{ text, ids: [] as DeviationId[] }];
  if (inner !== undefined) {
    texts.push({ text: inner, ids: ['signature-escaped-before-header'] });
    const hasNoEscape = others.every((value) => percentEncode(value) === value);
    if (hasNoEscape) texts.push({ text: inner, ids: ['header-values-encoded-twice'] });
  }
  return texts.flatMap((form) =>
    outputs.flatMap(({ id, read, write }) => {
      const bytes = read(form.text);
      if (bytes.length === 0 || write(bytes) !== form.text) return [];
      return [{ bytes, ids: id === undefined ? form.ids : [...form.ids, id] }];
    }),
  );
}

function hmacReading(
  bytes: Buffer,
  announced: Announced | undefined,
  ids: readonly DeviationId[],
): SignatureReading | undefined {
  const hash = hashNames.find((name) => digestLength(name) === bytes.length);
  if (hash === undefined) return undefined;
  const expected = bytes.toString('hex');
  return { kind: 'hmac', hash, ids: withMethod(ids, 'hmac', hash, announced), matches: (hex) => hex === expected };
}

function rsaReading(
  opening: RsaOpening,
  announced: Announced | undefined,
  ids: readonly DeviationId[],
): SignatureReading | undefined {
  switch (opening.kind) {
    case 'digest':
    case 'bare-digest': {
      const { hash, digest } = opening;
      const own: readonly DeviationId[] = opening.kind === 'digest' ? ids : [...ids, 'digest-info-missing'];
      return { kind: 'rsa', hash, ids: withMethod(own, 'rsa', hash, announced), matches: (hex) => hex === digest };
    }
    case 'pss': {
      const own = withMethod([...ids, 'pss-padding'], 'rsa', opening.hash, announced);
      return { kind: 'rsa', hash: opening.hash, ids: own, matches: opening.matches };
    }
    default:
      return undefined;
  }
}

function plaintextReading(text: string, announced: Announced | undefined): SignatureReading {
  const expected = Buffer.from(text).toString('hex');
  const ids: DeviationId[] = announced?.kind === 'plaintext' ? [] : ['plaintext-signature'];
  return { kind: 'plaintext', hash: 'sha1', ids, matches: (hex) => hex === expected };
}

function withMethod(
  ids: readonly DeviationId[],
  kind: SignatureKind,
  hash: HashName,
  announced: Announced | undefined,
): readonly DeviationId[] {
  if (announced === undefined) return ids;
  if (announced.kind !== kind) return [...ids, kind === 'hmac' ? 'hmac-instead-of-rsa' : 'rsa-instead-of-hmac'];
  return announced.hash === hash ? ids : [...ids, `hash-${hash}`];
}
