/** An exchange is one request and its response, byte for byte. Verdicts use no other record of the traffic. */

export type Header = readonly [name: string, value: string];

export interface SentRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

/** The longest body that the suite judges, in bytes. A batch of 50,000 rows of 50 characters is shorter. */
export const maxBodyBytes = 4 * 1024 * 1024;
export const maxHeadBytes = 1024 * 1024;

/** This failure replaces a response whose body is longer than `maxBodyBytes`. */
export const answerTooLarge = {
  kind: 'too-large',
  message: `the response body exceeds ${maxBodyBytes} bytes`,
} as const;

/** Describes the part of a request that is too large to judge. Undefined if all parts are small enough. */
export function excessOf({
  target,
  headers,
  body,
}: Omit<SentRequest, 'method' | 'scheme' | 'host'>): string | undefined {
  if (body.length > maxBodyBytes) return `a body of more than ${maxBodyBytes / 1024 ** 2} MB`;
  const head = headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length);
  return head > maxHeadBytes ? `a head of more than ${maxHeadBytes / 1024 ** 2} MB` : undefined;
}

export interface Exchange {
  readonly request: SentRequest;
  readonly response?: ReceivedResponse;
  readonly failure?: {
    readonly kind: 'unreachable' | 'reset' | 'timeout' | 'tls' | 'malformed' | 'too-large' | 'not-sent';
    readonly message: string;
  };
  /** Whole milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Number of the TCP connection in the scenario, from 1; absent if the connection failed or is unknown. */
  readonly connection?: string;
  /** Set if the suite kept the connection idle after the answer. If the target closed it, `closedAfterMs` says when. */
  readonly silence?: { readonly waitedMs: number; readonly closedAfterMs?: number };
}

/** All values of a header in wire order, trimmed. Names are compared without regard to case (RFC 9110 section 5.1). */
export function headerValues(headers: readonly Header[], name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([found]) => found.toLowerCase() === wanted).map(([, value]) => trimBlanks(value));
}

/** The encoding of a body, such as `Content-Encoding: gzip`. Empty if there is none. The suite does not decode it. */
export function contentEncoding(headers: readonly Header[]): string {
  const codings = headerValues(headers, 'content-encoding').flatMap((value) => value.split(',').map(trimBlanks));
  const encodings = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'identity');
  return encodings.length === 0 ? '' : `Content-Encoding: ${encodings.join(', ').slice(0, 60)}`;
}

/** Trims only blanks and tabs (RFC 9110 section 5.6.3); `trim` also removes no-break spaces. */
export function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}
