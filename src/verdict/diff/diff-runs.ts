/** Compares two runs: data in, data out. Nothing here reads a file, asks a clock or judges an exchange. */
import type { Operation } from '../../../contracts/operations.ts';
import { renamed as noneRenamed, type Renamed } from '../../../contracts/renamed.ts';
import type { Result } from '../../record/result/result.ts';
import { conclusionInWords } from '../../report/words.ts';
import { behaviourChanges } from './behaviour-changes.ts';
import { comparedIn } from './compared.ts';
import { commonAnswers, labelKey } from './compared-answer.ts';
import type { BehaviourChange, Change, ComparedRun, Difference, Impact, RunFacts } from './difference.ts';
import { latencyChanges } from './latency-changes.ts';
import { namesIn } from './message-features.ts';
import { answerChanges } from './open-answers.ts';
import { classOf, type DiffPolicy, defaultPolicy, idleRules, ruleFor, worstFirst } from './policy.ts';
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
  const { shareCompared, ...requirements } = requirementChanges(old.result, fresh.result, renamed, selects);
  const compared = comparedIn(old.result, fresh.result, shareCompared);
  const classed = (changes: readonly Change[]) => merged(changes, policy);
  const wire = wireChanges(old, fresh);
  const behaviour = classed([...wire.changes, ...latencyChanges(old.result, fresh.result)]);
  const answers = classed(withoutEchoes(openAnswers(old, fresh, renamed), wire.changes, policy));
  const worse = [...requirements.newlyBroken, ...requirements.newlyUndetermined.filter((one) => one.old === 'pass')];
  const causes = sharedCauses(worse, behaviour, fresh.result.contracts?.length ?? 0, statementOf);
  const withImpact = impact === undefined ? {} : { impact };
  return {
    format: 'countersign-diff',
    formatVersion: 1,
    ...verdictOf(old.result, fresh.result, { ...requirements, causes, answers, behaviour, compared, ...withImpact }),
    compared,
    old: runFactsOf(old.result),
    new: runFactsOf(fresh.result),
    unlike: unlikenesses(old.result, fresh.result),
    idleRules: wire.names && idleRules(policy, [...wire.names, ...pointsIn(old, fresh)]),
    ...requirements,
    causes,
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

/**
 * Answers that only repeat another change, and are no worse, are a part of it: the words of a refusal beside the refusal in the
 * same exchanges, and a further member beside the name that it replaces.
 */
function withoutEchoes(answers: readonly Change[], wire: readonly Change[], policy: DiffPolicy): Change[] {
  const isNoWorse = (echo: Change, one: Change) =>
    worstFirst(classOf(one, one.operation, policy), classOf(echo, echo.operation, policy)) <= 0;
  const isRename = (echo: Change) =>
    wire.some((one) => {
      const name = one.renamedTo?.split('.').at(-1);
      return (
        name !== undefined && echo.new.every((answer) => answer.split(', ').includes(name)) && isNoWorse(echo, one)
      );
    });
  const left = answers.filter((one) => !isRename(one));
  const source = (echo: Change) =>
    left
      .filter((one) => echo.old.length === 0 && one.old.length > 0 && one.operation === echo.operation)
      .filter((one) => echo.exchanges.every((number) => one.exchanges.includes(number)) && isNoWorse(echo, one))
      .sort((a, b) => a.exchanges.length - b.exchanges.length)[0];
  const sources = new Map(left.flatMap((echo) => (source(echo) === undefined ? [] : [[echo, source(echo)!] as const])));
  return left
    .filter((one) => !sources.has(one))
    .map((one) => {
      const also = [...sources].flatMap(([echo, of]) => (of === one ? echo.new : []));
      return also.length === 0 ? one : { ...one, also };
    });
}

/** What several groups of answers show alike is one change, and so is a name that came or went in more of one group than of another. */
function merged(changes: readonly Change[], policy: DiffPolicy): BehaviourChange[] {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const shares = isNameChange(change) ? [change.renamedTo] : [change.old, change.new];
    const key = JSON.stringify([keyName(change), ...shares]);
    found.set(key, [...(found.get(key) ?? []), change]);
  }
  return [...found.values()]
    .map((alike): BehaviourChange => {
      const { change, name, renamedTo, also } = alike[0]!;
      const shown = (side: 'old' | 'new') => {
        const values = alike[0]![side];
        return alike.every((one) => one[side].join() === values.join()) ? values : ['sometimes'];
      };
      const exchanges = [...new Set(alike.flatMap((one) => one.exchanges))].sort((a, b) => a - b);
      const [rule] = alike.map((one) => ruleFor(one, one.operation, policy)).sort((a, b) => worstFirst(a.is, b.is));
      return {
        change,
        class: rule!.is,
        because: rule!.because,
        name,
        ...(renamedTo === undefined ? {} : { renamedTo }),
        ...(also === undefined ? {} : { also }),
        operations: [...new Set(alike.flatMap(({ operation }) => operation ?? []))].sort(),
        old: shown('old'),
        new: shown('new'),
        ...(exchanges.length === 0
          ? {}
          : { seen: { times: exchanges.length, exchanges: exchanges.slice(0, mostNumbers) } }),
      };
    })
    .sort((a, b) => worstFirst(a.class, b.class));
}

function isNameChange({ change }: Change): boolean {
  return /-(?:came|went)$/.test(change);
}

function keyName({ change, name }: Change): string {
  return `${change} ${name ?? ''}`;
}

/** Who was run, when, and what came of it. */
export function runFactsOf(result: Result): RunFacts {
  const { runId, subject, suite, profile, seed, startedAt, conclusion, labels } = result;
  const concluded = conclusionInWords(result);
  return {
    runId,
    subject,
    suite,
    profile,
    seed,
    startedAt,
    conclusion,
    ...(concluded === conclusion ? {} : { concluded }),
    labels,
  };
}
