/** The messages of an exchange as a page carries them, long values cut: report.html, and the desk. */

import { formParameters, ProtocolError, parseAuthorization, unsignedSteps } from '../../protocol/index.ts';
import { type Exchange, type Header, headerValues } from '../../record/exchange.ts';
import { bodyKey, bodyLength, longBody, type WithBody } from '../../record/stored-body.ts';
import { shortened } from '../visible.ts';

/** A body, or as much of it as the page has. */
export interface PageBody {
  readonly text?: string;
  /** Where the bytes are not UTF-8. */
  readonly base64?: string;
  /** Of the whole body. */
  readonly bytes: number;
  readonly cut?: true;
}

export interface PageMessage {
  readonly line: string;
  readonly headers: readonly Header[];
  readonly body: PageBody;
}

export interface PageMessages {
  readonly request: PageMessage;
  readonly response?: PageMessage;
  /** Why no whole response came. */
  readonly failure?: string;
}

/** Characters of a body at most. */
export const longestBody = 16_384;

/** Characters of a line or a header at most; exchanges.har has them whole. */
const longestLine = 4_000;

/** @param limit characters of a body, `longestBody` at most */
export function pageMessages({ request, response, failure }: Exchange, limit: number): PageMessages {
  const { method, target } = request;
  return {
    request: {
      line: `${method} ${cut(target, limit)} HTTP/1.1`,
      headers: cutHeaders(request.headers, limit),
      body: bodyOf(startOf(request), bodyLength(request), limit),
    },
    response: response && {
      line: `HTTP/1.1 ${response.status} ${cut(response.reason, limit)}`,
      headers: cutHeaders(response.headers, limit),
      body: bodyOf(startOf(response), bodyLength(response), limit),
    },
    failure: failure && `${failure.kind}: ${cut(failure.message, limit)}`,
  };
}

/** RFC 5849 3.4.1; undefined where the request has no header that can be read, or a body too long to show. */
export function shownBaseString(request: Exchange['request']): string | undefined {
  if (bodyLength(request) > longestBody) return undefined;
  try {
    const { parameters } = parseAuthorization(headerValues(request.headers, 'authorization')[0] ?? '');
    const signed = parameters.filter(([name]) => name !== 'oauth_signature');
    return shortened(unsignedSteps({ ...request, body: formParameters(request) }, signed).baseString, 2 * longestBody);
  } catch (cause) {
    if (cause instanceof ProtocolError) return undefined;
    throw cause;
  }
}

function cut(text: string, limit: number): string {
  return shortened(text, Math.min(limit, longestLine));
}

function cutHeaders(headers: readonly Header[], limit: number): Header[] {
  return headers.map(([name, value]) => [cut(name, limit), cut(value, limit)]);
}

const starts = new WeakMap<object, Uint8Array>();

/** A long body is read once, and no more is kept of it than is shown: it may be the same one in every message. */
function startOf(message: WithBody): Uint8Array {
  if (bodyLength(message) < longBody) return message.body;
  const key = bodyKey(message);
  const start = starts.get(key) ?? Uint8Array.from(message.body.subarray(0, longestBody));
  starts.set(key, start);
  return start;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text that is cut keeps whole characters. */
function bodyOf(body: Uint8Array, bytes: number, limit: number): PageBody {
  const kept = body.subarray(0, limit);
  const rest = bytes > limit ? { cut: true as const } : {};
  for (const back of bytes > limit ? [0, 1, 2, 3] : [0]) {
    try {
      return { text: utf8.decode(kept.subarray(0, kept.length - back)), bytes, ...rest };
    } catch {}
  }
  return { base64: Buffer.from(kept).toString('base64'), bytes, ...rest };
}
