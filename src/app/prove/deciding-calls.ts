/** Derives src/run/client/calls-shown-by.json: for each requirement, calls in which each client that breaks it fails. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { clientDefects } from '../../faults/index.ts';
import { callKey } from '../../run/client/needed-calls.ts';
import { evidenceOf } from '../../verdict/conclude.ts';
import { runClientWith } from './kill.ts';

/** Calls for each defect, if it has so many: one may depend on a value that another seed does not draw. */
const maxWitnesses = 3;

/** Takes about a minute. `root`: folder of the package. */
export async function writeDecidingCalls(root: string): Promise<void> {
  await writeFile(join(root, 'src/run/client/calls-shown-by.json'), await decidingCalls());
}

async function decidingCalls(): Promise<string> {
  const failing = new Map<string, ReadonlySet<string>[]>();
  for (const defect of clientDefects.filter(({ reach }) => reach === undefined)) {
    const { recorded, cases } = await runClientWith(defect);
    const evidence = evidenceOf(recorded!);
    const keys = cases.map(({ scenario, call }) => callKey(scenario, call!));
    for (const id of defect.breaks) {
      const found = evidence.judge(id as RequirementId).filter(({ finding }) => finding.outcome === 'fail');
      const where = new Set(found.flatMap(({ exchanges }) => exchanges.map((number) => keys[number - 1]!)));
      failing.set(id, [...(failing.get(id) ?? []), where]);
    }
  }
  const table = [...failing].sort().map(([id, all]) => `${JSON.stringify(id)}: ${JSON.stringify(cover(all), null, 1)}`);
  return `{\n${table.join(',\n')}\n}\n`;
}

/** Greedy: the call that most defects still need comes first. */
function cover(defects: readonly ReadonlySet<string>[]): string[] {
  const chosen = new Set<string>();
  const missing = (where: ReadonlySet<string>) =>
    Math.min(maxWitnesses, where.size) > [...where].filter((key) => chosen.has(key)).length;
  for (let open = defects.filter(missing); open.length > 0; open = open.filter(missing)) {
    const counts = new Map<string, number>();
    for (const key of open.flatMap((where) => [...where])) {
      if (!chosen.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [[best]] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)) as [[string, number]];
    chosen.add(best);
  }
  return [...chosen].sort();
}
