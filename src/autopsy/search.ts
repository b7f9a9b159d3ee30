/** The search for the smallest set of deviations that gives exactly the bytes that were signed. */
import type { Candidates } from './candidates.ts';
import { combine, type Deviation } from './deviation.ts';
import type { Dialect } from './dialects.ts';
import { allDeviationsOf, type Found } from './found.ts';
import type { Reading } from './readings.ts';

export interface Limits {
  /** Greatest number of deviations in a set. */
  readonly depth: number;
  /** Candidates of three and more deviations; one and two are always tried, unless the request is too large. */
  readonly deep: number;
  /** Bytes of base strings that are hashed in all. */
  readonly bytes: number;
}

/** Seconds at most on an ordinary machine. */
export const usualLimits: Limits = { depth: 4, deep: 60_000, bytes: 1_200_000_000 };

export interface Searched {
  /** Sets of the same, smallest size that all give the signed bytes; the likeliest first. Empty if there is none. */
  readonly found: readonly Found[];
  /** Candidates that were computed and compared. */
  readonly triedCount: number;
  /** Size of the largest sets of which all were tried. */
  readonly completeDepth: number;
}

/** At most this many sets of one size are told. */
const mostSets = 12;

/**
 * Tries the right recipe, single deviations, pairs, whole dialects, and larger sets within the limits.
 * Sets in which one member changes nothing alone and the other neither are left out from pairs on.
 */
export function search(
  candidates: Candidates,
  readings: readonly Reading[],
  deviations: readonly Deviation[],
  dialects: readonly Dialect[],
  limits: Limits,
): Searched {
  const trial = trialOf(candidates, readings, limits);
  trial.attempt([]);
  if (trial.found.length > 0) return trial.result(0);
  const classes = new Map<string, Deviation[]>();
  const nothing = trial.trace([]);
  const idle: Deviation[] = [];
  for (const deviation of deviations) {
    const trace = trial.attempt([deviation]);
    if (trace === undefined) return trial.result(0);
    if (trace === nothing) idle.push(deviation);
    else classes.set(trace, [...(classes.get(trace) ?? []), deviation]);
  }
  if (trial.found.length > 0) return trial.result(1);
  const leaders = [...classes.values()].map(([first]) => first!);
  const followers = [...classes.values()].flatMap((members) => members.slice(1));

  if (limits.depth < 2) return trial.result(1);
  const complete = pairs(trial, leaders, [...followers, ...idle], followers);
  if (trial.found.length > 0) return trial.result(complete ? 2 : 1);
  trial.allow(dialects.length);
  for (const dialect of dialects) trial.attempt(dialect.deviations);
  if (trial.found.length > 0) return trial.reduced(complete ? 2 : 1);
  if (!complete || limits.depth < 3) return trial.result(complete ? 2 : 1);

  trial.allow(limits.deep);
  for (const dialect of dialects) for (const leader of leaders) trial.attempt([...dialect.deviations, leader]);
  if (trial.found.length > 0) return trial.reduced(2);
  for (let size = 3; size <= limits.depth; size += 1) {
    const all = combinations(leaders, size, (set) => trial.attempt(set) !== undefined);
    if (trial.found.length > 0) return trial.result(size);
    if (!all) return trial.result(size - 1);
  }
  return trial.result(limits.depth);
}

interface Trial {
  readonly found: readonly Found[];
  /** Computes a set, compares it with every reading and gives what it comes to; undefined once a limit is reached. */
  attempt(set: readonly Deviation[]): string | undefined;
  trace(set: readonly Deviation[]): string;
  /** Allows so many further attempts, or as many as the bytes allow where that is less and more than a few. */
  allow(attempts: number): void;
  result(completeDepth: number): Searched;
  /** The result without the members of a set that are not needed for its bytes. */
  reduced(completeDepth: number): Searched;
}

function trialOf(candidates: Candidates, readings: readonly Reading[], limits: Limits): Trial {
  const ways = [...new Set(readings.map(({ kind, hash }) => `${kind} ${hash}`))].map((way) =>
    readings.filter(({ kind, hash }) => `${kind} ${hash}` === way),
  );
  const found: Found[] = [];
  const size = Math.max(candidates.baseString([]).length, 1);
  const mostByBytes = Math.max(Math.floor(limits.bytes / size), 1);
  let triedCount = 0;
  let most = mostByBytes;
  const compute = (set: readonly Deviation[], [{ kind, hash }]: readonly [Reading, ...Reading[]]): string => {
    if (kind === 'hmac') return candidates.mac(set, hash);
    if (kind === 'rsa') return candidates.digest(set, hash);
    return Buffer.from(candidates.keyText(set)).toString('hex');
  };
  const results = (set: readonly Deviation[]): string[] =>
    ways.map((same) => compute(set, same as [Reading, ...Reading[]]));
  const result = (sets: readonly Found[], completeDepth: number): Searched => {
    const sizes = sets.map((set) => allDeviationsOf(set).length);
    const least = Math.min(...sizes);
    return { found: sets.filter((_, index) => sizes[index] === least).slice(0, mostSets), triedCount, completeDepth };
  };
  return {
    found,
    attempt: (set) => {
      if (!combine(set)) return '';
      if (triedCount >= most) return undefined;
      const computed = results(set);
      triedCount += 1;
      computed.forEach((hex, index) => {
        for (const reading of ways[index]!) if (reading.matches(hex)) found.push({ deviations: set, reading });
      });
      return computed.join();
    },
    trace: (set) => results(set).join(),
    allow: (attempts) => {
      most = triedCount + Math.min(attempts, Math.max(mostByBytes - triedCount, 50));
    },
    result: (completeDepth) => result(found, completeDepth),
    reduced: (completeDepth) => {
      const sets = found.map(({ deviations, reading }) => {
        const wanted = results(deviations).join();
        const needed = deviations.reduce<readonly Deviation[]>((kept, deviation) => {
          const without = kept.filter((other) => other !== deviation);
          return results(without).join() === wanted ? without : kept;
        }, deviations);
        return { deviations: needed, reading };
      });
      const names = sets.map(({ deviations }) => deviations.map(({ id }) => id).join());
      return result(
        sets.filter((_, index) => names.indexOf(names[index]!) === index),
        completeDepth,
      );
    },
  };
}

/** All pairs with at least one member that changes something alone; false once a limit is reached. */
function pairs(
  trial: Trial,
  leaders: readonly Deviation[],
  others: readonly Deviation[],
  followers: readonly Deviation[],
): boolean {
  const attempt = (set: readonly Deviation[]): boolean => trial.attempt(set) !== undefined;
  if (!combinations(leaders, 2, attempt)) return false;
  for (const leader of leaders) {
    for (const other of others) if (!attempt([leader, other])) return false;
  }
  return followers.every((follower, index) =>
    // The followers lead the others: each pair of them is tried once.
    others.slice(index + 1).every((other) => attempt([follower, other])),
  );
}

/** Calls `visit` with every set of `size`, members that stand early first; stops, and says false, when it says false. */
function combinations(
  members: readonly Deviation[],
  size: number,
  visit: (set: readonly Deviation[]) => boolean,
  start: readonly Deviation[] = [],
  from = 0,
): boolean {
  if (start.length === size) return visit(start);
  for (let index = from; index < members.length; index += 1) {
    const next = [...start, members[index]!];
    if (next.length > 1 && !combine(next)) continue;
    if (!combinations(members, size, visit, next, index + 1)) return false;
  }
  return true;
}
