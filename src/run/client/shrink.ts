/**
 * Shrinks the first failing generated call of each requirement step by step while it still fails, one call at a time.
 */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientPlan, Counterexample } from '../../plan/scenario.ts';
import type { ClientCase } from '../../record/client-case.ts';
import { clientJudges } from '../../rules/index.ts';
import { publishedKeys } from '../target/published.ts';

/** Further calls for one requirement, and for all of a scenario: a slow client pays for each. */
const [maxCalls, maxCallsInAll] = [40, 120] as const;

/**
 * `perform` makes one call and records nothing; undefined where no further call is to be made.
 * @returns the smallest failing calls, numbered behind the plans, and the origin of each
 */
export async function shrinkFailures(
  plans: readonly ClientPlan[],
  cases: readonly ClientCase[],
  ids: readonly RequirementId[],
  perform: (plan: ClientPlan) => Promise<ClientCase | undefined>,
): Promise<{ readonly cases: readonly ClientCase[]; readonly counterexamples: readonly Counterexample[] }> {
  const smallest: ClientCase[] = [];
  const counterexamples: Counterexample[] = [];
  const generated = cases.filter(({ number }) => plans[number]?.generated !== undefined);
  const made = new Map<string, ClientCase | undefined>(generated.map((one) => [askedBy(plans[one.number]!), one]));
  for (const id of ids) {
    const first = firstFailing(id, generated);
    if (first === undefined) continue;
    let last = first;
    const most = Math.min(made.size + maxCalls, generated.length + maxCallsInAll);
    const { path } = await plans[first.number]!.generated!.shrink(async (plan) => {
      const key = askedBy(plan);
      if (!made.has(key) && made.size < most) made.set(key, await perform(plan));
      const tried = made.get(key);
      const fails = tried !== undefined && firstFailing(id, [tried]) !== undefined;
      if (fails) last = tried;
      return fails;
    });
    // One call may be the smallest of several requirements, and the first one that failed the smallest.
    const known = [...generated, ...smallest].find(({ wire, reply }) => wire === last.wire && reply === last.reply);
    const number = known?.number ?? plans.length + smallest.length;
    if (known === undefined) smallest.push({ ...last, number, path });
    counterexamples.push({ about: id, number, path });
  }
  return { cases: smallest, counterexamples };
}

/** What tells the call from others of its scenario. */
function askedBy({ input, identity, pathSuffix, endpointId, inject }: ClientPlan): string {
  return JSON.stringify([input, identity, pathSuffix, endpointId, inject]);
}

/** Each call is judged by itself; what only several show together is not shrunk. */
function firstFailing(id: RequirementId, cases: readonly ClientCase[]): ClientCase | undefined {
  const judge = clientJudges[id as keyof typeof clientJudges];
  if (!judge.eachAlone) return undefined;
  const failing = new Set(
    judge({ id, cases, hasKeys: true, keysOf: publishedKeys })
      .filter(({ finding }) => finding.outcome === 'fail')
      .map(({ examined }) => examined),
  );
  return cases.find((one) => failing.has(one));
}
