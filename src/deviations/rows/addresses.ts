/** Other addresses than the one that is called: families of deviations, made for one request (RFC 5849 section 3.4.1.2). */
import type { WireRequest } from '../../protocol/index.ts';
import { type Deviation, inStep, slug } from '../deviation.ts';
import { hostOf, spelledLike, split } from '../signer/uri.ts';
import { addressing } from './uri.ts';

const summary = 'The address that the client signs is not the one it calls.';
const address = inStep('uri', 'uri', {
  summary,
  fix: 'Sign the URL that is called: scheme, "://", host, a port that is not the default one, and the path.',
});
const otherHost = inStep('uri', 'uri', { summary, fix: 'Sign the host of the URL that is called.' });
const otherPath = inStep('uri', 'uri', { summary, fix: 'Sign the path exactly as sent.' });

const right = '{scheme}://{host}{port}{path}';

/** What languages print for a value that is not there. */
export const nothings: Readonly<Record<string, string>> = {
  undefined: 'undefined',
  null: 'null',
  none: 'None',
  nil: 'nil',
  'null-in-parentheses': '(null)',
};

const example = (form: string): string =>
  form.replace('{scheme}', 'https').replace('{host}', 'host').replace('{port}', '').replace('{path}', '/path');

const printed = Object.entries(nothings).flatMap(([id, word]): Deviation[] =>
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
      The URI has "${word}" in the place of a part that is missing: ${example(uriForm!)}.`,
  ),
);

const forms: readonly Deviation[] = (
  [
    ['scheme-missing', '{host}{port}{path}', 'The scheme and "://" are missing'],
    ['scheme-missing-before-slashes', '//{host}{port}{path}', 'The scheme is missing'],
    ['scheme-missing-before-colon', '://{host}{port}{path}', 'The scheme is missing'],
    ['host-missing', '{scheme}://{path}', 'The host is missing'],
    ['host-missing-before-port', '{scheme}://{port}{path}', 'The host is missing'],
    ['host-and-slash-missing', '{scheme}:/{path}', 'The host and a slash are missing'],
    ['host-and-slashes-missing', '{scheme}:{path}', 'The host and the slashes are missing'],
    ['path-missing', '{scheme}://{host}{port}', 'The path is missing'],
    ['path-signed-as-slash', '{scheme}://{host}{port}/', 'The path is missing but for its first slash'],
    ['uri-missing', '', 'The URI is missing'],
    ['colon-missing', '{scheme}//{host}{port}{path}', 'The ":" behind the scheme is missing'],
    ['slash-missing', '{scheme}:/{host}{port}{path}', 'A "/" behind the scheme is missing'],
    ['slashes-missing', '{scheme}:{host}{port}{path}', 'Both "/" behind the scheme are missing'],
    ['third-slash-signed', '{scheme}:///{host}{port}{path}', 'Three "/" follow the scheme'],
    ['scheme-signed-twice', '{scheme}://{scheme}://{host}{port}{path}', 'The scheme is written twice'],
    ['host-signed-twice', '{scheme}://{host}{port}{host}{port}{path}', 'The host is written twice'],
    ['host-signed-in-path-too', '{scheme}://{host}{port}/{host}{port}{path}', 'The path begins with the host'],
    ['port-signed-twice', '{scheme}://{host}{port}{port}{path}', 'The port is written twice'],
    ['path-signed-twice', '{scheme}://{host}{port}{path}{path}', 'The path is written twice'],
    ['uri-signed-twice', `${right}${right}`, 'The URI is written twice'],
    ['uri-signed-behind-host', `{scheme}://{host}{port}${right}`, 'The whole URI follows the host'],
    ['uri-signed-as-path', `{scheme}://{host}{port}/${right}`, 'The whole URI is in the place of the path'],
    ['colon-signed-without-port', '{scheme}://{host}:{path}', 'A ":" follows the host, and no port'],
    ['number-sign-kept', `${right}#`, 'The URI ends with "#"'],
    ['ampersand-kept', `${right}&`, 'The URI ends with "&"'],
    ['uri-with-line-feed', `${right}\n`, 'The URI ends with a line feed: the configured URL has one'],
    ['uri-with-crlf', `${right}\r\n`, 'The URI ends with CR and LF: the configured URL has them'],
    ['uri-with-tab', `${right}\t`, 'The URI ends with a tab: the configured URL has one'],
    ['uri-with-leading-space', ` ${right}`, 'The URI begins with a space: the configured URL has one'],
    ['uri-in-quotes', `"${right}"`, 'The URI is in quotes'],
    ['uri-in-single-quotes', `'${right}'`, 'The URI is in single quotes'],
    ['uri-in-angle-brackets', `<${right}>`, 'The URI is in angle brackets'],
    ['uri-with-byte-order-mark', `\ufeff${right}`, 'The URI begins with U+FEFF: it was read from a file with a mark'],
    ['uri-with-zero-width-space', `${right}\u200b`, 'The URI ends with U+200B, which cannot be seen'],
    ['host-with-final-dot', '{scheme}://{host}.{port}{path}', 'A dot follows the host'],
    ['host-with-www', '{scheme}://www.{host}{port}{path}', '"www." is in front of the host'],
  ] as const
).map(([id, uriForm, developer]) => address(id, { uriForm })`${developer}.`);

const ports: readonly Deviation[] = ['80', '443', '8080', '8443', '3000', '5000', '8000', '8888', '0', '-1'].map(
  (port) =>
    otherHost(`port-signed-as-${slug(port)}`, { uriForm: `{scheme}://{host}:${port}{path}` })`
    The URI has the port ${port}, which the Host header does not have.`,
);

const loopbacks = 'localhost 127.0.0.1 [::1] 0.0.0.0 localhost.localdomain host.docker.internal 10.0.2.2'.split(' ');

/** Other names of the host that is called. */
function hosts(request: WireRequest): Deviation[] {
  const host = hostOf(request);
  const small = host.toLowerCase();
  const seen = request.headers
    .filter(([name]) => ['x-forwarded-host', 'x-original-host', 'forwarded-host'].includes(name.toLowerCase()))
    .map(([, value]) => value.trim());
  const names = [
    ...(loopbacks.includes(small) ? loopbacks : []),
    small.replace(/^www\./, ''),
    small.replace(/\.$/, ''),
    small.replace(/^\[|\]$/g, ''),
  ];
  const dotless = [host.replaceAll('I', '\u0131').toLowerCase(), small.replaceAll('i', '\u0131')];
  return [
    ...distinct(names, small).map(
      (name) =>
        otherHost(`host-signed-as-${slug(name)}`, { uriForm: `{scheme}://${name}{port}{path}` })`
        The URI has the host as ${name}, and the request as ${small}.`,
    ),
    ...distinct(seen, small).map(
      (name) =>
        otherHost('forwarded-host-signed', { uriForm: `{scheme}://${name}{path}` })`
        The URI has the host of another header, ${name}.`,
    ),
    ...distinct(dotless, small).map(
      (name) =>
        otherHost('host-with-dotless-i', { uriForm: `{scheme}://${name}{port}{path}` })`
        The host was put into small letters by the rules of Turkish: an I became a dotless i.`,
    ),
  ];
}

const versions: Readonly<Record<string, string>> = { 'close-day': 'v2', 'process-recurring-payments': 'v4' };

const placeholders: Readonly<Record<string, string>> = {
  ...nothings,
  'placeholder-endpoint-id': '{endpointId}',
  'placeholder-with-underscore': '{endpoint_id}',
  'placeholder-id': '{id}',
  'placeholder-with-colon': ':endpointId',
  'escaped-placeholder': '%7BendpointId%7D',
  zero: '0',
};

const mostSegments = 20;

/** The path put together in another way. */
function paths(request: WireRequest): Deviation[] {
  const { path } = split(request);
  const segments = path.split('/').slice(1);
  if (!path.startsWith('/') || segments.length > mostSegments) return [];
  const rows: Deviation[] = [];
  const add = (id: string, signed: readonly string[] | string, developer: string): void => {
    const text = typeof signed === 'string' ? signed : `/${signed.join('/')}`;
    if (text !== path) rows.push(otherPath(id, { uriForm: `{scheme}://{host}{port}${text}` })`${developer}.`);
  };
  segments.forEach((segment, at) => {
    const name = slug(segment);
    const isLast = at === segments.length - 1;
    const others = (...instead: string[]) => segments.toSpliced(at, 1, ...instead);
    const [before, start] = [segments.slice(0, at + 1), segments.slice(0, at)];
    const prefix = `"/${before.join('/')}" at the start of the path`;
    add(`${name}-of-path-signed-twice`, others(segment, segment), `"${segment}" of the path is written twice`);
    add(`path-up-to-${name}-signed-twice`, [...before, ...segments], `${prefix} is written twice`);
    add(`slash-before-${name}-signed-twice`, others('', segment), `Two slashes are before "${segment}" of the path`);
    add(`${name}-of-path-not-signed`, others(), `"${segment}" of the path is missing`);
    if (!isLast) add(`path-up-to-${name}-not-signed`, segments.slice(at + 1), `${prefix} is missing`);
    if (at > 0) add(`path-from-${name}-not-signed`, start, `The path ends before "${segment}"`);
    for (const version of /^v\d$/.test(segment) ? ['v1', 'v2', 'v3', 'v4', 'v5'] : []) {
      add(`path-with-${version}-signed`, others(version), `The path has "${version}" in place of "${segment}"`);
    }
    for (const [other, version] of Object.hasOwn(versions, segment) ? Object.entries(versions) : []) {
      add(`path-with-${other}-signed`, others(other), `The path has "${other}" in place of "${segment}"`);
      const whole = [...start.slice(0, -1), version, other, ...segments.slice(at + 1)];
      add(`path-of-${other}-signed`, whole, `The path is that of ${other}`);
    }
    if (!isLast) return;
    for (const zeros of /^\d+$/.test(segment) ? ['', '0', '00', '000'] : []) {
      const id = `${zeros}${segment.replace(/^0+(?=.)/, '')}`;
      add(`endpoint-id-signed-as-${id}`, others(id), `The path ends with ${id} in place of ${segment}`);
    }
    for (const [id, word] of Object.entries(placeholders)) {
      add(`endpoint-id-signed-as-${id}`, others(word), `The path ends with "${word}" in place of "${segment}"`);
    }
  });
  add('slash-before-path-missing', path.slice(1), 'The "/" before the path is missing');
  add('dot-segments-resolved', new URL(`http://host${path}`).pathname, 'Segments "." and ".." are resolved');
  add('path-upper-cased', path.toUpperCase(), 'The path is in capitals');
  const small = path.replace(/%../g, (one) => one.toLowerCase());
  add('path-escapes-lower-cased', small, 'Escapes of the path have small letters');
  const capital = path.replace(/%../g, (one) => one.toUpperCase());
  add('path-escapes-upper-cased', capital, 'Escapes of the path have capitals');
  return rows;
}

function distinct(texts: readonly string[], other: string): string[] {
  return [...new Set(texts)].filter((text) => text !== other && text !== '');
}

/** Addresses that a client may sign in place of the one of this request, each for its own reason. */
export function otherAddresses(request: WireRequest): Deviation[] {
  return [...forms, ...printed, ...hosts(request), ...paths(request), ...ports];
}

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
