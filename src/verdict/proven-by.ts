/** Which defects each row is known to catch: what makes a green row worth something. */
import { usableClientDefects } from '../faults/client/index.ts';
import { mockDefects } from '../faults/index.ts';

/** Ids of the defects that a subject of that side can be given, by the id of the row that they break. */
export function provenBy(side: 'client' | 'gateway'): ReadonlyMap<string, readonly string[]> {
  const proven = new Map<string, string[]>();
  for (const { id, breaks } of side === 'gateway' ? mockDefects : usableClientDefects) {
    for (const row of breaks) proven.set(row, [...(proven.get(row) ?? []), id]);
  }
  return proven;
}
