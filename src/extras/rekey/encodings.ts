/** Edits values inside encoded texts. Unchanged parts keep their bytes and escapes. Each character stands for one byte. */

export type Edit = (text: string) => string;

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The decoded part of a form, or the part itself if its encoding is wrong. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Escapes a text as `raw` escapes `value`, even if wrongly: the same characters, in the same letter case. */
export function imitateEscapes(raw: string, value: string, text: string): string {
  // Leave special characters bare if `raw` has bare ones and no escapes. If `raw` has no special characters, escape correctly.
  const isBare = !/%[0-9A-Fa-f]{2}/.test(raw) && /[^A-Za-z0-9\-._~]/.test(raw);
  const isLower = /%(?:[a-f]|\d[a-f])/.test(raw);
  return text.replace(/[^A-Za-z0-9\-._~]/gu, (character) => {
    if (character !== '%' && raw.includes(character)) return character;
    if (isBare && !value.includes(character)) return character;
    const escaped = Buffer.from(character).toString('hex').replace(/../g, '%$&');
    return isLower ? escaped : escaped.toUpperCase();
  });
}

/** Edits percent-encoded text. With `plus`, a `+` is a space. A changed character is escaped like the character before the edit. */
export function editPercent(raw: string, edit: Edit, plus = false): string {
  if (!raw.includes('%') && !(plus && raw.includes('+'))) return edit(raw);
  const read = (token: string) => (token === '+' ? ' ' : characterOf(token.slice(1)));
  return editEscaped(raw, plus ? /%[0-9A-Fa-f]{2}|\+/g : /%[0-9A-Fa-f]{2}/g, read, edit);
}

/** Edits a JSON string without its quotes (RFC 8259 section 7). Only plain characters and \u00XX change. */
export function editJsonString(raw: string, edit: Edit): string {
  if (!raw.includes('\\')) return edit(raw);
  const read = (token: string) => {
    if (/^\\u00[0-7]/.test(token)) return characterOf(token.slice(4));
    return /^\\["\\/]$/.test(token) ? token[1]! : ' ';
  };
  return editEscaped(raw, /\\u[0-9A-Fa-f]{4}|\\[\s\S]/g, read, edit);
}

/** Edits the inside of a quoted CSV field, in which `""` is one quote (RFC 4180). */
export function editQuoted(raw: string, edit: Edit): string {
  return raw.includes('""') ? editEscaped(raw, /""/g, () => '"', edit) : edit(raw);
}

/** `escapes` matches the escape of one character. A changed character gets an escape of the same form. */
function editEscaped(raw: string, escapes: RegExp, read: (token: string) => string, edit: Edit): string {
  const decoded = raw.replace(escapes, read);
  const edited = edit(decoded);
  if (edited === decoded) return raw;
  let [out, from, at] = ['', 0, 0];
  for (const { 0: token, index } of raw.matchAll(escapes)) {
    out += edited.slice(at, at + index - from);
    at += index - from;
    from = index + token.length;
    out += edited[at] === decoded[at] ? token : writtenLike(token, edited[at]!);
    at += 1;
  }
  return out + edited.slice(at);
}

function writtenLike(token: string, character: string): string {
  if (token.length === 1) return character;
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `${token.slice(0, -2)}${/[a-f]/.test(token.slice(-2)) ? hex : hex.toUpperCase()}`;
}

function characterOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

const maxLayers = 4;

/** Edits the text inside nested escapes: percent-encoding, `+` for spaces, JSON. */
export function throughEscapes(raw: string, edit: Edit, layers = maxLayers): string {
  const inner: Edit = (text) => throughEscapes(text, edit, layers - 1);
  if (layers === 0) return edit(raw);
  const isEscaped = /%[0-9A-Fa-f]{2}/.test(raw);
  const edited = isEscaped ? editPercent(raw, inner) : raw.includes('\\') ? editJsonString(raw, inner) : edit(raw);
  return edited.includes('+') ? editPercent(edited, inner, true) : edited;
}

/** Makes an edit of text also edit bytes. Reads the bytes as UTF-8, or as Latin-1 if they are not UTF-8. */
export function asText(edit: Edit): Edit {
  return (raw) => {
    if (/^[\0-\x7f]*$/.test(raw)) return edit(raw);
    const bytes = Buffer.from(raw, 'latin1');
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) return edit(raw);
    const edited = Buffer.from(edit(text), 'utf8');
    return edited.length === bytes.length ? edited.toString('latin1') : raw;
  };
}

/** Edits the CSV inside the payload of a batch, in base64 or another encoding. Length, padding and line breaks stay. */
export function editPayload(payload: string, editCsv: Edit, layers = maxLayers): string {
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

/** Edits a text in base64. White space and padding stay. */
function editBase64(text: string, edit: Edit): string {
  // An unescaped plus sign arrives as a space. Decode the space as a plus sign, but write a space again.
  const lostPlus = / /.test(text.trim()) && text.trim().replace(/[\r\n\t]/g, '').length % 4 === 0;
  const charset = /[-_]/.test(text) ? 'base64url' : 'base64';
  const bytes = Buffer.from((lostPlus ? text.replaceAll(' ', '+') : text).replace(/[\s=]/g, ''), 'base64');
  const encode = (some: Buffer) => some.toString(charset).replace(/=+$/, '');
  const [before, after] = [encode(bytes), encode(Buffer.from(edit(bytes.toString('latin1')), 'latin1'))];
  if (before === after) return text;
  let at = -1;
  return text.replace(lostPlus ? /[^=\r\n\t]/g : /[^=\s]/g, (character) => {
    at += 1;
    // Keep an unchanged character as the client wrote it, because the last character may have unused bits.
    if (before[at] === after[at]) return character;
    return lostPlus && after[at] === '+' ? ' ' : (after[at] ?? character);
  });
}

/** Names of sections 2.1 to 2.4 and 5, and common names that identify a person, in lower case without punctuation. */
const idNames = new Set(
  (
    'clientorderid orderid recurringpaymentid paymentid daycloserequestid endpointid gateid epntid rrn therequestserialnumber ' +
    'serialnumber serial errorid oauthnonce requestid correlationid traceid sessionid user userid username login email merchant ' +
    'merchantid account customer cardholder'
  ).split(' '),
);

export function namesAnId(name: string): boolean {
  return idNames.has(plainName(name));
}

/** The name in lower case without punctuation. Empty for a long name, because a malformed batch may be one line of megabytes. */
function plainName(name: string): string {
  return name.length > 1000 ? '' : name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const idColumn = /^(?:client)?orderid$|^(?:recurring)?paymentid$/;
const knownColumn = new RegExp(`${idColumn.source}|^amount(?:from|to|sequence)?$`);

/** For each column, whether its name is the name of an id; undefined if the first line has no known name. */
export function idColumnsOf(csv: string): readonly boolean[] | undefined {
  const names = namesIn(csv, delimiterOf(csv));
  return names.some((name) => knownColumn.test(name)) ? names.map((name) => idColumn.test(name)) : undefined;
}

/** Applies `edit` to each cell without its quotes. Row 0 has the column names. */
export function editCells(csv: string, edit: (text: string, row: number, column: number) => string): string {
  const delimiter = delimiterOf(csv);
  let [row, column] = [0, 0];
  const ends = `[${delimiter}\\r\\n]`;
  // A quote closes a field only at the end of the field. An apostrophe needs a second one, because some clients write one before a formula.
  const quoted = `(")([^"]*(?:(?:""|"(?!"|${ends}|$))[^"]*)*)("?)`;
  const inApostrophes = `(')([^'\\r\\n]*)(')(?=${ends}|$)`;
  const field = new RegExp(`(\\r\\n|${ends}|^)(?:${quoted}|${inApostrophes}|()([^${delimiter}\\r\\n]*)())`, 'g');
  return csv.replace(field, (_, start: string, ...groups: (string | undefined)[]) => {
    if (start === delimiter) column += 1;
    else if (start !== '') [row, column] = [row + 1, 0];
    const at = groups.findIndex((group) => group !== undefined);
    const [open, text, close] = groups.slice(at);
    return `${start}${open}${edit(text!, row, column)}${close}`;
  });
}

function namesIn(csv: string, delimiter: string): string[] {
  return /^[^\r\n]*/.exec(csv)![0].split(delimiter).map(plainName);
}

function delimiterOf(csv: string): string {
  const known = (delimiter: string) => namesIn(csv, delimiter).filter((name) => knownColumn.test(name)).length;
  return [',', '\t', '|'].reduce((best, one) => (known(one) > known(best) ? one : best), ';');
}
