/** Judges a whole run, fresh or stored. Pure. */
import { hypothesisOf } from '../../contracts/hypotheses.ts';
import { openPointsOf } from '../../contracts/open-points.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { type AnyCase, numberOf } from '../record/case.ts';
import { groupBy } from '../record/group-by.ts';
import {
  conclude,
  countByDimension,
  exercisedIn,
  isBinding,
  judgedRequirements,
  weighContracts,
} from '../record/result/conclude.ts';
import { type ContractRow, type Observation, type Result, type ResultRow, worse } from '../record/result/result.ts';
import { type Scoring, score } from '../record/result/score.ts';
import type { Finding } from '../rules/judge.ts';
import type { headerOf } from '../run/options/run-options.ts';
import { matchesAny } from '../run/options/selection.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import { blockerOf, causesOf, type JudgedRow } from './causes.ts';
import type { Evidence, NoVerdict, NumberedFinding } from './evidence.ts';
import { provenBy } from './forecast/forecast.ts';
import { answersIn } from './measurements.ts';
import { blameSignatures, findingsOnSignatures } from './wrong-signatures.ts';

export interface RunToJudge {
  readonly header: Pick<Result, keyof ReturnType<typeof headerOf> | 'effects' | 'notes'>;
  readonly only: readonly string[];
  readonly scoring?: Scoring;
  readonly planned: readonly { readonly id: string; readonly shows: readonly RequirementId[] }[];
  readonly records: readonly Pick<ScenarioRecord<AnyCase>, 'scenario' | 'cases' | 'counterexamples' | 'suiteErrors'>[];
  readonly leftOut?: readonly string[] | undefined;
  readonly evidence: Evidence;
  readonly contracts?: readonly ContractRow[];
  readonly aborted?: string;
}

/** Judges all requirements that the profile and --only select, and makes the result of the run. */
export function finishRun(run: RunToJudge): Result {
  const { profile, subject } = run.header;
  const selected = judgedRequirements(subject.kind, profile).filter(
    ({ id }) => run.only.length === 0 || matchesAny(id, run.only),
  );
  const isShard = run.header.scope?.shard !== undefined;
  const judgeAll = (evidence: Evidence) => {
    const all = selected.map((row) => {
      const one = judgeRequirement(row, { ...run, evidence });
      return { ...one, row: markDemanded(one.row, row, run) };
    });
    // In a shard, drop requirements that it did not test, because another shard may have tested them.
    return isShard ? all.filter(({ row }) => row.exchanges.length > 0 || row.outcome === 'error') : all;
  };
  const judgedRows = judgeAll(run.evidence);
  const rowsOf = (all: readonly JudgedRow[]) => all.map(({ row }) => row);
  const signatures = findingsOnSignatures(rowsOf(judgedRows), run.evidence, (other) => rowsOf(judgeAll(other)));
  const { rows } = signatures;
  const measured = run.evidence.measured?.();
  const aborted = run.aborted ?? hiddenFault(run, rows);
  const scope = run.only.length === 0 ? {} : { scope: { ...run.header.scope, only: run.only } };
  const mistakes = run.evidence.mistakes?.(rows.filter(({ outcome }) => outcome === 'fail')) ?? [];
  const blamedRows = judgedRows.map((one, index) => blameSignatures(one, rows[index]!, signatures.counterfactuals));
  const causes = [...signatures.causes, ...mistakes, ...causesOf(blamedRows, mistakes)];
  const scored = score(
    { ...run.header, ...scope, results: rows, contracts: run.contracts, hazards: run.evidence.hazards?.(), causes },
    // Do not compare an aborted run or a shard with the baseline.
    aborted === undefined && !isShard ? run.scoring : { ...run.scoring, baseline: undefined },
  );
  return {
    format: 'countersign-report',
    formatVersion: 1,
    ...run.header,
    conclusion:
      aborted === undefined
        ? conclude([...scored.results, ...weighContracts(scored.contracts)], { profile, isShard, causes })
        : 'aborted',
    aborted,
    ...scope,
    exercised: aborted === undefined ? exercisedIn({ ...run.header, ...scored }) : undefined,
    dimensions: countByDimension(scored.results),
    ...scored,
    causes,
    counterfactuals: signatures.counterfactuals,
    observations: addConfidence([...run.evidence.observations(), ...(measured ? answersIn(measured) : [])]),
    measured,
    edges: run.evidence.edges?.(),
    latency: run.evidence.latency?.(),
    exchangeCount: run.evidence.cases.length,
  };
}

function applyProfile({ kind }: Requirement, finding: Finding, profile: string): Finding {
  if (finding.outcome !== 'fail' || isBinding(kind, profile)) return finding;
  return { outcome: 'pass', remark: `expected: ${finding.expected}; received: ${finding.actual}` };
}

function judgeRequirement(row: Requirement & { readonly id: RequirementId }, run: RunToJudge): JudgedRow {
  const { id, statement, operation, dimension, kind, section } = row;
  const { subject, profile } = run.header;
  const isByProfile = kind === 'expected' && isBinding(kind, profile);
  const common = {
    ...{ id, statement, operation, dimension, kind, section },
    basis: isByProfile ? (`profile:${profile}` as const) : (row.basis ?? 'document'),
    assumes: subject.kind === 'gateway' && subject.target === 'mock' ? openPointsOf(row) : undefined,
    provenBy: provenBy[subject.kind].get(id) ?? [],
  };
  if (row.untestable !== undefined) {
    return { row: { ...common, outcome: 'not-applicable', reason: row.untestable, exchanges: [] } };
  }
  const found = findingsOn(id, run);
  if (typeof found === 'string') {
    const repeat = repeatCommand(run, id);
    return { row: { ...common, outcome: 'error', blame: 'suite', actual: found, exchanges: [], repeat } };
  }
  const isSkipped = isSkippedByBail(id, found, run);
  if (found.length === 0 || isSkipped) {
    const { because, ...noVerdict } = isSkipped ? skippedVerdict : noVerdictOn(row, run);
    const blocker = blockerOf([{ because, outcome: noVerdict.outcome }], run.evidence);
    return { row: { ...common, ...noVerdict, exchanges: [] }, blocker };
  }
  const findings = found.map(({ finding, exchanges }) => ({ ...applyProfile(row, finding, profile), exchanges }));
  const outcome = findings.map((finding) => finding.outcome).reduce(worse);
  const deciding = findings.filter((finding) => finding.outcome === outcome);
  const counterexample = outcome === 'fail' ? counterexampleOf(id, run) : undefined;
  // The report shows the counterexample, so `expected` and `actual` must come from its exchange.
  const decisive = deciding.find((one) => one.exchanges.includes(counterexample?.exchange ?? 0)) ?? deciding[0]!;
  const { blame, expected, actual, remark } = decisive;
  const exchanges = [...new Set(deciding.flatMap((finding) => finding.exchanges))];
  const isSettled = outcome === 'pass' || outcome === 'not-applicable';
  const judged: ResultRow = {
    ...common,
    outcome,
    remark: remark ?? findings.find((one) => one.remark !== undefined)?.remark,
    blame,
    reason: outcome === 'not-applicable' ? (remark ?? actual ?? 'the requirement does not apply') : undefined,
    expected,
    actual,
    hint: hintFor(row, decisive, exchanges),
    exchanges,
    ...(outcome === 'fail' || outcome === 'inconclusive' ? run.evidence.explain?.(row, exchanges, outcome) : {}),
    counterexample,
    repeat: isSettled ? undefined : repeatCommand(run, id, counterexample?.path),
  };
  return { row: judged, blocker: blockerOf(deciding, run.evidence) };
}

const skippedVerdict: NoVerdict = {
  outcome: 'inconclusive',
  blame: 'configuration',
  actual: '--bail ended the run before any request that could test this requirement',
};

function isSkippedByBail(id: RequirementId, found: readonly NumberedFinding[], { leftOut = [], planned }: RunToJudge) {
  if (leftOut.length === 0 || found.some(({ finding }) => finding.outcome === 'fail')) return false;
  return found.length === 0 || planned.some((one) => leftOut.includes(one.id) && one.shows.includes(id));
}

function findingsOn(id: RequirementId, run: RunToJudge): readonly NumberedFinding[] | string {
  const failed = run.records.find((record) => record.suiteErrors.length > 0 && testedBy(record, run).includes(id));
  if (failed !== undefined) return failed.suiteErrors[0]!;
  try {
    return run.evidence.judge(id);
  } catch (cause) {
    return `the judge failed: ${String(cause)}`;
  }
}

function testedBy({ scenario }: RunToJudge['records'][number], { planned }: RunToJudge): readonly string[] {
  return planned.find(({ id }) => id === scenario)?.shows ?? [];
}

function markDemanded(row: ResultRow, { untestable }: Requirement, run: RunToJudge): ResultRow {
  const { require = [] } = run.scoring ?? {};
  if (row.outcome !== 'not-applicable' || untestable !== undefined || !matchesAny(row.id, require)) return row;
  const reason = `${row.reason}, and --require asks for it`;
  const repeat = repeatCommand(run, row.id);
  return { ...row, outcome: 'inconclusive', blame: 'configuration', demanded: true, reason, actual: undefined, repeat };
}

/** Leaves out the hint of an untested requirement, because this hint helps only if the subject broke it. */
function hintFor(row: Requirement, { outcome, hint }: Finding, exchanges: readonly number[]): string | undefined {
  if (outcome === 'pass') return undefined;
  if (outcome === 'not-applicable') return hint ?? row.arises;
  return hint ?? (outcome === 'inconclusive' && exchanges.length === 0 ? undefined : row.hint);
}

/** A fault of the suite that no verdict shows, because its scenario tests no judged requirement. It aborts the run. */
function hiddenFault(run: RunToJudge, rows: readonly ResultRow[]): string | undefined {
  const judged = new Set<string>(rows.map(({ id }) => id));
  const broken = run.records.find(
    (record) => record.suiteErrors.length > 0 && !testedBy(record, run).some((id) => judged.has(id)),
  );
  return broken && `the suite itself failed in ${broken.scenario}: ${broken.suiteErrors[0]}`;
}

function counterexampleOf(id: string, { records, evidence }: RunToJudge): ResultRow['counterexample'] {
  const found = records.flatMap(({ scenario, counterexamples = [] }) =>
    counterexamples.filter(({ about }) => about === id).map(({ path, number }) => ({ path, scenario, number })),
  );
  return found[0] && { path: found[0].path, exchange: numberOf(evidence.cases, found[0]) };
}

function noVerdictOn(row: Requirement, run: RunToJudge): NoVerdict {
  const known = run.evidence.noVerdictOn?.(row, run.aborted);
  if (known !== undefined) return known;
  if (row.condition !== undefined) {
    const actual = `nowhere: ${row.condition}`;
    return { outcome: 'not-applicable', reason: 'condition never observed', actual, hint: row.arises };
  }
  if (run.aborted !== undefined) {
    const actual = `requests that could test this requirement were not sent: ${run.aborted}`;
    return { outcome: 'inconclusive', blame: 'environment', actual };
  }
  if (run.records.some((record) => record.cases.length > 0)) {
    return { outcome: 'inconclusive', blame: 'environment', actual: 'no response could test this requirement' };
  }
  const actual = 'no scenario of the run could test this requirement';
  return { outcome: 'inconclusive', blame: 'configuration', actual };
}

function repeatCommand({ header: { reproduce } }: RunToJudge, id: string, path?: string): string {
  // Insert options before `--`, because the command of an adapter follows `--`.
  const [command = '', ...adapter] = reproduce.split(/(?= -- )/);
  const base = command.replace(/ --(?:only|except) (?:'[^']*'|\S+)| --path \S+| --shard \S+| --smoke/g, '');
  return [base, ` --only '${id}'`, path === undefined ? '' : ` --path ${path}`, ...adapter].join('');
}

function addConfidence(observations: readonly Observation[]): Observation[] {
  const groups = groupBy(observations, questionOf);
  const all = observations.map((one) => {
    const { openPoint, value, exchanges } = one;
    const unusual = hypothesisOf(openPoint, value)?.unusual;
    const isUnclear = groups.get(questionOf(one))!.length > 1 || value.endsWith(': unclear');
    const isOpen = value.includes(': undetermined, since');
    const clear = exchanges.length > 1 ? 'high' : 'medium';
    const level = isUnclear ? 'low' : clear;
    return { ...one, confidence: isOpen ? 'none' : level, unusual } as const;
  });
  return all.sort((a, b) => Number(a.unusual === undefined) - Number(b.unusual === undefined));
}

/** The question of an observation: its value without an answer such as `: accepted` at the end. */
function questionOf({ openPoint, value }: Observation): string {
  const question = /^(.*): (?:accepted|refused|unclear|past-authentication|undetermined)\b[^:]*$/s.exec(value)?.[1];
  return `${openPoint} ${question ?? value}`;
}
