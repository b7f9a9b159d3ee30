/** Chooses the calls that are needed to judge the selected requirements of a client. Pure. */
import { clientScenarios } from '../../plan/client/index.ts';
import { wireRows } from '../../plan/client/inputs.ts';
import type { ClientPlan, ClientScenario } from '../../plan/scenario.ts';
import { memoize } from '../../record/memoize.ts';
import type { RunOptions } from '../options/run-options.ts';
import { clientPlan } from '../options/scenarios.ts';
import { hasOnlyExclusions, performsAll, selectedIds } from '../options/selection.ts';
import witnesses from './calls-shown-by.json' with { type: 'json' };
import { callsOf } from './perform-client.ts';

type Selection = Pick<RunOptions, 'seed' | 'cases' | 'path' | 'only' | 'smoke' | 'shard' | 'again'>;

/** The scenarios with at least one call to perform. */
export function neededClientScenarios(options: Selection): readonly ClientScenario[] {
  return clientPlan(options).filter((one) => performsAll(options) || neededCalls(one, options).length > 0);
}

/** Numbers of calls, ascending. A call keeps the number that it has in a whole run. */
export function neededCalls(scenario: ClientScenario, options: Selection): readonly number[] {
  return numbersIn(options)(scenario);
}

const numbersIn = memoize((options: Selection) => memoize((scenario: ClientScenario) => numbersOf(scenario, options)));

/** Maximum number of generated calls with the same `callKey`. Only their random values differ. */
const maxGenerated = 3;
/** Maximum number of different answers for each requirement in one scenario. */
const maxAnswers = 20;

function numbersOf(scenario: ClientScenario, options: Selection): readonly number[] {
  const plans = callsOf(scenario, options);
  // A shard performs all calls of its scenarios, because a few calls may be too few to decide a requirement.
  const isAll = hasOnlyExclusions(options.only) || (options.path ?? options.shard) !== undefined;
  if (isAll) return [...plans.keys()];
  if (options.smoke) return smokeCalls(options).get(scenario) ?? [];
  const chosen = new Set(selectedIds('client', options.only));
  // Calls with these keys reveal defects that break a chosen requirement.
  const keys = new Set([...chosen].flatMap((row) => (witnesses as Readonly<Record<string, string[]>>)[row] ?? []));
  const counts = new Map<string, number>();
  const isChosen = (plan: ClientPlan) => {
    const key = callKey(scenario.id, plan);
    if (!chosen.has(plan.label.about ?? '') && !keys.has(key)) return false;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return plan.generated === undefined || counts.get(key)! <= maxGenerated;
  };
  const chosenPlans = new Set(plans.filter(isChosen));
  // A client needs to read only one form of an answer, and it is not known which. So select the calls for all forms.
  const answers = new Set([...chosenPlans].map(answerOf));
  for (const id of chosen) {
    const about = plans.filter(({ label }) => (label.decoding?.answers as readonly string[] | undefined)?.includes(id));
    for (const answer of [...new Set(about.map(answerOf))].slice(0, maxAnswers)) answers.add(answer);
  }
  answers.delete(undefined);
  const again = new Set(options.again);
  return [...plans.keys()].filter(
    (at) => chosenPlans.has(plans[at]!) || answers.has(answerOf(plans[at]!)) || again.has(`${scenario.id} ${at}`),
  );
}

/** A key of the call that does not depend on the seed. Several generated calls may have the same key. */
export function callKey(scenario: string, { label: { operation, special = '' } }: Pick<ClientPlan, 'label'>): string {
  return `${scenario}: ${operation} ${special}`;
}

/** The same text for all forms of an answer. Undefined if the call has `about`, or does not test its answer. */
function answerOf({ label: { about, decoding } }: ClientPlan): string | undefined {
  return about === undefined && decoding?.answers.length ? decoding.question : undefined;
}

const smokeCalls = memoize((options: Selection) => {
  const known = new Set<string>();
  const isNew = (what: string) => known.size < known.add(what).size;
  return new Map(
    clientScenarios.map((scenario) => {
      const plans = callsOf(scenario, options);
      const answers = new Set<string | undefined>();
      const isSmokeCall = plans.map((plan) => {
        const { about, decoding, input, permutation } = plan.label;
        if (input !== 'mandatory' || permutation !== undefined || plan.server !== undefined) return false;
        const answer = answerOf(plan);
        if (answer === undefined) return about !== undefined && isNew(about);
        // Choose the first answer of each kind, in all of its forms.
        if (isNew(`${scenario.operation} ${decoding!.expected.kind}`)) answers.add(answer);
        return answers.has(answer);
      });
      return [scenario, [...plans.keys()].filter((at) => isSmokeCall[at])];
    }),
  );
});

/** Ids of the requirements that the calls of `--smoke` can judge. */
export function clientSmokeIds(): readonly string[] {
  const options = { seed: '1', cases: 1, only: [] };
  const calls = clientScenarios.flatMap((scenario) => {
    const chosen = new Set(smokeCalls(options).get(scenario));
    return callsOf(scenario, options).map(({ label }, at) => ({ label, isChosen: chosen.has(at) }));
  });
  const labels = calls.filter(({ isChosen }) => isChosen).map(({ label }) => label);
  const decided: readonly string[] = labels.flatMap(({ about, decoding }) => about ?? decoding?.answers ?? []);
  // Leave out requirements that are tested only by calls that `--smoke` does not make.
  const others: readonly string[] = calls.flatMap(({ label: { about = '', input } }) =>
    input === 'forbidden' ? [] : about,
  );
  const undecided = others.filter((id) => id !== 'authentication/signature-verifies' && !decided.includes(id));
  return [...new Set<string>([...wireRows, ...decided])].filter((id) => !undecided.includes(id));
}
