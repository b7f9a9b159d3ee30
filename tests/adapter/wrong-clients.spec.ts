/** A client process with one mistake fails exactly the requirements of this mistake, live and from its recording. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { runOpened } from '../../src/app/prove/run-in-process.ts';
import type { Result } from '../../src/record/result/result.ts';
import { toHar } from '../../src/record/write-har.ts';
import { openClient } from '../../src/run/client/open-client.ts';
import { publishedKeys } from '../../src/run/target/published.ts';
import { judgeRecordings } from '../../src/verdict/conclude.ts';
import { readRecording } from '../../src/verdict/recordings/recording.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';

/** Edits of the client in Node, and the requirements that each breaks. */
const edits: readonly (readonly [what: string, from: string, to: string, ...breaks: RequirementId[]])[] = [
  [
    'decodes each chunk of an answer by itself',
    'chunks.push(chunk)',
    'chunks.push(Buffer.from(String(chunk)))',
    'close-day/decodes-error',
  ],
  ['accepts any certificate', 'keepAlive: true,', 'rejectUnauthorized: false, keepAlive: true,', 'transport/https'],
];

for (const [what, from, to, ...breaks] of edits) {
  test(`a client that ${what} fails exactly its rows, and its recording gets the same verdicts @all`, async () => {
    const source = await readFile(join(root, 'adapters/node/adapter.mjs'), 'utf8');
    expect(source).toContain(from);
    const path = test.info().outputPath('adapter.mjs');
    await writeFile(
      path,
      source.replace(from, () => to),
    );
    const client = { command: [process.execPath, path], mode: 'process', plainHttp: false, cwd: root } as const;
    const run = await runOpened({ seed: '7', cases: 1 }, await openClient(client, '7'));
    const { result: rejudged } = judgeRecordings({
      header: run.result,
      only: [],
      recordings: [readRecording(toHar(run.cases, run.result, run.recorded), 'stored')],
      keys: { hasKeys: true, keysOf: publishedKeys },
    });
    expect([run.result.conclusion, rejudged.conclusion]).toEqual(['non-conformant', 'non-conformant']);
    expect(failing(run.result)).toEqual(breaks);
    expect(rejudged.results.map(verdictOf)).toEqual(run.result.results.map(verdictOf));
  });
}

function failing({ results }: Result): string[] {
  return results.flatMap(({ id, outcome }) => (outcome === 'fail' ? [id] : [])).sort();
}

function verdictOf({ id, outcome, exchanges }: Result['results'][number]) {
  return { id, outcome, exchanges };
}
