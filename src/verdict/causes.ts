/** Root causes: groups rows that are not green by what they have in common. Pure. */

import { numberOf } from '../record/case.ts';
import { groupBy } from '../record/group-by.ts';
import type { Cause, ResultRow } from '../record/result/result.ts';
import type { Blocker, Finding } from '../rules/finding.ts';
import type { Evidence } from './evidence.ts';

/** What leaves a row open if it is inconclusive, or may cause its failure, by the numbers of the exchanges. */
export interface JudgedRow {
  readonly row: ResultRow;
  readonly because?: Omit<Blocker, 'cases'> & { readonly exchanges: readonly number[] };
}

/** What blocks the deciding findings, with the exchanges of all. A failure counts as a consequence only if every finding is one. */
export function inTheWay(
  findings: readonly Pick<Finding, 'because' | 'outcome'>[],
  evidence: Pick<Evidence, 'cases'>,
): JudgedRow['because'] {
  const [first, ...others] = findings;
  if (first?.because === undefined) return undefined;
  const { cases = [], ...because } = first.because;
  if (first.outcome === 'fail') {
    const reasons = findings.flatMap((one) => one.because ?? []);
    if (reasons.length < findings.length || reasons.some(({ mayBreak }) => mayBreak === undefined)) return undefined;
    const { elsewhere: _, ...common } = because;
    const isElsewhere = reasons.every(({ elsewhere }) => elsewhere);
    const mayBreak = [...new Set(reasons.flatMap((one) => one.mayBreak!))];
    return { ...common, ...(isElsewhere ? { elsewhere: true } : {}), mayBreak, exchanges: [] };
  }
  const alike = others.flatMap((one) => (one.because?.mayBreak === because.mayBreak ? (one.because?.cases ?? []) : []));
  const exchanges = [...cases, ...alike].flatMap((one) => numberOf(evidence.cases, one) ?? []);
  return { ...because, exchanges: [...new Set(exchanges)] };
}

/** Each row that is inconclusive, fails or is an error belongs to exactly one cause. The first requirement of a mistake leads the others. */
export function causesOf(judged: readonly JudgedRow[], mistakes: readonly Cause[] = []): readonly Cause[] {
  const broken = new Map(judged.filter(({ row }) => row.outcome === 'fail').map(({ row }) => [row.id, row]));
  const open = judged.filter(({ row }) => row.outcome === 'inconclusive');
  const origins = originsOf(judged, broken, mistakes);
  const byRequirement = brokenRequirements(open, broken, origins);
  const explained = new Set([...byRequirement.values()].flat());
  return [
    ...inOneAnswer(judged.map(({ row }) => row).filter(({ id }) => !origins.has(id))),
    ...[...groupBy([...origins.keys()], (id) => origins.get(id)!).values()].map((ids) => {
      const exchanges = ids.flatMap((id) => broken.get(id)!.exchanges);
      return ofRequirement(broken.get(origins.get(ids[0])!)!, 'fail', ids, exchanges);
    }),
    ...[
      ...[...byRequirement].map(([id, rows]) => {
        const exchanges = rows.flatMap(({ because }) => because!.exchanges);
        return ofRequirement(
          broken.get(id)!,
          'inconclusive',
          rows.map(({ row }) => row.id),
          exchanges,
        );
      }),
      ...ofTexts(open.filter((one) => !explained.has(one))),
    ].sort((a, b) => b.requirements.length - a.requirements.length),
  ];
}

/**
 * For each failure, the failure that it follows from: the one with the most exchanges in common, then with the fewest others. In a
 * chain it is the first. The candidates together must fail in every exchange of the failure, unless other exchanges show them.
 */
function originsOf(judged: readonly JudgedRow[], broken: ReadonlyMap<string, ResultRow>, mistakes: readonly Cause[]) {
  // If a mistake explains only some exchanges of a failure, the failure can be a second fault.
  const isExplained = (id: string, { exchanges }: Cause) =>
    broken.get(id)?.exchanges.every((number) => exchanges.includes(number)) === true;
  const leads = new Map(
    mistakes.flatMap((mistake) => {
      const [lead, ...others] = mistake.requirements;
      return others.filter((id) => isExplained(id, mistake)).map((id): [string, string] => [id, lead!]);
    }),
  );
  const ofMistakes = new Set(mistakes.flatMap(({ requirements }) => requirements));
  for (const { row, because } of judged) {
    if (ofMistakes.has(row.id)) continue;
    const behind = (because?.mayBreak ?? []).flatMap((id) => (id === row.id ? [] : (broken.get(id) ?? [])));
    if (row.outcome !== 'fail' || behind.length === 0) continue;
    const own = new Set(row.exchanges);
    const weighed = behind.map(({ id, exchanges }) => ({
      id,
      exchanges,
      shared: exchanges.filter((one) => own.has(one)),
    }));
    const covered = new Set(weighed.flatMap(({ shared }) => shared));
    if (because!.elsewhere !== true && covered.size < own.size) continue;
    weighed.sort((a, b) => b.shared.length - a.shared.length || a.exchanges.length - b.exchanges.length);
    leads.set(row.id, weighed[0]!.id);
  }
  const originOf = (id: string, passed: ReadonlySet<string>): string => {
    const lead = leads.get(id);
    return lead === undefined || passed.has(lead) ? id : originOf(lead, new Set([...passed, id]));
  };
  return new Map([...leads.keys()].map((id) => [id, originOf(id, new Set([id]))]));
}

/**
 * A failing requirement explains an open row if it may cause it, and fails in every exchange that leaves it open, or else in one.
 * Greedy: the one that explains most rows first, if equal the one that the judge named first.
 */
function brokenRequirements(
  open: readonly JudgedRow[],
  broken: ReadonlyMap<string, ResultRow>,
  origins: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly JudgedRow[]> {
  const found = new Map<string, JudgedRow[]>();
  const failsIn = new Map([...broken].map(([id, { exchanges }]) => [id, new Set(exchanges)]));
  let left = open.filter(({ because }) => because?.mayBreak !== undefined);
  for (const covers of ['every', 'some'] as const) {
    const isBehind = (id: string, { exchanges }: NonNullable<JudgedRow['because']>) =>
      broken.has(id) && (exchanges.length === 0 || exchanges[covers]((number) => failsIn.get(id)!.has(number)));
    for (;;) {
      const behind = new Map<string, JudgedRow[]>();
      for (const one of left) {
        const ids = one.because!.mayBreak!.filter((id) => isBehind(id, one.because!));
        for (const id of new Set(ids.map((id) => origins.get(id) ?? id)))
          behind.set(id, [...(behind.get(id) ?? []), one]);
      }
      const [most] = [...behind].sort(([, a], [, b]) => b.length - a.length);
      if (most === undefined) break;
      const [id, rows] = most;
      found.set(id, [...(found.get(id) ?? []), ...rows]);
      left = left.filter((one) => !rows.includes(one));
    }
  }
  return found;
}

function ofRequirement(
  row: ResultRow,
  outcome: 'fail' | 'inconclusive',
  requirements: readonly string[],
  inTheWay: readonly number[],
): Cause {
  const { id, exchanges } = row;
  return {
    outcome,
    sentence: `${id} fails: ${deviationsIn(row) ?? `expected ${row.expected ?? 'what it says'}, received ${row.actual ?? 'something else'}`}`,
    requirement: id,
    requirements,
    exchanges: (inTheWay.length > 0 ? [...new Set(inTheWay)] : [...exchanges]).sort((a, b) => a - b),
  };
}

function deviationsIn({ explanations = [] }: ResultRow): string | undefined {
  const summaries = explanations.flatMap(({ deviations }) => deviations.map(({ id, summary }) => `${summary} (${id})`));
  return summaries.length === 0 ? undefined : [...new Set(summaries)].join(' ');
}

function ofTexts(open: readonly JudgedRow[]): Cause[] {
  const text = ({ row, because }: JudgedRow) =>
    JSON.stringify([because?.text ?? saidOf(row), because?.openPoint, row.blame]);
  return [...groupBy(open, text).values()].map(ofOneText);
}

function ofOneText(alike: readonly [JudgedRow, ...JudgedRow[]]): Cause {
  const [{ row, because }] = alike;
  // For a single row its own words say most.
  const sentence = (alike.length > 1 ? because?.text : undefined) ?? saidOf(row);
  const hints = new Set(alike.map((one) => one.row.hint));
  // The row that the cause is about has the best hint. An example is the request that the gateway did not survive.
  const own = alike.find((one) => one.row.actual === sentence);
  return {
    outcome: 'inconclusive',
    sentence,
    openPoint: because?.openPoint,
    fatal: because?.fatal,
    hint: hints.size > 1 ? own?.row.hint : row.hint,
    requirements: alike.map((one) => one.row.id),
    exchanges: [...new Set(alike.flatMap((one) => one.because?.exchanges ?? one.row.exchanges))].sort((a, b) => a - b),
  };
}

function inOneAnswer(rows: readonly ResultRow[]): Cause[] {
  const shown = ({ id, actual, reason, remark, exchanges, explanations, firstStage }: ResultRow) =>
    exchanges.length === 0 ? id : JSON.stringify([actual, reason, remark, exchanges, explanations, firstStage]);
  return (['error', 'fail'] as const).flatMap((outcome) => {
    const groups = groupBy(
      rows.filter((row) => row.outcome === outcome),
      shown,
    );
    return [...groups.values()].map((alike): Cause => {
      const [first] = alike;
      return { outcome, sentence: saidOf(first), requirements: alike.map(({ id }) => id), exchanges: first.exchanges };
    });
  });
}

function saidOf({ reason, actual }: ResultRow): string {
  return reason ?? actual ?? 'no reason was given';
}
