/** Reads the signature and the parameters of one request. Each parameter has its source, raw text and decoded text. */
import { type FormPiece, piecesOf } from '../protocol/form.ts';
import { percentDecode, queryOf, textKeepingBytes, type WireRequest } from '../protocol/index.ts';

export type Source = 'header' | 'query' | 'body';

export interface RequestEvidence {
  readonly request: WireRequest;
  readonly header: ParsedAuthorization;
  /** Where the credentials are. The query or the body counts only if it has an `oauth_signature`. */
  readonly credentialsIn: Source | undefined;
  /** The `oauth_*` parameters except `oauth_signature`. */
  readonly credentials: readonly FormPiece[];
  readonly query: readonly FormPiece[];
  /** Empty if the Content-Type is not a form. */
  readonly body: readonly FormPiece[];
  readonly bodyIsForm: boolean;
  readonly signature: FormPiece | undefined;
  readonly credential: (name: string) => string | undefined;
}

/** Reads a request with its parsed Authorization header. Never throws. */
export function evidenceOf(request: WireRequest, header: ParsedAuthorization): RequestEvidence {
  const type = request.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const bodyIsForm = type.split(';')[0]!.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  const query = parsePairs(Buffer.from(queryOf(request.target)));
  const body = bodyIsForm ? parsePairs(request.body) : [];
  const credentialsIn = credentialSource(header.pairs, query, body);
  const found = { header: header.pairs, query, body, none: [] }[credentialsIn ?? 'none'];
  const isCredential = ({ name }: FormPiece): boolean => name.startsWith('oauth_');
  const withoutCredentials = (pairs: readonly FormPiece[], source: Source): readonly FormPiece[] =>
    credentialsIn === source ? pairs.filter((pair) => !isCredential(pair)) : pairs;
  const oauthPairs = credentialsIn === 'header' ? found : found.filter(isCredential);
  return {
    request,
    header,
    credentialsIn,
    credentials: oauthPairs.filter(({ name }) => name !== 'oauth_signature'),
    query: withoutCredentials(query, 'query'),
    body: withoutCredentials(body, 'body'),
    bodyIsForm,
    signature: oauthPairs.find(({ name }) => name === 'oauth_signature'),
    credential: (name) => oauthPairs.find((pair) => pair.name === name)?.value,
  };
}

function credentialSource(header: readonly FormPiece[], query: readonly FormPiece[], body: readonly FormPiece[]) {
  const hasSignature = (pairs: readonly FormPiece[]): boolean => pairs.some(({ name }) => name === 'oauth_signature');
  if (!hasSignature(header) && hasSignature(query)) return 'query';
  if (!hasSignature(header) && hasSignature(body)) return 'body';
  return header.length > 0 ? 'header' : undefined;
}

/** Returns the parameters of a form or a query, in order. `writtenName` and `writtenValue` keep escapes, in UTF-8. */
export function parsePairs(bytes: Uint8Array): FormPiece[] {
  return piecesOf(bytes).map((one) => ({
    ...one,
    writtenName: asText(one.writtenName),
    writtenValue: asText(one.writtenValue),
  }));
}

function asText(piece: string): string {
  return /[^\0-\x7f]/.test(piece) ? textKeepingBytes(Buffer.from(piece, 'latin1')) : piece;
}

export function decodeLeniently(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return percentDecode(text);
  } catch {
    return text;
  }
}

export interface ParsedAuthorization {
  readonly lines: number;
  readonly realm?: string;
  /** All parameters except `realm`. */
  readonly pairs: readonly FormPiece[];
}

/** The optional fields of close-day (section 2.1). */
export const totalNames = [
  'sale_approved_count',
  'sale_approved_sum',
  'reversal_approved_count',
  'reversal_approved_sum',
] as const;

/** The names of the fields of both operations (sections 2.1 and 4.2). */
export const fieldNames: readonly string[] = ['day_close_request_id', ...totalNames, 'payload'];
