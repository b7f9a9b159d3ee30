/** Which defects each row is known to catch: what makes a green row worth something. */
import { gatewayDefects } from '../defects/index.ts';

/** Ids of defects by the id of the row that they break. */
export function provenBy(): ReadonlyMap<string, readonly string[]> {
  const proven = new Map<string, string[]>();
  for (const { id, breaks } of gatewayDefects) {
    for (const row of breaks) proven.set(row, [...(proven.get(row) ?? []), id]);
  }
  return proven;
}
