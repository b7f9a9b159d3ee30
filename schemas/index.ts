/** Validates values against the JSON Schemas of payloads and files, and reports faults in plain words. */
import { checkOf } from './compile.ts';
import { nearest } from './nearest.ts';
import { adapterMessages, references } from './references.ts';

/** Name of a JSON Schema under `schemas/`, or of a part of a schema. */
export type SchemaName = keyof typeof references;

/** All names that `validate` accepts. */
export const schemaNames = Object.keys(references) as SchemaName[];

/** Compares parsed JSON with a schema. Returns all faults in the order of the schema; none if the value is valid. */
export function validate(name: SchemaName, value: unknown): SchemaFault[] {
  return reportRangeError(() => findFaults(references[name], value));
}

/** Like `validate`, for payloads. Throws a RangeError if the payload is too deep or too long to be checked. */
export function validatePayload(name: SchemaName, value: unknown): SchemaFault[] {
  let unknownCount = 0;
  return findFaults(references[name], value, ({ keyword }) => {
    if (keyword === 'additionalProperties') unknownCount += 1;
    return unknownCount > maxUnknown && keyword === 'additionalProperties';
  });
}

/** Maximum number of unknown names to report, because a form may have half a million fields. */
const maxUnknown = 100;

/** Returns a function to validate many payloads. It reports a broken rule at the same path only once. */
export function newPayloadValidation(name: SchemaName): (value: unknown) => SchemaFault[] {
  // Rule and path are two keys, because joining them a million times is slow.
  const reported = new Map<string, Set<unknown>>();
  const isReported = ({ schemaPath, instancePath, params }: Violation) => {
    const paths = reported.get(schemaPath) ?? new Set();
    reported.set(schemaPath, paths);
    return paths.size === paths.add(params.missingProperty ?? instancePath).size;
  };
  return (value) => findFaults(references[name], value, isReported);
}

/** Validates a line of the adapter protocol. Also reports unknown members, which a run ignores. */
export function validateClosed(name: keyof typeof adapterMessages, value: unknown): SchemaFault[] {
  return reportRangeError(() => findFaults(`${adapterMessages[name].$id}:closed`, value));
}

function findFaults(id: string, value: unknown, isSkipped?: (violation: Violation) => boolean): SchemaFault[] {
  if (isTooDeep(value)) throw new RangeError(tooDeepMessage);
  const check = checkOf(id);
  return check(value) ? [] : violationsToFaults((check.errors ?? []) as Violation[], value, isSkipped);
}

/** Maximum nesting, because a schema check recurses for each list and object. Our data has less than 50 levels. */
const maxDepth = 500;
const tooDeepMessage = `lists or objects are nested more than ${maxDepth} deep`;

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === maxDepth || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

function reportRangeError(faults: () => SchemaFault[]): SchemaFault[] {
  try {
    return faults();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const sentence = cause.message === tooDeepMessage ? tooDeepMessage : 'one of its texts is too long to be checked';
    return [{ path: '', rule: 'beyond', value: undefined, sentence }];
  }
}

/** One deviation of a value from its schema. */
export interface SchemaFault {
  /** Path from the root: `response.gates[0].gateId`; empty for the value itself. */
  readonly path: string;
  /** The keyword of the schema that the value breaks, such as `type`. `contains x` means that item `x` is missing. */
  readonly rule: string;
  /** Undefined if the value is absent or may be a secret. */
  readonly value: unknown;
  /** Path, value and rule in one sentence without a full stop, so that it can be embedded. */
  readonly sentence: string;
}

interface Violation {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Record<string, unknown>;
  readonly data?: unknown;
  readonly parentSchema?: {
    readonly 'x-must-be'?: string;
    readonly writeOnly?: boolean;
    readonly properties?: object;
    readonly contains?: { readonly const?: string };
  };
}

function violationsToFaults(
  violations: readonly Violation[],
  whole: unknown,
  isSkipped: (violation: Violation) => boolean = () => false,
): SchemaFault[] {
  const paths = pathsOf(violations);
  const faults = violations
    .filter((one) => !isInsideChoice(one, paths) && !repeatsTypeOrEmptyFault(one, paths) && !isSkipped(one))
    .map((violation) => faultOf(violation, whole, paths));
  return [...new Map(faults.map((fault) => [fault.sentence, fault])).values()];
}

interface Paths {
  readonly choicePaths: Set<string>;
  readonly wrongTypes: Set<string>;
  readonly emptyTexts: Set<string>;
  readonly printedAt: Map<string, string>;
}

function pathsOf(violations: readonly Violation[]): Paths {
  const paths: Paths = { choicePaths: new Set(), wrongTypes: new Set(), emptyTexts: new Set(), printedAt: new Map() };
  for (const { keyword, schemaPath } of violations) if (choiceKeywords.has(keyword)) paths.choicePaths.add(schemaPath);
  for (const violation of violations) {
    const places = violation.keyword === 'type' ? paths.wrongTypes : isEmpty(violation) ? paths.emptyTexts : undefined;
    if (places !== undefined && !isInsideChoice(violation, paths)) places.add(violation.instancePath);
  }
  return paths;
}

const choiceKeywords = new Set(['anyOf', 'oneOf', 'contains']);

/** True for a fault inside `anyOf`, `oneOf` or `contains`, because the whole choice is also a fault. */
function isInsideChoice({ keyword, schemaPath }: Violation, { choicePaths }: Paths): boolean {
  if (keyword === 'if') return true;
  // A plain loop, because copying the set for each of millions of violations would be slow.
  for (const choice of choicePaths) if (schemaPath.startsWith(`${choice}/`)) return true;
  return false;
}

function repeatsTypeOrEmptyFault(violation: Violation, { wrongTypes, emptyTexts }: Paths): boolean {
  const { keyword, instancePath } = violation;
  if (keyword === 'type' || isEmpty(violation)) return false;
  return wrongTypes.has(instancePath) || (keyword !== 'const' && emptyTexts.has(instancePath));
}

function isEmpty({ keyword, params }: Violation): boolean {
  return keyword === 'minLength' && params.limit === 1;
}

function faultOf(violation: Violation, whole: unknown, { printedAt }: Paths): SchemaFault {
  const base = formatPointer(violation.instancePath, whole);
  const { params, parentSchema } = violation;
  switch (violation.keyword) {
    case 'required':
    case 'dependentRequired': {
      const path = joinPath(base, String(params.missingProperty));
      const reason = violation.keyword === 'required' ? '' : `; ${joinPath(base, String(params.property))} needs it`;
      return { path, rule: violation.keyword, value: undefined, sentence: `${path} is missing${reason}` };
    }
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const names = Object.keys(parentSchema?.properties ?? {});
      const guess = nearest(key, names);
      const path = joinPath(base, key);
      let advice = `; perhaps "${guess}" is meant`;
      if (guess === undefined) {
        const list = `; known here: ${names.join(', ')}`;
        if (!printedAt.has(list)) printedAt.set(list, path);
        advice = printedAt.get(list) === path ? list : '';
      }
      return { path, rule: violation.keyword, value: undefined, sentence: `${path} is not a known key${advice}` };
    }
    default:
      return valueFault(violation, base);
  }
}

function valueFault(violation: Violation, path: string): SchemaFault {
  const isSecret = violation.parentSchema?.writeOnly === true;
  const value = isSecret ? undefined : violation.data;
  const description = isSecret ? `${article(typeWord(violation.data))} that is not shown` : formatValue(violation.data);
  const missingItem = violation.parentSchema?.contains?.const;
  const rule = missingItem === undefined ? violation.keyword : `${violation.keyword} ${missingItem}`;
  return { path, rule, value, sentence: `${path || 'the value'} is ${description}; ${ruleOf(violation)}` };
}

/** Returns the sentence of a fault. Quotes a number or boolean as the file spells it, such as 0111 instead of 111. */
export function quoteSource(
  { path, value, sentence }: Pick<SchemaFault, 'path' | 'sentence'> & { readonly value?: unknown },
  file: { sourceOf(path: string): string | undefined },
): string {
  const source = /^(?:number|boolean)$/.test(typeof value) ? file.sourceOf(path) : undefined;
  if (source === undefined || source.length > 60) return sentence;
  const rewritten = sentence.replace(
    `${path} is ${formatValue(value)};`,
    () => `${path} is ${source} (${kindOf(value)});`,
  );
  return rewritten.endsWith('(in quotes)') ? `${rewritten}: "${source}"` : rewritten;
}

function kindOf(value: unknown): string {
  if (Number.isNaN(value)) return 'not a number';
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? 'infinite' : typeof value;
}

function ruleOf({ keyword, params, parentSchema, data }: Violation): string {
  if (keyword === 'type') {
    const expected = [params.type].flat().map((type) => article(typeWordOf(String(type))));
    const needsQuotes = expected.includes('text') && (typeof data === 'number' || typeof data === 'boolean');
    return `it must be ${expected.join(' or ')}${needsQuotes ? ' (in quotes)' : ''}`;
  }
  if (keyword === 'const') return `it must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'enum') return enumRule(params.allowedValues as unknown[], data);
  if (keyword === 'minimum') return `it must be ${String(params.limit)} or more`;
  if (keyword === 'maximum') return `it must be ${String(params.limit)} or less`;
  if (keyword === 'format' && parentSchema?.['x-must-be'] === undefined)
    return `it must be a point in time such as 2026-01-31T12:00:00Z`;
  if (parentSchema?.['x-must-be'] !== undefined) return `it must be ${parentSchema['x-must-be']}`;
  const limit = Number(params.limit);
  const bounds: Readonly<Record<string, string>> = {
    minItems: limit === 1 ? 'must not be empty' : `must have at least ${limit} items`,
    maxItems: `must have at most ${limit} items`,
    uniqueItems: 'must not contain an item twice',
    minLength: limit === 1 ? 'must not be empty' : `must be at least ${limit} characters long`,
    maxLength: `must be at most ${limit} characters long`,
  };
  return `it ${bounds[keyword] ?? 'breaks a rule of its schema'}`;
}

function enumRule(allowed: readonly unknown[], data: unknown): string {
  const guess = typeof data === 'string' ? nearest(data, allowed.map(String)) : undefined;
  const list = `it must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  return guess === undefined ? list : `${list} (perhaps "${guess}" is meant)`;
}

function typeWordOf(type: string): string {
  const words: Record<string, string> = {
    string: 'text',
    integer: 'whole number',
    array: 'list',
    boolean: trueOrFalse,
  };
  return words[type] ?? type;
}

/** Converts `/gates/0/gateId` (RFC 6901) to `gates[0].gateId`. The value `whole` shows which steps are indexes. */
function formatPointer(pointer: string, whole: unknown): string {
  let path = '';
  let at = whole;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(at) ? `${path}[${name}]` : joinPath(path, name);
    at = (at as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

export function joinPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** A value and its type: `"12" (text)`. Omits the content of objects and lists, which may be long or secret. */
function formatValue(value: unknown): string {
  if (Array.isArray(value)) return ['an empty list', 'a list of one'][value.length] ?? `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === null) return 'null';
  // A number above 2^53 loses digits when it is read, so do not print its digits.
  if (typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER)
    return `a number that is too ${value < 0 ? 'small' : 'large'}`;
  if (Number.isNaN(value)) return 'not a number (.nan)';
  const text = JSON.stringify(value);
  const length = [...String(value)].length;
  if (length <= 60) return `${text} (${typeWord(value)})`;
  return `${JSON.stringify([...String(value)].slice(0, 60).join(''))}… (${typeWord(value)} of ${length} characters)`;
}

function typeWord(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

const trueOrFalse = 'true or false';

function article(word: string): string {
  if (['text', 'null', trueOrFalse].includes(word)) return word;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}
