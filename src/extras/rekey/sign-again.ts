/** Signs an edited request with the published test keys, with the same deviation as the original, if any. */
import {
  constants,
  createHash,
  createPrivateKey,
  sign as cryptoSign,
  type KeyObject,
  privateEncrypt,
} from 'node:crypto';
import {
  candidatesFor,
  type Deviation,
  dialects,
  hostSpellings,
  type RequestEvidence,
  readEvidence,
  type Secrets,
  searchedDeviations,
} from '../../autopsy/index.ts';
import { announcedBy, outputs, type SignatureReading, signatureReadings } from '../../autopsy/readings.ts';
import { allDeviationsOf, type FoundDeviations, type SearchLimits, search, trialOf } from '../../autopsy/search.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';
import { latin1, withLength } from './edit.ts';
import { identityBehind, type OriginalKeys } from './keys.ts';

/** `same-fault` has the same deviation as before; `other-fault` had an unknown one and is wrong again. */
export type SignedAgain = 'right' | 'same-fault' | 'other-fault' | 'unsigned';

export interface SigningKeys {
  keysOf(consumerKey: string): OriginalKeys;
  /** The issued consumer key of the client, unless it is a published one. */
  readonly issued?: string;
  /** Seed for signatures that cannot be reproduced. */
  readonly salt: string;
}

export function signAgain(
  original: SentRequest,
  edited: SentRequest,
  { keysOf, salt }: SigningKeys,
  known: KnownFaults,
): { readonly request: SentRequest; readonly text?: string; readonly signed: SignedAgain } {
  const evidence = readEvidence(original);
  const { signature } = evidence;
  if (signature === undefined || signature.value === '') return { request: edited, signed: 'unsigned' };
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const { consumerSecret, publicKey } = keysOf(consumerKey);
  const announced = announcedBy(evidence.credential('oauth_signature_method') ?? '');
  const others = evidence.credentials.map(({ value }) => value);
  const keys = { secret: consumerSecret !== undefined, publicKey };
  const { readings } = signatureReadings(signature.value, announced, keys, others);
  const secrets = { consumerKey, consumerSecret: consumerSecret ?? '', tokenSecret: '' };
  const found = readings.length === 0 ? undefined : known.faultOf(evidence, secrets, readings);
  const text = found && signLike(readEvidence(edited), found.deviations, found.reading);
  if (found === undefined || text === undefined) {
    const wrong = wrongSignature(signature.value, found?.reading ?? readings[0], salt);
    return withSignature(edited, evidence, wrong, 'other-fault');
  }
  const isRight = found.deviations.length + found.reading.ids.length === 0;
  return withSignature(edited, evidence, text, isRight ? 'right' : 'same-fault');
}

export function withAuthorization(request: SentRequest, change: (value: string) => string): SentRequest {
  const headers = request.headers.map(
    ([name, value]): Header => (/^authorization$/i.test(name) ? [name, change(value)] : [name, value]),
  );
  return { ...request, headers };
}

/** The client's signature for the edited request; undefined if it cannot be reproduced. */
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
  // Deviations of the last step sign something other than the base string.
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

/** A wrong signature in the same form and with the same hash. The original could be used to guess the secret. */
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

function withSignature(
  edited: SentRequest,
  { credentialsIn, signature }: RequestEvidence,
  text: string,
  signed: SignedAgain,
): ReturnType<typeof signAgain> {
  const change = (all: string) => withValue(all, signature!, text);
  if (credentialsIn === 'query') return { signed, text, request: { ...edited, target: change(edited.target) } };
  if (credentialsIn === 'body') return { signed, text, request: withBody(edited, change) };
  return { signed, text, request: withAuthorization(edited, change) };
}

/** Replaces the value of a parameter in a header, query or form, in the form of the old value. */
export function withValue(
  text: string,
  { name, value, writtenValue }: Pick<RequestEvidence['credentials'][number], 'name' | 'value' | 'writtenValue'>,
  now: string,
): string {
  const place = new RegExp(`(\\b${name}[ \\t]*=[ \\t]*["']?)([^"',&\\s]*)`, 'i');
  return text.replace(place, (_, before: string) => `${before}${writeLike(writtenValue, value, now)}`);
}

function withBody(request: SentRequest, change: (text: string) => string): SentRequest {
  const body = Buffer.from(change(latin1(request.body)), 'latin1');
  return { ...request, body, headers: withLength(request.headers, request.body.length, body.length) };
}

export function writeLike(raw: string, value: string, text: string): string {
  const isEscaped = /%[0-9A-Fa-f]{2}/.test(raw);
  const isLower = /%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(raw);
  // Without a character that needs an escape the form is unknown; the correct one is used.
  const isBare = !isEscaped && /[^A-Za-z0-9\-._~]/.test(raw);
  return Array.from(text, (character) => {
    if (/[A-Za-z0-9\-._~]/.test(character)) return character;
    if (character !== '%' && raw.includes(character)) return character;
    if (isBare && !value.includes(character)) return character;
    const hex = Array.from(Buffer.from(character), (byte) => byte.toString(16).padStart(2, '0'));
    return hex.map((digits) => `%${isLower ? digits : digits.toUpperCase()}`).join('');
  }).join('');
}

/** Pairs of deviations. A deeper search would take a second for each request. */
const whole: SearchLimits = { depth: 2, deep: 0, work: 60_000_000 };

/** Failed searches in a row after which the signer's other signatures are not searched. */
const maxFruitless = 8;

const maxKnown = 32;

export class KnownFaults {
  /** Signatures not searched because earlier searches for the signer failed. */
  unsearched = 0;
  private readonly signers = new Map<string, { faults: (readonly Deviation[])[]; fruitless: number }>();
  private readonly limits: SearchLimits;

  constructor(limits = whole) {
    this.limits = limits;
  }

  /** The deviations that give the signature: none, known ones of the signer, or the result of a search. */
  faultOf(
    evidence: RequestEvidence,
    secrets: Secrets,
    readings: readonly SignatureReading[],
  ): FoundDeviations | undefined {
    const name = JSON.stringify(['oauth_consumer_key', 'oauth_signature_method'].map(evidence.credential));
    const signer = this.signers.get(name) ?? { faults: [], fruitless: 0 };
    this.signers.set(name, signer);
    const candidates = candidatesFor(evidence, secrets);
    const trial = trialOf(candidates, readings, whole.work);
    const size = (found: FoundDeviations) => allDeviationsOf(found).length;
    for (const faults of [[], ...signer.faults]) {
      trial.attempt(faults);
      if (trial.found.length > 0) return trial.found.reduce((least, one) => (size(one) < size(least) ? one : least));
    }
    if (signer.fruitless >= maxFruitless) {
      this.unsearched += 1;
      return undefined;
    }
    // Families are specific to this request, but the result must apply to other requests of the signer.
    const rare = () => hostSpellings(evidence.request);
    const all = { deviations: searchedDeviations, dialects, families: () => [], rare };
    const [found] = search(candidates, readings, all, this.limits).found;
    signer.fruitless = found === undefined ? signer.fruitless + 1 : 0;
    if (found !== undefined) signer.faults = [found.deviations, ...signer.faults].slice(0, maxKnown);
    return found;
  }
}
