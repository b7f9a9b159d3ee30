/** Whether a file holds the RSA private key that RSA-SHA256 needs, and what it holds in its place. Pure. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { examineKey } from '../../protocol/keys.ts';
import { type DoctorFinding, ok, problem, remark } from './examination.ts';

export interface ExaminedKey {
  /** Undefined where it cannot be used. */
  readonly privateKey?: KeyObject;
  readonly findings: readonly DoctorFinding[];
}

/** `name` is what the key is kept in, such as `the file key.pem`. No finding quotes it. */
export function examinePrivateKey(bytes: Uint8Array, name: string): ExaminedKey {
  const examined = examineKey(bytes, 'private');
  if ('problem' in examined) {
    const { id, what, hint } = examined.problem;
    return { findings: [problem(`private-key/${id}`, `${name} ${what}`, hint)] };
  }
  const { key: privateKey, form, remarks } = examined;
  const bits = privateKey.asymmetricKeyDetails?.modulusLength;
  const what = `${name} holds an RSA key of ${bits} bits (${form}); its public half has the SHA-256 ${fingerprint(privateKey)}`;
  const told = remarks.map(({ id, what, hint }) => remark(`private-key/${id}`, `${name} ${what}; it was read`, hint));
  return { privateKey, findings: [ok('private-key', what), ...told] };
}

/** Of the public half as SPKI: what `openssl pkey -pubout -outform DER | sha256sum` prints of the key. */
export function fingerprint(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}
