/** Requirements that are not green by what is behind them, for every writer: the causes of the result, which no report makes itself. */

import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countedWord } from '../record/counted-word.ts';
import type { Cause, Outcome, Result, ResultRow } from '../record/result/result.ts';

export interface CauseGroup {
  /** Absent in a report of an earlier version. */
  readonly cause?: Cause;
  readonly rows: readonly [ResultRow, ...ResultRow[]];
  readonly followers?: readonly ResultRow[];
}

type Caused = Pick<Result, 'results' | 'causes'> & Partial<Pick<Result, 'subject' | 'exchangeCount'>>;

/** Each requirement of that outcome once; one that no cause names stands alone. */
export function causeGroups({ results, causes = [] }: Caused, outcome: Outcome): CauseGroup[] {
  const left = new Map(results.filter((row) => row.outcome === outcome).map((row) => [row.id, row]));
  const own = causes.filter((cause) => cause.outcome === outcome && !isNamed(cause));
  // Where what they follow from is not among these rows, such as a known failure, they stand for themselves.
  const leads = ({ rows }: CauseGroup, { requirement }: Cause) => rows.some(({ id }) => id === requirement);
  const isFollowing = ({ requirement }: Cause) => outcome === 'fail' && requirement !== undefined;
  const grouped = own
    .filter((cause) => !isFollowing(cause))
    .flatMap((cause): CauseGroup[] => {
      const [first, ...others] = cause.requirements.flatMap((id) => left.get(id) ?? []);
      for (const id of cause.requirements) left.delete(id);
      return first === undefined ? [] : [{ cause, rows: [first, ...others] }];
    });
  const withFollowers = grouped.map((group): CauseGroup => {
    const ids = own.filter((cause) => isFollowing(cause) && leads(group, cause)).flatMap((cause) => cause.requirements);
    const followers = ids.flatMap((id) => left.get(id) ?? []);
    for (const { id } of followers) left.delete(id);
    return followers.length === 0 ? group : { ...group, followers };
  });
  return [...withFollowers, ...[...left.values()].map((row): CauseGroup => ({ rows: [row] }))];
}

/**
 * The group that a reader should look at first, of the gravest outcome. Failures come in the order of `dimensions`, signing first, and the
 * largest of each: a gateway that takes any signature has a graver fault than many missing members. Of what has no verdict the largest
 * comes first, since one thing holds all of it back. A request that
 * the target did not survive comes before every failure. What a client does wrong in most requests comes before what it seldom does.
 */
export function firstToFix(
  counted: Caused,
): { readonly outcome: 'error' | 'fail' | 'inconclusive'; readonly group: CauseGroup } | undefined {
  const fatal = causeGroups(counted, 'inconclusive').find(({ cause }) => cause?.fatal === true);
  if (fatal !== undefined && causeGroups(counted, 'error').length === 0) return { outcome: 'fail', group: fatal };
  const { subject, exchangeCount = 0 } = counted;
  const isFrequent = ({ rows: [row] }: CauseGroup) =>
    Number(subject?.kind === 'client' && 3 * row.exchanges.length >= exchangeCount);
  const byShare = (a: CauseGroup, b: CauseGroup) => isFrequent(b) - isFrequent(a);
  for (const outcome of ['error', 'fail', 'inconclusive'] as const) {
    const [group] = causeGroups(counted, outcome).sort((a, b) =>
      outcome === 'fail' ? byShare(a, b) || byPlace(a, b) || bySize(a, b) : bySize(a, b) || byPlace(a, b),
    );
    if (group !== undefined) return { outcome, group };
  }
  return undefined;
}

/** `and 2 more for the same reason in 567 of 590 exchanges`: how much of the run it is about. */
export function extentInWords(
  { rows: [row, ...others], followers = [] }: CauseGroup,
  { subject, exchangeCount }: Result,
): string {
  const isOften = subject.kind === 'client' && row.outcome === 'fail' && row.exchanges.length > 1;
  const more = others.length + followers.length;
  return [
    ...(more === 0 ? [] : [`and ${more} more for the same reason`]),
    ...(isOften ? [`in ${row.exchanges.length} of ${exchangeCount} exchanges`] : []),
  ].join(' ');
}

function bySize({ rows: some }: CauseGroup, { rows: others }: CauseGroup): number {
  return others.length - some.length;
}

function byPlace({ rows: [row] }: CauseGroup, { rows: [other] }: CauseGroup): number {
  return dimensions.indexOf(row.dimension) - dimensions.indexOf(other.dimension);
}

/** Whether it names a mistake of the subject. Such a cause stands beside the groups, since a requirement can have several. */
function isNamed({ deviations, defects }: Cause): boolean {
  return deviations !== undefined || defects !== undefined;
}

export function namedCauses({ causes = [] }: Caused, id: string): string[] {
  return causes
    .filter((cause) => isNamed(cause) && cause.requirements.includes(id))
    .map(({ sentence, deviations, exchanges: [plainest] }) =>
      deviations === undefined ? sentence : `${sentence}; the simplest is exchange ${plainest}`,
    );
}

export function mistakesBehind({ causes = [] }: Caused, id: string): string[] {
  return causes.flatMap(({ defects, requirements, sentence }) =>
    defects !== undefined && requirements.includes(id) ? [sentence] : [],
  );
}

/** The exchange to look at: the smallest case that fails, else the shortest request that shows what is behind most wrong signatures. */
export function tellingExchange(
  { id, exchanges, counterexample }: ResultRow,
  { causes = [] }: Pick<Result, 'causes'>,
): number | undefined {
  const behind = causes.find(({ deviations, requirements }) => deviations !== undefined && requirements.includes(id));
  const own = new Set(exchanges);
  return counterexample?.exchange ?? behind?.exchanges.find((number) => own.has(number)) ?? exchanges[0];
}

/** What would be right if the client signed without all that was found: one sentence, or none. */
export function counterfactualsInWords({
  counterfactuals = [],
  causes = [],
}: Pick<Result, 'counterfactuals' | 'causes'>): string[] {
  const wrong = causes.filter(({ deviations }) => deviations !== undefined);
  const count = (some: readonly Cause[]) => new Set(some.flatMap(({ exchanges }) => exchanges)).size;
  return counterfactuals.slice(0, 1).map(({ deviations, failing, wouldPass, notSignedAgain }) => {
    const right = wrong.filter(
      (one) => one.deviations!.length > 0 && one.deviations!.every((id) => deviations.includes(id)),
    );
    const signatures =
      wrong.length === 0 ? '' : `${count(right)} of ${countedWord(count(wrong), 'wrong signature')} would be right`;
    const unknown =
      notSignedAgain === undefined
        ? ''
        : ` (${countedWord(notSignedAgain, 'request')} cannot be signed again without the private key)`;
    // One signature that nothing explains keeps the requirement red, however many would be right.
    const failures =
      wouldPass.length === 0 && right.length > 0 ? '' : `${wouldPass.length} of ${failing} failures would pass`;
    const would = [signatures, failures].filter(Boolean).join(', and ');
    return `With ${deviations.join(' + ')} fixed, ${would}${unknown}.`;
  });
}

/** The cause, where it says more than the requirement by itself does. */
export function tellingCause({ cause, rows }: CauseGroup): Cause | undefined {
  return rows.length > 1 || cause?.requirement !== undefined || cause?.fatal ? cause : undefined;
}

/** Whose fault it is: a requirement that fails and is behind the others is one of the subject. */
export function blamedIn({ cause, rows: [row] }: CauseGroup): Pick<ResultRow, 'blame'> {
  return cause?.requirement === undefined ? row : { blame: 'subject' };
}

export function requirementsIn(groups: readonly CauseGroup[]): ResultRow[] {
  return groups.flatMap(({ rows, followers = [] }) => [...rows, ...followers]);
}

export function countInWords(rows: readonly unknown[]): string {
  return countedWord(rows.length, 'requirement');
}

/** What is in the way of each requirement that shares that with others, and how many do, by its id. */
export function causesInWords(result: Caused): ReadonlyMap<string, string> {
  return new Map(
    causeGroups(result, 'inconclusive').flatMap((group) => {
      const cause = tellingCause(group);
      const words = cause && `${countInWords(group.rows)} because ${cause.sentence}`;
      return words === undefined ? [] : group.rows.map(({ id }): [string, string] => [id, words]);
    }),
  );
}

/** The command that repeats all of them, or the first where they have no such command. */
export function repeatOf([first, ...others]: CauseGroup['rows']): string | undefined {
  const only = ({ id }: ResultRow) => `--only '${id}'`;
  const isLike = (row: ResultRow) => row.repeat === first.repeat?.replace(only(first), only(row));
  return others.every(isLike)
    ? first.repeat?.replace(only(first), [first, ...others].map(only).join(' '))
    : first.repeat;
}
