/** What stands in base64 inside of a file: bodies in a HAR, attachments in a blob report, a CSV in a body. */

/** Characters of both alphabets (RFC 4648 sections 4 and 5); fewer than that cannot hold a whole secret. */
const run = /[A-Za-z0-9+/\-_]{24,}/g;

/** Each run of base64 characters, once. Most are words that only look like it; those do no harm. */
export function base64Runs(bytes: Uint8Array): string[] {
  const text = bufferOf(bytes).toString('latin1');
  return [...new Set([...(text.match(run) ?? []), ...wrappedRuns(text)])];
}

/** Base64 in lines (RFC 2045 section 6.8, RFC 7468), as one run each. */
function wrappedRuns(text: string): string[] {
  return (text.match(/(?:[A-Za-z0-9+/\-_]{24,}\r?\n)+[A-Za-z0-9+/\-_]*/g) ?? []).map((lines) =>
    lines.replace(/\r?\n/g, ''),
  );
}

/** UTF-16 of plain text without its other half; undefined where there is none. */
export function withoutNul(bytes: Uint8Array): Buffer | undefined {
  const whole = bufferOf(bytes);
  return whole.includes(0) ? (whole.filter((byte) => byte !== 0) as Buffer) : undefined;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
