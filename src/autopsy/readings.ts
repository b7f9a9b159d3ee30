/** Reads `oauth_signature` in all known forms, and opens RSA signatures (RFC 8017 sections 8.2.2 and 9.2). */
import { constants, createHash, type KeyObject, publicDecrypt } from 'node:crypto';
import type { DeviationId } from '../deviations/index.ts';
import type { HashName } from '../deviations/signing-options.ts';
import { percentEncode } from '../protocol/index.ts';
import { type Fact, fact } from './facts.ts';

type SignatureKind = 'hmac' | 'rsa' | 'plaintext';

/** One way to decode the signature text. `ids`: the deviations of a client that writes its signature this way. */
export interface SignatureReading {
  readonly kind: SignatureKind;
  readonly hash: HashName;
  readonly ids: readonly DeviationId[];
  /** Compares `hex` with the signature. `hex` is a MAC for `hmac`, a digest for `rsa`, a key for `plaintext`. */
  readonly matches: (hex: string) => boolean;
}

type AnnouncedMethod = Pick<SignatureReading, 'kind' | 'hash'>;

export interface DecodedSignature {
  /** The kind and hash that oauth_signature_method names; undefined if the method is unknown. */
  readonly announced: AnnouncedMethod | undefined;
  readonly readings: readonly SignatureReading[];
  /** The number of bytes of the signature, if its text is base64 or another known form. */
  readonly length?: number;
  readonly opening?: RsaOpening;
}

function parseMethod(method: string): AnnouncedMethod | undefined {
  if (method === 'PLAINTEXT') return { kind: 'plaintext', hash: 'sha1' };
  const found = /^(HMAC|RSA)-(SHA1|SHA256|SHA384|SHA512)$/.exec(method);
  if (found === null) return undefined;
  return { kind: found[1] === 'HMAC' ? 'hmac' : 'rsa', hash: found[2]!.toLowerCase() as HashName };
}

/** Decodes a signature in each way that fits the keys, fewest deviations first. `credentialValues` omits it. */
export function signatureReadings(
  text: string,
  method: string,
  keys: { readonly secret: boolean; readonly publicKey?: KeyObject },
  credentialValues: readonly string[],
): DecodedSignature {
  const announced = parseMethod(method);
  const readings: SignatureReading[] = [];
  const seen = new Set<string>();
  let length: number | undefined;
  let opening: RsaOpening | undefined;
  for (const { bytes, ids } of formsOf(text, credentialValues)) {
    const key = `${ids} ${bytes.toString('hex')}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const hmac = keys.secret ? hmacReading(bytes, announced, ids) : undefined;
    const rsaOpening = keys.publicKey === undefined ? undefined : openSignature(bytes, keys.publicKey);
    const rsa = rsaOpening === undefined ? undefined : rsaReading(rsaOpening, announced, ids);
    readings.push(...[hmac, rsa].filter((reading) => reading !== undefined));
    // Keep the length and the opening of the first form. But prefer the opening of a form with an RSA signature.
    length ??= bytes.length;
    if (opening === undefined || rsa !== undefined) opening = rsaOpening;
  }
  if (keys.secret && (announced?.kind === 'plaintext' || /&|%26/.test(text))) {
    const ids: DeviationId[] = announced?.kind === 'plaintext' ? [] : ['plaintext-signature'];
    readings.push(readingOf('plaintext', 'sha1', Buffer.from(text).toString('hex'), ids));
  }
  readings.sort((a, b) => a.ids.length - b.ids.length);
  return { announced, readings, length, opening };
}

function formsOf(text: string, credentialValues: readonly string[]): { bytes: Buffer; ids: readonly DeviationId[] }[] {
  const unescaped = decodeEscaped(text);
  const texts = [{ text, ids: [] as DeviationId[] }];
  if (unescaped !== undefined) {
    texts.push({ text: unescaped, ids: ['signature-escaped-before-header'] });
    const hasNoEscape = credentialValues.every((value) => percentEncode(value) === value);
    if (hasNoEscape) texts.push({ text: unescaped, ids: ['header-values-encoded-twice'] });
  }
  return texts.flatMap((form) =>
    encodings.flatMap(({ id, read, write }) => {
      const bytes = read(form.text);
      if (bytes.length === 0 || write(bytes) !== form.text) return [];
      return [{ bytes, ids: id === undefined ? form.ids : [...form.ids, id] }];
    }),
  );
}

function hmacReading(bytes: Buffer, announced: AnnouncedMethod | undefined, ids: readonly DeviationId[]) {
  const hash = hashNames.find((name) => digestLength(name) === bytes.length);
  return hash && readingOf('hmac', hash, bytes.toString('hex'), withMethod(ids, 'hmac', hash, announced));
}

function rsaReading(opening: RsaOpening, announced: AnnouncedMethod | undefined, ids: readonly DeviationId[]) {
  if (!('hash' in opening)) return undefined;
  const extraIds = { digest: [], 'bare-digest': ['digest-info-missing'], pss: ['pss-padding'] } as const;
  const allIds = withMethod([...ids, ...extraIds[opening.kind]], 'rsa', opening.hash, announced);
  if (opening.kind !== 'pss') return readingOf('rsa', opening.hash, opening.digest, allIds);
  return { kind: 'rsa', hash: opening.hash, ids: allIds, matches: opening.matches } as const;
}

function readingOf(kind: SignatureKind, hash: HashName, hex: string, ids: readonly DeviationId[]): SignatureReading {
  return { kind, hash, ids, matches: (found) => found === hex };
}

function withMethod(
  ids: readonly DeviationId[],
  kind: SignatureKind,
  hash: HashName,
  announced: AnnouncedMethod | undefined,
): readonly DeviationId[] {
  if (announced === undefined) return ids;
  if (announced.kind !== kind) return [...ids, kind === 'hmac' ? 'hmac-instead-of-rsa' : 'rsa-instead-of-hmac'];
  return announced.hash === hash ? ids : [...ids, `hash-${hash}`];
}

interface Encoding {
  readonly id: DeviationId | undefined;
  readonly write: (bytes: Buffer) => string;
  /** Decodes any text. The caller checks the result: `write` must give the same text again. */
  readonly read: (text: string) => Buffer;
}

const encodeBase64 = (bytes: Buffer): string => bytes.toString('base64');
const decodeBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const reverseBytes = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

const base64Variant = (id: DeviationId | undefined, change = (text: string) => text): Encoding => {
  return { id, write: (bytes) => change(encodeBase64(bytes)), read: decodeBase64 };
};

export const encodings: readonly Encoding[] = [
  base64Variant(undefined),
  base64Variant('signature-unpadded', (text) => text.replace(/=+$/, '')),
  base64Variant('signature-url-safe', (text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  { id: 'signature-url-safe-unpadded', write: (bytes) => bytes.toString('base64url'), read: decodeBase64 },
  base64Variant('signature-with-newline', (text) => `${text}\n`),
  ...wrappedEncodings(),
  {
    id: 'signature-plus-lost',
    write: (bytes) => encodeBase64(bytes).replaceAll('+', ' '),
    read: (text) => decodeBase64(text.replaceAll(' ', '+')),
  },
  { id: 'signature-in-hex', write: (bytes) => bytes.toString('hex'), read: decodeHex },
  { id: 'signature-in-upper-case-hex', write: (bytes) => bytes.toString('hex').toUpperCase(), read: decodeHex },
  {
    id: 'hex-digest-in-base64',
    write: (bytes) => encodeBase64(Buffer.from(bytes.toString('hex'))),
    read: (text) => decodeHex(decodeBase64(text).toString('latin1')),
  },
  {
    id: 'double-base64',
    write: (bytes) => encodeBase64(Buffer.from(encodeBase64(bytes))),
    read: (text) => decodeBase64(decodeBase64(text).toString('latin1')),
  },
  {
    id: 'signature-bytes-reversed',
    write: (bytes) => encodeBase64(reverseBytes(bytes)),
    read: (text) => reverseBytes(decodeBase64(text)),
  },
];

/** Decodes a text that was escaped before it was written into the header. Undefined if it was not. */
function decodeEscaped(text: string): string | undefined {
  if (!/^[A-Za-z0-9\-._~!*'()%]+$/.test(text)) return undefined;
  const plain = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return plain !== text && encodeURIComponent(plain) === text ? plain : undefined;
}

function wrappedEncodings(): Encoding[] {
  return [60, 64, 76].flatMap((columns) =>
    ['\n', '\r\n'].flatMap((lineEnd) => {
      const wrap = (text: string) => text.replace(new RegExp(`.{${columns}}(?=.)`, 'g'), `$&${lineEnd}`);
      return ['', lineEnd].map((end) => base64Variant('signature-wrapped', (text) => wrap(text) + end));
    }),
  );
}

function decodeHex(text: string): Buffer {
  return /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
}

type RsaOpening =
  /** A digest in PKCS #1 v1.5 padding. A `bare-digest` lacks the bytes that name its hash. */
  | { readonly kind: 'digest' | 'bare-digest'; readonly hash: HashName; readonly digest: string }
  | PssOpening
  | { readonly kind: 'other-content'; readonly content: Buffer }
  | { readonly kind: 'wrong-length'; readonly expected: number }
  | { readonly kind: 'no-padding' };

/** The DER bytes before a digest, in hex (RFC 8017 section 9.2, note 1). */
export const digestInfos: Readonly<Record<HashName, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

const hashNames = Object.keys(digestInfos) as HashName[];

function digestLength(hash: HashName): number {
  return Number.parseInt(digestInfos[hash].slice(-2), 16);
}

function openSignature(signature: Buffer, publicKey: KeyObject): RsaOpening {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  const expected = Math.ceil(bits / 8);
  if (signature.length !== expected) return { kind: 'wrong-length', expected };
  let block: Buffer;
  try {
    block = publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    // OpenSSL throws for a signature that is larger than the modulus. Such a signature has no padding.
    return { kind: 'no-padding' };
  }
  const content = withoutPadding(block);
  if (content !== undefined) return readContent(content);
  return openPss(block, bits) ?? { kind: 'no-padding' };
}

function withoutPadding(block: Buffer): Buffer | undefined {
  if (block[0] !== 0 || block[1] !== 1) return undefined;
  const end = block.indexOf(0, 2);
  if (end < 10 || !block.subarray(2, end).every((byte) => byte === 0xff)) return undefined;
  return block.subarray(end + 1);
}

function readContent(content: Buffer): RsaOpening {
  const hex = content.toString('hex');
  for (const hash of hashNames) {
    const prefix = digestInfos[hash];
    if (hex.startsWith(prefix) && content.length === prefix.length / 2 + digestLength(hash)) {
      return { kind: 'digest', hash, digest: hex.slice(prefix.length) };
    }
  }
  const hash = hashNames.find((name) => digestLength(name) === content.length);
  const isText = /^[0-9a-f]+$/i.test(content.toString('latin1'));
  return hash === undefined || isText ? { kind: 'other-content', content } : { kind: 'bare-digest', hash, digest: hex };
}

interface PssOpening {
  readonly kind: 'pss';
  readonly hash: HashName;
  /** False if the signature may only look like PSS by chance. */
  readonly isCertain: boolean;
  readonly matches: (digest: string) => boolean;
}

/** Opens PSS padding, or returns undefined. `block` is the signature raised to the public exponent. */
function openPss(block: Buffer, modulusBits: number): PssOpening | undefined {
  if (block.at(-1) !== 0xbc) return undefined;
  for (const hash of ['sha256', 'sha1', 'sha384', 'sha512'] as const) {
    const length = digestLength(hash);
    const found = saltOf(block, modulusBits, hash, length);
    if (found === undefined) continue;
    const { salt, isCertain } = found;
    const tag = block.subarray(block.length - 1 - length, -1).toString('hex');
    const matches = (digest: string): boolean =>
      createHash(hash).update(Buffer.alloc(8)).update(digest, 'hex').update(salt).digest('hex') === tag;
    return { kind: 'pss', hash, isCertain, matches };
  }
  return undefined;
}

/** Finds the salt (RFC 8017 section 9.1.2). Before the salt are any number of bytes 0 and one byte 1. */
function saltOf(block: Buffer, modulusBits: number, hash: HashName, length: number) {
  // If the modulus has 8n + 1 bits, the encoded message is a byte shorter than the block. So skip the first byte.
  const message = (modulusBits - 1) % 8 === 0 ? block.subarray(1) : block;
  const maskedLength = message.length - length - 1;
  if (maskedLength < 9) return undefined;
  const tag = message.subarray(maskedLength, -1);
  const mask = maskOf(tag, maskedLength, hash);
  const data = Buffer.from(message.subarray(0, maskedLength)).map((byte, index) => byte ^ mask[index]!);
  const unusedBits = 8 * message.length - (modulusBits - 1);
  data[0]! &= 0xff >> unusedBits;
  const separator = data.findIndex((byte) => byte !== 0);
  if (separator === -1 || data[separator] !== 1) return undefined;
  return { salt: Buffer.from(data.subarray(separator + 1)), isCertain: separator >= 4 };
}

/** The mask generation function MGF1 (RFC 8017 appendix B.2.1). */
function maskOf(seed: Uint8Array, length: number, hash: HashName): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / digestLength(hash)) }, (_, counter) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    return createHash(hash).update(seed).update(number).digest();
  });
  return Buffer.concat(blocks).subarray(0, length);
}

/** Facts about the decoded `oauth_signature`. If no deviation explains it, pass the correct base string as `base`. */
export function signatureFacts(text: string, read: DecodedSignature, base?: string): Fact[] {
  const { announced } = read;
  if (announced === undefined) return fact(true, 'unknown-method')`The announced signature method is unknown.`;
  if (announced.kind === 'plaintext' || text === '') return [];
  if (read.length === undefined) {
    return fact(true, 'not-base64')`oauth_signature is not base64 and not another known encoding.`;
  }
  return announced.kind === 'hmac' ? hmacFacts(announced, read) : rsaFacts(announced, read, base);
}

function hmacFacts({ hash }: AnnouncedMethod, { length, readings }: DecodedSignature): Fact[] {
  const expected = digestLength(hash);
  const lengths = readings.filter(({ kind }) => kind === 'hmac').map((reading) => digestLength(reading.hash));
  if (length === expected || lengths.includes(expected)) return [];
  const found = lengths[0] ?? length!;
  const otherHash = readings.find(({ kind }) => kind === 'hmac')?.hash.toUpperCase();
  const otherLength = otherHash === undefined ? '' : `, the length of ${otherHash}`;
  return fact(true, 'hmac-length')`
    The signature has ${found} bytes${otherLength}; the announced method gives ${expected}.`;
}

function rsaFacts(
  { hash }: AnnouncedMethod,
  { opening, length = 0, readings }: DecodedSignature,
  base: string | undefined,
): Fact[] {
  const mistake = base === undefined ? undefined : contentMistake(opening, base);
  const report = (id: string) => fact(true, id);
  if (mistake !== undefined) return report('inside')`The key matches. ${mistake}`;
  switch (opening?.kind) {
    case 'wrong-length': {
      const isOfKey = length >= 128 && length % 64 === 0;
      const isHmac = readings.some(({ kind }) => kind === 'hmac');
      const like = isOfKey ? `, as for a key of ${8 * length} bits` : isHmac ? ', the length of an HMAC' : '';
      return report('rsa-length')`
        A signature of this key has ${opening.expected} bytes. This one has ${length}${like}.`;
    }
    case 'no-padding':
      return report('key-does-not-match')`
        The signature does not fit this public key: it was made with another key, or it is damaged.`;
    case 'other-content':
      return report('no-digest-inside')`
        The key matches and the padding is right, but the ${opening.content.length} signed bytes are not a digest.`;
    case 'bare-digest':
      return report('digest-info-missing')`The key matches, but the signed digest does not name its hash.`;
    case 'pss':
      return fact(opening.isCertain, 'pss-padding')`The key matches, but the padding is PSS, not PKCS #1 v1.5.`;
    case 'digest': {
      const own = opening.hash.toUpperCase();
      const wanted = hash.toUpperCase();
      if (own === wanted) return report('key-matches')`The key matches, and the signature contains a ${own} digest.`;
      return report('other-digest')`
        The key matches, but the signature contains a ${own} digest instead of a ${wanted} digest.`;
    }
    default:
      return [];
  }
}

const signingHint = 'Give the base string itself, as bytes, to a function that signs with SHA-256 and PKCS #1 v1.5.';

function contentMistake(opening: RsaOpening | undefined, base: string): string | undefined {
  const forms = [
    ['the base string', base],
    ['the base string in base64', Buffer.from(base).toString('base64')],
    ['the base string in hex', Buffer.from(base).toString('hex')],
    ['the percent-encoded base string', percentEncode(base)],
  ] as const;
  if (opening?.kind === 'digest' || opening?.kind === 'bare-digest') {
    const found = forms.slice(1).find(([, form]) => digestOf(form, opening.hash).toString('hex') === opening.digest);
    return found && `The client signed ${found[0]}, not the base string. ${signingHint}`;
  }
  if (opening?.kind !== 'other-content') return undefined;
  const { content } = opening;
  const text = content.toString('latin1');
  const whole = forms.find(([, form]) => content.equals(Buffer.from(form)))?.[0];
  const like = /^[A-Z]+(?:&|%26)https?%/.test(text) ? 'a wrong base string' : undefined;
  if (whole ?? like) return `The signature contains ${whole ?? like}, encrypted without a hash. ${signingHint}`;
  for (const hash of hashNames) {
    const digest = digestOf(base, hash);
    const name = hash.toUpperCase();
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const length = digest.toString(encoding).length;
      const isDigest = text.toLowerCase() === digest.toString(encoding).toLowerCase();
      const isOtherDigest = encoding === 'hex' && text.length === length && /^[0-9a-f]+$/i.test(text);
      if (!isDigest && !isOtherDigest) continue;
      const of = isDigest ? 'of the base string' : 'of another text';
      return `The signature contains the ${name} digest ${of} as ${encoding} text, not as bytes. ${signingHint}`;
    }
    const declared = hashNames.find((other) => content.toString('hex').startsWith(digestInfos[other]));
    if (declared !== undefined && content.subarray(digestInfos[declared].length / 2).equals(digest)) {
      return `The signature contains the ${name} digest, but declares ${declared.toUpperCase()}. Declare the hash that was computed.`;
    }
  }
  return undefined;
}

function digestOf(text: string, hash: HashName): Buffer {
  return createHash(hash).update(text).digest();
}
