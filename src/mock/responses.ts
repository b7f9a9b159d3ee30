/** The answers of sections 2.2, 2.4, 4 and 7, without `src/protocol`. So a bug there is not on both sides of a test. */
import type { Header } from '../record/exchange.ts';

export interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly delayMs?: number;
  readonly cutAfter?: number;
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
};

/** Adds Content-Length and the keep-alive headers of section 8 after `headers`. */
function newReply(status: number, headers: readonly Header[], body: string): Reply {
  const bytes = Buffer.from(body, 'utf8');
  const framing: Header[] = [
    ['Content-Length', String(bytes.length)],
    ['Keep-Alive', 'timeout=60'],
    ['Connection', 'keep-alive'],
  ];
  return { status, reason: reasons[status] ?? '', headers: [...headers, ...framing], body: bytes };
}

export function withBody(reply: Reply, body: string | Uint8Array): Reply {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const headers = reply.headers.map(
    ([name, value]): Header => [name, isNamed(name, 'content-length') ? String(bytes.length) : value],
  );
  return { ...reply, headers, body: bytes };
}

export function editBody(reply: Reply, edit: (text: string) => string): Reply {
  return withBody(reply, edit(Buffer.from(reply.body).toString('utf8')));
}

export function withStatus(reply: Reply, status: number): Reply {
  return { ...reply, status, reason: reasons[status] ?? '' };
}

/** Replaces the header in place, or adds it as the first header. */
export function withHeader(reply: Reply, name: string, value: string): Reply {
  if (!reply.headers.some(([found]) => isNamed(found, name))) {
    return { ...reply, headers: [[name, value], ...reply.headers] };
  }
  return { ...reply, headers: reply.headers.map(([found, old]) => [found, isNamed(found, name) ? value : old]) };
}

/** Removes a header. Without Content-Length, Node sends the body chunked. */
export function withoutHeader(reply: Reply, name: string): Reply {
  return { ...reply, headers: reply.headers.filter(([found]) => !isNamed(found, name)) };
}

function isNamed(found: string, name: string): boolean {
  return found.toLowerCase() === name.toLowerCase();
}

export function withDate(headers: readonly Header[], time: number): readonly Header[] {
  if (headers.some(([name]) => isNamed(name, 'date'))) return headers;
  return [...headers, ['Date', new Date(time).toUTCString()]];
}

/** One element of `response.gates`. The ids are strings of digits, because they can exceed a JavaScript number. */
export interface GateResult {
  readonly gateId: string;
  readonly isDayClosing: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly closedAt: number;
  readonly epntId: string;
  readonly saleApprovedCount: number;
  readonly saleAmount: string;
  readonly reversalApprovedCount: number;
  readonly reversalAmount: string;
  readonly closeDayNumber: number;
}

const htmlHeader: Header = ['Content-Type', 'text/html;charset=utf-8'];

/** The close-day answer `finished` (4.1), with one result for each gate. */
export function closeDayFinished(gates: readonly GateResult[], serial: number): Reply {
  const response = `{"status":"finished","gates":[${gates.map(gateResult).join(',')}]}`;
  return newReply(200, [htmlHeader], `{"response":${response},"theRequestSerialNumber":"${serialNumber(serial)}"}`);
}

/** The close-day answer `error`, with code and message (4.1, 7). */
export function closeDayError(errorCode: string, errorMessage: string, serial: number, status = 200): Reply {
  const headers: Header[] = status === 401 ? [htmlHeader, ['WWW-Authenticate', 'OAuth']] : [htmlHeader];
  const response = `{"status":"error","errorCode":"${errorCode}","errorMessage":${JSON.stringify(errorMessage)}}`;
  return newReply(status, headers, `{"response":${response},"theRequestSerialNumber":"${serialNumber(serial)}"}`);
}

export function closingError(serial: number): Reply {
  return closeDayError('99', 'gate is closing already', serial);
}

/** Answers with an empty body. `accepted` and `refused` answer batches (4.2); `failed` is an error of the mock. */
export const emptyReplies = {
  accepted: newReply(200, [], ''),
  refused: newReply(403, [], ''),
  notFound: newReply(404, [], ''),
  methodNotAllowed: newReply(405, [['Allow', 'POST']], ''),
  failed: newReply(500, [], ''),
};

/** Writes the number like a UUID: 32 hex digits with leading zeros, in groups of 8, 4, 4, 4 and 12. */
function serialNumber(serial: number): string {
  const hex = serial.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function gateResult(gate: GateResult): string {
  return (
    `{"gateId":${gate.gateId},"isDayClosing":${gate.isDayClosing},"gateCloseDate":"${gateCloseDate(gate.closedAt)}",` +
    `"epntId":${gate.epntId},"saleApprovedCount":"${gate.saleApprovedCount}","saleAmount":"${gate.saleAmount}",` +
    `"reversalApprovedCount":"${gate.reversalApprovedCount}","reversalAmount":"${gate.reversalAmount}",` +
    `"code39":"00","RRN":"${String(gate.closeDayNumber).padStart(12, '0')}"}`
  );
}

/** `<weekday> <month> <day> <HH:MM:SS> <zone> <year>` (2.2), always English and UTC. */
function gateCloseDate(time: number): string {
  // toUTCString returns text such as Sat, 21 Nov 2026 03:44:00 GMT.
  const [weekday, day, month, year, clock] = new Date(time).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${clock} UTC ${year}`;
}

/** An answer that a test sets in advance for a batch. `empty-200` is the normal answer to an accepted batch. */
export type NextAnswer =
  | { readonly kind: 'empty-200' }
  | { readonly kind: 'empty-403' }
  | ({ readonly kind: 'parameters' } & ParameterAnswer);

interface ParameterAnswer {
  readonly type: 'process-recurring-payment-response' | 'validation-error' | 'error';
  /** `error-code` of the two error types; default 403 for `validation-error` and 500 for `error`. */
  readonly code?: '200' | '403' | '500';
  /** HTTP status; default 200. The specification does not define it (A17). */
  readonly httpStatus?: number;
  /** Name of the parameter with the error ID of code 500; default `error-id`. Section 7 does not define the name. */
  readonly errorIdName?: string;
  /** Encoding of the line feed after each value (A18); default raw. */
  readonly lineFeed?: 'raw' | '%0A';
}

/** True if this answer accepts a batch, with any HTTP status. Then the mock starts the payments of the batch. */
export function isAcceptance(answer: NextAnswer): boolean {
  if (answer.kind === 'parameters') return answer.type === 'process-recurring-payment-response';
  return answer.kind === 'empty-200';
}

export function scriptedReply(answer: NextAnswer, serial: number): Reply {
  if (answer.kind === 'empty-200') return emptyReplies.accepted;
  if (answer.kind === 'empty-403') return emptyReplies.refused;
  const { type, httpStatus = 200, lineFeed = 'raw' } = answer;
  const end = lineFeed === 'raw' ? '\n' : lineFeed;
  const parameters: Parameters = [['type', type], ['serial-number', serialNumber(serial)], ...details(answer, serial)];
  // A line feed follows each value (2.4).
  const body = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}${end}`).join('&');
  return newReply(httpStatus, [htmlHeader], body);
}

type Parameters = readonly (readonly [name: string, value: string])[];

function details(answer: ParameterAnswer, serial: number): Parameters {
  const { type, errorIdName = 'error-id' } = answer;
  if (type === 'process-recurring-payment-response') return [['status', 'processing']];
  const code = answer.code ?? (type === 'validation-error' ? '403' : '500');
  const message = type === 'validation-error' ? 'the batch is not valid' : 'the batch cannot be processed';
  const errorId: Parameters = code === '500' ? [[errorIdName, `E${serial}`]] : [];
  return [['error-message', message], ['error-code', code], ...errorId];
}
