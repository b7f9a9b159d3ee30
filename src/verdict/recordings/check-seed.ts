/** Checks that the requests of a run come from its seed, by generating ids and inputs again. Pure. */
import { clientScenarios } from '../../plan/client/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { ClientPlan } from '../../plan/scenario.ts';
import { drawFor } from '../../plan/seed.ts';
import type { Case, ClientCase } from '../../record/case.ts';
import { groupBy } from '../../record/group-by.ts';
import { casesOf } from '../../record/run.ts';
import { makeId } from '../../run/gateway/perform-case.ts';
import type { StoredRun } from '../conclude.ts';

/** The result of `seedProblem` if no request has values from a seed. */
export const noRequest = 'no request depends on a seed';

/** Describes a request whose values do not come from the seed. Undefined if there is none. */
export function seedProblem(seed: string, { report, recordings }: StoredRun): string | undefined {
  const cases = recordings.flatMap(casesOf);
  return report.subject.kind === 'client'
    ? callProblem(cases as ClientCase[], seed)
    : caseProblem(cases as Case[], seed, report.runId);
}

function callProblem(calls: readonly ClientCase[], seed: string): string | undefined {
  // A seed gives the same first cases for any count. So `calls.length` cases are enough for each scenario.
  const planFor = (id: string, path?: string) =>
    clientScenarios.find((scenario) => scenario.id === id)?.plan(drawFor(seed, id, calls.length, path)) ?? [];
  for (const [scenario, group] of groupBy(calls, (call) => call.scenario)) {
    const plans = planFor(scenario);
    const inputs = inputsOf(plans);
    const foreign = group.find(({ call: { asked, path } }) => {
      const known = path === undefined ? inputs : inputsOf(shrunkPlans(path, plans, () => planFor(scenario, path)));
      return !known.has(JSON.stringify(asked?.input));
    });
    if (foreign !== undefined) return `the input of ${scenario}, case ${foreign.number}, is not from this seed`;
  }
  return calls.length === 0 ? noRequest : undefined;
}

function inputsOf(plans: readonly ClientPlan[]): ReadonlySet<string> {
  return new Set(plans.map(({ input }) => JSON.stringify(input)));
}

/** Generates the shrunk call at `path`. Replays only paths that begin at a generated call: others might not end. */
function shrunkPlans(path: string, plans: readonly ClientPlan[], replay: () => readonly ClientPlan[]) {
  if (!plans.some(({ generated }) => generated !== undefined && path.startsWith(`${generated.path}:`))) return [];
  try {
    return replay().filter(({ generated }) => generated !== undefined);
  } catch {
    // fast-check throws if a step of the path leads to no value.
    return [];
  }
}

/** Finds a case whose request id is not from the seed. Accepts the id of any case, because cases may repeat ids. */
function caseProblem(cases: readonly Case[], seed: string, runId: string): string | undefined {
  const withIds = gatewayScenarios
    .filter(({ id, plan }) => plan(drawFor(seed, id, 3)).every(({ request }) => request.keepsId !== true))
    .flatMap(({ id }) => cases.filter(({ scenario }) => scenario === id))
    .flatMap(({ scenario, number, exchanges }) => {
      const id = plainId.exec(Buffer.from(exchanges[0].request.body).toString('latin1'))?.[1];
      return id === undefined ? [] : [{ scenario, number, id }];
    });
  // On a live target, ids depend on the seed and on the run id.
  const drawnIds = [seed, `${runId} ${seed}`].flatMap((prefix) =>
    withIds.map(({ scenario, number }) => makeId(`${prefix} ${scenario} ${number}`, 32)),
  );
  const foreign = withIds.find(({ id }) => !drawnIds.some((fullId) => fullId.startsWith(id)));
  if (foreign !== undefined) {
    return `the request id of ${foreign.scenario}, case ${foreign.number}, is not from this seed`;
  }
  return withIds.length === 0 ? noRequest : undefined;
}

const plainId = /(?:^|&)day_close_request_id=([A-Za-z0-9]{8,32})(?:&|$)/;
