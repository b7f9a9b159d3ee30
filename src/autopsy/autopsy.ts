/** Explains refused signatures by the smallest sets of known deviations that give exactly the signed bytes. */
import type { KeyObject } from 'node:crypto';
import { type Candidates, candidatesFor } from '../deviations/candidates.ts';
import type { Deviation } from '../deviations/deviation.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { deviations, dialects, familiesFor, searchedDeviations } from '../deviations/index.ts';
import { type Language, snippetOf } from '../deviations/snippets.ts';
import type { VerifyingKey, WireRequest } from '../protocol/index.ts';
import {
  type AddressedOperation,
  addressedOperation,
  type Fact,
  factsOf,
  formOf,
  lineEndLeftOut,
  type Malformation,
  readEvidence,
  signatureFacts,
} from './facts.ts';
import { announcedBy, type SignatureReading, signatureReadings } from './readings.ts';
import type { RequestText } from './request-text.ts';
import {
  allDeviationsOf,
  dropDisproved,
  fittingWords,
  type SearchLimits,
  search,
  trialOf,
  usualLimits,
} from './search.ts';

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
      : search(candidates, read.readings, evidence, limits);
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

function dialectsLike(candidates: Candidates, found: readonly Deviation[], { kind, hash, matches }: SignatureReading) {
  if (kind === 'plaintext' || found.length === 0) return [];
  return dialects
    .filter(({ deviations }) => {
      const hex = kind === 'hmac' ? candidates.mac(deviations, hash) : candidates.digest(deviations, hash);
      return matches(hex);
    })
    .map(({ id, library }) => ({ id, library }));
}

function namedDeviation(
  { id, summary, developer, fix, snippet }: Deviation,
  language: Language | undefined,
): NamedDeviation {
  const code = language === undefined || snippet === undefined ? undefined : snippetOf(snippet, language);
  return { id, summary, developer, fix, snippet: code };
}

function keyFacts(kind: SignatureReading['kind'] | undefined, { publicKey, consumerSecret }: AutopsyKeys): Fact[] {
  if (kind === undefined || (kind === 'rsa' ? publicKey : consumerSecret) !== undefined) return [];
  const key = kind === 'rsa' ? 'the public key' : 'the consumer secret';
  return [{ id: 'no-key', text: `This signature cannot be examined without ${key}.` }];
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
  readonly shown: Autopsy;
  readonly shownNumber: number;
}

export interface ManyAutopsies {
  readonly explained: readonly ExplainedSignatures[];
  readonly unexplained: readonly number[];
  readonly unexplainedShown?: Autopsy;
  /** Those that were tried only with sets found in other requests. */
  readonly unsearched: readonly number[];
}

/**
 * Searches without a result and those of long requests take longest, and a client repeats its mistakes. `inVain` limits the
 * characters that are searched without a result.
 */
const limits = { searches: 24, fruitless: 3, inVain: 500_000, requests: 2_000, characters: 16_000_000 } as const;

/**
 * Skips requests with a right signature. Each found set is tried on all requests: if several fit a plain request, the one that
 * explains more is kept. The last parameter limits the searches in a row without a result. Pure.
 */
export function explainMany(
  requests: readonly WrongSignature[],
  language?: Language,
  maxFruitless: number = limits.fruitless,
): ManyAutopsies {
  const lengths = new Map(requests.map((one) => [one, lengthOf(one)]));
  const plainest = [...requests].sort((a, b) => lengths.get(a)! - lengths.get(b)!);
  const wrong = plainest.slice(0, limits.requests).filter((one) => !setsOf(one, [[]]).has(''));
  const found = new Map<string, { readonly shown: Autopsy; readonly shownNumber: number }>();
  const tried: (readonly Deviation[])[] = [];
  const sets = new Map<number, Set<string>>(wrong.map(({ number }) => [number, new Set()]));
  const shown = new Map<number, Autopsy>();
  let fruitless = 0;
  let inVain = 0;
  let searched = 0;
  for (const one of wrong) {
    if (setsOf(one, tried).size > 0 || shown.size >= limits.searches || fruitless >= maxFruitless) continue;
    if (inVain >= limits.inVain) continue;
    searched += lengthOf(one);
    if (shown.size > 0 && searched > limits.characters) break;
    const whole = autopsy(one.request, one.keys, language === undefined ? {} : { language });
    shown.set(one.number, whole);
    const all =
      whole.deviations.length === 0 ? [] : [whole.deviations.map(({ id }) => id), ...(whole.alternatives ?? [])];
    fruitless = all.length === 0 ? fruitless + 1 : 0;
    inVain = all.length === 0 ? inVain + lengthOf(one) : 0;
    const evidence = readEvidence(one.request);
    const families = familiesFor(evidence);
    for (const ids of all) {
      const key = ids.join(' ');
      sets.get(one.number)!.add(key);
      if (found.has(key)) continue;
      const named = [...deviations, ...families].filter(({ id }) => ids.includes(id));
      found.set(key, {
        shown: { ...whole, deviations: named.map((each) => fittingWords(namedDeviation(each, language), evidence)) },
        shownNumber: one.number,
      });
      tried.push([...searchedDeviations, ...families].filter(({ id }) => ids.includes(id)));
    }
  }
  for (const one of wrong) for (const key of setsOf(one, tried)) if (found.has(key)) sets.get(one.number)!.add(key);
  const beyond = plainest.slice(limits.requests).map(({ number }) => number);
  const withoutCause = wrong.map(({ number }) => number).filter((number) => sets.get(number)!.size === 0);
  const unexplained = [...withoutCause, ...beyond];
  const first = withoutCause.find((number) => shown.has(number));
  return {
    explained: fewest(sets).map(({ key, numbers }) => ({
      ids: key.split(' '),
      alternatives: alternativesTo(key, numbers, sets),
      numbers,
      ...found.get(key)!,
    })),
    unexplained,
    ...(first === undefined ? {} : { unexplainedShown: shown.get(first)! }),
    unsearched: unexplained.filter((number) => !shown.has(number)),
  };
}

/**
 * Greedy set cover: the set that explains most of the rest, then the one with the fewest deviations, then the first found.
 * Redundant sets are dropped.
 */
function fewest(sets: ReadonlyMap<number, ReadonlySet<string>>): { key: string; numbers: number[] }[] {
  const all = [...new Set([...sets.values()].flatMap((keys) => [...keys]))];
  const explains = (key: string, numbers: readonly number[]) => numbers.filter((number) => sets.get(number)!.has(key));
  const chosen: string[] = [];
  let left = [...sets.keys()].filter((number) => sets.get(number)!.size > 0);
  while (left.length > 0) {
    const best = all
      .map((key) => ({ key, count: explains(key, left).length, size: sizeOf(key) }))
      .reduce((a, b) => (b.count > a.count || (b.count === a.count && b.size < a.size) ? b : a));
    chosen.push(best.key);
    left = left.filter((number) => !sets.get(number)!.has(best.key));
  }
  const kept = chosen.reduce<readonly string[]>((rest, key) => {
    const others = rest.filter((other) => other !== key);
    return explains(key, [...sets.keys()]).every((number) => others.some((other) => sets.get(number)!.has(other)))
      ? others
      : rest;
  }, chosen);
  const simplest = kept.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  return simplest
    .map((key, at) => {
      const simpler = simplest.slice(0, at);
      const isTaken = (number: number) => simpler.some((other) => sets.get(number)!.has(other));
      return { key, numbers: explains(key, [...sets.keys()]).filter((number) => !isTaken(number)) };
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
  const { readings } = read;
  if (readings.length === 0) return new Set();
  const trial = trialOf(candidates, readings, usualLimits.work);
  for (const set of tried) trial.attempt(set);
  return new Set(
    dropDisproved(trial.found, evidence, keys.consumerKey).map((found) =>
      allDeviationsOf(found)
        .map(({ id }) => id)
        .join(' '),
    ),
  );
}

function lengthOf({ request: { target, headers, body } }: WrongSignature): number {
  return target.length + headers.flat().join('').length + body.length;
}
