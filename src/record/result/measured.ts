/** What was measured of a gateway (--measure): where its limits lie, and which ways to sign it takes. Never judged. */

export interface Measured {
  readonly limits: readonly MeasuredLimit[];
  /** Absent where no signature was tried. */
  readonly dialect?: DialectCard;
  /** Requests that were spent on all of it. */
  readonly requests: number;
}

/** The limit itself is not below `least` and not above `most`; without `most` nothing was found that is too much. */
export interface MeasuredLimit {
  readonly id: string;
  readonly openPoint: string;
  /** What is counted, such as `seconds behind the clock`. */
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
  /** Why nothing is known, or no more than this. */
  readonly reason?: string;
  readonly requests: number;
  readonly exchanges: readonly number[];
}

/** Of HMAC-SHA1 signatures of close-day: RFC 5849, but for what is listed here. */
export interface DialectCard {
  /** In place of RFC 5849. */
  readonly follows: readonly DialectEntry[];
  /** Beside RFC 5849, or what is followed. */
  readonly takes: readonly DialectEntry[];
  /** Ids of the deviations with which a signature was refused. */
  readonly refuses: readonly string[];
  /** Ids of those of which nothing is known. */
  readonly undetermined: readonly string[];
  /** Why nothing is known, or not all of it. */
  readonly reason?: string;
  readonly requests: number;
}

export interface DialectEntry {
  readonly deviation: string;
  /** Other deviations that could not be told from it. */
  readonly alternatives?: readonly string[];
  /** What is signed, in a sentence. */
  readonly means: string;
  /** The exchanges in which it was taken. */
  readonly exchanges: readonly number[];
}

/** `300`, `20 to 31`, `64 or more`. */
export function intervalInWords({ least, most }: Pick<MeasuredLimit, 'least' | 'most'>): string {
  if (most === undefined) return `${least} or more`;
  if (least === undefined) return `${most} or less`;
  return least === most ? String(least) : `${least} to ${most}`;
}
