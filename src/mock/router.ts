/** Routes HTTP requests for the desk and for the control interface of the mock. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../record/hosts.ts';
import { readBody, refuseUnread } from './listener.ts';

export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or a function that writes a body of unknown length. */
  readonly body: string | ((response: ServerResponse) => void);
}

/** @param ids decoded path segments at the placeholders of the route, such as `<id>`, in order */
type Route = (ids: readonly string[], body: Uint8Array) => WebAnswer | Promise<WebAnswer>;

/** `name`: foreign Host. `site`: from another website. `type`: unknown origin (no Origin, Sec-Fetch-Site or JSON). */
export type Refusal =
  | { readonly reason: 'name' | 'site' | 'type' | 'unknown' }
  | { readonly reason: 'method'; readonly methods: string }
  | { readonly reason: 'failed'; readonly cause: unknown };

interface Site {
  /** Keys are method and path, such as `GET /endpoints/<id>`. Segments in angle brackets are placeholders. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Host and port of the public URL. The header Host must be this value or a loopback address. */
  readonly publicHost?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  refuse(refusal: Refusal, method: string, path: string): WebAnswer;
}

const maxBodyBytes = 64 * 1024;

/** Answers one request; the promise never rejects. A request from a page of another site gets a refusal. */
export async function serveRoutes(
  { routes, publicHost, headers: common, refuse }: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const path = (request.url ?? '').split(/[?#]/, 1)[0]!;
  const body = await readBody(request, maxBodyBytes);
  if (body === 'gone') return;
  if (body === 'too-large') return refuseUnread(request, response);
  const foreignReason = refusalOf(request, publicHost);
  const answer = async (): Promise<WebAnswer> => {
    if (foreignReason !== undefined) return refuse({ reason: foreignReason }, method, path);
    const { found, methods } = findRoute(routes, method, path);
    if (found !== undefined) return found.route(found.ids, body);
    if (methods === '') return refuse({ reason: 'unknown' }, method, path);
    // Status 405 requires the header Allow (RFC 9110 section 15.5.6).
    const refused = refuse({ reason: 'method', methods }, method, path);
    return refused.status === 405 ? { ...refused, headers: { ...refused.headers, Allow: methods } } : refused;
  };
  const reply = await answer().catch((cause) => refuse({ reason: 'failed', cause }, method, path));
  const headers = { ...common, ...reply.headers };
  if (typeof reply.body === 'function') {
    response.writeHead(reply.status, headers);
    reply.body(response);
  } else {
    const bytes = Buffer.from(reply.body);
    response.writeHead(reply.status, { ...headers, 'Content-Length': bytes.length }).end(bytes);
  }
}

function findRoute(routes: Site['routes'], method: string, path: string) {
  const matches = Object.entries(routes).flatMap(([name, route]) => {
    const [own = '', pattern = ''] = name.split(' ');
    const match = new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/<\w+>/g, '([^/]+)')}$`).exec(path);
    return match === null ? [] : [{ own, route, ids: match.slice(1).map(decodeSegment) }];
  });
  return { found: matches.find(({ own }) => own === method), methods: matches.map(({ own }) => own).join(', ') };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function refusalOf({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, publicHost: string | undefined) {
  const host = lowerCase(headers.host);
  if (!isLoopback(host) && host !== publicHost?.toLowerCase()) return 'name';
  if (method === 'GET' || method === 'HEAD') return undefined;
  // A browser sends Origin with each POST. A proxy may change the scheme, so accept http and https.
  const { origin } = headers;
  if (origin !== undefined)
    return [`http://${host}`, `https://${host}`].includes(lowerCase(origin)) ? undefined : 'site';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? undefined : 'site';
  return lowerCase(headers['content-type']).split(';')[0]!.trim() === 'application/json' ? undefined : 'type';
}

function lowerCase(value: string | readonly string[] | undefined): string {
  return String(value ?? '').toLowerCase();
}
