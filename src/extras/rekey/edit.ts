/** Replaces personal values in an exchange and its call with pseudonyms. After these edits, sign-again.ts signs the request again. */
import type { Call, RecurringInput } from '../../record/case.ts';
import type { Exchange, Header } from '../../record/exchange.ts';
import { isLoopback } from '../../record/hosts.ts';
import {
  asText,
  decoded,
  type Edit,
  editCells,
  editJsonString,
  editPayload,
  editPercent,
  editQuoted,
  idColumnsOf,
  imitateEscapes,
  latin1,
  namesAnId,
} from './encodings.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import { withBody } from './sign-again.ts';

type KnownValues = Pseudonyms & { readonly input?: InputCells };

/** The edit for the value of a parameter; undefined if the value stays. The pattern also finds a misspelt `oauth_timestamp`. */
function editOf(name: string, { id, timestamp }: Pseudonyms): Edit | undefined {
  if (/^oauth.?timestam/i.test(name)) return timestamp;
  return namesAnId(name) ? id : undefined;
}

/** Headers that name proxies, addresses, sessions or single requests. No requirement concerns these headers. */
const identifiesSender =
  /^(?:(?:set-)?cookie2?|via|forwarded|x-(?:forwarded|real|client|original|served|backend|upstream|cache)\b.*|.*(?:request|correlation|trace|span|session|transaction)-?id|.*(?:user|user-?name|user-?id|e-?mail|login|trace|trace-context)|traceparent|tracestate|baggage|x-amzn-trace-id|x-b3-.*|cf-ray|x-amz-cf-.*|referer|origin|from)$/i;

/** Values that are not replaced keep their bytes. `call`: the call of the client, if known. */
export function editExchange(exchange: Exchange, all: Pseudonyms, call: Pick<Call, 'asked'> = {}): Exchange {
  const { request, response } = exchange;
  const pseudonyms = { ...all, input: inputCells(call) };
  const body = (bytes: Uint8Array) => editBody(latin1(bytes), pseudonyms);
  const headers = (some: readonly Header[]) =>
    some.map(([name, value]): Header => [name, editHeader(name, value, pseudonyms)]);
  const edited = withBody(request, body(request.body));
  return {
    ...exchange,
    startedAt: pseudonyms.time(exchange.startedAt),
    request: {
      ...edited,
      host: pseudonyms.host(request.host),
      target: editTarget(request.target, pseudonyms),
      headers: headers(edited.headers),
    },
    response: response && {
      ...response,
      headers: headers(response.headers),
      body: Buffer.from(body(response.body), 'latin1'),
    },
  };
}

function editHeader(name: string, value: string, pseudonyms: KnownValues): string {
  if (/^host$/i.test(name)) return pseudonyms.host(value);
  if (/^location$/i.test(name)) return editTarget(value, pseudonyms);
  if (/^(?:proxy-)?authorization$/i.test(name)) return editAuthorization(value, pseudonyms);
  // Keep a loopback address: it identifies nobody, and reports of the suite contain loopback addresses.
  const isHere = isLoopback(value.replace(/^https?:\/\//i, ''));
  return identifiesSender.test(name) && !isHere ? pseudonyms.id(value) : value;
}

const headerParameter = /(?<![^\s=",;&'])([^\s=",;&']+)([ \t]*=[ \t]*)(?:(["'])(.*?)\3|([^"',;&\s]*))/g;

/** Edits the values of parameters, with or without quotes. */
function editAuthorization(header: string, pseudonyms: KnownValues): string {
  if (/^\s*(?:basic|bearer|digest)\s/i.test(header)) {
    return header.replace(/(?<=^\s*\w+\s).*$/s, pseudonyms.id);
  }
  return header.replace(headerParameter, (_, name: string, equals: string, quote = '', quoted?: string, bare = '') => {
    return `${name}${equals}${quote}${editValue(name, quoted ?? bare, pseudonyms)}${quote}`;
  });
}

/** Detects the format from the body and not from its Content-Type, because the record may show a wrong Content-Type. */
function editBody(text: string, pseudonyms: KnownValues): string {
  if (/^\s*[{[]/.test(text)) return editJson(text, pseudonyms);
  if (/^\s*["'A-Za-z-]+["']?[;,]/.test(text)) return editBatch(text, pseudonyms);
  if (/^[^\s=&<]+=/.test(text)) return editForm(text, pseudonyms);
  return text.replace(formPart, (_, before: string, name: string, value: string) => {
    return `${before}${bytesEditOf(name, pseudonyms)?.(value) ?? value}`;
  });
}

/** A part of multipart/form-data (RFC 7578). */
const formPart = /(\bname="([^"\r\n]+)"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)([^\r\n]*)/g;

function editForm(form: string, pseudonyms: KnownValues): string {
  const edited = form.split('&').map((piece) => {
    const value = piece.indexOf('=') + 1;
    if (value === 0) return piece;
    return `${piece.slice(0, value)}${editValue(decoded(piece.slice(0, value - 1)), piece.slice(value), pseudonyms)}`;
  });
  return edited.join('&');
}

function editValue(name: string, value: string, pseudonyms: KnownValues): string {
  if (name.toLowerCase() === 'oauth_consumer_key') {
    const [original, pseudonym] = [decoded(value), pseudonyms.consumerKey(decoded(value))];
    return original === pseudonym ? value : imitateEscapes(value, original, pseudonym);
  }
  // The value may have a line end after the id (section 2.4). The line end can stay, because pseudonyms keep white space.
  const edit = bytesEditOf(name, pseudonyms);
  return edit === undefined ? value : editPercent(value, edit, true);
}

/** Like `editOf`, but also edits a batch. Each character of the value stands for one byte. */
function bytesEditOf(name: string, pseudonyms: KnownValues): Edit | undefined {
  if (/payload|^data$/i.test(name)) return (bytes) => editBatch(bytes, pseudonyms);
  const edit = editOf(name, pseudonyms);
  return edit && asText(edit);
}

/** A lookbehind finds the closing quote, because a group for each character would overflow the stack on megabytes. */
const jsonMember = /("([^"\\]{1,60})"\s*:\s*)(?:"([\s\S]*?)"(?<=(?<!\\)(?:\\\\)*")|(-?\d[\d.eE+-]*))/g;

/** Edits JSON in place: white space, order, escapes and invalid parts stay. */
function editJson(json: string, pseudonyms: KnownValues): string {
  return json.replace(jsonMember, (all, before: string, name: string, text?: string, number = '') => {
    const edit = bytesEditOf(name, pseudonyms);
    if (edit === undefined) return all;
    return text === undefined ? `${before}${edit(number)}` : `${before}"${editJsonString(text, edit)}"`;
  });
}

/** Edits a request target or base URL: host, prefix before the operation, endpoint after the operation (sections 4.1 and 4.2). */
export function editTarget(target: string, pseudonyms: Pseudonyms): string {
  const { origin, prefix, rest, query } = partsOf(target);
  const host = origin.replace(/(?<=:\/\/).*$/, (authority) => pseudonyms.host(authority));
  const segment = (text: string) => editPercent(text, asText(pseudonyms.id));
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

/** For each text of the planned batch: is it an id? Undefined if two columns disagree. In a sent batch, columns may be shifted. */
type InputCells = ReadonlyMap<string, boolean | undefined>;

function editBatch(payload: string, pseudonyms: KnownValues): string {
  return editPayload(payload, (csv) => editCsv(csv, pseudonyms));
}

/** Replaces all order ids and payment ids. Without column names, replaces every cell that is not an amount. */
function editCsv(csv: string, { id, isKnown, input }: KnownValues): string {
  if (!/[;,\t|]|orderid|recurring/i.test(csv.slice(0, 400))) return csv;
  const columns = idColumnsOf(csv);
  const isId = (text: string, column: number): boolean => {
    if (isKnown(text)) return true;
    return input?.get(text) ?? columns?.[column] ?? !/^-?\d{0,9}(?:[.,]\d*)?$/.test(text.trim());
  };
  return editCells(csv, (raw, row, column) => {
    if (raw === '' || (row === 0 && columns !== undefined)) return raw;
    const edit: Edit = (text) => (isId(text, column) ? id(text) : text);
    return editQuoted(raw, asText(edit));
  });
}

function inputCells({ asked }: Pick<Call, 'asked'>): InputCells {
  const found = new Map<string, boolean | undefined>();
  const { columns, rows } = asked !== undefined && 'columns' in asked.input ? asked.input : { columns: [], rows: [] };
  const areIds = columns.map(namesAnId);
  for (const [at, cell] of rows.flatMap((row) => [...row.entries()])) {
    const isOther = found.has(cell ?? '') && found.get(cell ?? '') !== areIds[at];
    found.set(cell ?? '', isOther ? undefined : areIds[at]);
  }
  return found;
}

/** Gives a call the same pseudonyms as its requests. Removes the client's stages, because no verdict needs them. */
export function editCall(call: Call, pseudonyms: Pseudonyms): Call {
  const { id, isKnown } = pseudonyms;
  const own: Readonly<Record<string, Edit>> = {
    baseUrl: (url) => editTarget(url, pseudonyms),
    consumerKey: pseudonyms.consumerKey,
    timestamp: pseudonyms.timestamp,
    nonce: id,
  };
  /** `edit` applies to the texts in the value. */
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
      const areIds = columns.map(namesAnId);
      const cell = (text: string | null, at: number) => (text && (areIds[at] || isKnown(text)) ? id(text) : text);
      return { columns, rows: rows.map((row) => row.map(cell)) };
    }
    const members = Object.entries(value).filter(([name]) => name !== 'stages');
    return Object.fromEntries(
      members.map(([name, member]) => [name, edited(member, edit ?? own[name] ?? editOf(name, pseudonyms))]),
    );
  };
  return edited(call) as Call;
}
