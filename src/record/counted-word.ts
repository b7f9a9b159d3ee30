/** A number and its noun, for every sentence that counts: `1 requirement`, `2 requirements`; the plural has an "s". */
export function countedWord(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
