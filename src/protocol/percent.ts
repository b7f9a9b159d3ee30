/** Percent-encoding of RFC 5849 section 3.6: UTF-8, everything but A-Z a-z 0-9 - . _ ~ escaped, upper-case hex. */
import { isBase64, piece } from './base64.ts';
import { ProtocolError } from './protocol-error.ts';

const reserved = /[^A-Za-z0-9\-._~]/;
const besidesBase64 = /[^A-Za-z0-9\-._~%&+/=]/;

/**
 * Encodes a text (RFC 5849 3.6). A lone surrogate U+DC80 to U+DCFF stands for the byte that `decodeForm` kept, and
 * becomes that byte's escape; any other lone surrogate throws `not-text`.
 */
export function percentEncode(text: string): string {
  // A payload of megabytes: native searches take the place of expressions.
  if (text.length > 256 && isBase64(text)) return escapeBase64(text);
  if (!reserved.test(text)) return text;
  if (text.length > 256 && !besidesBase64.test(text)) return encodeBase64Alphabet(text);
  try {
    return encodeText(text);
  } catch {
    return encodeKeptBytes(text);
  }
}

/**
 * Decodes every escape; all other characters, `+` among them, stand for themselves.
 * Throws `malformed-escape` where `%` is not followed by two hex digits, `invalid-utf8` where the bytes are not UTF-8.
 */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    const broken = /%(?![0-9A-Fa-f]{2})/.exec(text);
    if (broken === null) throw new ProtocolError('invalid-utf8', 'the escapes are not UTF-8', { cause });
    throw new ProtocolError('malformed-escape', `"%" at position ${broken.index} is not followed by two hex digits`);
  }
}

/** A payload of megabytes and a base string hold only these few reserved characters; native replacement is fastest. */
function encodeBase64Alphabet(text: string): string {
  return escapeBase64(text.replaceAll('%', '%25').replaceAll('&', '%26'));
}

/** What `percentEncode` makes of base64. To look for a character costs less than to replace it. */
export function escapeBase64(text: string): string {
  if (text.length > piece && (text.includes('+') || text.includes('/'))) {
    const starts = Array.from({ length: Math.ceil(text.length / piece) }, (_, at) => at * piece);
    return starts.map((at) => escapeBase64(text.slice(at, at + piece))).join('');
  }
  let escaped = text.includes('+') ? text.replaceAll('+', '%2B') : text;
  if (escaped.includes('/')) escaped = escaped.replaceAll('/', '%2F');
  return escaped.includes('=') ? escaped.replaceAll('=', '%3D') : escaped;
}

/** `encodeURIComponent` leaves five characters that RFC 5849 reserves. */
function encodeText(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, escapeByte);
}

function encodeKeptBytes(text: string): string {
  return text.replace(/[\udc80-\udcff]|[^\udc80-\udcff]+/gu, (part) => {
    const unit = part.charCodeAt(0);
    if (part.length === 1 && unit >= 0xdc80 && unit <= 0xdcff) return `%${(unit - 0xdc00).toString(16).toUpperCase()}`;
    try {
      return encodeText(part);
    } catch (cause) {
      throw new ProtocolError('not-text', 'the text holds half of a surrogate pair', { cause });
    }
  });
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
