/** Reads a refused request. */

import { evidenceOf, type ReadAuthorization, type RequestEvidence } from '../deviations/evidence.ts';
import type { WireRequest } from '../protocol/index.ts';
import { headerValues } from '../record/exchange.ts';
import { readHeader } from '../rules/client/reading.ts';

/** Reads a request as leniently as can be: a faulty one is what an autopsy is for. Never throws. */
export function readEvidence(request: WireRequest): RequestEvidence {
  return evidenceOf(request, readAuthorization(request.headers));
}

/** Value of one `oauth_*` parameter of a request, wherever its credentials stand. */
export function credentialOf(request: WireRequest, name: string): string | undefined {
  // Where the header has them, a body of megabytes need not be read.
  const { pairs } = readAuthorization(request.headers);
  if (pairs.some((pair) => pair.name === 'oauth_signature')) return pairs.find((pair) => pair.name === name)?.value;
  const evidence = readEvidence(request);
  return name === 'oauth_signature' ? evidence.signature?.value : evidence.credential(name);
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
