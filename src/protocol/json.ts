/** JSON (RFC 8259) without loss: numbers keep their text, duplicate names and anything after the value are refused. */
import { ProtocolError } from './protocol-error.ts';
import { utf8Text } from './utf8.ts';

/** A number as it was written; `gateId` may exceed what a double holds. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;
/** Has no prototype, so that `__proto__` is a name like any other. */
export interface JsonObject {
  [name: string]: JsonValue;
}

const deepest = 100;

/**
 * Reads one JSON value, at most 100 arrays or objects deep.
 * Throws `malformed-json` with the position, `duplicate-key`, `too-deep`, or `invalid-utf8`.
 */
export function readJson(source: Uint8Array | string): JsonValue {
  const text = typeof source === 'string' ? source : utf8Text(source);
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** Whether a value is an object: not null, an array or a number. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonValue {
    if (depth > deepest) throw new ProtocolError('too-deep', `more than ${deepest} arrays or objects in one another`);
    this.#space();
    switch (this.#text[this.#at]) {
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
    if (this.#at < this.#text.length) throw this.#broken('something follows the value');
  }

  #object(depth: number): JsonObject {
    const members: JsonObject = Object.create(null);
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
    const found = this.#match(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y);
    if (found === undefined) throw this.#broken('a string is missing or malformed');
    // The grammar is checked above; the engine only resolves the escapes.
    return found.includes('\\') ? JSON.parse(found) : found.slice(1, -1);
  }

  #scalar(): JsonValue {
    const number = this.#match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y);
    if (number !== undefined) return new JsonNumber(number);
    const word = this.#match(/true|false|null/y);
    if (word === undefined) throw this.#broken('no value stands here');
    return word === 'null' ? null : word === 'true';
  }

  #space(): void {
    this.#match(/[ \t\n\r]*/y);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #broken(what: string, offset = 0): ProtocolError {
    const at = this.#at + offset;
    const hint = this.#text.startsWith('\ufeff') ? 'The text starts with a byte-order mark.' : undefined;
    return new ProtocolError('malformed-json', `${what} at position ${at}`, { hint });
  }
}
