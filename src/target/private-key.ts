/** Whether a file holds the RSA private key that RSA-SHA256 needs, and what it holds in its place. Pure. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { readPrivateKey } from '../protocol/keys.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { type DoctorFinding, ok, problem } from './examination.ts';

export interface ExaminedKey {
  /** Undefined where it cannot be used. */
  readonly privateKey?: KeyObject;
  readonly findings: readonly DoctorFinding[];
}

/** `name` is what the key is kept in, such as `the file key.pem`. No finding quotes it. */
export function examinePrivateKey(bytes: Uint8Array, name: string): ExaminedKey {
  const pem = Buffer.from(bytes).toString('utf8');
  const mistake = mistakes.find(({ is }) => is(pem, bytes));
  if (mistake !== undefined) {
    return { findings: [problem(`private-key/${mistake.id}`, `${name} ${mistake.what}`, mistake.hint)] };
  }
  try {
    const privateKey = readPrivateKey(pem);
    const form = pem.includes('BEGIN RSA PRIVATE KEY') ? 'PKCS#1' : 'PKCS#8';
    const bits = privateKey.asymmetricKeyDetails?.modulusLength;
    const what = `${name} holds an RSA key of ${bits} bits (${form}); its public half has the SHA-256 ${fingerprint(privateKey)}`;
    return { privateKey, findings: [ok('private-key', what)] };
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    return { findings: [unusable(cause, name)] };
  }
}

/** Of the public half as SPKI: what `openssl pkey -pubout -outform DER | sha256sum` prints of the key. */
export function fingerprint(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}

function unusable(cause: ProtocolError, name: string): DoctorFinding {
  switch (cause.code) {
    case 'key-too-small':
      return problem(
        'private-key/small',
        `${name}: ${cause.message}`,
        'Make a new pair of at least 2048 bits and have its public half registered at the gateway: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048.',
      );
    case 'not-rsa':
      return problem(
        'private-key/type',
        `${name}: ${cause.message}`,
        'Make an RSA pair and have its public half registered at the gateway: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048.',
      );
    default:
      return problem(
        'private-key/unreadable',
        `${name} holds no private key in PEM that can be read`,
        'It may be cut off: a PEM file goes from its BEGIN line to its END line, with its line breaks unchanged.',
      );
  }
}

interface Mistake {
  readonly id: string;
  readonly is: (text: string, bytes: Uint8Array) => boolean;
  readonly what: string;
  readonly hint: string;
}

const mistakes: readonly Mistake[] = [
  { id: 'empty', is: (text) => text.trim() === '', what: 'is empty', hint: 'Put the RSA private key into it, in PEM.' },
  {
    id: 'encrypted',
    is: (text) => text.includes('BEGIN ENCRYPTED PRIVATE KEY') || text.includes('Proc-Type: 4,ENCRYPTED'),
    what: 'holds an encrypted private key',
    hint: 'Store it without a passphrase where only this user may read it: openssl pkey -in KEY -out KEY.plain.',
  },
  {
    id: 'openssh',
    is: (text) => text.includes('BEGIN OPENSSH PRIVATE KEY'),
    what: "holds a key in OpenSSH's own form",
    hint: 'Turn a copy of it into PEM: ssh-keygen -p -N "" -m PKCS8 -f COPY.',
  },
  {
    id: 'escaped',
    is: (text) => /-----BEGIN [A-Z ]*PRIVATE KEY-----\\n/.test(text),
    what: 'holds a PEM text whose line ends are written as \\n',
    hint: 'Put real line ends in their place, or name the file with privateKeyFile.',
  },
  {
    id: 'public',
    is: (text) => /BEGIN (?:RSA )?PUBLIC KEY/.test(text) && !text.includes('PRIVATE KEY'),
    what: 'holds a public key',
    hint: 'Requests are signed with the private half; the public one belongs to the gateway.',
  },
  {
    id: 'certificate',
    is: (text) => text.includes('BEGIN CERTIFICATE') && !text.includes('PRIVATE KEY'),
    what: 'holds a certificate',
    hint: 'A certificate has the public half only: requests are signed with the private key that belongs to it.',
  },
  {
    id: 'der',
    // An ASN.1 sequence with a length of two bytes: DER of a key, or PKCS#12.
    is: (_text, bytes) => bytes[0] === 0x30 && bytes[1] === 0x82,
    what: 'is binary (DER or PKCS#12), not PEM',
    hint: 'Convert it: openssl pkey -inform DER -in KEY -out KEY.pem; for PKCS#12: openssl pkcs12 -in FILE -nocerts -nodes.',
  },
];
