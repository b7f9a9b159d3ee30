/** What is made of an object, made once for it and forgotten with it: all judges ask for the same, and a record may have a hundred thousand cases. */
export function madeOnce<Of extends object, Made extends NonNullable<unknown>>(
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
