/** The JSON Schemas of payloads and files, compiled on first use: the only importer of ajv. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { type SchemaFault, type Violation, violationsToFaults } from './fault.ts';
import config from './files/config.json' with { type: 'json' };
import report from './files/report.json' with { type: 'json' };
import { plainJson } from './lossless.ts';
import authorization from './payload/authorization.json' with { type: 'json' };
import closeDayError from './payload/close-day-error.json' with { type: 'json' };
import closeDayFinished from './payload/close-day-finished.json' with { type: 'json' };
import closeDayRequest from './payload/close-day-request.json' with { type: 'json' };
import csvRow from './payload/csv-row.json' with { type: 'json' };
import recurringParameters from './payload/recurring-parameters.json' with { type: 'json' };
import recurringRequest from './payload/recurring-request.json' with { type: 'json' };

export { formObject, rowObjects } from './decoded-forms.ts';
export type { SchemaFault } from './fault.ts';
export { plainJson } from './lossless.ts';

/** Where each schema is found; a part of a file has a name of its own. */
const references = {
  'close-day-request': closeDayRequest.$id,
  'recurring-request': recurringRequest.$id,
  'csv-row': csvRow.$id,
  'authorization/close-day': `${authorization.$id}#/$defs/close-day`,
  'authorization/process-recurring-payments': `${authorization.$id}#/$defs/process-recurring-payments`,
  'close-day-finished': closeDayFinished.$id,
  'gate-result': `${closeDayFinished.$id}#/$defs/gate`,
  'close-day-error': closeDayError.$id,
  'recurring-parameters': recurringParameters.$id,
  report: report.$id,
  config: config.$id,
} as const;

export type SchemaName = keyof typeof references;

export const schemaNames = Object.keys(references) as SchemaName[];

/**
 * Compares a decoded value with a schema.
 *
 * @param value parsed JSON, plain or lossless (numbers as tokens, see `plainJson`).
 * @returns every deviation, in document order of the rules; empty when the value fits.
 */
export function validate(name: SchemaName, value: unknown): SchemaFault[] {
  const check = compiled(name);
  const plain = plainJson(value);
  if (check(plain)) return [];
  return violationsToFaults((check.errors ?? []) as Violation[], plain);
}

let ajv: Ajv2020 | undefined;

function compiled(name: SchemaName): ValidateFunction {
  ajv ??= loaded();
  const check = ajv.getSchema(references[name]);
  if (check === undefined) throw new Error(`no schema named ${name}`);
  return check;
}

function loaded(): Ajv2020 {
  const fresh = new Ajv2020({ allErrors: true, verbose: true, strict: true });
  // An annotation of ours: the words that end "x is ...; it must be ..." where the rule itself is a pattern.
  fresh.addKeyword({ keyword: 'mustBe', schemaType: 'string' });
  addFormats.default(fresh, ['date-time']);
  for (const schema of [
    closeDayRequest,
    csvRow,
    recurringRequest,
    authorization,
    closeDayFinished,
    closeDayError,
    recurringParameters,
    report,
    config,
  ]) {
    fresh.addSchema(schema);
  }
  return fresh;
}
