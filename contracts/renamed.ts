/** What had another name in earlier versions, so that old runs stay readable. An id is renamed only where its meaning stays. */

export interface Renamed {
  /** New name of a requirement's id or of an open point, by the old one. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Nothing has been renamed so far: ids that went were retired, since their meaning went too. */
export const renamed: Renamed = { ids: {} };
