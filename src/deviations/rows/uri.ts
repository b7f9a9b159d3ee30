/** Deviations in the URI of the base string (RFC 5849 section 3.4.1.2), and spellings of the host that are made for one request. */
import type { WireRequest } from '../../protocol/index.ts';
import { type Deviation, inStep } from '../deviation.ts';
import { hostOf, spelledLike } from '../signer/uri.ts';

const spelt = inStep('uri', 'uri', {
  summary: 'The address that the client signs is not written as the standard demands.',
});
const other = inStep('uri', 'uri', { summary: 'The address that the client signs is not the one it calls.' });
const uri = inStep('uri', 'uri');

export const addressing = [
  spelt('default-port-kept', { port: 'as-sent' })`
    A written default port (:443, :80) stays in the URI.
    Drop :443 of https and :80 of http.
    default-port-signed: A default port in the URL is in the base string too`,
  spelt('default-port-added', { port: 'always' })`
    The URI has the default port, which the Host header does not have.
    Drop :443 of https and :80 of http.`,
  other('port-left-out', { port: 'never' })`
    A port that is not the default one is missing from the URI.
    Keep every port but :443 of https and :80 of http.
    port-not-signed: A port that is not the default one is left out of the base string`,
  other('port-cut', { port: 'cut' })`
    The text ":443" or ":80" is removed wherever it is: of ":44380" the "80" is left.
    Compare the whole port with 443 of https and 80 of http.
    port-that-begins-as-default-signed-without: The text :443 is left out of the base string wherever it is, as in :44380`,
  other('port-after-path', { port: 'after-path' })`
    The port comes after the path.
    Put it behind the host.
    port-signed-after-the-path: The port is at the end of the URI in the base string`,
  spelt('host-case-kept', { hostCase: 'as-sent' })`
    Capitals in the host are kept.
    Turn scheme and host to lower case.
    host-case-signed: The host is in the base string with the capitals of the URL`,
  // In capitals throughout, or in the spelling of which `hostSpellings` makes a deviation.
  spelt('host-case-changed', { hostCase: 'upper' })`
    The base string has the host in capitals.
    Turn scheme and host to lower case.`,
  spelt('scheme-upper-cased', { scheme: 'upper-case' })`
    The base string has the scheme in capitals.
    Turn scheme and host to lower case.`,
  other('scheme-http', { scheme: 'http' })`
    The URI starts with http although https is spoken; a proxy that ends TLS does this.
    Sign the URL that the client calls.
    http-signed: The base string says http although the request goes over https`,
  other('scheme-https', { scheme: 'https' })`
    The URI starts with https although http is spoken.
    Sign the URL that is called; give it with --base-url where a proxy is in between.`,
  spelt('path-lower-cased', { path: 'lower-case' })`
    The path is lower-cased with the host.
    Turn scheme and host to lower case, and leave the path unchanged.
    uri-signed-in-lower-case: The whole URI is signed in lower case, its path too`,
  spelt('path-decoded', { path: 'decoded' })`
    Escapes in the path are decoded.
    Sign the path exactly as sent.
    path-signed-decoded: Escapes of the path are decoded before it is signed`,
  spelt('path-encoded-again', { path: 'encoded-again' })`
    Escapes in the path are escaped again.
    Sign the path exactly as sent.
    path-signed-encoded-again: The path is encoded once more before it is signed`,
  spelt('path-tilde-escaped', { path: 'tilde-escaped' })`
    A tilde of the path is signed as %7E, and sent bare.
    Sign the path exactly as sent.
    tilde-of-path-signed-as-escape: A tilde of the path is signed as %7E, and sent bare`,
  spelt('path-delimiters-escaped', { path: 'delimiters-escaped' })`
    Characters such as @ + and ( of the path are signed as escapes, and sent bare.
    Sign the path exactly as sent.
    sub-delimiters-of-path-signed-as-escapes: Characters such as @ + and ( of the path are signed as escapes, and sent bare`,
  other('path-decoded-on-the-way', { path: 'escaped' })`
    The path is signed with escapes and arrives without them: a proxy on the way decoded it.
    Let the proxy hand the path on as it is, or give the request as the client sent it. If the client sends it so, sign it so.`,
  other('path-hyphens-escaped', { path: 'hyphens-escaped' })`
    A hyphen, dot or underscore of the path is signed as an escape and arrives bare: the client or a proxy decoded it.
    Sign the path exactly as sent, and let proxies hand it on as it is.`,
  other('double-slashes-merged', { path: 'slashes-merged' })`
    Two slashes in the path are signed as one.
    Sign the path exactly as sent, and build it without double slashes.
    double-slash-signed-once: Two slashes in the path are signed as one, and sent as two`,
  other('trailing-slash-added', { slash: 'added' })`
    The path ends with a slash that is not sent.
    Sign the path exactly as sent.
    final-slash-signed: The path is signed with a slash at its end, and sent without`,
  other('trailing-slash-cut', { slash: 'cut' })`
    The slash at the end of the path is missing.
    Sign the path exactly as sent; an empty one is "/".`,
  other('last-path-segment-left-out', { segments: 'without-last' })`
    The last segment of the path, such as the endpoint id, is missing.
    Sign the URL with everything that is appended to it.`,
  other('first-path-segment-left-out', { segments: 'without-first' })`
    The first segment of the path is missing: a prefix that a proxy or a base URL adds.
    Sign the whole path that the client calls.`,
  spelt('query-kept-in-uri', { uriQuery: 'kept', query: 'left-out' })`
    The query stays in the URI instead of being split into parameters.
    Cut the URI at "?" and add the decoded query parameters to the others.
    query-signed-in-uri: The query stays in the URI of the base string, and its parameters are not collected`,
  spelt('query-in-uri-and-parameters', { uriQuery: 'kept' })`
    The query stays in the URI and is counted among the parameters too.
    Cut the URI at "?".`,
  spelt('question-mark-kept', { uriQuery: 'question-mark' })`
    The URI ends with "?".
    Cut the URI before "?".`,
  other('uri-with-trailing-space', { uriEnd: 'space' })`
    The URI ends with a space: the configured URL has one.
    Trim the configured URL.`,
  spelt('path-without-host', { uriParts: 'path-only' })`
    Only the path is signed; scheme and host are missing.
    Sign scheme, host and path.`,
  uri('uri-not-encoded', { uriEncoding: 'none' })`
    The client leaves out the encoding of the signed address.
    The URI is in the base string without being encoded.
    Percent-encode the URI.`,
  uri('uri-encoded-twice', { uriEncoding: 'twice' })`
    The client encodes the signed address once too often.
    The URI is percent-encoded twice.
    Percent-encode the URI once.`,
] as const;

/** All spellings of 14 letters. */
const most = 2 ** 14;

/**
 * The likeliest first: each label in small letters, with an initial capital or in capitals; one capital more inside, as in
 * PayNet; then those with the fewest capitals, and the fewest small letters. All there are, up to `most`, but the right one.
 */
export function hostSpellings(request: WireRequest): Deviation[] {
  const host = hostOf(request);
  const letters = [...host.matchAll(/[a-z]/gi)].map(({ index }) => index);
  const patterns = new Set<string>();
  const add = (isCapital: (at: number) => boolean): boolean => {
    if (patterns.size < most) patterns.add([...host].map((_, at) => (isCapital(at) ? 'A' : 'a')).join(''));
    return patterns.size < most;
  };
  const isLetter = new Set(letters);
  for (const capitals of byLabels(host, true)) add((at) => isLetter.has(at) && capitals.has(at));
  for (const capitals of byLabels(host, false)) {
    for (const inside of letters) add((at) => at === inside || (isLetter.has(at) && capitals.has(at)));
  }
  for (let count = 1; count <= letters.length / 2 && patterns.size < most; count += 1) {
    everyChoice(letters, count, (chosen) => {
      const few = new Set(chosen);
      return add((at) => few.has(at)) && add((at) => isLetter.has(at) && !few.has(at));
    });
  }
  return [...patterns].filter((pattern) => pattern.includes('A')).map((pattern) => spelling(host, pattern));
}

const inOtherCase = addressing.find(({ id }) => id === 'host-case-changed')!;

function spelling(host: string, pattern: string): Deviation {
  const developer = `The base string has the host as ${spelledLike(host, pattern)}, and the request as ${host}.`;
  return { ...inOtherCase, change: { hostCase: pattern }, developer };
}

/** Places of the capitals if each of the first labels is in small letters, has an initial capital, or is `whole` in capitals. */
function byLabels(host: string, whole: boolean): Set<number>[] {
  let start = 0;
  let sets: Set<number>[] = [new Set()];
  for (const label of host.split('.').slice(0, 6)) {
    const places = [...label].map((_, at) => start + at);
    const choices = [[], places.slice(0, 1), ...(whole ? [places] : [])];
    sets = sets.flatMap((set) => choices.map((capitals) => new Set([...set, ...capitals])));
    start += label.length + 1;
  }
  return sets;
}

/** Calls `visit` with every choice of that many items until it says false, which is then the result. */
function everyChoice(
  items: readonly number[],
  count: number,
  visit: (chosen: readonly number[]) => boolean,
  chosen: readonly number[] = [],
  from = 0,
): boolean {
  if (chosen.length === count) return visit(chosen);
  for (let index = from; index <= items.length - (count - chosen.length); index += 1) {
    if (!everyChoice(items, count, visit, [...chosen, items[index]!], index + 1)) return false;
  }
  return true;
}
