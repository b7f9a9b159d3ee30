/** Runs a matrix for a test. The test decides the reports of the commands, and sets the clock. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../../schemas/index.ts';
import type { CellRun, CellState, ImplementationMatrix, MatrixPlan } from '../../../../src/extras/matrix/matrix.ts';
import { type CommandResult, type MatrixOptions, runMatrix } from '../../../../src/extras/matrix/run-matrix.ts';
import { exitCode } from '../../../../src/record/result/conclude.ts';
import type { Result } from '../../../../src/record/result/result.ts';
import { jsonReport } from '../../../../src/report/json.ts';
import { suite } from '../../../../src/run/options/suite-version.ts';
import { changedIds } from '../../../../src/verdict/diff/diff-runs.ts';
import { test } from '../../../engine.ts';
import { reportIn } from '../../app/run-command.ts';
import { resultOf } from '../../verdict/runs.ts';

type Stub = (words: readonly string[]) => Result | Partial<CommandResult> | undefined;

export const passing = resultOf({ 'close-day/a': 'pass', 'close-day/b': 'pass' });
export const broken = resultOf({ 'close-day/a': 'fail', 'close-day/b': 'pass' }, { conclusion: 'non-conformant' });

export const faultOfMatrix = (value: unknown) => validate('matrix', value)[0]?.sentence;

export function setting() {
  const out = test.info().outputPath('public');
  const stop = new AbortController();
  const [lines, messages]: [string[], string[]] = [[], []];
  return {
    out,
    lines,
    messages,
    stop,
    run: (plan: Omit<MatrixPlan, 'formatVersion'>, stub: Stub, more: Partial<MatrixOptions> = {}) => {
      const surroundings = { env: {}, signal: stop.signal, limitMs: 60_000 };
      return runMatrix({
        plan: { formatVersion: 1, ...plan },
        out,
        only: [],
        live: [],
        seed: '7',
        now: () => Date.parse('2026-01-01T04:00:00.000Z'),
        remark: (sentence) => void messages.push(sentence),
        run: runStub(stub, lines),
        checkPair: async () => ({ is: 'works' }),
        start: async () => ({ stop: async () => {} }),
        base: test.info().outputPath(),
        commandOptions: surroundings,
        readReport: async (folder) => reportIn(folder),
        cli: ['node', 'main.js'],
        suite,
        faultOf: faultOfMatrix,
        compare: (before, after) => changedIds(before, after),
        ...more,
      });
    },
  };
}

/** Runs `stub` for each command. By default, `judge` repeats the report of the judged run. */
function runStub(stub: Stub, lines: string[]): MatrixOptions['run'] {
  return async ([, , ...words]) => {
    lines.push(words.join(' '));
    const result = stub(words) ?? (words[0] === 'judge' ? (reportIn(words[1]!) as Result) : {});
    if (!('results' in result)) return { code: 0, err: '', ...result };
    const folder = words[words.indexOf('--out') + 1]!;
    writeFileSync(join(folder, 'report.json'), jsonReport(result));
    writeFileSync(join(folder, 'report.html'), 'a page');
    return { code: exitCode(result), err: '' };
  };
}

const run = (day: number, state: CellState, more: Partial<CellRun> = {}): CellRun => ({
  at: `2026-01-${day}T04:00:00.000Z`,
  state,
  suite: '0.1.0',
  version: '2.1.0',
  ...more,
});
const cell = (profile: string, ...runs: CellRun[]) => ({ profile, runs });
const counts = { error: 0, fail: 0, inconclusive: 0, pass: 71, 'not-applicable': 0 };
const folder = 'runs/client/our-client/rfc5849/2026-01-31T04-00-00-000Z';
const reason = 'The adapter exited with code 127 before it answered hello';

export const demoMatrix: ImplementationMatrix = {
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
        cell(
          'rfc5849',
          run(30, 'conformant', { counts }),
          run(31, 'non-conformant', { counts: { ...counts, fail: 1, pass: 70 }, run: folder }),
        ),
        cell(
          'strict',
          run(20, 'conformant', { counts, run: folder.replace('rfc5849/2026-01-31', 'strict/2026-01-20') }),
        ),
      ],
    },
    {
      kind: 'client',
      name: 'other/client',
      cells: ['rfc5849', 'strict'].map((profile) =>
        cell(profile, run(30, 'aborted', { reason: 'the adapter fell over' }), run(31, 'unsupported', { reason })),
      ),
    },
    {
      kind: 'gateway',
      name: 'mock',
      cells: [
        cell('rfc5849', run(31, 'conformant', { counts, hazards: 1, concluded: 'conformant, with 1 hazard' })),
        cell('strict', run(31, 'partial', { counts, only: ['close-day/*'] })),
      ],
    },
    {
      kind: 'gateway',
      name: 'integration',
      waits: 'a live target runs only if --live names it',
      cells: [cell('rfc5849'), cell('strict')],
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
