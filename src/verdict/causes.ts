/** Root causes: which rows that are not green have one thing behind them. Pure. */

import type { Cause } from '../record/result/cause.ts';
import type { ResultRow } from '../record/result/result.ts';
import type { Because, Finding } from '../rules/finding.ts';
import type { Evidence } from './evidence.ts';

/** A row, and what is in its way if it is inconclusive, or what it may follow from if it fails, by the numbers of the exchanges. */
export interface JudgedRow {
  readonly row: ResultRow;
  readonly because?: Omit<Because, 'cases'> & { readonly exchanges: readonly number[] };
}

/** What is in the way of the findings that decide, as the first of them says it, with the exchanges of all. */
export function inTheWay(
  [first, ...others]: readonly Pick<Finding, 'because'>[],
  { numberOf }: Pick<Evidence, 'numberOf'>,
): JudgedRow['because'] {
  const because = first?.because;
  if (because === undefined) return undefined;
  const { cases, ...rest } = because;
  const alike = others.flatMap((one) => (one.because?.mayBreak === because.mayBreak ? (one.because?.cases ?? []) : []));
  const exchanges = [...(cases ?? []), ...alike].flatMap(({ scenario, number }) => numberOf(scenario, number) ?? []);
  return { ...rest, exchanges: [...new Set(exchanges)] };
}

/** Every row that is inconclusive, fails or is an error is in exactly one of them; those of most rows first. */
export function causesOf(judged: readonly JudgedRow[]): readonly Cause[] {
  const broken = new Map(judged.filter(({ row }) => row.outcome === 'fail').map(({ row }) => [row.id, row]));
  const open = judged.filter(({ row }) => row.outcome === 'inconclusive');
  const byRequirement = brokenRequirements(open, broken, ['every', 'some']);
  const failing = judged.flatMap(({ row, because }) =>
    row.outcome === 'fail' && because !== undefined ? [{ row, because: { ...because, exchanges: row.exchanges } }] : [],
  );
  const followed = [...brokenRequirements(failing, broken, ['every'])];
  const following = new Set(followed.flatMap(([, rows]) => rows.map(({ row }) => row)));
  const explained = new Set([...byRequirement.values()].flat());
  return [
    ...inOneAnswer(judged.map(({ row }) => row).filter((row) => !following.has(row))),
    ...followed.map(([id, rows]) => ofRequirement(broken.get(id)!, rows)),
    ...[
      ...[...byRequirement].map(([id, rows]) => ofRequirement(broken.get(id)!, rows)),
      ...groups(
        open.filter((one) => !explained.has(one)),
        ({ row, because }) => JSON.stringify([because?.text ?? saidOf(row), because?.openPoint, row.blame]),
      ).map(ofOneText),
    ].sort((a, b) => b.requirements.length - a.requirements.length),
  ];
}

/**
 * The failing requirements behind undetermined ones: one is behind another if it is what such an answer breaks, and fails in
 * every exchange that is in the way, or else in one of them. Greedy: the one behind most comes first, of equals the one that
 * the judge named first.
 */
function brokenRequirements(
  open: readonly JudgedRow[],
  broken: ReadonlyMap<string, ResultRow>,
  coverages: readonly ('every' | 'some')[],
): ReadonlyMap<string, readonly JudgedRow[]> {
  const found = new Map<string, JudgedRow[]>();
  const failsIn = new Map([...broken].map(([id, { exchanges }]) => [id, new Set(exchanges)]));
  let left = open.filter(({ because }) => because?.mayBreak !== undefined);
  for (const covers of coverages) {
    const isBehind = (id: string, { exchanges }: NonNullable<JudgedRow['because']>) =>
      broken.has(id) && (exchanges.length === 0 || exchanges[covers]((number) => failsIn.get(id)!.has(number)));
    for (;;) {
      const behind = new Map<string, JudgedRow[]>();
      for (const one of left) {
        for (const id of one.because!.mayBreak!.filter((id) => isBehind(id, one.because!))) {
          behind.set(id, [...(behind.get(id) ?? []), one]);
        }
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

function ofRequirement(row: ResultRow, rows: readonly JudgedRow[]): Cause {
  const { id, exchanges } = row;
  const inTheWay = [...new Set(rows.flatMap(({ because }) => because!.exchanges))];
  return {
    outcome: rows[0]!.row.outcome as Cause['outcome'],
    sentence: `${id} fails: ${deviationsIn(row) ?? `expected ${row.expected ?? 'what it says'}, received ${row.actual ?? 'something else'}`}`,
    requirement: id,
    requirements: rows.map(({ row }) => row.id),
    exchanges: (inTheWay.length > 0 ? inTheWay : [...exchanges]).sort((a, b) => a - b),
  };
}

/** What a client does in place of signing rightly: of two signatures nobody sees why they differ. */
function deviationsIn({ explanations = [] }: ResultRow): string | undefined {
  const told = explanations.flatMap(({ deviations }) => deviations.map(({ id, summary }) => `${summary} (${id})`));
  return told.length === 0 ? undefined : [...new Set(told)].join(' ');
}

function ofOneText(alike: readonly [JudgedRow, ...JudgedRow[]]): Cause {
  const [{ row, because }] = alike;
  const hints = new Set(alike.map((one) => one.row.hint));
  return {
    outcome: 'inconclusive',
    // Of a single row its own words say most.
    sentence: (alike.length > 1 ? because?.text : undefined) ?? saidOf(row),
    openPoint: because?.openPoint,
    ...(hints.size > 1 || row.hint === undefined ? {} : { hint: row.hint }),
    requirements: alike.map((one) => one.row.id),
    exchanges: [...new Set(alike.flatMap((one) => one.because?.exchanges ?? one.row.exchanges))].sort((a, b) => a - b),
  };
}

/** Rows that are broken by the same answers in the same way. */
function inOneAnswer(rows: readonly ResultRow[]): Cause[] {
  return (['error', 'fail'] as const).flatMap((outcome) =>
    groups(
      rows.filter((row) => row.outcome === outcome),
      ({ id, actual, reason, remark, exchanges, explanations, firstStage }) =>
        exchanges.length === 0 ? id : JSON.stringify([actual, reason, remark, exchanges, explanations, firstStage]),
    ).map(
      ([first, ...others]): Cause => ({
        outcome,
        sentence: saidOf(first),
        requirements: [first, ...others].map(({ id }) => id),
        exchanges: first.exchanges,
      }),
    ),
  );
}

function saidOf({ reason, actual }: ResultRow): string {
  return reason ?? actual ?? 'no reason was given';
}

/** Those with the same key, in the order of their first. */
function groups<T>(all: readonly T[], keyOf: (one: T) => string): [T, ...T[]][] {
  const byKey = new Map<string, [T, ...T[]]>();
  for (const one of all) {
    const key = keyOf(one);
    const alike = byKey.get(key);
    if (alike === undefined) byKey.set(key, [one]);
    else alike.push(one);
  }
  return [...byKey.values()];
}
