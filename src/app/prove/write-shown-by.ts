/** src/verdict/forecast/shown-by.json: which cases of a live run show which defect, found anew from runs with each of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mockDefects } from '../../faults/index.ts';
import type { Witnesses } from '../../verdict/forecast/shown-by.ts';
import { type StoredTable, toStored } from '../../verdict/forecast/shown-by.ts';
import { deriveShownBy, keysOf, rightRuns } from './derive-shown-by.ts';

/** Takes a minute or two. `root` is the folder of the package. */
export async function writeShownBy(root: string): Promise<void> {
  const right = await rightRuns();
  const shown = new Map<string, ReadonlyMap<string, Witnesses>>();
  for (const defect of mockDefects) shown.set(defect.id, await deriveShownBy(defect, right));
  await writeFile(join(root, 'src/verdict/forecast/shown-by.json'), inLines(toStored(keysOf(right), shown)));
}

/** A line for each case and each defect, so that a change can be read. */
function inLines({ cases, defects }: StoredTable): string {
  const lines = Object.entries(defects).map(([id, rows]) => `${JSON.stringify(id)}: ${JSON.stringify(rows)}`);
  const names = cases.map((key) => JSON.stringify(key));
  return `{\n"cases": [\n${names.join(',\n')}\n],\n"defects": {\n${lines.join(',\n')}\n}\n}\n`;
}
