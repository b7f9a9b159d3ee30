/**
 * Another text in the place of an id: as long, of the same class at every place, and with the same relations to other ids.
 * Equal ids stay equal, different ones different, and an id that was cut stays the start of the whole one. Pure.
 */
import { createCipheriv, createHash } from 'node:crypto';

/**
 * The stand-in of an id. Each letter and digit moves within its class by a step that depends on the salt and on the
 * letters and digits before it, so that nothing can be inferred from the stand-in without the salt.
 */
export function prefixAlias(id: string, salt: string): string {
  const core = id.trim();
  const start = id.length - id.trimStart().length;
  return `${id.slice(0, start)}${aliasOf(core, salt)}${id.slice(start + core.length)}`;
}

function aliasOf(core: string, salt: string): string {
  if (/^[\0->@-\x7f]*$/.test(core) && keptDigits(core) === 0) return plainAlias(core, salt);
  const inside = misread(core);
  // Text that a client read in the wrong charset keeps its relation to what it was.
  if (inside !== undefined) return Buffer.from(aliasOf(inside, salt), 'utf8').toString('latin1');
  const classes = classesFor(core);
  const characters = [...core];
  const kept = keptDigits(core);
  const steps = stepsFor(core, salt);
  // Letters and digits so far.
  let read = 0;
  return characters
    .map((character, index) => {
      // A question mark is what some charsets make of such a character.
      const nextIsWide = /[?\x80-\u{10ffff}]/u.test(characters[index + 1] ?? '');
      const own = index < kept ? boundClass(core, index) : classes(character, read === 0, nextIsWide);
      const step = steps[read]!;
      if (/[A-Za-z0-9]/.test(character)) read += 1;
      return own === undefined ? character : moveIn(own, character, step);
    })
    .join('');
}

/** Of ASCII, in which no character depends on the one behind it: most ids are, and a batch may have a million. */
function plainAlias(core: string, salt: string): string {
  const steps = stepsFor(core, salt);
  const isUuid = uuid.test(core);
  const letters = isUuid ? 6 : number.test(core) ? 1 : 26;
  const out = Buffer.from(core, 'latin1');
  let read = 0;
  for (let at = 0; at < out.length; at += 1) {
    const code = out[at]!;
    const isDigit = code >= 0x30 && code <= 0x39;
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    if (!isDigit && !isLetter) continue;
    const step = steps[read]!;
    const isFirst = read === 0 && !isUuid;
    read += 1;
    // The first digit stays 0, or something else.
    if (isDigit && isFirst) out[at] = code === 0x30 ? code : movedFrom(0x31, 9, code, step);
    else if (isDigit) out[at] = movedFrom(0x30, 10, code, step);
    else if (letters > 1) out[at] = movedFrom(code & 0x20 ? 0x61 : 0x41, letters, code, step);
  }
  return out.toString('latin1');
}

function movedFrom(first: number, count: number, code: number, step: number): number {
  return first + ((code - first + 1 + (step % (count - 1))) % count);
}

/**
 * A number from 0 to 255 for each letter and digit, and for the end: each depends on the salt and on all letters and digits
 * before it. That is the key stream of AES-CFB8 (NIST SP 800-38A section 6.3), by which an id of any length is read once.
 */
function stepsFor(core: string, salt: string): Uint8Array {
  const plain = Buffer.from(`${core.replace(/[^A-Za-z0-9]/g, '')}\0`, 'latin1');
  if (last?.salt !== salt) last = { salt, key: createHash('sha256').update(salt).digest() };
  const { key } = last;
  const steps = createCipheriv('aes-256-cfb8', key, noVector).update(plain);
  for (let at = 0; at < plain.length; at += 1) steps[at]! ^= plain[at]!;
  return steps;
}

const noVector = Buffer.alloc(16);
let last: { readonly salt: string; readonly key: Buffer } | undefined;

function moveIn(members: string, character: string, step: number): string {
  const all = listOf(members);
  const at = all.indexOf(character);
  if (at === -1 || all.length === 1) return character;
  return all[(at + 1 + (step % (all.length - 1))) % all.length]!;
}

const lists = new Map<string, readonly string[]>();

/** The classes are few, and met again at each character. */
function listOf(members: string): readonly string[] {
  const list = lists.get(members) ?? [...members];
  lists.set(members, list);
  return list;
}

type Classes = (character: string, isFirst: boolean, nextIsWide: boolean) => string | undefined;

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An exponent makes a number of the digits around it. */
const number = /^[0-9]+e[0-9]+$/i;

function classesFor(core: string): Classes {
  const isUuid = uuid.test(core);
  const isNumber = number.test(core);
  return (character, isFirst, nextIsWide) => {
    if (/[0-9]/.test(character)) {
      const first = isFirst && !isUuid;
      return beside(first ? (character === '0' ? '0' : digits.slice(1)) : digits, character, nextIsWide);
    }
    if (/[A-Za-z]/.test(character)) {
      const letters = isUuid ? 'abcdef' : isNumber ? '' : lower;
      return beside(/[a-z]/.test(character) ? letters : letters.toUpperCase(), character, nextIsWide);
    }
    return character > '\x7f' ? blockOf(character) : undefined;
  };
}

/**
 * Before a character outside of ASCII only those that leave the base64 text without a `+` or `/` where it had none: their
 * escapes would change the length of a body.
 */
function beside(members: string, character: string, nextIsWide: boolean): string {
  if (!nextIsWide) return members;
  const like = (one: string) => `${(one.charCodeAt(0) & 3) === 3} ${(one.charCodeAt(0) & 15) === 15}`;
  return [...members].filter((one) => like(one) === like(character)).join('');
}

/** Letters of the same kind whose UTF-8 differs in its last byte alone; undefined for what is not a letter or digit. */
function blockOf(character: string): string | undefined {
  const kind = kinds.find((one) => one.test(character));
  if (kind === undefined) return undefined;
  const code = character.codePointAt(0)!;
  const block = Array.from({ length: 64 }, (_, bits) => (code & ~63) | bits);
  return String.fromCodePoint(
    ...block.filter((one) => base64Class(one) === base64Class(code) && kind.test(String.fromCodePoint(one))),
  );
}

/** Equal for characters that make the same `+` and `/` of base64, in UTF-8 and in Latin-1. */
function base64Class(code: number): string {
  const last = code & 63;
  const narrow = code < 0x100 ? [code >> 4, code >= 0xf8 && code >> 2] : [];
  return [(last & 3) === 3, (last & 15) === 15, last >= 62 && last, ...narrow].join();
}

const kinds = [/\p{Lu}/u, /\p{Ll}/u, /\p{Lo}/u, /\p{Nd}/u];

/** Numbers of so many digits are next to 2^53, 2^63 or 2^64, which begin with these. */
const bounds: Readonly<Record<number, string>> = { 16: '9007', 19: '9223', 20: '1844' };

/**
 * Leading digits that do not move freely. A long number stays on its side of what a double or a signed or unsigned 64-bit
 * integer holds, and one that is next to such a bound is kept: it was chosen for that, and identifies no one.
 */
function keptDigits(core: string): number {
  const digits = core.replace(/^-/, '');
  const bound = /^[0-9]+$/.test(digits) ? bounds[digits.length] : undefined;
  if (bound === undefined) return 0;
  if (digits.startsWith(bound)) return core.length;
  const shared = [...bound].findIndex((digit, at) => digits[at] !== digit);
  return core.length - digits.length + shared + 1;
}

/** What the first digit that is not that of the bound can be: digits on the same side of it. Those before it stay. */
function boundClass(core: string, index: number): string | undefined {
  const digits = core.replace(/^-/, '');
  const at = index - (core.length - digits.length);
  const bound = bounds[digits.length]!;
  if (at < 0 || digits.slice(0, at + 1) === bound.slice(0, at + 1)) return undefined;
  const [digit, limit] = [digits[at]!, bound[at]!];
  if (digit > limit) return '0123456789'.slice(Number(limit) + 1);
  return '0123456789'.slice(at === 0 && digit !== '0' ? 1 : 0, Number(limit));
}

/** What UTF-8 bytes say that were taken for Latin-1. */
function misread(core: string): string | undefined {
  if (!/[\x80-\xff]/.test(core) || /[^\0-\xff]/.test(core)) return undefined;
  const bytes = Buffer.from(core, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}
