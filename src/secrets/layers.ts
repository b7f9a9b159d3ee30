/** The content under one more layer of encoding, and how a change of it is written back without a change of any length. */
import { type Piece, unescaped, unquoted, withoutLineEnds } from './escapes.ts';
import { gluedBase64, gluedHex } from './glued.ts';
import { inflated } from './inflated.ts';

/** Those pieces that are not the bytes themselves. */
export type Layer = (bytes: Buffer) => readonly Piece[];

/** The ways of writing that are undone. Each finds what no other does. */
export const layerNames = [
  'percent',
  'string',
  'entity',
  'form',
  'quoted-printable',
  'lines',
  'base64',
  'glued-base64',
  'hex',
  'glued-hex',
  'hex-list',
  'number-list',
  'base32',
  'packed',
  'utf-16',
] as const;

export type LayerName = (typeof layerNames)[number];

/** A way of writing, and what a text has at least that has it. */
interface EscapeLayer {
  readonly name: LayerName;
  readonly has: RegExp;
  readonly undo: Layer;
}

const mixed: readonly EscapeLayer[] = [
  { name: 'percent', has: /%[0-9A-Fa-f]{2}/, undo: (bytes) => given(unescaped(bytes, 'percent')) },
  { name: 'string', has: /\\/, undo: (bytes) => given(unescaped(bytes, 'string')) },
  { name: 'entity', has: /&(?:#|amp|lt|gt|quot|apos)/, undo: (bytes) => given(unescaped(bytes, 'entity')) },
];

const others: readonly EscapeLayer[] = [
  { name: 'form', has: /\+/, undo: (bytes) => given(unescaped(bytes, 'percent', 'plus')) },
  { name: 'quoted-printable', has: /=(?:[0-9A-Fa-f]{2}|\r?\n)/, undo: (bytes) => given(unquoted(bytes)) },
];

const lists: readonly (readonly [LayerName, Layer])[] = [
  // Colon hex, `<Buffer aa bb>` and other dumps; `Buffer` in JSON and other arrays of bytes.
  ['hex-list', (bytes) => numbers(bytes, /(?:0x)?[0-9A-Fa-f]{2}(?:[\s+:,;-]{1,4}(?:0x)?[0-9A-Fa-f]{2}){5,}/g, 16)],
  ['number-list', (bytes) => numbers(bytes, /\d{1,3}(?:[\s+,;]{1,20}\d{1,3}){5,}/g, 10)],
  ['base32', (bytes) => runs(bytes, /[A-Z2-7]{10,}|[a-z2-7]{10,}/g, fromBase32, base32)],
];

const wholes: readonly (readonly [LayerName, Layer])[] = [
  ['lines', (bytes) => given(withoutLineEnds(bytes))],
  ['base64', (bytes) => runs(bytes, /[A-Za-z0-9+/_-]{16,}/g, (run) => Buffer.from(run, 'base64'), base64Like)],
  ['hex', (bytes) => runs(bytes, /(?:[0-9A-Fa-f]{2}){8,}/g, (run) => Buffer.from(run, 'hex'), hexLike)],
  ...lists,
  ['utf-16', inUtf16],
];

const glued: readonly (readonly [LayerName, Layer])[] = [
  ['glued-base64', gluedBase64],
  ['glued-hex', gluedHex],
];

export interface Layers {
  readonly has: (name: LayerName) => boolean;
  /** Escapes of three kinds at once. */
  readonly allEscapes: Layer;
  /**
   * What takes off escapes of one kind from such a text and comes to something else than `allEscapes`: what is escaped may
   * look like an escape of another kind.
   */
  readonly escapesAlone: (text: string) => readonly Layer[];
  /** Of runs in a text. */
  readonly lists: readonly Layer[];
  /** Of bytes that are not text. */
  readonly packed: readonly Layer[];
  /** What a text says if it is read from any character on: searched, and not undone further. */
  readonly glued: readonly Layer[];
  /** All of a text. */
  readonly whole: readonly Layer[];
}

/** Those of that name. */
export function layersOf(names: readonly LayerName[]): Layers {
  const has = (name: LayerName) => names.includes(name);
  const kinds = (['percent', 'string', 'entity'] as const).filter(has);
  const allEscapes: Layer = (bytes) => given(unescaped(bytes, ...kinds));
  const escapesAlone = (text: string): readonly Layer[] => {
    const found = (some: readonly EscapeLayer[]) => some.filter((one) => has(one.name) && one.has.test(text));
    const several = found(mixed);
    return [...(several.length > 1 ? several : []), ...found(others)].map(({ undo }) => undo);
  };
  const named = (some: readonly (readonly [LayerName, Layer])[]) =>
    some.flatMap(([name, one]) => (has(name) ? [one] : []));
  const alone: Layer = (bytes) => escapesAlone(bytes.toString('latin1')).flatMap((layer) => layer(bytes));
  const packed = named([['packed', inflated]]);
  return {
    has,
    allEscapes,
    escapesAlone,
    lists: named(lists),
    packed,
    glued: named(glued),
    whole: [allEscapes, alone, ...named(wholes), ...packed],
  };
}

export const allLayers: Layers = layersOf(layerNames);

function given(piece: Piece | undefined): readonly Piece[] {
  return piece === undefined ? [] : [piece];
}

/** No control characters but those of lines. What is none holds no more text, unless it is packed. */
export function isText(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}

/** Runs of characters that one encoding has; most are words that only look like it, and say nothing. */
function runs(
  bytes: Buffer,
  form: RegExp,
  decode: (run: string) => Buffer,
  encode: (decoded: Buffer, run: string) => string,
): Piece[] {
  return Array.from(bytes.toString('latin1').matchAll(form), ({ 0: run, index }) => ({
    decoded: decode(run),
    put: (out, edited) => out.write(encode(Buffer.from(edited), run).slice(0, run.length), index, 'latin1'),
  }));
}

/** Bytes as numbers of that base, with something between them. */
function numbers(bytes: Buffer, form: RegExp, base: 10 | 16): Piece[] {
  const digits = base === 16 ? /(?<=0x)[0-9A-Fa-f]{2}|[0-9A-Fa-f]{2}/g : /\d+/g;
  return Array.from(bytes.toString('latin1').matchAll(form)).flatMap(({ 0: list, index }) => {
    const members = Array.from(list.matchAll(digits), ({ 0: text, index: at }) => ({ text, at: index + at }));
    const values = members.map(({ text }) => Number.parseInt(text, base));
    if (values.some((value) => value > 255)) return [];
    const decoded = Buffer.from(values);
    const put = (out: Buffer, edited: Uint8Array) => {
      for (const [place, { text, at }] of members.entries()) {
        if (edited[place] !== decoded[place]) out.fill('1', at, at + text.length);
      }
    };
    return [{ decoded, put }];
  });
}

function base64Like(decoded: Buffer, run: string): string {
  return decoded.toString(/[-_]/.test(run) ? 'base64url' : 'base64');
}

function hexLike(decoded: Buffer, run: string): string {
  return /[A-F]/.test(run) ? decoded.toString('hex').toUpperCase() : decoded.toString('hex');
}

/** Plain text in UTF-16, without its other half. */
export function inUtf16(bytes: Buffer): Piece[] {
  if (!bytes.includes(0)) return [];
  return Array.from(
    bytes.toString('latin1').matchAll(/(?:[^\0]\0){6,}[^\0]?|(?:\0[^\0]){6,}/g),
    ({ 0: run, index }) => {
      const first = index + (run.startsWith('\0') ? 1 : 0);
      return {
        decoded: Buffer.from(run.replaceAll('\0', ''), 'latin1'),
        put: (out, edited) =>
          edited.forEach((byte, at) => {
            out[first + 2 * at] = byte;
          }),
      };
    },
  );
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 section 6; bits that fill no byte are left out. */
function fromBase32(run: string): Buffer {
  const letters = Buffer.from(run.toUpperCase(), 'latin1');
  return regrouped(letters.map((letter) => fives[letter]!) as Buffer, 5, 8);
}

const fives = Uint8Array.from({ length: 128 }, (_, letter) =>
  Math.max(0, alphabet.indexOf(String.fromCharCode(letter))),
);

function base32(decoded: Buffer, run: string): string {
  const rest = Buffer.alloc((8 * decoded.length) % 5 === 0 ? 0 : 1);
  const text = Array.from(regrouped(Buffer.concat([decoded, rest]), 8, 5), (five) => alphabet[five]).join('');
  return /[a-z]/.test(run) ? text.toLowerCase() : text;
}

/** Numbers of one width of bits as numbers of another; what is too little for one is left out. Bytes: a run may have megabytes. */
function regrouped(numbers: Uint8Array, from: number, to: number): Buffer {
  const out = Buffer.alloc(Math.floor((numbers.length * from) / to));
  let [bits, value, length] = [0, 0, 0];
  for (const number of numbers) {
    value = ((value << from) | number) & 0xfff;
    for (bits += from; bits >= to; bits -= to) out[length++] = (value >> (bits - to)) & ((1 << to) - 1);
  }
  return out;
}
