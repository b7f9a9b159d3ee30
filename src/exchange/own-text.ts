/** A text that keeps no other one in memory. */

/** The same text in memory of its own: a piece of a longer one would keep all of that. */
export function ownText(text: string): string {
  const charset = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
  return Buffer.from(text, charset).toString(charset);
}
