/** Percent-encoding of RFC 5849 section 3.6. */
import { ProtocolError } from './protocol-error.ts';
const reserved = /[^A-Za-z0-9\-._~]/;
export function percentEncode(text: string): string {
  if (!reserved.test(text)) return text;
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try { return decodeURIComponent(text); } catch (cause) { throw new ProtocolError('malformed-percent', `"${text.slice(0, 60)}" is not percent-encoded UTF-8`, { cause }); }
}
