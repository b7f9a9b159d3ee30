/** Values out of the JSON of another tool's HAR. They throw Error where the type is another one, with the name of the member. */

export function bytesOf(text: unknown, encoding: unknown): Uint8Array {
  return Buffer.from(typeof text === 'string' ? text : '', encoding === 'base64' ? 'base64' : 'utf8');
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
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
