/** Converts exchanges to JSON and back. Bytes become base64. A long body that occurs again is written only once. */

const minLongBody = 4096;

export function toJson(value: unknown): string {
  return JSON.stringify(encodeBytes(value, new Map()));
}

// A replacer cannot do this: JSON.stringify calls Buffer.toJSON first, so the replacer gets a list of numbers.
function encodeBytes(value: unknown, indexes: Map<Uint8Array, number>): unknown {
  if (value instanceof Uint8Array) return encodeBody(value, indexes);
  if (Array.isArray(value)) return value.map((member) => encodeBytes(member, indexes));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encodeBytes(member, indexes)]));
}

function encodeBody(bytes: Uint8Array, indexes: Map<Uint8Array, number>): { base64: string } | { same: number } {
  const same = indexes.get(bytes);
  if (same !== undefined) return { same };
  if (bytes.length >= minLongBody) indexes.set(bytes, indexes.size);
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') };
}

/** Reads what `toJson` wrote. `reuseBody` may replace a body by an equal one in memory. Throws SyntaxError. */
export function fromJson<T>(text: string, reuseBody = (body: Buffer): Buffer => body): T {
  const longBodies: Buffer[] = [];
  // A client may report a signing step with the name `body`. Its value is a text, so return it unchanged.
  return JSON.parse(text, (key, member) => {
    if (key !== 'body') return member;
    if (typeof member?.same === 'number') return longBodies[member.same];
    if (typeof member?.base64 !== 'string') return member;
    const body = reuseBody(Buffer.from(member.base64, 'base64'));
    if (body.length >= minLongBody) longBodies.push(body);
    return body;
  });
}
