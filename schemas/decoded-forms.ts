/** Converts the output of a form or CSV decoder into the objects that the payload schemas describe. */

/** A repeated name gets the list of its values, which no text schema accepts. */
export function formObject(pairs: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    // A name may repeat a million times.
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}

export function rowObjects(table: {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): Record<string, string | string[]>[] {
  return table.rows.map((cells) =>
    formObject(
      table.columns.flatMap((column, at) => {
        const cell = cells[at];
        return cell === undefined ? [] : [[column, cell] as const];
      }),
    ),
  );
}
