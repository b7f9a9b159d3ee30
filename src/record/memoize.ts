/** Remembers what was made of each object for as long as that object lives: all judges ask for the same. */
export function memoize<Of extends object, Made extends NonNullable<unknown>>(
  make: (of: Of) => Made,
): (of: Of) => Made {
  const known = new WeakMap<Of, Made>();
  return (of) => {
    const earlier = known.get(of);
    if (earlier !== undefined) return earlier;
    const made = make(of);
    known.set(of, made);
    return made;
  };
}

/** Objects of which `memoizeLast` remembers something: the requests of a call that is made again are looked at in turn. */
const lastOnes = 4;

/** The same for the last few objects only: what is made of them is large, and who asks for one asks several times in a row. */
export function memoizeLast<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new Map<Of, Made>();
  return (of) => {
    if (known.has(of)) return known.get(of) as Made;
    const made = make(of);
    const [oldest] = known.keys();
    if (known.size === lastOnes) known.delete(oldest!);
    known.set(of, made);
    return made;
  };
}
