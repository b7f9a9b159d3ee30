/** The table of deviations, likeliest first. If several give the same signature, an autopsy names the first one. */
import type { Deviation } from './deviation.ts';
import type { RequestEvidence } from './evidence.ts';
import { collecting, joining, otherMessages } from './rows/collect.ts';
import { encoding, otherEncoders } from './rows/encode.ts';
import { otherFields } from './rows/fields.ts';
import { hashing, keys, otherKeys, signatureDeviations } from './rows/key.ts';
import { addressing, otherAddresses } from './rows/uri.ts';

const searched = [...collecting, ...encoding, ...joining, ...addressing, ...keys, ...hashing] as const;
const all = [...searched, ...signatureDeviations] as const;

export const searchedDeviations: readonly Deviation[] = searched;

export const deviations: readonly Deviation[] = all;

export type DeviationId = (typeof all)[number]['id'];

const byId = new Map<string, Deviation>(deviations.map((deviation) => [deviation.id, deviation]));
const ranks = new Map(deviations.map(({ id }, index) => [id, index]));

/** Returns the families of deviations for one request, with unique ids. They are too large to try all pairs. */
export function familiesFor(evidence: RequestEvidence): Deviation[] {
  const families = [
    ...otherAddresses(evidence.request),
    ...otherEncoders(evidence),
    ...otherKeys,
    ...otherMessages,
    ...otherFields(evidence),
  ];
  const seenChanges = new Set(searchedDeviations.map(({ change }) => JSON.stringify(change)));
  const ids = new Map<string, number>();
  return families
    .filter(({ id, change }) => !byId.has(id) && seenChanges.size < seenChanges.add(JSON.stringify(change)).size)
    .map((one) => {
      const nth = (ids.get(one.id) ?? 0) + 1;
      ids.set(one.id, nth);
      return nth === 1 ? one : { ...one, id: `${one.id}-${nth}` };
    });
}

export function deviationOf(id: DeviationId): Deviation {
  return byId.get(id)!;
}

export function inTableOrder(set: readonly Deviation[]): Deviation[] {
  // In each stage, deviations that were made for this request come before the deviations of the table.
  const rank = ({ id, stage }: Deviation) => ranks.get(id) ?? deviations.findIndex((one) => one.stage === stage) - 0.5;
  return set.slice().sort((a, b) => rank(a) - rank(b));
}

interface Dialect {
  readonly id: string;
  readonly library: string;
  readonly deviations: readonly Deviation[];
}

function dialect(id: string, library: string, ids: readonly DeviationId[]): Dialect {
  return { id, library, deviations: ids.map(deviationOf) };
}

export const dialects: readonly Dialect[] = [
  dialect('mastercard-oauth1-signer', 'Mastercard’s oauth1-signer', [
    'body-hash-instead-of-body',
    'header-value-not-encoded',
    'query-signed-as-written',
    'copies-dropped',
    'only-first-marks-encoded',
    'default-port-kept',
  ]),
  dialect('encode-uri-component', 'a signer built on encodeURIComponent (JavaScript)', ['sub-delims-left-bare']),
  dialect('uri-escape-data-string', 'Uri.EscapeDataString of .NET Framework before 4.5', ['sub-delims-left-bare']),
  dialect('java-url-encoder', 'Java’s URLEncoder', ['space-as-plus', 'star-left-bare', 'tilde-encoded']),
  dialect('url-search-params', 'URLSearchParams (WHATWG)', ['space-as-plus', 'star-left-bare', 'tilde-encoded']),
  dialect('url-search-params-inside', 'URLSearchParams for the parameters, and another encoder for the rest', [
    'space-as-plus',
    'star-left-bare',
    'tilde-encoded',
    'wrong-encoder-in-parameters-only',
  ]),
  dialect('php-urlencode', 'PHP’s urlencode', ['space-as-plus', 'tilde-encoded']),
  dialect('php-rawurlencode-5.2', 'PHP’s rawurlencode before 5.3', ['tilde-encoded']),
  dialect('go-query-escape', 'Go’s url.QueryEscape', ['space-as-plus']),
  dialect('python-quote', 'Python’s urllib quote, which leaves "/"', ['slash-left-bare']),
  dialect('python-2-quote', 'Python’s urllib quote before 3.7', ['slash-left-bare', 'tilde-encoded']),
  dialect('python-2-quote-plus', 'Python’s quote_plus before 3.7', ['space-as-plus', 'tilde-encoded']),
  dialect('dotnet-url-encode', 'HttpUtility.UrlEncode of .NET', [
    'space-as-plus',
    'all-but-apostrophe-left-bare',
    'lower-case-hex',
    'tilde-encoded',
  ]),
  dialect('encode-uri', 'JavaScript’s encodeURI', ['sub-delims-left-bare', 'reserved-left-bare']),
  dialect('ruby-cgi-escape', 'Ruby’s CGI.escape before 2.5', ['space-as-plus', 'tilde-encoded']),
];
