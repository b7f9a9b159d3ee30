/** Undoes one layer of escapes, and remembers where each byte was: percent-encoding, JSON and JavaScript strings, HTML and XML, quoted-printable. */

import { type ByteClass, holdsAny } from './runs.ts';

/** Bytes that were written in some encoding, decoded. */
export interface Piece {
  readonly decoded: Buffer;
  /** Writes into a copy of the outer bytes what `decoded` shall say; `edited` is as long as that. */
  put(out: Buffer, edited: Uint8Array): void;
}

const percent = 0x25;
const backslash = 0x5c;
const plus = 0x2b;
const openBrace = 0x7b;

/** `plus`: the space of a form. */
export type Escapes = 'percent' | 'plus' | 'string' | 'entity';

/** Escapes of the given kinds at once; undefined where there is none. A text may hold what only looks like one of another kind. */
export function unescaped(bytes: Buffer, ...kinds: readonly Escapes[]): Piece | undefined {
  return undo(bytes, firstBytes(kinds), (at) => {
    const byte = bytes[at]!;
    if (byte === percent) return ofCode(numberAt(bytes, at + 1, 2), 3);
    if (byte === plus) return ofCode(0x20, 1);
    return byte === backslash ? stringEscape(bytes, at) : entity(bytes, at);
  });
}

const starts = { percent: '%', plus: '+', string: '\\', entity: '&' } as const;
const classes = new Map<string, ByteClass>();

/** The characters that escapes of these kinds start with. */
function firstBytes(kinds: readonly Escapes[]): ByteClass {
  const characters = kinds.map((kind) => starts[kind]).join('');
  const known = classes.get(characters) ?? classAmong(characters);
  classes.set(characters, known);
  return known;
}

function classAmong(characters: string): ByteClass {
  const isOf = new Uint8Array(256);
  for (const character of characters) isOf[character.charCodeAt(0)] = 1;
  return isOf;
}

const [equals, lineEnds] = [classAmong('='), classAmong('\r\n')];

/** RFC 2045 section 6.7, with the line ends that it puts in. */
export function unquoted(bytes: Buffer): Piece | undefined {
  return undo(bytes, equals, (at) => {
    const lineEnd = bytes[at + 1] === 0x0d ? 2 : 1;
    if (bytes[at + lineEnd] === 0x0a) return { says: Buffer.alloc(0), width: lineEnd + 1 };
    return ofCode(numberAt(bytes, at + 1, 2), 3);
  });
}

/** Lines as one: base64 and hex are often broken, and a secret may be in two of them (RFC 2045 section 6.8, RFC 7468). */
export function withoutLineEnds(bytes: Buffer): Piece | undefined {
  return undo(bytes, lineEnds, () => nothing);
}

const nothing: Escape = { says: new Uint8Array(0), width: 1 };

interface Escape {
  readonly says: Uint8Array;
  /** Bytes that the escape takes. */
  readonly width: number;
}

/** No escape is shorter than what it says. `mayStart`: the characters that one starts with. */
function undo(bytes: Buffer, mayStart: ByteClass, escapeAt: (at: number) => Escape | undefined): Piece | undefined {
  if (!holdsAny(bytes, mayStart)) return undefined;
  let decoded: Buffer | undefined;
  let length = 0;
  let end = 0;
  const each = (visit: (at: number, found: Escape) => void) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const found = mayStart[bytes[at]!] === 1 ? escapeAt(at) : undefined;
      if (found === undefined) continue;
      visit(at, found);
      at += found.width - 1;
    }
  };
  each((at, { says, width }) => {
    decoded ??= Buffer.allocUnsafe(bytes.length);
    length = copied(bytes, end, at, decoded, length);
    for (let index = 0; index < says.length; index += 1) decoded[length++] = says[index]!;
    end = at + width;
  });
  if (decoded === undefined) return undefined;
  length = copied(bytes, end, bytes.length, decoded, length);
  const whole = decoded.subarray(0, length);
  // Where each byte was is computed again: hardly any text that is searched is changed.
  const put = (out: Buffer, edited: Uint8Array) => {
    let [from, to] = [0, 0];
    const plain = (until: number) => {
      for (; from < until; from += 1, to += 1) if (edited[to] !== whole[to]) out[from] = edited[to]!;
    };
    each((at, { says, width }) => {
      plain(at);
      const isSame = says.every((byte, index) => edited[to + index] === byte);
      if (!isSame && width === 1) out[at] = edited[to]!;
      else if (!isSame && bytes[at] === percent)
        out.write(hexLike(bytes.toString('latin1', at + 1, at + 3), edited[to]!), at + 1, 'latin1');
      else if (!isSame) out.fill('x', at, at + width);
      to += says.length;
      from = at + width;
    });
    plain(bytes.length);
  };
  return { decoded: whole, put };
}

/** Two hexadecimal digits of a byte, in small letters where those that they replace have one. */
export function hexLike(old: string, byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  return /[a-f]/.test(old) ? hex : hex.toUpperCase();
}

/** New length of `out`. Most stretches are so short that a call costs more than the loop. */
function copied(bytes: Buffer, from: number, until: number, out: Buffer, length: number): number {
  if (until - from > 64) return length + bytes.copy(out, length, from, until);
  let to = length;
  for (let at = from; at < until; at += 1) out[to++] = bytes[at]!;
  return to;
}

const single = Array.from({ length: 256 }, (_, code) => Uint8Array.of(code));

/** Of one byte, by what it takes and what it says: a text may consist of them. */
const ofBytes = Array.from({ length: 5 }, (_, width) => single.map((says): Escape => ({ says, width })));

function ofCode(code: number, width: number): Escape | undefined {
  return code < 0 ? undefined : ofBytes[width]![code]!;
}

function ofText(text: string, width: number): Escape {
  const code = text.charCodeAt(0);
  return { says: text.length === 1 && code < 0x80 ? single[code]! : Buffer.from(text), width };
}

/** Of RFC 8259 and of JavaScript, where any other character stands for itself, as in shells and regular expressions. */
const shortEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** RFC 8259 section 7, and those of JavaScript and other languages: `\xNN`, `\u{N}`, and up to three octal digits. */
function stringEscape(bytes: Buffer, at: number): Escape | undefined {
  const letter = String.fromCharCode(bytes[at + 1] ?? 0);
  if (letter === 'x') return ofCode(numberAt(bytes, at + 2, 2), 4);
  if (letter >= '0' && letter <= '7') return octal(bytes, at);
  if (letter === 'u' && bytes[at + 2] === openBrace) return inBraces(bytes, at);
  if (letter === 'u') {
    const unit = numberAt(bytes, at + 2, 4);
    if (unit < 0) return undefined;
    const low = bytes[at + 6] === backslash && bytes[at + 7] === 0x75 ? numberAt(bytes, at + 8, 4) : -1;
    const isPair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;
    return isPair ? ofText(String.fromCharCode(unit, low), 12) : ofText(String.fromCharCode(unit), 6);
  }
  return letter >= ' ' && letter <= '~' ? ofText(shortEscapes[letter] ?? letter, 2) : undefined;
}

/** As many digits as make a byte, at most three. */
function octal(bytes: Buffer, at: number): Escape | undefined {
  let [code, end] = [0, at + 1];
  for (; end < at + 4; end += 1) {
    const digit = (bytes[end] ?? 0) - 0x30;
    if (digit < 0 || digit > 7 || code * 8 + digit > 0xff) break;
    code = code * 8 + digit;
  }
  return ofCode(code, end - at);
}

function inBraces(bytes: Buffer, at: number): Escape | undefined {
  const [whole, digits] = /^\\u\{([0-9A-Fa-f]{1,6})\}/.exec(bytes.toString('latin1', at, at + 10)) ?? [];
  return digits === undefined ? undefined : ofCodePoint(Number.parseInt(digits, 16), whole!.length);
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entity(bytes: Buffer, at: number): Escape | undefined {
  const found = /^&(?:(amp|lt|gt|quot|apos);|#(\d{1,7});?|#[xX]([0-9A-Fa-f]{1,6});?)/.exec(
    bytes.toString('latin1', at, at + 12),
  );
  if (found === null) return undefined;
  const [whole, name, decimal, hex] = found;
  if (name !== undefined) return ofText(named[name]!, whole.length);
  return ofCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal), whole.length);
}

function ofCodePoint(code: number, width: number): Escape | undefined {
  return code > 0x10ffff ? undefined : ofText(String.fromCodePoint(code), width);
}

/** Value of that many hexadecimal digits; -1 where there are fewer. */
function numberAt(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = hexDigit(bytes[index] ?? 0);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
