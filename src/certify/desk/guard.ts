/** Who may talk to the page and the API: nobody over a foreign name (DNS rebinding), and no page of another site (CSRF). */
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../exchange/loopback.ts';
import { DeskError } from './desk-error.ts';

export interface GuardOptions {
  /** Authority of the public URL, where one was given: the one name that is allowed besides those of loopback. */
  readonly publicHost?: string;
}

/** Throws DeskError `foreign-origin`. */
export function guard(request: IncomingMessage, { publicHost }: GuardOptions): void {
  const host = (request.headers.host ?? '').toLowerCase();
  if (!isLoopback(host) && host !== publicHost?.toLowerCase()) {
    const hint = 'open it as 127.0.0.1 or localhost, or name the host with --public-url';
    throw new DeskError('foreign-origin', 'the desk is not known under this name', hint);
  }
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin } = request.headers;
  if (origin === undefined ? !maySendWithoutOrigin(request) : !isOwn(origin, host)) {
    const hint = 'send it from the page of the desk, or as application/json from a program';
    throw new DeskError('foreign-origin', 'the request comes from another site', hint);
  }
}

/** Browsers name the origin of every POST. A program sends JSON, which a page of another site cannot send without being asked. */
function maySendWithoutOrigin({ headers }: IncomingMessage): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  return type === 'application/json' || headers['sec-fetch-site'] === 'same-origin';
}

/** Scheme and authority; behind a proxy the scheme may be another one. */
function isOwn(origin: string, host: string): boolean {
  return origin.toLowerCase() === `http://${host}` || origin.toLowerCase() === `https://${host}`;
}
