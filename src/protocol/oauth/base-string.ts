/** The signature base string in its steps: URI, parameters, their normal form, and all of it joined (RFC 5849 section 3.4.1). */
import type { Pair } from '../form.ts';
import { percentEncode } from '../percent.ts';
import { ProtocolError } from '../protocol-error.ts';

/** Method in upper case, URI and normalized parameters encoded once more, joined by `&`. */
export function baseString(method: string, uri: string, normalized: string): string {
  return `${percentEncode(method.toUpperCase())}&${percentEncode(uri)}&${percentEncode(normalized)}`;
}

/** Encodes each name and value, sorts by encoded name and then by encoded value, byte by byte, and joins. */
export function normalizeParameters(pairs: readonly Pair[]): string {
  const encoded = pairs.map(([name, value]): Pair => [percentEncode(name), percentEncode(value)]);
  return encoded
    .sort(byBytes)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Encoded text is ASCII, so comparing code units compares bytes. */
function byBytes([name, value]: Pair, [otherName, otherValue]: Pair): number {
  if (name !== otherName) return name < otherName ? -1 : 1;
  return value < otherValue ? -1 : Number(value > otherValue);
}

/** The three places that signed parameters come from (RFC 5849 section 3.4.1.3.1). */
export interface ParameterSources {
  /** From the Authorization header, decoded. */
  readonly authorization: readonly Pair[];
  /** From the form body, decoded; empty where the body is not a form. */
  readonly body: readonly Pair[];
  /** From the query of the target, decoded. */
  readonly query: readonly Pair[];
}

/**
 * All parameters of a request, each occurrence once, duplicates kept. `realm` and `oauth_signature` of the header
 * are left out; the same names in the body or the query are ordinary parameters.
 */
export function collectParameters(sources: ParameterSources): Pair[] {
  const signed = sources.authorization.filter(([name]) => name !== 'realm' && name !== 'oauth_signature');
  return [...sources.query, ...signed, ...sources.body];
}

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
