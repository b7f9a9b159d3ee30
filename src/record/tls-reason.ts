/** Why TLS failed, in OpenSSL's own words. */

/**
 * `wrong version number`, for example, out of the line in which OpenSSL puts it between function names and source files; undefined
 * for an error that is not of OpenSSL.
 */
export function tlsReason(error: unknown): string | undefined {
  const { message = '' } = (error ?? {}) as Partial<Error>;
  const [, reason, alert] = /\berror:[0-9A-F]{8}:[^:]*:[^:]*:([^:\n]+)(?::[^:\n]*:\d+:([^:\n]*))?/.exec(message) ?? [];
  return alert ? `${reason} (${alert})` : reason;
}
