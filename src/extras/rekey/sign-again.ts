/** Signs an edited request with the published test keys, with the same deviation as the original, if any. */
import { constants, createHash, sign as cryptoSign, privateEncrypt } from 'node:crypto';
import { autopsyKeys, readRequest } from '../../autopsy/autopsy.ts';
import { credentialOf, readEvidence } from '../../autopsy/facts.ts';
import {
  candidatesFor,
  type Deviation,
  dialects,
  hostSpellings,
  type RequestEvidence,
  searchedDeviations,
} from '../../autopsy/index.ts';
import { outputs, type SignatureReading } from '../../autopsy/readings.ts';
import { allDeviationsOf, type FoundDeviations, trialOf } from '../../autopsy/search.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';
import { publishedConsumer, publishedCredentials } from '../../run/target/target.ts';
import type { KnownKeys } from '../../verdict/client/client-evidence.ts';
import { imitateEscapes, latin1 } from './encodings.ts';
import { publishedForm } from './pseudonyms.ts';

/** `same-fault`: the copy has the same deviation. `other-fault`: the deviation is unknown, so the copy has another wrong signature. */
export type SignedAgain = 'right' | 'same-fault' | 'other-fault' | 'unsigned';

export interface SigningKeys extends Pick<KnownKeys, 'keysOf'> {
  /** The consumer key that was issued to the client; absent if the client uses a published key. */
  readonly issued?: string;
  /** Seed for new signatures that must be wrong like the original ones. */
  readonly salt: string;
  /** Sets of deviations, by id, to try after single deviations and the dialects of libraries. */
  readonly explained?: readonly (readonly string[])[];
}

export function signAgain(
  original: SentRequest,
  edited: SentRequest,
  { keysOf, issued, salt, explained = [] }: SigningKeys,
): { readonly request: SentRequest; readonly text?: string; readonly signed: SignedAgain } {
  const { consumerKey: defaultKey } = publishedCredentials().credentials;
  const consumerKey = credentialOf(original, 'oauth_consumer_key') ?? '';
  // Fall back to the issued key, because a client may alter its key, for example to capitals.
  const keys = keysOf(publishedForm(consumerKey) ?? consumerKey) ?? keysOf(issued ?? defaultKey) ?? [];
  const { evidence, candidates, text: before, read } = readRequest(original, autopsyKeys(consumerKey, keys));
  if (before === '') return { request: edited, signed: 'unsigned' };
  const trial = trialOf(candidates, read.readings, maxWork);
  for (const sets of [[[]], knownFaults(original, explained)]) {
    if (trial.found.length > 0) break;
    for (const set of sets) trial.attempt(set);
    trial.allowAll();
  }
  const [found] = [...trial.found].sort((a, b) => allDeviationsOf(a).length - allDeviationsOf(b).length);
  const text = found && signLike(readEvidence(edited), found);
  const request = withSignature(edited, evidence, text ?? wrongSignature(before, salt));
  if (found === undefined || text === undefined) return { request, signed: 'other-fault' };
  return { request, text, signed: allDeviationsOf(found).length === 0 ? 'right' : 'same-fault' };
}

/** The limit of the search, in hashed characters of base strings. */
const maxWork = 60_000_000;

function knownFaults(request: SentRequest, explained: readonly (readonly string[])[]): (readonly Deviation[])[] {
  const spellings = explained.some((ids) => ids.includes('host-case-changed')) ? hostSpellings(request) : [];
  return [
    ...explained.map((ids) => searchedDeviations.filter(({ id }) => ids.includes(id))),
    ...[...searchedDeviations, ...spellings].map((one) => [one]),
    ...dialects.map(({ deviations }) => deviations),
  ];
}

/** The client's signature for the edited request; undefined if it cannot be reproduced. */
function signLike(evidence: RequestEvidence, { deviations, reading }: FoundDeviations): string | undefined {
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const { consumerSecret } = publishedConsumer(publishedForm(consumerKey) ?? '') ?? publishedCredentials().credentials;
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret: '' });
  if (reading.kind === 'plaintext') return candidates.keyText(deviations);
  const { write } = outputs.find(({ id }) => id !== undefined && reading.ids.includes(id)) ?? outputs[0]!;
  if (reading.kind === 'hmac') return write(Buffer.from(candidates.mac(deviations, reading.hash), 'hex'));
  const message = Buffer.from(candidates.baseString(deviations));
  const digest = createHash(reading.hash).update(message).digest();
  // Give up on a deviation that signs another text than the base string.
  if (digest.toString('hex') !== candidates.digest(deviations, reading.hash)) return undefined;
  return write(rsaSignature(message, digest, reading));
}

function rsaSignature(message: Buffer, digest: Buffer, { hash, ids }: SignatureReading): Buffer {
  const { privateKey: key } = publishedCredentials().credentials;
  if (ids.includes('digest-info-missing')) return privateEncrypt(key, digest);
  const padding = ids.includes('pss-padding') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  return cryptoSign(hash, message, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
}

/** A random signature in the form of the original. The original could help a reader to guess the secret. */
function wrongSignature(value: string, salt: string): string {
  const form = outputs.find(({ read, write }) => read(value).length > 0 && write(read(value)) === value);
  const outputLength = form?.read(value).length ?? value.length;
  const random = createHash('shake256', { outputLength }).update(`${salt}\0${value}`).digest();
  return form === undefined ? random.toString('base64').slice(0, value.length) : form.write(random);
}

/** Replaces the signature in its place, with the same escapes. */
function withSignature(request: SentRequest, { credentialsIn, signature }: RequestEvidence, text: string): SentRequest {
  const { value, writtenValue } = signature!;
  const change = (all: string) =>
    all.replace(/(\boauth_signature[ \t]*=[ \t]*["']?)([^"',&\s]*)/i, (_, before: string) => {
      return `${before}${imitateEscapes(writtenValue, value, text)}`;
    });
  if (credentialsIn === 'query') return { ...request, target: change(request.target) };
  if (credentialsIn === 'body') return withBody(request, change(latin1(request.body)));
  const headers = request.headers.map(
    ([name, header]): Header => [name, /^authorization$/i.test(name) ? change(header) : header],
  );
  return { ...request, headers };
}

/** Replaces the body, and the Content-Length if it was correct. Each character of the text stands for one byte. */
export function withBody(request: SentRequest, text: string): SentRequest {
  const [before, after] = [request.body.length, text.length].map(String);
  const headers = request.headers.map(([name, value]): Header => {
    const isLength = /^content-length$/i.test(name) && value.trim() === before;
    return [name, isLength ? value.replace(before, after!) : value];
  });
  return { ...request, headers, body: Buffer.from(text, 'latin1') };
}
