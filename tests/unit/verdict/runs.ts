/** Small runs and recordings for tests. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../../../src/record/case.ts';
import type { Outcome, Result, ResultRow } from '../../../src/record/result/result.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { publishedKeys } from '../../../src/run/target/published.ts';
import { judgeRecordings } from '../../../src/verdict/conclude.ts';
import { diffRuns } from '../../../src/verdict/diff/diff-runs.ts';
import type { ComparedRun, Difference } from '../../../src/verdict/diff/difference.ts';
import { test } from '../../engine.ts';
import { resultOf as reportOf } from '../report/all-outcomes.ts';
import { type Answer, sampleCase } from '../rules/sample-cases.ts';

const nothing = { 'closes-day': 0, 'starts-payments': 0 };
let runs = 0;

export function resultOf(
  outcomes: Readonly<Record<string, Outcome | Partial<ResultRow>>>,
  more: Partial<Result> = {},
): Result {
  const results = Object.entries(outcomes).map(([id, input]): ResultRow => {
    const row = typeof input === 'string' ? { outcome: input } : input;
    return {
      id,
      operation: 'close-day',
      dimension: 'behaviour',
      kind: 'required',
      section: '2.2',
      outcome: 'pass',
      basis: 'document',
      exchanges: [],
      provenBy: [],
      ...row,
    };
  });
  runs += 1;
  return reportOf(results, {
    suite: { name: 'countersign', version: '0.1.0' },
    subject: { kind: 'gateway', name: 'gateway', target: 'https://gateway.example' },
    runId: `run${runs}`,
    profile: 'rfc5849',
    seed: '1',
    startedAt: '2026-01-31T12:00:00.000Z',
    conclusion: 'conformant',
    reproduce: 'npx countersign gateway --seed 1',
    causes: undefined,
    observations: [],
    effects: { predicted: nothing, recorded: nothing },
    unnoticed: { of: 400, count: 0, groups: [], notKnown: [], allowances: [] },
    ...more,
  });
}

/** An answer of close-day to the case that `special` names. */
export function answer(
  body: string,
  { special = 'plain', ...more }: Answer & { readonly special?: string } = {},
): Case {
  const headers = [['Content-Type', 'application/json']] as const;
  return sampleCase('close-day', { body, headers, ...more }, { differsIn: special });
}

/** Writes the folder of a run: its report, and its exchanges if they are given. */
export function storedRun(name: string, result: Result, cases?: readonly Case[] | string): string {
  const folder = test.info().outputPath(name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), jsonReport(result));
  const har = typeof cases === 'object' ? toHar(cases, { suite: result.suite, runId: result.runId }) : cases;
  if (har !== undefined) writeFileSync(join(folder, 'exchanges.har'), har);
  return folder;
}

export function diff(
  old: ComparedRun | Result,
  fresh: ComparedRun | Result,
  options: Parameters<typeof diffRuns>[2] = {},
): Difference {
  const run = (input: ComparedRun | Result): ComparedRun => ('result' in input ? input : { result: input });
  return diffRuns(run(old), run(fresh), options);
}

type JudgeInput = Parameters<typeof judgeRecordings>[0];

/** Options for judging recordings; the default keys are the published ones. */
export function judgeInput(
  side: Result['subject']['kind'],
  recordings: JudgeInput['recordings'],
  more: Partial<Pick<JudgeInput, 'only' | 'keys'>> = {},
): JudgeInput {
  const header = {
    suite: { name: 'countersign', version: '0.0.0' },
    subject: { kind: side, name: 'x', target: 'recording' },
    ...{ runId: 'run', profile: 'rfc5849', seed: '5', startedAt: '2026-01-31T12:00:00.000Z', durationMs: 1 },
    ...{ reproduce: 'r', effects: { predicted: nothing, recorded: nothing } },
  };
  return { header, only: [], recordings, keys: { hasKeys: true, keysOf: publishedKeys }, ...more };
}

export function judge(...args: Parameters<typeof judgeInput>): ReturnType<typeof judgeRecordings> {
  return judgeRecordings(judgeInput(...args));
}
