/** Writes a signature in the way in which another one was written: escaped, bare, or escaped in lower case. */

/**
 * @param raw the old value as it was on the wire
 * @param value what the reader made of that
 * @param text what is to be written now
 */
export function writeLike(raw: string, value: string, text: string): string {
  const isEscaped = /%[0-9A-Fa-f]{2}/.test(raw);
  const isLower = /%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])/.test(raw);
  // Without a character that needs an escape the form is not known; then the right one is taken.
  const isBare = !isEscaped && /[^A-Za-z0-9\-._~]/.test(raw);
  return Array.from(text, (character) => {
    if (/[A-Za-z0-9\-._~]/.test(character)) return character;
    if (character !== '%' && raw.includes(character)) return character;
    if (isBare && !value.includes(character)) return character;
    const hex = Array.from(Buffer.from(character), (byte) => byte.toString(16).padStart(2, '0'));
    return hex.map((digits) => `%${isLower ? digits : digits.toUpperCase()}`).join('');
  }).join('');
}
