/** How slow an adapter is on this machine, told from pings: deadlines made for fast machines are stretched by it. */
import { pingLine } from '../messages.ts';

/** Round trips up to this many milliseconds are ordinary. */
const ordinaryMs = 100;

export class RoundTrip {
  readonly #send: (line: string) => void;
  #sent = 0;
  #sentAt = 0;
  #fastestMs = Number.POSITIVE_INFINITY;

  constructor(send: (line: string) => void) {
    this.#send = send;
  }

  ping(): void {
    this.#sentAt = performance.now();
    this.#send(pingLine(++this.#sent));
  }

  /** The first may pay for loading code, so that the fastest of three counts. */
  pong(n: unknown): void {
    if (n !== this.#sent) return;
    this.#fastestMs = Math.min(this.#fastestMs, performance.now() - this.#sentAt);
    if (this.#sent < 3) this.ping();
  }

  /** What a deadline is multiplied by, from 1 to 4; 1 for an adapter that answers no ping. */
  get slowness(): number {
    if (this.#fastestMs === Number.POSITIVE_INFINITY) return 1;
    return Math.min(4, Math.max(1, this.#fastestMs / ordinaryMs));
  }
}
