/** Signs an edited request with the published test keys, in the way in which the original one was signed: rightly, or with its deviation. */
import {
  constants,
  createHash,
  createPrivateKey,
  sign as cryptoSign,
  type KeyObject,
  privateEncrypt,
} from 'node:crypto';
import { candidatesFor } from '../../autopsy/candidates.ts';
import type { Deviation } from '../../autopsy/deviation.ts';
import { decodedLeniently, type RequestEvidence, readEvidence } from '../../autopsy/evidence.ts';
import { announcedBy, outputs, type SignatureReading, signatureReadings } from '../../autopsy/readings.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import { percentEncode } from '../../protocol/index.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';
import type { KnownFaults } from '../../verdict/recordings/known-faults.ts';
import { anySignature } from './echoed-signatures.ts';
import { withLength } from './edit-exchange.ts';
import { identityBehind, issuedKeyBehind } from './stand-ins.ts';
import { writeLike } from './write-like.ts';

/** What the original signature is examined with. */
export interface OriginalKeys {
  readonly consumerSecret?: string;
  readonly publicKey?: KeyObject;
}

/**
 * `right`: it verified, and verifies again. `same-fault`: it has the same deviation again. `other-fault`: it was wrong in
 * a way without a name, and is wrong again. `unsigned`: there was none.
 */
export type SignedAgain = 'right' | 'same-fault' | 'other-fault' | 'unsigned';

export interface SigningAgain {
  /** What the signatures of a consumer are examined with. */
  keysOf(consumerKey: string): OriginalKeys;
  /** The consumer key that was issued to the client, where it is not a published one. */
  readonly issued?: string;
  /** Makes signatures that cannot be reproduced random, and always the same. */
  readonly salt: string;
}

interface RequestSignedAgain {
  readonly request: SentRequest;
  readonly signed: SignedAgain;
}

/** `edited` is the original with stand-ins. */
export function signAgain(
  original: SentRequest,
  edited: SentRequest,
  { keysOf, issued, salt }: SigningAgain,
  known: KnownFaults,
): RequestSignedAgain {
  const evidence = readEvidence(original);
  const { signature } = evidence;
  if (signature === undefined || signature.value === '') {
    return { request: withoutOthers(edited, [], salt), signed: 'unsigned' };
  }
  const asSent = likeOriginal(evidence, readEvidence(edited), keysOf, known);
  if (asSent.text !== undefined) {
    return withSignature(edited, evidence, asSent.text, asSent.isRight ? 'right' : 'same-fault', salt);
  }
  // As if the client had signed the consumer key as it was issued, and had spoilt it on its way.
  const [one, other] = [original, edited].map((request) => withIssuedKey(request, issued));
  const asIssued = one && other && likeOriginal(readEvidence(one), readEvidence(other), keysOf, known);
  if (asIssued?.text !== undefined) {
    return withSignature(edited, evidence, asIssued.text, 'same-fault', salt);
  }
  const wrong = wrongSignature(signature.value, asSent.reading, salt);
  return withSignature(edited, evidence, wrong, 'other-fault', salt);
}

interface LikeOriginal {
  /** The signature; undefined where nothing explains the original one. */
  readonly text?: string;
  readonly isRight?: boolean;
  readonly reading?: SignatureReading;
}

function likeOriginal(
  original: RequestEvidence,
  edited: RequestEvidence,
  keysOf: (consumerKey: string) => OriginalKeys,
  known: KnownFaults,
): LikeOriginal {
  const { deviations, reading } = examine(original, keysOf, known);
  if (deviations === undefined || reading === undefined) return { reading };
  const isRight = deviations.length + reading.ids.length === 0;
  return { text: signLike(edited, deviations, reading), isRight, reading };
}

/** The request with a consumer key that is recognised in spite of its letter case and escapes; undefined where it is right. */
function withIssuedKey(request: SentRequest, issued: string | undefined): SentRequest | undefined {
  const sent = readEvidence(request).credential('oauth_consumer_key') ?? '';
  const meant = issuedKeyBehind(sent, issued);
  if (meant === undefined || meant === sent) return undefined;
  return withAuthorization(request, (value) =>
    value.replace(/(oauth_consumer_key="?)[^",]*/i, (_, before: string) => `${before}${percentEncode(meant)}`),
  );
}

function withAuthorization(request: SentRequest, change: (value: string) => string): SentRequest {
  const headers = request.headers.map(
    ([name, value]): Header => (/^authorization$/i.test(name) ? [name, change(value)] : [name, value]),
  );
  return { ...request, headers };
}

interface Examined {
  readonly deviations?: readonly Deviation[];
  /** Also where nothing explains the signature: its hash and its form are known then. */
  readonly reading?: SignatureReading;
}

function examine(
  evidence: RequestEvidence,
  keysOf: (consumerKey: string) => OriginalKeys,
  known: KnownFaults,
): Examined {
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const keys = keysOf(consumerKey);
  const announced = announcedBy(evidence.credential('oauth_signature_method') ?? '');
  const atHand = {
    secret: keys.consumerSecret !== undefined,
    publicKey: keys.publicKey,
  };
  const others = evidence.credentials.map(({ value }) => value);
  const { readings } = signatureReadings(evidence.signature!.value, announced, atHand, others);
  if (readings.length === 0) return {};
  const secrets = { consumerKey, consumerSecret: keys.consumerSecret ?? '', tokenSecret: '' };
  return known.faultOf(evidence, secrets, readings) ?? { reading: readings[0]! };
}

/** The signature that the same client would make of the edited request; undefined where its form cannot be made. */
function signLike(
  evidence: RequestEvidence,
  deviations: readonly Deviation[],
  reading: SignatureReading,
): string | undefined {
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const { consumerSecret } = identityBehind(consumerKey) ?? publishedIdentity;
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret: '' });
  if (reading.kind === 'plaintext') return candidates.keyText(deviations);
  if (reading.kind === 'hmac') return written(Buffer.from(candidates.mac(deviations, reading.hash), 'hex'), reading);
  const message = Buffer.from(candidates.baseString(deviations));
  const digest = createHash(reading.hash).update(message).digest();
  // Deviations of the last step sign something else than the base string.
  if (digest.toString('hex') !== candidates.digest(deviations, reading.hash)) return undefined;
  return written(rsaSignature(message, digest, reading), reading);
}

function rsaSignature(message: Buffer, digest: Buffer, { hash, ids }: SignatureReading): Buffer {
  privateKey ??= createPrivateKey(publishedIdentity.privateKeyPem);
  if (ids.includes('digest-info-missing')) return privateEncrypt(privateKey, digest);
  const padding = ids.includes('pss-padding') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  return cryptoSign(hash, message, { key: privateKey, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
}

let privateKey: KeyObject | undefined;

/** Wrong, in the same form and with the same hash: the original one could be used to guess the secret. */
function wrongSignature(value: string, reading: SignatureReading | undefined, salt: string): string {
  const form = outputs.find(({ read, write }) => read(value).length > 0 && write(read(value)) === value);
  const length = form?.read(value).length ?? Buffer.from(value, 'base64').length;
  const random = bytesFrom(`${salt}\0${value}`, length);
  if (reading?.kind === 'rsa') {
    return written(rsaSignature(random, createHash(reading.hash).update(random).digest(), reading), reading);
  }
  return form === undefined ? random.toString('base64').slice(0, value.length) : form.write(random);
}

function written(bytes: Buffer, { ids }: SignatureReading): string {
  const output = outputs.find(({ id }) => id !== undefined && ids.includes(id)) ?? outputs[0]!;
  return output.write(bytes);
}

function bytesFrom(seed: string, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${index} ${seed}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const signatureParameter = /(\boauth_signature[ \t]*=[ \t]*["']?)([^"',&\s]*)/i;

function withSignature(
  edited: SentRequest,
  evidence: RequestEvidence,
  text: string,
  signed: SignedAgain,
  salt: string,
): RequestSignedAgain {
  const { credentialsIn, signature } = evidence;
  const written = writeLike(signature!.writtenValue, signature!.value, text);
  const replaced = (text: string) => text.replace(signatureParameter, (_, before: string) => `${before}${written}`);
  const done = (request: SentRequest): RequestSignedAgain => ({
    request: withoutOthers(request, [[signature!.value, text]], salt, written),
    signed,
  });
  if (credentialsIn === 'query') return done({ ...edited, target: replaced(edited.target) });
  if (credentialsIn === 'body') return done(withBody(edited, replaced));
  return done(withAuthorization(edited, replaced));
}

function withBody(request: SentRequest, change: (text: string) => string): SentRequest {
  const text = Buffer.from(request.body).toString('latin1');
  const changed = change(text);
  if (changed === text) return request;
  const body = Buffer.from(changed, 'latin1');
  return { ...request, body, headers: withLength(request.headers, request.body.length, body.length) };
}

/**
 * A request may have a signature more than once: beside itself, in a second place, or where none is read. Each is one of the secret. That
 * which was examined has become the `known` one; any other is replaced by a wrong one, and the same by the same.
 */
function withoutOthers(
  request: SentRequest,
  known: readonly (readonly [was: string, text: string])[],
  salt: string,
  ...ofKnown: readonly string[]
): SentRequest {
  const become = new Map(known);
  const made = new Set(ofKnown);
  const replaced = (text: string) =>
    text.replace(anySignature, (all, before: string, was: string) => {
      if (made.has(was)) return all;
      const value = decodedLeniently(was);
      const told = become.get(value) ?? wrongSignature(value, undefined, salt);
      become.set(value, told);
      const written = writeLike(was, value, told);
      made.add(written);
      return `${before}${written}`;
    });
  const edited = withBody(request, replaced);
  const headers = edited.headers.map(([name, value]): Header => [name, replaced(value)]);
  return { ...edited, target: replaced(edited.target), headers };
}
