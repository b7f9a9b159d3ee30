/** A copy of a schema that knows no further members: what is lax when running is strict when an adapter is checked. */

interface Schema {
  readonly [keyword: string]: unknown;
}

/**
 * The schema with `additionalProperties: false` wherever it names properties and says nothing about others.
 *
 * The content of `if` and `then` is left alone: it looks at some members only. The copy's `$id` ends in `:closed`.
 */
export function closed(schema: Schema & { readonly $id: string }): Schema & { readonly $id: string } {
  return { ...(closedPart(schema) as Schema), $id: `${schema.$id}:closed` };
}

function closedPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const copy: Record<string, unknown> = { ...part };
  for (const keyword of ['items', 'additionalProperties']) {
    if (keyword in copy) copy[keyword] = closedPart(copy[keyword]);
  }
  for (const keyword of ['properties', '$defs']) {
    if (keyword in copy) copy[keyword] = eachClosed(copy[keyword] as Schema);
  }
  if ('properties' in copy && !('additionalProperties' in copy)) copy.additionalProperties = false;
  return copy;
}

function eachClosed(parts: Schema): Schema {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, closedPart(part)]));
}
