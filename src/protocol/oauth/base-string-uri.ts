/** Step 3 of the base string: the URI without its query (RFC 5849 section 3.4.1.2). */
import { ProtocolError } from '../protocol-error.ts';

/** A URL in the parts that the base string is made of. */
export interface RequestUrl {
  /** `http` or `https`. */
  readonly scheme: string;
  /** As in the Host header: name, and port where one was written. */
  readonly host: string;
  /** Request target: path and, if any, query; or an absolute URI (RFC 9112 3.2.2), which replaces scheme and host. */
  readonly target: string;
}

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * Scheme and host in lower case, the port only where it is not the default one, the path exactly as sent, `/` for an
 * empty path.
 * Throws `malformed-target`.
 */
export function baseStringUri(url: RequestUrl): string {
  const { scheme, host, path } = splitTarget(url);
  return `${scheme}://${withoutDefaultPort(host, scheme)}${path || '/'}`;
}

/** The text after the first `?` of a target, still encoded; empty where there is none. */
export function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start + 1);
}

function splitTarget(url: RequestUrl): { scheme: string; host: string; path: string } {
  const end = url.target.indexOf('?');
  const path = end === -1 ? url.target : url.target.slice(0, end);
  const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(.*)$/s.exec(path);
  if (absolute !== null) {
    return { scheme: absolute[1]!.toLowerCase(), host: absolute[2]!.toLowerCase(), path: absolute[3]! };
  }
  if (path !== '' && !path.startsWith('/')) {
    throw new ProtocolError('malformed-target', `the request target ${JSON.stringify(path)} is not a path`);
  }
  return { scheme: url.scheme.toLowerCase(), host: url.host.toLowerCase(), path };
}

function withoutDefaultPort(host: string, scheme: string): string {
  const port = /:(\d*)$/.exec(host);
  if (port === null) return host;
  return port[1] === '' || port[1] === defaultPorts[scheme] ? host.slice(0, port.index) : host;
}
