/** Content types compared as parsed media type and charset (RFC 9110 section 8.3), never as text. */
import { withoutBlanks } from '../../record/exchange.ts';

export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly type: string;
  /** In lower case, without quotes. */
  readonly charset: string | undefined;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t\\x20-\\x7e])*"';
// Blanks before a semicolon are read in one way only: in two, each of them would double the time that a wrong value takes.
const grammar = new RegExp(`^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*$`);
const parameter = new RegExp(`;[ \\t]*(${token})=(${token}|${quoted})`, 'g');

/** The media type; undefined where the value is not one by the grammar of RFC 9110 8.3.1, or has a charset twice. */
export function parseMediaType(value: string): MediaType | undefined {
  const text = withoutBlanks(value);
  if (!grammar.test(text)) return undefined;
  const charsets = [...text.matchAll(parameter)].filter(([, name]) => name!.toLowerCase() === 'charset');
  if (charsets.length > 1) return undefined;
  const charset = charsets[0]?.[2]?.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').toLowerCase();
  return { type: withoutBlanks(text.split(';', 1)[0]!).toLowerCase(), charset };
}

/** Whether the value is text/html with charset utf-8, however it is written. */
export function isHtmlUtf8(value: string): boolean {
  const { type, charset } = parseMediaType(value) ?? {};
  return type === 'text/html' && charset === 'utf-8';
}
