/** Recognizes names of this machine, and requests that a page of another site sends. */
import type { IncomingMessage } from 'node:http';

/**
 * True for loopback hosts, with or without a port: 127.0.0.0/8 and ::1 (RFC 6890), the former mapped to IPv6 (RFC 4291 section
 * 2.5.5.2), and localhost (RFC 6761).
 */
export function isLoopback(host: string): boolean {
  // A URL parser reads a@b as host b.
  if (/[@/\\?#]/.test(host) || !URL.canParse(`http://${host}/`)) return false;
  const { hostname } = new URL(`http://${host}/`);
  // The URL Standard reads every host that ends in a number as an IPv4 address, or refuses it.
  return /^(?:localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/**
 * Why to refuse a request, if so. `name`: the Host is not a name of this server. `site`: another site sent it. `type`: it has no
 * origin, and no content type of programs.
 *
 * @param publicHost authority of the public URL, allowed besides loopback
 * @param types content types that programs send without an origin
 */
export function foreignPage(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { publicHost, types }: { readonly publicHost?: string; readonly types: readonly string[] },
): 'name' | 'site' | 'type' | undefined {
  const host = text(headers.host);
  if (!isLoopback(host) && host !== publicHost?.toLowerCase()) return 'name';
  if (method === 'GET' || method === 'HEAD') return undefined;
  // Browsers send Origin with every POST. A proxy may change its scheme.
  const { origin } = headers;
  if (origin !== undefined) return [`http://${host}`, `https://${host}`].includes(text(origin)) ? undefined : 'site';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? undefined : 'site';
  return types.includes(text(headers['content-type']).split(';')[0]!.trim()) ? undefined : 'type';
}

function text(value: string | readonly string[] | undefined): string {
  return String(value ?? '').toLowerCase();
}
