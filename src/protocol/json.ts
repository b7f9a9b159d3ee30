/** Lossless JSON (RFC 8259): numbers keep their text; duplicate names and trailing text are refused. */
import { ProtocolError } from './protocol-error.ts';
import { utf8Text } from './utf8.ts';

/** A number as written, because `gateId` can have more digits than a double can keep. */
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

const deepest = 100;

/** A string may contain these characters only in escapes. */
const special = /[\\\u0000-\u001f]/;
const quote = 0x22;
const backslash = 0x5c;
/** White space (RFC 8259 section 2). */
const spaces = [0x20, 0x0a, 0x0d, 0x09];

/** Reads one JSON value. Throws `malformed-json` with the position, `duplicate-key`, `too-deep`, or `invalid-utf8`. */
export function readJson(source: Uint8Array | string): JsonValue {
  const reader = new Reader(typeof source === 'string' ? source : utf8Text(source));
  const value = reader.value(0);
  reader.end();
  return value;
}

/** True for objects; false for null, arrays and numbers. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

/** A class of objects that inherit nothing. V8 makes hash tables of `Object.create(null)`, which are slower. */
const Members = class {} as new () => JsonObject;
Object.setPrototypeOf(Members.prototype, null);
delete (Members.prototype as { constructor?: unknown }).constructor;

class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonValue {
    this.#space();
    const opening = this.#text[this.#at];
    if (depth === deepest && (opening === '{' || opening === '[')) {
      throw new ProtocolError('too-deep', `arrays or objects are nested more than ${deepest} deep`);
    }
    switch (opening) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#broken('text follows the JSON value');
  }

  #object(depth: number): JsonObject {
    const members = new Members();
    this.#at++;
    if (this.#closes('}')) return members;
    do {
      this.#space();
      const name = this.#string();
      if (name in members) throw new ProtocolError('duplicate-key', `the name ${JSON.stringify(name)} occurs twice`);
      this.#space();
      if (this.#text[this.#at++] !== ':') throw this.#broken('":" is missing', -1);
      members[name] = this.value(depth + 1);
    } while (this.#continues('}'));
    return members;
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    this.#at++;
    if (this.#closes(']')) return items;
    do {
      items.push(this.value(depth + 1));
    } while (this.#continues(']'));
    return items;
  }

  #closes(bracket: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #continues(bracket: string): boolean {
    if (this.#closes(bracket)) return false;
    if (this.#text[this.#at++] !== ',') throw this.#broken(`"," or "${bracket}" is missing`, -1);
    return true;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#broken('a string is missing');
    const end = this.#text.indexOf('"', start + 1);
    const plain = this.#text.slice(start + 1, end);
    if (end === -1 || special.test(plain)) return this.#escapedString();
    this.#at = end + 1;
    return plain;
  }

  /** Uses a loop, because one regular expression for the string overflows the stack after some megabytes. */
  #escapedString(): string {
    const start = this.#at++;
    for (let unit = this.#unit(); unit !== quote; unit = this.#unit()) {
      if (Number.isNaN(unit)) throw this.#broken('a string does not end');
      if (unit < 0x20) throw this.#broken('a string contains a control character');
      this.#at += unit === backslash ? 2 : 1;
    }
    const found = this.#text.slice(start, ++this.#at);
    try {
      // JSON.parse accepts exactly the escapes of RFC 8259 section 7.
      return JSON.parse(found);
    } catch {
      throw this.#broken('the string contains a malformed escape', -found.length);
    }
  }

  #scalar(): JsonValue {
    const number = this.#match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y);
    if (number !== undefined) return new JsonNumber(number);
    const word = this.#match(/true|false|null/y);
    if (word === undefined) throw this.#broken('a value is missing');
    return word === 'null' ? null : word === 'true';
  }

  #space(): void {
    while (spaces.includes(this.#unit())) this.#at++;
  }

  #unit(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #broken(what: string, offset = 0): ProtocolError {
    if (this.#text.startsWith('\ufeff')) {
      const hint = 'Write the JSON as UTF-8 without a byte-order mark (RFC 8259 section 8.1).';
      return new ProtocolError('malformed-json', 'a byte-order mark precedes the value', { hint });
    }
    const at = this.#at + offset;
    // Name the control character, because it is invisible.
    const unit = this.#text.charCodeAt(at);
    const name = unit < 0x20 || unit === 0x7f ? ` (U+${unit.toString(16).toUpperCase().padStart(4, '0')})` : '';
    return new ProtocolError('malformed-json', `${what} at position ${at}${name}`);
  }
}
