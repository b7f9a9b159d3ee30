/** Groups requirements that did not pass by their common cause. Pure. */
import { numberOf } from '../record/case.ts';
import { groupBy } from '../record/group-by.ts';
import type { Cause, ResultRow } from '../record/result/result.ts';
import type { Blocker, Finding } from '../rules/judge.ts';
import type { Evidence } from './evidence.ts';

/** The verdict on a requirement. `blocker`: why the verdict is inconclusive, or what may cause the failure. */
export interface JudgedRow {
  readonly row: ResultRow;
  readonly blocker?: Omit<Blocker, 'cases'> & { readonly exchanges: readonly number[] };
}

/** Merges the reasons of findings with the same outcome. If a failed finding names no cause, returns undefined. */
export function blockerOf(
  findings: readonly Pick<Finding, 'because' | 'outcome'>[],
  evidence: Pick<Evidence, 'cases'>,
): JudgedRow['blocker'] {
  const [first, ...others] = findings;
  if (first?.because === undefined) return undefined;
  const { cases = [], ...blocker } = first.because;
  if (first.outcome === 'fail') {
    const blockers = findings.flatMap((one) => one.because ?? []);
    if (blockers.length < findings.length || blockers.some(({ mayBreak }) => mayBreak === undefined)) return undefined;
    const elsewhere = blockers.every((one) => one.elsewhere) || undefined;
    return { ...blocker, elsewhere, mayBreak: [...new Set(blockers.flatMap((one) => one.mayBreak!))], exchanges: [] };
  }
  const same = others.flatMap((one) => (one.because?.mayBreak === blocker.mayBreak ? (one.because?.cases ?? []) : []));
  const exchanges = [...cases, ...same].flatMap((one) => numberOf(evidence.cases, one) ?? []);
  return { ...blocker, exchanges: [...new Set(exchanges)] };
}

/** Finds causes of failures and open verdicts. The first requirement of a mistake is the cause of its others. */
export function causesOf(judged: readonly JudgedRow[], mistakes: readonly Cause[] = []): readonly Cause[] {
  const failures = new Map(judged.filter(({ row }) => row.outcome === 'fail').map(({ row }) => [row.id, row]));
  const open = judged.filter(({ row }) => row.outcome === 'inconclusive');
  const origins = originsOf(judged, failures, mistakes);
  const byRequirement = explainOpenRows(open, failures, origins);
  const explained = new Set([...byRequirement.values()].flat());
  const consequences = groupBy([...origins.keys()], (id) => origins.get(id)!);
  const causesOfOpen = [
    ...[...byRequirement].map(([id, rows]) => {
      const ids = rows.map(({ row }) => row.id);
      const exchanges = rows.flatMap(({ blocker }) => blocker!.exchanges);
      return causeFrom(failures.get(id)!, 'inconclusive', ids, exchanges);
    }),
    ...causesByText(open.filter((one) => !explained.has(one))),
  ];
  return [
    ...causesByAnswer(judged.map(({ row }) => row).filter(({ id }) => !origins.has(id))),
    ...[...consequences].map(([origin, ids]) => {
      const exchanges = ids.flatMap((id) => failures.get(id)!.exchanges);
      return causeFrom(failures.get(origin)!, 'fail', ids, exchanges);
    }),
    ...causesOfOpen.sort((a, b) => b.requirements.length - a.requirements.length),
  ];
}

/** Maps a failure to the one that caused it. Without `elsewhere`, its causes must fail in the same exchanges. */
function originsOf(judged: readonly JudgedRow[], failures: ReadonlyMap<string, ResultRow>, mistakes: readonly Cause[]) {
  // If a mistake explains only some exchanges of a failure, the rest may have another cause. Ignore the mistake then.
  const isExplained = (id: string, { exchanges }: Cause) =>
    failures.get(id)?.exchanges.every((number) => exchanges.includes(number)) === true;
  const parents = new Map(
    mistakes.flatMap((cause) => {
      const [first, ...others] = cause.requirements;
      return others.filter((id) => isExplained(id, cause)).map((id): [string, string] => [id, first!]);
    }),
  );
  const mistakeIds = new Set(mistakes.flatMap(({ requirements }) => requirements));
  for (const { row, blocker } of judged) {
    if (mistakeIds.has(row.id)) continue;
    const candidates = (blocker?.mayBreak ?? []).flatMap((id) => (id === row.id ? [] : (failures.get(id) ?? [])));
    if (row.outcome !== 'fail' || candidates.length === 0) continue;
    const own = new Set(row.exchanges);
    const ranked = candidates.map((one) => ({ ...one, shared: one.exchanges.filter((number) => own.has(number)) }));
    const covered = new Set(ranked.flatMap(({ shared }) => shared));
    if (blocker!.elsewhere !== true && covered.size < own.size) continue;
    ranked.sort((a, b) => b.shared.length - a.shared.length || a.exchanges.length - b.exchanges.length);
    parents.set(row.id, ranked[0]!.id);
  }
  const originOf = (id: string, visited: readonly string[] = []): string => {
    const parent = parents.get(id);
    return parent === undefined || visited.includes(parent) ? id : originOf(parent, [...visited, id]);
  };
  return new Map([...parents.keys()].map((id) => [id, originOf(id)]));
}

// Explains inconclusive requirements by failed ones: by those that fail in all of their exchanges, or else in some.
function explainOpenRows(
  open: readonly JudgedRow[],
  failures: ReadonlyMap<string, ResultRow>,
  origins: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly JudgedRow[]> {
  const found = new Map<string, JudgedRow[]>();
  const exchangeSets = new Map([...failures].map(([id, { exchanges }]) => [id, new Set(exchanges)]));
  let unexplained = open.filter(({ blocker }) => blocker?.mayBreak !== undefined);
  for (const method of ['every', 'some'] as const) {
    const explains = (id: string, { exchanges }: NonNullable<JudgedRow['blocker']>) =>
      failures.has(id) && (exchanges.length === 0 || exchanges[method]((number) => exchangeSets.get(id)!.has(number)));
    for (;;) {
      const candidates = unexplained.flatMap((one) => {
        const ids = one.blocker!.mayBreak!.filter((id) => explains(id, one.blocker!));
        return [...new Set(ids.map((id) => origins.get(id) ?? id))].map((id) => ({ id, one }));
      });
      const [best] = [...groupBy(candidates, ({ id }) => id)].sort(([, a], [, b]) => b.length - a.length);
      if (best === undefined) break;
      const [id, explained] = best;
      const rows = explained.map(({ one }) => one);
      found.set(id, [...(found.get(id) ?? []), ...rows]);
      unexplained = unexplained.filter((one) => !rows.includes(one));
    }
  }
  return found;
}

function causeFrom(
  row: ResultRow,
  outcome: 'fail' | 'inconclusive',
  requirements: readonly string[],
  numbers: readonly number[],
): Cause {
  const { id, expected = 'what it says', actual = 'something else', explanations = [] } = row;
  const deviations = explanations.flatMap((one) => one.deviations.map((entry) => `${entry.summary} (${entry.id})`));
  const reason = [...new Set(deviations)].join(' ') || `expected ${expected}, received ${actual}`;
  const exchanges = sorted(numbers.length > 0 ? numbers : row.exchanges);
  return { outcome, sentence: `${id} fails: ${reason}`, requirement: id, requirements, exchanges };
}

function sorted(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function causesByText(open: readonly JudgedRow[]): Cause[] {
  const keyOf = ({ row, blocker }: JudgedRow) =>
    JSON.stringify([blocker?.text ?? reasonOf(row), blocker?.openPoint, row.blame]);
  return [...groupBy(open, keyOf).values()].map((group) => {
    const [{ row, blocker }] = group;
    // If only one requirement has this cause, its own reason is more exact.
    const sentence = (group.length > 1 ? blocker?.text : undefined) ?? reasonOf(row);
    const hints = new Set(group.map((one) => one.row.hint));
    // If the hints differ, use the hint that belongs to `sentence`.
    const source = group.find((one) => one.row.actual === sentence);
    return {
      outcome: 'inconclusive',
      sentence,
      openPoint: blocker?.openPoint,
      fatal: blocker?.fatal,
      hint: hints.size > 1 ? source?.row.hint : row.hint,
      requirements: group.map((one) => one.row.id),
      exchanges: sorted(group.flatMap((one) => one.blocker?.exchanges ?? one.row.exchanges)),
    };
  });
}

function causesByAnswer(rows: readonly ResultRow[]): Cause[] {
  const answerOf = ({ id, actual, reason, remark, exchanges, explanations, firstStage }: ResultRow) =>
    exchanges.length === 0 ? id : JSON.stringify([actual, reason, remark, exchanges, explanations, firstStage]);
  return (['error', 'fail'] as const).flatMap((outcome) => {
    const matching = rows.filter((row) => row.outcome === outcome);
    return [...groupBy(matching, answerOf).values()].map((group): Cause => {
      const [first] = group;
      const requirements = group.map(({ id }) => id);
      return { outcome, sentence: reasonOf(first), requirements, exchanges: first.exchanges };
    });
  });
}

function reasonOf({ reason, actual }: ResultRow): string {
  return reason ?? actual ?? 'no reason was given';
}
