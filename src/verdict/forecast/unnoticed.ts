/** Which defects a run would have noticed, had the gateway had them, by what it sent. Pure. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { mockDefects } from '../../faults/index.ts';
import { rightKey } from './case-key.ts';
import { type ShownBy, shownBy, type Witnesses } from './shown-by.ts';

/** Ids of defects. Noticed is what would have ended the run as non-conformant, and nothing less. */
interface Noticed {
  readonly noticed: readonly string[];
  readonly unnoticed: readonly string[];
  /** What was sent shows them at times. */
  readonly notKnown: readonly string[];
}

/** @param failing ids of the requirements that would fail under the profile and the selection of the run */
export function noticedBy(
  sent: ReadonlySet<string>,
  failing: ReadonlySet<string>,
  table: ShownBy = shownBy(),
): Noticed {
  // Of drawn values, and of what a configuration adds: a run with each defect has not had them.
  const unheard = new Set([...sent].filter((key) => !table.cases.has(key)).map((key) => key.split('|')[2]));
  const found = { noticed: [] as string[], unnoticed: [] as string[], notKnown: [] as string[] };
  for (const { id } of mockDefects) {
    const rows = [...(table.defects.get(id) ?? [])].filter(([row]) => failing.has(row));
    if (rows.some(([, witnesses]) => isShown(witnesses, sent))) found.noticed.push(id);
    else if (rows.some(([row, { atTimes }]) => unheard.has(row) || atTimes.some((key) => sent.has(key))))
      found.notKnown.push(id);
    else found.unnoticed.push(id);
  }
  return found;
}

export function isShown({ alone, besideRight }: Pick<Witnesses, 'alone' | 'besideRight'>, sent: ReadonlySet<string>) {
  return (
    alone.some((key) => sent.has(key)) ||
    besideRight.some((key) => sent.has(key) && sent.has(rightKey(operationIn(key))))
  );
}

function operationIn(key: string): Operation {
  const [, operation = ''] = key.split('|');
  return operation in operations ? (operation as Operation) : 'close-day';
}
