/** Searches for the smallest sets of deviations (known mistakes) that reproduce a signature. */
import type { Candidates } from '../deviations/candidates.ts';
import { canCombine, type Deviation, everySubset, traitsOf } from '../deviations/deviation.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { deviationOf, dialects, familiesFor, inTableOrder, searchedDeviations } from '../deviations/index.ts';
import { hostSpellings } from '../deviations/rows/uri.ts';
import { groupBy } from '../record/group-by.ts';
import type { SignatureReading } from './readings.ts';

export interface FoundDeviations {
  readonly deviations: readonly Deviation[];
  readonly reading: SignatureReading;
}

export function allDeviationsOf({ deviations, reading }: FoundDeviations): Deviation[] {
  const all = [...new Set([...deviations, ...reading.ids.map(deviationOf)])];
  // If all header values are encoded twice, the signature is one of them. So do not name the signature separately.
  const twice = all.some(({ id }) => id === 'header-values-encoded-twice');
  return inTableOrder(twice ? all.filter(({ id }) => id !== 'signature-escaped-before-header') : all);
}

interface SearchLimits {
  readonly depth: number;
  /** How many sets of three or more deviations the search may try. */
  readonly deepSets: number;
  /** How many characters the search may hash for pairs of deviations. Single deviations have five times this limit. */
  readonly work: number;
}

/** With these limits, a usual search takes 1 to 2 seconds. For a payload of 100,000 rows, it takes under 5 seconds. */
const usualLimits: SearchLimits = { depth: 4, deepSets: 100_000, work: 400_000_000 };

interface SearchResult {
  /** The smallest sets of deviations that reproduce the signature. The likeliest set is first. */
  readonly found: readonly FoundDeviations[];
  readonly triedCount: number;
  /** The search has covered all sets of at most this size. -1 if it tried no set. */
  readonly completeDepth: number;
}

export function search(
  candidates: Candidates,
  readings: readonly SignatureReading[],
  evidence: RequestEvidence,
  options: Partial<SearchLimits>,
): SearchResult {
  const limits = { ...usualLimits, ...options };
  if (readings.length === 0) return { found: [], triedCount: 0, completeDepth: -1 };
  const trial = trialOf(candidates, readings, limits.work);
  const result = (completeDepth: number, effects?: Effects): SearchResult => ({
    found: smallestSets(effects === undefined ? trial.found : withCopies(trial, effects, trial.found)),
    triedCount: trial.triedCount,
    completeDepth,
  });
  const plainTrace = trial.attempt([]) ?? '';
  if (trial.found.length > 0) return result(0);
  trial.allowAll();
  const effects = trySingles(trial, searchedDeviations, plainTrace);
  if (effects === undefined) return result(0);
  if (trial.found.length > 0) return result(1);
  // A family, such as wrong keys, is a large group of deviations. It has too many pairs, so try single members first.
  const familyMembers = familiesFor(evidence);
  attemptEach(trial, familyMembers);
  if (trial.found.length > 0) return result(1);

  trial.allow(Number.POSITIVE_INFINITY);
  const coveredDepth = limits.depth >= 2 && tryPairs(trial, effects) ? 2 : 1;
  if (trial.found.length > 0) return result(coveredDepth, effects);
  const rareDeviations = hostSpellings(evidence.request);
  attemptEach(trial, rareDeviations);
  if (trial.found.length > 0 || limits.depth < 2) return result(coveredDepth);
  trial.allow(dialects.length);
  for (const dialect of dialects) trial.attempt(dialect.deviations);
  const reducedResult = (depth: number): SearchResult => ({
    ...result(depth),
    found: smallestSets(withCopies(trial, effects, minimize(trial))),
  });
  if (trial.found.length > 0) return reducedResult(coveredDepth);
  if (coveredDepth < 2) return result(coveredDepth);
  trial.allow(limits.deepSets / 2);
  tryRarePairs(trial, effects, rareDeviations);
  trial.allow(limits.deepSets / 4);
  tryRarePairs(trial, effects, familyMembers);
  if (trial.found.length > 0) return result(coveredDepth, effects);

  trial.allow(limits.deepSets);
  for (let size = 3; size <= limits.depth; size += 1) {
    if (size === 3) {
      for (const { deviations } of dialects) for (const one of effects.leaders) trial.attempt([...deviations, one]);
    }
    if (trial.found.length > 0) return reducedResult(size - 1);
    const all = everySubset(effects.leaders, size, (set) => trial.attempt(set) !== undefined, canCombine);
    if (trial.found.length > 0) return result(all ? size : size - 1, effects);
    if (!all) return result(size - 1);
  }
  return result(limits.depth);
}

function attemptEach(trial: Trial, deviations: readonly Deviation[]): void {
  trial.allow(deviations.length);
  deviations.every((one) => trial.attempt([one]) !== undefined);
}

/** Groups of deviations with the same result for this request. Each group has a leader; the other members are copies. */
interface Effects {
  readonly leaders: readonly Deviation[];
  readonly copies: ReadonlyMap<string, readonly Deviation[]>;
  /** Deviations that change nothing on this request. */
  readonly idle: readonly Deviation[];
}

function trySingles(trial: Trial, deviations: readonly Deviation[], plain: string): Effects | undefined {
  const traces = new Map<Deviation, string>();
  for (const deviation of deviations) {
    const trace = trial.attempt([deviation]);
    if (trace === undefined) return undefined;
    traces.set(deviation, trace);
  }
  const groups = groupBy(deviations, (deviation) => traces.get(deviation)!);
  const idle = groups.get(plain) ?? [];
  groups.delete(plain);
  const effective = [...groups.values()];
  return {
    leaders: effective.map(([first]) => first!),
    copies: new Map(effective.map(([first, ...others]) => [first!.id, others])),
    idle,
  };
}

/** Tries pairs with at least one deviation that changes the result by itself. Returns false if a limit is reached. */
function tryPairs(trial: Trial, { leaders, copies, idle }: Effects): boolean {
  if (!everySubset(leaders, 2, (set) => trial.attempt(set) !== undefined, canCombine)) return false;
  const leaderOf = new Map(leaders.flatMap((one) => [one, ...copies.get(one.id)!].map((member) => [member, one])));
  // If they change different parts, one of them alone, or the pair of their leaders, gave the same result.
  const isNeedless = (a: Deviation, b: Deviation): boolean => {
    const first = leaderOf.get(a);
    const second = leaderOf.get(b);
    if (first === undefined || second === undefined) return disjoint(a, b);
    return disjoint(a, b) && disjoint(first, b) && disjoint(a, second) && disjoint(first, second);
  };
  const followers = [...copies.values()].flat();
  return [...leaders, ...followers].every((effective, index) => {
    const others = [...followers.slice(Math.max(index - leaders.length + 1, 0)), ...idle];
    return others.every((other) => isNeedless(effective, other) || trial.attempt([effective, other]) !== undefined);
  });
}

function tryRarePairs(trial: Trial, { leaders, idle }: Effects, rare: readonly Deviation[]): void {
  const partners = (one: Deviation) => [...leaders, ...idle.filter((other) => !disjoint(one, other))];
  rare.every((one) => partners(one).every((other) => trial.attempt([other, one]) !== undefined));
}

function disjoint(a: Deviation, b: Deviation): boolean {
  return (traitsOf(a).parts & traitsOf(b).parts) === 0;
}

/** How many variants of a set `withCopies` may try. Usual requests have far fewer. */
const maxVariants = 4096;

/** Returns `sets`, and the variants that also match. A variant replaces deviations by others of their group. */
function withCopies(trial: Trial, { leaders, copies }: Effects, sets: readonly FoundDeviations[]) {
  const groups = leaders.map((leader) => [leader, ...copies.get(leader.id)!]);
  const groupOf = new Map(groups.flatMap((group) => group.map((member) => [member, group])));
  const othersInGroup = (member: Deviation) => (groupOf.get(member) ?? []).filter((other) => other !== member);
  const originals = sets.slice();
  const previousCount = trial.found.length;
  for (const { deviations } of originals) {
    let variants: Deviation[][] = [[]];
    for (const member of deviations) {
      const replacements = [member, ...othersInGroup(member)];
      variants = variants.flatMap((set) => replacements.map((one) => [...set, one])).slice(0, maxVariants);
    }
    trial.allow(variants.length);
    for (const variant of variants.slice(1)) trial.attempt(variant);
  }
  return [...originals, ...trial.found.slice(previousCount)];
}

function minimize(trial: Trial): readonly FoundDeviations[] {
  return trial.found.map(({ deviations, reading }) => {
    const expected = trial.trace(deviations);
    const needed = deviations.reduce<readonly Deviation[]>((remaining, deviation) => {
      const without = remaining.filter((other) => other !== deviation);
      return trial.trace(without) === expected ? without : remaining;
    }, deviations);
    return { deviations: needed, reading };
  });
}

function smallestSets(sets: readonly FoundDeviations[]): readonly FoundDeviations[] {
  const names = sets.map((set) => allDeviationsOf(set).map(({ id }) => id));
  const min = Math.min(...names.map((ids) => ids.length));
  const texts = names.map((ids) => ids.join());
  return sets.filter((_, index) => names[index]!.length === min && texts.indexOf(texts[index]!) === index);
}

type Trial = ReturnType<typeof trialOf>;

/** `allow` always permits up to this number of attempts, until five times `work` is used. */
const minAttempts = 20;

/** Tries sets of deviations. `work` is the usual maximum number of characters to hash. */
export function trialOf(candidates: Candidates, readings: readonly SignatureReading[], work = usualLimits.work) {
  // Compute only once for all readings of the same kind and hash.
  const groups = [...groupBy(readings, ({ kind, hash }) => `${kind} ${hash}`).values()];
  const baseLength = candidates.baseString([]).length;
  const found: FoundDeviations[] = [];
  let triedCount = 0;
  let maxTried = Number.POSITIVE_INFINITY;
  let maxWork = Number.POSITIVE_INFINITY;
  const hardLimit = 5 * work;
  const results = (set: readonly Deviation[]): string[] => groups.map(([one]) => signHex(candidates, set, one));
  return {
    found,
    get triedCount() {
      return triedCount;
    },
    /** Signs as a client with these deviations, and compares the result with the signature. Undefined at a limit. */
    attempt: (set: readonly Deviation[]): string | undefined => {
      if (!canCombine(set)) return '';
      if (triedCount >= maxTried || candidates.work() >= maxWork) return undefined;
      triedCount += 1;
      const all = results(set);
      all.forEach((hex, index) => {
        for (const reading of groups[index]!) {
          if (reading.matches(hex)) found.push({ deviations: set, reading });
        }
      });
      return all.join();
    },
    /** Signs as a client with these deviations, without limits and without a comparison. */
    trace: (set: readonly Deviation[]) => results(set).join(),
    /** Sets the limits for further attempts. Before the first call of `allow` or `allowAll`, there is no limit. */
    allow: (attempts: number): void => {
      maxTried = triedCount + attempts;
      maxWork = Math.max(work, Math.min(hardLimit, candidates.work() + Math.min(attempts, minAttempts) * baseLength));
    },
    /** Allows any number of further attempts, but limits all work to five times `work`. */
    allowAll: (): void => {
      maxTried = Number.POSITIVE_INFINITY;
      maxWork = hardLimit;
    },
  };
}

/** Signs as a client with these deviations. Returns the hex text that `SignatureReading.matches` compares. */
export function signHex(candidates: Candidates, set: readonly Deviation[], { kind, hash }: SignatureReading): string {
  if (kind === 'plaintext') return Buffer.from(candidates.keyText(set)).toString('hex');
  return kind === 'hmac' ? candidates.mac(set, hash) : candidates.digest(set, hash);
}
