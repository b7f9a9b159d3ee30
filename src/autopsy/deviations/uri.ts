/** Deviations in the URI of the base string (RFC 5849 section 3.4.1.2). */
import type { Deviation } from '../deviation.ts';
import type { Recipe } from '../signer/recipe.ts';

const sameAddress = 'The address that the client signs is not written as the standard demands.';
const otherAddress = 'The address that the client signs is not the one it calls.';

function uri<Id extends string>(
  id: Id,
  change: Partial<Recipe>,
  summary: string,
  developer: string,
  fix: string,
): Deviation & { readonly id: Id } {
  return { id, stage: 'uri', snippet: 'uri', change, summary, developer, fix };
}

export const addressing = [
  uri(
    'default-port-kept',
    { port: 'as-sent' },
    sameAddress,
    'A written default port (:443, :80) stays in the URI.',
    'Drop :443 of https and :80 of http.',
  ),
  uri(
    'default-port-added',
    { port: 'always' },
    sameAddress,
    'The URI has the default port, which the Host header does not have.',
    'Drop :443 of https and :80 of http.',
  ),
  uri(
    'port-left-out',
    { port: 'never' },
    otherAddress,
    'A port that is not the default one is missing from the URI.',
    'Keep every port but :443 of https and :80 of http.',
  ),
  uri(
    'port-cut',
    { port: 'cut' },
    otherAddress,
    'The text ":443" or ":80" is removed wherever it is: of ":44380" the "80" is left.',
    'Compare the whole port with 443 of https and 80 of http.',
  ),
  uri(
    'port-after-path',
    { port: 'after-path' },
    otherAddress,
    'The port comes after the path.',
    'Put it behind the host.',
  ),
  uri(
    'host-case-kept',
    { hostCase: 'as-sent' },
    sameAddress,
    'Capitals in the host are kept.',
    'Turn scheme and host to lower case.',
  ),
  // In capitals throughout, or in the spelling of which src/autopsy/host-spellings.ts makes a deviation.
  uri(
    'host-case-changed',
    { hostCase: 'upper' },
    sameAddress,
    'The base string has the host in capitals.',
    'Turn scheme and host to lower case.',
  ),
  uri(
    'scheme-upper-cased',
    { scheme: 'upper-case' },
    sameAddress,
    'The base string has the scheme in capitals.',
    'Turn scheme and host to lower case.',
  ),
  uri(
    'scheme-http',
    { scheme: 'http' },
    otherAddress,
    'The URI starts with http although https is spoken; a proxy that ends TLS does this.',
    'Sign the URL that the client calls.',
  ),
  uri(
    'scheme-https',
    { scheme: 'https' },
    otherAddress,
    'The URI starts with https although http is spoken.',
    'Sign the URL that is called; give it with --base-url where a proxy is in between.',
  ),
  uri(
    'path-lower-cased',
    { path: 'lower-case' },
    sameAddress,
    'The path is lower-cased with the host.',
    'Turn scheme and host to lower case, and leave the path unchanged.',
  ),
  uri(
    'path-decoded',
    { path: 'decoded' },
    sameAddress,
    'Escapes in the path are decoded.',
    'Sign the path exactly as sent.',
  ),
  uri(
    'path-encoded-again',
    { path: 'encoded-again' },
    sameAddress,
    'Escapes in the path are escaped again.',
    'Sign the path exactly as sent.',
  ),
  uri(
    'path-tilde-escaped',
    { path: 'tilde-escaped' },
    sameAddress,
    'A tilde of the path is signed as %7E, and sent bare.',
    'Sign the path exactly as sent.',
  ),
  uri(
    'path-delimiters-escaped',
    { path: 'delimiters-escaped' },
    sameAddress,
    'Characters such as @ + and ( of the path are signed as escapes, and sent bare.',
    'Sign the path exactly as sent.',
  ),
  uri(
    'path-decoded-on-the-way',
    { path: 'escaped' },
    otherAddress,
    'The path is signed with escapes and arrives without them: a proxy on the way decoded it.',
    'Let the proxy hand the path on as it is, or give the request as the client sent it. If the client sends it so, sign it so.',
  ),
  uri(
    'path-hyphens-escaped',
    { path: 'hyphens-escaped' },
    otherAddress,
    'A hyphen, dot or underscore of the path is signed as an escape and arrives bare: the client or a proxy decoded it.',
    'Sign the path exactly as sent, and let proxies hand it on as it is.',
  ),
  uri(
    'double-slashes-merged',
    { path: 'slashes-merged' },
    otherAddress,
    'Two slashes in the path are signed as one.',
    'Sign the path exactly as sent, and build it without double slashes.',
  ),
  uri(
    'trailing-slash-added',
    { slash: 'added' },
    otherAddress,
    'The path ends with a slash that is not sent.',
    'Sign the path exactly as sent.',
  ),
  uri(
    'trailing-slash-cut',
    { slash: 'cut' },
    otherAddress,
    'The slash at the end of the path is missing.',
    'Sign the path exactly as sent; an empty one is "/".',
  ),
  uri(
    'last-path-segment-left-out',
    { segments: 'without-last' },
    otherAddress,
    'The last segment of the path, such as the endpoint id, is missing.',
    'Sign the URL with everything that is appended to it.',
  ),
  uri(
    'first-path-segment-left-out',
    { segments: 'without-first' },
    otherAddress,
    'The first segment of the path is missing: a prefix that a proxy or a base URL adds.',
    'Sign the whole path that the client calls.',
  ),
  uri(
    'query-kept-in-uri',
    { uriQuery: 'kept', query: 'left-out' },
    sameAddress,
    'The query stays in the URI instead of being split into parameters.',
    'Cut the URI at "?" and add the decoded query parameters to the others.',
  ),
  uri(
    'query-in-uri-and-parameters',
    { uriQuery: 'kept' },
    sameAddress,
    'The query stays in the URI and is counted among the parameters too.',
    'Cut the URI at "?".',
  ),
  uri(
    'question-mark-kept',
    { uriQuery: 'question-mark' },
    sameAddress,
    'The URI ends with "?".',
    'Cut the URI before "?".',
  ),
  uri(
    'uri-with-trailing-space',
    { uriEnd: 'space' },
    otherAddress,
    'The URI ends with a space: the configured URL has one.',
    'Trim the configured URL.',
  ),
  uri(
    'path-without-host',
    { uriParts: 'path-only' },
    sameAddress,
    'Only the path is signed; scheme and host are missing.',
    'Sign scheme, host and path.',
  ),
  uri(
    'uri-not-encoded',
    { uriEncoding: 'none' },
    'The client leaves out the encoding of the signed address.',
    'The URI is in the base string without being encoded.',
    'Percent-encode the URI.',
  ),
  uri(
    'uri-encoded-twice',
    { uriEncoding: 'twice' },
    'The client encodes the signed address once too often.',
    'The URI is percent-encoded twice.',
    'Percent-encode the URI once.',
  ),
] as const satisfies readonly Deviation[];
