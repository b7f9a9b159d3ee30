/** Caches the result for each object as long as that object lives. */
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

/** Maximum number of cached results. It is enough for the requests of one call, with all retries. */
const maxCached = 4;

/** Caches only the results for the last few objects, because the results are large. */
export function memoizeLast<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new Map<Of, Made>();
  return (of) => {
    if (known.has(of)) return known.get(of) as Made;
    const made = make(of);
    const [oldest] = known.keys();
    if (known.size === maxCached) known.delete(oldest!);
    known.set(of, made);
    return made;
  };
}
