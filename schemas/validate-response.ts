/** Validates the bytes of an answer by schema, with its own parser and independently of the judges, and names the broken requirements. */

import type { Operation } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { formObject } from './decoded-forms.ts';
import { findingsOf, requirementsIn, type SchemaFindings } from './findings.ts';
import { newPayloadValidation, validatePayload } from './index.ts';

/** The broken requirements that a schema can detect. Pure. Throws a RangeError if the body exceeds the limits of the engine. */
export function validateResponse(operation: Operation, status: number, body: Uint8Array): SchemaFindings {
  return validators[operation](status, body);
}

const validators: Readonly<Record<Operation, (status: number, body: Uint8Array) => SchemaFindings>> = {
  'close-day': validateCloseDay,
  'process-recurring-payments': (_, body) => validateRecurring(body),
};

function validateCloseDay(status: number, body: Uint8Array): SchemaFindings {
  const found = body.length === 0 ? unread('the body is empty') : validateJson(body);
  if (status === 200) return found;
  // Another row judges documented content under another status.
  for (const row of ['close-day/body-decodable', 'close-day/response-member'] as const) found.delete(row);
  return found;
}

function validateJson(body: Uint8Array): Map<RequirementId, string> {
  let value: unknown;
  try {
    value = readJsonBody(body);
  } catch (cause) {
    // Limits of the engine are no fault of the body.
    if (cause instanceof RangeError) throw cause;
    return unread(String(cause));
  }
  const root = unwrapped(value);
  if (!isObject(root)) return findingsOf('close-day-finished', validatePayload('close-day-finished', root));
  const response = isObject(root.response) ? root.response : undefined;
  const status = response?.status;
  const gates = Array.isArray(response?.gates) ? response.gates : [];
  if (gates.length > 1) response!.gates = oneOf(gates);
  const schema = status === 'error' ? 'close-day-error' : 'close-day-finished';
  const found = findingsOf(schema, validatePayload(schema, root));
  if (response === undefined) found.delete('close-day/serial-present');
  if (isDeeper(root)) found.set('close-day/body-decodable', 'the documented members are deeper than in one object');
  if (status !== 'finished') {
    found.delete('close-day/finished-has-gates');
    found.delete('close-day/one-result-per-gate');
  }
  const faultsOf = newPayloadValidation('gate-result');
  const presence = requirementsIn('gate-result').filter((id) => id.endsWith('-present'));
  for (const gate of gates) {
    const broken = isObject(gate)
      ? findingsOf('gate-result', faultsOf(gate))
      : presence.map((row) => [row, 'a gate that is not an object'] as const);
    for (const [row, words] of broken) if (!found.has(row)) found.set(row, words);
  }
  return found;
}

/** The first gate that is not an object, else the first. Validating all gates at once would be quadratic. */
function oneOf(gates: readonly unknown[]): unknown[] {
  const at = Math.max(
    gates.findIndex((gate) => !isObject(gate)),
    0,
  );
  return gates.slice(at, at + 1);
}

function unread(words: string): Map<RequirementId, string> {
  return new Map([['close-day/body-decodable', words]]);
}

/** The object with the two documented members: the value itself, or its only such member, whatever its name (open point A5). */
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

/** True if only a more deeply nested object has them. Iterative, because the JSON parser of the engine allows any depth. */
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

function validateRecurring(body: Uint8Array): SchemaFindings {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // The ampersand protects a leading question mark, which URLSearchParams would drop.
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

/** Numbers with a fraction or an exponent become 0.5, long whole ones 1. Throws if it is not UTF-8 JSON, or repeats a name. */
function readJsonBody(body: Uint8Array): unknown {
  const text = strict.decode(body);
  const value: unknown = JSON.parse(text);
  if (!isRewritten(text)) return value;
  return JSON.parse(text.replace(tokens, (token) => standInFor(token) ?? token));
}

/** Strings, numbers and structural characters of JSON. */
const tokens = /"[\s\S]*?"(?<=(?<!\\)(?:\\\\)*")|-?\d[\d.eE+-]*|[{}[\]:,]/g;

function standInFor(token: string): string | undefined {
  if (/^-?\d.*[.eE]/s.test(token)) return '0.5';
  return /^-?\d{300}/.test(token) ? '1' : undefined;
}

/** True if a number must be replaced. Throws on a repeated name. The text is valid JSON, so a string before a colon is a name. */
function isRewritten(text: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  let found = false;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = last.includes('\\') ? (JSON.parse(last) as string) : last.slice(1, -1);
      if (open.at(-1)!.has(name)) throw new SyntaxError(`the name ${last} occurs twice`);
      open.at(-1)!.add(name);
    } else if (token !== ',' && token[0] !== '"') found ||= standInFor(token) !== undefined;
    last = token;
  }
  return found;
}
