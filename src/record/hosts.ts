/** Which hosts are this machine, and which requests to a server of it come from a page of another site. */
import type { IncomingMessage } from 'node:http';

/**
 * Whether a host, as in a Host header or a URL and with a port or without, is this machine whatever a name server says:
 * an address of 127.0.0.0/8 or ::1 (RFC 6890), the former mapped to IPv6 (RFC 4291 section 2.5.5.2), or localhost (RFC 6761).
 */
export function isLoopback(host: string): boolean {
  // Else what follows could be taken for the host: a@b is host b for a URL.
  if (/[@/\\?#]/.test(host) || !URL.canParse(`http://${host}/`)) return false;
  const { hostname } = new URL(`http://${host}/`);
  // The URL Standard reads every host that ends in a number as an IPv4 address, or refuses it.
  return /^(?:localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/**
 * `name`: the server is not known under the Host that it names. `site`: another site sends it. `type`: it names neither a site nor a
 * content type of programs. Undefined where none is so.
 *
 * @param publicHost authority of a public URL: the one name that is allowed besides those of loopback
 * @param types content types of programs, which name no origin
 */
export function foreignPage(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { publicHost, types }: { readonly publicHost?: string; readonly types: readonly string[] },
): 'name' | 'site' | 'type' | undefined {
  const host = text(headers.host);
  if (!isLoopback(host) && host !== publicHost?.toLowerCase()) return 'name';
  if (method === 'GET' || method === 'HEAD') return undefined;
  // Browsers name the origin of every POST; behind a proxy its scheme may be another one.
  const { origin } = headers;
  if (origin !== undefined) return [`http://${host}`, `https://${host}`].includes(text(origin)) ? undefined : 'site';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? undefined : 'site';
  return types.includes(text(headers['content-type']).split(';')[0]!.trim()) ? undefined : 'type';
}

function text(value: string | readonly string[] | undefined): string {
  return String(value ?? '').toLowerCase();
}
