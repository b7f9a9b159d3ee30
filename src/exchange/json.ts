/** Exchanges as JSON and back, byte-exact: bytes travel as base64. */

/** One JSON text for any value that holds exchanges; `fromJson` is its inverse. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (isBytes(member) ? { base64: base64Of(member) } : member));
}

/** The value that `toJson` wrote. Throws SyntaxError for text that is not JSON. */
export function fromJson<T>(text: string): T {
  // Only a body is bytes; foreign data under that name, such as a stage of a client, are texts.
  return JSON.parse(text, (key, member) =>
    key === 'body' && typeof member?.base64 === 'string' ? Buffer.from(member.base64, 'base64') : member,
  );
}

type Bytes = Uint8Array | { readonly type: 'Buffer'; readonly data: readonly number[] };

/** JSON.stringify has called Buffer.toJSON before it asks the replacer, but leaves a plain Uint8Array alone. */
function isBytes(member: unknown): member is Bytes {
  if (member instanceof Uint8Array) return true;
  const { type, data } = (member ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data);
}

function base64Of(bytes: Bytes): string {
  return Buffer.from(bytes instanceof Uint8Array ? bytes : bytes.data).toString('base64');
}
