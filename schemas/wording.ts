/** Paths and values of a JSON document in words. */

/** `/response/gates/0/gateId` (RFC 6901) as `response.gates[0].gateId`, told from the document which steps are indexes. */
export function pointerInWords(pointer: string, whole: unknown): string {
  let path = '';
  let at = whole;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(at) ? `${path}[${name}]` : joinedPath(path, name);
    at = (at as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

/** The path of a member. Names with other than word characters and dashes are in brackets and quotes. */
export function joinedPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** A value and its type: `"12" (text)`. Objects and lists are named, not shown: they may hold anything. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return ['an empty list', 'a list of one'][value.length] ?? `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (value === null) return 'null';
  // It may have been written with other digits: from here on a number stands for several.
  if (typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER)
    return `a number that is too ${value < 0 ? 'small' : 'large'}`;
  // YAML has it.
  if (Number.isNaN(value)) return 'not a number (.nan)';
  const text = JSON.stringify(value);
  const length = [...String(value)].length;
  if (length <= 60) return `${text} (${typeWord(value)})`;
  return `${JSON.stringify([...String(value)].slice(0, 60).join(''))}… (${typeWord(value)} of ${length} characters)`;
}

export function typeWord(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

/** What a boolean is to who does not program. */
export const trueOrFalse = 'true or false';

/** The word with its article; these take none. */
export function article(word: string): string {
  if (['text', 'null', trueOrFalse].includes(word)) return word;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}
