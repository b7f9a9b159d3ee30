/** Close-day: the form fields of a request (section 2.1) and the JSON of a response (section 2.2). */
import type { Pair } from './form.ts';
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, readJson } from './json.ts';
import { ProtocolError } from './protocol-error.ts';

/** Fields of a close-day request. An undefined field is not sent; an empty text is sent. */
export interface CloseDayFields {
  /** 8 to 32 letters and digits. */
  readonly day_close_request_id?: string;
  /** Number of approved sales. */
  readonly sale_approved_count?: string;
  /** Sum of the approved sales, a decimal. */
  readonly sale_approved_sum?: string;
  /** Number of approved reversals. */
  readonly reversal_approved_count?: string;
  /** Sum of the approved reversals, a decimal. */
  readonly reversal_approved_sum?: string;
}

const gateMembers = {
  gateId: readLong,
  isDayClosing: readBoolean,
  gateCloseDate: readText,
  epntId: readLong,
  saleApprovedCount: readText,
  saleAmount: readText,
  reversalApprovedCount: readText,
  reversalAmount: readText,
  code39: readText,
  RRN: readText,
} as const;

/** One gate result (section 2.2). Its texts are as received. The ids are 64-bit integers in decimal digits. */
export type Gate = { readonly [Member in keyof typeof gateMembers]: ReturnType<(typeof gateMembers)[Member]> };

/** `wrapped` is true if the answer was inside another object (open point A5). */
type CloseDayAnswer =
  | { readonly kind: 'finished'; readonly serial: string; readonly gates: Gate[]; readonly wrapped: boolean }
  | {
      readonly kind: 'error';
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly serial: string;
      readonly wrapped: boolean;
    }
  | { readonly kind: 'refused'; readonly httpStatus: number };

/** A response as received, without transfer encoding. */
export interface ResponseBytes {
  /** HTTP status. */
  readonly status: number;
  /** Header fields in wire order; a name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes of the body. */
  readonly body: Uint8Array;
}

/** Names of the request fields, in the order of section 2.1. */
export const closeDayFieldNames = [
  'day_close_request_id',
  'sale_approved_count',
  'sale_approved_sum',
  'reversal_approved_count',
  'reversal_approved_sum',
] as const satisfies readonly (keyof CloseDayFields)[];

/** Builds the body parameters in the order of 2.1. Values are not validated, so that faulty requests can be built. */
export function buildCloseDay(fields: CloseDayFields): Pair[] {
  return closeDayFieldNames.flatMap((name): Pair[] => {
    const value = fields[name];
    return value === undefined ? [] : [[name, value]];
  });
}

/**
 * Reads a response of any content type. The members of section 2.2 must be present with their types, but `errorCode`
 * may be a number (A10). Throws `unexpected-status`, `undecodable-response`, or the errors of `readJson`.
 */
export function decodeCloseDayResponse(response: ResponseBytes): CloseDayAnswer {
  if (response.status === 401 || response.status === 403) return { kind: 'refused', httpStatus: response.status };
  if (response.status !== 200) {
    throw new ProtocolError('unexpected-status', `close-day was answered with HTTP status ${response.status}`);
  }
  const { body, answer, wrapped } = unwrap(readJson(response.body));
  const serial = readText(body, 'theRequestSerialNumber');
  const status = readText(answer, 'status');
  if (status === 'finished') return { kind: 'finished', serial, gates: readGates(answer), wrapped };
  if (status !== 'error') throw undecodable(`response.status is ${JSON.stringify(status)}`);
  const errorCode = answer.errorCode instanceof JsonNumber ? answer.errorCode.text : readText(answer, 'errorCode');
  return { kind: 'error', errorCode, errorMessage: readText(answer, 'errorMessage'), serial, wrapped };
}

/** A gateway may send the answer inside another object, such as `{"x":{"response":...}}` (A5). */
function unwrap(value: JsonValue): { body: JsonObject; answer: JsonObject; wrapped: boolean } {
  if (!isJsonObject(value)) throw undecodable('the body is not a JSON object');
  if (isJsonObject(value.response) && !isJsonObject(value.response.response)) {
    return { body: value, answer: value.response, wrapped: false };
  }
  const candidates = Object.values(value).filter((member) => isJsonObject(member) && isJsonObject(member.response));
  const [candidate] = candidates;
  if (candidates.length !== 1 || !isJsonObject(candidate) || !isJsonObject(candidate.response)) {
    throw undecodable('the body has no member "response"');
  }
  return { body: candidate, answer: candidate.response, wrapped: true };
}

function readGates(answer: JsonObject): Gate[] {
  if (!Array.isArray(answer.gates)) throw undecodable('response.gates is not an array');
  return answer.gates.map((gate, index) => {
    if (!isJsonObject(gate)) throw undecodable(`response.gates[${index}] is not an object`);
    return Object.fromEntries(
      Object.entries(gateMembers).map(([name, read]) => [name, read(gate, name)]),
    ) as unknown as Gate;
  });
}

function readText(holder: JsonObject, name: string): string {
  const value = holder[name];
  if (typeof value !== 'string') throw undecodable(`${name} is ${value === undefined ? 'absent' : 'not a string'}`);
  return value;
}

function readBoolean(holder: JsonObject, name: string): boolean {
  const value = holder[name];
  if (typeof value !== 'boolean') throw undecodable(`${name} is ${value === undefined ? 'absent' : 'not a boolean'}`);
  return value;
}

function readLong(holder: JsonObject, name: string): string {
  const value = holder[name];
  if (!(value instanceof JsonNumber) || !/^-?\d{1,19}$/.test(value.text)) throw undecodable(`${name} is not a long`);
  if (BigInt.asIntN(64, BigInt(value.text)) !== BigInt(value.text)) throw undecodable(`${name} exceeds 64 bits`);
  return value.text;
}

function undecodable(what: string): ProtocolError {
  return new ProtocolError('undecodable-response', what);
}
