/** Which values of a message name a person or a thing, and stand-ins for them in forms, JSON and paths. */
import { percentEncode } from '../../protocol/index.ts';
import type { GivenCells } from './edit-csv.ts';
import { editJsonString, editPercent, textually } from './edit-escaped.ts';
import { editPayload } from './edit-payload.ts';
import type { StandIns } from './stand-ins.ts';

/** Without case and punctuation, since clients and gateways vary both. Sections 2.1 to 2.4 and 5; and names outside the document that identify a person. */
const idNames = new Set([
  'clientorderid',
  'recurringpaymentid',
  'daycloserequestid',
  'endpointid',
  'gateid',
  'epntid',
  'rrn',
  'therequestserialnumber',
  'serialnumber',
  'serial',
  'errorid',
  'oauthnonce',
  'requestid',
  'correlationid',
  'traceid',
  'sessionid',
  'user',
  'userid',
  'username',
  'login',
  'email',
  'merchant',
  'merchantid',
  'account',
  'customer',
  'cardholder',
]);

/** Whether values under that name are ids. */
export function namesAnId(name: string): boolean {
  return idNames.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

/** A misspelt name has the time under it all the same. */
function namesATimestamp(name: string): boolean {
  return /^oauth.?timestam/i.test(name);
}

/** A form body or a query. */
export function editForm(form: Buffer, standIns: StandIns, given?: GivenCells): Buffer {
  const pieces = form.toString('latin1').split('&');
  const edited = pieces.map((piece) => {
    const equals = piece.indexOf('=');
    if (equals === -1) return piece;
    const name = decoded(piece.slice(0, equals));
    const value = Buffer.from(piece.slice(equals + 1), 'latin1');
    return `${piece.slice(0, equals + 1)}${editValue(name, value, standIns, given).toString('latin1')}`;
  });
  return Buffer.from(edited.join('&'), 'latin1');
}

/** A value in the form that it has under a name, in a form or in the Authorization header. */
export function editValue(name: string, value: Buffer, standIns: StandIns, given?: GivenCells): Buffer {
  const { id, consumerKey } = standIns;
  if (/payload/i.test(name)) return editPercent(value, (inner) => editPayload(inner, standIns, given), true);
  if (name.toLowerCase() === 'oauth_consumer_key') {
    const [original, standIn] = [decoded(value.toString('latin1')), consumerKey(decoded(value.toString('latin1')))];
    return original === standIn ? value : Buffer.from(percentEncode(standIn), 'latin1');
  }
  if (namesATimestamp(name)) return editPercent(value, textually(standIns.timestamp), true);
  // The line end that closes a value of 2.4 is part of no id: stand-ins leave white space where it is.
  return namesAnId(name) ? editPercent(value, textually(id), true) : value;
}

/** A value ends with a quote that no odd number of backslashes is in front of: a group for each character takes the stack of megabytes. */
const jsonMember = /"([^"\\]{1,60})"(\s*:\s*)(?:"([\s\S]*?)"(?<=(?<!\\)(?:\\\\)*")|(-?\d[\d.eE+-]*))/g;

/** JSON in place: white space, order, escapes and what is not JSON at all stay. */
export function editJson(json: Buffer, { id, timestamp }: StandIns): Buffer {
  const out = Buffer.from(json);
  for (const found of json.toString('latin1').matchAll(jsonMember)) {
    const [, name = '', between = '', text, number] = found;
    const told = namesAnId(name) ? id : namesATimestamp(name) ? timestamp : undefined;
    if (told === undefined) continue;
    const value = text ?? number!;
    const start = found.index + name.length + 2 + between.length + (text === undefined ? 0 : 1);
    editJsonString(json.subarray(start, start + value.length), textually(told)).copy(out, start);
  }
  return out;
}

/** A request target or a base URL: an absolute one has a host, what is in front of the operation is the prefix, and behind it is the endpoint (sections 4.1 and 4.2). */
export function editTarget(target: string, standIns: StandIns): string {
  const { origin, prefix, rest, query } = partsOf(target);
  const host = origin.replace(/(?<=:\/\/).*$/, (authority) => standIns.host(authority));
  const segment = (text: string) => editPercent(Buffer.from(text, 'latin1'), textually(standIns.id)).toString('latin1');
  const endpoint = rest.replace(/(?<=\/(?:close-day|process-recurring-payments)\/)[^/]+/, segment);
  const edited = query === undefined ? '' : `?${editForm(Buffer.from(query, 'latin1'), standIns).toString('latin1')}`;
  return `${host}${prefix.replace(/[^/]+/g, segment)}${endpoint}${edited}`;
}

/** The segments of the path in front of the operation. */
export function prefixOf(target: string): readonly string[] {
  return partsOf(target).prefix.split('/').filter(Boolean);
}

function partsOf(target: string) {
  const [, origin = '', path = '', query] = /^([A-Za-z][\w+.-]{0,19}:\/\/[^/?#]*)?([^?]*)(?:\?(.*))?$/s.exec(target)!;
  const at = path.search(/\/(?:api\/)?(?:v\d+\/)?(?:close-day|process-recurring-payments)(?:\/|$)/i);
  const end = at === -1 ? path.length : at;
  return { origin, prefix: path.slice(0, end), rest: path.slice(end), query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
