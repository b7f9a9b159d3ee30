/**
 * Another text in the place of an id or a host name: as long, of the same class at every place, and with the same relations to
 * others. Equal ids stay equal, different ones different, and an id that was cut stays the start of the whole one. Pure.
 */
import { createCipheriv, createHash } from 'node:crypto';

/**
 * The pseudonym of an id. Each letter and digit moves within its class by a step that depends on the salt and on the
 * letters and digits before it, so that nothing can be inferred from the pseudonym without the salt.
 */
export function idAlias(id: string, salt: string): string {
  const core = id.trim();
  const start = id.length - id.trimStart().length;
  return `${id.slice(0, start)}${aliasOf(core, salt)}${id.slice(start + core.length)}`;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An exponent makes a number of the digits around it. */
const number = /^[0-9]+e[0-9]+$/i;

function aliasOf(core: string, salt: string): string {
  const inside = misread(core);
  // Text that a client read in the wrong charset keeps its relation to what it was.
  if (inside !== undefined) return Buffer.from(aliasOf(inside, salt), 'utf8').toString('latin1');
  const steps = stepsFor(core, salt);
  const letters = uuid.test(core) ? 'abcdef' : number.test(core) ? 'e' : 'abcdefghijklmnopqrstuvwxyz';
  const kept = keptDigits(core);
  let [out, read] = ['', 0];
  for (let at = 0; at < core.length; ) {
    const character = String.fromCodePoint(core.codePointAt(at)!);
    const isFirst = read === 0 && letters.length !== 6;
    const next = core.charCodeAt(at + character.length);
    // A question mark is what some charsets make of a character outside ASCII.
    const members = membersFor(character, letters, isFirst, next >= 0x80 || next === 0x3f);
    out += at < kept || members === undefined ? character : moveIn(members, character, steps[read]!);
    if (/[A-Za-z0-9]/.test(character)) read += 1;
    at += character.length;
  }
  return out;
}

/** What the character may become; undefined for one that stays. */
function membersFor(
  character: string,
  letters: string,
  isFirst: boolean,
  isBeforeWide: boolean,
): string | readonly string[] | undefined {
  if (character > '\x7f') return blockOf(character);
  // The first digit stays 0, or something else.
  const digits = !isFirst ? '0123456789' : character === '0' ? '0' : '123456789';
  const own = /[0-9]/.test(character)
    ? digits
    : /[a-z]/.test(character)
      ? letters
      : /[A-Z]/.test(character)
        ? letters.toUpperCase()
        : undefined;
  if (own === undefined || !isBeforeWide) return own;
  // Only those that leave base64 without a `+` or `/` where it had none: their escapes would change the length of a body.
  const bits = (one: string) => `${(one.charCodeAt(0) & 3) === 3} ${(one.charCodeAt(0) & 15) === 15}`;
  return [...own].filter((one) => bits(one) === bits(character));
}

function moveIn(members: string | readonly string[], character: string, step: number): string {
  const at = members.indexOf(character);
  if (at === -1 || members.length === 1) return character;
  return members[(at + 1 + (step % (members.length - 1))) % members.length]!;
}

/**
 * A number from 0 to 255 for each letter and digit, and for the end: each depends on the salt and on all letters and digits
 * before it. That is the key stream of AES-CFB8 (NIST SP 800-38A section 6.3), by which an id of any length is read once.
 */
function stepsFor(core: string, salt: string): Uint8Array {
  const plain = Buffer.from(`${core.replace(/[^A-Za-z0-9]/g, '')}\0`, 'latin1');
  if (last?.salt !== salt) last = { salt, key: createHash('sha256').update(salt).digest() };
  const steps = createCipheriv('aes-256-cfb8', last.key, noVector).update(plain);
  for (let at = 0; at < plain.length; at += 1) steps[at]! ^= plain[at]!;
  return steps;
}

const noVector = Buffer.alloc(16);
let last: { readonly salt: string; readonly key: Buffer } | undefined;

/** Numbers of so many digits are next to 2^53, 2^63 or 2^64, which begin with these. */
const bounds: Readonly<Record<number, string>> = { 16: '9007', 19: '9223', 20: '1844' };

/**
 * Leading characters that do not move: a long number stays on its side of what a double or a 64-bit integer holds. One that is next
 * to such a bound is kept: it was chosen for that, and identifies no one.
 */
function keptDigits(core: string): number {
  const digits = core.replace(/^-/, '');
  const bound = bounds[digits.length];
  if (bound === undefined || !/^[0-9]+$/.test(digits)) return 0;
  const differs = [...bound].findIndex((digit, at) => digits[at] !== digit);
  return differs === -1 ? core.length : core.length - digits.length + differs + 1;
}

const kinds = [/\p{Lu}/u, /\p{Ll}/u, /\p{Lo}/u, /\p{Nd}/u];
const blocks = new Map<string, readonly string[] | undefined>();

/** Letters of the same kind whose UTF-8 differs in its last byte alone, and with the same `+` and `/` in base64. */
function blockOf(character: string): readonly string[] | undefined {
  if (blocks.has(character)) return blocks.get(character);
  const kind = kinds.find((one) => one.test(character));
  const code = character.codePointAt(0)!;
  const block = Array.from({ length: 64 }, (_, bits) => (code & ~63) | bits);
  const members = block.filter((one) => base64Class(one) === base64Class(code)).map((one) => String.fromCodePoint(one));
  blocks.set(character, kind && members.filter((one) => kind.test(one)));
  return blocks.get(character);
}

/** Equal for characters that make the same `+` and `/` of base64, in UTF-8 and in Latin-1. */
function base64Class(code: number): string {
  const last = code & 63;
  const narrow = code < 0x100 ? [code >> 4, code >= 0xf8 && code >> 2] : [];
  return [(last & 3) === 3, (last & 15) === 15, last >= 62 && last, ...narrow].join();
}

/** What UTF-8 bytes say that were taken for Latin-1. */
function misread(core: string): string | undefined {
  if (!/[\x80-\xff]/.test(core) || /[^\0-\xff]/.test(core)) return undefined;
  const text = Buffer.from(core, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}

/** As long, in the same letter case, and under a reserved name (RFC 2606 section 2). */
export function hostAlias(name: string, salt: string): string {
  if (/^[\d.]+$/.test(name) || name.includes(':')) return addressAlias(name, salt);
  const end = name.length > 8 ? '.example' : name.length > 5 ? '.test' : '';
  const key = createHash('sha256').update(`${salt}\0host\0${name.toLowerCase()}`).digest('hex');
  const letters = Array.from(key.repeat(8), (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('');
  const alias = `${letters.slice(0, name.length - end.length)}${end}`;
  return Array.from(alias, (letter, at) => (/[A-Z]/.test(name[at]!) ? letter.toUpperCase() : letter)).join('');
}

/** As long, in reserved blocks: 100.64.0.0/10, 10.0.0.0/8 and 0.0.0.0/8, and fc00::/7 (RFC 6598, 6890). */
function addressAlias(address: string, salt: string): string {
  const key = createHash('sha256').update(`${salt}\0address\0${address.toLowerCase()}`).digest();
  let at = 0;
  if (address.includes(':')) {
    const digits = (group: string) => Array.from(group, () => 'abcdef'[key[at++ % 32]! % 6]).join('');
    return address.replace(/[0-9A-Fa-f]+/g, digits).replace(/^[a-f]{2}/, 'fd');
  }
  return address.replace(/\d+/g, (octet, place: number) => {
    if (place === 0) return ['0', '10', '100'][octet.length - 1]!;
    const [from, count] = (
      [
        [0, 10],
        [64, 36],
        [100, 28],
      ] as const
    )[octet.length - 1]!;
    return String(from + (key[at++]! % count));
  });
}
