/** Lossless JSON (RFC 8259): numbers keep their text, duplicate keys are refused. */
import { ProtocolError } from './protocol-error.ts';

export class JsonNumber { readonly text: string; constructor(text: string) { this.text = text; } }
export interface JsonObject { [name: string]: JsonValue | undefined }
export type JsonValue = string | boolean | null | JsonNumber | JsonObject | JsonValue[];

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

export function readJson(input: Uint8Array | string): JsonValue {
  const text = typeof input === 'string' ? input : decode(input);
  let at = 0;
  const bad = (what: string): never => { throw new ProtocolError('malformed-json', `${what} at character ${at + 1}`); };
  const space = () => { while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1; };
  const value = (depth: number): JsonValue => {
    if (depth > 100) bad('nesting deeper than 100');
    space();
    const c = text[at];
    if (c === '{') return object(depth);
    if (c === '[') return array(depth);
    if (c === '"') return string();
    for (const [word, meaning] of [['true', true], ['false', false], ['null', null]] as const) {
      if (text.startsWith(word, at)) { at += word.length; return meaning; }
    }
    const n = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y; n.lastIndex = at;
    const m = n.exec(text);
    if (m === null) return bad(at >= text.length ? 'the text ends too early' : `unexpected ${JSON.stringify(c)}`);
    at += m[0].length;
    return new JsonNumber(m[0]);
  };
  const string = (): string => {
    const s = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y; s.lastIndex = at;
    const m = s.exec(text);
    if (m === null) return bad('a broken string');
    at += m[0].length;
    return JSON.parse(m[0]);
  };
  const object = (depth: number): JsonObject => {
    const result: JsonObject = Object.create(null);
    at += 1; space();
    if (text[at] === '}') { at += 1; return result; }
    for (;;) {
      space();
      if (text[at] !== '"') bad('a member name was expected');
      const name = string();
      if (name in result) bad(`the member ${name} comes twice`);
      space();
      if (text[at] !== ':') bad('a colon was expected');
      at += 1;
      result[name] = value(depth + 1);
      space();
      if (text[at] === ',') { at += 1; continue; }
      if (text[at] === '}') { at += 1; return result; }
      bad(at >= text.length ? 'the text ends too early' : 'a comma was expected');
    }
  };
  const array = (depth: number): JsonValue[] => {
    const result: JsonValue[] = [];
    at += 1; space();
    if (text[at] === ']') { at += 1; return result; }
    for (;;) {
      result.push(value(depth + 1));
      space();
      if (text[at] === ',') { at += 1; continue; }
      if (text[at] === ']') { at += 1; return result; }
      bad(at >= text.length ? 'the text ends too early' : 'a comma was expected');
    }
  };
  const result = value(0);
  space();
  if (at < text.length) bad('something follows the value');
  return result;
}

function decode(bytes: Uint8Array): string {
  try { return new TextDecoder('utf-8', { fatal: true }).decode(bytes); } catch (cause) { throw new ProtocolError('invalid-utf-8', 'the body is not UTF-8', { cause }); }
}
