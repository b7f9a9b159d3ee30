/** The autopsy of all wrong signatures of one client: the fewest sets of deviations that explain the most of them. */

import type { Deviation } from '../deviations/deviation.ts';
import { deviations, familiesFor, searchedDeviations } from '../deviations/index.ts';
import type { Language } from '../deviations/snippets.ts';
import type { WireRequest } from '../protocol/index.ts';
import { type Autopsy, type AutopsyKeys, autopsy, namedDeviation, readRequest } from './autopsy.ts';
import { readEvidence } from './facts.ts';
import { allDeviationsOf, dropDisproved, fittingWords, trialOf, usualLimits } from './search.ts';

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

function alternativesTo(
  key: string,
  numbers: readonly number[],
  sets: ReadonlyMap<number, ReadonlySet<string>>,
): string[][] {
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
