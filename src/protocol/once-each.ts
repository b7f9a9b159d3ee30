/** Lists in which one object comes many times, such as the equal pieces of a long form: what is done to it is done once. */

/** Objects that are remembered: to remember a million that come once takes longer than to do all of them. */
const mostKnown = 65_536;

/** What is made of each, in their order; of an object that comes again it is made once. */
export function mapOnce<One extends object, Made extends object | string>(
  all: readonly One[],
  make: (one: One) => Made,
): Made[] {
  const known = new Map<One, Made>();
  return all.map((one) => {
    const before = known.get(one);
    if (before !== undefined) return before;
    const made = make(one);
    if (known.size < mostKnown) known.set(one, made);
    return made;
  });
}

/** Each object with how often it comes; one that comes late in a list of very many may be there several times. */
export function countOnce<One extends object>(all: readonly One[]): (readonly [one: One, count: number])[] {
  const counts = new Map<One, number>();
  const others: (readonly [One, number])[] = [];
  for (const one of all) {
    const before = counts.get(one);
    if (before !== undefined) counts.set(one, before + 1);
    else if (counts.size < mostKnown) counts.set(one, 1);
    else others.push([one, 1]);
  }
  return [...counts, ...others];
}
