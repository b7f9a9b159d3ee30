/** Phrases that all reports share. */
import { operationNames } from '../../contracts/operations.ts';
import { requirements } from '../../contracts/requirements/index.ts';
import type { Case } from '../record/case.ts';
import type { SentRequest } from '../record/exchange.ts';
import { formatTime, pluralize } from '../record/pluralize.ts';
import {
  conclusionOf,
  countOutcomes,
  exitCode,
  failsOnHazard,
  fatalCause,
  formatHazards,
  isUntested,
  leavesGap,
} from '../record/result/conclude.ts';
import type {
  Blame,
  ContractRow,
  EffectBudget,
  Outcome,
  Result,
  ResultRow,
  Unnoticed,
} from '../record/result/result.ts';
import { isNewFail, newHazards, noReasonYet } from '../record/result/score.ts';
import { named } from './document.ts';

/** The outcomes in the order of table columns. Outcomes that need action are first. */
export const columns: readonly Outcome[] = ['fail', 'error', 'inconclusive', 'pass', 'not-applicable'];

/** For each conclusion: the outcome with the same sign and colour. */
export const conclusionOutcomes: Readonly<Record<Result['conclusion'], Outcome>> = {
  conformant: 'pass',
  partial: 'inconclusive',
  'non-conformant': 'fail',
  aborted: 'error',
};

export const blames: Record<Blame, string> = {
  subject: 'because of the subject',
  environment: 'because of the environment',
  suite: 'because of the suite',
  configuration: 'because of the configuration',
  unspecified: 'because the interface document is silent',
};

function formatCounts(result: Pick<Result, 'results' | 'profile' | 'contracts'>): string {
  const counts = countOutcomes(result.results);
  const known = result.results.filter((row) => row.outcome === 'fail' && row.known !== undefined).length;
  const unscored = result.results.filter((row) => row.notScored === true).length;
  const gaps = result.results.filter((row) => leavesGap(row, result.profile)).length;
  const failed = counts.fail - known;
  const { contracts = [] } = result;
  const allPass = contracts.every(({ outcome }) => outcome === 'pass');
  const parts = [failed > 0 ? `${counts.pass} passed` : formatPassed(counts.pass, allPass ? contracts.length : 0)];
  if (known > 0) parts.unshift(`${known} known ${known === 1 ? 'failure' : 'failures'}`);
  if (failed > 0) parts.unshift(`${pluralize(failed, 'requirement')} failed`);
  if (counts.error > 0) parts.unshift(`${pluralize(counts.error, 'fault')} of the suite`);
  const open = counts.inconclusive;
  if (gaps > 0) parts.push(open > gaps ? `${open} inconclusive (${gaps} binding)` : `${gaps} inconclusive`);
  if (!allPass) parts.push(formatContracts(contracts));
  if (unscored > 0) parts.push(`${unscored} not scored`);
  for (const operation of operationNames) {
    const rows = result.results.filter((row) => row.operation === operation);
    const isTested = rows.some(({ outcome }) => outcome !== 'not-applicable');
    if (rows.length > 0 && !isTested) parts.push(`${operation} was not tested`);
  }
  return parts.join(', ');
}

/** Phrases about a run, not escaped. `isGreen` is false only for a conformant run with an exit code other than 0. */
export function formatRun(result: Result) {
  const isGreen = formatNotGreen(result) === undefined;
  const hazards = formatHazards(result);
  return {
    isGreen,
    hazards,
    isHazardous: isGreen && result.conclusion === 'conformant' && hazards !== '',
    conclusion: formatConclusion(result),
    counts: formatCounts(result),
    aborted: result.conclusion === 'aborted' ? abortedSentence(result) : undefined,
    exit: formatExitReason(result),
    unexplained: formatUnexplained(result),
    narrowed: formatNarrowed(result),
    labels: formatLabels(result),
    subject: nameOf(result.subject),
    latency: formatLatency(result),
    effects: result.subject.kind === 'client' ? undefined : formatEffects(result),
    worst: formatWorst(result),
    unnoticed: result.unnoticed && formatUnnoticed(result.unnoticed),
    notes: (result.notes ?? []).map((note) => withoutReason(note, result.aborted)),
  };
}

function formatConclusion(result: Result): string {
  const fatal = fatalCause(result);
  return `${conclusionOf(result)}${formatNotGreen(result) ?? (fatal ? `, ${fatal.sentence}` : '')}`;
}

export function formatAtRisk({ 'closes-day': days, 'starts-payments': payments }: EffectBudget): string {
  const closed = days === 0 ? [] : [`${pluralize(days, 'day')} closed`];
  const { count, total } = payments;
  return [...closed, ...(count === 0 ? [] : [`${pluralize(count, 'payment')} with a total of ${total}`])].join(', ');
}

function formatNotGreen(result: Result): string | undefined {
  const code = exitCode(result);
  if (result.conclusion !== 'conformant' || code === 0) return undefined;
  return `, but ${redReason(result) ?? 'the run is not green'} (exit code ${code})`;
}

function redReason(result: Result): string | undefined {
  const stale = result.baseline?.problems.length ?? 0;
  if (stale > 0) return `${stale} baseline ${stale === 1 ? 'entry' : 'entries'} must be corrected`;
  const fails = result.conclusion !== 'aborted' && failsOnHazard(result) && newHazards(result).length > 0;
  return fails ? 'a hazard that no baseline lists fails the run' : undefined;
}

function formatExitReason(result: Result): string | undefined {
  if (formatNotGreen(result) !== undefined) return undefined;
  const reason = redReason(result)?.replace(/^a/, 'A');
  if (reason !== undefined) return `${reason}: exit code ${exitCode(result)}`;
  if (exitCode(result) !== 0) {
    if (result.aborted !== undefined) return undefined;
    const onlyGaps = result.results.some(({ known }) => known !== undefined) && !result.results.some(isNewFail);
    if (mayAcceptPartial(result)) {
      const open = onlyGaps
        ? 'Every failure is in the baseline, and only the configuration leaves requirements inconclusive'
        : 'Only the configuration leaves requirements inconclusive';
      return `${open}: exit code 1, or 0 with --accept-partial`;
    }
    return onlyGaps
      ? 'Every failure is in the baseline, but some requirements are inconclusive for other reasons: exit code 1'
      : undefined;
  }
  if (result.scope?.shard !== undefined) return 'This shard has no new failure: exit code 0';
  if (result.conclusion === 'partial')
    return 'Accepted as partial: only the configuration leaves requirements inconclusive';
  if (result.conclusion === 'non-conformant') return 'Every failure is in the baseline: exit code 0';
  return undefined;
}

/** True if --accept-partial would make the exit code 0. Only the command `gateway` has this option. */
export function mayAcceptPartial(result: Result): boolean {
  const { kind, target } = result.subject;
  const isOfGateway = kind === 'gateway' && target !== 'recording' && result.rejudged === undefined;
  return isOfGateway && exitCode({ ...result, acceptPartial: true }) === 0;
}

function formatUnexplained({ results, contracts = [], hazards = [], baseline }: Result): string | undefined {
  const all = [...results, ...contracts, ...hazards];
  const count = all.filter(({ known }) => known?.reason.startsWith(noReasonYet)).length;
  if (count === 0) return undefined;
  const failures = `${pluralize(count, 'known failure')} ${count === 1 ? 'has' : 'have'}`;
  return `${failures} no reason yet: write it into ${baseline?.file ?? 'the baseline'}`;
}

/** Replaces the reason of an aborted run by a reference to the heading, which already has the reason. */
export function withoutReason(text: string, aborted: string | undefined): string {
  return aborted ? text.replace(aborted, 'the run was aborted, see above') : text;
}

function formatNarrowed({ scope, subject, results }: Result): string | undefined {
  if (scope === undefined) return undefined;
  const { only, shard, smoke } = scope;
  if (smoke) {
    const testable = requirements.filter(({ side, untestable }) => side === subject.kind && untestable === undefined);
    const judged = results.map(({ id }) => id);
    const notJudged = testable.map(({ id }) => id).filter((id) => !judged.includes(id));
    return `A smoke run, not a verdict on the whole contract: few cases of ${pluralize(judged.length, 'requirement')}. Not judged: ${notJudged.join(', ')}`;
  }
  const globs = only.length === 0 ? '' : `Narrowed to ${formatGlobs(only)}: not a verdict on the whole contract`;
  if (shard === undefined) return globs;
  const part = `Shard ${shard.index} of ${shard.of}: run countersign merge on all ${shard.of} shards to get a verdict`;
  return globs === '' ? part : `${globs}. ${part}`;
}

/** Lists patterns, such as `a/*, b/c except a/d`. A pattern that starts with `!` excludes requirements. */
export function formatGlobs(only: readonly string[]): string {
  const isExcluded = (pattern: string) => pattern.startsWith('!');
  // A run with `--last-failed` may have many ids, so name only five.
  const list = (patterns: readonly string[]) => named(patterns, 5);
  const included = only.filter((pattern) => !isExcluded(pattern));
  const excluded = only.filter(isExcluded).map((pattern) => pattern.slice(1));
  if (excluded.length === 0) return list(included);
  return `${included.length === 0 ? 'all' : list(included)} except ${list(excluded)}`;
}

/** The hint of a row that did not pass: its own, else that of the requirement, but only if a request was sent. */
export function hintOf(row: ResultRow, text: ReturnType<Statements>): string | undefined {
  if (row.outcome === 'pass') return undefined;
  const nothingSent = isUntested(row) || (row.outcome === 'inconclusive' && row.exchanges.length === 0);
  return row.hint ?? (nothingSent ? undefined : text?.hint);
}

export function formatContracts(contracts: readonly ContractRow[]): string {
  const passed = contracts.filter(({ outcome }) => outcome === 'pass').length;
  return `${passed} of ${pluralize(contracts.length, 'Pact interaction')} passed`;
}

/** The labels of a run, such as `gateway=4.12.0, ticket=OPS-7`, not escaped. */
export function formatLabels({ labels }: Pick<Result, 'labels'>): string | undefined {
  const all = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return all.length === 0 ? undefined : all.join(', ');
}

function formatLatency({ latency = [] }: Pick<Result, 'latency'>): string | undefined {
  const all = latency.map(
    ({ operation, p50Ms, p95Ms }) => `${operation} p50 ${formatTime(p50Ms)}, p95 ${formatTime(p95Ms)}`,
  );
  return all.length === 0 ? undefined : all.join('; ');
}

/** Names a subject, such as `gateway api.example at https://api.example`, not escaped. */
export function formatSubject(subject: SubjectName & Pick<Result['subject'], 'kind' | 'target'>): string {
  return subject.target === 'mock' ? 'the built-in mock' : `${subject.kind} ${nameOf(subject)} at ${subject.target}`;
}

type SubjectName = Pick<Result['subject'], 'name' | 'version' | 'language'>;

function nameOf({ name, version, language }: SubjectName): string {
  return [name, version, language && `(${language})`].filter(Boolean).join(' ');
}

export function formatPassed(requirements: number, interactions: number): string {
  const pacts = interactions === 0 ? '' : ` and ${pluralize(interactions, 'Pact interaction')}`;
  return `${pluralize(requirements, 'requirement')}${pacts} passed`;
}

function formatEffects({ effects, subject }: Pick<Result, 'effects' | 'subject'>): string {
  if (subject.target === 'recording') return 'not counted in a recording';
  const { predicted, recorded, unclear } = effects;
  return (['closes-day', 'starts-payments'] as const)
    .map((name) => {
      const more = unclear?.[name] ?? 0;
      const certainty = more === 0 ? '' : ` confirmed, ${more} more possible`;
      // `predicted` does not count faulty requests or, on a live target, those of --measure and of Pact contracts.
      const cause = recorded[name] > predicted[name] ? ': the gateway accepted faulty or additional requests' : '';
      return `${name} ${recorded[name]}${certainty} (expected at most ${predicted[name]}${cause})`;
    })
    .join(', ');
}

function formatWorst({ effects }: Pick<Result, 'effects'>): string | undefined {
  const { ifRefusalsAreUntrue: worst } = effects;
  if (worst === undefined) return undefined;
  const { count, total } = worst['starts-payments'];
  const sum = `closes-day ${worst['closes-day']}, starts-payments ${count} with a total of ${total}`;
  return `up to ${sum}, if refused requests take effect anyway`;
}

/** Returns the statement and the hint of a requirement. Undefined for an unknown id. */
export type Statements = (id: string) => { readonly statement: string; readonly hint?: string } | undefined;

/** The input of a report format. */
export interface ReportedRun {
  readonly result: Result;
  /** The cases, sorted by number. */
  readonly cases: readonly Case[];
  readonly statements: Statements;
  /** Returns the question of an open point. Undefined for an unknown id. */
  readonly questions: (openPoint: string) => string | undefined;
  /** Returns the base string (RFC 5849 section 3.4.1). Undefined if the request cannot be parsed. */
  readonly baseStringOf: (request: SentRequest) => string | undefined;
}

function abortedSentence(result: Pick<Result, 'aborted' | 'results' | 'contracts'>): string {
  if (result.aborted !== undefined && result.aborted !== '') return result.aborted;
  const faults = result.results.filter((row) => row.outcome === 'error');
  const [first] = faults;
  if (first === undefined) {
    const unverified = result.contracts?.find((row) => row.outcome === 'error');
    if (unverified === undefined) return 'The run was aborted without a reason.';
    return `The Pact contracts could not be verified: ${unverified.mismatches.join('; ')}.`;
  }
  const others = faults.length > 1 ? ` and ${faults.length - 1} more` : '';
  return `The suite itself failed at ${first.id}${others}, so this run says nothing about the subject.`;
}

function formatUnnoticed({ side, of, count, notKnown }: Unnoticed): string {
  const summary = count === 0 ? `This run would notice ${of - notKnown.length}` : `This run would not notice ${count}`;
  const rest = notKnown.length === 0 ? '' : `; for ${notKnown.length} more it is unknown`;
  return `${summary} of ${of} known defects of a ${side ?? 'gateway'}${rest}`;
}

/** Describes each option, such as `--allow`, with which a run notices more defects: how many, and at what cost. */
export function formatAllowances({ allowances }: Unnoticed) {
  return allowances.map(({ kind, allow, set, more, effects, aboutSeconds: seconds }) => {
    const extra =
      effects === 0 ? 'without a further effect' : `with at most ${pluralize(effects ?? 0, 'further effect')}`;
    const cost = effects === undefined ? '' : ` ${extra},`;
    const time = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
    return {
      flags: set ?? allow.map((value) => `--allow ${value}`).join(' '),
      where: kind === 'setting' ? 'in the configuration ' : '',
      benefit: `would notice ${more} more ${more === 1 ? 'defect' : 'defects'}${cost} in about ${time}${offerNotes[kind] ?? ''}`,
    };
  });
}

const offerNotes: Partial<Readonly<Record<Unnoticed['allowances'][number]['kind'], string>>> = {
  whole: ': a whole run',
  plenty: ': a whole run with all further faulty requests',
};

/** A condition of all promises of `formatAllowances`: an accepted faulty request uses up part of the allowance. */
export const offerCondition = 'if the gateway accepts no further faulty request';

/** Says how many known defects the run would not notice. Adds a line for each option with which it notices more. */
export function unnoticedLines(unnoticed: Unnoticed): string[] {
  const offers = formatAllowances(unnoticed).map(({ flags, where, benefit }) => `${flags}  ${where}${benefit}`);
  const ways = offers.length === 0 ? [] : [`Ways to notice more, ${offerCondition}:`, ...offers];
  return [formatUnnoticed(unnoticed), ...ways];
}
