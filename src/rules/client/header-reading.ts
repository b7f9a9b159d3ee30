/** A lenient reading of `Authorization: OAuth` (RFC 5849 section 3.5.1): every deviation is recorded once and then repaired. */
import { percentDecode } from '../../protocol/index.ts';

export interface HeaderParameter {
  readonly name: string;
  /** Between the quotes, as sent. */
  readonly raw: string;
  /** Decoded once; `%` that starts no escape stands for itself. */
  readonly value: string;
}

export interface HeaderReading {
  /** First word of the header as sent; empty where it starts with a parameter. */
  readonly scheme: string;
  readonly isOAuth: boolean;
  readonly parameters: readonly HeaderParameter[];
  /** Deviations of the list: separators, commas, white space. */
  readonly listFaults: readonly string[];
  /** Deviations of single parameters: white space around =, quotes and percent-encoding. */
  readonly valueFaults: readonly string[];
  /** Harmless oddities of the values. */
  readonly remarks: readonly string[];
}

const schemeWord = /([A-Za-z0-9_-]+)(?![A-Za-z0-9_-])(?![ \t]*=)([ \t,;:]*)/y;
const oneParameter = /([^\s=",;&']+)([ \t]*=[ \t]*)(?:"([^"]*)"|'([^']*)'|([^,;&\s"]*))/y;
/** Text of HTTP, in which a backslash makes a quote part of the value (RFC 9110 section 5.6.4). */
const realmParameter = /(realm)([ \t]*=[ \t]*)"((?:[^"\\]|\\.)*)"/iy;
const separator = /[ \t]*([,;&]?(?:[ \t]*[,;&])*)[ \t]*/y;

/** Reads the value of the header; never throws. */
export function readHeader(line: string): HeaderReading {
  // Of HTTP itself; any other white space is a character like others (RFC 9110 section 5.5).
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
        listFaults.push(`${JSON.stringify(header.slice(at, at + 20))} is not a parameter`);
      break;
    }
    at += found[0].length;
    const [, rawName = '', equals, quoted, apostrophes, bare] = found;
    const name = decodeLeniently(rawName);
    if (equals !== '=') valueFaults.push(`white space around the = of ${name}`);
    const raw = quoted ?? apostrophes ?? bare ?? '';
    parameters.push({ name, raw, value: decodeLeniently(raw) });
    if (quoted === undefined) valueFaults.push(`${name} without double quotes`);
    if (name.toLowerCase() !== 'realm') lookAtEscapes(name, raw, valueFaults, remarks);
    const [, between = ''] = match(separator, header, at) ?? [];
    at = separator.lastIndex;
    noteSeparator(between, at >= header.length, listFaults);
  }
  return { scheme, isOAuth: scheme.toLowerCase() === 'oauth', parameters, listFaults, valueFaults, remarks };
}

/** The text decoded once; what is not an escape, or not UTF-8, stays unchanged. */
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

/** Nobody escapes as often by mistake, and a text of % and many 25 takes a round for each of them. */
const mostRounds = 8;

/** The text decoded again and again; what is not an escape, or not UTF-8, stays. */
export function decodeRepeatedly(text: string): string {
  let decoded = text;
  for (let round = 0; round < mostRounds; round += 1) decoded = decodeLeniently(decoded);
  return decoded;
}

function noteSeparator(between: string, last: boolean, faults: string[]): void {
  if (last) {
    if (between !== '') faults.push(`${JSON.stringify(between)} after the last parameter`);
  } else if (between === '') faults.push('no comma between two parameters');
  else if (between !== ',') faults.push(`${JSON.stringify(between)} in place of a comma`);
}

function lookAtEscapes(name: string, raw: string, faults: string[], remarks: string[]): void {
  const reserved = new Set(raw.match(/[^A-Za-z0-9\-._~%]/g));
  if (reserved.size > 0) faults.push(`${name} holds ${[...reserved].join(' ')} without an escape`);
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) faults.push(`${name} holds a % that starts no escape`);
  else if (/%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(raw)) remarks.push('escapes in lower-case hexadecimal');
  if (/%(?:4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9AE]|3[0-9]|2[DE]|5F)/i.test(raw)) {
    remarks.push('escapes of characters that need none');
  }
  // Text is encoded as UTF-8 before it is escaped (RFC 5849 section 3.6).
  const beyondAscii = raw.match(/(?:%[89A-Fa-f][0-9A-Fa-f])+/g) ?? [];
  if (beyondAscii.some((escapes) => decodeLeniently(escapes) === escapes)) {
    faults.push(`${name} holds escapes that are no UTF-8`);
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
