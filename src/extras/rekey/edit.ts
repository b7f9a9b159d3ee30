/** Replaces personal values in an exchange and its call with pseudonyms. Other values keep their bytes and escapes. */
import type { Call, RecurringInput } from '../../record/case.ts';
import type { Exchange, Header, SentRequest } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import { percentEncodeLike } from '../../run/gateway/build-request.ts';
import { type Pseudonyms, urlDecode } from './pseudonyms.ts';

export type Edit = (text: string) => string;

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

type CallPseudonyms = Pseudonyms & { readonly input?: InputCells };

/** Returns the edit for a parameter, or undefined if its value stays. Also edits a misspelt `oauth_timestamp`. */
function editOf(name: string, { id, timestamp }: Pseudonyms): Edit | undefined {
  if (/^oauth.?timestam/i.test(name)) return timestamp;
  return isIdName(name) ? id : undefined;
}

/** Headers that identify proxies, addresses, people, sessions or single requests. No requirement concerns them. */
const senderHeader =
  /^(?:(?:set-)?cookie2?|via|forwarded|x-(?:forwarded|real|client|original|served|backend|upstream|cache)\b.*|.*(?:request|correlation|trace|span|session|transaction)-?id|.*(?:user|user-?name|user-?id|e-?mail|login|trace|trace-context)|traceparent|tracestate|baggage|x-amzn-trace-id|x-b3-.*|cf-ray|x-amz-cf-.*|referer|origin|from)$/i;

/** Replaces the personal values of one exchange. `call` is the recorded call of the client, if there is one. */
export function editExchange(exchange: Exchange, all: Pseudonyms, call: Pick<Call, 'asked'> = {}): Exchange {
  const { request, response } = exchange;
  const pseudonyms = { ...all, input: inputCells(call) };
  const editBytes = (bytes: Uint8Array) => editBody(latin1(bytes), pseudonyms);
  const editHeaders = (some: readonly Header[]) =>
    some.map(([name, value]): Header => [name, editHeader(name, value, pseudonyms)]);
  const edited = withBody(request, editBytes(request.body));
  return {
    ...exchange,
    startedAt: pseudonyms.time(exchange.startedAt),
    request: {
      ...edited,
      host: pseudonyms.host(request.host),
      target: editTarget(request.target, pseudonyms),
      headers: editHeaders(edited.headers),
    },
    response: response && {
      ...response,
      headers: editHeaders(response.headers),
      body: Buffer.from(editBytes(response.body), 'latin1'),
    },
  };
}

function editHeader(name: string, value: string, pseudonyms: CallPseudonyms): string {
  if (/^host$/i.test(name)) return pseudonyms.host(value);
  if (/^location$/i.test(name)) return editTarget(value, pseudonyms);
  if (/^(?:proxy-)?authorization$/i.test(name)) return editAuthorization(value, pseudonyms);
  // Keep a loopback address, because it identifies nobody and occurs in reports of the suite.
  const isLocal = isLoopback(value.replace(/^https?:\/\//i, ''));
  return senderHeader.test(name) && !isLocal ? pseudonyms.id(value) : value;
}

const headerParameter = /(?<![^\s=",;&'])([^\s=",;&']+)([ \t]*=[ \t]*)(?:(["'])(.*?)\3|([^"',;&\s]*))/g;

function editAuthorization(header: string, pseudonyms: CallPseudonyms): string {
  if (/^\s*(?:basic|bearer|digest)\s/i.test(header)) {
    return header.replace(/(?<=^\s*\w+\s).*$/s, pseudonyms.id);
  }
  return header.replace(headerParameter, (_, name: string, equals: string, quote = '', quoted?: string, bare = '') => {
    return `${name}${equals}${quote}${editValue(name, quoted ?? bare, pseudonyms)}${quote}`;
  });
}

/** Detects the format from the body, because the Content-Type may be wrong. */
function editBody(text: string, pseudonyms: CallPseudonyms): string {
  if (/^\s*[{[]/.test(text)) return editJson(text, pseudonyms);
  if (/^\s*["'A-Za-z-]+["']?[;,]/.test(text)) return editBatch(text, pseudonyms);
  if (/^[^\s=&<]+=/.test(text)) return editForm(text, pseudonyms);
  return text.replace(formPart, (_, before: string, name: string, value: string) => {
    return `${before}${bytesEditOf(name, pseudonyms)?.(value) ?? value}`;
  });
}

/** A part of multipart/form-data (RFC 7578). */
const formPart = /(\bname="([^"\r\n]+)"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)([^\r\n]*)/g;

function editForm(form: string, pseudonyms: CallPseudonyms): string {
  const edited = form.split('&').map((piece) => {
    const value = piece.indexOf('=') + 1;
    if (value === 0) return piece;
    return `${piece.slice(0, value)}${editValue(urlDecode(piece.slice(0, value - 1)), piece.slice(value), pseudonyms)}`;
  });
  return edited.join('&');
}

function editValue(name: string, value: string, pseudonyms: CallPseudonyms): string {
  if (name.toLowerCase() === 'oauth_consumer_key') {
    const original = urlDecode(value);
    const pseudonym = pseudonyms.consumerKey(original);
    return original === pseudonym ? value : percentEncodeLike(value, pseudonym);
  }
  // The line end after an id (section 2.4) stays, because pseudonyms keep white space.
  const edit = bytesEditOf(name, pseudonyms);
  return edit === undefined ? value : editPercent(value, edit, true);
}

/** Like `editOf`, but also for batches. The edit is for Latin-1 text: one character for each byte. */
function bytesEditOf(name: string, pseudonyms: CallPseudonyms): Edit | undefined {
  if (/payload|^data$/i.test(name)) return (bytes) => editBatch(bytes, pseudonyms);
  const edit = editOf(name, pseudonyms);
  return edit && utf8Edit(edit);
}

/** A JSON member. `"(?:[^"\\]|\\.)*"` for its text would be simpler, but overflows the stack if the text is long. */
const jsonMember = /("([^"\\]{1,60})"\s*:\s*)(?:"([\s\S]*?)"(?<=(?<!\\)(?:\\\\)*")|(-?\d[\d.eE+-]*))/g;

function editJson(json: string, pseudonyms: CallPseudonyms): string {
  return json.replace(jsonMember, (all, before: string, name: string, text?: string, number = '') => {
    const edit = bytesEditOf(name, pseudonyms);
    if (edit === undefined) return all;
    return text === undefined ? `${before}${edit(number)}` : `${before}"${editJsonString(text, edit)}"`;
  });
}

/** Edits host, path prefix, endpoint id and query of a request target or base URL (sections 4.1 and 4.2). */
export function editTarget(target: string, pseudonyms: Pseudonyms): string {
  const { origin, prefix, rest, query } = splitTarget(target);
  const host = origin.replace(/(?<=:\/\/).*$/, (authority) => pseudonyms.host(authority));
  const segment = (text: string) => editPercent(text, utf8Edit(pseudonyms.id));
  const endpoint = rest.replace(/(?<=\/(?:close-day|process-recurring-payments)\/)[^/]+/, segment);
  const edited = query === undefined ? '' : `?${editForm(query, pseudonyms)}`;
  return `${host}${prefix.replace(/[^/]+/g, segment)}${endpoint}${edited}`;
}

export function prefixOf(target: string): readonly string[] {
  return splitTarget(target).prefix.split('/').filter(Boolean);
}

function splitTarget(target: string) {
  const [, origin = '', path = '', query] = /^([A-Za-z][\w+.-]{0,19}:\/\/[^/?#]*)?([^?]*)(?:\?(.*))?$/s.exec(target)!;
  const at = path.search(/\/(?:api\/)?(?:v\d+\/)?(?:close-day|process-recurring-payments)(?:\/|$)/i);
  const end = at === -1 ? path.length : at;
  return { origin, prefix: path.slice(0, end), rest: path.slice(end), query };
}

/** Whether the input cells with a text are ids (undefined: only some). By text, because clients may shift columns. */
type InputCells = ReadonlyMap<string, boolean | undefined>;

function editBatch(payload: string, pseudonyms: CallPseudonyms): string {
  return editPayload(payload, (csv) => editCsv(csv, pseudonyms));
}

/** Replaces order ids and payment ids. Without column names, replaces each cell that does not look like an amount. */
function editCsv(csv: string, { id, isReplaced, input }: CallPseudonyms): string {
  if (!/[;,\t|]|orderid|recurring/i.test(csv.slice(0, 400))) return csv;
  const columns = idColumnsOf(csv);
  const isId = (text: string, column: number): boolean => {
    if (isReplaced(text)) return true;
    return input?.get(text) ?? columns?.[column] ?? !/^-?\d{0,9}(?:[.,]\d*)?$/.test(text.trim());
  };
  return editCells(csv, (raw, row, column) => {
    if (raw === '' || (row === 0 && columns !== undefined)) return raw;
    const edit = utf8Edit((text) => (isId(text, column) ? id(text) : text));
    // In a quoted field, `""` is one quote (RFC 4180).
    return raw.includes('""') ? editEscaped(raw, /""/g, () => '"', edit) : edit(raw);
  });
}

function inputCells({ asked }: Pick<Call, 'asked'>): InputCells {
  const found = new Map<string, boolean | undefined>();
  const { columns, rows } = asked !== undefined && 'columns' in asked.input ? asked.input : { columns: [], rows: [] };
  const areIds = columns.map(isIdName);
  for (const [at, cell] of rows.flatMap((row) => [...row.entries()])) {
    const isAmbiguous = found.has(cell ?? '') && found.get(cell ?? '') !== areIds[at];
    found.set(cell ?? '', isAmbiguous ? undefined : areIds[at]);
  }
  return found;
}

/** Replaces the same values in a call as in its requests. Removes the signing steps, which no verdict needs. */
export function editCall(call: Call, pseudonyms: Pseudonyms): Call {
  const { id, isReplaced } = pseudonyms;
  const memberEdits: Readonly<Record<string, Edit>> = {
    baseUrl: (url) => editTarget(url, pseudonyms),
    consumerKey: pseudonyms.consumerKey,
    timestamp: pseudonyms.timestamp,
    nonce: id,
  };
  const edited = (value: unknown, edit?: Edit): unknown => {
    if (typeof value === 'string') return edit === undefined ? value : edit(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const [name, text] = value;
      const isPair = value.length === 2 && typeof name === 'string' && typeof text === 'string';
      return isPair ? [name, edited(text, editOf(name, pseudonyms))] : value.map((member) => edited(member, edit));
    }
    if ('columns' in value && 'rows' in value) {
      const { columns, rows } = value as RecurringInput;
      const areIds = columns.map(isIdName);
      const cell = (text: string | null, at: number) => (text && (areIds[at] || isReplaced(text)) ? id(text) : text);
      return { columns, rows: rows.map((row) => row.map(cell)) };
    }
    const members = Object.entries(value).filter(([name]) => name !== 'stages');
    return Object.fromEntries(
      members.map(([name, member]) => [name, edited(member, edit ?? memberEdits[name] ?? editOf(name, pseudonyms))]),
    );
  };
  return edited(call) as Call;
}

/** Replaces the body. If Content-Length was correct, updates it. `text` is Latin-1: one character for each byte. */
export function withBody(request: SentRequest, text: string): SentRequest {
  const oldLength = String(request.body.length);
  const headers = request.headers.map(([name, value]): Header => {
    const isLength = /^content-length$/i.test(name) && value.trim() === oldLength;
    return [name, isLength ? value.replace(oldLength, String(text.length)) : value];
  });
  return { ...request, headers, body: Buffer.from(text, 'latin1') };
}

/** Edits percent-encoded text. If `plus` is true, a `+` is a space. Escaped characters stay escaped. */
function editPercent(raw: string, edit: Edit, plus = false): string {
  if (!raw.includes('%') && !(plus && raw.includes('+'))) return edit(raw);
  const decode = (token: string) => (token === '+' ? ' ' : characterOf(token.slice(1)));
  return editEscaped(raw, plus ? /%[0-9A-Fa-f]{2}|\+/g : /%[0-9A-Fa-f]{2}/g, decode, edit);
}

/** Edits the text of a JSON string (RFC 8259 section 7). For an escape that stays, such as \n, `edit` gets a space. */
function editJsonString(raw: string, edit: Edit): string {
  if (!raw.includes('\\')) return edit(raw);
  const decode = (token: string) => {
    if (/^\\u00[0-7]/.test(token)) return characterOf(token.slice(4));
    return /^\\["\\/]$/.test(token) ? token[1]! : ' ';
  };
  return editEscaped(raw, /\\u[0-9A-Fa-f]{4}|\\[\s\S]/g, decode, edit);
}

/** `escapes` matches one escaped character. If `edit` changes the character, the new one is escaped the same way. */
function editEscaped(raw: string, escapes: RegExp, decode: (token: string) => string, edit: Edit): string {
  const decoded = raw.replace(escapes, decode);
  const edited = edit(decoded);
  if (edited === decoded) return raw;
  let out = '';
  let rawAt = 0;
  let editedAt = 0;
  for (const { 0: token, index } of raw.matchAll(escapes)) {
    out += edited.slice(editedAt, editedAt + index - rawAt);
    editedAt += index - rawAt;
    rawAt = index + token.length;
    out += edited[editedAt] === decoded[editedAt] ? token : escapeLike(token, edited[editedAt]!);
    editedAt += 1;
  }
  return out + edited.slice(editedAt);
}

function escapeLike(token: string, character: string): string {
  if (token.length === 1) return character;
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `${token.slice(0, -2)}${/[a-f]/.test(token.slice(-2)) ? hex : hex.toUpperCase()}`;
}

function characterOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

const maxLayers = 4;

/** Edits text that may be escaped several times: percent-encoded, with `+` for spaces, or as a JSON string. */
export function editNestedText(raw: string, edit: Edit, layers = maxLayers): string {
  const inner: Edit = (text) => editNestedText(text, edit, layers - 1);
  if (layers === 0) return edit(raw);
  let edited: string;
  if (/%[0-9A-Fa-f]{2}/.test(raw)) edited = editPercent(raw, inner);
  else edited = raw.includes('\\') ? editJsonString(raw, inner) : edit(raw);
  return edited.includes('+') ? editPercent(edited, inner, true) : edited;
}

function utf8Edit(edit: Edit): Edit {
  return (raw) => {
    if (/^[\0-\x7f]*$/.test(raw)) return edit(raw);
    const bytes = Buffer.from(raw, 'latin1');
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) return edit(raw);
    const edited = Buffer.from(edit(text), 'utf8');
    return edited.length === bytes.length ? edited.toString('latin1') : raw;
  };
}

function editPayload(payload: string, editCsv: Edit, layers = maxLayers): string {
  if (layers === 0 || payload === '') return payload;
  const inner: Edit = (decoded) => editPayload(decoded, editCsv, layers - 1);
  if (/^[A-Za-z0-9+/=_%\s-]+$/.test(payload)) {
    if (/%[0-9A-Fa-f]{2}/.test(payload)) return editPercent(payload, inner);
    if (!/^(?:[0-9a-f]{2}){8,}$/.test(payload)) return editBase64(payload, inner);
    return Buffer.from(inner(Buffer.from(payload, 'hex').toString('latin1')), 'latin1').toString('hex');
  }
  const uri = /^data:[^,]*,/.exec(payload)?.[0] ?? '';
  return uri === '' ? editCsv(payload) : `${uri}${inner(payload.slice(uri.length))}`;
}

function editBase64(text: string, edit: Edit): string {
  // If a client does not escape a +, the form decoder makes it a space. So here a space in base64 means +.
  const spaceIsPlus = / /.test(text.trim()) && text.trim().replace(/[\r\n\t]/g, '').length % 4 === 0;
  const charset = /[-_]/.test(text) ? 'base64url' : 'base64';
  const bytes = Buffer.from((spaceIsPlus ? text.replaceAll(' ', '+') : text).replace(/[\s=]/g, ''), 'base64');
  const encode = (some: Buffer) => some.toString(charset).replace(/=+$/, '');
  const before = encode(bytes);
  const after = encode(Buffer.from(edit(bytes.toString('latin1')), 'latin1'));
  if (before === after) return text;
  let at = -1;
  return text.replace(spaceIsPlus ? /[^=\r\n\t]/g : /[^=\s]/g, (character) => {
    at += 1;
    // The last character may have unused bits, so clients may write it differently. Keep what the client wrote.
    if (before[at] === after[at]) return character;
    return spaceIsPlus && after[at] === '+' ? ' ' : (after[at] ?? character);
  });
}

/** Names of the values to replace, as `plainName` returns them. Some are parameters (sections 2.1 to 2.4 and 5). */
const idNames = new Set(
  (
    'clientorderid orderid recurringpaymentid paymentid daycloserequestid endpointid gateid epntid rrn therequestserialnumber ' +
    'serialnumber serial errorid oauthnonce requestid correlationid traceid sessionid user userid username login email merchant ' +
    'merchantid account customer cardholder'
  ).split(' '),
);

function isIdName(name: string): boolean {
  return idNames.has(plainName(name));
}

/** Returns an empty text for a long name: in a malformed batch, the first line can have megabytes. */
function plainName(name: string): string {
  return name.length > 1000 ? '' : name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const idColumn = /^(?:client)?orderid$|^(?:recurring)?paymentid$/;
const knownColumn = new RegExp(`${idColumn.source}|^amount(?:from|to|sequence)?$`);

function idColumnsOf(csv: string): readonly boolean[] | undefined {
  const names = columnNames(csv, delimiterOf(csv));
  return names.some((name) => knownColumn.test(name)) ? names.map((name) => idColumn.test(name)) : undefined;
}

function editCells(csv: string, edit: (text: string, row: number, column: number) => string): string {
  const delimiter = delimiterOf(csv);
  let row = 0;
  let column = 0;
  const ends = `[${delimiter}\\r\\n]`;
  // A field may be in " or '. The closing mark comes before a delimiter or line end. '=1+1 has none: it is text.
  const quoted = `(")([^"]*(?:(?:""|"(?!"|${ends}|$))[^"]*)*)("?)`;
  const singleQuoted = `(')([^'\\r\\n]*)(')(?=${ends}|$)`;
  const field = new RegExp(`(\\r\\n|${ends}|^)(?:${quoted}|${singleQuoted}|()([^${delimiter}\\r\\n]*)())`, 'g');
  return csv.replace(field, (_, start: string, ...groups: (string | undefined)[]) => {
    if (start === delimiter) {
      column += 1;
    } else if (start !== '') {
      row += 1;
      column = 0;
    }
    const at = groups.findIndex((group) => group !== undefined);
    const [open, text, close] = groups.slice(at);
    return `${start}${open}${edit(text!, row, column)}${close}`;
  });
}

function columnNames(csv: string, delimiter: string): string[] {
  return /^[^\r\n]*/.exec(csv)![0].split(delimiter).map(plainName);
}

function delimiterOf(csv: string): string {
  const count = (delimiter: string) => columnNames(csv, delimiter).filter((name) => knownColumn.test(name)).length;
  return [',', '\t', '|'].reduce((best, one) => (count(one) > count(best) ? one : best), ';');
}
