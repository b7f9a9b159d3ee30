/** Reads one request leniently: lists the faults of each part, and repairs the part if possible. */
import { piecesOf } from '../../protocol/form.ts';
import { percentDecode } from '../../protocol/index.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { memoizeLast } from '../../record/memoize.ts';
import { pluralize } from '../../record/pluralize.ts';

interface OddValue {
  readonly what: string;
  readonly fix: string;
}

const oddValues: readonly (OddValue & { readonly pattern: RegExp })[] = [
  {
    pattern:
      /\{\{.*\}\}|[$#]\{.*\}|\$\(.*\)|^\{[A-Za-z_][\w.-]*\}$|^<[A-Za-z][\w .-]*>$|^%[A-Za-z_]\w*%$|^\$[A-Za-z_]\w*$|^@[A-Za-z_]\w*@?$/s,
    what: 'a placeholder that was not filled in',
    fix: 'The client sent the name of a variable. Check that the variable has a value when the request is made.',
  },
  {
    pattern: /(?![0-9])\p{Nd}/u,
    what: 'digits of another script, such as Arabic',
    fix: 'Do not format numbers in the locale of the system. In Java, use Locale.ROOT.',
  },
  {
    pattern: /^(?:undefined|null|nil|None|NaN|\[object \w+\]|Optional\(.*\)|\(null\))$/,
    what: 'a word that programs print for a missing value',
    fix: 'Check that the value is set before the request is made.',
  },
];

export function oddValue(value: string): OddValue | undefined {
  return oddValues.find(({ pattern }) => pattern.test(value));
}

interface FormPair {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

interface FormReading {
  /** `empty`: the body has no bytes. `other`: the body is not a form, and `looksLike` names its format. */
  readonly kind: 'form' | 'empty' | 'other';
  readonly looksLike?: string;
  readonly pairs: readonly FormPair[];
  readonly faults: readonly string[];
}

/** Perhaps the client did not send this line break: an editor may add one when somebody saves the body in a file. */
export const lineBreakAtEnd = 'a line break after the last value';

export function readForm(body: Uint8Array): FormReading {
  if (body.length === 0) return { kind: 'empty', pairs: [], faults: [] };
  const whole = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const looksLike = otherFormat(whole);
  if (looksLike !== undefined) return { kind: 'other', looksLike, pairs: [], faults: [] };
  const text = whole.replace(/(?<![\r\n])[\r\n]+$/, '');
  const faults: string[] = [];
  if (text.length < whole.length) faults.push(lineBreakAtEnd);
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) faults.push('a % without two hexadecimal digits');
  if (/[\x80-\xff]/.test(text)) faults.push('bytes outside ASCII that are not percent-encoded');
  const pieces = piecesOf(body.subarray(0, text.length));
  const pairs = pieces.map(({ name, value, writtenValue }): FormPair => ({ name, value, raw: writtenValue }));
  return { kind: 'form', pairs, faults };
}

function otherFormat(text: string): string | undefined {
  const start = text.trimStart();
  if (/^[{[]/.test(start)) return 'JSON';
  if (start.startsWith('<')) return 'XML';
  if (start.startsWith('--')) return 'a multipart body';
  if (/^[A-Za-z0-9+/]{16,}={0,2}\s*$/.test(start)) return 'base64 without a name before it';
  return text.includes('=') ? undefined : `${pluralize(text.length, 'byte')} without =`;
}

interface HeaderParameter {
  readonly name: string;
  readonly raw: string;
  /** The text after one percent-decoding. Keeps a `%` that starts no escape. */
  readonly value: string;
}

interface HeaderReading {
  readonly scheme: string;
  readonly isOAuth: boolean;
  readonly parameters: readonly HeaderParameter[];
  readonly listFaults: readonly string[];
  readonly valueFaults: readonly string[];
  readonly remarks: readonly string[];
}

const schemeWord = /([A-Za-z0-9_-]+)(?![A-Za-z0-9_-])(?![ \t]*=)([ \t,;:]*)/y;
const oneParameter = /([^\s=",;&']+)([ \t]*=[ \t]*)(?:"([^"]*)"|'([^']*)'|([^,;&\s"]*))/y;
/** The realm is a quoted string of HTTP, in which a backslash escapes a quote (RFC 9110 section 5.6.4). */
const realmParameter = /(realm)([ \t]*=[ \t]*)"((?:[^"\\]|\\.)*)"/iy;
const separator = /[ \t]*([,;&]?(?:[ \t]*[,;&])*)[ \t]*/y;

export function readHeader(line: string): HeaderReading {
  // HTTP strips only spaces and tabs around a value (RFC 9110 section 5.5), so keep other white space.
  const header = line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
  const listFaults: string[] = [];
  const valueFaults: string[] = [];
  const remarks: string[] = [];
  const parameters: HeaderParameter[] = [];
  const [, scheme = '', gap = ''] = match(schemeWord, header, 0) ?? [];
  let at = scheme === '' ? 0 : schemeWord.lastIndex;
  if (/[,;:]/.test(gap)) listFaults.push(`${JSON.stringify(gap.trim())} after ${scheme}`);
  const stray = scheme === '' || gap !== '' ? '' : /^[^\w"=]*/.exec(header.slice(at))![0];
  if (stray !== '') listFaults.push(`${JSON.stringify(stray.slice(0, 20))} after ${scheme}`);
  at += stray.length;
  while (at < header.length) {
    const found = match(realmParameter, header, at) ?? match(oneParameter, header, at);
    if (found === undefined) {
      if (header.slice(at).trim() !== '')
        listFaults.push(`${JSON.stringify(header.slice(at, at + 20))}, which is not a parameter`);
      break;
    }
    at += found[0].length;
    const [, rawName = '', equals, quoted, apostrophes, bare] = found;
    const name = decodeLeniently(rawName);
    if (equals !== '=') valueFaults.push(`white space around the = of ${name}`);
    const raw = quoted ?? apostrophes ?? bare ?? '';
    parameters.push({ name, raw, value: decodeLeniently(raw) });
    if (quoted === undefined) valueFaults.push(`${name} without double quotes`);
    if (name.toLowerCase() !== 'realm') checkEscapes(name, raw, valueFaults, remarks);
    const [, separatorText = ''] = match(separator, header, at) ?? [];
    at = separator.lastIndex;
    checkSeparator(separatorText, at >= header.length, listFaults);
  }
  return { scheme, isOAuth: scheme.toLowerCase() === 'oauth', parameters, listFaults, valueFaults, remarks };
}

export function decodeLeniently(text: string): string {
  try {
    return percentDecode(text);
  } catch {
    return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
      try {
        return percentDecode(escapes);
      } catch {
        return escapes;
      }
    });
  }
}

/** Percent-decodes eight times: a text may be escaped several times. Keeps invalid escapes and invalid UTF-8. */
export function decodeRepeatedly(text: string): string {
  let decoded = text;
  for (let round = 0; round < 8; round += 1) decoded = decodeLeniently(decoded);
  return decoded;
}

function checkSeparator(separatorText: string, isLast: boolean, faults: string[]): void {
  if (isLast && separatorText !== '') faults.push(`${JSON.stringify(separatorText)} after the last parameter`);
  else if (!isLast && separatorText === '') faults.push('no comma between two parameters');
  else if (!isLast && separatorText !== ',') faults.push(`${JSON.stringify(separatorText)} instead of a comma`);
}

function checkEscapes(name: string, raw: string, faults: string[], remarks: string[]): void {
  const reserved = new Set(raw.match(/[^A-Za-z0-9\-._~%]/g));
  if (reserved.size > 0) faults.push(`${name} with ${[...reserved].join(' ')} not percent-encoded`);
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) faults.push(`${name} with a % without two hexadecimal digits`);
  else if (/%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(raw)) remarks.push('escapes in lower-case hexadecimal');
  if (/%(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9AE]|3[0-9]|2[DE]|5F)/i.test(raw)) {
    remarks.push('escapes of characters that need no escape');
  }
  // The escaped bytes must be UTF-8 (RFC 5849 section 3.6).
  const nonAscii = raw.match(/(?:%[89A-Fa-f][0-9A-Fa-f])+/g) ?? [];
  if (nonAscii.some((escapes) => decodeLeniently(escapes) === escapes)) {
    faults.push(`${name} with escapes that are not UTF-8`);
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

interface PayloadReading {
  readonly raw: string;
  readonly sent: string;
  /** The value after repair of the form encoding. Equals `sent` if the form encoding has no fault. */
  readonly unescaped: string;
  readonly escapeFaults: readonly string[];
  readonly base64Faults: readonly string[];
  /** The bytes of the CSV. Absent if the payload cannot be decoded. */
  readonly bytes?: Uint8Array;
}

function readPayload(form: FormReading): PayloadReading | undefined {
  const pair = payloadPair(form);
  if (pair === undefined) return undefined;
  const escapeFaults: string[] = [];
  let text = pair.value;
  if (pair.raw.includes('+') && !isPlainCsv(text)) {
    escapeFaults.push('a + of the base64 text arrives as a space');
    text = text.replaceAll(' ', '+');
  }
  if (/^[A-Za-z0-9+/=%\r\n_-]+$/.test(text) && /%[0-9A-Fa-f]{2}/.test(text)) {
    escapeFaults.push('text that is percent-encoded twice');
    text = decodeRepeatedly(text);
  }
  return { raw: pair.raw, sent: pair.value, unescaped: text, escapeFaults, ...readBase64(text) };
}

/** The parameter `payload`, even if its name is misspelled. `payload-only` reports the wrong name. */
function payloadPair({ pairs }: FormReading): FormPair | undefined {
  const exact = pairs.find(({ name }) => name === 'payload');
  return exact ?? pairs.find(({ name }) => /payload/i.test(name) && !name.startsWith('oauth_'));
}

function readBase64(payload: string): { readonly base64Faults: string[]; readonly bytes?: Uint8Array } {
  const base64Faults: string[] = [];
  if (payload === '') return { base64Faults: ['an empty text'] };
  let text = stripQuotes(payload);
  if (text !== payload) base64Faults.push('a text in quotes');
  if (isPlainCsv(text)) {
    return { base64Faults: ['the CSV itself, not encoded'], bytes: Buffer.from(text, 'utf8') };
  }
  const uri = /^data:[^,]*,/.exec(text);
  if (uri !== null) base64Faults.push('a data: URI');
  text = text.slice(uri?.[0].length ?? 0);
  if (/\s/.test(text)) {
    base64Faults.push(
      /\s\S/.test(text.trimStart()) ? 'text that is wrapped into lines' : 'white space around the text',
    );
    text = text.replace(/\s+/g, '');
  }
  const hexadecimal = hexBytes(text);
  if (hexadecimal !== undefined) return { base64Faults: [...base64Faults, 'hexadecimal text'], bytes: hexadecimal };
  if (/[-_]/.test(text)) {
    base64Faults.push('the URL-safe alphabet');
    text = text.replaceAll('-', '+').replaceAll('_', '/');
  }
  const other = /[^A-Za-z0-9+/=]/.exec(text);
  if (other !== null) return { base64Faults: [...base64Faults, `the character ${JSON.stringify(other[0])}`] };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) base64Faults.push(paddingFault(text));
  const inner = decodeTwice(bytes);
  if (inner !== undefined) base64Faults.push('base64 of base64');
  return { base64Faults, bytes: inner ?? bytes };
}

/** Removes quotes around base64 text of a CSV. A JSON encoder may have added the quotes. */
function stripQuotes(text: string): string {
  const inner = /^(["'])([^"']+)\1$/.exec(text)?.[2];
  return inner !== undefined && looksLikeCsv(Buffer.from(inner, 'base64')) ? inner : text;
}

function isPlainCsv(text: string): boolean {
  return /[;"]/.test(text) && !text.startsWith('data:');
}

function paddingFault(text: string): string {
  return text.replace(/(?<!=)=+$/, '').length % 4 !== 0 && text.length % 4 !== 0
    ? 'text without its padding'
    : 'text that differs from the encoding of its bytes';
}

function hexBytes(text: string): Buffer | undefined {
  if (text.length % 2 !== 0 || !/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'hex');
  return looksLikeCsv(bytes) ? bytes : undefined;
}

function decodeTwice(bytes: Buffer): Buffer | undefined {
  const text = bytes.toString('latin1').replace(/[\r\n]+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const inner = Buffer.from(text, 'base64');
  return looksLikeCsv(inner) ? inner : undefined;
}

function looksLikeCsv(bytes: Buffer): boolean {
  return /["';,\t|]/.test(bytes.toString('latin1')) && bytes.includes('orderid');
}

export interface RequestReading {
  readonly authorization: readonly string[];
  readonly header: HeaderReading | undefined;
  readonly form: FormReading;
  readonly payload: PayloadReading | undefined;
  readonly path: string;
  readonly query: string;
}

/** Reads a request and never throws. The last readings are memoized, because all judges read the same request. */
export const readRequest = memoizeLast(read);

/** The value of a parameter. Undefined if the parameter is absent, empty or repeated. */
export function parameter({ header }: Pick<RequestReading, 'header'>, name: string): string | undefined {
  const found = header?.parameters.filter((one) => one.name === name) ?? [];
  return found.length === 1 && found[0]!.value !== '' ? found[0]!.value : undefined;
}

function read({ request }: Exchange): RequestReading {
  const authorization = headerValues(request.headers, 'authorization');
  const form = readForm(request.body);
  const target = request.target.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/, '');
  const [path = ''] = target.split('?', 1);
  return {
    authorization,
    header: authorization[0] === undefined ? undefined : readHeader(authorization[0]),
    form,
    payload: readPayload(form),
    path,
    query: target.slice(path.length + 1),
  };
}
