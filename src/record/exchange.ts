/** One request and one response exactly as they were on the wire: the only record that judges see. */

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

/** Most bytes in the body of a message that is judged, from a wire and in a recording: a batch of 50,000 rows of 50 characters fits. */
export const mostBodyBytes = 4 * 1024 * 1024;
export const mostHeadBytes = 1024 * 1024;

/** What is kept of an answer with a longer body. */
export const answerTooLarge = {
  kind: 'too-large',
  message: `the response body exceeds ${mostBodyBytes} bytes`,
} as const;

/** What a request has too much of to be judged: no server of HTTP takes such a head. Undefined where it has a length to speak of. */
export function excessOf({
  target,
  headers,
  body,
}: Pick<SentRequest, 'target' | 'headers' | 'body'>): string | undefined {
  if (body.length > mostBodyBytes) return `a body of more than ${mostBodyBytes / 1024 ** 2} MB`;
  const head = headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length);
  return head > mostHeadBytes ? `a head of more than ${mostHeadBytes / 1024 ** 2} MB` : undefined;
}

export type FailureKind = 'unreachable' | 'reset' | 'timeout' | 'tls' | 'malformed' | 'too-large' | 'not-sent';

export interface Exchange {
  readonly request: SentRequest;
  readonly response?: ReceivedResponse;
  readonly failure?: { readonly kind: FailureKind; readonly message: string };
  /** Whole milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Number of the TCP connection among those of its scenario, from 1; absent where none was made or observed. */
  readonly connection?: string;
  /** Set where the connection was left silent after the answer: for how long at most, and when the target closed it, if it did. */
  readonly silence?: { readonly waitedMs: number; readonly closedAfterMs?: number };
}

/** Values of all header lines of that name, compared without case (RFC 9110 section 5.1), in wire order, without blanks around them. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([found]) => found.toLowerCase() === wanted).map(([, value]) => withoutBlanks(value));
}

/** What was done to the body on the way, as `Content-Encoding: gzip`; empty where nothing was. Nobody asked for it, and nobody undoes it. */
export function contentEncoding(headers: readonly Header[]): string {
  const codings = headerValues(headers, 'content-encoding').flatMap((value) => value.split(',').map(withoutBlanks));
  const packed = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'identity');
  return packed.length === 0 ? '' : `Content-Encoding: ${packed.join(', ').slice(0, 60)}`;
}

/** Without the optional white space around it: blanks and tabs alone (RFC 9110 5.6.3), where `trim` takes a no-break space too. */
export function withoutBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}
