/** Bytes of an adapter as a reader may see them: short, and with everything that does not print made visible. */

/** At most `limit` characters of the start, in French quotes; what is left out is counted. */
export function inGuillemets(bytes: Uint8Array, limit = 120): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4 * limit)).toString('utf8');
  const shown = printable([...start].slice(0, limit).join(''));
  const whole = bytes.length <= 4 * limit && [...start].length <= limit;
  return whole ? `«${shown}»` : `«${shown}…» (${bytes.length} bytes)`;
}

/** Control characters and invisible ones as \x09 or \u2028; everything else unchanged. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
