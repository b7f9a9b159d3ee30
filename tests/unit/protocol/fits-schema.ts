/** Compares a value with a JSON Schema, as far as `contracts/vectors/schema.json` uses the language (draft 2020-12). */

export type Schema = Readonly<Record<string, unknown>>;

/** Where and why the value does not fit; empty where it does. A keyword that is not known here is an error of the schema. */
export function schemaFaults(root: Schema, schema: Schema, value: unknown, path = ''): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (annotations.includes(keyword)) return [];
    const check = keywords[keyword];
    if (check === undefined) throw new Error(`the schema uses ${keyword}, which is not checked`);
    return check({
      rule,
      schema,
      value,
      path,
      faults: (inner, part, at = path) => schemaFaults(root, inner, part, at),
      root,
    });
  });
}

interface Check {
  readonly rule: unknown;
  /** The schema that the keyword is in. */
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: string;
  readonly root: Schema;
  readonly faults: (schema: Schema, value: unknown, path?: string) => string[];
}

const annotations = ['$schema', '$id', '$defs', 'title', 'description', 'then', 'else'];

const keywords: Readonly<Record<string, (check: Check) => string[]>> = {
  $ref: ({ rule, root, value, faults }) => faults(definition(root, String(rule).replace('#/$defs/', '')), value),
  type: ({ rule, value, path }) => (typeOf(value) === rule ? [] : [`${path} is not of type ${rule}`]),
  enum: ({ rule, value, path }) => ((rule as unknown[]).includes(value) ? [] : [`${path} is none of ${rule}`]),
  const: ({ rule, value, path }) => (value === rule ? [] : [`${path} is not ${rule}`]),
  pattern: ({ rule, value, path }) =>
    typeof value !== 'string' || new RegExp(String(rule), 'u').test(value) ? [] : [`${path} does not match ${rule}`],
  required: ({ rule, value, path }) =>
    membersOf(value, (members) => (rule as string[]).filter((name) => !Object.hasOwn(members, name))).map(
      (name) => `${path} has no ${name}`,
    ),
  properties: ({ rule, value, path, faults }) =>
    membersOf(value, (members) => Object.entries(members)).flatMap(([name, member]) => {
      const inner = (rule as Record<string, Schema>)[name];
      return inner === undefined ? [] : faults(inner, member, `${path}/${name}`);
    }),
  additionalProperties: ({ schema, value, path }) =>
    membersOf(value, Object.keys)
      .filter((name) => !Object.hasOwn(schema.properties as object, name))
      .map((name) => `${path} has ${name}`),
  items: ({ rule, value, path, faults }) =>
    Array.isArray(value) ? value.flatMap((item, index) => faults(rule as Schema, item, `${path}/${index}`)) : [],
  minItems: ({ rule, value, path }) =>
    Array.isArray(value) && value.length < Number(rule) ? [`${path} is short`] : [],
  maxItems: ({ rule, value, path }) => (Array.isArray(value) && value.length > Number(rule) ? [`${path} is long`] : []),
  allOf: ({ rule, value, faults }) => (rule as Schema[]).flatMap((inner) => faults(inner, value)),
  anyOf: (check) => (fitting(check) > 0 ? [] : [`${check.path} fits none of the alternatives`]),
  oneOf: (check) => (fitting(check) === 1 ? [] : [`${check.path} fits ${fitting(check)} alternatives instead of one`]),
  not: ({ rule, value, path, faults }) =>
    faults(rule as Schema, value).length > 0 ? [] : [`${path} is what it must not be`],
  if: ({ rule, schema, value, faults }) =>
    faults((faults(rule as Schema, value).length === 0 ? schema.then : schema.else) as Schema, value),
};

/** The definition of that name. */
export function definition(root: Schema, name: string): Schema {
  const found = (root.$defs as Record<string, Schema>)[name];
  if (found === undefined) throw new Error(`the schema has no definition ${name}`);
  return found;
}

function fitting({ rule, value, faults }: Check): number {
  return (rule as Schema[]).filter((inner) => faults(inner, value).length === 0).length;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return value === null ? 'null' : typeof value;
}

function membersOf<T>(value: unknown, read: (members: Record<string, unknown>) => T[]): T[] {
  return typeOf(value) === 'object' ? read(value as Record<string, unknown>) : [];
}
