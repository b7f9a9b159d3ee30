/** From the text of `oauth_signature` to what a candidate has to come to: one reading for each form that the text can be. */
import type { KeyObject } from 'node:crypto';
import type { DeviationId } from '../deviations/index.ts';
import type { HashName } from '../deviations/signer/mac.ts';
import { percentEncode } from '../protocol/index.ts';
import { digestLength, hashNames, openSignature, type RsaOpening } from './rsa-opening.ts';

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

export interface Output {
  /** The deviation that this form is; undefined for the right one. */
  readonly id: DeviationId | undefined;
  readonly write: (bytes: Buffer) => string;
  /** Bytes that may have been written; `write` of them decides. */
  readonly read: (text: string) => Buffer;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const unbase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const reversed = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

/** The right form first. */
export const outputs: readonly Output[] = [
  { id: undefined, write: base64, read: unbase64 },
  { id: 'signature-unpadded', write: (bytes) => base64(bytes).replace(/=+$/, ''), read: unbase64 },
  { id: 'signature-url-safe', write: (bytes) => urlSafe(base64(bytes)), read: unbase64 },
  { id: 'signature-url-safe-unpadded', write: (bytes) => bytes.toString('base64url'), read: unbase64 },
  { id: 'signature-with-newline', write: (bytes) => `${base64(bytes)}\n`, read: unbase64 },
  { id: 'signature-wrapped', write: (bytes) => wrapped(bytes, 76, '\r\n'), read: unbase64 },
  ...wrappings(),
  { id: 'signature-plus-lost', write: (bytes) => base64(bytes).replaceAll('+', ' '), read: withPlus },
  { id: 'signature-in-hex', write: (bytes) => bytes.toString('hex'), read: unhex },
  { id: 'signature-in-upper-case-hex', write: (bytes) => bytes.toString('hex').toUpperCase(), read: unhex },
  {
    id: 'hex-digest-in-base64',
    write: (bytes) => base64(Buffer.from(bytes.toString('hex'))),
    read: (text) => unhex(unbase64(text).toString('latin1')),
  },
  {
    id: 'double-base64',
    write: (bytes) => base64(Buffer.from(base64(bytes))),
    read: (text) => unbase64(unbase64(text).toString('latin1')),
  },
  {
    id: 'signature-bytes-reversed',
    write: (bytes) => base64(reversed(bytes)),
    read: (text) => reversed(unbase64(text)),
  },
];

/**
 * The text that was escaped once more before the header was written, which escapes it anyway; undefined if it was not.
 */
export function escapedBefore(text: string): string | undefined {
  if (!/^[A-Za-z0-9\-._~!*'()%]+$/.test(text)) return undefined;
  const plain = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain !== text && encodeURIComponent(plain) === text ? plain : undefined;
}

/** Lines of 60, 64 or 76 characters, ended by LF or CRLF, with or without one at the end. */
function wrappings(): Output[] {
  return [60, 64, 76].flatMap((columns) =>
    ['\n', '\r\n'].flatMap((lineEnd) =>
      ['', lineEnd].map((end) => ({
        id: 'signature-wrapped',
        write: (bytes: Buffer) => `${wrapped(bytes, columns, lineEnd)}${end}`,
        read: unbase64,
      })),
    ),
  );
}

function wrapped(bytes: Buffer, columns: number, lineEnd: string): string {
  return (base64(bytes).match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(lineEnd);
}

function urlSafe(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_');
}

function withPlus(text: string): Buffer {
  return unbase64(text.replaceAll(' ', '+'));
}

function unhex(text: string): Buffer {
  return /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
}
