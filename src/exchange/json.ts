/** Exchanges as JSON and back, byte-exact: bytes travel as base64. */

/** One JSON text for any value that holds exchanges; `fromJson` is its inverse. */
export function toJson(value: unknown): string {
  return JSON.stringify(withoutBytes(value));
}

/** JSON.stringify asks a Buffer for its bytes as a list of numbers, eight times its size, before any replacer sees it. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array)
    return { base64: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') };
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member)]));
}

/**
 * The value that `toJson` wrote. Throws SyntaxError for text that is not JSON.
 *
 * @param same gives what is kept of a body: an equal one
 */
export function fromJson<T>(text: string, same: (body: Buffer) => Buffer = (body) => body): T {
  // Only a body is bytes; foreign data under that name, such as a stage of a client, are texts.
  return JSON.parse(text, (key, member) =>
    key === 'body' && typeof member?.base64 === 'string' ? same(Buffer.from(member.base64, 'base64')) : member,
  );
}
