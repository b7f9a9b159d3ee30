/** A lenient reading of `payload`: deviations of the form encoding and of base64 are told apart, recorded and repaired. */
import type { FormPair, FormReading } from './form-reading.ts';
import { decodeRepeatedly } from './header-reading.ts';

export interface PayloadReading {
  /** As it arrived after decoding the form once. */
  readonly sent: string;
  /** As it was before the form encoding, if that went wrong; else as `sent`. */
  readonly unescaped: string;
  /** What the form encoding did to it. */
  readonly escapeFaults: readonly string[];
  readonly base64Faults: readonly string[];
  /** The CSV; absent where nothing readable is in there. */
  readonly bytes?: Uint8Array;
}

/** The payload of a body; undefined where it has none. */
export function readPayload(form: FormReading): PayloadReading | undefined {
  const pair = payloadPair(form);
  if (pair === undefined) return undefined;
  const escapeFaults: string[] = [];
  let text = pair.value;
  if (pair.raw.includes('+') && !isPlainCsv(text)) {
    escapeFaults.push('a + of the base64 text arrives as a space');
    text = text.replaceAll(' ', '+');
  }
  if (/^[A-Za-z0-9+/=%\r\n_-]+$/.test(text) && /%[0-9A-Fa-f]{2}/.test(text)) {
    escapeFaults.push('escaped twice');
    text = decodeRepeatedly(text);
  }
  return { sent: pair.value, unescaped: text, escapeFaults, ...readBase64(text) };
}

/** The one parameter of the body; a misspelled one is taken for it, since its name is judged elsewhere. */
export function payloadPair({ pairs }: FormReading): FormPair | undefined {
  const exact = pairs.find(({ name }) => name === 'payload');
  return exact ?? pairs.find(({ name }) => /payload/i.test(name) && !name.startsWith('oauth_'));
}

function readBase64(given: string): { readonly base64Faults: string[]; readonly bytes?: Uint8Array } {
  const base64Faults: string[] = [];
  if (given === '') return { base64Faults: ['an empty text'] };
  let text = withoutQuotes(given);
  if (text !== given) base64Faults.push('a text in quotes');
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
  const inner = encodedTwice(bytes);
  if (inner !== undefined) base64Faults.push('base64 of base64');
  return { base64Faults, bytes: inner ?? bytes };
}

/** What is between quotes, as a JSON encoder writes them, where it is base64 of a CSV. */
function withoutQuotes(text: string): string {
  const inner = /^(["'])([^"']+)\1$/.exec(text)?.[2];
  return inner !== undefined && looksLikeCsv(Buffer.from(inner, 'base64')) ? inner : text;
}

function isPlainCsv(text: string): boolean {
  return /[;"]/.test(text) && !text.startsWith('data:');
}

function paddingFault(text: string): string {
  return text.replace(/(?<!=)=+$/, '').length % 4 !== 0 && text.length % 4 !== 0
    ? 'text without its padding'
    : 'text that is not what its bytes encode to';
}

/** A text that is hexadecimal and, read as such, a CSV. */
function hexBytes(text: string): Buffer | undefined {
  if (text.length % 2 !== 0 || !/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'hex');
  return looksLikeCsv(bytes) ? bytes : undefined;
}

function encodedTwice(bytes: Buffer): Buffer | undefined {
  const text = bytes.toString('latin1').replace(/[\r\n]+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const inner = Buffer.from(text, 'base64');
  return looksLikeCsv(inner) ? inner : undefined;
}

function looksLikeCsv(bytes: Buffer): boolean {
  return /["';,\t|]/.test(bytes.toString('latin1')) && bytes.includes('orderid');
}
