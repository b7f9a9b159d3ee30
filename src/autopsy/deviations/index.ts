/** Every deviation that has a name. The order is that of likelihood within a step: the first of equals is named. */
import { type Deviation, indexOf } from '../deviation.ts';
import { charsets } from './charset.ts';
import { collecting } from './collect.ts';
import { credentials } from './credentials.ts';
import { encoding } from './encode.ts';
import { hashing, seenInSignature } from './hash.ts';
import { joining } from './join.ts';
import { keys } from './key.ts';
import { writing } from './output.ts';
import { repeats } from './repeats.ts';
import { sorting } from './sort.ts';
import { addressing } from './uri.ts';
import { readingValues } from './values.ts';

/** Those that a search combines. */
export const searchedDeviations: readonly Deviation[] = [
  ...collecting,
  ...credentials,
  ...readingValues,
  ...repeats,
  ...encoding,
  ...charsets,
  ...sorting,
  ...joining,
  ...addressing,
  ...keys,
  ...hashing,
];

const tables = {
  collecting,
  credentials,
  readingValues,
  repeats,
  encoding,
  charsets,
  sorting,
  joining,
  addressing,
  keys,
  hashing,
  seenInSignature,
  writing,
};

export type DeviationId = (typeof tables)[keyof typeof tables][number]['id'];

/** All, those among them that show in the signature itself. */
export const deviations: readonly Deviation[] = [...searchedDeviations, ...seenInSignature, ...writing];

// The low numbers are for the table: those that are made for one request come later.
deviations.forEach(indexOf);

const byId = new Map<string, Deviation>(deviations.map((deviation) => [deviation.id, deviation]));
const ranks = new Map(deviations.map(({ id }, index) => [id, index]));

/** The deviation of that id. */
export function deviationOf(id: DeviationId): Deviation {
  return byId.get(id)!;
}

/** A copy in the order of the table. */
export function inTableOrder(set: readonly Deviation[]): Deviation[] {
  return set.slice().sort((a, b) => ranks.get(a.id)! - ranks.get(b.id)!);
}
