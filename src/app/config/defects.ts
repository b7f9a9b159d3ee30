/** Finds defects and variants by id. Throws UsageError for an unknown id. */
import { clientDefects, gatewayDefects, mockDefects, usableClientDefects, variants } from '../../faults/index.ts';
import { refuseIf, unknownName } from '../../run/options/usage-error.ts';

/** All defects of gateways and clients. `reach`: `stored` if only stored messages can show the defect, else `run`. */
export function allDefects() {
  return [...gatewayDefects, ...clientDefects].map((defect) => {
    const { id, side, operation, summary, breaks, reach = 'run' } = defect;
    return { id, side, operation, summary, breaks: breaks as readonly string[], reach };
  });
}

export function mockDefectsOf(ids: readonly string[] = []) {
  return findByIds('defect', ids, mockDefects, (id) => refuseUnusable('gateway', id));
}

export function clientDefectsOf(ids: readonly string[] = []) {
  return findByIds('client defect', ids, usableClientDefects, (id) => refuseUnusable('client', id));
}

export function variantsOf(ids: readonly string[] = []) {
  return findByIds('variant', ids, variants);
}

function findByIds<T extends { readonly id: string }>(
  what: string,
  ids: readonly string[],
  all: readonly T[],
  refuse: (id: string) => void = () => {},
): T[] {
  const known = all.map(({ id }) => id);
  return ids.map((id) => {
    const one = all[known.indexOf(id)];
    if (one !== undefined) return one;
    refuse(id);
    throw unknownName(what, id, known, `\`countersign list ${what.replace(/^client /, '')}s\` shows all`);
  });
}

function refuseUnusable(side: 'gateway' | 'client', id: string): void {
  refuseIf(id.includes('*'))`--defect takes ids, and ${id} is a pattern
    Write each id. \`countersign list defects\` shows them.`;
  const found = allDefects().find((defect) => defect.id === id);
  refuseIf(found?.reach === 'stored')`the defect ${id} cannot be switched on: it exists only in stored records
    See \`countersign explain ${id}\`.`;
  refuseIf(found !== undefined)`${id} is a defect of a ${found?.side}, and this command takes defects of a ${side}
    Write \`countersign ${found?.side} --defect ${id}\`.`;
}
