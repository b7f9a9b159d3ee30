/** Reads what is signed out of a raw request, with as little code as that takes and none of the protocol layer's. */

export interface RawRequest {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export type RawParameter = readonly [name: string, value: string];

/** Decoded parameters of header, query and form body, and the signature of a header that is readable and has one. */
export function requestParameters(request: RawRequest): { signed: RawParameter[]; signature: string | undefined } {
  const header = headerParameters(headerValues(request, 'authorization')) ?? [];
  const [, query = ''] = request.target.split(/\?(.*)/s);
  const isForm = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headerValues(request, 'content-type')[0] ?? '');
  const body = isForm ? Buffer.from(request.body).toString('latin1') : '';
  return {
    signed: [
      ...header.filter(([name]) => name !== 'oauth_signature'),
      ...formParameters(Buffer.from(query, 'utf8').toString('latin1')),
      ...formParameters(body),
    ],
    signature: header.find(([name]) => name === 'oauth_signature')?.[1],
  };
}

/** The URI without its query; `oauth-1.0a` keeps a default port and the case of the host, so both are settled here. */
export function requestUri(request: RawRequest): string {
  const [path = ''] = request.target.split('?');
  // RFC 9112 3.2.2: a target may be a whole URI.
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? path : `${request.scheme}://${request.host}${path}`;
  const [, scheme = '', host = '', rest = ''] = /^([^:]*):\/\/([^/]*)(.*)$/s.exec(whole) ?? [];
  const unneeded = scheme.toLowerCase() === 'https' ? /:(443)?$/ : /:(80)?$/;
  return `${scheme.toLowerCase()}://${host.toLowerCase().replace(unneeded, '')}${rest === '' ? '/' : rest}`;
}

function headerValues(request: RawRequest, name: string): string[] {
  return request.headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
}

const parameter = String.raw`[^\s=",\\]+="[^"\\]*(?:\\.[^"\\]*)*"`;
const wholeHeader = new RegExp(
  String.raw`^[ \t]*oauth(?:[ \t]+${parameter}(?:[ \t]*,[ \t]*${parameter})*)?[ \t]*$`,
  'is',
);

/** Decoded parameters without realm; undefined where the header is not exactly of the form of RFC 5849 section 3.5.1. */
function headerParameters(values: readonly string[]): RawParameter[] | undefined {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0 || !wholeHeader.test(value)) return undefined;
  const names = new Set<string>();
  const read: RawParameter[] = [];
  for (const [written] of value.matchAll(new RegExp(parameter, 'gs'))) {
    const [rawName = '', quoted = ''] = written.split(/=(.*)/s);
    const name = decoded(/^realm$/i.test(rawName) ? 'realm' : rawName);
    const content = name === 'realm' ? '' : decoded(quoted.slice(1, -1));
    if (name === undefined || content === undefined || names.has(name)) return undefined;
    names.add(name);
    if (name !== 'realm') read.push([name, content]);
  }
  return read;
}

/** Undefined where an escape is broken, or at a backslash, which only a realm may hold. */
function decoded(escaped: string): string | undefined {
  if (escaped.includes('\\')) return undefined;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

/** Takes bytes as Latin-1 text. */
function formParameters(form: string): RawParameter[] {
  return form
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', value = ''] = piece.replaceAll('+', ' ').split(/=(.*)/s);
      return [unescapeText(name), unescapeText(value)];
    });
}

function unescapeText(latin1: string): string {
  const bytes = latin1.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return fromUtf8(bytes);
}

/** The valid sequences of RFC 3629 section 4, over bytes as Latin-1 characters. */
const utf8Sequence =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** A byte that is not UTF-8 becomes the lone surrogate U+DC00 plus the byte; see `libraryBaseString`. */
function fromUtf8(bytes: string): string {
  return bytes.replace(utf8Sequence, (found) =>
    found.length === 1
      ? String.fromCharCode(0xdc00 + found.charCodeAt(0))
      : Buffer.from(found, 'latin1').toString('utf8'),
  );
}
