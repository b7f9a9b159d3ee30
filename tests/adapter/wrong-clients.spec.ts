/** Wrong clients in a process of their own, certified by the command: each fails exactly its rows, live and again from the recording. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { clientDefects } from '../../src/defects/client/index.ts';
import type { Result } from '../../src/result/result.ts';
import { root } from '../house/tree.ts';

const adapter = join(root, 'tests/adapter/reference-adapter.mjs');

/** One of each dimension, and the five that are most often met. */
const wrong: Readonly<Record<string, string>> = {
  'signs with the body left out': 'authentication/body-not-signed',
  'sends a raw + in the payload': 'recurring/payload-plus-raw',
  'takes an empty 200 as an error': 'recurring/empty-answer-taken-for-error',
  'loses digits of a long': 'close-day/longs-through-a-double',
  'accepts any certificate': 'transport/any-certificate',
};

let folder: string;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-'));
});

test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

for (const [what, id] of Object.entries(wrong)) {
  test(`a client that ${what} fails exactly its rows, and its recording is judged alike`, { tag: '@all' }, async () => {
    test.setTimeout(240_000);
    const defect = clientDefects.find((one) => one.id === id);
    expect(defect, id).toBeDefined();
    const run = join(folder, id.replace('/', '-'));
    const live = await countersign(run, 'client', '--seed', '7', '--cases', '3', '--', 'node', adapter, id);
    expect(live.code).toBe(1);
    expect(outcomes(live.report, 'fail')).toEqual([...defect!.breaks].sort());
    expect(live.report.conclusion).toBe('non-conformant');

    const again = await countersign(`${run}-judged`, 'judge', run);
    expect(again.code).toBe(1);
    expect(again.report.results).toEqual(live.report.results.map((row) => expect.objectContaining(verdictOf(row))));
  });
}

test('the reference client over real sockets is conformant, and so is its recording', { tag: '@all' }, async () => {
  test.setTimeout(240_000);
  const run = join(folder, 'right');
  const live = await countersign(run, 'client', '--seed', '7', '--cases', '3', '--', 'node', adapter);
  expect(live.code, JSON.stringify(live.report.results.filter(({ outcome }) => outcome !== 'pass'))).toBe(0);
  const again = await countersign(`${run}-judged`, 'judge', run);
  expect(again.code).toBe(0);
  expect(again.report.results).toEqual(live.report.results.map((row) => expect.objectContaining(verdictOf(row))));
});

async function countersign(out: string, ...args: string[]): Promise<{ code: number; report: Result }> {
  const [command, ...rest] = args;
  const words = [join(root, 'dist/src/cli/main.js'), command!, '--out', out, ...rest];
  const code = await promisify(execFile)(process.execPath, words, { timeout: 110_000 }).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  return { code, report: JSON.parse(await readFile(join(out, 'report.json'), 'utf8')) };
}

function outcomes(report: Result, wanted: string): string[] {
  return report.results.flatMap(({ id, outcome }) => (outcome === wanted ? [id] : [])).sort();
}

function verdictOf({ id, outcome, exchanges }: Result['results'][number]) {
  return { id, outcome, exchanges };
}
