/** Lossless JSON (RFC 8259): numbers keep their text; duplicate names and trailing text are refused. */
import { ProtocolError } from './protocol-error.ts';
import { utf8Text } from './utf8.ts';

/** A JSON number as written, because a `gateId` can have more digits than a double can keep. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Parsed JSON without loss of digits. */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;
/** An object without prototype, so that `__proto__` is an ordinary name. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** True for objects; false for null, arrays and numbers. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

/** `new Members()` is like `Object.create(null)`, but faster in V8. */
const Members = class {} as new () => JsonObject;
Object.setPrototypeOf(Members.prototype, null);
delete (Members.prototype as { constructor?: unknown }).constructor;

const maxDepth = 100;
const quote = 0x22;
const backslash = 0x5c;
const backslashOrControl = /[\\\u0000-\u001f]/;
const whiteSpace = [0x20, 0x0a, 0x0d, 0x09];

/** Reads one JSON value. Throws `malformed-json` with the position, `duplicate-key`, `too-deep`, or `invalid-utf8`. */
export function readJson(source: Uint8Array | string): JsonValue {
  const text = typeof source === 'string' ? source : utf8Text(source);
  let at = 0;
  const result = readValue(0);
  skipSpace();
  if (at < text.length) throw malformed('text follows the JSON value');
  return result;

  function readValue(depth: number): JsonValue {
    skipSpace();
    const opening = text[at];
    if (depth === maxDepth && (opening === '{' || opening === '[')) {
      throw new ProtocolError('too-deep', `arrays or objects are nested more than ${maxDepth} deep`);
    }
    if (opening === '{') return readObject(depth);
    if (opening === '[') return readArray(depth);
    return opening === '"' ? readString() : readScalar();
  }

  function readObject(depth: number): JsonObject {
    const members = new Members();
    at++;
    if (skipBracket('}')) return members;
    do {
      skipSpace();
      const name = readString();
      if (name in members) throw new ProtocolError('duplicate-key', `the name ${JSON.stringify(name)} occurs twice`);
      skipSpace();
      if (text[at++] !== ':') throw malformed('":" is missing', -1);
      members[name] = readValue(depth + 1);
    } while (skipComma('}'));
    return members;
  }

  function readArray(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    at++;
    if (skipBracket(']')) return items;
    do items.push(readValue(depth + 1));
    while (skipComma(']'));
    return items;
  }

  function skipBracket(bracket: string): boolean {
    skipSpace();
    if (text[at] !== bracket) return false;
    at++;
    return true;
  }

  function skipComma(bracket: string): boolean {
    if (skipBracket(bracket)) return false;
    if (text[at++] !== ',') throw malformed(`"," or "${bracket}" is missing`, -1);
    return true;
  }

  function readString(): string {
    const start = at;
    if (text[start] !== '"') throw malformed('a string is missing');
    const end = text.indexOf('"', start + 1);
    const plain = text.slice(start + 1, end);
    if (end === -1 || backslashOrControl.test(plain)) return readEscapedString();
    at = end + 1;
    return plain;
  }

  /** Uses a loop, because a regular expression overflows the stack if the string has some megabytes. */
  function readEscapedString(): string {
    const start = at++;
    for (let unit = text.charCodeAt(at); unit !== quote; unit = text.charCodeAt(at)) {
      if (Number.isNaN(unit)) throw malformed('a string does not end');
      if (unit < 0x20) throw malformed('a string contains a control character');
      at += unit === backslash ? 2 : 1;
    }
    const found = text.slice(start, ++at);
    try {
      // JSON.parse accepts exactly the escapes of RFC 8259 section 7.
      return JSON.parse(found);
    } catch {
      throw malformed('the string contains a malformed escape', -found.length);
    }
  }

  function readScalar(): JsonValue {
    const number = match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y);
    if (number !== undefined) return new JsonNumber(number);
    const word = match(/true|false|null/y);
    if (word === undefined) throw malformed('a value is missing');
    return word === 'null' ? null : word === 'true';
  }

  function skipSpace(): void {
    while (whiteSpace.includes(text.charCodeAt(at))) at++;
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }

  function malformed(what: string, offset = 0): ProtocolError {
    if (text.startsWith('\ufeff')) {
      const hint = 'Write the JSON as UTF-8 without a byte-order mark (RFC 8259 section 8.1).';
      return new ProtocolError('malformed-json', 'a byte-order mark precedes the value', { hint });
    }
    // Name the control character, because it is invisible.
    const unit = text.charCodeAt(at + offset);
    const name = unit < 0x20 || unit === 0x7f ? ` (U+${unit.toString(16).toUpperCase().padStart(4, '0')})` : '';
    return new ProtocolError('malformed-json', `${what} at position ${at + offset}${name}`);
  }
}
