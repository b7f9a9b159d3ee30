/** Exchanges as JSON and back, byte-exact: a body travels as base64. */

/** One JSON text for any value that holds exchanges; `fromJson` is its inverse. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (key, member) => (key === 'body' ? { base64: base64Of(member) } : member));
}

/** The value that `toJson` wrote. Throws SyntaxError for text that is not JSON. */
export function fromJson<T>(text: string): T {
  return JSON.parse(text, (key, member) => (key === 'body' ? Buffer.from(member.base64, 'base64') : member));
}

/** JSON.stringify has called Buffer.toJSON before it asks the replacer, but leaves a plain Uint8Array alone. */
function base64Of(body: Uint8Array | { readonly data: readonly number[] }): string {
  return Buffer.from(body instanceof Uint8Array ? body : body.data).toString('base64');
}
