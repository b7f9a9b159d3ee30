/** Groups values by key, in the order in which the keys first occur. */
export function groupBy<T, Key>(all: readonly T[], keyOf: (one: T) => Key): Map<Key, [T, ...T[]]> {
  const groups = new Map<Key, [T, ...T[]]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
