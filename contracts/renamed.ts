/** Old names of ids, so that old runs stay readable. An id is renamed only if its meaning stays the same. */

export interface Renamed {
  /** New id of a requirement or open point, by the old one. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Nothing is renamed so far: removed ids were retired with their meaning. */
export const renamed: Renamed = { ids: {} };
