/** The signature base string in steps: URI, parameters, normalization, join (RFC 5849 section 3.4.1). */
import type { Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';
import { ProtocolError } from '../protocol-error.ts';

/** Joins the upper-case method, the URI and the normalized parameters with `&`, each percent-encoded. */
export function baseString(method: string, uri: string, normalized: string): string {
  return `${percentEncode(method.toUpperCase())}&${percentEncode(uri)}&${percentEncode(normalized)}`;
}

/** Encodes the pairs, sorts them by encoded name and then by encoded value, and joins them. */
export function normalizeParameters(pairs: readonly Pair[]): string {
  // A space after the name sorts `a` before `a-b`. With `=` after the name, `a-b` would come first.
  const encoded = pairs.map(([name, value]) => `${percentEncode(name)} ${percentEncode(value)}`);
  return encoded.sort().join('&').replaceAll(' ', '=');
}

/** The three sources of signed parameters (RFC 5849 section 3.4.1.3.1). */
export interface ParameterSources {
  /** From the Authorization header, decoded. */
  readonly authorization: readonly Pair[];
  /** From the form body, decoded; empty if the body is not a form. */
  readonly body: readonly Pair[];
  /** From the query of the target, decoded. */
  readonly query: readonly Pair[];
}

/** All parameters of a request, with duplicates, except `realm` and `oauth_signature` of the header. */
export function collectParameters(sources: ParameterSources): Pair[] {
  const signed = sources.authorization.filter(([name]) => name !== 'realm' && name !== 'oauth_signature');
  return [...sources.query, ...signed, ...sources.body];
}

/** The parts of a URL for the base string. */
export interface RequestUrl {
  /** `http` or `https`. */
  readonly scheme: string;
  /** As in the Host header: name and optional port. */
  readonly host: string;
  /** Path and optional query. If it is an absolute URI (RFC 9112 3.2.2), `scheme` and `host` are ignored. */
  readonly target: string;
}

/** What to remove at the end of a host: the default port of the scheme, or a colon without a port. */
const unneededPorts: Readonly<Record<string, RegExp>> = { http: /:(?:80)?$/, https: /:(?:443)?$/ };

/** Scheme and host in lower case, without default port, then the path as sent, or `/`. Throws `malformed-target`. */
export function baseStringUri(url: RequestUrl): string {
  const { scheme, host, path } = splitTarget(url);
  return `${scheme}://${host.replace(unneededPorts[scheme] ?? /:$/, '')}${path || '/'}`;
}

/** The text after the first `?` of a target, still encoded; empty if absent. */
export function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start + 1);
}

function splitTarget(url: RequestUrl): { scheme: string; host: string; path: string } {
  const end = url.target.indexOf('?');
  const path = end === -1 ? url.target : url.target.slice(0, end);
  if (path === '' || path.startsWith('/')) {
    return { scheme: url.scheme.toLowerCase(), host: url.host.toLowerCase(), path };
  }
  const [whole, scheme = '', host = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/is.exec(path) ?? [];
  if (whole === undefined) {
    throw new ProtocolError('malformed-target', `the request target ${JSON.stringify(path)} is not a path`);
  }
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), path: rest };
}
