/** Which targets are on this machine: nothing that is sent there leaves it. */

/** Whether the URL leads to this machine (RFC 6890: 127.0.0.0/8 and ::1; RFC 6761: localhost). */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return /^127(?:\.\d{1,3}){3}$/.test(host) || host === '::1' || host === 'localhost';
}
