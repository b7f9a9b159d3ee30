/** Wrong clients in a process of their own: each fails exactly its rows, live and again from the recording. Needs dist/. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { concludeOpened } from '../../src/app/prove/run-in-process.ts';
import { clientDefects } from '../../src/faults/client/index.ts';
import type { Result } from '../../src/record/result/result.ts';
import { toHar } from '../../src/record/write-har.ts';
import { openClient } from '../../src/run/client/open-client.ts';
import { publishedKeys } from '../../src/run/target/published.ts';
import { judgeRecordings } from '../../src/verdict/recordings/judge-recordings.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';

const adapter = ['node', join(root, 'tests/adapter/reference-adapter.mjs')] as const;

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
    const defect = clientDefects.find((one) => one.id === id);
    expect(defect, id).toBeDefined();
    const [live, again] = await inThisProcess(id);
    expect(outcomes(live, 'fail')).toEqual([...defect!.breaks].sort());
    expect(live.conclusion).toBe('non-conformant');
    expect(again.conclusion).toBe('non-conformant');
    expect(again.results.map(verdictOf)).toEqual(live.results.map(verdictOf));
  });
}

test('the client in Node is conformant, and one that decodes each chunk of an answer by itself is not', async () => {
  const right = await readFile(join(root, 'adapters/node/adapter.mjs'), 'utf8');
  const wrong = right.replace('chunks.push(chunk)', 'chunks.push(Buffer.from(String(chunk)))');
  expect(wrong).not.toBe(right);
  const failed = async (text: string) => {
    const path = test.info().outputPath('adapter.mjs');
    await writeFile(path, text);
    const client = { command: [process.execPath, path], mode: 'process', plainHttp: false, cwd: root } as const;
    const { result } = await concludeOpened({ seed: '7', cases: 1 }, await openClient(client, '7'));
    return [result.conclusion, outcomes(result, 'fail')];
  };
  expect(await failed(right)).toEqual(['conformant', []]);
  expect(await failed(wrong)).toEqual(['non-conformant', ['close-day/decodes-error']]);
});

test('the reference client over real sockets is conformant, and so is its recording', { tag: '@all' }, async () => {
  const [live, again] = await inThisProcess();
  expect(live.results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')).toEqual([]);
  expect([live.conclusion, again.conclusion]).toEqual(['conformant', 'conformant']);
  expect(again.results.map(verdictOf)).toEqual(live.results.map(verdictOf));
});

test('the commands say the same of a wrong client, of its process and of its recording', { tag: '@all' }, async () => {
  const id = 'recurring/payload-plus-raw';
  const run = join(folder, 'run');
  const live = await countersign(run, 'client', '--seed', '7', '--cases', '3', '--', ...adapter, id);
  const again = await countersign(`${run}-judged`, 'judge', run);
  expect([live.code, live.report.conclusion, again.code]).toEqual([1, 'non-conformant', 1]);
  expect(outcomes(live.report, 'fail')).toEqual([...clientDefects.find((one) => one.id === id)!.breaks].sort());
  expect(again.report.results.map(verdictOf)).toEqual(live.report.results.map(verdictOf));
});

/** A run with the client in its own process as the command makes it, without the engine; and its recording judged. */
async function inThisProcess(...defects: readonly string[]): Promise<[live: Result, again: Result]> {
  const client = { command: [...adapter, ...defects], mode: 'process', plainHttp: false, cwd: root } as const;
  const run = await concludeOpened({ seed: '7', cases: 3 }, await openClient(client, '7'));
  const text = toHar(run.cases, run.result, { client: run.client });
  const { result } = judgeRecordings({
    header: run.result,
    side: 'client',
    only: [],
    recordings: [readRecording(text, 'stored')],
    keys: { hasKeys: true, keysOf: publishedKeys },
  });
  return [run.result, result];
}

async function countersign(out: string, ...args: string[]): Promise<{ code: number; report: Result }> {
  const [command, ...rest] = args;
  const words = [join(root, 'dist/src/app/main.js'), command!, '--out', out, ...rest];
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
