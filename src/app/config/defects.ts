/** Finds defects and variants by id. Throws UsageError for an unknown id. */
import { clientDefects, gatewayDefects, mockDefects, usableClientDefects, variants } from '../../faults/index.ts';
import { type UsageError, unknown, usageError } from '../../run/options/usage-error.ts';

/** The defects of all subjects. `reach` is `run` if a run can show the defect, `stored` if only a record can. */
export function listedDefects() {
  return [...gatewayDefects, ...clientDefects].map((defect) => {
    const { id, side, operation, summary, breaks, reach = 'run' } = defect;
    return { id, side, operation, summary, breaks: breaks as readonly string[], reach };
  });
}

export function mockDefectsOf(ids: readonly string[] = []) {
  return found(ids, mockDefects, (id, known) => unknownDefect('gateway', id, known));
}

export function clientDefectsOf(ids: readonly string[] = []) {
  return found(ids, usableClientDefects, (id, known) => unknownDefect('client', id, known));
}

export function variantsOf(ids: readonly string[] = []) {
  return found(ids, variants, (id, known) => unknown('variant', id, known, '`countersign list variants` shows all'));
}

function found<T extends { readonly id: string }>(
  ids: readonly string[],
  all: readonly T[],
  refusal: (id: string, known: readonly string[]) => UsageError,
): T[] {
  const known = all.map(({ id }) => id);
  return ids.map((id) => {
    const one = all[known.indexOf(id)];
    if (one === undefined) throw refusal(id, known);
    return one;
  });
}

function unknownDefect(side: 'gateway' | 'client', id: string, known: readonly string[]): UsageError {
  if (id.includes('*')) {
    return usageError()`--defect takes ids, and ${id} is a pattern
      Write each id. \`countersign list defects\` shows them.`;
  }
  const found = listedDefects().find((defect) => defect.id === id);
  if (found?.reach === 'stored') {
    return usageError()`no ${found.side} can have the defect ${id}: only stored records show it
      See \`countersign explain ${id}\`.`;
  }
  if (found !== undefined) {
    return usageError()`${id} is a defect of a ${found.side}, and this command takes defects of a ${side}
      Write \`countersign ${found.side} --defect ${id}\`.`;
  }
  return unknown(side === 'client' ? 'client defect' : 'defect', id, known, '`countersign list defects` shows all');
}
