/** From a set of deviations to the bytes that a client with exactly these would have signed; pieces are kept for the next set. */

import { collect, type Parameter } from './collect.ts';
import { type Deviation, partsChangedBy } from './deviation.ts';
import { type Encoder, encoderOf } from './encoder.ts';
import type { Evidence } from './evidence.ts';
import { joinParameters } from './join.ts';
import { keyBytes, type Secrets } from './key.ts';
import { digestOf, type HashName, macOf } from './mac.ts';
import { parts, plainRecipe, type Recipe } from './recipe.ts';
import { encodedUri } from './uri.ts';

export interface Candidates {
  /** The base string of a client with these deviations. */
  readonly baseString: (deviations: readonly Deviation[]) => string;
  /** Its HMAC, in hex. */
  readonly mac: (deviations: readonly Deviation[], hash: HashName) => string;
  /** The digest inside its RSA signature, in hex. */
  readonly digest: (deviations: readonly Deviation[], hash: HashName) => string;
  /** Its HMAC key as text, which is what PLAINTEXT sends. */
  readonly keyText: (deviations: readonly Deviation[]) => string;
}

/** Characters that each store keeps. */
const keptCharacters = 32 * 1024 * 1024;

/** Bytes of a body from which on comparing texts costs as much as hashing them. */
const large = 64 * 1024;

interface Collected {
  readonly all: readonly Parameter[];
  readonly name: string;
}

export function candidatesFor(evidence: Evidence, secrets: Secrets): Candidates {
  const isLarge = evidence.request.body.length > large;
  const plainEncoder = encoderOf(plainRecipe);
  // An encoder keeps what it encoded: the parameters twice, and little else.
  const encoders = kept<Encoder>(() => 2 * evidence.request.body.length + 4096, 'all');
  const collections = kept<Collected>(({ all }) => 64 * all.length);
  const collectionNamed = namesOfContents();
  const texts = kept<string>((text) => text.length);
  const keys = kept<Buffer>((key) => key.length);
  const encoder = (set: readonly Deviation[]): Encoder => {
    const name = pieceKey('e', set, parts.encoder);
    return name === 'e' ? plainEncoder : encoders(name, () => encoderOf(merged(set)));
  };
  const baseString = (set: readonly Deviation[]): string => {
    const collectedAs = pieceKey('c', set, parts.collected);
    const { all, name } = collections(collectedAs, () => {
      const collected = collect(evidence, merged(set));
      return { all: collected, name: isLarge ? collectedAs.replaceAll(' ', '+') : collectionNamed(collected) };
    });
    const parameters = texts(pieceKey(`p${name}`, set, parts.arranged), () =>
      joinParameters(all, merged(set), encoder(set)),
    );
    const uri = texts(pieceKey('u', set, parts.uri), () => encodedUri(evidence.request, merged(set), encoder(set)));
    return joinParts(evidence.request.method, uri, parameters, wholeRecipe(set), encoder, set);
  };
  const key = (set: readonly Deviation[]): Buffer =>
    keys(pieceKey('k', set, parts.key), () => keyBytes(secrets, merged(set), encoder(set)));
  const results = kept<string>(() => 2048, 'all');
  /** Many pairs come to the text of a smaller set; looking at a text costs less than hashing it. */
  const once = (text: string, set: readonly Deviation[], make: () => string): string =>
    isLarge || set.length > 2 || changesWhole(set) ? make() : results(text, make);
  return {
    baseString,
    mac: (set, hash) => {
      const [base, bytes] = [baseString(set), key(set)];
      return once(`${hash}${bytes.toString('latin1')}|${base}`, set, () => macOf(base, bytes, hash, wholeRecipe(set)));
    },
    digest: (set, hash) => {
      const base = baseString(set);
      return once(`${hash}|${base}`, set, () => digestOf(base, hash, wholeRecipe(set)));
    },
    keyText: (set) => key(set).toString(),
  };
}

function merged(set: readonly Deviation[]): Recipe {
  const recipe: Recipe = { ...plainRecipe };
  for (const { change } of set) Object.assign(recipe, change);
  return recipe;
}

/** Enough for the last steps: most sets leave them as they are. */
function wholeRecipe(set: readonly Deviation[]): Recipe {
  return changesWhole(set) ? merged(set) : plainRecipe;
}

function changesWhole(set: readonly Deviation[]): boolean {
  return set.some((deviation) => (partsChangedBy(deviation) & parts.whole) !== 0);
}

/** A short name for each content: sets of deviations that collect the same parameters go on as one. */
function namesOfContents(): (parameters: readonly Parameter[]) => string {
  const names = new Map<string, string>();
  return (parameters) => {
    const content = parameters.map(({ source, name, value }) => `${source}\0${name}\0${value}`).join('\0');
    let name = names.get(content);
    if (name === undefined) {
      name = String(names.size);
      names.set(content, name);
    }
    return name;
  };
}

function joinParts(
  sent: string,
  uri: string,
  parameters: string,
  recipe: Recipe,
  encoder: (set: readonly Deviation[]) => Encoder,
  set: readonly Deviation[],
): string {
  const start = method(sent, recipe);
  const joined = start === undefined ? `${uri}&${parameters}` : `${start}&${uri}&${parameters}`;
  if (recipe.whole === 'as-is') return joined;
  return recipe.whole === 'lower-case' ? joined.toLowerCase() : encoder(set).encodeOutside(joined);
}

function method(sent: string, recipe: Recipe): string | undefined {
  switch (recipe.method) {
    case 'upper-case':
      return sent.toUpperCase();
    case 'lower-case':
      return sent.toLowerCase();
    case 'left-out':
      return undefined;
    default:
      return recipe.method;
  }
}

/** The deviations of the set that change a part; two sets with the same key have that part in common. */
function pieceKey(kind: string, set: readonly Deviation[], part: number): string {
  let key = kind;
  for (const deviation of set) if ((partsChangedBy(deviation) & part) !== 0) key += ` ${deviation.id}`;
  return key;
}

/**
 * A store of what single deviations make of a part, which every larger set with that deviation needs again, and beside it
 * of the last part that more of them make: the next set mostly differs in another part. It forgets all once it is full.
 */
function kept<T>(sizeOf: (value: T) => number, which: 'of-one' | 'all' = 'of-one'): (key: string, make: () => T) => T {
  const store = new Map<string, T>();
  let size = 0;
  let last: { key: string; value: T } | undefined;
  return (key, make) => {
    const found = store.get(key);
    if (found !== undefined) return found;
    if (last?.key === key) return last.value;
    const made = make();
    if (which === 'of-one' && key.indexOf(' ') !== key.lastIndexOf(' ')) {
      last = { key, value: made };
      return made;
    }
    size += sizeOf(made);
    if (size > keptCharacters) {
      store.clear();
      size = sizeOf(made);
    }
    store.set(key, made);
    return made;
  };
}
