/** Computes the bytes that a client with a given set of deviations would sign. */

import { type KeyObject, sign } from 'node:crypto';
import { type Pair, parseAuthorization, percentEncode, type WireRequest } from '../protocol/index.ts';
import { type Deviation, indexOf, partsChangedBy } from './deviation.ts';
import { evidenceOf, type RequestEvidence } from './evidence.ts';
import { type Encoder, encoderOf, rightEncoder } from './signer/encoder.ts';
import { digestOf, type HashName, keyBytes, macOf, type Secrets } from './signer/mac.ts';
import { type CollectedParameter, collect, joinParameters } from './signer/parameters.ts';
import { parts, plainRecipe, type Recipe } from './signer/recipe.ts';
import { encodedUri } from './signer/uri.ts';

export interface Candidates {
  readonly parameters: (deviations: readonly Deviation[]) => readonly Pair[];
  /** Parameters encoded, sorted and joined (RFC 5849 section 3.4.1.3.2). */
  readonly normalized: (deviations: readonly Deviation[]) => string;
  readonly baseString: (deviations: readonly Deviation[]) => string;
  /** In hex. */
  readonly mac: (deviations: readonly Deviation[], hash: HashName) => string;
  /** The digest inside the RSA signature, in hex. */
  readonly digest: (deviations: readonly Deviation[], hash: HashName) => string;
  readonly keyText: (deviations: readonly Deviation[]) => string;
  /** Total work so far, in characters of base strings hashed. Collecting, encoding and sorting also count. */
  readonly work: () => number;
}

/** Size limit of each store, in characters. */
const maxStored = 32 * 1024 * 1024;

/** Cost of collecting, encoding and sorting one parameter, in characters hashed. */
const perParameter = 300;

/** Above this number of parameters no store holds the result, and clearing memory dominates the cost. */
const [manyParameters, perOneOfMany] = [10_000, 1_500] as const;

/** In bytes. Above this size of the body, comparing texts costs as much as hashing them. */
const large = 64 * 1024;

interface Piece<T> {
  readonly is: T;
  readonly key: string;
}

export function candidatesFor(evidence: RequestEvidence, secrets: Secrets): Candidates {
  const isLarge = evidence.request.body.length > large;
  const encoderAt = encodersOf(evidence, (characters) => {
    work += characters;
  });
  const collectedAt = collectorOf(evidence, isLarge);
  const texts = storeOf<string>(maxStored, (text) => text.length);
  const uris = storeOf<string>(maxStored, (text) => text.length);
  const keys = storeOf<Buffer>(maxStored, (key) => key.length);
  const results = storeOf<string>(maxStored, () => 200);
  let work = 0;

  const parameters = (set: readonly Deviation[]): Piece<string> => {
    const collected = collectedAt(set);
    const key = pieceKey(set, parts.arranged, collected.key);
    const is = texts(key, set, () => {
      work += collected.is.length * (collected.is.length > manyParameters ? perOneOfMany : perParameter);
      return joinParameters(collected.is, merged(set), encoderAt(set));
    });
    // Most deviations leave a large payload unchanged. Comparing is ten times faster than hashing.
    if (!isLarge || set.length === 0) return { key, is };
    plainText ??= parameters([]);
    return is === plainText.is ? plainText : { key, is };
  };
  let plainText: Piece<string> | undefined;
  const uri = (set: readonly Deviation[]): Piece<string> => {
    const key = pieceKey(set, parts.uri);
    return { key, is: uris(key, set, () => encodedUri(evidence.request, merged(set), encoderAt(set))) };
  };
  const secret = (set: readonly Deviation[]): Piece<Buffer> => {
    const key = pieceKey(set, parts.key);
    return { key, is: keys(key, set, () => keyBytes(secrets, merged(set), encoderAt(set))) };
  };
  const baseOf = (set: readonly Deviation[], uriText: string, parameterText: string): string => {
    const recipe = changesWhole(set) ? merged(set) : plainRecipe;
    const base = `${methodPart(evidence.request.method, recipe)}${uriText}&${parameterText}`;
    if (recipe.whole === 'as-is') return base;
    return recipe.whole === 'lower-case' ? base.toLowerCase() : encoderAt(set).encodeOutside(base);
  };
  const result = (
    set: readonly Deviation[],
    key: Piece<Buffer> | undefined,
    make: (base: string, recipe: Recipe) => string,
    hash: HashName,
  ): string => {
    const [p, u] = [parameters(set), uri(set)];
    const whole = changesWhole(set);
    const compute = (): string => {
      const base = baseOf(set, u.is, p.is);
      work += base.length;
      return make(base, whole ? merged(set) : plainRecipe);
    };
    return whole || set.length > 2 ? compute() : results(`${hash} ${p.key} ${u.key} ${key?.key}`, set, compute);
  };
  return {
    parameters: (set) => collectedAt(set).is.map(({ name, value }): Pair => [name, value]),
    normalized: (set) => joinParameters(collectedAt(set).is, { ...merged(set), joined: 'bare' }, encoderAt(set)),
    baseString: (set) => baseOf(set, uri(set).is, parameters(set).is),
    mac: (set, hash) => {
      const key = secret(set);
      return result(set, key, (base, recipe) => macOf(base, key.is, hash, recipe), hash);
    },
    digest: (set, hash) => result(set, undefined, (base, recipe) => digestOf(base, hash, recipe), hash),
    keyText: (set) => secret(set).is.toString(),
    work: () => work,
  };
}

/** One encoder per way to encode, because an encoder caches its results. */
function encodersOf(
  evidence: RequestEvidence,
  spend: (characters: number) => void,
): (set: readonly Deviation[]) => Encoder {
  const right = rightEncoder(spend);
  const plain = encoderOf(plainRecipe, right, spend);
  const others = storeOf<Encoder>(maxStored, () => 2 * evidence.request.body.length + 4096);
  return (set) => {
    const key = pieceKey(set, parts.encoder);
    return key === '' ? plain : others(key, set, () => encoderOf(merged(set), right, spend));
  };
}

/** Collected parameters, not yet arranged. Sets that collect the same parameters share one key. */
function collectorOf(
  evidence: RequestEvidence,
  isLarge: boolean,
): (set: readonly Deviation[]) => Piece<readonly CollectedParameter[]> {
  const names = new Map<string, string>();
  const collections = storeOf<Piece<readonly CollectedParameter[]>>(maxStored, ({ is }) => 100 * is.length);
  const nameOf = (parameters: readonly CollectedParameter[]): string => {
    const content = parameters.map(({ source, name, value }) => `${source}\0${name}\0${value}`).join('\0');
    const name = names.get(content) ?? `${names.size}`;
    names.set(content, name);
    return name;
  };
  return (set) => {
    const key = pieceKey(set, parts.collected);
    return collections(key, set, () => {
      const is = collect(evidence, merged(set));
      // In sets of three or more, equal contents are too rare to search for.
      return { is, key: isLarge || set.length > 2 ? `set ${key}` : nameOf(is) };
    });
  };
}

function merged(set: readonly Deviation[]): Recipe {
  const recipe: Recipe = { ...plainRecipe };
  for (const { change } of set) Object.assign(recipe, change);
  return recipe;
}

function changesWhole(set: readonly Deviation[]): boolean {
  return set.some((deviation) => (partsChangedBy(deviation) & parts.whole) !== 0);
}

/** Includes the following `&`. */
function methodPart(sent: string, { method }: Recipe): string {
  if (method === 'left-out') return '';
  if (method === 'lower-case') return `${sent.toLowerCase()}&`;
  if (method === 'capitalized') return `${sent.slice(0, 1).toUpperCase()}${sent.slice(1).toLowerCase()}&`;
  return `${method === 'upper-case' ? sent.toUpperCase() : method}&`;
}

/** Key of the deviations in the set that change a part, after `start`. Sets with the same key share that part. */
function pieceKey(set: readonly Deviation[], part: number, start = ''): string {
  let key = start;
  for (const deviation of set) if ((partsChangedBy(deviation) & part) !== 0) key += ` ${indexOf(deviation)}`;
  return key;
}

type Store<T> = (key: string, set: readonly Deviation[], make: () => T) => T;

/**
 * Keeps the results of single deviations, because every larger set needs them. Clears everything when the total size
 * exceeds `maxStored`. For larger sets it keeps only the last value, because the next set mostly changes another part.
 */
function storeOf<T>(maxStored: number, sizeOf: (value: T) => number): Store<T> {
  const store = new Map<string, T>();
  let size = 0;
  let last: { readonly key: string; readonly value: T } | undefined;
  return (key, set, make) => {
    const found = store.get(key);
    if (found !== undefined) return found;
    if (last?.key === key) return last.value;
    const value = make();
    if (set.length > 1) {
      last = { key, value };
      return value;
    }
    size += sizeOf(value);
    if (size > maxStored) {
      store.clear();
      size = sizeOf(value);
    }
    store.set(key, value);
    return value;
  };
}

export interface Signer extends Pick<Candidates, 'parameters' | 'normalized' | 'baseString' | 'keyText'> {
  sign(deviations: readonly Deviation[]): string;
  signRsa(deviations: readonly Deviation[], privateKey: KeyObject): string;
}

/** Needs a valid Authorization header; its signature is ignored. */
export function signerOf(
  request: WireRequest,
  { consumerKey, consumerSecret }: { readonly consumerKey: string; readonly consumerSecret: string },
): Signer {
  const [, line = ''] = request.headers.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  const { realm, parameters } = parseAuthorization(line);
  const pairs = parameters.map(([name, value]) => ({
    name,
    value,
    writtenName: percentEncode(name),
    writtenValue: percentEncode(value),
  }));
  const evidence = evidenceOf(request, { lines: 1, pairs, ...(realm === undefined ? {} : { realm }) });
  const candidates = candidatesFor(evidence, { consumerKey, consumerSecret, tokenSecret: '' });
  return {
    ...candidates,
    sign: (set) => Buffer.from(candidates.mac(set, 'sha1'), 'hex').toString('base64'),
    signRsa: (set, privateKey) =>
      sign('sha256', Buffer.from(candidates.baseString(set)), privateKey).toString('base64'),
  };
}
