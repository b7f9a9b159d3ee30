/** Runs a matrix for a test. The test decides the reports of the commands, and sets the clock. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../../schemas/index.ts';
import type { CellRun, CellState, ImplementationMatrix, MatrixPlan } from '../../../../src/extras/matrix/matrix.ts';
import { type MatrixOptions, type Ran, runMatrix } from '../../../../src/extras/matrix/run-matrix.ts';
import { exitCode } from '../../../../src/record/result/conclude.ts';
import type { Result } from '../../../../src/record/result/result.ts';
import { jsonReport } from '../../../../src/report/json.ts';
import { suite } from '../../../../src/run/options/suite-version.ts';
import { changedIds } from '../../../../src/verdict/diff/diff-runs.ts';
import { test } from '../../../engine.ts';
import { resultOf } from '../../verdict/runs.ts';

type Play = (words: readonly string[]) => Result | Partial<Ran> | undefined;

interface Setting {
  readonly out: string;
  readonly lines: string[];
  readonly said: string[];
  readonly stop: AbortController;
  run(plan: Omit<MatrixPlan, 'formatVersion'>, play: Play, more?: Partial<MatrixOptions>): ReturnType<typeof runMatrix>;
}

export const kept = resultOf({ 'close-day/a': 'pass', 'close-day/b': 'pass' });
export const broken = resultOf({ 'close-day/a': 'fail', 'close-day/b': 'pass' }, { conclusion: 'non-conformant' });

export const faultOfMatrix = (value: unknown) => validate('matrix', value)[0]?.sentence;

export function setting(): Setting {
  const out = test.info().outputPath('public');
  const stop = new AbortController();
  const [lines, said]: [string[], string[]] = [[], []];
  return {
    out,
    lines,
    said,
    stop,
    run: (plan, play, more = {}) => {
      const run = played(play, lines);
      const surroundings = { env: {}, signal: stop.signal, limitMs: 60_000 };
      return runMatrix({
        plan: { formatVersion: 1, ...plan },
        out,
        only: [],
        live: [],
        seed: '7',
        now: () => Date.parse('2026-01-01T04:00:00.000Z'),
        say: (sentence) => void said.push(sentence),
        run,
        checkPair: async () => ({ is: 'works' }),
        start: async () => ({ stop: async () => {} }),
        base: test.info().outputPath(),
        surroundings,
        readReport: async (folder) => JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')),
        cli: ['node', 'main.js'],
        suite,
        faultOf: faultOfMatrix,
        compare: (before, now) => changedIds(before, now),
        ...more,
      });
    },
  };
}

/** Runs `play` for each command. By default, `judge` repeats the report of the judged run. */
function played(play: Play, lines: string[]): MatrixOptions['run'] {
  return async ([, , ...words]) => {
    lines.push(words.join(' '));
    const told = play(words) ?? (words[0] === 'judge' ? judged(words[1]!) : {});
    if (!('results' in told)) return { code: 0, err: '', ...told };
    const folder = words[words.indexOf('--out') + 1]!;
    writeFileSync(join(folder, 'report.json'), jsonReport(told));
    writeFileSync(join(folder, 'report.html'), 'a page');
    return { code: exitCode(told), err: '' };
  };
}

function judged(folder: string): Result {
  return JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
}

const run = (day: number, state: CellState, more: Partial<CellRun> = {}): CellRun => ({
  at: `2026-01-${day}T04:00:00.000Z`,
  state,
  suite: '0.1.0',
  version: '2.1.0',
  ...more,
});
const counts = { error: 0, fail: 0, inconclusive: 0, pass: 71, 'not-applicable': 0 };
const folder = 'runs/client/our-client/rfc5849/2026-01-31T04-00-00-000Z';
const reason = 'The adapter exited with code 127 before it answered hello';

export const shownMatrix: ImplementationMatrix = {
  format: 'countersign-matrix',
  formatVersion: 1,
  id: '0123456789abcdef0123456789abcdef',
  title: 'Gateway team',
  updatedAt: '2026-01-31T04:10:00.000Z',
  suite: { name: 'countersign', version: '0.1.0' },
  profiles: ['rfc5849', 'strict'],
  implementations: [
    {
      kind: 'client',
      name: 'our-client',
      cells: [
        {
          profile: 'rfc5849',
          runs: [
            run(30, 'conformant', { counts }),
            run(31, 'non-conformant', { counts: { ...counts, fail: 1, pass: 70 }, run: folder }),
          ],
        },
        {
          profile: 'strict',
          runs: [run(20, 'conformant', { counts, run: 'runs/client/our-client/strict/2026-01-20T04-00-00-000Z' })],
        },
      ],
    },
    {
      kind: 'client',
      name: 'other/client',
      cells: ['rfc5849', 'strict'].map((profile) => ({
        profile,
        runs: [run(30, 'aborted', { reason: 'the adapter fell over' }), run(31, 'unsupported', { reason })],
      })),
    },
    {
      kind: 'gateway',
      name: 'mock',
      cells: [
        {
          profile: 'rfc5849',
          runs: [run(31, 'conformant', { counts, hazards: 1, concluded: 'conformant, with 1 hazard' })],
        },
        { profile: 'strict', runs: [run(31, 'partial', { counts, only: ['close-day/*'] })] },
      ],
    },
    {
      kind: 'gateway',
      name: 'integration',
      waits: 'a live target needs --live and its name',
      cells: ['rfc5849', 'strict'].map((profile) => ({ profile, runs: [] })),
    },
  ],
  changes: [
    {
      at: '2026-01-31T04:00:00.000Z',
      kind: 'client',
      name: 'our-client',
      profile: 'rfc5849',
      from: 'conformant',
      to: 'non-conformant',
      is: 'worse',
      sentence: 'our-client, rfc5849: conformant became non-conformant; broke close-day/path',
      broke: ['close-day/path'],
      fixed: [],
      run: folder,
    },
  ],
  news: 1,
};
