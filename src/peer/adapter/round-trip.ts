/** How slow an adapter is on this machine, measured by pings: deadlines made for fast machines are stretched by it. */
import { pingLine } from './messages.ts';

/** Round trips up to this many milliseconds are ordinary. */
const ordinaryMs = 100;

export class RoundTrip {
  readonly #send: (line: string) => void;
  #sent = 0;
  #sentAt = 0;
  /** Whether the latest was answered. */
  #isBack = false;
  #fastestMs = Number.POSITIVE_INFINITY;

  constructor(send: (line: string) => void) {
    this.#send = send;
  }

  ping(): void {
    this.#sentAt = performance.now();
    this.#isBack = false;
    this.#send(pingLine(++this.#sent));
  }

  /** The first may pay for loading code, so that the fastest of three counts. Returns whether it was waited for. */
  pong(n: unknown): boolean {
    if (n !== this.#sent || this.#isBack) return false;
    this.#isBack = true;
    this.#fastestMs = Math.min(this.#fastestMs, performance.now() - this.#sentAt);
    if (this.#sent < 3) this.ping();
    return true;
  }

  /** What a deadline is multiplied by, from 1 to 4; 1 for an adapter that answers no ping. */
  get slowness(): number {
    if (this.#fastestMs === Number.POSITIVE_INFINITY) return 1;
    return Math.min(4, Math.max(1, this.#fastestMs / ordinaryMs));
  }
}
