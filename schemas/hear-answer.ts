/** What the schemas say of an answer: which rows its bytes break. The second voice beside the judges, with a reading of its own. */

import type { Operation } from '../contracts/operations.ts';
import type { RequirementId } from '../contracts/requirements/index.ts';
import { formObject } from './decoded-forms.ts';
import { newPayloadValidation, validatePayload } from './index.ts';
import { readJsonBody } from './read-json.ts';
import { closeDayRows, gatePresence, gateRows, type Heard, recurringRows, rowsOf } from './requirement-of.ts';

/** The rows that the answer breaks, as far as a schema can see them. Pure; throws a RangeError where the body is beyond what the engine reads. */
export function hearAnswer(operation: Operation, status: number, body: Uint8Array): Heard {
  return hear[operation](status, body);
}

const hear: Readonly<Record<Operation, (status: number, body: Uint8Array) => Heard>> = {
  'close-day': hearCloseDay,
  'process-recurring-payments': (_, body) => hearRecurring(body),
};

function hearCloseDay(status: number, body: Uint8Array): Heard {
  const heard = body.length === 0 ? unread('the body is empty') : hearJson(body);
  if (status === 200) return heard;
  // Whether anything documented comes under another status is a row of its own.
  for (const row of ['close-day/body-decodable', 'close-day/response-member'] as const) heard.delete(row);
  return heard;
}

function hearJson(body: Uint8Array): Map<RequirementId, string> {
  let value: unknown;
  try {
    value = readJsonBody(body);
  } catch (cause) {
    // What the engine cannot hold says nothing of the body.
    if (cause instanceof RangeError) throw cause;
    return unread(String(cause));
  }
  const root = unwrapped(value);
  if (!isObject(root)) return rowsOf(validatePayload('close-day-finished', root), closeDayRows);
  const response = isObject(root.response) ? root.response : undefined;
  const status = response?.status;
  const gates = Array.isArray(response?.gates) ? response.gates : [];
  if (gates.length > 1) response!.gates = oneOf(gates);
  const faults = validatePayload(status === 'error' ? 'close-day-error' : 'close-day-finished', root);
  const heard = rowsOf(faults, closeDayRows);
  if (response === undefined) heard.delete('close-day/serial-present');
  if (isDeeper(root)) heard.set('close-day/body-decodable', 'the documented members are deeper than in one object');
  if (status !== 'finished') {
    heard.delete('close-day/finished-has-gates');
    heard.delete('close-day/one-result-per-gate');
  }
  const faultsOf = newPayloadValidation('gate-result');
  for (const gate of gates) {
    const broken = isObject(gate)
      ? rowsOf(faultsOf(gate), gateRows)
      : gatePresence.map((row) => [row, 'a gate that is not an object'] as const);
    for (const [row, words] of broken) if (!heard.has(row)) heard.set(row, words);
  }
  return heard;
}

/** The first gate that is no object, or the first: what is wrong with the others is looked for one by one, and all at once would cost their square. */
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

/** The object that holds the two documented members: the value itself, or the only member of it, whatever its name (open point A5). */
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

/** Whether only an object in a list, or in an object that is a member, holds them. Without recursion: the engine reads any depth. */
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

function hearRecurring(body: Uint8Array): Heard {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // The ampersand keeps a question mark at the start, which the reader of the engine takes for that of a query.
  const pairs = [...new URLSearchParams(`&${bytes.toString('utf8')}`)];
  if (!pairs.some(([name]) => named.includes(name))) return new Map();
  const parameters = formObject(pairs.map(([name, value]) => [name, value.replace(/\n$/, '')]));
  const heard = rowsOf(validatePayload('recurring-parameters', parameters), recurringRows);
  const [malformed] = validatePayload('recurring-parameters-body', bytes.toString('latin1'));
  return malformed === undefined ? heard : heard.set('recurring/parameters-line-feed', malformed.sentence);
}
