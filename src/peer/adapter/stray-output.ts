/** Unexpected output, of the protocol or not: tolerated and noted, until there is so much of it that nothing else may follow. */
import { inGuillemets } from './in-guillemets.ts';

export class StrayOutput {
  readonly #limits: { readonly lines: number; readonly bytes: number };
  /** Since the last message that something was waiting for. */
  lines = 0;
  bytes = 0;
  /** The first line of all that is not of the protocol, quoted. */
  first: string | undefined;
  /** The first message of all that nothing waited for, quoted. */
  firstMessage: string | undefined;

  constructor(limits: { readonly lines: number; readonly bytes: number }) {
    this.#limits = limits;
  }

  /** Counts bytes before it is known what they are. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** @returns the line, quoted */
  line(bytes: Uint8Array): string {
    const shown = inGuillemets(bytes);
    this.first ??= shown;
    this.lines++;
    return shown;
  }

  /** A line without anything in it. */
  blank(): void {
    this.lines++;
  }

  /** A message of the protocol that nothing waits for: a log, a second answer. */
  message(bytes: Uint8Array): void {
    this.firstMessage ??= inGuillemets(bytes);
    this.lines++;
  }

  /** A message was received that something was waiting for. */
  reset(): void {
    this.lines = 0;
    this.bytes = 0;
  }

  get tooMuch(): boolean {
    return this.lines > this.#limits.lines || this.bytes > this.#limits.bytes;
  }
}
