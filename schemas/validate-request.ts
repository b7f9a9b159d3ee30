/** Validates the bytes of a request by schema, independently of the judges of clients, and names the broken requirements. */
import type { Operation } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { formObject } from './decoded-forms.ts';
import type { SchemaFault } from './fault.ts';
import { findingsOf, type SchemaFindings } from './findings.ts';
import { validatePayload } from './index.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

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

/** Maximum length of a cached piece, and maximum number of cached pieces. */
const [short, maxKept] = [12, 65_536];

/** Names and values of a form in which each % starts an escape. Invalid UTF-8 becomes U+FFFD. */
function readFormPairs(body: Uint8Array): Pairs {
  const pieces = Buffer.from(body).toString('latin1').split('&');
  // A body may repeat the same few characters a million times.
  const known = new Map<string, Pairs[number]>();
  const pairs: Pairs[number][] = [];
  for (const piece of pieces) {
    if (piece === '') continue;
    const before = piece.length <= short ? known.get(piece) : undefined;
    const pair = before ?? readPair(piece);
    if (before === undefined && piece.length <= short && known.size < maxKept) known.set(piece, pair);
    pairs.push(pair);
  }
  return pairs;
}

function readPair(piece: string): Pairs[number] {
  const equals = piece.indexOf('=');
  if (equals === -1) return [unescaped(piece), ''];
  return [unescaped(piece.slice(0, equals)), unescaped(piece.slice(equals + 1))];
}

function unescaped(text: string): string {
  if (!/[%+\x80-\xff]/.test(text)) return text;
  const bytes = text.replaceAll('+', ' ').replace(/%(..)/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

interface PlainCsv {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

const cell = /("(?:[^"]|"")*"|[^";\r\n]*)(;|\r?\n|$)/y;

/** A CSV with `;`, quoted names and rows of equal length (section 2.3, RFC 4180); undefined for other text. */
function readCsvTable(bytes: Uint8Array): PlainCsv | undefined {
  const lines = linesOf(bytes);
  const [names, ...rows] = lines ?? [];
  if (names === undefined || names.some((name) => !name.startsWith('"'))) return undefined;
  if (rows.some((row) => row.length !== names.length)) return undefined;
  const columns = names.map(unquoted);
  return {
    columns,
    // If a name occurs twice, the first cell counts.
    rows: rows.map((row) =>
      Object.fromEntries(row.map((text, at) => [columns[at]!, unquoted(text)] as const).reverse()),
    ),
  };
}

function linesOf(bytes: Uint8Array): string[][] | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
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

export interface RequestFindings {
  readonly broken: SchemaFindings;
  /** True if a value in the body has characters beyond ASCII: then its length is open. */
  readonly beyondAscii: boolean;
  /** Parts that could not be read. A row that no schema checks must report each of them. */
  readonly unread: readonly ('header' | 'csv')[];
}

/** The broken requirements that a schema can detect. `authorization` is the header line. Pure. */
export function validateRequest(
  operation: Operation,
  authorization: string | undefined,
  body: Uint8Array,
): RequestFindings {
  const parameters = readOAuthHeader(authorization ?? '');
  const header = parameters === undefined ? [] : validateHeader(operation, parameters);
  const form = validators[operation](body);
  return {
    broken: new Map([...header, ...form.broken]),
    beyondAscii: form.beyondAscii,
    unread: [...(parameters === undefined ? (['header'] as const) : []), ...form.unread],
  };
}

const validators: Readonly<Record<Operation, (body: Uint8Array) => RequestFindings>> = {
  'close-day': validateCloseDay,
  'process-recurring-payments': validateBatch,
};

function validateHeader(operation: Operation, parameters: Pairs): SchemaFindings {
  const object = formObject(parameters.map(([name, value]) => [/^realm$/i.test(name) ? 'realm' : name, value]));
  const faults = validatePayload(`authorization/${operation}`, object);
  // Missing, empty, repeated and unknown parameters all break one row.
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

/** Unknown names and repeated fields. */
function ofNames(faults: readonly SchemaFault[], row: RequirementId): [RequirementId, string][] {
  return faults.flatMap(({ rule, value, sentence }): [RequirementId, string][] => {
    if (rule === 'false schema') return [['authentication/parameters-only-in-header', sentence]];
    return rule === 'additionalProperties' || Array.isArray(value) ? [[row, sentence]] : [];
  });
}

function findings(broken: [RequirementId, string][], more: Partial<RequestFindings> = {}): RequestFindings {
  return { beyondAscii: false, unread: [], ...more, broken: new Map(broken) };
}
