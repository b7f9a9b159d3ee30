/**
 * A check of each schema, compiled on first use: the only importer of ajv. The build puts compiled ones in the place of this
 * file, since to load ajv and to compile takes a process a fifth of a second (`writtenChecks`, for rolldown.config.ts).
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as standalone } from 'ajv/dist/standalone/index.js';
import { default as addFormats } from 'ajv-formats';
import { closed } from './closed.ts';
import { adapterMessages, allSchemas, references } from './references.ts';

/** The check of the schema with that `$id`, or of a part of it. `:closed` behind that of a message of adapters: without members that it does not name. */
export function checkOf(id: string): ValidateFunction {
  ajv ??= opened(false);
  const check = ajv.getSchema(id);
  if (check === undefined) throw new Error(`no schema with the id ${id}`);
  return check;
}

/** Each check as a CommonJS module whose export it is, by its id. */
export function writtenChecks(): Map<string, string> {
  const writing = opened(true);
  const ids = [...Object.values(references), ...Object.values(adapterMessages).map((schema) => closed(schema).$id)];
  return new Map(ids.map((id) => [id, standalone.default(writing, writing.getSchema(id))]));
}

let ajv: Ajv2020 | undefined;

function opened(source: boolean): Ajv2020 {
  // The schemas are our own: a test holds them against the meta-schema, whose compilation takes longer than theirs.
  const ours = { allErrors: true, verbose: true, strict: true, validateSchema: false, meta: false };
  const fresh = new Ajv2020({ ...ours, code: { source } });
  // An annotation of ours: the words that end "x is ...; it must be ..." where the rule itself is a pattern.
  fresh.addKeyword({ keyword: 'mustBe', schemaType: 'string' });
  addFormats.default(fresh, ['date', 'date-time']);
  for (const schema of [...allSchemas, ...Object.values(adapterMessages).map(closed)]) fresh.addSchema(schema);
  return fresh;
}
