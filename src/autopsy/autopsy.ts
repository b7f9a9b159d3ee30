/** Explains a refused signature by the smallest set of known deviations that gives exactly the signed bytes. */
import type { KeyObject } from 'node:crypto';
import { type Candidates, candidatesFor } from '../deviations/candidates.ts';
import type { Deviation } from '../deviations/deviation.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { dialects, familiesFor, searchedDeviations } from '../deviations/index.ts';
import { hostSpellings } from '../deviations/rows/uri.ts';
import { type Language, snippetOf } from '../deviations/snippets.ts';
import type { VerifyingKey, WireRequest } from '../protocol/index.ts';
import {
  type AddressedOperation,
  addressedOperation,
  type Fact,
  factsOf,
  lineEndLeftOut,
  readEvidence,
  signatureFacts,
} from './facts.ts';
import { formOf, type Malformation } from './malformations.ts';
import { announcedBy, type SignatureReading, signatureReadings } from './readings.ts';
import type { RequestText } from './request-text.ts';
import { allDeviationsOf, dropDisproved, fittingWords, type SearchLimits, search, usualLimits } from './search.ts';

/** The available keys. A signature that needs another one is not tried. */
export interface AutopsyKeys {
  readonly consumerKey?: string;
  readonly consumerSecret?: string;
  readonly tokenSecret?: string;
  readonly publicKey?: KeyObject;
}

export function autopsyKeys(consumerKey: string, keys: readonly VerifyingKey[]): AutopsyKeys {
  const parts = keys.map((key) =>
    key.method === 'HMAC-SHA1' ? { consumerSecret: key.consumerSecret } : { publicKey: key.publicKey },
  );
  return Object.assign({ consumerKey }, ...parts);
}

interface AutopsyOptions {
  readonly language?: Language;
  readonly limits?: Partial<SearchLimits>;
}

interface NamedDeviation {
  readonly id: string;
  readonly summary: string;
  readonly developer: string;
  readonly fix: string;
  readonly snippet?: string;
}

export interface Autopsy {
  readonly verified: boolean;
  /** `unknown`: nothing explains it, and the record lacks signed parts. */
  readonly signature: 'right' | 'wrong' | 'unknown';
  readonly lacking?: string;
  /** What breaks section 5 or RFC 5849 in the form of the request, even if its signature is right. */
  readonly malformations: readonly Malformation[];
  readonly operation: AddressedOperation;
  /** As announced; empty if absent. */
  readonly signatureMethod: string;
  /** The smallest set that gives the signed bytes, in the order of signing; empty if the signature is right or unexplained. */
  readonly deviations: readonly NamedDeviation[];
  readonly alternatives?: readonly (readonly string[])[];
  readonly dialects?: readonly { readonly id: string; readonly library: string }[];
  readonly facts: readonly Fact[];
  /** As RFC 5849 defines it. Never holds a secret. */
  readonly baseString: string;
  readonly signedBaseString?: string;
  readonly triedCount: number;
  readonly completeDepth: number;
}

export function readRequest(request: WireRequest, keys: AutopsyKeys) {
  const evidence = readEvidence(request);
  const signatureMethod = evidence.credential('oauth_signature_method') ?? '';
  const { consumerSecret = '', tokenSecret = '', publicKey } = keys;
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const text = evidence.signature?.value ?? '';
  const announced = announcedBy(signatureMethod);
  const others = evidence.credentials.map(({ value }) => value);
  const read = signatureReadings(text, announced, { secret: keys.consumerSecret !== undefined, publicKey }, others);
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret });
  return { evidence, candidates, text, signatureMethod, announced, read };
}

/** `scheme` and `host` must be as the client saw them. Never throws. */
export function autopsy(request: WireRequest, keys: AutopsyKeys, options: AutopsyOptions = {}): Autopsy {
  const { evidence, candidates, text, signatureMethod, announced, read } = readRequest(request, keys);
  const operation = addressedOperation(request.target);
  const limits = { ...usualLimits, ...options.limits, ...(isTooLong(evidence) && { work: 0 }) };
  const searched =
    read.readings.length === 0
      ? { found: [], triedCount: 0, completeDepth: -1 }
      : search(
          candidates,
          read.readings,
          {
            deviations: searchedDeviations,
            dialects,
            families: () => familiesFor(evidence),
            rare: () => hostSpellings(request),
          },
          limits,
        );
  const possible = dropDisproved(searched.found, evidence, keys.consumerKey);
  const [best, ...equals] = possible.map((found) => ({ ...found, all: allDeviationsOf(found) }));
  const baseString = candidates.baseString([]);
  const signed = best === undefined ? undefined : candidates.baseString(best.deviations);
  const named = best?.all ?? [];
  const isRight = best !== undefined && named.length === 0;
  const { malformations, remarks } = formOf(evidence, operation, { isRight, hasToken: keys.tokenSecret !== undefined });
  const spoken = named.length === 0 ? [] : dialectsLike(candidates, best!.deviations, best!.reading);
  return {
    verified: isRight && malformations.length === 0,
    signature: isRight ? 'right' : 'wrong',
    malformations,
    operation,
    signatureMethod,
    deviations: named.map((deviation) => fittingWords(namedDeviation(deviation, options.language), evidence)),
    ...(equals.length === 0 ? {} : { alternatives: equals.map(({ all }) => all.map(({ id }) => id)) }),
    ...(spoken.length === 0 ? {} : { dialects: spoken }),
    facts: [
      ...factsOf(evidence, operation),
      ...remarks,
      ...(best === undefined && searched.completeDepth === 0 ? [tooLong] : []),
      ...keyFacts(announced?.kind, keys),
      // If the method is absent, the fact about missing parameters is enough.
      ...(signatureMethod === ''
        ? []
        : signatureFacts(text, announced, read, best === undefined ? baseString : undefined)),
    ],
    baseString,
    ...(signed === undefined || signed === baseString ? {} : { signedBaseString: signed }),
    triedCount: searched.triedCount,
    completeDepth: searched.completeDepth,
  };
}

/** What breaks section 5 or RFC 5849 in the form of a request; `isRight`: its signature is right. */
export function malformationsOf(
  request: WireRequest,
  { tokenSecret }: AutopsyKeys,
  isRight: boolean,
): readonly Malformation[] {
  const hasToken = tokenSecret !== undefined;
  return formOf(readEvidence(request), addressedOperation(request.target), { isRight, hasToken }).malformations;
}

/** In body and query together. Collecting and sorting more takes a second for each way to sign. */
const maxParameters = 200_000;

export function isTooLong({ body, query }: Pick<RequestEvidence, 'body' | 'query'>): boolean {
  return body.length + query.length > maxParameters;
}

const tooLong: Fact = {
  id: 'too-long-to-search',
  text: 'The request is too long to compute every way to sign it. Try a shorter one with the same mistake.',
};

/**
 * For HTTP text, to which an editor may have added a line end. The body with fewer deviations counts; if equal, the one without
 * the last line end.
 * @throws RequestTextError if the body is incomplete, and no deviation explains the signature of the rest
 */
export function autopsyOfText(
  { request, shorter, missing, lacking }: RequestText,
  keys: AutopsyKeys,
  options?: AutopsyOptions,
): Autopsy {
  // A deep search over an incomplete request would find nothing.
  const limits = { ...options?.limits, ...(lacking === undefined ? {} : { depth: 1 }) };
  const found = autopsy(request, keys, { ...options, limits });
  if (found.signature === 'wrong' && found.deviations.length === 0) {
    if (missing !== undefined) throw missing;
    if (lacking !== undefined) return { ...found, signature: 'unknown', lacking, malformations: [], facts: [] };
  }
  if (shorter === undefined || found.signature === 'right') return found;
  const { body, fact } = shorter;
  const without = autopsy({ ...request, body }, keys, { ...options, limits });
  const isTaken = isSimpler(without, found) || (fact === lineEndLeftOut && !isSimpler(found, without));
  return isTaken ? { ...without, facts: [fact, ...without.facts] } : found;
}

function isSimpler({ signature, deviations }: Autopsy, other: Autopsy): boolean {
  const count = deviations.length;
  return signature === 'right' || (count > 0 && (other.deviations.length === 0 || count < other.deviations.length));
}

function dialectsLike(
  candidates: Candidates,
  found: readonly Deviation[],
  { kind, hash, matches }: SignatureReading,
): { id: string; library: string }[] {
  if (kind === 'plaintext' || found.length === 0) return [];
  return dialects
    .filter(({ deviations }) => {
      const hex = kind === 'hmac' ? candidates.mac(deviations, hash) : candidates.digest(deviations, hash);
      return matches(hex);
    })
    .map(({ id, library }) => ({ id, library }));
}

export function namedDeviation(
  { id, summary, developer, fix, snippet }: Deviation,
  language: Language | undefined,
): NamedDeviation {
  const code = language === undefined || snippet === undefined ? undefined : snippetOf(snippet, language);
  return { id, summary, developer, fix, snippet: code };
}

function keyFacts(kind: SignatureReading['kind'] | undefined, keys: AutopsyKeys): Fact[] {
  if (kind === 'rsa' && keys.publicKey === undefined) {
    return [{ id: 'no-key', text: 'An RSA signature cannot be examined without the public key.' }];
  }
  if ((kind === 'hmac' || kind === 'plaintext') && keys.consumerSecret === undefined) {
    return [{ id: 'no-key', text: 'This signature cannot be examined without the consumer secret.' }];
  }
  return [];
}
