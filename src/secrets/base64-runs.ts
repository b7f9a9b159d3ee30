/** Base64 inside a file: bodies in a HAR, attachments in a blob report, a CSV in a body. */
import { byteClass, endOfRun } from './runs.ts';

/** Characters; a shorter run cannot hold a whole secret. */
const shortest = 24;

const isBase64 = byteClass(/[A-Za-z0-9+/_-]/);

/**
 * Each run of characters of either alphabet (RFC 4648 sections 4 and 5), once, and runs in lines (RFC 7468) as one. Most are
 * words that only look like base64; those do no harm.
 */
export function base64Runs(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const runs = new Set<string>();
  let lines: string[] = [];
  let end = 0;
  // A run is so long that it covers one of these positions.
  for (let at = shortest - 1; at < text.length; at = Math.max(at + shortest, end)) {
    if (isBase64[text[at]!] === 0) continue;
    let start = at;
    while (start > end && isBase64[text[start - 1]!] === 1) start -= 1;
    const before = end;
    end = endOfRun(text, isBase64, at);
    if (end - start < shortest) continue;
    const run = text.toString('latin1', start, end);
    runs.add(run);
    if (start !== afterLineEnd(text, before)) lines = [];
    lines.push(run);
    const next = afterLineEnd(text, end);
    const tail = text.toString('latin1', next, endOfRun(text, isBase64, next));
    if (next > end && tail.length < shortest) lines.push(tail);
    if (lines.length > 1 && tail.length < shortest) runs.add(lines.join(''));
  }
  return [...runs];
}

/** Position behind LF or CRLF; the same position where there is none. */
function afterLineEnd(text: Uint8Array, at: number): number {
  const carriage = text[at] === 0x0d ? 1 : 0;
  return text[at + carriage] === 0x0a ? at + carriage + 1 : at;
}
