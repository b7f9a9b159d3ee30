/** From a set of deviations to the bytes that a client with exactly these would have signed; pieces are kept for the next set. */

import { collect } from './collect.ts';
import type { Deviation } from './deviation.ts';
import { type Encoder, encoderOf } from './encoder.ts';
import type { Evidence } from './evidence.ts';
import { joinParameters } from './join.ts';
import { keyBytes, type Secrets } from './key.ts';
import { digestOf, type HashName, macOf } from './mac.ts';
import { parts, partsChangedBy, plainRecipe, type Recipe } from './recipe.ts';
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

export function candidatesFor(evidence: Evidence, secrets: Secrets | undefined): Candidates {
  const plainEncoder = encoderOf(plainRecipe);
  // An encoder keeps what it encoded: the parameters twice, and little else.
  const encoders = kept<Encoder>(() => 2 * evidence.request.body.length + 4096);
  const texts = kept<string>((text) => text.length);
  const keys = kept<Buffer>((key) => key.length);
  const encoder = (recipe: Recipe, set: readonly Deviation[]): Encoder => {
    const name = pieceKey('e', set, parts.encoder);
    return name === 'e' ? plainEncoder : encoders(name, () => encoderOf(recipe));
  };
  const base = (recipe: Recipe, set: readonly Deviation[]): string => {
    const parameters = texts(pieceKey('p', set, parts.parameters), () =>
      joinParameters(collect(evidence, recipe), recipe, encoder(recipe, set)),
    );
    const uri = texts(pieceKey('u', set, parts.uri), () => encodedUri(evidence.request, recipe, encoder(recipe, set)));
    return whole([...method(evidence.request.method, recipe), uri, parameters].join('&'), recipe, encoder(recipe, set));
  };
  const key = (recipe: Recipe, set: readonly Deviation[]): Buffer => {
    if (secrets === undefined) throw new Error('an HMAC was asked for without a secret');
    return keys(pieceKey('k', set, parts.key), () => keyBytes(secrets, recipe, encoder(recipe, set)));
  };
  return {
    baseString: (set) => base(merged(set), set),
    mac: (set, hash) => {
      const recipe = merged(set);
      return macOf(base(recipe, set), key(recipe, set), hash, recipe);
    },
    digest: (set, hash) => {
      const recipe = merged(set);
      return digestOf(base(recipe, set), hash, recipe);
    },
    keyText: (set) => key(merged(set), set).toString(),
  };
}

function merged(set: readonly Deviation[]): Recipe {
  return set.length === 0 ? plainRecipe : Object.assign({}, plainRecipe, ...set.map(({ change }) => change));
}

function method(sent: string, recipe: Recipe): string[] {
  switch (recipe.method) {
    case 'upper-case':
      return [sent.toUpperCase()];
    case 'lower-case':
      return [sent.toLowerCase()];
    case 'left-out':
      return [];
    default:
      return [recipe.method];
  }
}

function whole(base: string, recipe: Recipe, encoder: Encoder): string {
  if (recipe.whole === 'as-is') return base;
  return recipe.whole === 'lower-case' ? base.toLowerCase() : encoder.encodeOutside(base);
}

const bitsOf = new WeakMap<Deviation, number>();

/** The deviations of the set that change a part; two sets with the same key have that part in common. */
function pieceKey(kind: string, set: readonly Deviation[], part: number): string {
  let key = kind;
  for (const deviation of set) {
    let bits = bitsOf.get(deviation);
    if (bits === undefined) {
      bits = partsChangedBy(deviation.change);
      bitsOf.set(deviation, bits);
    }
    if ((bits & part) !== 0) key += ` ${deviation.id}`;
  }
  return key;
}

/** A store that forgets everything once it is full: the neighbours of a candidate are what will be asked for next. */
function kept<T>(sizeOf: (value: T) => number): (key: string, make: () => T) => T {
  const store = new Map<string, T>();
  let size = 0;
  return (key, make) => {
    const found = store.get(key);
    if (found !== undefined) return found;
    const made = make();
    size += sizeOf(made);
    if (size > keptCharacters) {
      store.clear();
      size = sizeOf(made);
    }
    store.set(key, made);
    return made;
  };
}
