/** Bodies of control requests: strict JSON, and for each mistake a sentence that says what may stand there. */
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, readJson } from '../../protocol/json.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import type { NextAnswer } from '../next-answer.ts';
import { ControlError } from './control-error.ts';

const kinds = ['empty-200', 'empty-403', 'parameters'] as const;
const types = ['process-recurring-payment-response', 'validation-error', 'error'] as const;
const codes = ['200', '403', '500'] as const;
const lineFeeds = ['raw', '%0A'] as const;
const documentedNames = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

/** Refuses a body where none is wanted; an empty object counts as none. Throws ControlError 400. */
export function readNothing(body: Uint8Array): void {
  if (body.length > 0) membersOf(body, []);
}

/** A scripted answer. Throws ControlError 400. */
export function readNextAnswer(body: Uint8Array): NextAnswer {
  const members = membersOf(body, ['kind', 'type', 'code', 'httpStatus', 'errorIdName', 'lineFeed']);
  const kind = oneOf('kind', members.kind, kinds) ?? missing('kind', kinds);
  if (kind !== 'parameters') {
    if (Object.keys(members).length > 1) throw wrong(`kind ${kind} goes alone: its answer is empty`);
    return { kind };
  }
  const type = oneOf('type', members.type, types) ?? missing('type', types);
  const code = oneOf('code', members.code, codes);
  if (code !== undefined && type === 'process-recurring-payment-response') {
    throw wrong('code goes with the types validation-error and error only');
  }
  const lineFeed = oneOf('lineFeed', members.lineFeed, lineFeeds);
  return { kind, type, code, httpStatus: statusOf(members), errorIdName: errorIdNameOf(members), lineFeed };
}

/** A point in time, in milliseconds since the Unix epoch. Throws ControlError 400. */
export function readFinishDate(body: Uint8Array): number {
  const { finishDate } = membersOf(body, ['finishDate']);
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;
  const time = typeof finishDate === 'string' && form.test(finishDate) ? Date.parse(finishDate) : Number.NaN;
  if (Number.isNaN(time)) throw wrong('finishDate is a date and time with a zone, such as "2027-01-31T00:00:00Z"');
  return time;
}

function membersOf(body: Uint8Array, known: readonly string[]): JsonObject {
  let value: JsonValue;
  try {
    value = readJson(body);
  } catch (cause) {
    throw wrong(`the body is not JSON: ${cause instanceof ProtocolError ? cause.message : 'it cannot be read'}`);
  }
  if (!isJsonObject(value)) throw wrong('the body is not a JSON object');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  throw wrong(`${JSON.stringify(unknown)} is not known here: ${known.length ? known.join(', ') : 'no member'} is`);
}

function oneOf<const T extends string>(
  name: string,
  value: JsonValue | undefined,
  values: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = values.find((one) => one === value);
  if (found === undefined) throw wrong(`${name} is one of ${quoted(values)}`);
  return found;
}

function missing(name: string, values: readonly string[]): never {
  throw wrong(`${name} is missing: it is one of ${quoted(values)}`);
}

function statusOf({ httpStatus }: JsonObject): number | undefined {
  if (httpStatus === undefined) return undefined;
  const status = httpStatus instanceof JsonNumber && /^\d{3}$/.test(httpStatus.text) ? Number(httpStatus.text) : 0;
  // 204, 205 and 304 have no body (RFC 9110), and one is asked for.
  if (status >= 200 && status <= 599 && ![204, 205, 304].includes(status)) return status;
  throw wrong('httpStatus is a number from 200 to 599, of those that have a body');
}

function errorIdNameOf({ errorIdName }: JsonObject): string | undefined {
  if (errorIdName === undefined) return undefined;
  if (typeof errorIdName === 'string' && /^[\w.-]{1,64}$/.test(errorIdName) && !documentedNames.includes(errorIdName)) {
    return errorIdName;
  }
  throw wrong('errorIdName is a name of letters, digits, dots, dashes or underscores that section 2.4 does not have');
}

function quoted(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function wrong(message: string): ControlError {
  return new ControlError(400, message);
}
