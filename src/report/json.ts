/** report.json: the result itself, with keys in one order whatever order they were built in. */
import { type Dimension, dimensions } from '../../contracts/requirements/requirement.ts';
import type {
  Cause,
  ContractRow,
  Counterfactual,
  EffectCount,
  Explanation,
  Hazard,
  Observation,
  OutcomeCounts,
  Result,
  ResultRow,
  Unnoticed,
} from '../record/result/result.ts';
import { visibleJson } from './visible.ts';

/** The text of report.json: two spaces, members in the order of `Result`, a line end at the end. */
export function jsonReport(result: Result): string {
  return [...jsonReportParts(result)].join('');
}

/** The same in parts: a requirement of a long recording rests on a hundred thousand exchanges. */
export function jsonReportParts(result: Result): Generator<string> {
  return visibleParts(ordered(result));
}

/** Every member of T has to be named, so that a new one cannot be forgotten; JSON.stringify leaves out what is undefined. */
type Every<T> = { [K in keyof Required<T>]: T[K] };

function ordered(result: Result): Every<Result> {
  return {
    format: result.format,
    formatVersion: result.formatVersion,
    suite: { name: result.suite.name, version: result.suite.version },
    subject: {
      kind: result.subject.kind,
      name: result.subject.name,
      version: result.subject.version,
      language: result.subject.language,
      target: result.subject.target,
    },
    runId: result.runId,
    profile: result.profile,
    seed: result.seed,
    challenge: result.challenge,
    startedAt: result.startedAt,
    durationMs: result.durationMs,
    conclusion: result.conclusion,
    aborted: result.aborted,
    unsupported: result.unsupported,
    reproduce: result.reproduce,
    acceptPartial: result.acceptPartial,
    failOn: result.failOn,
    labels: result.labels,
    scope: result.scope,
    require: result.require,
    exercised: result.exercised,
    set: result.set,
    baseline: result.baseline,
    rejudged: result.rejudged,
    hazards: result.hazards?.map(orderedHazard),
    dimensions: Object.fromEntries(dimensions.map((name) => [name, orderedCounts(result.dimensions[name])])) as Record<
      Dimension,
      OutcomeCounts
    >,
    results: result.results.map(orderedRow),
    causes: result.causes?.map(orderedCause),
    counterfactuals: result.counterfactuals?.map(orderedCounterfactual),
    contracts: result.contracts?.map(orderedContract),
    observations: result.observations.map(orderedObservation),
    edges: result.edges?.map(({ generator, edge, cases }) => ({ generator, edge, cases })),
    notes: result.notes,
    effects: orderedEffects(result.effects),
    unnoticed: result.unnoticed && orderedUnnoticed(result.unnoticed),
    measured: result.measured,
    latency: result.latency?.map(({ operation, count, p50Ms, p95Ms }) => ({ operation, count, p50Ms, p95Ms })),
    exchangeCount: result.exchangeCount,
  };
}

function orderedHazard({ id, operation, how, sentence, atRisk, exchanges, hint, known }: Hazard): Every<Hazard> {
  return { id, operation, how, sentence, atRisk, exchanges, hint, known };
}

function orderedRow(row: ResultRow): Every<ResultRow> {
  return {
    id: row.id,
    statement: row.statement,
    operation: row.operation,
    dimension: row.dimension,
    kind: row.kind,
    section: row.section,
    outcome: row.outcome,
    basis: row.basis,
    remark: row.remark,
    blame: row.blame,
    expected: row.expected,
    actual: row.actual,
    hint: row.hint,
    reason: row.reason,
    exchanges: row.exchanges,
    counterexample: row.counterexample,
    assumes: row.assumes,
    provenBy: row.provenBy,
    explanations: row.explanations?.map(orderedExplanation),
    firstStage: row.firstStage,
    repeat: row.repeat,
    known: row.known,
    notScored: row.notScored,
    demanded: row.demanded,
  };
}

function orderedCause(cause: Cause): Every<Cause> {
  return {
    outcome: cause.outcome,
    sentence: cause.sentence,
    requirement: cause.requirement,
    openPoint: cause.openPoint,
    deviations: cause.deviations,
    alternatives: cause.alternatives,
    hint: cause.hint,
    requirements: cause.requirements,
    exchanges: cause.exchanges,
  };
}

function orderedCounterfactual(one: Counterfactual): Every<Counterfactual> {
  return {
    deviations: one.deviations,
    failing: one.failing,
    wouldPass: one.wouldPass,
    remain: one.remain,
    wouldBeOpen: one.wouldBeOpen,
    signedAgain: one.signedAgain,
    notSignedAgain: one.notSignedAgain,
  };
}

function orderedExplanation(explanation: Explanation): Every<Explanation> {
  return {
    exchange: explanation.exchange,
    deviations: explanation.deviations.map(({ id, summary, fix, snippet }) => ({ id, summary, fix, snippet })),
    alternatives: explanation.alternatives,
    dialects: explanation.dialects,
    facts: explanation.facts,
    triedCount: explanation.triedCount,
    baseString: explanation.baseString,
    baseStrings: explanation.baseStrings,
  };
}

function orderedContract(row: ContractRow): Every<ContractRow> {
  return {
    pact: row.pact,
    interaction: row.interaction,
    state: row.state,
    outcome: row.outcome,
    blame: row.blame,
    mismatches: row.mismatches,
    known: row.known,
    notScored: row.notScored,
  };
}

function orderedCounts(counts: OutcomeCounts): Every<OutcomeCounts> {
  return {
    pass: counts.pass,
    fail: counts.fail,
    inconclusive: counts.inconclusive,
    'not-applicable': counts['not-applicable'],
    error: counts.error,
  };
}

function orderedObservation(observation: Observation): Every<Observation> {
  return {
    openPoint: observation.openPoint,
    value: observation.value,
    exchanges: observation.exchanges,
    confidence: observation.confidence,
    unusual: observation.unusual,
  };
}

function orderedEffects(effects: Result['effects']): Every<Result['effects']> {
  const { predicted, recorded, unclear, allowed, ledger, ifRefusalsAreUntrue, notSent } = effects;
  return {
    predicted: orderedCount(predicted),
    recorded: orderedCount(recorded),
    unclear: unclear && orderedCount(unclear),
    allowed,
    ledger,
    ifRefusalsAreUntrue,
    notSent,
  };
}

function orderedUnnoticed({ side, of, count, groups, notKnown, allowances }: Unnoticed): Every<Unnoticed> {
  return {
    side,
    of,
    count,
    groups: groups.map(({ operation, dimension, defects }) => ({ operation, dimension, defects })),
    notKnown,
    allowances: allowances.map(({ kind, allow, set, more, effects, aboutSeconds }) => ({
      kind,
      allow,
      set,
      more,
      effects,
      aboutSeconds,
    })),
  };
}

function orderedCount(effects: EffectCount): Every<EffectCount> {
  return { 'closes-day': effects['closes-day'], 'starts-payments': effects['starts-payments'] };
}

/** The text of a file: laid out, safe to show, with a line end at its end. */
export function* visibleParts(document: object): Generator<string> {
  for (const part of laidOut(document)) yield visibleJson(part);
  yield '\n';
}

/** The text of JSON.stringify(value, undefined, 2), cut between values, with each list of numbers on one line. */
function* laidOut(value: unknown, indent = '\n', depth = 0): Generator<string> {
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')) {
    yield JSON.stringify(value).replaceAll(',', ', ');
    return;
  }
  // What is further down is short, but for lists of numbers.
  if (typeof value !== 'object' || value === null || depth === deepest) {
    yield JSON.stringify(value, undefined, 2).replaceAll('\n', indent);
    return;
  }
  const isList = Array.isArray(value);
  const members = Object.entries(value).filter(([, member]) => isList || member !== undefined);
  if (members.length === 0) {
    yield isList ? '[]' : '{}';
    return;
  }
  yield isList ? '[' : '{';
  const inner = `${indent}  `;
  for (const [index, [name, member]] of members.entries()) {
    yield `${index === 0 ? '' : ','}${inner}${isList ? '' : `${JSON.stringify(name)}: `}`;
    yield* laidOut(member, inner, depth + 1);
  }
  yield `${indent}${isList ? ']' : '}'}`;
}

/** report.json has its requirements there, and ctrf.json what belongs to one. */
const deepest = 4;
