/** Writes two stored tables: the cases of a live run that show a defect, and the calls that show a requirement. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RequirementId, requirementById } from '../../../contracts/requirements/index.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import { mockDefects, usableClientDefects } from '../../faults/index.ts';
import type { Case } from '../../record/case.ts';
import { judgeCases } from '../../rules/index.ts';
import { laterTwin } from '../../rules/twins.ts';
import { callKey } from '../../run/client/needed-calls.ts';
import { plenty } from '../../run/gateway/planned-cases.ts';
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

/** The allowance of this run is empty. So only the request of doctor to the unknown endpoint shows a defect. */
const doctorAlone = options('d', [0, 0], places);

/** The first three runs perform every case. Each other run has a smaller allowance, so it performs a part of the cases. */
const runs: readonly InMemoryOptions[] = [
  options('a', [plenty.days, 2000], places),
  options('b', [plenty.days, 2000]),
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

/** For each defect, and each requirement that it breaks: finds the keys of the cases that show the failure. */
export async function deriveShownBy(defects: readonly GatewayDefect[]) {
  const right = await rightRuns();
  // The first run performs every case, so it gives the order.
  const cases = [...new Set(right.flatMap((sent) => [...sent]))];
  const shown = new Map<string, ReadonlyMap<string, Witnesses>>();
  for (const defect of defects) shown.set(defect.id, await witnessesOf(defect, right, new Set(cases)));
  return { cases, shown };
}

/** The keys of the cases that each run performs on the conforming mock. */
async function rightRuns(): Promise<readonly ReadonlySet<string>[]> {
  const sent: Set<string>[] = [];
  for (const options of runs) {
    const { cases } = await runLiveInMemory(options, []);
    sent.push(withUnknownEndpoint(keysOfCases(cases), options.live));
  }
  return sent;
}

async function witnessesOf(
  { breaks, alteration }: GatewayDefect,
  right: readonly ReadonlySet<string>[],
  known: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Witnesses>> {
  const performed: Performed[] = [];
  for (const options of runs) {
    const run = await runLiveInMemory(options, [alteration]);
    const { accepted } = run.options.live;
    performed.push({ cases: run.cases, failing: verdictsOn(breaks, run), accepted: accepted !== undefined });
  }
  return new Map(
    breaks.map((row) => {
      const weights = performed.map(({ cases, failing }) => weigh(row, cases, failing));
      return [row, demote(row, sortByWeight(weights, known), right, performed)];
    }),
  );
}

/** How a case fails: alone, together with its twin (`besideRight`), only in some runs (`atTimes`), or never (`not`). */
type Weight = 'alone' | 'besideRight' | 'atTimes' | 'not';

function weigh(row: string, cases: readonly Case[], failing: Failing): readonly (readonly [string, Weight])[] {
  const failed = failing.get(row) ?? new Set<Case>();
  const fails = (some: readonly Case[]) =>
    judgeCases(row as never, some).some(({ finding, testCase }) => finding.outcome === 'fail' && testCase === some[0]);
  return cases.map((testCase) => {
    const key = caseKey(testCase.scenario, testCase.label.operation, testCase.label);
    if (!failed.has(testCase)) return [key, 'not'];
    if (fails([testCase])) return [key, 'alone'];
    const { twin } = testCase.label;
    const named = cases.find(({ scenario, number }) => scenario === twin?.scenario && number === twin.number);
    const beside = named ?? laterTwin(testCase, cases);
    return [key, beside !== undefined && fails([testCase, beside]) ? 'besideRight' : 'atTimes'];
  });
}

interface Performed {
  readonly cases: readonly Case[];
  readonly failing: Failing;
  /** True if the gateway accepted the request of doctor. This changes the whole run. */
  readonly accepted: boolean;
}

type Failing = ReadonlyMap<string, ReadonlySet<Case>>;

/** Sorts keys by how their cases fail. A key is `alone` or `besideRight` only if its cases fail in every run. */
function sortByWeight(all: readonly (readonly (readonly [string, Weight])[])[], known: ReadonlySet<string>): Witnesses {
  const found = new Map<string, Set<Weight>>();
  for (const [key, weight] of all.flat()) if (known.has(key)) found.set(key, (found.get(key) ?? new Set()).add(weight));
  const [alone, besideRight, atTimes]: [string[], string[], string[]] = [[], [], []];
  for (const [key, weights] of found) {
    if (weights.size === 1 && weights.has('not')) continue;
    if (weights.has('not') || weights.has('atTimes')) atTimes.push(key);
    else if (weights.has('besideRight')) besideRight.push(key);
    else alone.push(key);
  }
  return { alone, besideRight, atTimes };
}

/** A defect can change which requests are sent. Moves keys to `atTimes` if a shorter run misses the defect. */
function demote(
  row: string,
  { alone, besideRight, atTimes }: Witnesses,
  right: readonly ReadonlySet<string>[],
  performed: readonly Performed[],
): Witnesses {
  const binds = (id: string) => requirementById(id as never)?.kind !== 'expected' || id === row;
  const missed = right.filter(
    (sent, at) =>
      certainIn({ alone, besideRight }, sent).length > 0 &&
      ![...performed[at]!.failing].some(([id, { size }]) => size > 0 && binds(id)),
  );
  const isUntrue = (witnesses: Pick<Witnesses, 'alone' | 'besideRight'>) =>
    missed.some((sent) => certainIn(witnesses, sent).length > 0);
  const [a, b] = [
    alone.filter((key) => isUntrue({ alone: [key], besideRight: [] })),
    besideRight.filter((key) => isUntrue({ alone: [], besideRight: [key] })),
  ];
  const early = runs.indexOf(doctorAlone);
  const { failing, accepted } = performed[early]!;
  const byDoctor = (failing.get(row)?.size ?? 0) > 0 && certainIn({ alone, besideRight }, right[early]!).length === 0;
  return {
    alone: [...alone.filter((key) => !a.includes(key)), ...(byDoctor ? [unknownEndpointKey] : [])],
    besideRight: besideRight.filter((key) => !b.includes(key)),
    atTimes: [...atTimes, ...a, ...b, ...(accepted && !byDoctor ? [unknownEndpointKey] : [])],
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
  // Write each case and each defect on its own line, so that diffs are readable.
  const linesOf = (defects: readonly (readonly [string, object])[]) =>
    defects.map(([id, defect]) => `${JSON.stringify(id)}: ${JSON.stringify(defect)}`).join(',\n');
  await writeFile(
    join(root, 'src/verdict/forecast/shown-by.json'),
    `{\n"cases": [\n${cases.map((key) => JSON.stringify(key)).join(',\n')}\n],\n` +
      `"gateway": {\n${linesOf(gateway)}\n},\n"client": {\n${linesOf(client)}\n}\n}\n`,
  );
}

/** The places as ranges, such as `3 5-8`. */
function rangesOf(places: readonly number[]): string {
  const found: [number, number][] = [];
  for (const place of places.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else found.push([place, place]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');
}

/** How many calls to store for each defect. One call is not enough: it may need a value that few seeds draw. */
const maxWitnesses = 3;

/** Writes for each requirement the calls that show every defect that breaks the requirement. */
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

/** Chooses enough calls for all defects. In each step, it takes the call that most defects still need. */
function cover(defects: readonly ReadonlySet<string>[]): string[] {
  const chosen = new Set<string>();
  const missing = (where: ReadonlySet<string>) =>
    Math.min(maxWitnesses, where.size) > [...where].filter((key) => chosen.has(key)).length;
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
