/** Compares a written report with the file kept in golden/; UPDATE_GOLDEN=1 writes the file instead. */
import { readFileSync, writeFileSync } from 'node:fs';

/** The kept text of that file; after an update it is the text just given. */
export function golden(name: string, current: string): string {
  const file = new URL(`./golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, current);
  return readFileSync(file, 'utf8');
}
