/** Values out of the JSON of another tool's HAR. They throw Error where the type is another one, with the name of the member. */

/** The encodings of HAR, and what other tools write beside them. */
const encodings = new Map<string, BufferEncoding>([
  ...(['', 'utf-8', 'utf8'] as const).map((name) => [name, 'utf8'] as const),
  ...(['latin1', 'iso-8859-1', 'binary'] as const).map((name) => [name, 'latin1'] as const),
  ...(['base64', 'hex'] as const).map((name) => [name, name] as const),
]);

/** The body whose text is written in this encoding; UTF-8 is seldom named. */
export function bytesOf(text: unknown, encoding: unknown): Uint8Array {
  if (typeof text !== 'string' || text === '') return Buffer.alloc(0);
  const named = encodings.get(textOr(encoding).toLowerCase());
  if (named === undefined) throw new Error(`the encoding ${JSON.stringify(encoding)} is not known`);
  return Buffer.from(text, named);
}

/** The bytes of a text that is base64 and nothing else. */
export function base64Of(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text.replace(/\s+/g, '') ? bytes : undefined;
}

const isoTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d))?(?:[.,](\d+))?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * A point in time: ISO 8601, any form that is known to JavaScript, or a number of seconds or milliseconds. Without a zone it is
 * read as UTC, so that a record means the same on every machine. Undefined where it is none.
 */
export function readTime(value: unknown): { readonly at: number; readonly hasZone: boolean } | undefined {
  const text = typeof value === 'number' ? String(value) : textOr(value).trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const at = Math.round(Number(text) * (Number(text) < 1e11 ? 1000 : 1));
    return at <= 8.64e15 ? { at, hasZone: true } : undefined;
  }
  const [, day, minute, second = '00', fraction = '', zone] = isoTime.exec(text) ?? [];
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone ?? '') ?? [];
  const hasZone = zone !== undefined || /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?: *\(.*\))?$/i.test(text);
  const iso = `${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`;
  const other = `${text.replace(/^([\d-]{10})T/, '$1 ')}${hasZone ? '' : ' UTC'}`;
  const at = Date.parse(day === undefined ? other : iso);
  return Number.isNaN(at) ? undefined : { at, hasZone };
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Of JSON: neither a list nor null. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textMember(value: unknown, name: string): string {
  const found = member(value, name);
  if (typeof found !== 'string') throw new Error(`${name} is not a text`);
  // JSON can write it as an escape; nothing on a wire can have been it.
  if (!found.isWellFormed()) throw new Error(`${name} holds half of a surrogate pair`);
  return found;
}

export function numberMember(value: unknown, name: string): number {
  const found = member(value, name);
  if (typeof found === 'string' && /^-?\d+(?:\.\d+)?$/.test(found)) return Number(found);
  if (typeof found !== 'number') throw new Error(`${name} is not a number`);
  return found;
}

/** The text, or an empty one in the place of anything else. */
export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isPositive(size: unknown): size is number {
  return typeof size === 'number' && size > 0;
}
