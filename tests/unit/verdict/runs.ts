/** Small runs to be compared: what is left out is as in any other. */

import type { Case } from '../../../src/record/case.ts';
import { countByDimension } from '../../../src/record/result/conclude.ts';
import type { Outcome, Result, ResultRow } from '../../../src/record/result/result.ts';
import { matchesAny } from '../../../src/run/options/selection.ts';
import { type DiffOptions, diffRuns } from '../../../src/verdict/diff/diff-runs.ts';
import type { ComparedRun, Difference } from '../../../src/verdict/diff/difference.ts';

let runs = 0;

export function resultOf(
  outcomes: Readonly<Record<string, Outcome | Partial<ResultRow>>>,
  more: Partial<Result> = {},
): Result {
  const results = Object.entries(outcomes).map(([id, given]): ResultRow => {
    const told = typeof given === 'string' ? { outcome: given } : given;
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
      ...told,
    };
  });
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  runs += 1;
  return {
    format: 'countersign-report',
    formatVersion: 1,
    suite: { name: 'countersign', version: '0.1.0' },
    subject: { kind: 'gateway', name: 'gateway', target: 'https://gateway.example' },
    runId: `run${runs}`,
    profile: 'rfc5849',
    seed: '1',
    startedAt: '2026-01-31T12:00:00.000Z',
    durationMs: 1000,
    conclusion: 'conformant',
    reproduce: 'npx countersign gateway --seed 1',
    dimensions: countByDimension(results),
    results,
    observations: [],
    effects: { predicted: nothing, recorded: nothing },
    unnoticed: { of: 400, count: 0, groups: [], notKnown: [], allowances: [] },
    exchangeCount: 0,
    ...more,
  };
}

/** An answer of close-day to the case that `special` names. */
export function answer(
  body: string,
  {
    special = 'plain',
    status = 200,
    headers = [['Content-Type', 'application/json']] as readonly (readonly [string, string])[],
  } = {},
): Case {
  return {
    scenario: 'close-day/minimal',
    number: 1,
    label: { operation: 'close-day', intent: 'valid', differsIn: special },
    exchange: {
      request: {
        method: 'POST',
        scheme: 'https',
        host: 'gateway.example',
        target: '/close-day/1',
        headers: [],
        body: Buffer.alloc(0),
      },
      response: { status, reason: 'OK', headers, body: Buffer.from(body) },
      startedAt: 0,
      durationMs: 1,
    },
  };
}

export function diff(
  old: ComparedRun | Result,
  fresh: ComparedRun | Result,
  options: Partial<DiffOptions> = {},
): Difference {
  const run = (given: ComparedRun | Result): ComparedRun => ('result' in given ? given : { result: given });
  return diffRuns(run(old), run(fresh), { selects: matchesAny, statementOf: () => undefined, ...options });
}
