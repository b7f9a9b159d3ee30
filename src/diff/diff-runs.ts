/** Compares two runs: data in, data out. Nothing here reads a file, asks a clock or judges an exchange. */
import type { Operation } from '../../contracts/operations.ts';
import { renamed as noneRenamed, type Renamed } from '../../contracts/renamed.ts';
import { moreWords } from '../result/concluded.ts';
import type { Result } from '../result/result.ts';
import { behaviourChanges } from './behaviour-changes.ts';
import { commonAnswers, labelKey } from './compared-answer.ts';
import type { BehaviourChange, Change, ComparedRun, Difference, Impact, RunFacts } from './difference.ts';
import { latencyChanges } from './latency-changes.ts';
import { namesIn } from './message-features.ts';
import { answerChanges } from './open-answers.ts';
import { type DiffPolicy, defaultPolicy, idleRules, ruleFor } from './policy.ts';
import { requirementChanges } from './requirement-changes.ts';
import { sharedCauses } from './symptoms.ts';
import { unlikenesses } from './unlike.ts';
import { verdictOf } from './verdict.ts';

export interface DiffOptions {
  /** Whether one of the patterns of --only selects the id. */
  readonly selects: (id: string, patterns: readonly string[]) => boolean;
  readonly statementOf: (id: string) => string | undefined;
  /** Its rules come before those of the default. */
  readonly policy?: DiffPolicy;
  readonly renamed?: Renamed;
  /** What stored clients made of the answers of NEW. */
  readonly impact?: Impact;
}

/** Both runs are of the same kind of subject, and judged under the same profile: whoever calls has refused others. */
export function diffRuns(old: ComparedRun, fresh: ComparedRun, options: DiffOptions): Difference {
  const { policy = defaultPolicy, renamed = noneRenamed, selects, statementOf, impact } = options;
  const requirements = requirementChanges(old.result, fresh.result, renamed, selects);
  const classed = (changes: readonly Change[]) => merged(changes, policy);
  const wire = wireChanges(old, fresh);
  const behaviour = classed([...wire.changes, ...latencyChanges(old.result, fresh.result)]);
  const answers = classed(openAnswers(old, fresh, renamed));
  const worse = [...requirements.newlyBroken, ...requirements.newlyUndetermined.filter((one) => one.old === 'pass')];
  const withImpact = impact === undefined ? {} : { impact };
  return {
    format: 'countersign-diff',
    formatVersion: 1,
    ...verdictOf(old.result, fresh.result, { ...requirements, answers, behaviour, ...withImpact }),
    old: runFactsOf(old.result),
    new: runFactsOf(fresh.result),
    unlike: unlikenesses(old.result, fresh.result),
    idleRules: wire.names && idleRules(policy, [...wire.names, ...pointsIn(old, fresh)]),
    ...requirements,
    causes: sharedCauses(worse, behaviour, fresh.result.contracts?.length ?? 0, statementOf),
    answers,
    behaviour,
    ...withImpact,
    comparedExchanges: wire.compared,
  };
}

function wireChanges(
  old: ComparedRun,
  fresh: ComparedRun,
): { changes: readonly Change[]; compared?: number; names?: ReadonlySet<string> } {
  if (old.cases === undefined || fresh.cases === undefined) return { changes: [] };
  const [before, now] = commonAnswers(old.cases, fresh.cases, fresh.result.subject.kind);
  const names = new Set<string>();
  for (const answers of [before, now])
    for (const { features } of answers) for (const name of namesIn(features)) names.add(name);
  return { changes: behaviourChanges(before, now), compared: now.length, names };
}

function pointsIn(...runs: readonly ComparedRun[]): string[] {
  return runs.flatMap(({ result }) => result.observations.map(({ openPoint }) => openPoint));
}

/** Answers count where the same case was sent; without exchanges it is not known which case one was. */
function openAnswers(old: ComparedRun, fresh: ComparedRun, { ids }: Renamed): Change[] {
  const comparable = (run: ComparedRun, other: ComparedRun) => {
    if (run.cases === undefined || other.cases === undefined) return () => '';
    const keys = new Set(other.cases.map(labelKey));
    const { cases } = run;
    return (exchange: number) => {
      const examined = cases[exchange - 1];
      return examined !== undefined && keys.has(labelKey(examined)) ? examined.label.operation : undefined;
    };
  };
  const before = old.result.observations.map((one) =>
    Object.hasOwn(ids, one.openPoint) ? { ...one, openPoint: ids[one.openPoint]! } : one,
  );
  const both = { old: comparable(old, fresh), fresh: comparable(fresh, old) };
  return answerChanges(before, fresh.result.observations, both).map((change) => ({
    ...change,
    operation: operationOf(fresh, change.exchanges[0]),
  }));
}

function operationOf({ cases }: ComparedRun, exchange = 0): Operation | undefined {
  return cases?.[exchange - 1]?.label.operation;
}

/** Exchanges of NEW that a change names, to be looked at; all of them are counted. */
const mostNumbers = 5;

/** What several groups of answers show alike is one change. */
function merged(changes: readonly Change[], policy: DiffPolicy): BehaviourChange[] {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const key = JSON.stringify([keyName(change), change.old, change.new]);
    found.set(key, [...(found.get(key) ?? []), change]);
  }
  const order = ['forbidden', 'risky', 'allowed'];
  return [...found.values()]
    .map((alike): BehaviourChange => {
      const { change, name, old, new: now } = alike[0]!;
      const exchanges = [...new Set(alike.flatMap((one) => one.exchanges))].sort((a, b) => a - b);
      const [rule] = alike
        .map((one) => ruleFor(one, one.operation, policy))
        .sort((a, b) => order.indexOf(a.is) - order.indexOf(b.is));
      return {
        change,
        class: rule!.is,
        because: rule!.because,
        name,
        operations: [...new Set(alike.flatMap(({ operation }) => operation ?? []))].sort(),
        old,
        new: now,
        ...(exchanges.length === 0
          ? {}
          : { seen: { times: exchanges.length, exchanges: exchanges.slice(0, mostNumbers) } }),
      };
    })
    .sort((a, b) => order.indexOf(a.class) - order.indexOf(b.class));
}

function keyName({ change, name }: Change): string {
  return `${change} ${name ?? ''}`;
}

/** Who was run, when, and what came of it. */
export function runFactsOf(result: Result): RunFacts {
  const { runId, subject, suite, profile, seed, startedAt, conclusion, labels } = result;
  return {
    runId,
    subject,
    suite,
    profile,
    seed,
    startedAt,
    conclusion,
    concluded: moreWords(result),
    labels,
  };
}
