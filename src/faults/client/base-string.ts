/** Clients that make another base string than RFC 5849 section 3.4.1 asks for. */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import {
  baseString,
  type Pair,
  percentDecode,
  percentEncode,
  printAuthorization,
  queryOf,
} from '../../protocol/index.ts';
import { auth, type ClientDefect, type StoredRequest, signing } from './defect.ts';

/** One name with two values: as sent they are in another order than sorted, and encoded they sort differently than raw. */
const repeatedName = closeDayWith(['sale_approved_sum', 'z'], ['sale_approved_sum', '\u00e9']);

/** By bytes 10 comes before 9. */
const repeatedNumber = closeDayWith(['sale_approved_sum', '9'], ['sale_approved_sum', '10']);

/** As names a comes first; as joined texts a-b=1 does, since - comes before =. */
const nameInsideName = closeDayWith(['a', '2'], ['a-b', '1']);

/** By bytes B comes first. */
const capitalName = closeDayWith(['a', '1'], ['B', '2']);

const withQuery: StoredRequest = { ...closeDayWith(), target: '/api/v2/close-day/1111?x=1' };

export const baseStringDefects: readonly ClientDefect[] = [
  signing('body-not-signed', 'The parameters of the body are left out of the base string', {
    parameters: (pairs, { done }) => pairs.slice(0, pairs.length - done.fields.length),
  }),
  signing('body-signed-twice', 'The parameters of the body are counted twice: by the library, and by its caller', {
    parameters: (pairs, { done }) => [...pairs, ...done.fields],
  }),
  signing('empty-values-not-signed', 'Parameters with an empty value are sent, and left out of the base string', {
    parameters: (pairs) => pairs.filter(([, value]) => value !== ''),
  }),
  signing(
    'equal-values-signed-once',
    'Of parameters with the same value only the last one is signed, whatever their names',
    { parameters: (pairs) => [...new Map(pairs.map((pair) => [pair[1], pair])).values()] },
  ),
  signing('realm-signed', 'A realm is sent, and is in the base string too', {
    parameters: (pairs) => [...pairs, ['realm', 'Gateway']],
    authorization: (_, { done }) => printAuthorization(done.signed, { realm: 'Gateway' }),
  }),
  signing('token-signed-but-not-sent', 'An empty oauth_token is in the base string, and not in the header', {
    parameters: (pairs) => [...pairs, ['oauth_token', '']],
  }),
  signing('empty-signature-signed', 'The base string has an empty oauth_signature, as the header had before signing', {
    parameters: (pairs) => [...pairs, ['oauth_signature', '']],
  }),
  signing('version-not-signed', 'oauth_version is sent, and left out of the base string', {
    parameters: (pairs) => pairs.filter(([name]) => name !== 'oauth_version'),
  }),
  storedIn(withQuery, 'query-not-signed', 'The parameters of the query are left out of the base string', {
    parameters: (pairs, { done }) => pairs.slice(pairs.length - done.unsigned.length - done.fields.length),
  }),
  storedIn(repeatedName, 'repeated-names-collapsed', 'Of parameters with the same name only the last one is signed', {
    parameters: (pairs) => [...new Map(pairs)],
  }),
  storedIn(repeatedName, 'repeated-names-joined', 'The values of one name are signed as one value with commas', {
    parameters: joined,
  }),
  storedIn(
    repeatedName,
    'repeated-names-with-brackets',
    'A name that occurs more than once is sent with brackets, and signed without them',
    {
      form: (form, { done }) =>
        done.fields
          .filter(([name], at) => done.fields.findIndex(([other]) => other === name) !== at)
          .reduce((text, [name]) => text.replaceAll(`${name}=`, `${name}%5B%5D=`), form),
    },
  ),

  signing(
    'lower-case-escapes-signed',
    'Escapes in the base string have lower-case hex digits',
    encodesWith((text) => percentEncode(text).replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())),
  ),
  signing(
    'sub-delimiters-signed-bare',
    "! * ' ( and ) are not encoded in the base string, as encodeURIComponent leaves them",
    encodesWith(encodeURIComponent),
  ),
  signing(
    'tilde-signed-as-escape',
    'A tilde is %7E in the base string',
    encodesWith((text) => percentEncode(text).replaceAll('~', '%7E')),
  ),
  encoding(
    'reserved-characters-signed-bare',
    'Characters such as / : , and @ of a value are encoded once in all, as a path encoder leaves them bare',
    (text) => percentEncode(text).replace(/%(?:2C|2F|3A|3B|40|5B|5D)/g, percentDecode),
  ),
  encoding(
    'braces-and-quotes-signed-bare',
    'Characters such as { " < and ` of a value are encoded once in all',
    (text) => percentEncode(text).replace(/%(?:22|3C|3E|5C|5E|60|7B|7C|7D)/g, percentDecode),
  ),
  encoding('several-spaces-signed-as-one', 'Several spaces in a value are signed as one', (text) =>
    percentEncode(text.replace(/(?<=\S) {2,}(?=\S)/g, ' ')),
  ),
  encoding('space-signed-as-plus', 'A space of a value is a plus in the base string, as in the body', (text) =>
    percentEncode(text).replaceAll('%20', '+'),
  ),
  encoding('plus-signed-as-space', 'A plus of a value is taken for a space before it is signed', (text) =>
    percentEncode(text.replaceAll('+', ' ')),
  ),
  encoding('values-encoded-once-too-often', 'Names and values are encoded three times in all', (text) =>
    percentEncode(percentEncode(text)),
  ),
  encoding(
    'values-joined-unencoded',
    'Names and values are joined without being encoded, and encoded once in all',
    (text) => text,
  ),
  encoding('values-decoded-before-signing', 'A value with a percent escape is decoded before it is encoded', (text) =>
    percentEncode(text.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodedOrSame)),
  ),
  encoding(
    'text-signed-as-latin-1',
    'Text beyond ASCII is signed in ISO 8859-1, what that lacks as a question mark',
    (text) => escapedBytes(latin1Bytes(text)),
  ),
  encoding(
    'text-signed-twice-encoded',
    'The UTF-8 bytes of a text are taken for characters, and encoded as UTF-8 again',
    (text) => percentEncode(Buffer.from(text, 'utf8').toString('latin1')),
  ),
  encoding('text-signed-by-utf-16-unit', 'Each half of a surrogate pair is encoded by itself', (text) =>
    text.split('').map(encodedUnit).join(''),
  ),

  signing('parameters-not-sorted', 'Parameters are signed in the order in which they were collected', {
    normalized: (_, { done }) => normalizedWith(done.parameters, { order: 'as-collected' }),
  }),
  storedIn(repeatedName, 'sorted-before-encoding', 'Parameters are sorted first and encoded afterwards', {
    normalized: (_, { done }) => {
      const sorted = [...done.parameters].sort(([a, x], [b, y]) => byText(a, b) || byText(x, y));
      return sorted.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
    },
  }),
  sorting(
    nameInsideName,
    'sorted-as-joined-texts',
    'Parameters are sorted as texts name=value, where - comes before =',
    (a, b) => byText(a.join('='), b.join('=')),
  ),
  sorting(
    repeatedName,
    'sorted-by-name-alone',
    'Values of one name keep the order in which they were collected',
    (a, b) => byText(a[0], b[0]),
  ),
  sorting(
    capitalName,
    'sorted-without-case',
    'Names are sorted without regard to case',
    (a, b) => byText(a[0].toLowerCase(), b[0].toLowerCase()) || byText(a[1], b[1]),
  ),
  sorting(
    repeatedNumber,
    'sorted-in-natural-order',
    'Values that are numbers are sorted as numbers: 10 after 9',
    (a, b) => byText(a[0], b[0]) || byNumber(a, b) || byText(a[1], b[1]),
  ),

  auth('default-port-signed', 'A default port in the URL is in the base string too', 'uri-default-port', {
    baseStringUri: (uri, { done }) => uri.replace(authority, (_, scheme) => `${scheme}${done.url.host.toLowerCase()}`),
  }),
  auth('port-not-signed', 'A port that is not the default one is left out of the base string', 'uri-port', {
    baseStringUri: withoutPort,
  }),
  uri(
    'port-that-begins-as-default-signed-without',
    'The text :443 is left out of the base string wherever it is, as in :44380',
    (uri) => uri.replace(':443', ''),
  ),
  uri('path-signed-with-lower-case-escapes', 'Escapes of the path are signed with lower-case hex digits', (uri) =>
    uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  ),
  auth('host-case-signed', 'The host is in the base string with the capitals of the URL', 'uri-host-case', {
    baseStringUri: (uri, { done }) =>
      uri.replace(authority, (_, scheme, host) => `${scheme}${done.url.host.slice(0, host.length)}`),
  }),
  uri(
    'port-signed-after-the-path',
    'The port is at the end of the URI in the base string',
    (uri) => `${withoutPort(uri)}${/:\d+(?=\/)/.exec(uri)?.[0] ?? ''}`,
  ),
  uri('uri-signed-in-lower-case', 'The whole URI is signed in lower case, its path too', (uri) => uri.toLowerCase()),
  uri('path-signed-decoded', 'Escapes of the path are decoded before it is signed', (uri) => percentDecode(uri)),
  uri('tilde-of-path-signed-as-escape', 'A tilde of the path is signed as %7E, and sent bare', (uri) =>
    uri.replaceAll('~', '%7E'),
  ),
  uri(
    'sub-delimiters-of-path-signed-as-escapes',
    'Characters such as @ + and ( of the path are signed as escapes, and sent bare',
    (uri) => uri.replace(/[!$&'()*+,;=@]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
  ),
  uri('path-signed-encoded-again', 'The path is encoded once more before it is signed', (uri) =>
    uri.replaceAll('%', '%25'),
  ),
  uri('http-signed', 'The base string says http although the request goes over https', (uri) =>
    uri.replace(/^https:/, 'http:'),
  ),
  uri('final-slash-signed', 'The path is signed with a slash at its end, and sent without', (uri) => `${uri}/`),
  uri('double-slash-signed-once', 'Two slashes in the path are signed as one, and sent as two', (uri) =>
    uri.replace(/(?<!:)\/{2,}/g, '/'),
  ),
  storedIn(
    withQuery,
    'query-signed-in-uri',
    'The query stays in the URI of the base string, and its parameters are not collected',
    {
      parameters: (pairs, { done }) => pairs.slice(pairs.length - done.unsigned.length - done.fields.length),
      baseStringUri: (uri, { done }) => {
        const query = queryOf(done.url.target);
        return query === '' ? uri : `${uri}?${query}`;
      },
    },
  ),

  signing('method-signed-in-lower-case', 'The base string starts with post in place of POST', {
    baseString: (_, { done }) => baseString('post', done.baseStringUri, done.normalized).replace(/^POST/, 'post'),
  }),
  signing('parts-joined-unencoded', 'URI and parameters are in the base string without being encoded as a whole', {
    baseString: (_, { done }) => ['POST', done.baseStringUri, done.normalized].join('&'),
  }),
  signing('parts-in-another-order', 'The URI comes before the method', {
    baseString: (right) => {
      const [method, uri, parameters] = right.split('&');
      return [uri, method, parameters].join('&');
    },
  }),
];

function closeDayWith(...further: readonly Pair[]): StoredRequest {
  return { operation: 'close-day', fields: [['day_close_request_id', 'a1b2c3d4e5f6'], ...further] };
}

/** A defect of the signature that this request alone shows. */
function storedIn(request: StoredRequest, what: string, summary: string, alteration: ClientAlteration): ClientDefect {
  return { ...signing(what, summary, alteration), reach: 'stored', stored: [request] };
}

/** Another encoding of names and values. */
function encoding(what: string, summary: string, encode: (text: string) => string): ClientDefect {
  return signing(what, summary, encodesValues(encode));
}

/** Another order of encoded pairs. */
function sorting(request: StoredRequest, what: string, summary: string, order: Normalizing['order']): ClientDefect {
  return storedIn(request, what, summary, { normalized: (_, { done }) => normalizedWith(done.parameters, { order }) });
}

/** Another URI in the base string (RFC 5849 section 3.4.1.2). */
function uri(what: string, summary: string, baseStringUri: (right: string, context: Context) => string): ClientDefect {
  return signing(what, summary, { baseStringUri });
}

function joined(pairs: readonly Pair[]): readonly Pair[] {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return [...values];
}

function encodesValues(encode: (text: string) => string): ClientAlteration {
  return { normalized: (_, { done }) => normalizedWith(done.parameters, { encode }) };
}

/** Another encoding everywhere in the base string. */
function encodesWith(encode: (text: string) => string): ClientAlteration {
  return {
    ...encodesValues(encode),
    baseString: (_, { done }) => ['POST', done.baseStringUri, done.normalized].map((part) => encode(part)).join('&'),
  };
}

function decodedOrSame(escapes: string): string {
  try {
    return percentDecode(escapes);
  } catch {
    return escapes;
  }
}

function latin1Bytes(text: string): Uint8Array {
  return Buffer.from([...text].map((character) => (character > '\u00ff' ? '?' : character)).join(''), 'latin1');
}

function escapedBytes(bytes: Uint8Array): string {
  return [...bytes].map((byte) => percentEncodedByte(byte)).join('');
}

function percentEncodedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return byte < 0x80 ? percentEncode(character) : `%${byte.toString(16).toUpperCase()}`;
}

/** A surrogate as three bytes, which is not UTF-8 (RFC 3629 section 3). */
function encodedUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  if (code < 0xd800 || code > 0xdfff) return percentEncode(unit);
  return escapedBytes(Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)));
}

function byNumber([, a]: Pair, [, b]: Pair): number {
  return /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) - Number(b) : 0;
}

const authority = /^([a-z]+:\/\/)([^/]*)/;

function withoutPort(uri: string): string {
  return uri.replace(/:\d+(?=\/)/, '');
}

interface Normalizing {
  /** How a name or a value is encoded; right by default. */
  readonly encode?: (text: string) => string;
  /** Order of encoded pairs; by name and value by default, `as-collected` for none. */
  readonly order?: ((a: Pair, b: Pair) => number) | 'as-collected';
}

export function normalizedWith(
  pairs: readonly Pair[],
  { encode = percentEncode, order = byBoth }: Normalizing,
): string {
  const encoded = pairs.map(([name, value]): Pair => [encode(name), encode(value)]);
  if (order !== 'as-collected') encoded.sort(order);
  return encoded.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Orders texts by code unit, which for encoded text is by byte. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byBoth(a: Pair, b: Pair): number {
  return byText(a[0], b[0]) || byText(a[1], b[1]);
}
