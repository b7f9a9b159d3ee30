/** The folder of a run: every format is there, complete, and all of them speak of the same exchanges. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Surroundings } from '../../../src/app/command.ts';
import { endRun } from '../../../src/app/perform-run.ts';
import { writeReport } from '../../../src/app/write-report.ts';
import { fromHar } from '../../../src/record/read-har.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';
import { comparable } from '../record/arbitrary-cases.ts';
import { everything } from '../report/all-outcomes.ts';
import { sampleCases } from '../report/sample-cases.ts';

let out: string;

test.beforeEach(async () => {
  out = join(await mkdtemp(join(tmpdir(), 'countersign-')), 'run');
});

test.afterEach(async () => {
  await rm(join(out, '..'), { recursive: true });
});

test('a run leaves one file for each format and nothing half written', async () => {
  await writeReport({ result: everything, cases: sampleCases }, { out });
  expect((await readdir(out)).sort()).toEqual([
    'ctrf.json',
    'exchanges.har',
    'junit.xml',
    'report.html',
    'report.json',
    'summary.md',
  ]);
});

test('the exchanges come back from the folder exactly, by the numbers of the report', async () => {
  await writeReport({ result: everything, cases: sampleCases }, { out });
  const text = await readFile(join(out, 'exchanges.har'), 'utf8');
  expect(fromHar(text).map(({ examined }) => comparable(examined!))).toEqual(sampleCases.map(comparable));
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

test('a run that was aborted before any exchange has all its files too', async () => {
  await writeReport({ result: { ...everything, results: [], exchangeCount: 0 }, cases: [] }, { out });
  expect(await readdir(out)).toHaveLength(6);
  expect(fromHar(await readFile(join(out, 'exchanges.har'), 'utf8'))).toEqual([]);
});

test('a format that cannot be made costs the others nothing, and the report says that there is no conclusion', async () => {
  const recorded = {
    side: 'client',
    get records(): never {
      throw new Error('too large');
    },
  } as const;
  const written = writeReport({ result: everything, cases: sampleCases, recorded }, { out });
  await expect(written).rejects.toThrow('exchanges.har could not be made: too large');
  expect(await readdir(out)).toEqual(expect.arrayContaining(['junit.xml', 'report.html', 'report.json', 'summary.md']));
  const report = JSON.parse(await readFile(join(out, 'report.json'), 'utf8'));
  expect(report).toMatchObject({ conclusion: 'aborted', aborted: 'exchanges.har could not be made: too large' });
});

test('a report of which a part cannot be written is reported in one sentence, and nothing of it is left', async () => {
  // What is in the place of the last file lets the others be written before it.
  await mkdir(join(out, 'report.json', 'in the way'), { recursive: true });
  const told = { name: 'DiskError', message: expect.stringContaining(`the report in ${out} cannot be written (E`) };
  await expect(writeReport({ result: everything, cases: sampleCases }, { out })).rejects.toMatchObject(told);
  expect(await readdir(out)).toEqual(['report.json']);
  let said = '';
  const remark = (sentence: string) => {
    said += sentence;
  };
  const options = completeRunOptions({ out }, 0, '/nowhere');
  await endRun(options, { aborted: 'why', hint: 'Do this.' }, { remark } as Surroundings);
  expect(said).toMatch(
    /^why\. Nothing was judged\. Do this\. No report was written: the report in .* cannot be written \(EISDIR: it is a folder\)\.$/,
  );
  said = '';
  await endRun(options, { aborted: 'why', hint: 'Make room.', isLost: true }, { remark } as Surroundings);
  expect(said).toBe('why. Make room.');
});
