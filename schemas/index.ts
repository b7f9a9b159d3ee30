/** Validates values against the JSON Schemas of payloads and files. */
import { checkOf } from './compile.ts';
import { type SchemaFault, type Violation, violationsToFaults } from './fault.ts';
import { adapterMessages, references } from './references.ts';

export { asWritten, type SchemaFault } from './fault.ts';

export type AdapterMessageName = keyof typeof adapterMessages;

/** Name of a JSON Schema of payloads under `schemas/`. */
export type SchemaName = keyof typeof references;

/** All names that `validate` accepts. */
export const schemaNames = Object.keys(references) as SchemaName[];

/** Compares parsed JSON with a schema. Returns all faults in the order of the schema; none if the value is valid. */
export function validate(name: SchemaName, value: unknown): SchemaFault[] {
  return unlessBeyond(() => faultsBy(references[name], value));
}

/** Like `validate`, for payloads. Throws a RangeError if the payload is too deep or too long to be checked. */
export function validatePayload(name: SchemaName, value: unknown): SchemaFault[] {
  let foreign = 0;
  return faultsBy(references[name], value, ({ keyword }) => {
    if (keyword === 'additionalProperties') foreign += 1;
    return foreign > maxForeign && keyword === 'additionalProperties';
  });
}

/** Maximum number of unknown names to report, because a form may have half a million. */
const maxForeign = 100;

/** Validates payloads one after another. Drops a fault if an earlier payload had the same rule broken at the same path. */
export function newPayloadValidation(name: SchemaName): (value: unknown) => SchemaFault[] {
  // Rule and path are separate keys, because joined texts of two million faults need too much memory.
  const [told, ofEmptyTexts] = [new Map<string, Set<unknown>>(), new Map<string, Set<unknown>>()];
  const isKnown = ({ schemaPath, instancePath, params, data }: Violation) => {
    const rules = data === '' ? ofEmptyTexts : told;
    const places = rules.get(schemaPath) ?? new Set();
    if (places.size === 0) rules.set(schemaPath, places);
    return places.size === places.add(params.missingProperty ?? instancePath).size;
  };
  return (value) => faultsBy(references[name], value, isKnown);
}

/** Validates a line of the adapter protocol. Also reports unknown members, which a run ignores. */
export function validateClosed(name: AdapterMessageName, value: unknown): SchemaFault[] {
  return unlessBeyond(() => faultsBy(`${adapterMessages[name].$id}:closed`, value));
}

function faultsBy(id: string, value: unknown, isKnown?: (violation: Violation) => boolean): SchemaFault[] {
  if (isTooDeep(value)) throw new RangeError(tooDeep);
  const check = checkOf(id);
  return check(value) ? [] : violationsToFaults((check.errors ?? []) as Violation[], value, isKnown);
}

/** Maximum nesting, because a schema check recurses for each list and object. Our data is nested less than a tenth as deep. */
const deepest = 500;

const tooDeep = `lists or objects are nested more than ${deepest} deep`;

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === deepest || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

/** On a text of millions of characters, a pattern can overflow the stack. Such a text is reported as a fault. */
function unlessBeyond(faults: () => SchemaFault[]): SchemaFault[] {
  try {
    return faults();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const sentence = cause.message === tooDeep ? tooDeep : 'a text in it is too long to be checked';
    return [{ path: '', rule: 'beyond', value: undefined, sentence }];
  }
}
