/** The signed envelope of a certificate: DSSE 1.0 with Ed25519. Reads every form that DSSE allows. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { CodedError, errorTag } from '../../record/errors.ts';

/**
 * `contradiction`: the signature is correct, but members contradict each other.
 * `unreadable-evidence`: no permission to read a file. `not-certifiable`: this kind of run cannot get a certificate.
 */
export class CertificateError extends CodedError<
  | 'not-a-certificate'
  | 'other-key'
  | 'changed-certificate'
  | 'contradiction'
  | 'not-valid-now'
  | 'old-suite'
  | 'other-challenge'
  | 'other-artifact'
  | 'changed-evidence'
  | 'unreadable-evidence'
  | 'other-outcome'
  | 'not-certifiable'
> {}

export function certificateError(code: CertificateError['code'], cause?: unknown) {
  return errorTag((message, hint) => new CertificateError(code, message, hint, cause));
}

export const payloadType = 'application/vnd.in-toto+json';

/** The signed bytes: the length of the type, the type, the length of the payload, the payload (DSSE 1.0, PAE). */
export function preAuthEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
}

/** Returns the envelope of a payload, signed with an Ed25519 private key. */
export function seal(payload: Uint8Array, privateKey: KeyObject): string {
  const sig = sign(null, preAuthEncoding(payloadType, payload), privateKey).toString('base64');
  const keyid = keyId(createPublicKey(privateKey));
  const envelope = { payload: Buffer.from(payload).toString('base64'), payloadType, signatures: [{ keyid, sig }] };
  return `${JSON.stringify(envelope)}\n`;
}

/** The SHA-256, in hexadecimal, of the public key in DER (SubjectPublicKeyInfo). */
export function keyId(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Verifies an envelope with the key, and returns the payload. Errors name the file `name`. Throws CertificateError. */
export function unseal(bytes: Buffer, publicKey: KeyObject, name: string): Buffer {
  const envelope = parseEnvelope(bytes, name);
  const payload = decodeBase64(envelope.payload, 'payload', name);
  const type = textOf(envelope.payloadType, 'payloadType', name);
  const signedBytes = preAuthEncoding(type, payload);
  const signatures = parseSignatures(envelope, name);
  // Try the key on every signature. A key id cannot select the signature, because key ids are not signed.
  if (signatures.some(({ sig }) => verify(null, signedBytes, publicKey, sig))) {
    if (type === payloadType) return payload;
    throw notACertificate(`payloadType in ${name} is not ${payloadType}`);
  }
  const trustedKeyId = keyId(publicKey);
  const [{ keyid }] = signatures as [Signature];
  if (typeof keyid === 'string' && !signatures.some((one) => one.keyid === trustedKeyId)) {
    throw certificateError('other-key')`
      ${name} names the key ${keyid.slice(0, 100)} in signatures[0].keyid, but the given key is ${trustedKeyId}
      Give the public key of the issuer, from a source that you trust.`;
  }
  throw certificateError('changed-certificate')`
    the signature of ${name} is wrong: "payload", "payloadType" or "signatures[0].sig" changed, or another key signed them
    Ask the issuer for the original file.`;
}

/** Maximum number of signatures in an envelope. Each verification reads the whole payload, so this limits the work. */
const maxSignatures = 16;

interface Signature {
  readonly keyid: unknown;
  readonly sig: Buffer;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseSignatures({ signatures }: JsonObject, name: string): Signature[] {
  if (!Array.isArray(signatures) || signatures.length === 0) throw notACertificate(`${name} has no signatures`);
  if (signatures.length > maxSignatures) throw notACertificate(`${name} has more than ${maxSignatures} signatures`);
  return signatures.map((one, at) => {
    if (!isJsonObject(one)) throw notACertificate(`signatures[${at}] in ${name} is not an object`);
    return { keyid: one.keyid, sig: decodeBase64(one.sig, `signatures[${at}].sig`, name) };
  });
}

function parseEnvelope(bytes: Buffer, name: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw notACertificate(bytes.length === 0 ? `${name} is empty` : `${name} is not JSON`);
  }
  if (isJsonObject(value)) return value;
  throw notACertificate(`${name} is not a JSON object`);
}

function textOf(value: unknown, member: string, name: string): string {
  if (typeof value === 'string') return value;
  throw notACertificate(`${member} in ${name} is ${value === undefined ? 'missing' : 'not text'}`);
}

/** Decodes base64 or base64url, padded or not. Throws CertificateError for other text, or if an unused bit is 1. */
function decodeBase64(value: unknown, member: string, name: string): Buffer {
  const text = textOf(value, member, name);
  const bytes = Buffer.from(text, 'base64');
  const unpadded = text.replace(/={1,2}$/, '');
  if ([bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')].includes(unpadded)) return bytes;
  throw notACertificate(`${member} in ${name} is not base64`);
}

function notACertificate(message: string): CertificateError {
  return new CertificateError('not-a-certificate', message, 'Give a file that countersign certificate wrote.');
}

export function newKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** Reads an Ed25519 private key. If it is not usable, returns the reason, such as `contains an encrypted key`. */
export function signingKey(pem: string): KeyObject | string {
  if (pem.includes('ENCRYPTED')) return 'contains an encrypted key';
  if (!pem.includes('PRIVATE KEY')) return 'contains no private key in PEM';
  return readEd25519(() => createPrivateKey(pem));
}

/** Reads an Ed25519 public key. If it is not usable, returns the reason, such as `contains an unreadable key`. */
export function verifierKey(pem: string): KeyObject | string {
  if (pem.includes('PRIVATE KEY')) return 'contains a private key, which only its owner should have';
  if (!pem.includes('PUBLIC KEY')) return 'contains no public key in PEM';
  return readEd25519(() => createPublicKey(pem));
}

function readEd25519(read: () => KeyObject): KeyObject | string {
  try {
    const key = read();
    return key.asymmetricKeyType === 'ed25519' ? key : 'contains a key that is not Ed25519';
  } catch {
    return 'contains an unreadable key';
  }
}
