/** Bodies of control requests: strict JSON, and for each mistake a sentence that says what may be there. */
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, readJson } from '../../protocol/json.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { MockError } from '../mock-error.ts';
import type { NextAnswer } from '../next-answer.ts';

const kinds = ['empty-200', 'empty-403', 'parameters'] as const;
const types = ['process-recurring-payment-response', 'validation-error', 'error'] as const;
const codes = ['200', '403', '500'] as const;
const lineFeeds = ['raw', '%0A'] as const;
const documentedNames = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

/** Refuses a body where none is wanted; an empty object counts as none. Throws MockError `bad-control-body`. */
export function readNothing(body: Uint8Array): void {
  if (body.length > 0) membersOf(body, []);
}

/** A scripted answer. Throws MockError `bad-control-body`. */
export function readNextAnswer(body: Uint8Array): NextAnswer {
  const members = membersOf(body, ['kind', 'type', 'code', 'httpStatus', 'errorIdName', 'lineFeed']);
  const kind = oneOf('kind', members.kind, kinds) ?? missing('kind', kinds);
  if (kind !== 'parameters') {
    if (Object.keys(members).length > 1) throw wrong(`kind ${kind} has no further members`, 'its answer is empty');
    return { kind };
  }
  const type = oneOf('type', members.type, types) ?? missing('type', types);
  const code = oneOf('code', members.code, codes);
  if (code !== undefined && type === 'process-recurring-payment-response') {
    throw wrong('type process-recurring-payment-response has no code', 'code goes with validation-error and error');
  }
  const lineFeed = oneOf('lineFeed', members.lineFeed, lineFeeds);
  return { kind, type, code, httpStatus: statusOf(members), errorIdName: errorIdNameOf(members), lineFeed };
}

/** A point in time, in milliseconds since the Unix epoch. Throws MockError `bad-control-body`. */
export function readFinishDate(body: Uint8Array): number {
  const { finishDate } = membersOf(body, ['finishDate']);
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;
  const time = typeof finishDate === 'string' && form.test(finishDate) ? Date.parse(finishDate) : Number.NaN;
  if (Number.isNaN(time))
    throw wrong('finishDate is not a point in time', 'write date, time and zone, as in "2027-01-31T00:00:00Z"');
  return time;
}

function membersOf(body: Uint8Array, known: readonly string[]): JsonObject {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause;
    throw wrong(`the body is not JSON: ${cause.message}`, cause.hint ?? 'send one JSON object', cause);
  }
  if (!isJsonObject(value)) throw wrong('the body is not a JSON object', 'send one with its members in braces');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  throw wrong(
    `${JSON.stringify(unknown)} is not known here`,
    known.length === 0 ? 'send no body' : `known are ${known.join(', ')}`,
  );
}

function oneOf<const T extends string>(
  name: string,
  value: JsonValue | undefined,
  values: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined) throw wrong(`${name} has another value`, `it is one of ${quoted(values)}`);
  return found;
}

function missing(name: string, values: readonly string[]): never {
  throw wrong(`${name} is missing`, `it is one of ${quoted(values)}`);
}

function statusOf({ httpStatus }: JsonObject): number | undefined {
  if (httpStatus === undefined) return undefined;
  const status = httpStatus instanceof JsonNumber && /^\d{3}$/.test(httpStatus.text) ? Number(httpStatus.text) : 0;
  // 204, 205 and 304 have no body (RFC 9110), and one is asked for.
  if (status >= 200 && status <= 599 && ![204, 205, 304].includes(status)) return status;
  throw wrong('httpStatus has another value', 'it is a number from 200 to 599, of those that have a body');
}

function errorIdNameOf({ errorIdName }: JsonObject): string | undefined {
  if (errorIdName === undefined) return undefined;
  if (typeof errorIdName === 'string' && /^[\w.-]{1,64}$/.test(errorIdName) && !documentedNames.includes(errorIdName)) {
    return errorIdName;
  }
  throw wrong(
    'errorIdName has another value',
    'it has letters, digits, dots, dashes or underscores, and is not a name of section 2.4',
  );
}

function quoted(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function wrong(message: string, hint: string, cause?: unknown): MockError {
  return new MockError('bad-control-body', message, hint, cause);
}
