/** Hosts in other letter cases than RFC 5849 section 3.4.1.2 demands: deviations that are made for one request. */
import type { WireRequest } from '../protocol/index.ts';
import type { Deviation } from './deviation.ts';
import { deviationOf } from './deviations/index.ts';
import { hostOf, spelledLike } from './signer/uri.ts';

/** All spellings of 14 letters. */
const most = 2 ** 14;

/**
 * The likeliest first: each label in small letters, with an initial capital or in capitals; one capital more inside, as in
 * PayNet; then those with the fewest capitals, and the fewest small letters. All there are, up to `most`, but the right one.
 */
export function hostSpellings(request: WireRequest): Deviation[] {
  const host = hostOf(request);
  const letters = [...host.matchAll(/[a-z]/gi)].map(({ index }) => index);
  const patterns = new Set<string>();
  const add = (isCapital: (at: number) => boolean): boolean => {
    if (patterns.size < most) patterns.add([...host].map((_, at) => (isCapital(at) ? 'A' : 'a')).join(''));
    return patterns.size < most;
  };
  const isLetter = new Set(letters);
  for (const capitals of byLabels(host, true)) add((at) => isLetter.has(at) && capitals.has(at));
  for (const capitals of byLabels(host, false)) {
    for (const inside of letters) add((at) => at === inside || (isLetter.has(at) && capitals.has(at)));
  }
  for (let count = 1; count <= letters.length / 2 && patterns.size < most; count += 1) {
    everyChoice(letters, count, (chosen) => {
      const few = new Set(chosen);
      return add((at) => few.has(at)) && add((at) => isLetter.has(at) && !few.has(at));
    });
  }
  return [...patterns].filter((pattern) => pattern.includes('A')).map((pattern) => spelling(host, pattern));
}

function spelling(host: string, pattern: string): Deviation {
  const developer = `The base string has the host as ${spelledLike(host, pattern)}, and the request as ${host}.`;
  return { ...deviationOf('host-case-changed'), change: { hostCase: pattern }, developer };
}

/** Places of the capitals if each of the first labels is in small letters, has an initial capital, or is `whole` in capitals. */
function byLabels(host: string, whole: boolean): Set<number>[] {
  let start = 0;
  let sets: Set<number>[] = [new Set()];
  for (const label of host.split('.').slice(0, 6)) {
    const places = [...label].map((_, at) => start + at);
    const choices = [[], places.slice(0, 1), ...(whole ? [places] : [])];
    sets = sets.flatMap((set) => choices.map((capitals) => new Set([...set, ...capitals])));
    start += label.length + 1;
  }
  return sets;
}

/** Calls `visit` with every choice of that many items until it says false, which is then the result. */
function everyChoice(
  items: readonly number[],
  count: number,
  visit: (chosen: readonly number[]) => boolean,
  chosen: readonly number[] = [],
  from = 0,
): boolean {
  if (chosen.length === count) return visit(chosen);
  for (let index = from; index <= items.length - (count - chosen.length); index += 1) {
    if (!everyChoice(items, count, visit, [...chosen, items[index]!], index + 1)) return false;
  }
  return true;
}
