/** Validates messages against schemas, without the judges. In a schema, `x-requirement` maps rules to requirements. */
import type { Operation } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { joinedPath, newPayloadValidation, type SchemaFault, type SchemaName, validatePayload } from './index.ts';
import { allSchemas, references } from './references.ts';

/** The requirements that a message breaks, each with a sentence on the fault. */
type SchemaFindings = ReadonlyMap<RequirementId, string>;

export interface RequestFindings {
  readonly broken: SchemaFindings;
  /** True if a value in the body has non-ASCII characters. The document does not say how a length counts them. */
  readonly beyondAscii: boolean;
  /** Parts that could not be parsed, so no schema can check them. A judge must report each such part. */
  readonly unread: readonly ('header' | 'csv')[];
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
    beyondAscii: form.beyondAscii,
    unread: [...(parameters === undefined ? (['header'] as const) : []), ...form.unread],
  };
}

/** Returns the broken requirements that a schema can detect. Throws RangeError for a too deep or too long body. */
export function validateResponse(operation: Operation, status: number, body: Uint8Array): SchemaFindings {
  return validators[operation].response(body, status);
}

const validators = {
  'close-day': { request: validateCloseDay, response: validateClosedDay },
  'process-recurring-payments': { request: validateBatch, response: validateParameters },
};

function findingsOf(name: SchemaName, faults: readonly SchemaFault[]): Map<RequirementId, string> {
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

/** Each key is a path and a fault, such as `response.gates[].gateId type`. The fault `*` means any fault. */
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

/** Adds the requirements of a schema and its parts. A reference without a file name means the file `base`. */
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

type Pairs = readonly (readonly [name: string, value: string])[];

/** A repeated name gets a list of its values, which no schema for text accepts. */
function formObject(pairs: Pairs): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    // Append in place, because a name may repeat a million times.
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}

/** A realm may contain a backslash before a quote. In other values a backslash is an encoding fault. */
const parameter = /[ \t]*([^\s=",;&']+)="((?:[^"\\]|\\.)*|[^"]*)"[ \t]*(?:,(?![ \t]*$)|$)/y;
const encoded = /^(?:[\w.~-]|%[0-9A-Fa-f]{2})*$/;

/** Decoded parameters after the OAuth scheme (RFC 5849 section 3.5.1); undefined if the header has another form. */
function readOAuthHeader(line: string): Pairs | undefined {
  const text = /^oauth(?:[ \t]+([\s\S]*))?$/i.exec(line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
  if (text === null) return undefined;
  const list = text[1] ?? '';
  const pairs: (readonly [string, string])[] = [];
  parameter.lastIndex = 0;
  while (parameter.lastIndex < list.length) {
    const [whole, name = '', value = ''] = parameter.exec(list) ?? [];
    if (whole === undefined || !(encoded.test(value) || /^realm$/i.test(name))) return undefined;
    pairs.push([decodedOrAsSent(name), decodedOrAsSent(value)]);
  }
  return pairs;
}

function decodedOrAsSent(text: string): string {
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
      return [unescaped(name), unescaped(rest.join('='))];
    });
}

function unescaped(text: string): string {
  const bytes = text.replaceAll('+', ' ').replace(/%(..)/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const cell = /("(?:[^"]|"")*"|[^";\r\n]*)(;|\r?\n|$)/y;

/** A CSV with `;`, quoted names and rows of equal length (section 2.3, RFC 4180); undefined for other text. */
function readCsvTable(bytes: Uint8Array): object | undefined {
  const [names, ...rows] = linesOf(bytes) ?? [];
  if (names === undefined || names.some((name) => !name.startsWith('"'))) return undefined;
  if (rows.some((row) => row.length !== names.length)) return undefined;
  const columns = names.map(unquoted);
  return {
    columns,
    // If a column name occurs twice, the first column counts.
    rows: rows.map((row) =>
      Object.fromEntries(row.map((text, at) => [columns[at]!, unquoted(text)] as const).reverse()),
    ),
  };
}

function linesOf(bytes: Uint8Array): string[][] | undefined {
  let text: string;
  try {
    text = strict.decode(bytes);
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

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}

function validateHeader(operation: Operation, parameters: Pairs): SchemaFindings {
  const object = formObject(parameters.map(([name, value]) => [/^realm$/i.test(name) ? 'realm' : name, value]));
  const faults = validatePayload(`authorization/${operation}`, object);
  // Missing, empty, repeated and unknown parameters all break `header-parameters`.
  const isOfList = ({ path, value }: SchemaFault) =>
    typeof value !== 'string' || value === '' || path === 'oauth_token';
  const ofList = faults.find(isOfList);
  const others = faults.filter((fault) => !isOfList(fault));
  const found = findingsOf(`authorization/${operation}`, others);
  return ofList === undefined ? found : found.set('authentication/header-parameters', ofList.sentence);
}

function validateCloseDay(body: Uint8Array): RequestFindings {
  const malformed = malformedForm(body);
  if (malformed !== undefined) return findings([['close-day/body-is-form', malformed]]);
  const pairs = readFormPairs(body);
  const faults = validatePayload('close-day-request', formObject(pairs));
  const broken = [...ofNames(faults, 'close-day/body-is-form'), ...findingsOf('close-day-request', faults)];
  return findings(broken, { beyondAscii: pairs.some(([, value]) => /[^\x00-\x7f]/.test(value)) });
}

function validateBatch(body: Uint8Array): RequestFindings {
  const malformed = malformedForm(body);
  if (malformed !== undefined) return findings([['recurring/payload-only', malformed]]);
  const form = formObject(readFormPairs(body));
  const faults = validatePayload('recurring-request', { form });
  const single = faults.filter(({ value }) => !Array.isArray(value));
  const rows = findingsOf('recurring-request', single);
  const broken = [...ofNames(faults, 'recurring/payload-only'), ...rows];
  if (typeof form.payload !== 'string' || rows.has('recurring/payload-base64')) return findings(broken);
  const bytes = Buffer.from(form.payload, 'base64');
  const csv = readCsvTable(bytes);
  if (csv === undefined) return findings(broken, { unread: ['csv'] });
  const ofCells = validatePayload('recurring-request', { form, csv }).filter(({ path }) => path.startsWith('csv.'));
  return findings([...broken, ...findingsOf('recurring-request', ofCells)], {
    beyondAscii: bytes.some((byte) => byte > 0x7f),
  });
}

function malformedForm(body: Uint8Array): string | undefined {
  return validatePayload('form-body', Buffer.from(body).toString('latin1'))[0]?.sentence;
}

function ofNames(faults: readonly SchemaFault[], row: RequirementId): [RequirementId, string][] {
  return faults.flatMap(({ rule, value, sentence }): [RequirementId, string][] => {
    if (rule === 'false schema') return [['authentication/parameters-only-in-header', sentence]];
    return rule === 'additionalProperties' || Array.isArray(value) ? [[row, sentence]] : [];
  });
}

function findings(broken: [RequirementId, string][], more: Partial<RequestFindings> = {}): RequestFindings {
  return { beyondAscii: false, unread: [], ...more, broken: new Map(broken) };
}

function validateClosedDay(body: Uint8Array, status: number): SchemaFindings {
  const found = body.length === 0 ? unread('the body is empty') : validateJson(body);
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
    return unread(String(cause));
  }
  const root = unwrapped(value);
  if (!isObject(root)) return findingsOf('close-day-finished', validatePayload('close-day-finished', root));
  const response = isObject(root.response) ? root.response : undefined;
  const status = response?.status;
  const gates = Array.isArray(response?.gates) ? response.gates : [];
  const others = gates.filter((gate) => !isObject(gate));
  // To save time, keep one gate here, if possible one that is no object. The objects are validated one by one below.
  if (gates.length > 1) response!.gates = [...others, ...gates].slice(0, 1);
  const schema = status === 'error' ? 'close-day-error' : 'close-day-finished';
  const found = findingsOf(schema, validatePayload(schema, root));
  if (response === undefined) found.delete('close-day/serial-present');
  if (isDeeper(root))
    found.set('close-day/body-decodable', 'the documented members are more than one object deep in the body');
  if (status !== 'finished') {
    found.delete('close-day/finished-has-gates');
    found.delete('close-day/one-result-per-gate');
  }
  const presence = requirementsIn('gate-result').filter((id) => others.length > 0 && id.endsWith('-present'));
  const faults = gates.filter(isObject).flatMap(newPayloadValidation('gate-result'));
  const ofGates = [
    ...presence.map((row) => [row, 'a gate that is not an object'] as const),
    ...findingsOf('gate-result', faults),
  ];
  for (const [row, words] of ofGates) if (!found.has(row)) found.set(row, words);
  return found;
}

function unread(words: string): Map<RequirementId, string> {
  return new Map([['close-day/body-decodable', words]]);
}

/** The object with the documented members: the value itself, or the only member that is such an object (A5). */
function unwrapped(value: unknown): unknown {
  if (!isObject(value) || bothDocumented(value)) return value;
  const inside = Object.values(value);
  const complete = inside.filter(bothDocumented);
  if (complete.length === 1) return complete[0];
  const holding = documented(value) ? [] : inside.filter(documented);
  return holding.length === 1 ? holding[0] : value;
}

function bothDocumented(value: unknown): boolean {
  return isObject(value) && 'response' in value && 'theRequestSerialNumber' in value;
}

/** True if documented members occur only more than one object deep. No recursion: JSON.parse allows any nesting. */
function isDeeper(value: unknown): boolean {
  if (!isObject(value) || documented(value) || Object.values(value).some(documented)) return false;
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (documented(one)) return true;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) open.push(inner);
  }
  return false;
}

function documented(value: unknown): boolean {
  return isObject(value) && ('response' in value || 'theRequestSerialNumber' in value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const named = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

function validateParameters(body: Uint8Array): SchemaFindings {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // URLSearchParams drops a question mark at the start, so put an ampersand before it.
  const pairs = [...new URLSearchParams(`&${bytes.toString('utf8')}`)];
  if (!pairs.some(([name]) => named.includes(name))) return new Map();
  const parameters = formObject(pairs.map(([name, value]) => [name, value.replace(/\n$/, '')]));
  const malformed = validatePayload('recurring-parameters-body', bytes.toString('latin1'));
  return new Map([
    ...findingsOf('recurring-parameters', validatePayload('recurring-parameters', parameters)),
    ...findingsOf('recurring-parameters-body', malformed),
  ]);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const string = String.raw`"[\s\S]*?"(?<=(?<!\\)(?:\\\\)*")`;
const stringsAndOddNumbers = new RegExp(String.raw`${string}|(?<!\d)(?:\d{300}|\d+[.eE])[\d.eE+-]*`, 'g');
const stringsAndMarks = new RegExp(`${string}|[{}:]`, 'g');

function readJsonBody(body: Uint8Array): unknown {
  const text = strict.decode(body);
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
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of json.matchAll(stringsAndMarks)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token === ':') {
      const names = open.at(-1)!;
      const name = last.includes('\\') ? (JSON.parse(last) as string) : last.slice(1, -1);
      if (names.has(name)) throw new SyntaxError(`the name ${last} occurs twice`);
      names.add(name);
    }
    last = token;
  }
}
