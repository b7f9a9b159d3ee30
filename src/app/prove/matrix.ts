/** The kill matrix: which defect makes which rows fail, and what that leaves unproven. Pure. */
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import type { Kill } from './kill.ts';

export interface Matrix {
  readonly kills: readonly Kill[];
  /** Defects that made exactly their rows fail. */
  readonly killed: readonly Kill[];
  /** Defects that some row of theirs let through, or that ended a run without a verdict. */
  readonly survived: readonly Kill[];
  /** Rows that failed although the defect does not break them, as `defect: row`. */
  readonly stray: readonly string[];
  /** Required rows with a judge that no defect of at most three rows kills. */
  readonly unproven: readonly string[];
  /** Required rows that fail in a record, and that no defect can make fail in a run. */
  readonly inRecordsAlone: readonly string[];
}

/** A defect that breaks more rows says little about any one of them. */
const mostRows = 3;

export function matrixOf(kills: readonly Kill[], rows: readonly Requirement[]): Matrix {
  const survived = kills.filter(
    ({ breaks, failing, crashed }) => crashed !== undefined || breaks.some((id) => !failing.includes(id)),
  );
  const stray = kills.flatMap(({ id, breaks, failing }) =>
    failing.filter((row) => !breaks.includes(row)).map((row) => `${id}: ${row}`),
  );
  const killers = kills.filter(({ breaks, failing }) => breaks.length <= mostRows && same(breaks, failing));
  const provenBy = (reach: Kill['reach']) =>
    new Set(killers.filter((kill) => kill.reach === reach).flatMap(({ breaks }) => breaks));
  const [inRuns, inRecords] = [provenBy(undefined), provenBy('stored')];
  const required = rows.filter(({ kind, untestable }) => kind === 'required' && untestable === undefined);
  const withoutRun = required.map(({ id }) => id).filter((id) => !inRuns.has(id));
  return {
    kills,
    killed: kills.filter((kill) => kill.crashed === undefined && same(kill.breaks, kill.failing)),
    survived,
    stray,
    unproven: withoutRun.filter((id) => !inRecords.has(id)),
    inRecordsAlone: withoutRun.filter((id) => inRecords.has(id)),
  };
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
