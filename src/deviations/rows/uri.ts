/** Deviations in the URI of the base string (RFC 5849 section 3.4.1.2). */
import { inStep } from '../deviation.ts';

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
    port-not-signed: A port that is not the default one is left out of the base string
    gateway signature-without-port-taken: The signature of a request without its port is taken`,
  other('port-cut', { port: 'cut' })`
    The text ":443" or ":80" is removed wherever it is: of ":44380" the "80" is left.
    Compare the whole port with 443 of https and 80 of http.
    port-that-begins-as-default-signed-without: The text :443 is left out of the base string wherever it is, as in :44380`,
  other('port-after-path', { port: 'always', uriForm: '{scheme}://{host}{path}{port}{query}' })`
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
  other('path-slash-decoded-on-the-way', { path: 'slash-escaped' })`
    The last slash of the path is signed as %2F and arrives bare: a proxy on the way decoded it.
    Let the proxy hand the path on as it is, or give the request as the client sent it.`,
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
    final-slash-signed: The path is signed with a slash at its end, and sent without
    gateway slash-behind-path-ignored: The signature of a path with a slash behind it is taken`,
  other('trailing-slash-cut', { slash: 'cut' })`
    The slash at the end of the path is missing.
    Sign the path exactly as sent; an empty one is "/".`,
  other('last-path-segment-left-out', { segments: 'without-last' })`
    The last segment of the path, such as the endpoint id, is missing.
    Sign the URL with everything that is appended to it.
    gateway path-without-endpoint-taken: The path without the endpoint is taken too in the base string`,
  other('first-path-segment-left-out', { segments: 'without-first' })`
    The first segment of the path is missing: a prefix that a proxy or a base URL adds.
    Sign the whole path that the client calls.
    gateway path-without-prefix-taken: The signature of the path without its first segment is taken`,
  spelt('query-kept-in-uri', { uriQuery: 'kept', query: 'left-out' })`
    The query stays in the URI instead of being split into parameters.
    Cut the URI at "?" and add the decoded query parameters to the others.
    query-signed-in-uri: The query stays in the URI of the base string, and its parameters are not collected`,
  spelt('query-in-uri-and-parameters', { uriQuery: 'kept' })`
    The query stays in the URI and is counted among the parameters too.
    Cut the URI at "?".`,
  spelt('question-mark-kept', { uriQuery: 'question-mark' })`
    The URI ends with "?".
    Cut the URI before "?".
    gateway question-mark-taken: A question mark behind the path is taken`,
  other('uri-with-trailing-space', { uriForm: '{scheme}://{host}{port}{path}{query} ' })`
    The URI ends with a space: the configured URL has one.
    Trim the configured URL.`,
  spelt('path-without-host', { uriForm: '{path}{query}' })`
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
