/** Values out of the JSON of another tool's HAR. They throw Error where the type is another one, with the name of the member. */

/** The body whose text is written in this encoding: base64, or UTF-8, which is seldom named. */
export function bytesOf(text: unknown, encoding: unknown): Uint8Array {
  if (typeof text !== 'string' || text === '') return Buffer.alloc(0);
  const named = typeof encoding === 'string' ? encoding.toLowerCase() : '';
  if (!['', 'base64', 'utf-8', 'utf8'].includes(named)) {
    throw new Error(`the encoding ${JSON.stringify(encoding)} is not base64, and no other is read`);
  }
  return Buffer.from(text, named === 'base64' ? 'base64' : 'utf8');
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
  if (typeof found !== 'number') throw new Error(`${name} is not a number`);
  return found;
}

export function isPositive(size: unknown): boolean {
  return typeof size === 'number' && size > 0;
}
