/** Compiles schemas to validation functions on first use. `dist` has precompiled functions instead, to load faster. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as standalone } from 'ajv/dist/standalone/index.js';
import { default as addFormats } from 'ajv-formats';
import { adapterMessages, allSchemas, references, type Schema } from './references.ts';

/** Returns the validation function for an `$id`. If the `$id` ends with `:closed`, unknown members are faults. */
export function checkOf(id: string): ValidateFunction {
  const kind = firstFaultOnly.has(id) ? 'one' : 'all';
  ajv[kind] ??= newAjv(kind, false);
  return ajv[kind].getSchema(id)!;
}

export function compiledChecks(): Map<string, string> {
  const compilers = { one: newAjv('one', true), all: newAjv('all', true) };
  const ids = [...Object.values(references), ...Object.values(adapterMessages).map((schema) => close(schema).$id)];
  return new Map(
    ids.map((id) => {
      const compiler = compilers[firstFaultOnly.has(id) ? 'one' : 'all'];
      return [id, appendInPlace(standalone.default(compiler, compiler.getSchema(id)))];
    }),
  );
}

/** Schemas of large files, for which only the first fault is reported. */
const firstFaultOnly: ReadonlySet<string> = new Set(
  (['report', 'shard', 'matrix', 'certificate', 'recording', 'recording/entry'] as const).map(
    (name) => references[name],
  ),
);

/** RFC 3339 timestamps that `Date.parse` supports. A regular expression, because compiled schemas have no functions. */
const pointInTime =
  /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

type Kind = 'one' | 'all';

const ajv: Partial<Record<Kind, Ajv2020>> = {};

/** ajv copies its list of faults again and again: minutes for 40,000 faults. Makes compiled schemas append instead. */
function appendInPlace(code: string): string {
  return code.replace(
    /\b(vErrors) ?= ?\1 ?=== ?null ?\? ?([\w.]+\.errors) ?: ?\1\.concat\(\2\)/g,
    'if($1===null)$1=$2;else for(const one of $2)$1.push(one)',
  );
}

function newAjv(kind: Kind, source: boolean): Ajv2020 {
  // Do not validate the schemas here: a test validates the schemas, and compiling the meta-schema is slow.
  const options = { allErrors: kind === 'all', verbose: true, strict: true, validateSchema: false, meta: false };
  const compiler = new Ajv2020({ ...options, code: { source, process: appendInPlace } });
  // Our own keywords: `x-must-be` completes "it must be" in a message, and `x-requirement` names requirements.
  compiler.addVocabulary(['x-must-be', 'x-requirement']);
  addFormats.default(compiler, ['date']);
  compiler.addFormat('date-time', pointInTime);
  for (const schema of [...allSchemas, ...Object.values(adapterMessages).map(close)]) compiler.addSchema(schema);
  return compiler;
}

/** Adds `additionalProperties: false` to the schema and its parts, but not inside `if` and `then`. */
function close(schema: Schema): Schema {
  return { ...(closePart(schema) as Schema), $id: `${schema.$id}:closed` };
}

function closePart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const copy: Record<string, unknown> = { ...part };
  for (const keyword of ['items', 'additionalProperties']) {
    if (keyword in copy) copy[keyword] = closePart(copy[keyword]);
  }
  for (const keyword of ['properties', '$defs']) {
    const parts = Object.entries((copy[keyword] ?? {}) as object);
    if (keyword in copy) copy[keyword] = Object.fromEntries(parts.map(([name, part]) => [name, closePart(part)]));
  }
  if ('properties' in copy && !('additionalProperties' in copy)) copy.additionalProperties = false;
  return copy;
}
