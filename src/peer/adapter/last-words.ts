/** Drains a stream of text that may not be needed: head and tail are kept, the middle is only counted. */
import { printable } from './in-guillemets.ts';

const keep = 16 * 1024;

export class LastWords {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #total = 0;

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const missing = keep - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-keep)]).subarray(-keep);
  }

  /** The last telling lines in one, for a message, and before them the first one where the middle is lost. */
  summary(): string {
    const last = telling(lines(this.#tail));
    if (this.#total <= keep) return shortened(last.join(' / '));
    const [first = ''] = lines(this.#head);
    return `${shortened(first)} / … ${this.#total} bytes in all … / ${shortened(last.join(' / '))}`;
  }
}

/**
 * From the line that names an error on, where one of the last twenty does: runtimes print a trace or a version below it, and
 * above it the place of the mistake. Frames inside of Node, and places in what comes with a runtime, tell nobody anything.
 */
function telling(all: readonly string[]): readonly string[] {
  const end = all.slice(-20).filter((line) => !/^at .*\bnode:/.test(line));
  const at = end.findIndex((line) => /(?:Error|Exception|error|fatal|No such|cannot|can't)\b/.test(line));
  if (at === -1) return end.slice(-3);
  const place = end
    .slice(0, at)
    .findLast((line) => /^(?:(?!node:)\S+:\d+|File "(?!.*\/lib\/python).*", line \d+.*)$/.test(line));
  return [...(place === undefined ? [] : [place]), ...end.slice(at, at + 3)];
}

function lines(bytes: Buffer): string[] {
  const all = bytes.toString('utf8').split('\n');
  return all.map((line) => printable(line.trim())).filter((line) => line !== '');
}

/** At most 300 characters. */
function shortened(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
