/** Validates messages against schemas, without the judges. In a schema, `x-requirement` maps rules to requirements. */
import type { Operation } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { joinPath, newPayloadValidation, type SchemaFault, type SchemaName, validatePayload } from './index.ts';
import { allSchemas, references } from './references.ts';

/** The requirements that a message breaks, each with a sentence on the fault. */
type SchemaFindings = ReadonlyMap<RequirementId, string>;

export interface RequestFindings {
  readonly broken: SchemaFindings;
  /** True if a value in the body has non-ASCII characters. The document does not say how a length counts them. */
  readonly hasNonAscii: boolean;
  /** Parts that could not be parsed, so no schema can check them. A judge must report each such part. */
  readonly unparsed: readonly ('header' | 'csv')[];
}

/** Returns the broken requirements that schemas detect. Throws RangeError if the header or the body is too long. */
export function validateRequest(
  operation: Operation,
  authorization: string | undefined,
  body: Uint8Array,
): RequestFindings {
  const parameters = readOAuthHeader(authorization ?? '');
  const header = parameters === undefined ? [] : validateHeader(operation, parameters);
  const form = validators[operation].request(body);
  return {
    broken: new Map([...header, ...form.broken]),
    hasNonAscii: form.hasNonAscii,
    unparsed: [...(parameters === undefined ? (['header'] as const) : []), ...form.unparsed],
  };
}

/** Returns the broken requirements that a schema can detect. Throws RangeError for a too deep or too long body. */
export function validateResponse(operation: Operation, status: number, body: Uint8Array): SchemaFindings {
  return validators[operation].response(body, status);
}

const validators = {
  'close-day': { request: validateCloseDayRequest, response: validateCloseDayResponse },
  'process-recurring-payments': { request: validateBatchRequest, response: validateBatchResponse },
};

function findingsOf(name: SchemaName, faults: readonly SchemaFault[]): Map<RequirementId, string> {
  const found = new Map<RequirementId, string>();
  for (const fault of faults) {
    const id = requirementOf(fault, rulesOf(name));
    if (id !== undefined && !found.has(id)) found.set(id, fault.sentence);
  }
  return found;
}

export function requirementsIn(...names: readonly SchemaName[]): RequirementId[] {
  return names.flatMap((name) => [...rulesOf(name).values()]);
}

/** Each key is a path and a fault, such as `response.gates[].gateId type`. The fault `*` means any fault. */
type Rules = ReadonlyMap<string, RequirementId>;

function requirementOf({ path, rule, value }: SchemaFault, rules: Rules): RequirementId | undefined {
  const place = path.replace(/\[\d+\]/g, '[]');
  const emptyRule = value === '' ? rules.get(`${place} empty`) : undefined;
  const blankRule = typeof value === 'string' && value.trim() === '' ? rules.get(`${place} blank`) : undefined;
  return emptyRule ?? blankRule ?? rules.get(`${place} ${rule}`) ?? rules.get(`${place} *`);
}

interface Schema {
  readonly $ref?: string;
  readonly 'x-requirement'?: Readonly<Record<string, RequirementId>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly then?: Schema;
}

const cachedRules = new Map<SchemaName, Map<string, RequirementId>>();

function rulesOf(name: SchemaName): Rules {
  const rules = cachedRules.get(name) ?? new Map<string, RequirementId>();
  if (rules.size === 0) collect(references[name], '', '', rules);
  cachedRules.set(name, rules);
  return rules;
}

/** Adds the requirements of a schema and its parts. A reference without a file name means the file `base`. */
function collect(schema: Schema | string, base: string, place: string, rules: Map<string, RequirementId>): void {
  if (typeof schema === 'string') {
    const [file, pointer = ''] = schema.split('#');
    const id = file || base;
    let part: unknown = allSchemas.find(({ $id }) => $id === id);
    for (const step of pointer.split('/').slice(1)) part = (part as Record<string, unknown>)[step];
    collect(part as Schema, id, place, rules);
    return;
  }
  const { $ref, 'x-requirement': requirements = {}, properties = {}, items, allOf = [], then } = schema;
  for (const [keyword, id] of Object.entries(requirements)) rules.set(`${place} ${keyword}`, id);
  for (const part of [$ref, then, ...allOf]) if (part !== undefined) collect(part, base, place, rules);
  for (const [name, part] of Object.entries(properties)) collect(part, base, joinPath(place, name), rules);
  if (items !== undefined) collect(items, base, `${place}[]`, rules);
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** A repeated name gets a list of its values, which no schema for text accepts. */
function formObject(pairs: Pairs): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const previous = values.get(name);
    // Append in place, because a name may repeat a million times.
    if (Array.isArray(previous)) previous.push(value);
    else values.set(name, previous === undefined ? value : [previous, value]);
  }
  return Object.fromEntries(values);
}

/** A realm may contain a backslash before a quote. In other values a backslash is an encoding fault. */
const parameter = /[ \t]*([^\s=",;&']+)="((?:[^"\\]|\\.)*|[^"]*)"[ \t]*(?:,(?![ \t]*$)|$)/y;
const encodedText = /^(?:[\w.~-]|%[0-9A-Fa-f]{2})*$/;

/** Decoded parameters after the OAuth scheme (RFC 5849 section 3.5.1); undefined if the header has another form. */
function readOAuthHeader(line: string): Pairs | undefined {
  const text = /^oauth(?:[ \t]+([\s\S]*))?$/i.exec(line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
  if (text === null) return undefined;
  const list = text[1] ?? '';
  const pairs: (readonly [string, string])[] = [];
  parameter.lastIndex = 0;
  while (parameter.lastIndex < list.length) {
    const [whole, name = '', value = ''] = parameter.exec(list) ?? [];
    if (whole === undefined || !(encodedText.test(value) || /^realm$/i.test(name))) return undefined;
    pairs.push([decodeLeniently(name), decodeLeniently(value)]);
  }
  return pairs;
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a form body, in which each % must start an escape. Invalid UTF-8 becomes U+FFFD. */
function readFormPairs(body: Uint8Array): Pairs {
  const pieces = Buffer.from(body).toString('latin1').split('&');
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', ...rest] = piece.split('=');
      return [unescapeForm(name), unescapeForm(rest.join('='))];
    });
}

function unescapeForm(text: string): string {
  const bytes = text.replaceAll('+', ' ').replace(/%(..)/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const cell = /("(?:[^"]|"")*"|[^";\r\n]*)(;|\r?\n|$)/y;

/** A CSV with `;`, quoted names and rows of equal length (section 2.3, RFC 4180); undefined for other text. */
function readCsvTable(bytes: Uint8Array): object | undefined {
  const [names, ...rows] = linesOf(bytes) ?? [];
  if (names === undefined || names.some((name) => !name.startsWith('"'))) return undefined;
  if (rows.some((row) => row.length !== names.length)) return undefined;
  const columns = names.map(unquote);
  return {
    columns,
    // If a column name occurs twice, the first column counts.
    rows: rows.map((row) =>
      Object.fromEntries(row.map((text, at) => [columns[at]!, unquote(text)] as const).reverse()),
    ),
  };
}

function linesOf(bytes: Uint8Array): string[][] | undefined {
  let text: string;
  try {
    text = strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
  const lines: string[][] = [[]];
  let end = '\n';
  cell.lastIndex = 0;
  while (cell.lastIndex < text.length || end === ';') {
    const found = cell.exec(text);
    if (found === null) return undefined;
    if (end !== ';' && lines.at(-1)!.length > 0) lines.push([]);
    lines.at(-1)!.push(found[1]!);
    end = found[2]!;
  }
  return lines;
}

function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}

function validateHeader(operation: Operation, parameters: Pairs): SchemaFindings {
  const object = formObject(parameters.map(([name, value]) => [/^realm$/i.test(name) ? 'realm' : name, value]));
  const faults = validatePayload(`authorization/${operation}`, object);
  // Missing, empty, repeated and unknown parameters all break `header-parameters`.
  const isListFault = ({ path, value }: SchemaFault) =>
    typeof value !== 'string' || value === '' || path === 'oauth_token';
  const listFault = faults.find(isListFault);
  const others = faults.filter((fault) => !isListFault(fault));
  const found = findingsOf(`authorization/${operation}`, others);
  return listFault === undefined ? found : found.set('authentication/header-parameters', listFault.sentence);
}

function validateCloseDayRequest(body: Uint8Array): RequestFindings {
  const problem = formProblem(body);
  if (problem !== undefined) return requestFindings([['close-day/body-is-form', problem]]);
  const pairs = readFormPairs(body);
  const faults = validatePayload('close-day-request', formObject(pairs));
  const broken = [...nameFindings(faults, 'close-day/body-is-form'), ...findingsOf('close-day-request', faults)];
  return requestFindings(broken, { hasNonAscii: pairs.some(([, value]) => /[^\x00-\x7f]/.test(value)) });
}

function validateBatchRequest(body: Uint8Array): RequestFindings {
  const problem = formProblem(body);
  if (problem !== undefined) return requestFindings([['recurring/payload-only', problem]]);
  const form = formObject(readFormPairs(body));
  const faults = validatePayload('recurring-request', { form });
  const valueFaults = faults.filter(({ value }) => !Array.isArray(value));
  const valueFindings = findingsOf('recurring-request', valueFaults);
  const broken = [...nameFindings(faults, 'recurring/payload-only'), ...valueFindings];
  if (typeof form.payload !== 'string' || valueFindings.has('recurring/payload-base64')) return requestFindings(broken);
  const bytes = Buffer.from(form.payload, 'base64');
  const csv = readCsvTable(bytes);
  if (csv === undefined) return requestFindings(broken, { unparsed: ['csv'] });
  const cellFaults = validatePayload('recurring-request', { form, csv }).filter(({ path }) => path.startsWith('csv.'));
  return requestFindings([...broken, ...findingsOf('recurring-request', cellFaults)], {
    hasNonAscii: bytes.some((byte) => byte > 0x7f),
  });
}

function formProblem(body: Uint8Array): string | undefined {
  return validatePayload('form-body', Buffer.from(body).toString('latin1'))[0]?.sentence;
}

function nameFindings(faults: readonly SchemaFault[], row: RequirementId): [RequirementId, string][] {
  return faults.flatMap(({ rule, value, sentence }): [RequirementId, string][] => {
    if (rule === 'false schema') return [['authentication/parameters-only-in-header', sentence]];
    return rule === 'additionalProperties' || Array.isArray(value) ? [[row, sentence]] : [];
  });
}

function requestFindings(broken: [RequirementId, string][], more: Partial<RequestFindings> = {}): RequestFindings {
  return { hasNonAscii: false, unparsed: [], ...more, broken: new Map(broken) };
}

function validateCloseDayResponse(body: Uint8Array, status: number): SchemaFindings {
  const found = body.length === 0 ? undecodable('the body is empty') : validateJson(body);
  if (status === 200) return found;
  // If the status is not 200, another requirement judges the body, so drop these two requirements.
  for (const row of ['close-day/body-decodable', 'close-day/response-member'] as const) found.delete(row);
  return found;
}

function validateJson(body: Uint8Array): Map<RequirementId, string> {
  let value: unknown;
  try {
    value = readJsonBody(body);
  } catch (cause) {
    // A RangeError means that the body is too deep or too long to be checked. The body may be valid.
    if (cause instanceof RangeError) throw cause;
    return undecodable(String(cause));
  }
  const root = unwrap(value);
  if (!isObject(root)) return findingsOf('close-day-finished', validatePayload('close-day-finished', root));
  const response = isObject(root.response) ? root.response : undefined;
  const status = response?.status;
  const gates = Array.isArray(response?.gates) ? response.gates : [];
  const nonObjects = gates.filter((gate) => !isObject(gate));
  // To save time, keep one gate here, if possible one that is no object. The objects are validated one by one below.
  if (gates.length > 1) response!.gates = [...nonObjects, ...gates].slice(0, 1);
  const schema = status === 'error' ? 'close-day-error' : 'close-day-finished';
  const found = findingsOf(schema, validatePayload(schema, root));
  if (response === undefined) found.delete('close-day/serial-present');
  if (isDeeper(root))
    found.set('close-day/body-decodable', 'the documented members are more than one object deep in the body');
  if (status !== 'finished') {
    found.delete('close-day/finished-has-gates');
    found.delete('close-day/one-result-per-gate');
  }
  const presence = requirementsIn('gate-result').filter((id) => nonObjects.length > 0 && id.endsWith('-present'));
  const faults = gates.filter(isObject).flatMap(newPayloadValidation('gate-result'));
  const gateFindings = [
    ...presence.map((row) => [row, 'a gate that is not an object'] as const),
    ...findingsOf('gate-result', faults),
  ];
  for (const [row, sentence] of gateFindings) if (!found.has(row)) found.set(row, sentence);
  return found;
}

function undecodable(sentence: string): Map<RequirementId, string> {
  return new Map([['close-day/body-decodable', sentence]]);
}

/** The object with the documented members: the value itself, or the only member that is such an object (A5). */
function unwrap(value: unknown): unknown {
  if (!isObject(value) || hasBothMembers(value)) return value;
  const members = Object.values(value);
  const complete = members.filter(hasBothMembers);
  if (complete.length === 1) return complete[0];
  const partial = hasAnyMember(value) ? [] : members.filter(hasAnyMember);
  return partial.length === 1 ? partial[0] : value;
}

function hasBothMembers(value: unknown): boolean {
  return isObject(value) && 'response' in value && 'theRequestSerialNumber' in value;
}

/** True if documented members occur only more than one object deep. No recursion: JSON.parse allows any nesting. */
function isDeeper(value: unknown): boolean {
  if (!isObject(value) || hasAnyMember(value) || Object.values(value).some(hasAnyMember)) return false;
  const stack: unknown[] = [value];
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    if (hasAnyMember(current)) return true;
    if (typeof current === 'object' && current !== null) for (const inner of Object.values(current)) stack.push(inner);
  }
  return false;
}

function hasAnyMember(value: unknown): boolean {
  return isObject(value) && ('response' in value || 'theRequestSerialNumber' in value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const documentedNames = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

function validateBatchResponse(body: Uint8Array): SchemaFindings {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // URLSearchParams drops a question mark at the start, so put an ampersand before it.
  const pairs = [...new URLSearchParams(`&${bytes.toString('utf8')}`)];
  if (!pairs.some(([name]) => documentedNames.includes(name))) return new Map();
  const parameters = formObject(pairs.map(([name, value]) => [name, value.replace(/\n$/, '')]));
  const bodyFaults = validatePayload('recurring-parameters-body', bytes.toString('latin1'));
  return new Map([
    ...findingsOf('recurring-parameters', validatePayload('recurring-parameters', parameters)),
    ...findingsOf('recurring-parameters-body', bodyFaults),
  ]);
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const stringPattern = String.raw`"[\s\S]*?"(?<=(?<!\\)(?:\\\\)*")`;
const stringsAndOddNumbers = new RegExp(String.raw`${stringPattern}|(?<!\d)(?:\d{300}|\d+[.eE])[\d.eE+-]*`, 'g');
const stringsAndMarks = new RegExp(`${stringPattern}|[{}:]`, 'g');

function readJsonBody(body: Uint8Array): unknown {
  const text = strictDecoder.decode(body);
  // Parse first: the patterns below are correct only for valid JSON.
  const value: unknown = JSON.parse(text);
  refuseRepeatedNames(text);
  // `JSON.parse` would turn 1.0 into an integer, and a huge integer into Infinity. So write 0.5 and 1 instead.
  const rewritten = text.replace(stringsAndOddNumbers, (token) => {
    if (token.startsWith('"')) return token;
    return /[.eE]/.test(token) ? '0.5' : '1';
  });
  return rewritten === text ? value : JSON.parse(rewritten);
}

function refuseRepeatedNames(json: string): void {
  const stack: Set<string>[] = [];
  let previous = '';
  for (const [token] of json.matchAll(stringsAndMarks)) {
    if (token === '{') stack.push(new Set());
    else if (token === '}') stack.pop();
    else if (token === ':') {
      const names = stack.at(-1)!;
      const name = previous.includes('\\') ? (JSON.parse(previous) as string) : previous.slice(1, -1);
      if (names.has(name)) throw new SyntaxError(`the name ${previous} occurs twice`);
      names.add(name);
    }
    previous = token;
  }
}
