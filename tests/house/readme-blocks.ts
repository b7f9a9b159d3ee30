/** The fenced blocks and the tables of a Markdown text, and what they document. */

export interface FencedBlock {
  /** Words after the fence, such as `sh` and `run`. */
  readonly info: readonly string[];
  readonly text: string;
  /** Line of the opening fence. */
  readonly line: number;
  /** Text of a `text` block that follows with nothing but blank lines between. */
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
    const documents = next?.info[0] === 'text' && markdown.slice(end, next.start).trim() === '';
    const line = markdown.slice(0, start).split('\n').length;
    return { info, text, line, ...(documents ? { outcome: next.text } : {}) };
  });
}

/**
 * Compares what was received with a documented outcome: `…` within a line stands for any text, a line of `…` alone for any number of
 * lines, and after a last line nothing more may come.
 *
 * @returns the first documented line that has no counterpart in its place; undefined where all fits
 */
export function missingLine(documented: string, came: string): string | undefined {
  const wanted = documented.trimEnd().split('\n');
  const lines = came.trimEnd().split('\n');
  let at = 0;
  let anyBefore = false;
  for (const pattern of wanted) {
    if (pattern === '…') {
      anyBefore = true;
      continue;
    }
    const fits = (line: string | undefined) => line !== undefined && toExpression(pattern).test(line);
    if (anyBefore) while (at < lines.length && !fits(lines[at])) at += 1;
    if (!fits(lines[at])) return pattern;
    at += 1;
    anyBefore = false;
  }
  return anyBefore || at === lines.length ? undefined : `(the end; ${lines[at]} came)`;
}

function toExpression(pattern: string): RegExp {
  const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** Whether a test runs the block as it is. */
export function isRun({ info }: FencedBlock): boolean {
  return info[0] === 'sh' && info[1] === 'run';
}

/** Tables as rows of cells, the heading first. */
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
