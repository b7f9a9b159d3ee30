/** Deviations in the URI of the base string (RFC 5849 section 3.4.1.2). */
import type { WireRequest } from '../../protocol/index.ts';
import { applyCasing, hostOf, splitUrl } from '../candidates.ts';
import { type Deviation, everySubset, inStage, slug } from '../deviation.ts';

const summary = 'The client signs a different address than it calls.';
const other = inStage('uri', 'uri', { summary });
const address = inStage('uri', 'uri', {
  summary,
  fix: 'Sign the URL that is called: scheme, "://", host, a port that is not the default one, and the path.',
});
const otherHost = inStage('uri', 'uri', { summary, fix: 'Sign the host of the URL that is called.' });
const otherPath = inStage('uri', 'uri', { summary, fix: 'Sign the path exactly as sent.' });
const uri = inStage('uri', 'uri');
const formText = 'The client writes the signed address in the wrong form.';
const otherForm = inStage('uri', 'uri', { summary: formText });
const otherCase = inStage('uri', 'uri', { summary: formText, fix: 'Convert scheme and host to lower case.' });
const otherPathForm = inStage('uri', 'uri', { summary: formText, fix: 'Sign the path exactly as sent.' });

export const addressing = [
  otherForm('default-port-kept', { port: 'as-sent' })`
    The default port of the URL (:443, :80) stays in the URI.
    Remove :443 for https and :80 for http.
    default-port-signed: A default port in the URL is also in the base string`,
  otherForm('default-port-added', { port: 'always' })`
    The URI has the default port, but the Host header has no port.
    Remove :443 for https and :80 for http.`,
  other('port-left-out', { port: 'never' })`
    A port that is not the default one is missing from the URI.
    Keep every port except :443 for https and :80 for http.
    port-not-signed: A non-default port is missing from the base string
    gateway signature-without-port-taken: A signature over the URL without its port is accepted`,
  other('port-cut', { port: 'cut' })`
    The text ":443" or ":80" is removed everywhere: ":44380" becomes "80".
    Compare the whole port with 443 for https and with 80 for http.
    port-that-begins-as-default-signed-without: The text :443 is removed from the base string wherever it is, even from :44380`,
  other('port-after-path', { port: 'always', uriForm: '{scheme}://{host}{path}{port}{query}' })`
    The port comes after the path.
    Put the port after the host.
    port-signed-after-the-path: The base string has the port at the end of the URI`,
  otherCase('host-case-kept', { hostCase: 'as-sent' })`
    Capital letters in the host stay in the base string.
    host-case-signed: The base string has the host with the capitals of the URL`,
  // `hostSpellings` handles hosts with only some capitals.
  otherCase('host-case-changed', { hostCase: 'upper' })`The base string has the host in capitals.`,
  otherCase('scheme-upper-cased', { scheme: 'upper-case' })`The base string has the scheme in capitals.`,
  other('scheme-http', { scheme: 'http' })`
    The URI starts with http although the client calls https; a proxy that ends TLS causes this.
    Sign the URL that the client calls.
    http-signed: The base string has http although the request uses https`,
  other('scheme-https', { scheme: 'https' })`
    The URI starts with https although the client calls http.
    Sign the URL that the client calls. If there is a proxy, pass this URL with --base-url.`,
  otherForm('path-lower-cased', { path: 'lower-case' })`
    The path is in lower case, like the host.
    Convert scheme and host to lower case, and leave the path unchanged.
    uri-signed-in-lower-case: The whole URI is signed in lower case, including its path`,
  otherPathForm('path-decoded', { path: 'decoded' })`
    Escapes in the path are decoded.
    path-signed-decoded: Escapes in the path are decoded before signing`,
  otherPathForm('path-encoded-again', { path: 'encoded-again' })`
    Escapes in the path are escaped again.
    path-signed-encoded-again: The path is encoded again before signing`,
  otherPathForm('path-tilde-escaped', { path: 'tilde-escaped' })`
    A tilde of the path is signed as %7E, but sent unescaped.
    tilde-of-path-signed-as-escape: A tilde of the path is signed as %7E, and sent bare`,
  otherPathForm('path-delimiters-escaped', { path: 'delimiters-escaped' })`
    The path has characters such as "@" or "+". They are signed as escapes, but sent unescaped.
    sub-delimiters-of-path-signed-as-escapes: Characters such as @ + and ( of the path are signed as escapes, and sent bare`,
  other('path-decoded-on-the-way', { path: 'escaped' })`
    The path is signed with escapes, but arrives without them: a proxy on the way decoded them.
    Configure the proxy to keep the path, or pass the request as the client sent it. If the client itself sends no escapes, sign none.`,
  other('path-slash-decoded-on-the-way', { path: 'slash-escaped' })`
    The last slash of the path is signed as %2F, but arrives unescaped: a proxy on the way decoded it.
    Configure the proxy to keep the path, or pass the request as the client sent it.`,
  other('path-hyphens-escaped', { path: 'hyphens-escaped' })`
    A hyphen, dot or underscore of the path is signed as an escape, but arrives unescaped: the client or a proxy decoded it.
    Sign the path exactly as sent, and configure proxies to keep it.`,
  other('double-slashes-merged', { path: 'slashes-merged' })`
    Two slashes in the path are signed as one.
    Sign the path exactly as sent, and build it without double slashes.
    double-slash-signed-once: Two slashes in the path are signed as one but sent as two`,
  otherPath('trailing-slash-added', { slash: 'added' })`
    The path ends with a slash that is not sent.
    final-slash-signed: The path is signed with a trailing slash but sent without it
    gateway slash-behind-path-ignored: A signature over the path with a trailing slash is accepted`,
  other('trailing-slash-cut', { slash: 'cut' })`
    The slash at the end of the path is missing.
    Sign the path exactly as sent. Sign an empty path as "/".`,
  other('last-path-segment-left-out', { segments: 'without-last' })`
    The last segment of the path, such as the endpoint id, is missing.
    Sign the whole URL, with all segments that are appended to the base URL.
    gateway path-without-endpoint-taken: A signature over the path without the endpoint is accepted`,
  other('first-path-segment-left-out', { segments: 'without-first' })`
    The first segment of the path is missing. A proxy or a base URL may add such a prefix.
    Sign the whole path that the client calls.
    gateway path-without-prefix-taken: A signature over the path without its first segment is accepted`,
  otherForm('query-kept-in-uri', { uriQuery: 'kept', query: 'left-out' })`
    The query stays in the URI instead of being split into parameters.
    Cut the URI at "?" and add the decoded query parameters to the others.
    query-signed-in-uri: The query stays in the URI of the base string, and its parameters are not collected`,
  otherForm('query-in-uri-and-parameters', { uriQuery: 'kept' })`
    The query stays in the URI, and its parameters are signed too.
    Cut the URI at "?".`,
  otherForm('question-mark-kept', { uriQuery: 'question-mark' })`
    The URI ends with "?".
    Cut the URI before "?".
    gateway question-mark-taken: A signature over the path with a trailing question mark is accepted`,
  other('uri-with-trailing-space', { uriForm: '{scheme}://{host}{port}{path}{query} ' })`
    The URI ends with a space: the configured URL has one.
    Trim the configured URL.`,
  otherForm('path-without-host', { uriForm: '{path}{query}' })`
    Only the path is signed; scheme and host are missing.
    Sign scheme, host and path.`,
  uri('uri-not-encoded', { uriEncoding: 'none' })`
    The client does not encode the signed address.
    The URI is in the base string without being encoded.
    Percent-encode the URI.`,
  uri('uri-encoded-twice', { uriEncoding: 'twice' })`
    The client encodes the signed address once too often.
    The URI is percent-encoded twice.
    Percent-encode the URI once.`,
] as const;

const correctUri = '{scheme}://{host}{port}{path}';

export const nullTexts: Readonly<Record<string, string>> = {
  undefined: 'undefined',
  null: 'null',
  none: 'None',
  nil: 'nil',
  'null-in-parentheses': '(null)',
};

const example = (form: string): string =>
  form.replace('{scheme}', 'https').replace('{host}', 'host').replace('{port}', '').replace('{path}', '/path');

const nullParts = Object.entries(nullTexts).flatMap(([id, word]): Deviation[] =>
  [
    ['scheme', `${word}://{host}{port}{path}`],
    ['scheme-and-colon', `${word}//{host}{port}{path}`],
    ['scheme-and-host', `${word}://${word}{path}`],
    ['scheme-colon-and-host', `${word}//${word}{path}`],
    ['host', `{scheme}://${word}{port}{path}`],
    ['port', `{scheme}://{host}:${word}{path}`],
    ['path', `{scheme}://{host}{port}${word}`],
    ['path-behind-slash', `{scheme}://{host}{port}/${word}`],
    ['uri', word],
  ].map(
    ([part, uriForm]) =>
      address(`${part}-signed-as-${id}`, { uriForm: uriForm! })`
      The URI has "${word}" instead of a missing part: ${example(uriForm!)}.`,
  ),
);

const uriForms: readonly Deviation[] = (
  [
    ['scheme-missing', '{host}{port}{path}', 'The scheme and "://" are missing'],
    ['scheme-missing-before-slashes', '//{host}{port}{path}', 'The scheme is missing'],
    ['scheme-missing-before-colon', '://{host}{port}{path}', 'The scheme is missing'],
    ['host-missing', '{scheme}://{path}', 'The host is missing'],
    ['host-missing-before-port', '{scheme}://{port}{path}', 'The host is missing'],
    ['host-and-slash-missing', '{scheme}:/{path}', 'The host and a slash are missing'],
    ['host-and-slashes-missing', '{scheme}:{path}', 'The host and the slashes are missing'],
    ['path-missing', '{scheme}://{host}{port}', 'The path is missing'],
    ['path-signed-as-slash', '{scheme}://{host}{port}/', 'The path is missing except for its first slash'],
    ['uri-missing', '', 'The URI is missing'],
    ['colon-missing', '{scheme}//{host}{port}{path}', 'The ":" after the scheme is missing'],
    ['slash-missing', '{scheme}:/{host}{port}{path}', 'A "/" after the scheme is missing'],
    ['slashes-missing', '{scheme}:{host}{port}{path}', 'Both "/" after the scheme are missing'],
    ['third-slash-signed', '{scheme}:///{host}{port}{path}', 'Three "/" follow the scheme'],
    ['scheme-signed-twice', '{scheme}://{scheme}://{host}{port}{path}', 'The scheme is written twice'],
    ['host-signed-twice', '{scheme}://{host}{port}{host}{port}{path}', 'The host is written twice'],
    ['host-signed-in-path-too', '{scheme}://{host}{port}/{host}{port}{path}', 'The path begins with the host'],
    ['port-signed-twice', '{scheme}://{host}{port}{port}{path}', 'The port is written twice'],
    ['path-signed-twice', '{scheme}://{host}{port}{path}{path}', 'The path is written twice'],
    ['uri-signed-twice', `${correctUri}${correctUri}`, 'The URI is written twice'],
    ['uri-signed-behind-host', `{scheme}://{host}{port}${correctUri}`, 'The whole URI follows the host'],
    ['uri-signed-as-path', `{scheme}://{host}{port}/${correctUri}`, 'The whole URI is used instead of the path'],
    ['colon-signed-without-port', '{scheme}://{host}:{path}', 'A ":" without a port follows the host'],
    ['number-sign-kept', `${correctUri}#`, 'The URI ends with "#"'],
    ['ampersand-kept', `${correctUri}&`, 'The URI ends with "&"'],
    ['uri-with-line-feed', `${correctUri}\n`, 'The URI ends with a line feed: the configured URL has one'],
    ['uri-with-crlf', `${correctUri}\r\n`, 'The URI ends with CR and LF: the configured URL has them'],
    ['uri-with-tab', `${correctUri}\t`, 'The URI ends with a tab: the configured URL has one'],
    ['uri-with-leading-space', ` ${correctUri}`, 'The URI begins with a space: the configured URL has one'],
    ['uri-in-quotes', `"${correctUri}"`, 'The URI is in quotes'],
    ['uri-in-single-quotes', `'${correctUri}'`, 'The URI is in single quotes'],
    ['uri-in-angle-brackets', `<${correctUri}>`, 'The URI is in angle brackets'],
    ['uri-with-byte-order-mark', `\ufeff${correctUri}`, 'The URI begins with U+FEFF, the byte-order mark of a file'],
    ['uri-with-zero-width-space', `${correctUri}\u200b`, 'The URI ends with U+200B, which is invisible'],
    ['host-with-final-dot', '{scheme}://{host}.{port}{path}', 'A dot follows the host'],
    ['host-with-www', '{scheme}://www.{host}{port}{path}', '"www." is in front of the host'],
  ] as const
).map(([id, uriForm, developer]) => address(id, { uriForm })`${developer}.`);

const ports: readonly Deviation[] = ['80', '443', '8080', '8443', '3000', '5000', '8000', '8888', '0', '-1'].map(
  (port) =>
    otherHost(`port-signed-as-${slug(port)}`, { uriForm: `{scheme}://{host}:${port}{path}` })`
    The URI has the port ${port}, but the Host header does not.`,
);

const loopbacks = 'localhost 127.0.0.1 [::1] 0.0.0.0 localhost.localdomain host.docker.internal 10.0.2.2'.split(' ');

function hostDeviations(request: WireRequest): Deviation[] {
  const host = hostOf(request);
  const lowerHost = host.toLowerCase();
  const forwardedHosts = request.headers
    .filter(([name]) => ['x-forwarded-host', 'x-original-host', 'forwarded-host'].includes(name.toLowerCase()))
    .map(([, value]) => value.trim());
  const names = [
    ...(loopbacks.includes(lowerHost) ? loopbacks : []),
    lowerHost.replace(/^www\./, ''),
    lowerHost.replace(/\.$/, ''),
    lowerHost.replace(/^\[|\]$/g, ''),
  ];
  const dotless = [host.replaceAll('I', '\u0131').toLowerCase(), lowerHost.replaceAll('i', '\u0131')];
  return [
    ...distinct(names, lowerHost).map(
      (name) =>
        otherHost(`host-signed-as-${slug(name)}`, { uriForm: `{scheme}://${name}{port}{path}` })`
        The host is ${name} in the URI, but ${lowerHost} in the request.`,
    ),
    ...distinct(forwardedHosts, lowerHost).map(
      (name) =>
        otherHost('forwarded-host-signed', { uriForm: `{scheme}://${name}{path}` })`
        The URI has the host from a different header: ${name}.`,
    ),
    ...distinct(dotless, lowerHost).map(
      (name) =>
        otherHost('host-with-dotless-i', { uriForm: `{scheme}://${name}{port}{path}` })`
        The host was converted to lower case by Turkish rules: an I became a dotless i.`,
    ),
  ];
}

const versions: Readonly<Record<string, string>> = { 'close-day': 'v2', 'process-recurring-payments': 'v4' };

const placeholders: Readonly<Record<string, string>> = {
  ...nullTexts,
  'placeholder-endpoint-id': '{endpointId}',
  'placeholder-with-underscore': '{endpoint_id}',
  'placeholder-id': '{id}',
  'placeholder-with-colon': ':endpointId',
  'escaped-placeholder': '%7BendpointId%7D',
  zero: '0',
};

const maxSegments = 20;

function pathDeviations(request: WireRequest): Deviation[] {
  const { path } = splitUrl(request);
  const segments = path.split('/').slice(1);
  if (!path.startsWith('/') || segments.length > maxSegments) return [];
  const rows: Deviation[] = [];
  const add = (id: string, signed: readonly string[] | string, developer: string): void => {
    const text = typeof signed === 'string' ? signed : `/${signed.join('/')}`;
    if (text !== path) rows.push(otherPath(id, { uriForm: `{scheme}://{host}{port}${text}` })`${developer}.`);
  };
  segments.forEach((segment, at) => {
    const name = slug(segment);
    const isLast = at === segments.length - 1;
    const replace = (...replacement: string[]) => segments.toSpliced(at, 1, ...replacement);
    const upTo = segments.slice(0, at + 1);
    const start = segments.slice(0, at);
    const prefix = `"/${upTo.join('/')}" at the start of the path`;
    add(`${name}-of-path-signed-twice`, replace(segment, segment), `"${segment}" of the path is written twice`);
    add(`path-up-to-${name}-signed-twice`, [...upTo, ...segments], `${prefix} is written twice`);
    add(`slash-before-${name}-signed-twice`, replace('', segment), `Two slashes are before "${segment}" of the path`);
    add(`${name}-of-path-not-signed`, replace(), `"${segment}" of the path is missing`);
    if (!isLast) add(`path-up-to-${name}-not-signed`, segments.slice(at + 1), `${prefix} is missing`);
    if (at > 0) add(`path-from-${name}-not-signed`, start, `The path ends before "${segment}"`);
    for (const version of /^v\d$/.test(segment) ? ['v1', 'v2', 'v3', 'v4', 'v5'] : []) {
      add(`path-with-${version}-signed`, replace(version), `The path has "${version}" instead of "${segment}"`);
    }
    for (const [other, version] of Object.hasOwn(versions, segment) ? Object.entries(versions) : []) {
      add(`path-with-${other}-signed`, replace(other), `The path has "${other}" instead of "${segment}"`);
      const whole = [...start.slice(0, -1), version, other, ...segments.slice(at + 1)];
      add(`path-of-${other}-signed`, whole, `The path is the one of the operation ${other}`);
    }
    if (!isLast) return;
    for (const zeros of /^\d+$/.test(segment) ? ['', '0', '00', '000'] : []) {
      const id = `${zeros}${segment.replace(/^0+(?=.)/, '')}`;
      add(`endpoint-id-signed-as-${id}`, replace(id), `The path ends with ${id} instead of ${segment}`);
    }
    for (const [id, word] of Object.entries(placeholders)) {
      add(`endpoint-id-signed-as-${id}`, replace(word), `The path ends with "${word}" instead of "${segment}"`);
    }
  });
  add('slash-before-path-missing', path.slice(1), 'The "/" before the path is missing');
  add('dot-segments-resolved', new URL(`http://host${path}`).pathname, 'Segments "." and ".." are resolved');
  add('path-upper-cased', path.toUpperCase(), 'The path is in capitals');
  const lowerPath = path.replace(/%../g, (one) => one.toLowerCase());
  add('path-escapes-lower-cased', lowerPath, 'Escapes in the path have lower-case letters');
  const upperPath = path.replace(/%../g, (one) => one.toUpperCase());
  add('path-escapes-upper-cased', upperPath, 'Escapes in the path have upper-case letters');
  return rows;
}

function distinct(texts: readonly string[], excluded: string): string[] {
  return [...new Set(texts)].filter((text) => text !== excluded && text !== '');
}

export function otherAddresses(request: WireRequest): Deviation[] {
  return [...uriForms, ...nullParts, ...hostDeviations(request), ...pathDeviations(request), ...ports];
}

const maxSpellings = 2 ** 14;

/** Deviations with capitals in the host, likeliest first: PAYNET and Paynet, then PayNet, then others. */
export function hostSpellings(request: WireRequest): Deviation[] {
  const host = hostOf(request);
  const letters = [...host.matchAll(/[a-z]/gi)].map(({ index }) => index);
  const patterns = new Set<string>();
  const add = (isCapital: (at: number) => boolean): boolean => {
    if (patterns.size < maxSpellings) patterns.add([...host].map((_, at) => (isCapital(at) ? 'A' : 'a')).join(''));
    return patterns.size < maxSpellings;
  };
  const letterSet = new Set(letters);
  for (const capitals of capitalPositions(host, true)) add((at) => letterSet.has(at) && capitals.has(at));
  for (const capitals of capitalPositions(host, false)) {
    for (const innerCapital of letters) add((at) => at === innerCapital || (letterSet.has(at) && capitals.has(at)));
  }
  for (let count = 1; count <= letters.length / 2 && patterns.size < maxSpellings; count += 1) {
    everySubset(letters, count, (chosen) => {
      const capitals = new Set(chosen);
      return add((at) => capitals.has(at)) && add((at) => letterSet.has(at) && !capitals.has(at));
    });
  }
  const upperCaseHost = addressing.find(({ id }) => id === 'host-case-changed')!;
  return [...patterns]
    .filter((pattern) => pattern.includes('A'))
    .map((pattern) => {
      const developer = `The host is ${applyCasing(host, pattern)} in the base string, but ${host} in the request.`;
      return { ...upperCaseHost, change: { hostCase: pattern }, developer };
    });
}

/** Sets of positions of capitals. Each of the first 6 labels is like paynet, Paynet or, if `whole`, PAYNET. */
function capitalPositions(host: string, whole: boolean): Set<number>[] {
  let start = 0;
  let sets: Set<number>[] = [new Set()];
  for (const label of host.split('.').slice(0, 6)) {
    const positions = [...label].map((_, at) => start + at);
    const choices = [[], positions.slice(0, 1), ...(whole ? [positions] : [])];
    sets = sets.flatMap((set) => choices.map((capitals) => new Set([...set, ...capitals])));
    start += label.length + 1;
  }
  return sets;
}
