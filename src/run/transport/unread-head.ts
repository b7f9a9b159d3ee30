/** What in the head of an answer keeps undici from reading it, where undici itself names another reason. */

/**
 * A line of the headers that is none (RFC 9112 5). Once undici has read a Content-Length it tells any fault of a later line as one of
 * the length of the body. Undefined where the head ends and each line is one.
 */
export function unreadHeader(received: Uint8Array): string | undefined {
  // Interim answers have heads of their own before it.
  const text = Buffer.from(received)
    .toString('latin1')
    .replace(/^(?:HTTP\/1\.1 1\d\d[\s\S]*?\r\n\r\n)+/, '');
  const end = text.indexOf('\r\n\r\n');
  const [, ...lines] = (end === -1 ? text : text.slice(0, end)).split('\r\n');
  return lines.map(faultOf).find((fault) => fault !== undefined);
}

function faultOf(line: string): string | undefined {
  if (/^[ \t]/.test(line)) return 'a header is continued on a second line, which starts with a blank (RFC 9112 5.2)';
  if (/^[!#$%&'*+\-.^`|~\w]+[ \t]+:/.test(line)) return 'a header has a blank before its colon (RFC 9112 5.1)';
  if (!/^[!#$%&'*+\-.^`|~\w]+:/.test(line)) return 'a line of its headers has no name with a colon behind it';
  return /[\0\n\r]/.test(line) ? 'a header has a character that none may have' : undefined;
}
