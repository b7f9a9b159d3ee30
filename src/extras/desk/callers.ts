/** Who came to the desk and belongs to no engagement: requests for none, and connections and requests that came to nothing. */

export interface Lost {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Why, and what to do about it, in one or two sentences. */
  readonly why: string;
}

const most = 10;

export class Callers {
  /** Method and path, the latest first. */
  readonly strangers: string[] = [];
  /** The latest first. */
  readonly lost: Lost[] = [];

  stranger(line: string): void {
    this.strangers.unshift(line);
    this.strangers.length = Math.min(this.strangers.length, most);
  }

  lose(lost: Lost): void {
    this.lost.unshift(lost);
    this.lost.length = Math.min(this.lost.length, most);
  }
}
