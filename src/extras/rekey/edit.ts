/** Replaces personal values in an exchange and its call with pseudonyms. sign-again.ts then makes a new signature. */
import { percentEncode } from '../../protocol/index.ts';
import type { Call } from '../../record/case.ts';
import type { Exchange, Header } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import {
  asText,
  editCells,
  editJsonString,
  editPayload,
  editPercent,
  editQuoted,
  idColumnsOf,
  plainName,
} from './encodings.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** Lower case without punctuation. Names of sections 2.1 to 2.4 and 5, and common names that identify a person. */
const idNames = new Set(
  (
    'clientorderid recurringpaymentid daycloserequestid endpointid gateid epntid rrn therequestserialnumber serialnumber serial ' +
    'errorid oauthnonce requestid correlationid traceid sessionid user userid username login email merchant merchantid account ' +
    'customer cardholder'
  ).split(' '),
);

function namesAnId(name: string): boolean {
  return idNames.has(plainName(name));
}

/** The edit for the value of a parameter; undefined if it stays. Also finds a misspelt `oauth_timestamp`. */
function editOf(name: string, { id, timestamp }: Pseudonyms): ((text: string) => string) | undefined {
  if (/^oauth.?timestam/i.test(name)) return timestamp;
  return namesAnId(name) ? (text) => id(text) : undefined;
}

/** Headers that name proxies, addresses, sessions or single requests. No requirement concerns them. */
const identifiesSender =
  /^(?:(?:set-)?cookie2?|via|forwarded|x-(?:forwarded|real|client|original|served|backend|upstream|cache)\b.*|.*(?:request|correlation|trace|span|session|transaction)-?id|.*(?:user|user-?name|user-?id|e-?mail|login|trace|trace-context)|traceparent|tracestate|baggage|x-amzn-trace-id|x-b3-.*|cf-ray|x-amz-cf-.*|referer|origin|from)$/i;

/** Other values keep their bytes. `call`: the input of the client, if known. */
export function editExchange(exchange: Exchange, pseudonyms: Pseudonyms, call: Pick<Call, 'asked'> = {}): Exchange {
  const { request, response } = exchange;
  const input = inputCells(call);
  const edit = (bytes: Uint8Array) => Buffer.from(editBody(latin1(bytes), pseudonyms, input), 'latin1');
  const headers = (some: readonly Header[]) =>
    some.map(([name, value]): Header => [name, editHeader(name, value, pseudonyms, input)]);
  const body = edit(request.body);
  return {
    ...exchange,
    startedAt: pseudonyms.time(exchange.startedAt),
    request: {
      ...request,
      host: pseudonyms.host(request.host),
      target: editTarget(request.target, pseudonyms),
      headers: headers(withLength(request.headers, request.body.length, body.length)),
      body,
    },
    response: response && { ...response, headers: headers(response.headers), body: edit(response.body) },
  };
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function withLength(headers: readonly Header[], before: number, after: number): readonly Header[] {
  return headers.map(([name, value]) =>
    before !== after && /^content-length$/i.test(name) && value.trim() === String(before)
      ? [name, value.replace(String(before), String(after))]
      : [name, value],
  );
}

function editHeader(name: string, value: string, pseudonyms: Pseudonyms, input?: InputCells): string {
  if (/^host$/i.test(name)) return pseudonyms.host(value);
  if (/^location$/i.test(name)) return editTarget(value, pseudonyms);
  if (/^(?:proxy-)?authorization$/i.test(name)) return editAuthorization(value, pseudonyms, input);
  // Loopback identifies nobody, and a report itself contains its name.
  const isHere = isLoopback(value.replace(/^https?:\/\//i, ''));
  return identifiesSender.test(name) && !isHere ? pseudonyms.id(value) : value;
}

const headerParameter = /(?<![^\s=",;&'])([^\s=",;&']+)([ \t]*=[ \t]*)(?:(["'])(.*?)\3|([^"',;&\s]*))/g;

/** Edits parameters with or without quotes; the form of the header stays. */
function editAuthorization(header: string, pseudonyms: Pseudonyms, input?: InputCells): string {
  if (/^\s*(?:basic|bearer|digest)\s/i.test(header)) {
    return header.replace(/(?<=^\s*\w+\s).*$/s, (text) => pseudonyms.id(text));
  }
  return header.replace(headerParameter, (_, name: string, equals: string, quote = '', quoted?: string, bare = '') => {
    return `${name}${equals}${quote}${editValue(name, quoted ?? bare, pseudonyms, input)}${quote}`;
  });
}

/** Decides by the content of the body, since a wrong Content-Type may be the fault to show. */
function editBody(text: string, pseudonyms: Pseudonyms, input?: InputCells): string {
  if (/^\s*[{[]/.test(text)) return editJson(text, pseudonyms);
  if (/^\s*["'A-Za-z-]+["']?[;,]/.test(text)) return editBatch(text, pseudonyms, input);
  return /^[^\s=&<]+=/.test(text) ? editForm(text, pseudonyms, input) : text;
}

function editForm(form: string, pseudonyms: Pseudonyms, input?: InputCells): string {
  const edited = form.split('&').map((piece) => {
    const value = piece.indexOf('=') + 1;
    if (value === 0) return piece;
    return `${piece.slice(0, value)}${editValue(decoded(piece.slice(0, value - 1)), piece.slice(value), pseudonyms, input)}`;
  });
  return edited.join('&');
}

function editValue(name: string, value: string, pseudonyms: Pseudonyms, input?: InputCells): string {
  if (/payload/i.test(name)) return editPercent(value, (inner) => editBatch(inner, pseudonyms, input), true);
  if (name.toLowerCase() === 'oauth_consumer_key') {
    const [original, pseudonym] = [decoded(value), pseudonyms.consumerKey(decoded(value))];
    return original === pseudonym ? value : percentEncode(pseudonym);
  }
  // The line end after a value of section 2.4 is not part of an id; pseudonyms keep white space.
  const edit = editOf(name, pseudonyms);
  return edit === undefined ? value : editPercent(value, asText(edit), true);
}

/** The lookbehind finds the closing quote. A group for each character would overflow the stack on megabytes. */
const jsonMember = /("([^"\\]{1,60})"\s*:\s*)(?:"([\s\S]*?)"(?<=(?<!\\)(?:\\\\)*")|(-?\d[\d.eE+-]*))/g;

/** Edits JSON in place: white space, order, escapes and invalid parts stay. */
function editJson(json: string, pseudonyms: Pseudonyms): string {
  return json.replace(jsonMember, (all, before: string, name: string, text?: string, number = '') => {
    const edit = editOf(name, pseudonyms);
    if (edit === undefined) return all;
    return text === undefined ? `${before}${edit(number)}` : `${before}"${editJsonString(text, asText(edit))}"`;
  });
}

/** A request target or base URL: host, prefix before the operation, endpoint after it (sections 4.1 and 4.2). */
export function editTarget(target: string, pseudonyms: Pseudonyms): string {
  const { origin, prefix, rest, query } = partsOf(target);
  const host = origin.replace(/(?<=:\/\/).*$/, (authority) => pseudonyms.host(authority));
  const segment = (text: string) =>
    editPercent(
      text,
      asText((inner) => pseudonyms.id(inner)),
    );
  const endpoint = rest.replace(/(?<=\/(?:close-day|process-recurring-payments)\/)[^/]+/, segment);
  const edited = query === undefined ? '' : `?${editForm(query, pseudonyms)}`;
  return `${host}${prefix.replace(/[^/]+/g, segment)}${endpoint}${edited}`;
}

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

/** The client's input, if known: in a wrong batch columns may be shifted or column names missing. */
interface InputCells {
  readonly ids: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

function editBatch(payload: string, pseudonyms: Pseudonyms, input?: InputCells): string {
  return editPayload(payload, (csv) => editCsv(csv, pseudonyms, input));
}

/** Replaces all order ids and payment ids; without column names, every cell that is not an amount. */
function editCsv(csv: string, { id, isKnown }: Pseudonyms, input?: InputCells): string {
  if (!/[;,\t|]|orderid|recurring/i.test(csv.slice(0, 400))) return csv;
  const columns = idColumnsOf(csv);
  const isId = (text: string, column: number): boolean => {
    if (isKnown(text)) return true;
    const [isInputId, isInputOther] = [input?.ids.has(text), input?.others.has(text)];
    if (isInputId !== isInputOther) return isInputId === true;
    return columns?.[column] ?? !/^-?\d{0,9}(?:[.,]\d*)?$/.test(text.trim());
  };
  return editCells(csv, (raw, row, column) => {
    if (raw === '' || (row === 0 && columns !== undefined)) return raw;
    return editQuoted(
      raw,
      asText((text) => (isId(text, column) ? id(text) : text)),
    );
  });
}

/** The input cells, split into ids and others; undefined if unknown. */
function inputCells({ asked }: Pick<Call, 'asked'>): InputCells | undefined {
  if (asked === undefined || !('columns' in asked.input)) return undefined;
  const { columns, rows } = asked.input;
  const [ids, others] = [new Set<string>(), new Set<string>()];
  for (const row of rows)
    for (const [at, text] of row.entries()) (namesAnId(columns[at]!) ? ids : others).add(text ?? '');
  return { ids, others };
}

/** Uses the same pseudonyms as the requests. The client's stages are removed, since no verdict needs them. */
export function editCall(call: Call, pseudonyms: Pseudonyms): Call {
  const { asked, reply } = call;
  const { id, consumerKey, timestamp } = pseudonyms;
  const { stages: _, ...answered } = reply ?? { outcome: 'completed' };
  return {
    ...call,
    label: editNamed(call.label, pseudonyms),
    asked: asked && {
      ...asked,
      baseUrl: editTarget(asked.baseUrl, pseudonyms),
      endpointId: id(asked.endpointId),
      consumerKey: consumerKey(asked.consumerKey),
      inject: asked.inject && {
        ...(asked.inject.timestamp === undefined ? {} : { timestamp: timestamp(asked.inject.timestamp) }),
        ...(asked.inject.nonce === undefined ? {} : { nonce: id(asked.inject.nonce) }),
      },
      input: 'columns' in asked.input ? editTable(asked.input, pseudonyms) : editNamed(asked.input, pseudonyms),
    },
    reply: reply && editNamed(answered, pseudonyms),
  };
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

function editTable({ columns, rows }: Table, { id, isKnown }: Pseudonyms): Table {
  const areIds = columns.map(namesAnId);
  const cell = (text: string | null, at: number) => (text !== null && (areIds[at] || isKnown(text)) ? id(text) : text);
  return { columns, rows: rows.map((row) => row.map(cell)) };
}

function editNamed<T>(value: T, pseudonyms: Pseudonyms, isId = false): T {
  if (typeof value === 'string') return (isId ? pseudonyms.id(value) : value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const [name, text] = value;
    const isPair = value.length === 2 && typeof name === 'string' && typeof text === 'string';
    if (isPair) return [name, editNamed(text, pseudonyms, namesAnId(name))] as T;
    return value.map((member) => editNamed(member, pseudonyms)) as T;
  }
  const members = Object.entries(value).map(([name, member]) => [
    name,
    editNamed(member, pseudonyms, isId || namesAnId(name)),
  ]);
  return Object.fromEntries(members) as T;
}
