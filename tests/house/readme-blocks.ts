/** The fenced blocks and the tables of a Markdown text, and what they document. */

export interface FencedBlock {
  /** The words after the opening fence, such as `sh` and `run`. */
  readonly info: readonly string[];
  readonly text: string;
  /** Line of the opening fence. */
  readonly line: number;
  /** The text of the next block, if that is a `text` block directly after this block. */
  readonly outcome?: string;
}

/** All blocks fenced with three backticks, in order. */
export function fencedBlocks(markdown: string): FencedBlock[] {
  const found = [...markdown.matchAll(/^```(?<info>[^\n`]*)\n(?<text>[\s\S]*?)^```$/gm)].map((match) => ({
    info: match.groups!.info!.trim().split(/\s+/),
    text: match.groups!.text!,
    start: match.index,
    end: match.index + match[0].length,
  }));
  return found.map(({ info, text, start, end }, index) => {
    const next = found[index + 1];
    const isOutcome = next?.info[0] === 'text' && markdown.slice(end, next.start).trim() === '';
    const line = markdown.slice(0, start).split('\n').length;
    return { info, text, line, ...(isOutcome ? { outcome: next.text } : {}) };
  });
}

/**
 * Compares an output with a documented output. `…` matches any text in a line, or any number of lines.
 *
 * @returns the first documented line that the output does not match, or undefined if the whole output matches
 */
export function missingLine(documented: string, actual: string): string | undefined {
  const patterns = documented.trimEnd().split('\n');
  const lines = actual.trimEnd().split('\n');
  let at = 0;
  let skipping = false;
  for (const pattern of patterns) {
    if (pattern === '…') {
      skipping = true;
      continue;
    }
    const fits = (line: string | undefined) => line !== undefined && toExpression(pattern).test(line);
    if (skipping) while (at < lines.length && !fits(lines[at])) at += 1;
    if (!fits(lines[at])) return pattern;
    at += 1;
    skipping = false;
  }
  return skipping || at === lines.length ? undefined : `(the end; ${lines[at]} came)`;
}

function toExpression(pattern: string): RegExp {
  const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** True if a test runs the block unchanged. */
export function isRun({ info }: FencedBlock): boolean {
  return info[0] === 'sh' && info[1] === 'run';
}

/** The tables, each as rows of cells, with the heading first. */
export function tablesOf(markdown: string): string[][][] {
  return [...markdown.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .filter((row) => !/^\|[-|]+\|$/.test(row))
      .map((row) =>
        row
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      ),
  );
}
