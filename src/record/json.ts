/** Exchanges as JSON and back. Bytes are base64, and equal long bodies are written once. */

/** A repeated body of at least this many bytes is written once, because a run may get it a hundred times. */
const long = 4096;

export function toJson(value: unknown): string {
  return JSON.stringify(withoutBytes(value, new Map()));
}

/** Encodes bytes before JSON.stringify, because a replacer function would get a Buffer as a long list of numbers. */
function withoutBytes(value: unknown, written: Map<Uint8Array, number>): unknown {
  if (value instanceof Uint8Array) return inBase64(value, written);
  if (Array.isArray(value)) return value.map((member) => withoutBytes(member, written));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member, written)]));
}

function inBase64(bytes: Uint8Array, written: Map<Uint8Array, number>): { base64: string } | { same: number } {
  const same = written.get(bytes);
  if (same !== undefined) return { same };
  if (bytes.length >= long) written.set(bytes, written.size);
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') };
}

/** Reads text of `toJson`. `kept` may replace a body by an equal one. Throws SyntaxError if the text is not JSON. */
export function fromJson<T>(text: string, kept = (body: Buffer): Buffer => body): T {
  const read: Buffer[] = [];
  // Only members named `body` have bytes. A client may also name a signing stage `body`. That value stays a text.
  return JSON.parse(text, (key, member) => {
    if (key !== 'body') return member;
    if (typeof member?.same === 'number') return read[member.same];
    if (typeof member?.base64 !== 'string') return member;
    const body = kept(Buffer.from(member.base64, 'base64'));
    if (body.length >= long) read.push(body);
    return body;
  });
}
