/** Caches the result for each object as long as that object lives. */
export function memoize<Key extends object, Value extends NonNullable<unknown>>(
  compute: (of: Key) => Value,
): (of: Key) => Value {
  const cache = new WeakMap<Key, Value>();
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    cache.set(key, value);
    return value;
  };
}

/** Maximum number of cached results. It is enough for the requests of one call, with all retries. */
const maxCached = 4;

/** Caches only the results for the last few objects, because the results are large. */
export function memoizeLast<Key extends object, Value>(compute: (of: Key) => Value): (of: Key) => Value {
  const cache = new Map<Key, Value>();
  return (key) => {
    if (cache.has(key)) return cache.get(key) as Value;
    const value = compute(key);
    const [oldest] = cache.keys();
    if (cache.size === maxCached) cache.delete(oldest!);
    cache.set(key, value);
    return value;
  };
}
