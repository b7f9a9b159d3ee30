/** Which hosts are this machine: nothing that is sent there leaves it. */

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
