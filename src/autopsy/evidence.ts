/** What one request shows of what was signed: its parameters by source, as written and as read, and its signature. */

import { readPieces } from '../protocol/form.ts';
import { percentDecode, queryOf, textKeepingBytes, type WireRequest } from '../protocol/index.ts';
import { headerValues } from '../record/exchange.ts';
import { readHeader } from '../rules/client/header-reading.ts';

export type Source = 'header' | 'query' | 'body';

export interface RequestEvidence {
  readonly request: WireRequest;
  readonly header: ReadAuthorization;
  /** Where the `oauth_*` parameters stand; undefined where there are none with a signature. */
  readonly credentialsIn: Source | undefined;
  /** Those of the credentials without `oauth_signature` and `realm`. */
  readonly credentials: readonly WrittenPair[];
  readonly query: readonly WrittenPair[];
  /** Empty where the request does not say that its body is a form. */
  readonly body: readonly WrittenPair[];
  readonly bodyIsForm: boolean;
  readonly signature: WrittenPair | undefined;
  /** Value of the first credential of that name, decoded. */
  readonly credential: (name: string) => string | undefined;
}

/** Reads a request as leniently as can be: a faulty one is what an autopsy is for. Never throws. */
export function readEvidence(request: WireRequest): RequestEvidence {
  const header = readAuthorization(request.headers);
  const bodyIsForm = formType(request.headers);
  const query = writtenPairs(Buffer.from(queryOf(request.target)));
  const body = bodyIsForm ? writtenPairs(request.body) : [];
  const credentialsIn = placeOfCredentials(header.pairs, query, body);
  const given = { header: header.pairs, query, body, none: [] }[credentialsIn ?? 'none'];
  const isCredential = ({ name }: WrittenPair): boolean => name.startsWith('oauth_');
  const others = (pairs: readonly WrittenPair[], source: Source): readonly WrittenPair[] =>
    credentialsIn === source ? pairs.filter((pair) => !isCredential(pair)) : pairs;
  const own = credentialsIn === 'header' ? given : given.filter(isCredential);
  return {
    request,
    header,
    credentialsIn,
    credentials: own.filter(({ name }) => name !== 'oauth_signature'),
    query: others(query, 'query'),
    body: others(body, 'body'),
    bodyIsForm,
    signature: own.find(({ name }) => name === 'oauth_signature'),
    credential: (name) => own.find((pair) => pair.name === name)?.value,
  };
}

function placeOfCredentials(
  header: readonly WrittenPair[],
  query: readonly WrittenPair[],
  body: readonly WrittenPair[],
): Source | undefined {
  const holds = (pairs: readonly WrittenPair[]): boolean => pairs.some(({ name }) => name === 'oauth_signature');
  if (!holds(header) && holds(query)) return 'query';
  if (!holds(header) && holds(body)) return 'body';
  return header.length > 0 ? 'header' : undefined;
}

/** Value of one `oauth_*` parameter of a request, wherever its credentials stand. */
export function credentialOf(request: WireRequest, name: string): string | undefined {
  // Where the header has them, a body of megabytes need not be read.
  const { pairs } = readAuthorization(request.headers);
  if (pairs.some((pair) => pair.name === 'oauth_signature')) return pairs.find((pair) => pair.name === name)?.value;
  const evidence = readEvidence(request);
  return name === 'oauth_signature' ? evidence.signature?.value : evidence.credential(name);
}

export interface WrittenPair {
  readonly name: string;
  readonly value: string;
  readonly writtenName: string;
  readonly writtenValue: string;
}

/** The pairs of a form body or a query, in their order. */
export function writtenPairs(bytes: Uint8Array): WrittenPair[] {
  return readPieces(bytes, (name, value, written) => {
    const piece = asText(written());
    const equals = piece.indexOf('=');
    return {
      name,
      value,
      writtenName: equals === -1 ? piece : piece.slice(0, equals),
      writtenValue: equals === -1 ? '' : piece.slice(equals + 1),
    };
  });
}

/** Of a text that has a character for each byte. */
function asText(piece: string): string {
  return /[^\0-\x7f]/.test(piece) ? textKeepingBytes(Buffer.from(piece, 'latin1')) : piece;
}

/** Whether the first Content-Type is that of a form; parameters and letter case do not matter. */
export function formType(headers: WireRequest['headers']): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return type.split(';')[0]!.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/** Decodes escapes where that is possible, and gives the text back where it is not. */
export function decodedLeniently(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return percentDecode(text);
  } catch {
    return text;
  }
}

export interface ReadAuthorization {
  /** Number of Authorization header lines. */
  readonly lines: number;
  readonly realm?: string;
  /** Without `realm`. */
  readonly pairs: readonly WrittenPair[];
}

/** The parameters of the first Authorization header; none where it has another scheme and nothing of OAuth in it. */
export function readAuthorization(headers: WireRequest['headers']): ReadAuthorization {
  const lines = headerValues(headers, 'authorization');
  const [line] = lines;
  if (line === undefined) return { lines: 0, pairs: [] };
  const { isOAuth, parameters } = readHeader(line);
  if (!isOAuth && !parameters.some(({ name }) => name.startsWith('oauth_'))) return { lines: lines.length, pairs: [] };
  const isRealm = ({ name }: { readonly name: string }) => name.toLowerCase() === 'realm';
  const realm = parameters.find(isRealm);
  return {
    lines: lines.length,
    realm: realm?.raw,
    pairs: parameters
      .filter((one) => !isRealm(one))
      .map(({ name, raw, value }) => ({ name, value, writtenName: name, writtenValue: raw })),
  };
}
