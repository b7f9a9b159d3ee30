/** Signatures with the right key by methods that no operation has: other hashes, PLAINTEXT, and what comes near RSA-SHA256. Pure. */
import { constants, createHash, createHmac, type KeyObject, privateEncrypt, sign } from 'node:crypto';
import type { ImitatedMethod, SigningMethod } from '../../plan/scenario.ts';
import { hmacKeyText, type SignatureMethod } from '../../protocol/oauth/signature.ts';
import type { Credentials } from '../target/target.ts';

/** The signature of the base string, base64; PLAINTEXT is the text of the key (RFC 5849 section 3.4.4). */
export function signOtherwise(
  base: string,
  method: Exclude<SigningMethod, SignatureMethod> | ImitatedMethod,
  { consumerSecret, privateKey }: Pick<Credentials, 'consumerSecret' | 'privateKey'>,
): string {
  const keyText = hmacKeyText(consumerSecret);
  if (method === 'PLAINTEXT') return keyText;
  if (isImitated(method)) return imitations[method](base, privateKey).toString('base64');
  const [family, hash = ''] = method.split('-');
  if (family === 'HMAC') return createHmac(hash, keyText).update(base).digest('base64');
  return sign(`RSA-${hash}`, Buffer.from(base), privateKey).toString('base64');
}

/** RFC 8017: 9.2 says how the message of RSASSA-PKCS1-v1_5 is encoded, 8.1 what RSASSA-PSS is. */
const imitations: Readonly<Record<ImitatedMethod, (base: string, key: KeyObject) => Buffer>> = {
  'RSA-DIGEST-ALONE': (base, key) => privateEncrypt(key, digestOf(base)),
  'RSA-OTHER-PADDING': (base, key) => padded(base, key, { filler: 0 }),
  'RSA-OTHER-BLOCK': (base, key) => padded(base, key, { block: 2 }),
  // No less padding than RFC 8017 section 9.2 asks for at least.
  'RSA-BYTES-BEHIND': (base, key) => padded(base, key, { fillers: 8 }),
  'RSA-PSS': (base, key) => sign('sha256', Buffer.from(base), { key, ...pss }),
};

/** A salt as long as the digest: what verifiers ask for that ask for a length. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const;

/** The message of RFC 8017 section 9.2 but for what is named; `fillers` bytes of padding leave zeros behind the digest. */
function padded(
  base: string,
  key: KeyObject,
  { block = 1, filler = 0xff, fillers }: { block?: number; filler?: number; fillers?: number },
): Buffer {
  const named = Buffer.concat([nameOfSha256, digestOf(base)]);
  const message = Buffer.alloc((key.asymmetricKeyDetails?.modulusLength ?? 2048) / 8);
  const start = fillers === undefined ? message.length - named.length : fillers + 3;
  message[1] = block;
  message.fill(filler, 2, start - 1);
  message.set(named, start);
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, message);
}

/** What precedes a SHA-256 digest in DER (RFC 8017 section 9.2, note 1). */
const nameOfSha256 = Buffer.from('3031300d060960864801650304020105000420', 'hex');

function digestOf(base: string): Buffer {
  return createHash('sha256').update(base).digest();
}

function isImitated(method: string): method is ImitatedMethod {
  return method in imitations;
}
