/** Names and values as written on the wire beside what they decode to (RFC 5849 section 3.4.1.3.1). */
import { readPieces } from '../protocol/form.ts';
import { percentDecode, textKeepingBytes, type WireRequest } from '../protocol/index.ts';

export interface WrittenPair {
  readonly name: string;
  readonly value: string;
  readonly writtenName: string;
  readonly writtenValue: string;
}

/** The pairs of a form body or a query, in their order. */
export function writtenPairs(bytes: Uint8Array): WrittenPair[] {
  return readPieces(bytes, (name, value, written) => {
    const piece = asText(written());
    const equals = piece.indexOf('=');
    return {
      name,
      value,
      writtenName: equals === -1 ? piece : piece.slice(0, equals),
      writtenValue: equals === -1 ? '' : piece.slice(equals + 1),
    };
  });
}

/** Of a text that has a character for each byte. */
function asText(piece: string): string {
  return /[^\0-\x7f]/.test(piece) ? textKeepingBytes(Buffer.from(piece, 'latin1')) : piece;
}

/** Whether the first Content-Type is that of a form; parameters and letter case do not matter. */
export function formType(headers: WireRequest['headers']): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return type.split(';')[0]!.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** Decodes escapes where that is possible, and gives the text back where it is not. */
export function decodedLeniently(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return percentDecode(text);
  } catch {
    return text;
  }
}
