/** Formats messages for standard error: wrapped lines, and commands that can be copied. */
import { noBreak, textWidth, wrap } from '../report/terminal.ts';
import { shortenedSentences, visible } from '../report/visible.ts';

/** Maximum number of characters. Longer sentences are shortened, because messages may quote very long arguments. */
const maxSentenceLength = 600;

/**
 * Wraps each line of `text`. A command in backticks stays on one line, or is continued with `\`, as a shell expects.
 * `width` is the number of columns of the terminal. It is undefined for a file or a pipe.
 */
export function messageText(text: string, width?: number): string {
  const room = textWidth(width) - 2;
  return text
    .split('\n')
    .map((line) => visible(shortenedSentences(line, maxSentenceLength)))
    .flatMap((line, at) => messageLines(at === 0 ? `countersign:${noBreak}${line}` : line, room))
    .map((line, at) => `${at === 0 ? '' : '  '}${line}\n`)
    .join('');
}

function messageLines(line: string, room: number): string[] {
  const lines: string[] = [];
  let text = '';
  const flush = () => {
    if (text.trim() !== '') lines.push(...wrap(text.trim(), room));
    text = '';
  };
  for (const part of line.split(/(`[^`]+`[.,:;]?)/)) {
    if (part.startsWith('`') && part.length > room) {
      flush();
      lines.push(...commandLines(part.replace(/^`|`[.,:;]?$/g, ''), room));
    } else text += part;
  }
  flush();
  return lines;
}

/** A line never ends inside quotes. */
function commandLines(command: string, room: number): string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'])+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > room - 5)
      lines.push(`${last === undefined ? '' : '  '}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}
