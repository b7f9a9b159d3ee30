/** What a scripted answer is in the end: the reply with its length, or the failure that a client sees. */

import type { LocalAnswer } from '../../plan/scenario.ts';
import { type Header, headerValues, type ReceivedResponse } from '../../record/exchange.ts';
import type { Handled } from './local-gateway.ts';

export type LocalReply = Extract<LocalAnswer, { readonly kind: 'reply' }>;

/** The answer behind all its delays, and their sum in milliseconds. */
export function afterDelays(answer: LocalAnswer): {
  readonly afterMs: number;
  readonly answer: Exclude<LocalAnswer, { readonly kind: 'slow' }>;
} {
  let afterMs = 0;
  let last = answer;
  while (last.kind === 'slow') {
    afterMs += last.afterMs;
    last = last.then;
  }
  return { afterMs, answer: last };
}

/** What a client gets that waits `deadlineMs`. */
export function asSeen(scripted: LocalAnswer, deadlineMs: number): Handled {
  const { afterMs, answer } = afterDelays(scripted);
  if (afterMs >= deadlineMs || answer.kind === 'endless') {
    return { failure: { kind: 'timeout', message: `no whole answer within ${deadlineMs} ms` } };
  }
  if (answer.kind === 'reset') return { failure: { kind: 'reset', message: 'the connection was reset' } };
  return { response: responseOf(answer) };
}

/** The reply as it goes out: its header lines as given, and Content-Length where no line frames the body. */
export function responseOf(reply: LocalReply): ReceivedResponse {
  return { status: reply.status, reason: '', headers: framed(reply), body: reply.body };
}

/** Whether the body has another length than the reply says: then the connection ends with it. */
export function contradictsItsLength(reply: LocalReply): boolean {
  return headerValues(reply.headers, 'content-length').some((length) => length !== String(reply.body.length));
}

function framed(reply: LocalReply): readonly Header[] {
  const isFramed = reply.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  // RFC 9110 section 8.6: these have no body, and 204 must not name a length.
  const isBodyless = reply.status < 200 || reply.status === 204 || reply.status === 304;
  return isFramed || isBodyless ? reply.headers : [...reply.headers, ['Content-Length', String(reply.body.length)]];
}
