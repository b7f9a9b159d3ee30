/** The content under one more layer of encoding, and how a change of it is written back without a change of any length. */
import { base32, base32Runs, fromBase32 } from './base32.ts';
import { type Piece, unescaped, unquoted, withoutLineEnds } from './escapes.ts';
import { gluedBase64, gluedHex } from './glued.ts';
import { inflated } from './inflated.ts';
import { byteClass, holdsAny, runsOf, textsOf } from './runs.ts';

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
  ['hex-list', (bytes) => numbers(bytes, hexLists, 16)],
  ['number-list', (bytes) => numbers(bytes, numberLists, 10)],
  ['base32', (bytes) => pieces(bytes, base32Runs(bytes), fromBase32, base32)],
];

/** `among`: characters that a list consists of, in a run of at least so many. */
const hexLists: Lists = {
  among: byteClass(/[0-9A-Fa-fx\s+:,;-]/),
  shortest: 17,
  form: /(?:0x)?[0-9A-Fa-f]{2}(?:[\s+:,;-]{1,4}(?:0x)?[0-9A-Fa-f]{2}){5,}/g,
};

const numberLists: Lists = {
  among: byteClass(/[\d\s+,;]/),
  shortest: 11,
  form: /\d{1,3}(?:[\s+,;]{1,20}\d{1,3}){5,}/g,
};

const [isBase64, isHex] = [byteClass(/[A-Za-z0-9+/_-]/), byteClass(/[0-9A-Fa-f]/)];

/** All lines as one. */
export const joinedLines: Layer = (bytes) => given(withoutLineEnds(bytes));

const wholes: readonly (readonly [LayerName, Layer])[] = [
  ['lines', joinedLines],
  ['base64', (bytes) => pieces(bytes, runsOf(bytes, isBase64, 16), (run) => Buffer.from(run, 'base64'), base64Like)],
  ['hex', (bytes) => pieces(bytes, pairsOf(runsOf(bytes, isHex, 16)), (run) => Buffer.from(run, 'hex'), hexLike)],
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
  /** Escapes of all kinds, in a text. */
  readonly escapes: readonly Layer[];
  /** All else of a text. */
  readonly whole: readonly Layer[];
}

/** Those of that name. */
export function layersOf(names: readonly LayerName[]): Layers {
  const has = (name: LayerName) => names.includes(name);
  const kinds = (['percent', 'string', 'entity'] as const).filter(has);
  const allEscapes: Layer = (bytes) => given(unescaped(bytes, ...kinds));
  const escapesAlone = (text: string): readonly Layer[] => {
    if (!/[%\\&+=]/.test(text)) return none;
    const found = (some: readonly EscapeLayer[]) => some.filter((one) => has(one.name) && one.has.test(text));
    const several = found(mixed);
    return [...(several.length > 1 ? several : []), ...found(others)].map(({ undo }) => undo);
  };
  const named = (some: readonly (readonly [LayerName, Layer])[]) =>
    some.flatMap(([name, one]) => (has(name) ? [one] : []));
  const alone: Layer = (bytes) =>
    holdsAny(bytes, mayEscape) ? escapesAlone(bytes.toString('latin1')).flatMap((layer) => layer(bytes)) : none;
  const packed = named([['packed', inflated]]);
  return {
    has,
    allEscapes,
    escapesAlone,
    lists: named(lists),
    packed,
    glued: named(glued),
    escapes: [allEscapes, alone],
    whole: [...named(wholes), ...packed],
  };
}

export const allLayers: Layers = layersOf(layerNames);

const mayEscape = byteClass(/[%\\&+=]/);

function given(piece: Piece | undefined): readonly Piece[] {
  return piece === undefined ? none : [piece];
}

const none: readonly never[] = [];

/** No control characters but those of lines. What is none holds no more text, unless it is packed. */
export function isText(bytes: Uint8Array): boolean {
  return !holdsAny(bytes, isControl);
}

const isControl = byteClass(/[\0-\x08\x0b\x0c\x0e-\x1f]/);

/** What runs of characters that one encoding has say; most are words that only look like it, and say nothing. */
function pieces(
  bytes: Buffer,
  runs: readonly number[],
  decode: (run: string) => Buffer,
  encode: (decoded: Buffer, run: string) => string,
): readonly Piece[] {
  if (runs.length === 0) return none;
  return textsOf(bytes, runs).map(({ text: run, at }) => ({
    decoded: decode(run),
    put: (out, edited) => out.write(encode(Buffer.from(edited), run).slice(0, run.length), at, 'latin1'),
  }));
}

/** Pairs of digits: the last digit of a run may have no other. */
function pairsOf(runs: readonly number[]): readonly number[] {
  return runs.map((place, index) => (index % 2 === 1 ? place - ((place - runs[index - 1]!) % 2) : place));
}

interface Lists {
  readonly among: Uint8Array;
  readonly shortest: number;
  readonly form: RegExp;
}

/** Bytes as numbers of that base, with something between them. */
function numbers(bytes: Buffer, { among, shortest, form }: Lists, base: 10 | 16): readonly Piece[] {
  const runs = runsOf(bytes, among, shortest);
  if (runs.length === 0) return none;
  const digits = base === 16 ? /(?<=0x)[0-9A-Fa-f]{2}|[0-9A-Fa-f]{2}/g : /\d+/g;
  const lists = textsOf(bytes, runs).flatMap(({ text, at }) =>
    Array.from(text.matchAll(form), ({ 0: list, index }) => ({ list, index: at + index })),
  );
  return lists.flatMap(({ list, index }) => {
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
export function inUtf16(bytes: Buffer): readonly Piece[] {
  if (!bytes.includes(0)) return none;
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
