/** Writes the files of a run and prints its end. The report is complete or absent: files are renamed into place. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { requirementById } from '../../contracts/requirements/index.ts';
import { jsonReport } from '../report/json.ts';
import { junitReport } from '../report/junit.ts';
import { mayColour } from '../report/terminal.ts';
import { textReport } from '../report/text.ts';
import type { Result } from '../result/result.ts';
import type { RunOptions } from './run-options.ts';

/** Writes report.json last: whoever finds it finds the other files too. */
export async function writeReport(result: Result, options: Pick<RunOptions, 'out' | 'json'>): Promise<void> {
  const statements = requirementById;
  await mkdir(options.out, { recursive: true });
  await put(options.out, 'junit.xml', junitReport(result, { statements }));
  await put(options.out, 'report.json', jsonReport(result));
  if (options.json) return;
  process.stdout.write(
    `\n${textReport(result, {
      statements,
      colour: mayColour(process.stdout, process.env),
      width: process.stdout.columns ?? 100,
      files: [relative(process.cwd(), options.out) || '.'],
    })}`,
  );
}

async function put(folder: string, name: string, text: string): Promise<void> {
  const partial = join(folder, `.${name}.partial`);
  await writeFile(partial, text);
  await rename(partial, join(folder, name));
}
