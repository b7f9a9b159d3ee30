/** Maps schema faults to requirements: `x-requirement` in a schema names the requirement that its keywords state. */
import type { RequirementId } from '../contracts/requirements/index.ts';
import { joinedPath, type SchemaFault } from './fault.ts';
import type { SchemaName } from './index.ts';
import { allSchemas, references } from './references.ts';

/** Each requirement that a message breaks, with the fault as a sentence. */
export type SchemaFindings = ReadonlyMap<RequirementId, string>;

/** The requirements that the faults break, each with its first fault. Faults without a requirement are dropped. */
export function findingsOf(name: SchemaName, faults: readonly SchemaFault[]): Map<RequirementId, string> {
  const found = new Map<RequirementId, string>();
  for (const fault of faults) {
    const id = requirementOf(fault, statementsIn(name));
    if (id !== undefined && !found.has(id)) found.set(id, fault.sentence);
  }
  return found;
}

export function requirementsIn(...names: readonly SchemaName[]): RequirementId[] {
  return names.flatMap((name) => [...statementsIn(name).values()]);
}

/** By `path keyword`, without list indexes. `*` is any other keyword; `empty` and `blank` describe a text for any keyword. */
type Statements = ReadonlyMap<string, RequirementId>;

function requirementOf({ path, rule, value }: SchemaFault, statements: Statements): RequirementId | undefined {
  const place = path.replace(/\[\d+\]/g, '[]');
  const empty = value === '' ? statements.get(`${place} empty`) : undefined;
  const blank = typeof value === 'string' && value.trim() === '' ? statements.get(`${place} blank`) : undefined;
  return empty ?? blank ?? statements.get(`${place} ${rule}`) ?? statements.get(`${place} *`);
}

interface Schema {
  readonly $ref?: string;
  readonly 'x-requirement'?: Readonly<Record<string, RequirementId>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly then?: Schema;
}

const known = new Map<SchemaName, Map<string, RequirementId>>();

function statementsIn(name: SchemaName): Statements {
  const statements = known.get(name) ?? new Map<string, RequirementId>();
  if (statements.size === 0) collect(references[name], '', '', statements);
  known.set(name, statements);
  return statements;
}

/** Adds the statements of the schema and its parts. `base` is the `$id` of the file that contains local references. */
function collect(schema: Schema | string, base: string, place: string, statements: Map<string, RequirementId>): void {
  if (typeof schema === 'string') {
    const [file, pointer = ''] = schema.split('#');
    const id = file || base;
    let part: unknown = allSchemas.find(({ $id }) => $id === id);
    for (const step of pointer.split('/').slice(1)) part = (part as Record<string, unknown>)[step];
    collect(part as Schema, id, place, statements);
    return;
  }
  const { $ref, 'x-requirement': stated = {}, properties = {}, items, allOf = [], then } = schema;
  for (const [keyword, id] of Object.entries(stated)) statements.set(`${place} ${keyword}`, id);
  for (const part of [$ref, then, ...allOf]) if (part !== undefined) collect(part, base, place, statements);
  for (const [name, part] of Object.entries(properties)) collect(part, base, joinedPath(place, name), statements);
  if (items !== undefined) collect(items, base, `${place}[]`, statements);
}
