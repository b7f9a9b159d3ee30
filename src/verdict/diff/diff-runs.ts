/** Compares two runs: data in, data out. It reads no file and no clock, and judges no exchange. */
import { renamed as noneRenamed, type Renamed } from '../../../contracts/renamed.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { groupBy } from '../../record/group-by.ts';
import type { EffectBudget, Result } from '../../record/result/result.ts';
import { formatConclusion } from '../../report/words.ts';
import { answerChanges, behaviourChanges, readWithOldNames } from './behaviour-changes.ts';
import type { BehaviourChange, Change, ComparedRun, Difference, Impact, RunFacts, Unlike } from './difference.ts';
import { commonAnswers, namesIn } from './message-features.ts';
import { type DiffPolicy, defaultPolicy, idleRules, ruleFor, worstFirst } from './policy.ts';
import { requirementChanges, sharedCauses } from './requirement-changes.ts';
import { verdictOf } from './verdict.ts';

export interface DiffOptions {
  /** The sentence of a requirement; by default that of the contract. */
  readonly statementOf?: (id: string) => string | undefined;
  readonly policy?: DiffPolicy;
  readonly renamed?: Renamed;
  readonly impact?: Impact;
}

/** The caller ensures that both runs have the same kind of subject and the same profile. */
export function diffRuns(old: ComparedRun, fresh: ComparedRun, options: DiffOptions = {}): Difference {
  const { policy = defaultPolicy, renamed = noneRenamed, impact } = options;
  const { statementOf = (id) => requirementById(id)?.statement } = options;
  const { shareCompared, ...requirements } = requirementChanges(old.result, fresh.result, renamed);
  const classed = (changes: readonly Change[]) => merged(changes, policy);
  const wire = wireChanges(old, fresh);
  const behaviour = classed([...wire.changes, ...latencyChanges(old.result, fresh.result)]);
  const answers = classed(withoutEchoes(answerChanges(old, fresh, renamed.ids, wire.meanings), wire.changes, policy));
  const worse = [...requirements.newlyBroken, ...requirements.newlyUndetermined.filter((one) => one.old === 'pass')];
  const causes = sharedCauses(worse, behaviour, fresh.result.contracts?.length ?? 0, statementOf, (id) =>
    renamedUnder(fresh.result, id, wire.changes),
  );
  return {
    format: 'countersign-diff',
    formatVersion: 1,
    ...verdictOf(old.result, fresh.result, { ...requirements, shareCompared, causes, answers, behaviour, impact }),
    old: runFactsOf(old.result),
    new: runFactsOf(fresh.result),
    unlike: unlikenesses(old.result, fresh.result),
    idleRules: wire.names && idleRules(policy, [...wire.names, ...pointsIn(old.result), ...pointsIn(fresh.result)]),
    ...requirements,
    causes,
    answers,
    behaviour,
    impact,
    comparedExchanges: wire.compared,
  };
}

/** Ids that the newer result breaks, or shows broken for the first time, and ids that it fixes. */
export function changedIds(before: Result, now: Result, options?: DiffOptions) {
  const { newlyBroken, newlyDetermined, fixed } = diffRuns({ result: before }, { result: now }, options);
  const found = newlyDetermined.filter((one) => one.new === 'fail');
  return { broke: [...newlyBroken, ...found].map(({ id }) => id), fixed: fixed.map(({ id }) => id) };
}

function wireChanges(
  old: ComparedRun,
  fresh: ComparedRun,
): {
  changes: readonly Change[];
  compared?: number;
  names?: readonly string[];
  meanings?: ReadonlyMap<number, string>;
} {
  if (old.cases === undefined || fresh.cases === undefined) return { changes: [] };
  const [before, read] = commonAnswers(old.cases, fresh.cases, fresh.result.subject.kind);
  const now = readWithOldNames(before, read);
  const features = new Set([...before, ...now].map((answer) => answer.features));
  const meanings = new Map(now.map(({ exchange, meaning }) => [exchange, meaning]));
  return {
    changes: behaviourChanges(before, now),
    compared: now.length,
    names: [...features].flatMap(namesIn),
    meanings,
  };
}

/** The new name, if every exchange that left the requirement open has it. */
function renamedUnder({ results }: Result, id: string, changes: readonly Change[]): string | undefined {
  const { exchanges = [], outcome } = results.find((row) => row.id === id) ?? {};
  if (exchanges.length === 0 || outcome !== 'inconclusive') return undefined;
  const isIn = (change: Change) => exchanges.every((number) => change.exchanges.includes(number));
  const found = changes.find((change) => change.change === 'member-went' && change.renamedTo && isIn(change));
  return found?.name?.split('.').at(-1);
}

function pointsIn({ observations }: Result): string[] {
  return observations.map(({ openPoint }) => openPoint);
}

/** Exchanges of NEW that a change lists as examples; all of them are counted. */
const maxNumbers = 5;

/**
 * Drops answers that only repeat another change and are no worse: the wording of a refusal next to the refusal itself, or a new
 * member that replaces a name.
 */
function withoutEchoes(answers: readonly Change[], wire: readonly Change[], policy: DiffPolicy): Change[] {
  const isNoWorse = (echo: Change, one: Change) =>
    worstFirst(ruleFor(one, one.operation, policy).is, ruleFor(echo, echo.operation, policy).is) <= 0;
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

/** Merges equal changes of several groups of answers, and names that came or went in some of them. */
function merged(changes: readonly Change[], policy: DiffPolicy): BehaviourChange[] {
  const keyOf = ({ change, name = '', renamedTo, old, new: now }: Change) =>
    JSON.stringify([change, name, ...(/-(?:came|went)$/.test(change) ? [renamedTo] : [old, now])]);
  return [...groupBy(changes, keyOf).values()]
    .map((alike): BehaviourChange => {
      const [{ change, name, renamedTo, also }] = alike;
      const shown = (side: 'old' | 'new') => {
        const values = alike[0][side];
        return alike.every((one) => one[side].join() === values.join()) ? values : ['sometimes'];
      };
      const exchanges = [...new Set(alike.flatMap((one) => one.exchanges))].sort((a, b) => a - b);
      const times = exchanges.length;
      const all = alike.flatMap(({ of }) => of ?? []);
      const of = all.length === 0 ? undefined : all.reduce((total, one) => total + one);
      const [rule] = alike.map((one) => ruleFor(one, one.operation, policy)).sort((a, b) => worstFirst(a.is, b.is));
      return {
        change,
        class: rule!.is,
        because: rule!.because,
        name,
        renamedTo,
        also,
        operations: [...new Set(alike.flatMap(({ operation }) => operation ?? []))].sort(),
        old: shown('old'),
        new: shown('new'),
        seen: times === 0 ? undefined : { times, of, exchanges: exchanges.slice(0, maxNumbers) },
      };
    })
    .sort((a, b) => worstFirst(a.class, b.class));
}

export function runFactsOf(result: Result): RunFacts {
  const { runId, subject, suite, profile, seed, startedAt, conclusion, labels } = result;
  const concluded = formatConclusion(result);
  return {
    runId,
    subject,
    suite,
    profile,
    seed,
    startedAt,
    conclusion,
    concluded: concluded === conclusion ? undefined : concluded,
    labels,
  };
}

/** What else may explain a difference. A different seed explains nothing if all else is the same. */
function unlikenesses(old: Result, fresh: Result): Unlike[] {
  const sides: readonly (readonly [Unlike['what'], (result: Result) => string])[] = [
    ['suite version', ({ suite }) => `${suite.name} ${suite.version}`],
    ['requirement set', ({ set }) => set ?? 'all of the suite'],
    ['scope', ({ scope }) => (scope === undefined ? 'all requirements' : scope.only.join(' '))],
    ['allowance', ({ effects }) => formatAllowance(effects.allowed)],
    ['seed', ({ seed }) => seed],
    ['target', ({ subject }) => subject.target],
  ];
  return sides.flatMap(([what, of]) => {
    const [before, now] = [of(old), of(fresh)];
    return before === now ? [] : [{ what, old: before, new: now }];
  });
}

function formatAllowance(allowed: EffectBudget | undefined): string {
  if (allowed === undefined) return 'no live target';
  const { count, total } = allowed['starts-payments'];
  return `closes-day ${allowed['closes-day']}, starts-payments ${count} with a total of ${total}`;
}

/** Exchanges of an operation that a percentile needs at least. */
const fewest = 20;

/** Both a factor and an absolute step are required, because 2 ms after 1 ms means nothing. */
const [factor, leastMs] = [2, 50];

/** Times of the built-in mock are those of this machine, not of a gateway. */
function latencyChanges(old: Result, fresh: Result): Change[] {
  if ([old, fresh].some(({ subject }) => subject.target === 'mock')) return [];
  return (fresh.latency ?? []).flatMap((now): Change[] => {
    const then = old.latency?.find(({ operation }) => operation === now.operation);
    if (then === undefined || then.count < fewest || now.count < fewest) return [];
    const change = (['p95Ms', 'p50Ms'] as const).map((name) => stepOf(then[name], now[name])).find(Boolean);
    if (change === undefined) return [];
    const shown = ({ p50Ms, p95Ms }: typeof now) => `p50 ${Math.round(p50Ms)} ms, p95 ${Math.round(p95Ms)} ms`;
    return [{ change, operation: now.operation, old: [shown(then)], new: [shown(now)], exchanges: [] }];
  });
}

function stepOf(then: number, now: number): 'slower' | 'faster' | undefined {
  const [less, more] = then < now ? [then, now] : [now, then];
  if (more <= factor * less || more - less < leastMs) return undefined;
  return now > then ? 'slower' : 'faster';
}
