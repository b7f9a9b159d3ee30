/** Explains a wrong signature: finds the fewest deviations (known mistakes) that reproduce exactly this signature. */
import type { KeyObject } from 'node:crypto';
import { type Candidates, candidatesFor } from '../deviations/candidates.ts';
import type { Deviation } from '../deviations/deviation.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { deviations, dialects, familiesFor, searchedDeviations } from '../deviations/index.ts';
import { type Language, snippetOf } from '../deviations/snippets.ts';
import { percentEncode, type VerifyingKey, type WireRequest } from '../protocol/index.ts';
import { readForm } from '../rules/client/reading.ts';
import {
  addressedOperation,
  type Fact,
  factsOf,
  judgeForm,
  type Malformation,
  readEvidence,
  skippedLineEnd,
} from './facts.ts';
import { type SignatureReading, signatureFacts, signatureReadings } from './readings.ts';
import type { RequestText } from './request-text.ts';
import { allDeviationsOf, type FoundDeviations, search, signHex, trialOf } from './search.ts';

/** The known keys. A signature that needs another key cannot be explained. */
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

/** Minimum bits of an RSA key: a padded digest must fit. Small keys are allowed, because a client cannot choose one. */
export const minKeyBits = 512;

interface AutopsyOptions {
  readonly language?: Language;
  readonly limits?: Parameters<typeof search>[3];
}

type NamedDeviation = Pick<Deviation, 'id' | 'summary' | 'developer' | 'fix'> & { readonly snippet?: string };

export interface Autopsy {
  readonly verified: boolean;
  /** The signature is `unknown` if the record lacks a signed part and no deviation explains the signature. */
  readonly signature: 'right' | 'wrong' | 'unknown';
  /** The signed part that the record lacks. */
  readonly lacking?: string;
  /** The broken rules on the form of a request. A request with a correct signature may break such rules too. */
  readonly malformations: readonly Malformation[];
  readonly operation: ReturnType<typeof addressedOperation>;
  /** The value of oauth_signature_method; empty if absent. */
  readonly signatureMethod: string;
  /** The smallest set that explains the signature (of several: the likeliest). Empty if it is right or unexplained. */
  readonly deviations: readonly NamedDeviation[];
  /** The other sets of the same size that also explain the signature. Each set is a list of ids. */
  readonly alternatives?: readonly (readonly string[])[];
  readonly dialects?: readonly { readonly id: string; readonly library: string }[];
  readonly facts: readonly Fact[];
  /** The correct base string (RFC 5849). It contains no secret. */
  readonly baseString: string;
  /** The base string that the client signed, if it differs from `baseString`. */
  readonly signedBaseString?: string;
  readonly triedCount: number;
  /** The search has covered all sets of at most this size. -1 if it tried no set. */
  readonly completeDepth: number;
}

/** Reads the data for a search from a request. `candidates` computes what a client with deviations would sign. */
export function readRequest(request: WireRequest, keys: AutopsyKeys) {
  const evidence = readEvidence(request);
  const signatureMethod = evidence.credential('oauth_signature_method') ?? '';
  const { consumerSecret = '', tokenSecret = '', publicKey } = keys;
  const consumerKey = evidence.credential('oauth_consumer_key') ?? '';
  const text = evidence.signature?.value ?? '';
  const credentialValues = evidence.credentials.map(({ value }) => value);
  const available = { secret: keys.consumerSecret !== undefined, publicKey };
  const read = signatureReadings(text, signatureMethod, available, credentialValues);
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret });
  return { evidence, candidates, text, signatureMethod, read };
}

/** Explains the signature of one request. The URL of `request` must be the URL that the client called. Never throws. */
export function autopsy(request: WireRequest, keys: AutopsyKeys, options: AutopsyOptions = {}): Autopsy {
  const { evidence, candidates, text, signatureMethod, read } = readRequest(request, keys);
  const operation = addressedOperation(request.target);
  const limits = { ...options.limits, ...(isTooLong(evidence) && { work: 0 }) };
  const result = search(candidates, read.readings, evidence, limits);
  const possible = dropDisproved(result.found, evidence, keys.consumerKey);
  const [best, ...others] = possible.map((found) => ({ ...found, all: allDeviationsOf(found) }));
  const baseString = candidates.baseString([]);
  const clientBaseString = best === undefined ? undefined : candidates.baseString(best.deviations);
  const causes = best?.all ?? [];
  const isRight = best !== undefined && causes.length === 0;
  const { malformations, remarks } = judgeForm(evidence, isRight, keys.tokenSecret !== undefined);
  const matchingDialects = best === undefined ? [] : findDialects(candidates, best.deviations, best.reading);
  return {
    verified: isRight && malformations.length === 0,
    signature: isRight ? 'right' : 'wrong',
    malformations,
    operation,
    signatureMethod,
    deviations: causes.map((deviation) => namedDeviation(deviation, evidence, options.language)),
    alternatives: others.length === 0 ? undefined : others.map(({ all }) => all.map(({ id }) => id)),
    dialects: matchingDialects.length === 0 ? undefined : matchingDialects,
    facts: [
      ...factsOf(evidence, operation),
      ...remarks,
      ...(best === undefined && result.completeDepth === 0 ? [tooLongFact] : []),
      ...keyFacts(read.announced?.kind, keys),
      // If the signature method is missing, another fact reports it.
      ...(signatureMethod === '' ? [] : signatureFacts(text, read, best === undefined ? baseString : undefined)),
    ],
    baseString,
    signedBaseString: clientBaseString === baseString ? undefined : clientBaseString,
    triedCount: result.triedCount,
    completeDepth: result.completeDepth,
  };
}

/** Maximum number of parameters in body and query together. With more, one try takes more than a second. */
const maxParameters = 200_000;

/** True if the request has too many parameters to search for deviations. */
export function isTooLong({ body, query }: Pick<RequestEvidence, 'body' | 'query'>): boolean {
  return body.length + query.length > maxParameters;
}

const tooLongFact: Fact = {
  id: 'too-long-to-search',
  text: 'The request is too long to search for the mistake. Try a shorter request with the same mistake.',
};

/** Explains a request text. Throws RequestTextError if the body is incomplete and the signature stays unexplained. */
export function autopsyOfText(
  { request, shorter, bodyError, lacking }: RequestText,
  keys: AutopsyKeys,
  options?: AutopsyOptions,
): Autopsy {
  // If a signed part is missing, most searches fail. So try only single deviations.
  const limits = { ...options?.limits, ...(lacking !== undefined && { depth: 1 }) };
  const found = autopsy(request, keys, { ...options, limits });
  if (found.signature === 'wrong' && found.deviations.length === 0) {
    if (bodyError !== undefined) throw bodyError;
    if (lacking !== undefined) return { ...found, signature: 'unknown', lacking, malformations: [], facts: [] };
  }
  if (shorter === undefined || found.signature === 'right') return found;
  const { body, fact } = shorter;
  const alternative = autopsy({ ...request, body }, keys, { ...options, limits });
  const isBetter = isSimpler(alternative, found) || (fact === skippedLineEnd && !isSimpler(found, alternative));
  return isBetter ? { ...alternative, facts: [fact, ...alternative.facts] } : found;
}

function isSimpler({ signature, deviations }: Autopsy, other: Autopsy): boolean {
  const count = deviations.length;
  return signature === 'right' || (count > 0 && (other.deviations.length === 0 || count < other.deviations.length));
}

function findDialects(candidates: Candidates, found: readonly Deviation[], reading: SignatureReading) {
  if (reading.kind === 'plaintext' || found.length === 0) return [];
  return dialects
    .filter(({ deviations }) => reading.matches(signHex(candidates, deviations, reading)))
    .map(({ id, library }) => ({ id, library }));
}

/** Puts likelier sets first. Drops sets with `header-values-encoded-twice` if the consumer key disproves them. */
function dropDisproved<T extends FoundDeviations>(
  all: readonly T[],
  { body, credential }: RequestEvidence,
  issuedKey: string | undefined,
): readonly T[] {
  // If the body has characters that every encoder escapes, put `body-signed-as-written` last.
  const isRaw = body.some(({ writtenValue }) => /[^A-Za-z0-9%._~!*'()+-]|\+.*=/.test(writtenValue));
  const isAsWritten = (one: T): boolean => isRaw && one.deviations.some(({ id }) => id === 'body-signed-as-written');
  const sorted = [...all.filter((one) => !isAsWritten(one)), ...all.filter(isAsWritten)];
  if (issuedKey === undefined || credential('oauth_consumer_key') !== issuedKey) return sorted;
  if (percentEncode(issuedKey) === issuedKey) return sorted;
  // The issued consumer key has reserved characters and arrived correctly, so header values were not encoded twice.
  const allowed = sorted.filter((one) => allDeviationsOf(one).every(({ id }) => id !== 'header-values-encoded-twice'));
  return allowed.length === 0 ? sorted : allowed;
}

const proxyHint =
  'If a proxy added this part, give the request as the client sent it. If the client added it, do not send it.';

/** More exact texts for the deviations `ids`, if `applies` is true for the request. */
const contextTexts: readonly {
  readonly ids: readonly string[];
  readonly applies: (evidence: RequestEvidence) => boolean;
  readonly summary?: string;
  readonly fix: string;
}[] = [
  {
    ids: ['query-left-out'],
    applies: ({ request }) => addressedOperation(request.target) !== 'other',
    summary: 'The request has a query, but section 4 defines none. The signature does not cover the query.',
    fix: proxyHint,
  },
  {
    ids: ['trailing-slash-cut'],
    applies: ({ request }) => addressedOperation(request.target) !== 'other' && /\/(?:\?|$)/.test(request.target),
    summary: 'The path ends with a slash, but the paths in section 4 do not. The signature does not cover the slash.',
    fix: proxyHint,
  },
  {
    ids: ['body-left-out', 'empty-values-left-out'],
    applies: ({ request }) => !['form', 'empty'].includes(readForm(request.body).kind),
    summary: 'The body is not a form, and the signature does not cover it.',
    fix: 'Send the fields as a form first (sections 4.1 and 4.2), and sign them.',
  },
];

function textsOf({ id, summary, fix }: Deviation, evidence: RequestEvidence) {
  const context = contextTexts.find(({ ids, applies }) => ids.includes(id) && applies(evidence));
  return { summary: context?.summary ?? summary, fix: context?.fix ?? fix };
}

function namedDeviation(one: Deviation, evidence: RequestEvidence, language: Language | undefined): NamedDeviation {
  const snippet = language && one.snippet && snippetOf(one.snippet, language);
  const { summary, fix } = textsOf(one, evidence);
  return { id: one.id, summary, developer: one.developer, fix, snippet };
}

function keyFacts(kind: SignatureReading['kind'] | undefined, { publicKey, consumerSecret }: AutopsyKeys): Fact[] {
  if (kind === undefined || (kind === 'rsa' ? publicKey : consumerSecret) !== undefined) return [];
  const key = kind === 'rsa' ? 'the public key' : 'the consumer secret';
  return [{ id: 'no-key', text: `Without ${key}, this signature cannot be checked.` }];
}

export interface WrongSignature {
  readonly number: number;
  readonly request: WireRequest;
  readonly keys: AutopsyKeys;
}

interface ExplainedSignatures {
  readonly ids: readonly string[];
  readonly alternatives: readonly (readonly string[])[];
  readonly numbers: readonly number[];
  readonly example: Autopsy;
  readonly exampleNumber: number;
}

/** Sets of deviations that explain wrong signatures, and the numbers of the requests that no set explains. */
export interface ManyAutopsies {
  readonly explained: readonly ExplainedSignatures[];
  readonly unexplained: readonly number[];
  /** The autopsy of the first unexplained request that was searched. */
  readonly unexplainedExample?: Autopsy;
  /** The unexplained requests without a search of their own. Some were tested for the mistakes of other requests. */
  readonly unsearched: readonly number[];
}

/** A client repeats its mistakes, so few searches suffice. `failed` and `failedCharacters` limit failures in a row. */
const bounds = { searches: 24, failed: 3, failedCharacters: 500_000, requests: 2_000, characters: 16_000_000 } as const;

/** Explains the wrong signatures with few sets of deviations. Stops after `maxFailed` failed searches in a row. */
export function explainMany(
  requests: readonly WrongSignature[],
  language?: Language,
  maxFailed: number = bounds.failed,
): ManyAutopsies {
  const lengths = new Map(requests.map((one) => [one, lengthOf(one)]));
  const shortestFirst = [...requests].sort((a, b) => lengths.get(a)! - lengths.get(b)!);
  const wrong = shortestFirst.slice(0, bounds.requests).filter((one) => !setsOf(one, [[]]).has(''));
  const found = new Map<string, { readonly example: Autopsy; readonly exampleNumber: number }>();
  const triedSets: (readonly Deviation[])[] = [];
  const sets = new Map<number, Set<string>>(wrong.map(({ number }) => [number, new Set()]));
  const autopsies = new Map<number, Autopsy>();
  let searchedLength = 0;
  let failed = 0;
  let failedLength = 0;
  for (const one of wrong) {
    if (autopsies.size >= bounds.searches || failed >= maxFailed || failedLength >= bounds.failedCharacters) break;
    if (setsOf(one, triedSets).size > 0) continue;
    const length = lengths.get(one)!;
    searchedLength += length;
    if (autopsies.size > 0 && searchedLength > bounds.characters) break;
    const result = autopsy(one.request, one.keys, { language });
    autopsies.set(one.number, result);
    if (result.deviations.length === 0) {
      failed += 1;
      failedLength += length;
      continue;
    }
    failed = 0;
    failedLength = 0;
    const evidence = readEvidence(one.request);
    const families = familiesFor(evidence);
    for (const ids of [result.deviations.map(({ id }) => id), ...(result.alternatives ?? [])]) {
      const key = ids.join(' ');
      sets.get(one.number)!.add(key);
      if (found.has(key)) continue;
      const set = [...deviations, ...families].filter(({ id }) => ids.includes(id));
      const named = set.map((each) => namedDeviation(each, evidence, language));
      found.set(key, { example: { ...result, deviations: named }, exampleNumber: one.number });
      triedSets.push([...searchedDeviations, ...families].filter(({ id }) => ids.includes(id)));
    }
  }
  for (const one of wrong) for (const key of setsOf(one, triedSets)) if (found.has(key)) sets.get(one.number)!.add(key);
  const skipped = shortestFirst.slice(bounds.requests).map(({ number }) => number);
  const withoutCause = wrong.map(({ number }) => number).filter((number) => sets.get(number)!.size === 0);
  const unexplained = [...withoutCause, ...skipped];
  return {
    explained: coveringSets(sets).map(({ key, numbers }) => ({
      ids: key.split(' '),
      alternatives: alternativesTo(key, numbers, sets),
      numbers,
      ...found.get(key)!,
    })),
    unexplained,
    unexplainedExample: withoutCause.flatMap((number) => autopsies.get(number) ?? [])[0],
    unsearched: unexplained.filter((number) => !autopsies.has(number)),
  };
}

/** Greedy set cover: each step takes the set that explains the most remaining requests. Drops redundant sets. */
function coveringSets(sets: ReadonlyMap<number, ReadonlySet<string>>): { key: string; numbers: number[] }[] {
  const all = [...new Set([...sets.values()].flatMap((keys) => [...keys]))];
  const matching = (key: string, numbers: readonly number[]) => numbers.filter((number) => sets.get(number)!.has(key));
  const chosen: string[] = [];
  let remaining = [...sets.keys()].filter((number) => sets.get(number)!.size > 0);
  while (remaining.length > 0) {
    const best = all
      .map((key) => ({ key, count: matching(key, remaining).length, size: sizeOf(key) }))
      .reduce((a, b) => (b.count > a.count || (b.count === a.count && b.size < a.size) ? b : a));
    chosen.push(best.key);
    remaining = remaining.filter((number) => !sets.get(number)!.has(best.key));
  }
  const explainedBy = (keys: readonly string[]) => (number: number) => keys.some((key) => sets.get(number)!.has(key));
  const needed = chosen.reduce<readonly string[]>((rest, key) => {
    const others = rest.filter((other) => other !== key);
    return matching(key, [...sets.keys()]).every(explainedBy(others)) ? others : rest;
  }, chosen);
  const simplest = needed.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  return simplest
    .map((key, at) => {
      const isCounted = explainedBy(simplest.slice(0, at));
      return { key, numbers: matching(key, [...sets.keys()]).filter((number) => !isCounted(number)) };
    })
    .sort((a, b) => b.numbers.length - a.numbers.length);
}

function sizeOf(key: string): number {
  return key.split(' ').length;
}

function alternativesTo(key: string, numbers: readonly number[], sets: ReadonlyMap<number, ReadonlySet<string>>) {
  const size = sizeOf(key);
  return [...sets.get(numbers[0]!)!]
    .filter((other) => other !== key && sizeOf(other) === size)
    .filter((other) => numbers.every((number) => sets.get(number)!.has(other)))
    .map((other) => other.split(' '));
}

function setsOf({ request, keys }: WrongSignature, tried: readonly (readonly Deviation[])[]): Set<string> {
  if (tried.length === 0) return new Set();
  const { evidence, candidates, read } = readRequest(request, keys);
  const trial = trialOf(candidates, read.readings);
  for (const set of tried) trial.attempt(set);
  const sets = dropDisproved(trial.found, evidence, keys.consumerKey).map(allDeviationsOf);
  return new Set(sets.map((set) => set.map(({ id }) => id).join(' ')));
}

function lengthOf({ request: { target, headers, body } }: WrongSignature): number {
  return target.length + headers.flat().join('').length + body.length;
}
