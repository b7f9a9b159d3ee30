/** The JSON Schemas of payloads and files, and what of a value does not fit one. */
import { checkOf } from './compile.ts';
import { type SchemaFault, type Violation, violationsToFaults } from './fault.ts';
import { tooDeep, typedJson } from './lossless.ts';
import { adapterMessages, references } from './references.ts';

export { formObject, rowObjects } from './decoded-forms.ts';
export { asWritten, type SchemaFault } from './fault.ts';
export { plainJson } from './lossless.ts';

export type AdapterMessageName = keyof typeof adapterMessages;

/** Name of a JSON Schema of payloads under `schemas/`. */
export type SchemaName = keyof typeof references;

/** All names that `validate` takes. */
export const schemaNames = Object.keys(references) as SchemaName[];

/**
 * Compares a decoded value with a schema.
 *
 * @param value parsed JSON, plain or lossless (numbers as tokens, see `typedJson`).
 * @returns every deviation, in document order of the rules; empty when the value fits. What is beyond the engine is one fault.
 */
export function validate(name: SchemaName, value: unknown): SchemaFault[] {
  return unlessBeyond(() => faultsBy(references[name], value));
}

/** The same of a payload. Throws RangeError where that is beyond what the engine can check: then its schema says nothing of it. */
export function validatePayload(name: SchemaName, value: unknown): SchemaFault[] {
  let foreign = 0;
  return faultsBy(references[name], value, ({ keyword }) => {
    if (keyword === 'additionalProperties') foreign += 1;
    return foreign > mostForeign && keyword === 'additionalProperties';
  });
}

/** Names that do not belong, of which each is told: a form may have half a million, and one says as much. */
const mostForeign = 100;

/** The same of many payloads, one after the other: what is wrong in the same place by the same rule is told of the first alone. */
export function newPayloadValidation(name: SchemaName): (value: unknown) => SchemaFault[] {
  // By rule and place, with no text of both: there may be two million of them.
  const [told, ofEmptyTexts] = [new Map<string, Set<unknown>>(), new Map<string, Set<unknown>>()];
  const isKnown = ({ schemaPath, instancePath, params, data }: Violation) => {
    const rules = data === '' ? ofEmptyTexts : told;
    const places = rules.get(schemaPath) ?? new Set();
    if (places.size === 0) rules.set(schemaPath, places);
    return places.size === places.add(params.missingProperty ?? instancePath).size;
  };
  return (value) => faultsBy(references[name], value, isKnown);
}

/** Compares a line of the adapter protocol with its schema, also for unknown members, which are ignored at run time. */
export function validateClosed(name: AdapterMessageName, value: unknown): SchemaFault[] {
  return unlessBeyond(() => faultsBy(`${adapterMessages[name].$id}:closed`, value));
}

function faultsBy(id: string, value: unknown, isKnown?: (violation: Violation) => boolean): SchemaFault[] {
  const check = checkOf(id);
  const plain = typedJson(value);
  return check(plain) ? [] : violationsToFaults((check.errors ?? []) as Violation[], plain, isKnown);
}

/** A pattern goes through texts of millions of characters on a stack of its own. */
function unlessBeyond(faults: () => SchemaFault[]): SchemaFault[] {
  try {
    return faults();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const sentence = cause.message === tooDeep ? tooDeep : 'a text in it is too long to be checked';
    return [{ path: '', rule: 'beyond', value: undefined, sentence }];
  }
}
