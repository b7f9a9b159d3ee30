/** Old names of ids, so that old runs stay readable. An id is renamed only if its meaning stays the same. */

export interface IdRenames {
  /** New id of a requirement or open point, by its old id. */
  readonly ids: Readonly<Record<string, string>>;
}

/** No id is renamed so far. Removed ids are not used again. */
export const idRenames: IdRenames = { ids: {} };
