/** Recognizes hosts of this machine, and requests from pages of other sites. */
import type { IncomingMessage } from 'node:http';

/** True for localhost (RFC 6761), 127.0.0.0/8, also mapped to IPv6, and ::1 (RFC 6890), with or without a port. */
export function isLoopback(host: string): boolean {
  // Refuse these characters: URL would parse `a@b` as the host b with a user name.
  if (/[@/\\?#]/.test(host) || !URL.canParse(`http://${host}/`)) return false;
  const { hostname } = new URL(`http://${host}/`);
  // URL writes each IPv4 address as four decimal numbers, so this pattern covers all forms of an address.
  return /^(?:localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/**
 * Why to refuse a request, or undefined. `name`: Host is not loopback and not `publicHost`. `site`: a page of another site sent
 * the request. `type`: the request has no Origin and a content type that is not in `types`.
 */
export function foreignPage(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { publicHost, types }: { readonly publicHost?: string; readonly types: readonly string[] },
): 'name' | 'site' | 'type' | undefined {
  const host = text(headers.host);
  if (!isLoopback(host) && host !== publicHost?.toLowerCase()) return 'name';
  if (method === 'GET' || method === 'HEAD') return undefined;
  // Browsers send Origin with every POST. Accept both schemes, because a proxy may change the scheme.
  const { origin } = headers;
  if (origin !== undefined) return [`http://${host}`, `https://${host}`].includes(text(origin)) ? undefined : 'site';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? undefined : 'site';
  return types.includes(text(headers['content-type']).split(';')[0]!.trim()) ? undefined : 'type';
}

function text(value: string | readonly string[] | undefined): string {
  return String(value ?? '').toLowerCase();
}
