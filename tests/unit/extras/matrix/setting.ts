/** A matrix whose commands are played: each leaves the report that it is told to, at a clock that the test sets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../../schemas/index.ts';
import type { MatrixPlan } from '../../../../src/extras/matrix/matrix-plan.ts';
import type { Ran, RunCommand } from '../../../../src/extras/matrix/processes.ts';
import { type MatrixOptions, type MatrixOutcome, runMatrix } from '../../../../src/extras/matrix/run-matrix.ts';
import { exitCode } from '../../../../src/record/result/conclude.ts';
import type { Result } from '../../../../src/record/result/result.ts';
import { jsonReport } from '../../../../src/report/json.ts';
import { matchesAny } from '../../../../src/run/options/selection.ts';
import { suite } from '../../../../src/run/options/suite-version.ts';
import { changedIds } from '../../../../src/verdict/diff/diff-runs.ts';
import { test } from '../../../engine.ts';
import { resultOf } from '../../verdict/runs.ts';

/** What a command does; the words are those behind the program and the file of the command. */
export type Play = (words: readonly string[]) => Result | Partial<Ran> | undefined;

export interface Setting {
  readonly out: string;
  /** Every command that was run, one line each. */
  readonly lines: string[];
  /** What was said meanwhile. */
  readonly said: string[];
  readonly stop: AbortController;
  run(plan: Omit<MatrixPlan, 'formatVersion'>, play: Play, more?: Partial<MatrixOptions>): Promise<MatrixOutcome>;
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
        askPair: async () => ({ is: 'works' }),
        start: async () => ({ stop: async () => {} }),
        base: test.info().outputPath(),
        surroundings,
        readReport: async (folder) => JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')),
        cli: ['node', 'main.js'],
        suite,
        faultOf: faultOfMatrix,
        compare: (before, now) => changedIds(before, now, { selects: matchesAny, statementOf: () => undefined }),
        ...more,
      });
    },
  };
}

/** `judge` finds what the run found. */
function played(play: Play, lines: string[]): RunCommand {
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
