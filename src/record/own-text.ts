/** A text that keeps no other one in memory. */

/** Characters of the shortest text that the engine makes a piece of another; shorter ones it copies. */
const shortestPiece = 13;

/** The same text in memory of its own: a piece of a longer one would keep all of that. */
export function ownText(text: string): string {
  if (text.length < shortestPiece) return text;
  const charset = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
  return Buffer.from(text, charset).toString(charset);
}
