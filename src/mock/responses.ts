/** The answers of sections 2.2, 2.4, 4 and 7 as literal byte templates: no model is printed, so no decoder can mirror a mistake. */
import type { Header } from '../record/exchange.ts';
import { newReply, type Reply } from './reply.ts';

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
    `{"response":{"status":"error","errorCode":"${errorCode}","errorMessage":${jsonText(errorMessage)}},` +
      `"theRequestSerialNumber":"${serialNumber(serial)}"}`,
  );
}

/** 7: the gate is closing already. */
export function closingAlready(serial: number): Reply {
  return closeDayError('99', 'gate is closing already', serial);
}

/** 4.2: accepted, an empty body. */
export function recurringAccepted(): Reply {
  return newReply(200, [], '');
}

/** 4.2: refused, an empty body. */
export function recurringRefused(): Reply {
  return newReply(403, [], '');
}

/** No such path. */
export function notFound(): Reply {
  return newReply(404, [], '');
}

/** The path of an operation, but not POST (RFC 9110 section 15.5.6 asks for Allow). */
export function methodNotAllowed(): Reply {
  return newReply(405, [['Allow', 'POST']], '');
}

/**
 * 2.4: a form-urlencoded body in which a line feed follows each value.
 * The gateway that behaves never sends one; alterations do. `lineFeed` may be `%0A`, as A18 is open.
 */
export function parameterReply(
  parameters: readonly (readonly [name: string, value: string])[],
  status = 200,
  lineFeed = '\n',
): Reply {
  const body = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}${lineFeed}`).join('&');
  return newReply(status, [html], body);
}

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
  const second = Math.floor(time / 1000);
  if (second === lastDate.second) return lastDate.text;
  // RFC 7231 form: Sat, 21 Nov 2026 03:44:00 GMT
  const [weekday, day, month, year, clock] = new Date(time).toUTCString().replace(',', '').split(' ');
  lastDate = { second, text: `${weekday} ${month} ${day} ${clock} UTC ${year}` };
  return lastDate.text;
}

/** Of a second of many answers the date is written once. */
let lastDate = { second: Number.NaN, text: '' };

/** One JSON string literal (RFC 8259 section 7). */
function jsonText(text: string): string {
  return JSON.stringify(text);
}
