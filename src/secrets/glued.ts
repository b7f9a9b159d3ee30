/**
 * Base64 and hexadecimal digits that are glued to others, so their start is not known: each place that they could
 * start at is tried, in one pass for all of a text. The parts are separated by bytes that are not text.
 */
import type { Piece } from './escapes.ts';
import { byteClass, hasRun, runsOf, textsOf } from './runs.ts';

const none = 64;
const between = 0xff;
const plainAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const urlAlphabet = `${plainAlphabet.slice(0, 62)}-_`;
const sixBits = new Uint8Array(256).fill(none);
for (const alphabet of [plainAlphabet, urlAlphabet]) {
  for (const [value, character] of Array.from(alphabet).entries()) sixBits[character.charCodeAt(0)] = value;
}

/** Characters of base64 or hex of eight bytes; what is shorter is not looked for. */
const [base64Run, hexRun] = [11, 16] as const;
const [isBase64, isHex] = [byteClass(/[A-Za-z0-9+/_-]/), byteClass(/[0-9A-Fa-f]/)];

/** Four readings of a text as base64, of either alphabet (RFC 4648 sections 4 and 5). */
export function gluedBase64(bytes: Buffer): readonly Piece[] {
  if (!hasRun(bytes, isBase64, base64Run)) return [];
  return [0, 1, 2, 3].map((phase) => {
    const decoded = Buffer.allocUnsafe(3 * Math.max(Math.ceil((bytes.length - phase) / 4), 0));
    for (let at = phase, to = 0; at < bytes.length; at += 4, to += 3) {
      const a = sixBits[bytes[at]!]!;
      const b = at + 1 < bytes.length ? sixBits[bytes[at + 1]!]! : none;
      const c = at + 2 < bytes.length ? sixBits[bytes[at + 2]!]! : none;
      const d = at + 3 < bytes.length ? sixBits[bytes[at + 3]!]! : none;
      // Most are digits: no bit of `none` is set.
      if ((a | b | c | d) < none) {
        decoded[to] = (a << 2) | (b >> 4);
        decoded[to + 1] = (b << 4) | (c >> 2);
        decoded[to + 2] = (c << 6) | d;
        continue;
      }
      decoded[to] = a === none || b === none ? between : (a << 2) | (b >> 4);
      decoded[to + 1] = b === none || c === none ? between : (b << 4) | (c >> 2);
      decoded[to + 2] = c === none || d === none ? between : (c << 6) | d;
    }
    return { decoded, put: (out, edited) => putBase64(bytes, out, { phase, decoded, edited }) };
  });
}

interface Edited {
  readonly phase: number;
  readonly decoded: Buffer;
  readonly edited: Uint8Array;
}

/** Bit by bit, since the characters at both ends also hold bits of what is beside. */
function putBase64(bytes: Buffer, out: Buffer, { phase, decoded, edited }: Edited): void {
  for (let at = phase, from = 0; from < decoded.length; at += 4, from += 3) {
    const [x, y, z] = [0, 1, 2].map((place) => decoded[from + place]! ^ edited[from + place]!) as [
      number,
      number,
      number,
    ];
    if ((x | y | z) === 0) continue;
    for (const [place, bits] of [x >> 2, ((x & 3) << 4) | (y >> 4), ((y & 15) << 2) | (z >> 6), z & 63].entries()) {
      if (bits === 0) continue;
      const alphabet = /[-_]/.test(runAround(bytes, at + place)) ? urlAlphabet : plainAlphabet;
      out[at + place] = alphabet.charCodeAt(sixBits[bytes[at + place]!]! ^ bits);
    }
  }
}

function runAround(bytes: Buffer, at: number): string {
  let [start, end] = [at, at + 1];
  while (start > 0 && sixBits[bytes[start - 1]!] !== none) start -= 1;
  while (end < bytes.length && sixBits[bytes[end]!] !== none) end += 1;
  return bytes.toString('latin1', start, end);
}

/** The runs of a text in which either may be, each as it stands: digits of hexadecimal are characters of base64 too. */
export function gluedRuns(bytes: Buffer): string[] {
  return textsOf(bytes, runsOf(bytes, isBase64, base64Run)).map(({ text }) => text);
}

/** Two readings of a text as pairs of digits. */
export function gluedHex(bytes: Buffer): readonly Piece[] {
  if (!hasRun(bytes, isHex, hexRun)) return [];
  return [0, 1].map((phase) => {
    const decoded = Buffer.allocUnsafe(Math.max(Math.ceil((bytes.length - phase) / 2), 0));
    for (let at = phase, to = 0; at < bytes.length; at += 2, to += 1) {
      const high = digits[bytes[at]!]!;
      const low = at + 1 < bytes.length ? digits[bytes[at + 1]!]! : none;
      decoded[to] = high === none || low === none ? between : (high << 4) | low;
    }
    const put = (out: Buffer, edited: Uint8Array) => {
      for (let at = phase, from = 0; from < decoded.length; at += 2, from += 1) {
        if (decoded[from] === edited[from]) continue;
        const isUpper = /[A-F]/.test(runAround(bytes, at));
        const hex = edited[from]!.toString(16).padStart(2, '0');
        out.write(isUpper ? hex.toUpperCase() : hex, at, 'latin1');
      }
    };
    return { decoded, put };
  });
}

const digits = new Uint8Array(256).fill(none);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  for (const one of [digit, digit.toUpperCase()]) digits[one.charCodeAt(0)] = value;
}
