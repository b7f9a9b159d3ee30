/** Writes two tables: the cases of a live run that show each defect, and the calls that show a broken requirement. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RequirementId, requirementById } from '../../../contracts/requirements/index.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import { mockDefects, usableClientDefects } from '../../faults/index.ts';
import type { Case } from '../../record/case.ts';
import { judgeCases } from '../../rules/index.ts';
import { laterTwin } from '../../rules/twins.ts';
import { callKey } from '../../run/client/needed-calls.ts';
import { wholeRunAllowance } from '../../run/gateway/planned-cases.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import { evidenceOf } from '../../verdict/conclude.ts';
import {
  caseKey,
  certainKeys,
  keysOfCases,
  type StoredDefects,
  unknownEndpointKey,
  type Witnesses,
  withUnknownEndpoint,
} from '../../verdict/forecast/defect-table.ts';
import { runClientWith } from './kill.ts';
import { failuresOf, type InMemoryOptions, liveOptionsInMemory, runLiveInMemory } from './live-in-memory.ts';

const fullTarget = { unknownEndpointId: '999999999', controlUrl: 'http://127.0.0.1:2' };

/** A run that may not close a day or start a payment. It shows which defects doctor's own request reveals. */
const doctorOnly = options('d', [0, 0], fullTarget);

/** The first three runs perform every case. The others have a smaller allowance, so they perform some of the cases. */
const runs: readonly InMemoryOptions[] = [
  options('a', [wholeRunAllowance.days, 2000], fullTarget),
  options('b', [wholeRunAllowance.days, 2000]),
  options('c', [120, 200], fullTarget),
  doctorOnly,
  options('e', [1, 1]),
  options('f', [0, 4]),
  options('g', [4, 0]),
  options('h', [9, 9], fullTarget),
  options('i', [0, 40]),
  options('j', [30, 0]),
  options('k', [2, 2]),
  options('l', [3, 3], fullTarget),
];

function options(seed: string, [days, payments]: [number, number], config: Partial<LiveConfig> = {}): InMemoryOptions {
  const allow = { 'closes-day': days, 'starts-payments': { count: payments, total: `${payments}.00` } };
  return liveOptionsInMemory({ seed }, { allow, ...config });
}

/** Finds the keys of the cases that show each defect. Groups the keys by defect and broken requirement. */
export async function deriveWitnesses(defects: readonly GatewayDefect[]) {
  const sent: ReadonlySet<string>[] = [];
  for (const options of runs) {
    const { cases } = await runLiveInMemory(options, []);
    sent.push(withUnknownEndpoint(keysOfCases(cases), options.live));
  }
  // The first run performs every case, so the keys have the order of that run.
  const cases = [...new Set(sent.flatMap((keys) => [...keys]))];
  const witnesses = new Map<string, ReadonlyMap<string, Witnesses>>();
  for (const defect of defects) witnesses.set(defect.id, await witnessesOf(defect, sent, new Set(cases)));
  return { cases, witnesses };
}

interface PerformedRun {
  readonly cases: readonly Case[];
  readonly failing: ReadonlyMap<string, ReadonlySet<Case>>;
  /** True if the gateway accepted the request of doctor. This changes the whole run. */
  readonly isAccepted: boolean;
}

/** `sent`: for each run, the keys of its cases on a mock without defects. */
async function witnessesOf(
  { breaks, alteration }: GatewayDefect,
  sent: readonly ReadonlySet<string>[],
  knownKeys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Witnesses>> {
  const results: PerformedRun[] = [];
  for (const options of runs) {
    const run = await runLiveInMemory(options, [alteration]);
    const isAccepted = run.options.live.accepted !== undefined;
    results.push({ cases: run.cases, failing: failuresOf(breaks, run), isAccepted });
  }
  return new Map(breaks.map((row) => [row, witnessesIn(row, weightsIn(row, results, knownKeys), sent, results)]));
}

/** How surely a case shows a defect: by itself, only together with its twin (`withAccepted`), sometimes or never. */
type Weight = 'direct' | 'withAccepted' | 'sometimes' | 'not';

function weightsIn(row: string, results: readonly PerformedRun[], knownKeys: ReadonlySet<string>): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  for (const { cases, failing } of results) {
    for (const testCase of cases) {
      const key = caseKey(testCase.scenario, testCase.label.operation, testCase.label);
      if (!knownKeys.has(key)) continue;
      const weight = failing.get(row)?.has(testCase) ? weigh(row, testCase, cases) : 'not';
      weights.set(key, combineWeights(weights.get(key) ?? weight, weight));
    }
  }
  return weights;
}

function combineWeights(one: Weight, other: Weight): Weight {
  if (one === other) return one;
  const isUncertain = [one, other].some((weight) => weight === 'not' || weight === 'sometimes');
  return isUncertain ? 'sometimes' : 'withAccepted';
}

function weigh(row: string, testCase: Case, cases: readonly Case[]): Weight {
  const fails = (group: readonly Case[]) =>
    judgeCases(row as never, group).some((found) => found.finding.outcome === 'fail' && found.testCase === testCase);
  if (fails([testCase])) return 'direct';
  const { twin } = testCase.label;
  const namedTwin = cases.find(({ scenario, number }) => scenario === twin?.scenario && number === twin.number);
  const twinCase = namedTwin ?? laterTwin(testCase, cases);
  return twinCase !== undefined && fails([testCase, twinCase]) ? 'withAccepted' : 'sometimes';
}

/** If a run misses the defect, its cases show the defect only at times: the defect can prevent requests. */
function witnessesIn(
  row: string,
  weights: ReadonlyMap<string, Weight>,
  sent: readonly ReadonlySet<string>[],
  results: readonly PerformedRun[],
): Witnesses {
  const keys = (wanted: Weight) => [...weights].flatMap(([key, weight]) => (weight === wanted ? [key] : []));
  const certain = { direct: keys('direct'), withAccepted: keys('withAccepted') };
  const isBinding = (id: string) => requirementById(id as never)?.kind !== 'expected' || id === row;
  const missedRuns = sent.filter(
    (keysOfRun, at) =>
      certainKeys(certain, keysOfRun).length > 0 &&
      ![...results[at]!.failing].some(([id, { size }]) => size > 0 && isBinding(id)),
  );
  const unreliable = new Set(missedRuns.flatMap((keysOfRun) => certainKeys(certain, keysOfRun)));
  const doctorIndex = runs.indexOf(doctorOnly);
  const { failing, isAccepted } = results[doctorIndex]!;
  const byDoctor = (failing.get(row)?.size ?? 0) > 0 && certainKeys(certain, sent[doctorIndex]!).length === 0;
  const reliable = (some: readonly string[]) => some.filter((key) => !unreliable.has(key));
  return {
    direct: [...reliable(certain.direct), ...(byDoctor ? [unknownEndpointKey] : [])],
    withAccepted: reliable(certain.withAccepted),
    sometimes: [...keys('sometimes'), ...unreliable, ...(isAccepted && !byDoctor ? [unknownEndpointKey] : [])],
  };
}

/** Writes both tables, which takes some minutes. `root` is the folder of the package. */
export async function writeTables(root: string): Promise<void> {
  await writeDecidingCalls(root);
  const { cases, witnesses } = await deriveWitnesses(mockDefects);
  const ranges = (keys: readonly string[]) => rangesOf(keys.map((key) => cases.indexOf(key)));
  const gateway = mockDefects.map(({ id, operation, summary }): [string, StoredDefects['gateway'][string]] => {
    const rows = [...witnesses.get(id)!].map(([row, { direct, withAccepted, sometimes }]) => {
      return [row, [ranges(direct), ranges(withAccepted), ranges(sometimes)] as const] as const;
    });
    return [id, { operation, summary, shows: Object.fromEntries(rows) }];
  });
  const client = usableClientDefects.map(({ id, operation, breaks }) => [id, { operation, breaks }] as const);
  // Write each case and each defect on a separate line, so that diffs are readable.
  const linesOf = (defects: readonly (readonly [string, object])[]) =>
    defects.map(([id, defect]) => `${JSON.stringify(id)}: ${JSON.stringify(defect)}`).join(',\n');
  await writeFile(
    join(root, 'src/verdict/forecast/shown-by.json'),
    `{\n"cases": [\n${cases.map((key) => JSON.stringify(key)).join(',\n')}\n],\n` +
      `"gateway": {\n${linesOf(gateway)}\n},\n"client": {\n${linesOf(client)}\n}\n}\n`,
  );
}

function rangesOf(places: readonly number[]): string {
  const found: [number, number][] = [];
  for (const place of places.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else found.push([place, place]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');
}

/** Calls to store for each defect. A single call may need a value that few seeds draw. */
const callsPerDefect = 3;

async function writeDecidingCalls(root: string): Promise<void> {
  const failing = new Map<string, ReadonlySet<string>[]>();
  for (const defect of usableClientDefects) {
    const { recorded, cases } = await runClientWith(defect);
    const evidence = evidenceOf(recorded!);
    const keys = cases.map(({ scenario, call }) => callKey(scenario, call!));
    for (const id of defect.breaks) {
      const found = evidence.judge(id as RequirementId).filter(({ finding }) => finding.outcome === 'fail');
      const calls = new Set(found.flatMap(({ exchanges }) => exchanges.map((number) => keys[number - 1]!)));
      failing.set(id, [...(failing.get(id) ?? []), calls]);
    }
  }
  const table = [...failing].sort().map(([id, all]) => `${JSON.stringify(id)}: ${JSON.stringify(cover(all), null, 1)}`);
  await writeFile(join(root, 'src/run/client/calls-shown-by.json'), `{\n${table.join(',\n')}\n}\n`);
}

/** Greedy set cover: each step takes the call that shows the most defects that still lack calls. */
function cover(defects: readonly ReadonlySet<string>[]): string[] {
  const chosen = new Set<string>();
  const lacksCalls = (calls: ReadonlySet<string>) =>
    Math.min(callsPerDefect, calls.size) > [...calls].filter((key) => chosen.has(key)).length;
  for (let uncovered = defects.filter(lacksCalls); uncovered.length > 0; uncovered = uncovered.filter(lacksCalls)) {
    const counts = new Map<string, number>();
    for (const key of uncovered.flatMap((calls) => [...calls])) {
      if (!chosen.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [[best]] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)) as [[string, number]];
    chosen.add(best);
  }
  return [...chosen].sort();
}
