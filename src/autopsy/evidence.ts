/** What one request shows of what was signed: its parameters by source, as written and as read, and its signature. */
import type { WireRequest } from '../protocol/index.ts';
import { queryOf } from '../protocol/index.ts';
import { type ReadAuthorization, readAuthorization } from './read-authorization.ts';
import { formType, type WrittenPair, writtenPairs } from './written-pairs.ts';

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
  if (holds(header)) return 'header';
  if (holds(query)) return 'query';
  if (holds(body)) return 'body';
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
