/** Who came to the desk and belongs to no engagement: requests for none, and connections and requests that came to nothing. */

export interface Lost {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Why, and what to do about it, in one or two sentences. */
  readonly why: string;
}

const most = 10;

export class Callers {
  /** Method and path, the latest first. */
  readonly strangers: string[] = [];
  /** The latest first. */
  readonly lost: Lost[] = [];

  stranger(line: string): void {
    this.strangers.unshift(line);
    this.strangers.length = Math.min(this.strangers.length, most);
  }

  lose(lost: Lost): void {
    this.lost.unshift(lost);
    this.lost.length = Math.min(this.lost.length, most);
  }
}

/** Codes of OpenSSL for what a client says that finds the certificate wrong (RFC 8446 section 6.2). */
const distrust = /UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE|DECRYPT_ERROR/;

/** @param code of OpenSSL or node; `no-request` for a connection that ended after its handshake */
export function whyLost(code: string, caFile: string): string {
  const trust = `Have it trust ${caFile}.`;
  if (distrust.test(code)) return `A client came that does not trust the certificate of the desk. ${trust}`;
  if (code === 'ERR_SSL_HTTP_REQUEST') {
    return 'A client spoke HTTP where the desk speaks HTTPS. Its base URL has to start with https, or start the desk with --plain-http.';
  }
  if (code === 'no-request' || code === 'ECONNRESET') {
    return `A client connected and left without a request, as many do that do not trust the certificate. ${trust}`;
  }
  return `The TLS handshake of a client failed (${code || 'no reason given'}). The desk speaks TLS 1.2 and 1.3.`;
}
