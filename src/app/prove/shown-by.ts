/** Derives src/verdict/forecast/shown-by.json: which cases of a live run show which defect. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import { mockDefects } from '../../faults/index.ts';
import type { Case } from '../../record/case.ts';
import { judgeCases } from '../../rules/index.ts';
import { laterTwin } from '../../rules/twins.ts';
import { plenty } from '../../run/gateway/planned-cases.ts';
import type { LiveConfig } from '../../run/target/live-config.ts';
import {
  caseKey,
  certainIn,
  keysOfCases,
  type StoredTable,
  toStored,
  unknownEndpointKey,
  type Witnesses,
  withUnknownEndpoint,
} from '../../verdict/forecast/shown-by.ts';
import { type InMemoryOptions, liveOptionsInMemory, runLiveInMemory, verdictsOn } from './live-in-memory.ts';

const places = { unknownEndpointId: '999999999', controlUrl: 'http://127.0.0.1:2' };

/** Allows nothing: doctor's request to the unknown endpoint is all it can show. */
const doctorAlone = options('d', [0, 0], places);

/** The first three contain every case. The others end at different places. */
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

export async function rightRuns(): Promise<readonly ReadonlySet<string>[]> {
  const sent: Set<string>[] = [];
  for (const options of runs) {
    const { cases } = await runLiveInMemory(options, []);
    sent.push(withUnknownEndpoint(keysOfCases(cases), options.live));
  }
  return sent;
}

/** All keys of the correct runs, in the order of a whole run. */
export function keysOf(right: readonly ReadonlySet<string>[]): string[] {
  return [...new Set(right.flatMap((sent) => [...sent]))];
}

export async function deriveShownBy(
  { breaks, alteration }: GatewayDefect,
  right: readonly ReadonlySet<string>[],
): Promise<ReadonlyMap<string, Witnesses>> {
  const performed: Performed[] = [];
  for (const options of runs) {
    const run = await runLiveInMemory(options, [alteration]);
    const { accepted } = run.options.live;
    performed.push({ cases: run.cases, failing: verdictsOn(breaks, run), accepted: accepted !== undefined });
  }
  const known = new Set(keysOf(right));
  const shown = new Map(
    breaks.map((row) => [
      row,
      weighed(
        performed.map(({ cases, failing }) => weigh(row, cases, failing)),
        known,
      ),
    ]),
  );
  return new Map([...shown].map(([row, witnesses]) => [row, held(row, witnesses, right, performed)]));
}

/** `atTimes`: it fails in the whole run, but not alone. */
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
  /** Whether doctor's request was accepted, which changes the run from the start. */
  readonly accepted: boolean;
}

type Failing = ReadonlyMap<string, ReadonlySet<Case>>;

/** A key is certain if all its cases show the requirement in every run. */
function weighed(all: readonly (readonly (readonly [string, Weight])[])[], known: ReadonlySet<string>): Witnesses {
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

/** Demotes keys that fail in a shorter run because the defect changed the requests. */
function held(
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

/** Takes one or two minutes. `root`: folder of the package. */
export async function writeShownBy(root: string): Promise<void> {
  const right = await rightRuns();
  const shown = new Map<string, ReadonlyMap<string, Witnesses>>();
  for (const defect of mockDefects) shown.set(defect.id, await deriveShownBy(defect, right));
  await writeFile(join(root, 'src/verdict/forecast/shown-by.json'), inLines(toStored(keysOf(right), shown)));
}

/** One line per case and defect, for readable diffs. */
function inLines({ cases, defects }: StoredTable): string {
  const lines = Object.entries(defects).map(([id, rows]) => `${JSON.stringify(id)}: ${JSON.stringify(rows)}`);
  const names = cases.map((key) => JSON.stringify(key));
  return `{\n"cases": [\n${names.join(',\n')}\n],\n"defects": {\n${lines.join(',\n')}\n}\n}\n`;
}
