/** Drains a stream of text that nobody may need: head and tail are kept, the middle is only counted. */
import { visible } from './quoted.ts';

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

  /** Everything that is kept, with a line in the middle that counts what is not. */
  text(): string {
    if (this.#total <= keep) return this.#head.toString('utf8');
    const tail = this.#tail.subarray(-(this.#total - keep));
    const lost = this.#total - keep - tail.length;
    const gap = lost === 0 ? '' : `\n… ${lost} bytes …\n`;
    return `${this.#head.toString('utf8')}${gap}${tail.toString('utf8')}`;
  }

  /** The last lines in one, for a message; at most 300 characters. */
  summary(): string {
    const lines = this.#tail
      .toString('utf8')
      .split('\n')
      .map((line) => visible(line.trim()))
      .filter((line) => line !== '');
    const text = lines.slice(-3).join(' / ');
    return text.length <= 300 ? text : `…${text.slice(-300)}`;
  }
}
