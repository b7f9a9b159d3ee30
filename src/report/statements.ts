/** What writers need to know of a requirement beside its row; the caller takes it from the contract. */

export interface RequirementText {
  readonly statement: string;
  readonly hint?: string;
}

/** The text of a requirement by its id; undefined for an id that this version does not know (an older report). */
export type Statements = (id: string) => RequirementText | undefined;
