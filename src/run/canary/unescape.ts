/** Undoes one layer of escapes of every kind at once: percent-encoding, JSON strings, HTML and XML. */

const percent = 0x25;
const ampersand = 0x26;
const backslash = 0x5c;

/** The bytes with each escape replaced by what it stands for; undefined where there is none. */
export function unescaped(bytes: Uint8Array): Buffer | undefined {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === percent) {
      const code = numberAt(bytes, at + 1, 2);
      out[length++] = code < 0 ? byte : code;
      if (code >= 0) at += 2;
    } else if (byte === backslash || byte === ampersand) {
      const found = byte === backslash ? jsonEscape(bytes, at) : entity(bytes, at);
      // No escape is shorter than the UTF-8 bytes of its character.
      if (found === undefined) out[length++] = byte;
      else length += out.write(found.text, length);
      at += (found?.width ?? 1) - 1;
    } else out[length++] = byte;
  }
  return length === bytes.length ? undefined : out.subarray(0, length);
}

interface Escape {
  readonly text: string;
  /** Bytes that the escape takes. */
  readonly width: number;
}

const shortEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** RFC 8259 section 7. */
function jsonEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const letter = String.fromCharCode(bytes[at + 1] ?? 0);
  if (letter === 'u') {
    const unit = numberAt(bytes, at + 2, 4);
    if (unit < 0) return undefined;
    const low = bytes[at + 6] === backslash && bytes[at + 7] === 0x75 ? numberAt(bytes, at + 8, 4) : -1;
    const pair = unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000;
    const text = pair ? String.fromCharCode(unit, low) : String.fromCharCode(unit);
    return { text, width: pair ? 12 : 6 };
  }
  const text = shortEscapes[letter] ?? (/["\\/]/.test(letter) ? letter : undefined);
  return text === undefined ? undefined : { text, width: 2 };
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entity(bytes: Uint8Array, at: number): Escape | undefined {
  const ahead = Buffer.from(bytes.subarray(at, at + 12)).toString('latin1');
  const found = /^&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6}));/.exec(ahead);
  if (found === null) return undefined;
  const [whole, name, decimal, hex] = found;
  if (name !== undefined) return { text: named[name]!, width: whole.length };
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
  return code > 0x10ffff ? undefined : { text: String.fromCodePoint(code), width: whole.length };
}

/** Value of so many hexadecimal digits; -1 where there are fewer. */
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
