/** The verification as a part of a run: the engine starts it, the reporter writes it into report.json. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startEngine } from '../../../src/engine/start-engine.ts';
import { completeRunOptions, type RunOptions } from '../../../src/options/run-options.ts';
import { exitCode } from '../../../src/result/conclude.ts';
import type { Result } from '../../../src/result/result.ts';

// A whole run, although a short one.
test.describe.configure({ timeout: 180_000 });

test('an interaction that does not hold is in report.json beside the results, and fails the run', {
  tag: '@all',
}, async () => {
  const report = await run({ defects: ['recurring/accepted-chunked'] });
  expect(report.contracts).toHaveLength(7);
  expect(report.contracts?.filter(({ outcome }) => outcome !== 'pass')).toEqual([
    {
      pact: 'recurring-payments-client-payment-gateway.json',
      interaction: 'a batch of recurring payments',
      state: 'profile exists',
      outcome: 'fail',
      blame: 'subject',
      mismatches: [expect.stringContaining('Content-Length')],
    },
  ]);
  expect(report.conclusion).toBe('non-conformant');
  expect(exitCode(report)).toBe(1);
});

test('a run narrowed with --only verifies no contract', { tag: '@all' }, async () => {
  const report = await run({ only: ['close-day/serial-present'] });
  expect(report.contracts).toBeUndefined();
  expect(report.conclusion).toBe('conformant');
});

async function run(given: Partial<RunOptions>): Promise<Result> {
  const out = mkdtempSync(join(tmpdir(), 'countersign-contracts-'));
  try {
    const options = completeRunOptions({ ...given, out, cases: 1, seed: 'contracts', json: true }, Date.now(), out);
    await startEngine(options, { PATH: process.env.PATH });
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  } finally {
    rmSync(out, { recursive: true });
  }
}
