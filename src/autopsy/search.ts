/** Searches the smallest set of deviations that gives exactly the signed bytes, and words the result. */

import type { Candidates } from '../deviations/candidates.ts';
import { combine, type Deviation, partsChangedBy } from '../deviations/deviation.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { deviationOf, dialects, familiesFor, inTableOrder, searchedDeviations } from '../deviations/index.ts';
import { hostSpellings } from '../deviations/rows/uri.ts';
import { percentEncode } from '../protocol/index.ts';
import { groupBy } from '../record/group-by.ts';
import { readForm } from '../rules/client/reading.ts';
import { addressedOperation } from './facts.ts';
import type { SignatureReading } from './readings.ts';

export interface FoundDeviations {
  readonly deviations: readonly Deviation[];
  readonly reading: SignatureReading;
}

export function allDeviationsOf({ deviations, reading }: FoundDeviations): Deviation[] {
  const all = [...new Set([...deviations, ...reading.ids.map(deviationOf)])];
  // Encoding all header values twice includes the signature: that is one deviation.
  const twice = all.some(({ id }) => id === 'header-values-encoded-twice');
  return inTableOrder(twice ? all.filter(({ id }) => id !== 'signature-escaped-before-header') : all);
}

/**
 * Drops sets that the request disproves, unless no set is left; likelier sets come first. If a consumer key with characters to
 * encode arrives as issued, all header values were encoded once.
 */
export function dropDisproved<T extends FoundDeviations>(
  all: readonly T[],
  { body, credential }: RequestEvidence,
  issuedKey: string | undefined,
): readonly T[] {
  // No encoder leaves these characters in a value, so such a body was not encoded at all.
  const isRaw = body.some(({ writtenValue }) => /[^A-Za-z0-9%._~!*'()+-]|\+.*=/.test(writtenValue));
  const asWritten = (one: T): boolean => isRaw && one.deviations.some(({ id }) => id === 'body-signed-as-written');
  const found = [...all.filter((one) => !asWritten(one)), ...all.filter(asWritten)];
  if (issuedKey === undefined || credential('oauth_consumer_key') !== issuedKey) return found;
  if (percentEncode(issuedKey) === issuedKey) return found;
  const left = found.filter((one) => allDeviationsOf(one).every(({ id }) => id !== 'header-values-encoded-twice'));
  return left.length === 0 ? found : left;
}

const onTheWay = 'If a proxy added it, give the request as the client sent it. If the client sends it, leave it out.';

/** Words for a request that shows more than the deviation knows. */
const inContext: readonly {
  readonly ids: readonly string[];
  readonly is: (evidence: RequestEvidence) => boolean;
  readonly summary?: string;
  readonly fix: string;
}[] = [
  {
    ids: ['query-left-out'],
    is: ({ request }) => addressedOperation(request.target) !== 'other',
    summary: 'The request has a query, but the operation has none (section 4), and the signature does not cover it.',
    fix: onTheWay,
  },
  {
    ids: ['trailing-slash-cut'],
    is: ({ request }) => addressedOperation(request.target) !== 'other' && /\/(?:\?|$)/.test(request.target),
    summary:
      'The path ends with a slash, but that of the operation does not (section 4), and the signature does not cover it.',
    fix: onTheWay,
  },
  {
    ids: ['body-left-out', 'empty-values-left-out'],
    is: ({ request }) => !['form', 'empty'].includes(readForm(request.body).kind),
    summary: 'The body is not a form, and the signature does not cover it.',
    fix: 'Send the fields as a form first (sections 4.1 and 4.2), and sign them.',
  },
];

export function fittingWords<T extends Pick<Deviation, 'id' | 'summary' | 'fix'>>(
  deviation: T,
  evidence: RequestEvidence,
): T {
  const context = inContext.find(({ ids, is }) => ids.includes(deviation.id) && is(evidence));
  return context === undefined
    ? deviation
    : { ...deviation, summary: context.summary ?? deviation.summary, fix: context.fix };
}

export interface SearchLimits {
  readonly depth: number;
  /** Limits candidates of three or more deviations. All single ones and pairs are tried, unless the request is too large. */
  readonly deep: number;
  /** Limits pairs, in hashed characters of base strings; single ones may use five times as many. */
  readonly work: number;
}

/** One or two seconds for an ordinary request, less than five for 100,000 rows. */
export const usualLimits: SearchLimits = { depth: 4, deep: 100_000, work: 400_000_000 };

interface Searched {
  /** Sets of the same, smallest size that all give the signed bytes, the likeliest first. */
  readonly found: readonly FoundDeviations[];
  readonly triedCount: number;
  /** All sets up to this size were tried, except those with the result of a smaller set. -1 if nothing was tried. */
  readonly completeDepth: number;
}

export function search(
  candidates: Candidates,
  readings: readonly SignatureReading[],
  evidence: RequestEvidence,
  limits: SearchLimits,
): Searched {
  const trial = trialOf(candidates, readings, limits.work);
  const result = (completeDepth: number, effects?: Effects): Searched => ({
    found: smallest(effects === undefined ? trial.found : withTwins(trial, effects, trial.found)),
    triedCount: trial.triedCount,
    completeDepth,
  });
  const plain = trial.attempt([]) ?? '';
  if (trial.found.length > 0) return result(0);
  trial.allowAll();
  const effects = singles(trial, searchedDeviations, plain);
  if (effects === undefined) return result(0);
  if (trial.found.length > 0) return result(1);
  // Single deviations, too many for pairs.
  const ofFamilies = familiesFor(evidence);
  trial.allow(ofFamilies.length);
  ofFamilies.every((one) => trial.attempt([one]) !== undefined);
  if (trial.found.length > 0) return result(1);

  trial.allow(Number.POSITIVE_INFINITY);
  const complete = limits.depth >= 2 && pairs(trial, effects) ? 2 : 1;
  if (trial.found.length > 0) return result(complete, effects);
  const rareOnes = hostSpellings(evidence.request);
  trial.allow(rareOnes.length);
  rareOnes.every((one) => trial.attempt([one]) !== undefined);
  if (trial.found.length > 0 || limits.depth < 2) return result(complete);
  trial.allow(dialects.length);
  for (const dialect of dialects) trial.attempt(dialect.deviations);
  const reducedResult = (depth: number): Searched => ({
    ...result(depth),
    found: smallest(withTwins(trial, effects, reduced(trial))),
  });
  if (trial.found.length > 0) return reducedResult(complete);
  if (complete < 2) return result(complete);
  trial.allow(limits.deep / 2);
  pairsWithRare(trial, effects, rareOnes);
  trial.allow(limits.deep / 4);
  pairsWithRare(trial, effects, ofFamilies);
  if (trial.found.length > 0) return result(complete, effects);

  trial.allow(limits.deep);
  for (let size = 3; size <= limits.depth; size += 1) {
    if (size === 3) plusDialects(trial, effects);
    if (trial.found.length > 0) return reducedResult(size - 1);
    const all = combinations(effects.leaders, size, (set) => trial.attempt(set) !== undefined);
    if (trial.found.length > 0) return result(all ? size : size - 1, effects);
    if (!all) return result(size - 1);
  }
  return result(limits.depth);
}

interface Effects {
  readonly leaders: readonly Deviation[];
  readonly twins: ReadonlyMap<string, readonly Deviation[]>;
  readonly idle: readonly Deviation[];
}

function singles(trial: Trial, deviations: readonly Deviation[], plain: string): Effects | undefined {
  const traces = new Map<Deviation, string>();
  for (const deviation of deviations) {
    const trace = trial.attempt([deviation]);
    if (trace === undefined) return undefined;
    traces.set(deviation, trace);
  }
  const classes = groupBy(deviations, (deviation) => traces.get(deviation)!);
  const idle = classes.get(plain) ?? [];
  classes.delete(plain);
  const all = [...classes.values()];
  return {
    leaders: all.map(([first]) => first!),
    twins: new Map(all.map(([first, ...others]) => [first!.id, others])),
    idle,
  };
}

/**
 * All pairs with a member that has an effect alone; false once a limit is reached. Skipped if members and leaders change
 * different parts of the text: then the leaders, or one member alone, give the same.
 */
function pairs(trial: Trial, { leaders, twins, idle }: Effects): boolean {
  if (!combinations(leaders, 2, (set) => trial.attempt(set) !== undefined)) return false;
  const classes = new Map(leaders.flatMap((one) => [one, ...twins.get(one.id)!].map((member) => [member, one])));
  const needless = (a: Deviation, b: Deviation): boolean => {
    const [first, second] = [classes.get(a), classes.get(b)];
    if (first === undefined || second === undefined) return apart(a, b);
    return apart(a, b) && apart(first, b) && apart(a, second) && apart(first, second);
  };
  const followers = [...twins.values()].flat();
  return [...leaders, ...followers].every((effective, index) => {
    const others = [...followers.slice(Math.max(index - leaders.length + 1, 0)), ...idle];
    return others.every((other) => needless(effective, other) || trial.attempt([effective, other]) !== undefined);
  });
}

function pairsWithRare(trial: Trial, { leaders, idle }: Effects, rare: readonly Deviation[]): void {
  const partners = (one: Deviation) => [...leaders, ...idle.filter((other) => !apart(one, other))];
  rare.every((one) => partners(one).every((other) => trial.attempt([other, one]) !== undefined));
}

function apart(a: Deviation, b: Deviation): boolean {
  return (partsChangedBy(a) & partsChangedBy(b)) === 0;
}

function plusDialects(trial: Trial, { leaders }: Effects): void {
  for (const dialect of dialects) {
    for (const leader of leaders) trial.attempt([...dialect.deviations, leader]);
  }
}

/** For each found set; far more than deviations with the same effect give. */
const maxVariants = 4096;

/** The found sets, and those with members exchanged for others of the same effect, if the bytes are the same. */
function withTwins(trial: Trial, { leaders, twins }: Effects, sets: readonly FoundDeviations[]) {
  const classes = leaders.map((leader) => [leader, ...twins.get(leader.id)!]);
  const classOf = new Map(classes.flatMap((sameEffect) => sameEffect.map((member) => [member, sameEffect])));
  const othersLike = (member: Deviation) => (classOf.get(member) ?? []).filter((other) => other !== member);
  const first = sets.slice();
  const before = trial.found.length;
  for (const { deviations } of first) {
    const variants = deviations.reduce<Deviation[][]>(
      (sets, member) =>
        sets
          .flatMap((set) => [member, ...othersLike(member)].map((variant) => [...set, variant]))
          .slice(0, maxVariants),
      [[]],
    );
    trial.allow(variants.length);
    for (const variant of variants.slice(1)) trial.attempt(variant);
  }
  return [...first, ...trial.found.slice(before)];
}

function reduced(trial: Trial): readonly FoundDeviations[] {
  return trial.found.map(({ deviations, reading }) => {
    const wanted = trial.trace(deviations);
    const needed = deviations.reduce<readonly Deviation[]>((kept, deviation) => {
      const without = kept.filter((other) => other !== deviation);
      return trial.trace(without) === wanted ? without : kept;
    }, deviations);
    return { deviations: needed, reading };
  });
}

function smallest(sets: readonly FoundDeviations[]): readonly FoundDeviations[] {
  const names = sets.map((set) => allDeviationsOf(set).map(({ id }) => id));
  const least = Math.min(...names.map((ids) => ids.length));
  const texts = names.map((ids) => ids.join());
  return sets.filter((_, index) => names[index]!.length === least && texts.indexOf(texts[index]!) === index);
}

/** Calls `visit` with each set of `size`, early members first. Stops and returns false once `visit` does. */
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

type Trial = ReturnType<typeof trialOf>;

/** Attempts that each call allows, whatever the size of the request. */
const always = 20;

/** `work` is in hashed characters of base strings. */
export function trialOf(candidates: Candidates, readings: readonly SignatureReading[], work: number) {
  const ways = [...groupBy(readings, ({ kind, hash }) => `${kind} ${hash}`).values()];
  const baseLength = candidates.baseString([]).length;
  const found: FoundDeviations[] = [];
  let triedCount = 0;
  let maxTried = Number.POSITIVE_INFINITY;
  let maxWork = Number.POSITIVE_INFINITY;
  const utmost = 5 * work;
  const results = (set: readonly Deviation[]): string[] => ways.map(([way]) => computed(candidates, set, way));
  return {
    found,
    get triedCount() {
      return triedCount;
    },
    /** Computes a set, compares it with each reading, and returns its result; undefined once a limit is reached. */
    attempt: (set: readonly Deviation[]): string | undefined => {
      if (!combine(set)) return '';
      if (triedCount >= maxTried || candidates.work() >= maxWork) return undefined;
      triedCount += 1;
      const all = results(set);
      all.forEach((hex, index) => {
        for (const reading of ways[index]!) {
          if (reading.matches(hex)) found.push({ deviations: set, reading });
        }
      });
      return all.join();
    },
    /** The result of a set, without limits and without comparison. */
    trace: (set: readonly Deviation[]) => results(set).join(),
    /** Allows so many further attempts within the limit of work, and always a few. Before that nothing is limited. */
    allow: (attempts: number): void => {
      maxTried = triedCount + attempts;
      maxWork = Math.max(work, Math.min(utmost, candidates.work() + Math.min(attempts, always) * baseLength));
    },
    /** Allows any number of further attempts within five times the work. */
    allowAll: (): void => {
      maxTried = Number.POSITIVE_INFINITY;
      maxWork = utmost;
    },
  };
}

function computed(candidates: Candidates, set: readonly Deviation[], { kind, hash }: SignatureReading): string {
  if (kind === 'plaintext') return Buffer.from(candidates.keyText(set)).toString('hex');
  return kind === 'hmac' ? candidates.mac(set, hash) : candidates.digest(set, hash);
}
