/** Applies a baseline (known failures) and a frozen set of requirements to the verdicts of a run. Pure. */
import { hazardById, hazards as hazardRows } from '../../../contracts/hazards.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { BaselineEntry, ContractRow, Hazard, KnownFailure, Result, ResultRow } from './result.ts';

interface Baseline {
  readonly file: string;
  readonly known: readonly BaselineEntry[];
  /** Set by --update-baseline: the run removes or corrects outdated entries, and adds new failures and hazards. */
  readonly update?: true;
}

export interface Scoring {
  /** Ids of the requirements and Pact interactions that count. The run also judges all others. */
  readonly set?: { readonly name: string; readonly ids: readonly string[] };
  readonly baseline?: Baseline;
  readonly failOn?: 'hazard';
  readonly require?: readonly string[];
}

type Scored = Pick<Result, 'results' | 'contracts' | 'hazards' | 'set' | 'baseline' | 'failOn' | 'require'>;

/** Sets `notScored` on rows outside `set`. Sets `known` on failures in the baseline, and on rows that they block. */
export function score(judged: JudgedRun, { set, baseline, failOn, require }: Scoring = {}): Scored {
  const scoredIds = set && new Set(set.ids);
  const rows = mapRows(judged, (row, id) => (scoredIds?.has(id) === false ? { ...row, notScored: true } : row));
  const hazards = judged.hazards?.length ? judged.hazards : undefined;
  const options = { set: set?.name, failOn, require };
  if (baseline === undefined) return { ...rows, hazards, ...options };
  const run = { ...judged, ...rows };
  const known = baseline.update ? updateEntries(run, baseline.known) : baseline.known;
  const problems = known.map((entry) => problemOf(entry, run)).filter((problem) => problem !== undefined);
  const trusted = new Map(
    known.filter(({ id }) => !problems.some((problem) => problem.id === id)).map((entry) => [entry.id, entry]),
  );
  const blockers = new Map(
    (judged.causes ?? []).flatMap(({ requirement = '', requirements: ids }) =>
      trusted.has(requirement) ? ids.map((id) => [id, requirement] as const) : [],
    ),
  );
  return {
    ...mapRows(rows, (row, id) => markKnown(row, id, trusted, blockers)),
    hazards: hazards?.map((one) => ({ ...one, known: toKnownFailure(trusted.get(one.id)) })),
    ...options,
    baseline: { file: baseline.file, problems, updated: baseline.update && known },
  };
}

type Rows = Pick<Result, 'results' | 'contracts'>;

function mapRows(
  { results, contracts }: Rows,
  change: <T extends ResultRow | ContractRow>(row: T, id: string) => T,
): Rows {
  return {
    results: results.map((row) => change(row, row.id)),
    contracts: contracts?.map((row) => change(row, contractId(row))),
  };
}

export function contractId({ pact, interaction }: Pick<ContractRow, 'pact' | 'interaction'>): string {
  return `${pact}: ${interaction}`;
}

/** True for a failure that counts and that no entry of the baseline excuses. */
export function isNewFail(row: Pick<ResultRow, 'outcome' | 'known' | 'notScored'>): boolean {
  return row.outcome === 'fail' && row.known === undefined && row.notScored !== true;
}

export function newHazards({ hazards = [] }: Pick<Result, 'hazards'>): readonly Hazard[] {
  return hazards.filter(({ known }) => known === undefined);
}

type Problem = NonNullable<Result['baseline']>['problems'][number];
type JudgedRun = Pick<Result, 'subject' | 'startedAt' | 'scope' | 'results' | 'contracts' | 'hazards' | 'causes'>;

/** Says why a baseline entry is outdated. `corrected` is the repaired entry; without it, the entry must be removed. */
function problemOf(entry: BaselineEntry, run: JudgedRun): Problem | undefined {
  const { id } = entry;
  const found = findingOf(id, run);
  if (found === 'unknown') {
    const known = [...requirements, ...hazardRows].filter(({ side }) => side === run.subject.kind).map((one) => one.id);
    const nearest = nearestNames(id, [...known, ...(run.contracts ?? []).map(contractId)]);
    const hint = nearest.length === 0 ? '; it may be misspelt' : `; the nearest is ${nearest.join(' or ')}`;
    return { id, sentence: `no requirement, hazard or Pact interaction of a ${run.subject.kind} has this id${hint}` };
  }
  if (found?.outcome === 'pass') {
    return { id, sentence: hazardById(id) === undefined ? 'it passes' : 'it no longer occurs' };
  }
  const faults: string[] = [];
  const change: { -readonly [name in keyof BaselineEntry]?: string } = {};
  const today = run.startedAt.slice(0, 10);
  if ((entry.reason ?? '').trim() === '') {
    faults.push('the entry has no reason');
    change.reason = placeholderReason(run);
  }
  if (entry.expires !== undefined && entry.expires < today) {
    faults.push(`the entry expired on ${entry.expires}`);
    change.expires = new Date(Date.parse(today) + 30 * 86_400_000).toISOString().slice(0, 10);
  }
  if (entry.received !== undefined && found?.outcome === 'fail' && found.received !== entry.received) {
    const clause = hazardById(id) === undefined ? 'it fails' : 'it occurs';
    faults.push(`${clause} with another value: ${found.received}, and not ${entry.received}`);
    change.received = found.received;
  }
  return faults.length === 0 ? undefined : { id, sentence: faults.join('; '), corrected: { ...entry, ...change } };
}

function updateEntries(run: JudgedRun, entries: readonly BaselineEntry[]): BaselineEntry[] {
  const remaining = entries.flatMap((entry) => {
    const problem = problemOf(entry, run);
    return problem === undefined ? [entry] : (problem.corrected ?? []);
  });
  const listedIds = new Set(remaining.map(({ id }) => id));
  const newIds = [
    ...run.results.filter(isNewFail).map(({ id }) => id),
    ...(run.contracts ?? []).filter(isNewFail).map(contractId),
    ...new Set(newHazards(run).map(({ id }) => id)),
  ].filter((id) => !listedIds.has(id));
  return [...remaining, ...newIds.map((id) => ({ id, reason: placeholderReason(run) }))];
}

/** The verdict on an id. `unknown`: there is no such id for this subject. Undefined: the run did not test the id. */
function findingOf(
  id: string,
  { subject, scope, results, contracts, hazards = [] }: JudgedRun,
): { readonly outcome: ResultRow['outcome']; readonly received: string } | 'unknown' | undefined {
  const row = results.find((one) => one.id === id);
  if (row !== undefined) return { outcome: row.outcome, received: row.actual ?? '' };
  const contract = contracts?.find((one) => contractId(one) === id);
  if (contract !== undefined) return { outcome: contract.outcome, received: contract.mismatches.join('; ') };
  const found = hazards.filter((one) => one.id === id);
  if (found.length > 0) return { outcome: 'fail', received: found.map(({ sentence }) => sentence).join('; ') };
  if (hazardById(id)?.side === subject.kind) {
    // Only a complete run shows that a hazard no longer occurs.
    const isWhole = scope === undefined && subject.target !== 'recording';
    return isWhole ? { outcome: 'pass', received: '' } : undefined;
  }
  // Only a run that verified the contracts knows which interactions exist.
  if (/^[^/]+\.json: /.test(id)) return contracts === undefined ? undefined : 'unknown';
  return requirements.some((one) => one.id === id && one.side === subject.kind) ? undefined : 'unknown';
}

function markKnown<T extends ResultRow | ContractRow>(
  row: T,
  id: string,
  trusted: ReadonlyMap<string, BaselineEntry>,
  blockers: ReadonlyMap<string, string>,
): T {
  if (row.notScored === true) return row;
  const blocker = row.outcome === 'inconclusive' ? blockers.get(id) : undefined;
  const known = toKnownFailure(trusted.get(row.outcome === 'fail' ? id : (blocker ?? '')));
  if (known === undefined) return row;
  return {
    ...row,
    known: blocker === undefined ? known : { ...known, reason: `because of ${blocker}: ${known.reason}` },
  };
}

function toKnownFailure(entry: BaselineEntry | undefined): KnownFailure | undefined {
  return entry && { reason: entry.reason ?? '', expires: entry.expires };
}

/** The reason that `--update-baseline` writes until a person replaces it. */
export const noReasonYet = 'not explained yet';

function placeholderReason({ startedAt }: JudgedRun): string {
  return `${noReasonYet}; seen on ${startedAt.slice(0, 10)}`;
}
