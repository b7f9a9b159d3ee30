/** Reads the Markdown that our writers produce as far as it matters: what is in code, what is not, and cells of tables. */

/** The text outside fenced blocks and code spans, with `\u0000` in the place of each span (CommonMark 0.31, 4.5 and 6.1). */
export function outsideCode(markdown: string): string {
  const withoutBlocks = markdown.replace(/^(`{3,})sh\n[^\n]*\n\1$/gm, '\u0000');
  return withoutBlocks.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gs, '\u0000');
}

/** The contents of the code spans, blanks at the edges taken off as a renderer does. */
export function codeSpans(markdown: string): string[] {
  return [...markdown.matchAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gs)].map(([, , content = '']) =>
    /^ .*[^ ].* $|^ [^ ] $/s.test(content) ? content.slice(1, -1) : content,
  );
}

/** The cells of one line of a table: a pipe ends a cell unless a backslash is before it, inside code too (GFM 4.10). */
export function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
