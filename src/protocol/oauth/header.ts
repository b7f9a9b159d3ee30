/** The `Authorization: OAuth` header (RFC 5849 section 3.5.1): a reader and a writer. */
import type { Pair } from '../form.ts';
import { percentDecode, percentEncode } from '../percent.ts';
import { ProtocolError } from '../protocol-error.ts';

/** A parsed `Authorization: OAuth` header (RFC 5849 section 3.5.1). */
export interface AuthorizationHeader {
  /** Value without quotes. It is not percent-decoded, because RFC 2617 defines its syntax (RFC 5849 3.5.1). */
  readonly realm?: string;
  /** Decoded names and values in wire order, without `realm`. */
  readonly parameters: Pair[];
  /** Names and values as written between the quotes, including `realm`. */
  readonly raw: Pair[];
}

const oneParameter = /([^\s=",\\]+)="([^"\\]*(?:\\.[^"\\]*)*)"/y;
const separator = /[ \t]*,[ \t]*/y;

/** Accepts unescaped reserved characters. Throws `malformed-header`, `other-scheme` or `repeated-parameter`. */
export function parseAuthorization(value: string): AuthorizationHeader {
  const raw = splitParameters(parameterPart(value));
  const parameters: Pair[] = [];
  let realm: string | undefined;
  const seen = new Set<string>();
  for (const [rawName, rawValue] of raw) {
    const isRealm = rawName.toLowerCase() === 'realm';
    const name = isRealm ? 'realm' : decode(rawName);
    if (seen.has(name)) throw new ProtocolError('repeated-parameter', `${name} occurs twice in the header`);
    seen.add(name);
    if (isRealm) realm = rawValue.replace(/\\(.)/g, '$1');
    else parameters.push([name, decode(rawValue)]);
  }
  return realm === undefined ? { parameters, raw } : { realm, parameters, raw };
}

/** Writes the header value: `OAuth `, `realm` if given, then the pairs in order, separated by `, `. */
export function printAuthorization(pairs: readonly Pair[], options: { realm?: string } = {}): string {
  const printed = pairs.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`);
  if (options.realm !== undefined) printed.unshift(`realm="${options.realm.replace(/["\\]/g, '\\$&')}"`);
  return `OAuth ${printed.join(', ')}`;
}

function parameterPart(value: string): string {
  const scheme = /^[ \t]*([^ \t]*)[ \t]*/.exec(value)!;
  if (scheme[1]!.toLowerCase() !== 'oauth') {
    throw new ProtocolError('other-scheme', 'the Authorization header does not start with "OAuth"');
  }
  return value.slice(scheme[0].length).replace(/(?<![ \t])[ \t]+$/, '');
}

function splitParameters(text: string): Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < text.length) {
    if (pairs.length > 0) {
      separator.lastIndex = at;
      if (!separator.test(text))
        throw malformed(at, 'a comma is missing, or a closing quote is followed by other text');
      at = separator.lastIndex;
    }
    oneParameter.lastIndex = at;
    const found = oneParameter.exec(text);
    if (found === null) throw malformed(at, 'name="value" is missing here');
    pairs.push([found[1]!, found[2]!]);
    at += found[0].length;
  }
  return pairs;
}

function decode(raw: string): string {
  if (raw.includes('\\')) throw new ProtocolError('malformed-header', 'a value has a backslash');
  try {
    return percentDecode(raw);
  } catch (cause) {
    throw new ProtocolError('malformed-header', 'a value is not percent-encoded UTF-8', { cause });
  }
}

function malformed(at: number, what: string): ProtocolError {
  return new ProtocolError('malformed-header', `${what} (position ${at} of the parameters)`, {
    hint: 'Put each value in quotes, and a comma between two parameters: OAuth name="value", name="value".',
  });
}
