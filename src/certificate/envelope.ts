/**
 * The signed envelope of a certificate: DSSE 1.0 (Dead Simple Signing Envelope) with one Ed25519 signature, in one exact form.
 * The form leaves no byte free, so that every changed byte is found, and a file of any depth or size is read in one pass.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { CertificateError } from './certificate-error.ts';

/** What the payload of an in-toto statement is called. */
export const payloadType = 'application/vnd.in-toto+json';

/** What is signed: the type and the payload with their lengths in bytes (DSSE 1.0, PAE). */
export function preAuthentication(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
}

/** The text of the envelope around the payload, signed with an Ed25519 private key. */
export function seal(payload: Uint8Array, privateKey: KeyObject): string {
  const sig = sign(null, preAuthentication(payloadType, payload), privateKey).toString('base64');
  const keyid = keyId(createPublicKey(privateKey));
  const envelope = { payload: Buffer.from(payload).toString('base64'), payloadType, signatures: [{ keyid, sig }] };
  return `${JSON.stringify(envelope)}\n`;
}

/** SHA-256 of the public key as DER of its SubjectPublicKeyInfo, in hexadecimal. */
export function keyId(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** The payload, if the file is an envelope in our form with a signature of that key. `name` is how errors call the file. Throws CertificateError. */
export function unseal(bytes: Buffer, publicKey: KeyObject, name: string): Buffer {
  const read = envelopeIn(bytes, name);
  const given = keyId(publicKey);
  if (read.keyid !== given) {
    const message = `${name} names the key ${read.keyid} in signatures[0].keyid, and the given key is ${given}`;
    throw new CertificateError(
      'other-key',
      message,
      'Give the public key of the issuer, from a source that you trust.',
    );
  }
  if (!verify(null, preAuthentication(read.payloadType, read.payload), publicKey, read.sig)) {
    throw new CertificateError(
      'changed-certificate',
      `the signature of ${name} does not fit: payload, payloadType or signatures[0].sig were changed, or another key signed them`,
      'Ask the issuer for the file as it was written.',
    );
  }
  if (read.payloadType === payloadType) return read.payload;
  throw new CertificateError('not-a-certificate', `payloadType in ${name} is not ${payloadType}`, giveAnother);
}

const giveAnother = 'Give a file that countersign certificate wrote, unchanged.';

interface ReadEnvelope {
  readonly payload: Buffer;
  readonly payloadType: string;
  readonly keyid: string;
  readonly sig: Buffer;
}

const base64 = /[A-Za-z0-9+/]*={0,2}/y;

/** What the file has to consist of, from its first byte to its last. */
const form: readonly (string | { readonly member: keyof ReadEnvelope; readonly pattern: RegExp })[] = [
  '{"payload":"',
  { member: 'payload', pattern: base64 },
  '","payloadType":"',
  { member: 'payloadType', pattern: /[\w.+/-]*/y },
  '","signatures":[',
  '{"keyid":"',
  { member: 'keyid', pattern: /[0-9a-f]{64}/y },
  '","sig":"',
  { member: 'sig', pattern: base64 },
  '"}',
  ']}\n',
];

function envelopeIn(bytes: Buffer, name: string): ReadEnvelope {
  // One character a byte, so that a place in the text is one in the file.
  const text = bytes.toString('latin1');
  const found: Record<string, string> = {};
  let at = 0;
  for (const part of form) {
    if (typeof part === 'string') {
      if (!text.startsWith(part, at)) throw misshapen(name, text, part, at);
      at += part.length;
      continue;
    }
    part.pattern.lastIndex = at;
    const value = part.pattern.exec(text)?.[0];
    if (value === undefined && text.length - at < 64) throw cutOff(name, text.length, 'the key id');
    if (value === undefined) throw notACertificate(`${name} has no key id of 64 digits at byte ${at}`);
    found[part.member] = value;
    at += value.length;
  }
  if (at !== text.length) throw notACertificate(`${name} goes on at byte ${at}, behind its end`);
  return {
    payload: decoded(found.payload!, 'payload', name),
    payloadType: found.payloadType!,
    keyid: found.keyid!,
    sig: decoded(found.sig!, 'signatures[0].sig', name),
  };
}

function misshapen(name: string, text: string, part: string, at: number): CertificateError {
  const first = [...part].findIndex((character, index) => text[at + index] !== character);
  if (part.startsWith('{"keyid') && text[at] === ']') return notACertificate(`${name} has no signature (byte ${at})`);
  if (part.startsWith(']') && text[at] === ',') {
    return notACertificate(`${name} has more than one signature (byte ${at}), and a certificate has exactly one`);
  }
  const wanted = JSON.stringify(part.slice(first));
  if (text === '') return notACertificate(`${name} is empty`);
  if (at + first === text.length) return cutOff(name, text.length, wanted);
  return notACertificate(
    `${name} is not a certificate as countersign writes it: byte ${at + first} is not the start of ${wanted}`,
  );
}

function cutOff(name: string, end: number, wanted: string): CertificateError {
  return notACertificate(`${name} ends at byte ${end}, where ${wanted} of a certificate has to follow: it was cut off`);
}

/** Bits that no byte needs could be anything otherwise. */
function decoded(text: string, member: string, name: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  throw notACertificate(`${member} in ${name} is not base64 in its only form`);
}

function notACertificate(message: string): CertificateError {
  return new CertificateError('not-a-certificate', message, giveAnother);
}
