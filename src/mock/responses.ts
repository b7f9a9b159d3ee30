/** The answers of sections 2.2, 2.4, 4 and 7 as literal byte templates: no model is printed, so no decoder can mirror a mistake. */
import type { Header } from '../record/exchange.ts';

export interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  /** Milliseconds to wait before the answer is written. */
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

/** An answer with its length and the keep-alive headers of section 8 after the given ones. */
export function newReply(status: number, headers: readonly Header[], body: string): Reply {
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

/** The same answer with that header set: in its old place, or first where it was absent. */
export function withHeader(reply: Reply, name: string, value: string): Reply {
  if (!reply.headers.some(([found]) => isNamed(found, name))) {
    return { ...reply, headers: [[name, value], ...reply.headers] };
  }
  return { ...reply, headers: reply.headers.map(([found, old]) => [found, isNamed(found, name) ? value : old]) };
}

/** The same answer without that header. Without Content-Length it goes out chunked. */
export function withoutHeader(reply: Reply, name: string): Reply {
  return { ...reply, headers: reply.headers.filter(([found]) => !isNamed(found, name)) };
}

function isNamed(found: string, name: string): boolean {
  return found.toLowerCase() === name.toLowerCase();
}

export function dated(headers: readonly Header[], time: number): readonly Header[] {
  if (headers.some(([name]) => isNamed(name, 'date'))) return headers;
  return [...headers, ['Date', new Date(time).toUTCString()]];
}

/** One element of `response.gates`. The two longs are given in digits. */
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

const html: Header = ['Content-Type', 'text/html;charset=utf-8'];

/** 4.1: the day is closed; one result for each gate. */
export function finished(gates: readonly GateResult[], serial: number): Reply {
  return newReply(
    200,
    [html],
    `{"response":{"status":"finished","gates":[${gates.map(gateResult).join(',')}]},` +
      `"theRequestSerialNumber":"${serialNumber(serial)}"}`,
  );
}

/** 4.1 and 7: status `error` with its code and message. */
export function closeDayError(errorCode: string, errorMessage: string, serial: number, status = 200): Reply {
  const challenge: Header[] = status === 401 ? [['WWW-Authenticate', 'OAuth']] : [];
  return newReply(
    status,
    [html, ...challenge],
    `{"response":{"status":"error","errorCode":"${errorCode}","errorMessage":${JSON.stringify(errorMessage)}},` +
      `"theRequestSerialNumber":"${serialNumber(serial)}"}`,
  );
}

export function closingAlready(serial: number): Reply {
  return closeDayError('99', 'gate is closing already', serial);
}

/** The empty answers of section 4.2, and those to a path of no operation and to another method (RFC 9110 section 15.5.6). */
export const emptyReplies = {
  accepted: newReply(200, [], ''),
  refused: newReply(403, [], ''),
  notFound: newReply(404, [], ''),
  methodNotAllowed: newReply(405, [['Allow', 'POST']], ''),
};

/** UUID-like: the number in hex, zero-padded, in groups of 8, 4, 4, 4 and 12. */
export function serialNumber(serial: number): string {
  const hex = serial.toString(16);
  if (hex.length <= 12) return `00000000-0000-0000-0000-${hex.padStart(12, '0')}`;
  return hex.padStart(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function gateResult(gate: GateResult): string {
  return (
    `{"gateId":${gate.gateId},"isDayClosing":${gate.isDayClosing},"gateCloseDate":"${gateCloseDate(gate.closedAt)}",` +
    `"epntId":${gate.epntId},"saleApprovedCount":"${gate.saleApprovedCount}","saleAmount":"${gate.saleAmount}",` +
    `"reversalApprovedCount":"${gate.reversalApprovedCount}","reversalAmount":"${gate.reversalAmount}",` +
    `"code39":"00","RRN":"${String(gate.closeDayNumber).padStart(12, '0')}"}`
  );
}

/** `<weekday> <month> <day> <HH:MM:SS> <zone> <year>` (2.2), English and in UTC whatever the machine's locale. */
function gateCloseDate(time: number): string {
  // RFC 7231 form: Sat, 21 Nov 2026 03:44:00 GMT
  const [weekday, day, month, year, clock] = new Date(time).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${clock} UTC ${year}`;
}

/** `empty-200` is what comes anyway; it is there so that a queue can hold ordinary answers between others. */
export type NextAnswer =
  | { readonly kind: 'empty-200' }
  | { readonly kind: 'empty-403' }
  | ({ readonly kind: 'parameters' } & ParameterAnswer);

interface ParameterAnswer {
  readonly type: 'process-recurring-payment-response' | 'validation-error' | 'error';
  /** `error-code` of the two error types; 403 for `validation-error` and 500 for `error` by default. */
  readonly code?: '200' | '403' | '500';
  /** Default 200: which status comes with such a body is an open point (A17). */
  readonly httpStatus?: number;
  /** Name of the further parameter that comes with code 500 (section 7 does not show it); default `error-id`. */
  readonly errorIdName?: string;
  /** How the 0x0A that ends each value is written (A18); default raw. */
  readonly lineFeed?: 'raw' | '%0A';
}

/** Whether a batch that gets this answer starts its payments: the type decides, not the HTTP status. */
export function isAcceptance(answer: NextAnswer): boolean {
  if (answer.kind === 'parameters') return answer.type === 'process-recurring-payment-response';
  return answer.kind === 'empty-200';
}

/** The answer as it goes out; `serial` becomes its serial-number. */
export function scriptedReply(answer: NextAnswer, serial: number): Reply {
  if (answer.kind === 'empty-200') return emptyReplies.accepted;
  if (answer.kind === 'empty-403') return emptyReplies.refused;
  const { type, httpStatus = 200, lineFeed = 'raw' } = answer;
  const end = lineFeed === 'raw' ? '\n' : lineFeed;
  const parameters: Parameters = [['type', type], ['serial-number', serialNumber(serial)], ...details(answer, serial)];
  // 2.4: a line feed follows each value.
  const body = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}${end}`).join('&');
  return newReply(httpStatus, [html], body);
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
