/** Runs the suite against one defect, or judges stored messages that show it. Lists the failed requirements. */
import { isDeepStrictEqual } from 'node:util';
import { operationNames } from '../../../contracts/operations.ts';
import { type RequirementId, requirementById } from '../../../contracts/requirements/index.ts';
import { type ClientDefect, performStored, type StoredRequest } from '../../faults/client/defect.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import type { Alteration } from '../../mock/index.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import { type AnyCase, type Case, type ClientCase, clientCase } from '../../record/case.ts';
import { casesOf, groupByScenario, type Side } from '../../record/run.ts';
import { clientJudges, gatewayJudges } from '../../rules/index.ts';
import type { ClientJudge, Finding, Judge } from '../../rules/judge.ts';
import { neededCalls } from '../../run/client/needed-calls.ts';
import { neededNumbers } from '../../run/gateway/planned-cases.ts';
import { completeRunOptions } from '../../run/options/run-options.ts';
import { selectedIds } from '../../run/options/selection.ts';
import type { ScenarioRecord } from '../../run/scenario-record.ts';
import { type ConcludedRun, evidenceOf } from '../../verdict/conclude.ts';
import {
  newCallCache,
  newRunCache,
  performClientInProcess,
  performConformingClient,
  performInProcess,
  runClientInProcess,
} from './run-in-process.ts';

export interface Kill {
  readonly id: string;
  readonly side: 'client' | 'gateway';
  readonly summary: string;
  readonly breaks: readonly string[];
  readonly failing: readonly string[];
  /** The ids in `breaks` that `--only ID` does not detect. Undefined if `reach` is set. */
  readonly missedByOnly?: readonly string[];
  /** Set if only stored messages can show the defect. They do not prove that a run tests the requirements. */
  readonly reach?: 'stored';
  /** Why the run has no verdict. Such a defect does not count as killed. */
  readonly crashed?: string;
}

/** The seed never changes, so that two matrices are comparable. */
const seed = 'kill-matrix';

/** The number of generated cases. It is smaller than in a usual run, so that no proof depends on many cases. */
const cases = 4;

/** All client runs share their signatures, because the runs differ only in their defects. */
const repetition = newCallCache();

/** All gateway runs have the same options, so that each request is built only once. */
const options = completeRunOptions({ seed, cases }, Date.now(), '.');
const cache = newRunCache();

/** Runs the suite against one defect in this process. With `overSockets`, gateways use HTTP, and nothing is copied. */
export async function kill(defect: GatewayDefect | ClientDefect, overSockets = false): Promise<Kill> {
  const { id, side, summary } = defect;
  const common = { id, side, summary, breaks: [...defect.breaks].sort() };
  if (defect.reach === 'stored') {
    const failing = defect.side === 'client' ? await judgeStored(defect) : judgeStoredGateway(defect);
    return { ...common, reach: 'stored', failing };
  }
  casesWithoutDefect[side] ??= casesByPlace(
    side === 'gateway' ? await performGateway([]) : await performConformingClient(clientRun),
  );
  const records =
    defect.side === 'gateway'
      ? await performGateway([defect.alteration], overSockets)
      : await performClientInProcess(overSockets ? { ...clientRun, repetition: newCallCache() } : clientRun, [
          defect.alteration,
        ]);
  const missedByOnly = common.breaks.filter((id) => !failsUnderOnly(id, side, records));
  return { ...common, ...judge(side, records, casesWithoutDefect[side]), missedByOnly };
}

function failsUnderOnly(id: string, side: Side, records: readonly ScenarioRecord<AnyCase>[]): boolean {
  const numbers = neededFor(side, id);
  const cases = casesOf({ records }).filter(({ scenario, number }) => numbers.get(scenario)?.includes(number));
  return evidenceOf({ side, records: groupByScenario(cases) })
    .judge(id as RequirementId)
    .some(({ finding }) => finding.outcome === 'fail');
}

type Numbers = ReadonlyMap<string, readonly number[]>;

const casesByRequirement = new Map<string, Numbers>();

function neededFor(side: Side, id: string): Numbers {
  const onlyOptions = { ...options, only: [id] };
  const numbers: Numbers =
    casesByRequirement.get(id) ??
    (side === 'gateway'
      ? new Map(gatewayScenarios.map((one) => [one.id, neededNumbers(one, onlyOptions)]))
      : new Map(clientScenarios.map((one) => [one.id, neededCalls(one, onlyOptions)])));
  casesByRequirement.set(id, numbers);
  return numbers;
}

function performGateway(alterations: readonly Alteration[], overSockets = false): Promise<readonly ScenarioRecord[]> {
  return performInProcess(options, { alterations, usesOracle: false, overSockets, cache, unframed: true });
}

const clientRun = { seed, cases, profile: 'strict', usesOracle: false, repetition, outcomesOnly: true } as const;

/** Runs the suite against the reference client with a defect. */
export function runClientWith({ alteration }: ClientDefect): Promise<ConcludedRun> {
  return runClientInProcess(clientRun, [alteration]);
}

const casesWithoutDefect: Partial<Record<Side, ReadonlyMap<string, AnyCase>>> = {};

function casesByPlace(records: readonly ScenarioRecord<AnyCase>[]): ReadonlyMap<string, AnyCase> {
  return new Map(casesOf({ records }).map((one) => [placeOf(one), one]));
}

function placeOf({ scenario, number }: AnyCase): string {
  return `${scenario} ${number}`;
}

/** Saves time: a judge of single cases gets only the cases that the defect changed. The unchanged cases pass. */
function judge(
  side: Side,
  records: readonly ScenarioRecord<AnyCase>[],
  conforming: ReadonlyMap<string, AnyCase>,
): Pick<Kill, 'failing' | 'crashed'> {
  // Findings are cached by case object, so use the known object for an unchanged case.
  const all = casesOf({ records }).map((testCase) => {
    const original = conforming.get(placeOf(testCase));
    return original !== undefined && isEqual(original, testCase) ? original : testCase;
  });
  const changed = all.filter((testCase) => conforming.get(placeOf(testCase)) !== testCase);
  const findings = findingsIn(side, all, changed);
  const fault =
    records.flatMap(({ suiteErrors }) => suiteErrors)[0] ??
    records.find(({ givenUp }) => givenUp !== undefined)?.givenUp ??
    findings.find(({ outcome }) => outcome === 'error')?.actual;
  return { failing: failingIn(findings), crashed: fault };
}

function isEqual(one: AnyCase, other: AnyCase): boolean {
  return one === other || isDeepStrictEqual(withoutTimes(one), withoutTimes(other));
}

function withoutTimes({ exchanges, ...testCase }: AnyCase): object {
  return { ...testCase, exchanges: exchanges.map(({ startedAt: _, durationMs: __, ...exchange }) => exchange) };
}

async function judgeStored({ stored = [], alteration }: ClientDefect): Promise<string[]> {
  const baselineIds = failingIn(findingsIn('client', await storedCases(stored, [])));
  const alteredIds = failingIn(findingsIn('client', await storedCases(stored, [alteration])));
  return alteredIds.filter((id) => !baselineIds.includes(id));
}

/** The intent of the cases is `open`, because the suite did not plan the stored requests. */
function judgeStoredGateway({ stored = [] }: GatewayDefect): string[] {
  const cases = stored.map((exchange, number): Case => {
    const operation = operationNames.find((name) => exchange.request.target.includes(`/${name}/`));
    if (operation === undefined) throw new Error(`${exchange.request.target} leads to no operation`);
    return { scenario: 'stored', number, label: { operation, intent: 'open' }, exchanges: [exchange] };
  });
  return failingIn(findingsIn('gateway', cases));
}

async function storedCases(
  stored: readonly StoredRequest[],
  alterations: readonly ClientDefect['alteration'][],
): Promise<ClientCase[]> {
  const cases: ClientCase[] = [];
  for (const [index, request] of stored.entries()) {
    for (const exchange of await performStored(request, alterations)) {
      const label = { operation: request.operation, input: 'observed' } as const;
      cases.push(clientCase({ scenario: 'stored', number: index, exchanges: [exchange] }, { label }));
    }
  }
  return cases;
}

type RequirementFinding = Finding & { readonly id: string };

function findingsIn(side: Side, all: readonly AnyCase[], changed = all): readonly RequirementFinding[] {
  const allEvidence = evidenceOf({ side, records: groupByScenario(all) });
  const changedEvidence = evidenceOf({ side, records: groupByScenario(changed) });
  const judges: Readonly<Record<string, Judge | ClientJudge>> = side === 'client' ? clientJudges : gatewayJudges;
  const ids = (selectedIds(side, []) as RequirementId[]).filter((id) => requirementById(id)?.kind !== 'probe');
  return ids.flatMap((id) =>
    (judges[id]?.isPerCase ? changedEvidence : allEvidence).judge(id).map(({ finding }) => ({ ...finding, id })),
  );
}

function failingIn(findings: readonly RequirementFinding[]): string[] {
  return [...new Set(findings.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id))].sort();
}
