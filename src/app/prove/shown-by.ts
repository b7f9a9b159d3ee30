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
  certainIn,
  keysOfCases,
  type StoredDefects,
  unknownEndpointKey,
  type Witnesses,
  withUnknownEndpoint,
} from '../../verdict/forecast/shown-by.ts';
import { runClientWith } from './kill.ts';
import { type InMemoryOptions, liveOptionsInMemory, runLiveInMemory, verdictsOn } from './live-in-memory.ts';

const places = { unknownEndpointId: '999999999', controlUrl: 'http://127.0.0.1:2' };

/** A run that may not close a day or start a payment. It shows which defects doctor's own request reveals. */
const doctorAlone = options('d', [0, 0], places);

/** The first three runs perform every case. The others have a smaller allowance, so they perform some of the cases. */
const runs: readonly InMemoryOptions[] = [
  options('a', [wholeRunAllowance.days, 2000], places),
  options('b', [wholeRunAllowance.days, 2000]),
  options('c', [120, 200], places),
  doctorAlone,
  options('e', [1, 1]),
  options('f', [0, 4]),
  options('g', [4, 0]),
  options('h', [9, 9], places),
  options('i', [0, 40]),
  options('j', [30, 0]),
  options('k', [2, 2]),
  options('l', [3, 3], places),
];

function options(seed: string, [days, payments]: [number, number], config: Partial<LiveConfig> = {}): InMemoryOptions {
  const allow = { 'closes-day': days, 'starts-payments': { count: payments, total: `${payments}.00` } };
  return liveOptionsInMemory({ seed }, { allow, ...config });
}

/** Finds the keys of the cases that show each defect. Groups the keys by defect and broken requirement. */
export async function deriveShownBy(defects: readonly GatewayDefect[]) {
  const sent: ReadonlySet<string>[] = [];
  for (const options of runs) {
    const { cases } = await runLiveInMemory(options, []);
    sent.push(withUnknownEndpoint(keysOfCases(cases), options.live));
  }
  // The first run performs every case, so the keys have the order of that run.
  const cases = [...new Set(sent.flatMap((keys) => [...keys]))];
  const shown = new Map<string, ReadonlyMap<string, Witnesses>>();
  for (const defect of defects) shown.set(defect.id, await witnessesOf(defect, sent, new Set(cases)));
  return { cases, shown };
}

interface Performed {
  readonly cases: readonly Case[];
  readonly failing: ReadonlyMap<string, ReadonlySet<Case>>;
  /** True if the gateway accepted the request of doctor. This changes the whole run. */
  readonly accepted: boolean;
}

/** `sent`: for each run, the keys of its cases on a mock without defects. */
async function witnessesOf(
  { breaks, alteration }: GatewayDefect,
  sent: readonly ReadonlySet<string>[],
  known: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Witnesses>> {
  const performed: Performed[] = [];
  for (const options of runs) {
    const run = await runLiveInMemory(options, [alteration]);
    const accepted = run.options.live.accepted !== undefined;
    performed.push({ cases: run.cases, failing: verdictsOn(breaks, run), accepted });
  }
  return new Map(breaks.map((row) => [row, witnessesIn(row, weightsIn(row, performed, known), sent, performed)]));
}

/** How surely a case shows a defect: by itself, only together with its twin (`besideRight`), sometimes or never. */
type Weight = 'alone' | 'besideRight' | 'atTimes' | 'not';

function weightsIn(row: string, performed: readonly Performed[], known: ReadonlySet<string>): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  for (const { cases, failing } of performed) {
    for (const testCase of cases) {
      const key = caseKey(testCase.scenario, testCase.label.operation, testCase.label);
      if (!known.has(key)) continue;
      const weight = failing.get(row)?.has(testCase) ? weigh(row, testCase, cases) : 'not';
      weights.set(key, jointWeight(weights.get(key) ?? weight, weight));
    }
  }
  return weights;
}

function jointWeight(one: Weight, other: Weight): Weight {
  if (one === other) return one;
  const isUncertain = [one, other].some((weight) => weight === 'not' || weight === 'atTimes');
  return isUncertain ? 'atTimes' : 'besideRight';
}

function weigh(row: string, testCase: Case, cases: readonly Case[]): Weight {
  const fails = (some: readonly Case[]) =>
    judgeCases(row as never, some).some((found) => found.finding.outcome === 'fail' && found.testCase === testCase);
  if (fails([testCase])) return 'alone';
  const { twin } = testCase.label;
  const named = cases.find(({ scenario, number }) => scenario === twin?.scenario && number === twin.number);
  const beside = named ?? laterTwin(testCase, cases);
  return beside !== undefined && fails([testCase, beside]) ? 'besideRight' : 'atTimes';
}

/** If a run misses the defect, its cases show the defect only at times: the defect can prevent requests. */
function witnessesIn(
  row: string,
  weights: ReadonlyMap<string, Weight>,
  sent: readonly ReadonlySet<string>[],
  performed: readonly Performed[],
): Witnesses {
  const keys = (wanted: Weight) => [...weights].flatMap(([key, weight]) => (weight === wanted ? [key] : []));
  const certain = { alone: keys('alone'), besideRight: keys('besideRight') };
  const binds = (id: string) => requirementById(id as never)?.kind !== 'expected' || id === row;
  const missed = sent.filter(
    (keysOfRun, at) =>
      certainIn(certain, keysOfRun).length > 0 &&
      ![...performed[at]!.failing].some(([id, { size }]) => size > 0 && binds(id)),
  );
  const untrue = new Set(missed.flatMap((keysOfRun) => certainIn(certain, keysOfRun)));
  const early = runs.indexOf(doctorAlone);
  const { failing, accepted } = performed[early]!;
  const byDoctor = (failing.get(row)?.size ?? 0) > 0 && certainIn(certain, sent[early]!).length === 0;
  const kept = (some: readonly string[]) => some.filter((key) => !untrue.has(key));
  return {
    alone: [...kept(certain.alone), ...(byDoctor ? [unknownEndpointKey] : [])],
    besideRight: kept(certain.besideRight),
    atTimes: [...keys('atTimes'), ...untrue, ...(accepted && !byDoctor ? [unknownEndpointKey] : [])],
  };
}

/** Writes both tables, which takes some minutes. `root` is the folder of the package. */
export async function writeTables(root: string): Promise<void> {
  await writeDecidingCalls(root);
  const { cases, shown } = await deriveShownBy(mockDefects);
  const ranges = (keys: readonly string[]) => rangesOf(keys.map((key) => cases.indexOf(key)));
  const gateway = mockDefects.map(({ id, operation, summary }): [string, StoredDefects['gateway'][string]] => {
    const rows = [...shown.get(id)!].map(([row, { alone, besideRight, atTimes }]) => {
      return [row, [ranges(alone), ranges(besideRight), ranges(atTimes)] as const] as const;
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
const wantedCalls = 3;

async function writeDecidingCalls(root: string): Promise<void> {
  const failing = new Map<string, ReadonlySet<string>[]>();
  for (const defect of usableClientDefects) {
    const { recorded, cases } = await runClientWith(defect);
    const evidence = evidenceOf(recorded!);
    const keys = cases.map(({ scenario, call }) => callKey(scenario, call!));
    for (const id of defect.breaks) {
      const found = evidence.judge(id as RequirementId).filter(({ finding }) => finding.outcome === 'fail');
      const where = new Set(found.flatMap(({ exchanges }) => exchanges.map((number) => keys[number - 1]!)));
      failing.set(id, [...(failing.get(id) ?? []), where]);
    }
  }
  const table = [...failing].sort().map(([id, all]) => `${JSON.stringify(id)}: ${JSON.stringify(cover(all), null, 1)}`);
  await writeFile(join(root, 'src/run/client/calls-shown-by.json'), `{\n${table.join(',\n')}\n}\n`);
}

/** Greedy set cover: each step takes the call that shows the most defects that still lack calls. */
function cover(defects: readonly ReadonlySet<string>[]): string[] {
  const chosen = new Set<string>();
  const missing = (where: ReadonlySet<string>) =>
    Math.min(wantedCalls, where.size) > [...where].filter((key) => chosen.has(key)).length;
  for (let open = defects.filter(missing); open.length > 0; open = open.filter(missing)) {
    const counts = new Map<string, number>();
    for (const key of open.flatMap((where) => [...where])) {
      if (!chosen.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [[best]] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)) as [[string, number]];
    chosen.add(best);
  }
  return [...chosen].sort();
}
