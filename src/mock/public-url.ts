/** Which URL the client used: clients sign what they see, which behind a proxy is not what arrives (RFC 5849 section 3.4.1.2). */
import { MockError } from './mock-error.ts';
import type { Received } from './received.ts';

export interface PublicUrl {
  readonly scheme: 'http' | 'https';
  /** Name, and port where one is written. */
  readonly host: string;
  /** Path prefix, empty or starting with a slash, without one at the end. */
  readonly prefix: string;
}

/** Reads the base URL that clients are given; throws MockError `bad-public-url`. */
export function readPublicUrl(text: string): PublicUrl {
  const match = /^(https?):\/\/([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(text);
  if (!match || !URL.canParse(text)) {
    throw new MockError(
      'bad-public-url',
      'the public URL has to be a scheme, a host and a path',
      'write it like https://gateway.example/paynet',
    );
  }
  const scheme = match[1]!.toLowerCase() === 'https' ? 'https' : 'http';
  return { scheme, host: match[2]!, prefix: withoutEndSlash(match[3] ?? '') };
}

/** Reads the path before `/api/`; throws MockError `bad-prefix`. */
export function readPrefix(text: string): string {
  const prefix = withoutEndSlash(text);
  if (!/^(\/[^/?#\s]+)*$/.test(prefix) || prefix.split('/').some((segment) => /^\.\.?$/.test(segment))) {
    throw new MockError('bad-prefix', 'the path prefix is not one', 'write it like /paynet, or leave it out');
  }
  return prefix;
}

/** The request with scheme, Host and path as the client saw them; undefined where the path is not below the mock's prefix. */
export function asTheClientSaw(request: Received, prefix: string, publicUrl: PublicUrl): Received | undefined {
  if (!request.target.startsWith(`${prefix}/`)) return undefined;
  const target = publicUrl.prefix + request.target.slice(prefix.length);
  return { ...request, scheme: publicUrl.scheme, host: publicUrl.host, target };
}

function withoutEndSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
