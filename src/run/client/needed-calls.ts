/** The calls that decide the selected requirements of a client. Pure. */
import { clientScenarios } from '../../plan/client/index.ts';
import { wireRows } from '../../plan/client/inputs.ts';
import type { ClientPlan, ClientScenario } from '../../plan/scenario.ts';
import { memoize } from '../../record/memoize.ts';
import type { RunOptions } from '../options/run-options.ts';
import { clientPlan, isWholeButExceptions, selectedIds } from '../options/selection.ts';
import witnesses from './calls-shown-by.json' with { type: 'json' };
import { callsOf } from './perform-client.ts';

type Selecting = Pick<RunOptions, 'seed' | 'cases' | 'path' | 'only' | 'smoke' | 'shard' | 'again'>;

/** The scenarios with at least one call to perform. */
export function neededClientScenarios(options: Selecting): readonly ClientScenario[] {
  return clientPlan(options).filter((scenario) => neededCalls(scenario, options).length > 0);
}

/** Numbers of calls, ascending. A call keeps the number that it has in a whole run. */
export function neededCalls(scenario: ClientScenario, options: Selecting): readonly number[] {
  return numbersIn(options)(scenario);
}

const numbersIn = memoize((options: Selecting) => memoize((scenario: ClientScenario) => numbersOf(scenario, options)));

/** Maximum generated calls with the same key. A few are enough, because they differ only in drawn values. */
const maxGenerated = 3;
/** Maximum questions of a scenario about one requirement. Up to three calls ask a question, in different forms. */
const maxQuestions = 20;

/** The calls about a requirement, and the calls that show a defect against that requirement (calls-shown-by.json). */
function numbersOf(scenario: ClientScenario, options: Selecting): readonly number[] {
  const plans = callsOf(scenario, options);
  // A shard performs all its scenarios, because a few calls might show nothing.
  const isAll = isWholeButExceptions(options.only) || (options.path ?? options.shard) !== undefined;
  if (isAll) return [...plans.keys()];
  if (options.smoke) return smokeCalls(options).get(scenario) ?? [];
  const chosen = new Set(selectedIds('client', options.only));
  const keys = new Set([...chosen].flatMap((row) => (witnesses as Readonly<Record<string, string[]>>)[row] ?? []));
  const counts = new Map<string, number>();
  const isChosen = (plan: ClientPlan) => {
    const key = callKey(scenario.id, plan);
    if (!chosen.has(plan.label.about ?? '') && !keys.has(key)) return false;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return plan.generated === undefined || counts.get(key)! <= maxGenerated;
  };
  const first = new Set(plans.filter(isChosen));
  // An answer has several forms, and a client needs to read only one of them. So select the calls with all forms.
  const questions = new Set([...first].map(questionOf));
  for (const id of chosen) {
    const asked = plans.filter(({ label }) => (label.decoding?.answers as readonly string[] | undefined)?.includes(id));
    for (const question of [...new Set(asked.map(questionOf))].slice(0, maxQuestions)) questions.add(question);
  }
  questions.delete(undefined);
  const again = new Set(options.again);
  return [...plans.keys()].filter(
    (at) => first.has(plans[at]!) || questions.has(questionOf(plans[at]!)) || again.has(`${scenario.id} ${at}`),
  );
}

/** The key of a call, the same for all seeds. Several generated calls may have one key. */
export function callKey(scenario: string, { label: { operation, special = '' } }: Pick<ClientPlan, 'label'>): string {
  return `${scenario}: ${operation} ${special}`;
}

/** The name that the calls with all forms of an answer share. Undefined for a call about one requirement. */
function questionOf({ label: { about, decoding } }: ClientPlan): string | undefined {
  return about === undefined && decoding?.answers.length ? decoding.question : undefined;
}

/** One call about each requirement, and all forms of one question for each kind of answer. All use one server. */
const smokeCalls = memoize((options: Selecting) => {
  const known = new Set<string>();
  const isNew = (what: string) => known.size < known.add(what).size;
  return new Map(
    clientScenarios.map((scenario) => {
      const plans = callsOf(scenario, options);
      const asked = new Set<string | undefined>();
      const first = plans.map((plan) => {
        const { about, decoding, input, permutation } = plan.label;
        if (input !== 'mandatory' || permutation !== undefined || plan.server !== undefined) return false;
        const question = questionOf(plan);
        if (question === undefined) return about !== undefined && isNew(about);
        if (isNew(`${scenario.operation} ${decoding!.expected.kind}`)) asked.add(question);
        return asked.has(question);
      });
      return [scenario, [...plans.keys()].filter((at) => first[at])];
    }),
  );
});

/** The requirements that the calls of --smoke decide. */
export function clientSmokeIds(): readonly string[] {
  const options = { seed: '1', cases: 1, only: [] };
  const calls = clientScenarios.flatMap((scenario) => {
    const chosen = new Set(smokeCalls(options).get(scenario));
    return callsOf(scenario, options).map(({ label }, at) => ({ label, isChosen: chosen.has(at) }));
  });
  const labels = calls.filter(({ isChosen }) => isChosen).map(({ label }) => label);
  const asked: readonly string[] = labels.flatMap(({ about, decoding }) => about ?? decoding?.answers ?? []);
  // Leave out requirements that --smoke does not decide: only special calls show them.
  const others: readonly string[] = calls.flatMap(({ label: { about = '', input } }) =>
    input === 'forbidden' ? [] : about,
  );
  const left = others.filter((id) => id !== 'authentication/signature-verifies' && !asked.includes(id));
  return [...new Set<string>([...wireRows, ...asked])].filter((id) => !left.includes(id));
}
