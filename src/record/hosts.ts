/** True for localhost (RFC 6761), ::1, 127.0.0.0/8, and 127.0.0.0/8 mapped to IPv6 (RFC 6890). Allows a port. */
export function isLoopback(host: string): boolean {
  // Refuse these characters: URL would parse `a@b` as the host b with a user name.
  if (/[@/\\?#]/.test(host) || !URL.canParse(`http://${host}/`)) return false;
  const { hostname } = new URL(`http://${host}/`);
  // `URL` changes all forms of an IPv4 address, such as `0x7f.1`, to four decimal numbers.
  return /^(?:localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}
