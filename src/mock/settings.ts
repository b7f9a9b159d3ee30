/** What the mock is told when it starts. */

/** What the mock decides where the interface document is silent. */
export interface MockSettings {
  /** Fixed path before `/api/`, as the client sees it; empty or starting with a slash. */
  readonly prefix: string;
  /** Greatest distance between oauth_timestamp and the clock, either way. */
  readonly timestampWindowSeconds: number;
  /** HTTP status of a close-day request whose authentication fails. */
  readonly refusalStatus: 200 | 401 | 403;
  /** What may be between the cells of a CSV; of several the first one that the header row has is taken. */
  readonly csvDelimiters: readonly string[];
  /** A longer body is refused with 413. */
  readonly maxBodyBytes: number;
  /** Longer header lines are refused with 431. */
  readonly maxHeaderBytes: number;
  /** How many nonces are remembered; the oldest is forgotten first. */
  readonly maxNonces: number;
  /** What makes two nonces the same (RFC 5849 section 3.3: consumer, timestamp and nonce together). */
  readonly nonceKey: (consumerKey: string, timestamp: string, nonce: string) => string;
}

export const defaultSettings: MockSettings = {
  prefix: '',
  timestampWindowSeconds: 300,
  refusalStatus: 200,
  csvDelimiters: [';'],
  maxBodyBytes: 64 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxNonces: 100_000,
  nonceKey: (consumerKey, timestamp, nonce) => JSON.stringify([consumerKey, timestamp, nonce]),
};
