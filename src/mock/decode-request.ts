/** Decodes a request once for all checks, and restores the URL that the client used. */
import { type Operation, operationAt } from '../../contracts/operations.ts';
import { decodeForm, type Pair } from '../protocol/form.ts';
import { queryOf } from '../protocol/oauth/base-string.ts';
import { parseAuthorization } from '../protocol/oauth/header.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import type { MockSettings } from './assumptions.ts';
import { type Batch, readBatch } from './batch.ts';
import { MockError } from './mock-error.ts';

export interface Received extends SentRequest {
  /** Facts about the connection. Absent in a request that was read from a file. */
  readonly arrival?: {
    readonly connection: object;
    readonly httpVersion: string;
    /** True if the request line contained a complete URL (RFC 9112 section 3.2.2). */
    readonly isAbsolute: boolean;
  };
}

export interface Reading {
  readonly request: Received;
  /** The request as received. A defect or a variant can change `request`, but not `original`. */
  readonly original: Received;
  readonly operation: Operation;
  readonly endpointId: string;
  readonly query: readonly Pair[];
  /** Decoded parameters of the Authorization header; empty if `oauthProblem` is set. */
  readonly oauth: readonly Pair[];
  readonly oauthProblem?: string;
  readonly form: readonly Pair[];
  /** The payments in the form field `payload`, decoded on first use. */
  readonly batch: () => Batch;
}

/** Decodes a request. Returns undefined if its path belongs to no operation (4.1, 4.2). Never throws. */
export function readRequest(request: Received, original: Received, { prefix, csvDelimiters }: MockSettings) {
  const [path = ''] = request.target.split('?', 1);
  const match = path.startsWith(prefix) ? operationAt(path.slice(prefix.length)) : undefined;
  if (!match) return undefined;
  const form = decodeForm(request.body);
  let batch: Batch | undefined;
  return {
    request,
    original,
    ...match,
    query: decodeForm(queryOf(request.target)),
    ...readOAuth(request),
    form,
    batch: () => {
      batch ??= readBatch(firstValue(form, 'payload') ?? '', csvDelimiters);
      return batch;
    },
  };
}

export function firstValue(pairs: readonly Pair[], name: string): string | undefined {
  return pairs.find(([found]) => found === name)?.[1];
}

function readOAuth({ headers }: Received): Pick<Reading, 'oauth' | 'oauthProblem'> {
  const [value, ...others] = headerValues(headers, 'authorization');
  if (value === undefined) return { oauth: [], oauthProblem: 'no Authorization header' };
  if (others.length > 0) return { oauth: [], oauthProblem: 'more than one Authorization header' };
  try {
    return { oauth: parseAuthorization(value).parameters, oauthProblem: undefined };
  } catch (error) {
    const reason = error instanceof ProtocolError ? error.code : 'unknown';
    return { oauth: [], oauthProblem: `the Authorization header cannot be read (${reason})` };
  }
}

export type PublicUrl = ReturnType<typeof readPublicUrl>;

/** Parses the public base URL. The returned `prefix` has no slash at its end. Throws MockError `bad-public-url`. */
export function readPublicUrl(text: string) {
  const match = /^(https?):\/\/([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(text);
  if (!match || !URL.canParse(text)) {
    const message = 'the public URL must have a scheme and a host, and may have a path';
    throw new MockError('bad-public-url', message, 'write the URL like https://gateway.example/paynet');
  }
  const scheme: SentRequest['scheme'] = match[1]!.toLowerCase() === 'https' ? 'https' : 'http';
  return { scheme, host: match[2]!, prefix: withoutEndSlash(match[3] ?? '') };
}

/** Parses the path before `/api/`. Throws MockError `bad-prefix`. */
export function readPrefix(text: string): string {
  const prefix = withoutEndSlash(text);
  if (!/^(\/[^/?#\s]+)*$/.test(prefix) || prefix.split('/').some((segment) => /^\.\.?$/.test(segment))) {
    throw new MockError('bad-prefix', 'the path prefix is not valid', 'write the prefix like /paynet, or omit it');
  }
  return prefix;
}

/** Returns the request with the URL that the client used. Undefined if the path is not below `prefix`. */
export function withPublicUrl(request: Received, prefix: string, publicUrl: PublicUrl): Received | undefined {
  if (!request.target.startsWith(`${prefix}/`)) return undefined;
  const target = publicUrl.prefix + request.target.slice(prefix.length);
  return { ...request, scheme: publicUrl.scheme, host: publicUrl.host, target };
}

function withoutEndSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
