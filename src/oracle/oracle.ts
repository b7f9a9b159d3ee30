/** Computes base strings and verifies signatures with third-party libraries, to check the code of the suite. */
import forge from 'node-forge';
import OAuth from 'oauth-1.0a';

interface RawRequest {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

type RawParameter = readonly [name: string, value: string];

function requestParameters(request: RawRequest): { signed: RawParameter[]; signature: string | undefined } {
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

/** The URI without its query. Normalizes scheme, host and port, because the library `oauth-1.0a` does not. */
function requestUri(request: RawRequest): string {
  const [path = ''] = request.target.split('?');
  // A target may be an absolute URI (RFC 9112 section 3.2.2). If so, ignore `scheme` and `host`.
  const uri = /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? path : `${request.scheme}://${request.host}${path}`;
  const [, scheme = '', host = '', rest = ''] = /^([^:]*):\/\/([^/]*)(.*)$/s.exec(uri) ?? [];
  const defaultPort = scheme.toLowerCase() === 'https' ? /:(443)?$/ : /:(80)?$/;
  return `${scheme.toLowerCase()}://${host.toLowerCase().replace(defaultPort, '')}${rest === '' ? '/' : rest}`;
}

function headerValues(request: RawRequest, name: string): string[] {
  return request.headers.filter(([headerName]) => headerName.toLowerCase() === name).map(([, value]) => value);
}

const parameterPattern = String.raw`[^\s=",\\]+="[^"\\]*(?:\\.[^"\\]*)*"`;
const headerPattern = new RegExp(
  String.raw`^[ \t]*oauth(?:[ \t]+${parameterPattern}(?:[ \t]*,[ \t]*${parameterPattern})*)?[ \t]*$`,
  'is',
);

/** The decoded header parameters, except realm. Undefined if the header violates RFC 5849 section 3.5.1. */
function headerParameters(values: readonly string[]): RawParameter[] | undefined {
  const [value, ...rest] = values;
  if (value === undefined || rest.length > 0 || !headerPattern.test(value)) return undefined;
  const names = new Set<string>();
  const parameters: RawParameter[] = [];
  for (const [pair] of value.matchAll(new RegExp(parameterPattern, 'gs'))) {
    const [rawName = '', quoted = ''] = pair.split(/=(.*)/s);
    const name = decode(/^realm$/i.test(rawName) ? 'realm' : rawName);
    const content = name === 'realm' ? '' : decode(quoted.slice(1, -1));
    if (name === undefined || content === undefined || names.has(name)) return undefined;
    names.add(name);
    if (name !== 'realm') parameters.push([name, content]);
  }
  return parameters;
}

/** Undefined for a wrong escape or a backslash. Only the realm may have a backslash, and it is not decoded. */
function decode(text: string): string | undefined {
  if (text.includes('\\')) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function formParameters(form: string): RawParameter[] {
  return form
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', value = ''] = piece.replaceAll('+', ' ').split(/=(.*)/s);
      return [unescapeText(name), unescapeText(value)];
    });
}

/** Matches one valid UTF-8 sequence (RFC 3629 section 4), or one invalid byte. The text has one character per byte. */
const utf8Sequence =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** Decodes percent escapes and UTF-8. An invalid byte becomes one character, U+DC00 plus the byte, see `newLibrary`. */
function unescapeText(latin1: string): string {
  const bytes = latin1.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bytes.replace(utf8Sequence, (found) =>
    found.length === 1
      ? String.fromCharCode(0xdc00 + found.charCodeAt(0))
      : Buffer.from(found, 'latin1').toString('utf8'),
  );
}

type OracleKey =
  | { readonly consumerSecret: string; readonly tokenSecret?: string }
  /** An SPKI key, a PKCS#1 key or an X.509 certificate, in PEM. */
  | { readonly publicKeyPem: string };

/** Computes the base string of a received request, and verifies its signature. Throws for an unreadable key. */
export function runOracle(request: RawRequest, key: OracleKey): { baseString: string; verified: boolean } {
  const { signed, signature } = requestParameters(request);
  const baseString = libraryBaseString(request.method, requestUri(request), signed);
  if (signature === undefined) return { baseString, verified: false };
  if ('publicKeyPem' in key) return { baseString, verified: verifyRsaSha256(baseString, signature, key.publicKeyPem) };
  return { baseString, verified: computeHmac(baseString, key.consumerSecret, key.tokenSecret) === signature };
}

type Values = Record<string, string[]>;

/** Adds the method `percentEncodeData`, which is missing in the type declaration of the library. */
const Library = OAuth as unknown as new (options: OAuth.Options) => OAuth & { percentEncodeData(data: Values): Values };

/** Passes the parameters in `data`, because in a URL the library misreads `+` and may drop repeated names. */
function libraryBaseString(method: string, uri: string, parameters: readonly RawParameter[]): string {
  const data: Values = Object.create(null);
  for (const [name, value] of parameters) {
    data[name] ??= [];
    data[name].push(value);
  }
  return newLibrary().getBaseString({ method, url: uri, data }, Object.create(null));
}

function newLibrary(): OAuth {
  const oauth = new Library({
    consumer: { key: '', secret: '' },
    signature_method: 'HMAC-SHA1',
    hash_function: () => '',
  });
  const encodeText = oauth.percentEncode.bind(oauth);
  // `unescapeText` stores invalid bytes as lone surrogates. The library cannot encode them, so encode them here.
  oauth.percentEncode = (text) =>
    text
      .split(/([\udc80-\udcff])/u)
      .map((part, index) => (index % 2 === 0 ? encodeText(part) : escapeByte(part.charCodeAt(0) - 0xdc00)))
      .join('');
  // The library would lose a parameter with the name __proto__, because it uses an object with a prototype.
  oauth.percentEncodeData = (data) => {
    const encoded: Values = Object.create(null);
    for (const [name, values] of Object.entries(data)) {
      encoded[oauth.percentEncode(name)] = values.map((value) => oauth.percentEncode(value));
    }
    return encoded;
  };
  return oauth;
}

function escapeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase()}`;
}

function computeHmac(baseString: string, consumerSecret: string, tokenSecret = ''): string {
  const hmac = forge.hmac.create();
  hmac.start('sha1', `${escapeSecret(consumerSecret)}&${escapeSecret(tokenSecret)}`);
  hmac.update(baseString);
  return forge.util.encode64(hmac.digest().getBytes());
}

/** Verifies RSASSA-PKCS1-v1_5 with SHA-256; the signature must be canonical base64. Throws if the key is unreadable. */
export function verifyRsaSha256(baseString: string, signature: string, publicKeyPem: string): boolean {
  const bytes = forge.util.decode64(signature);
  if (forge.util.encode64(bytes) !== signature) return false;
  const { modulus, exponent, length } = parsePublicKey(publicKeyPem);
  const signatureNumber = BigInt(`0x0${forge.util.bytesToHex(bytes)}`);
  if (bytes.length !== length || signatureNumber >= modulus) return false;
  const digest = forge.md.sha256.create().update(baseString).digest().toHex();
  return power(signatureNumber, exponent, modulus) === encodedMessage(digest, length);
}

/** The DER bytes before a SHA-256 digest, in hex (RFC 8017 section 9.2, note 1). */
const digestInfo = '3031300d060960864801650304020105000420';

/** Builds the only correct message (RFC 8017 section 9.2). The library would also accept other hash functions. */
function encodedMessage(digest: string, length: number): bigint {
  const padding = 'ff'.repeat(Math.max(length - (digestInfo.length + digest.length) / 2 - 3, 0));
  return BigInt(`0x0001${padding}00${digestInfo}${digest}`);
}

/** Modular exponentiation. BigInt is twenty times faster than the big integers of the library. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let remaining = exponent; remaining > 0n; remaining >>= 1n) {
    if (remaining & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

const keyCache = new Map<string, { readonly modulus: bigint; readonly exponent: bigint; readonly length: number }>();

function parsePublicKey(pem: string) {
  const cached = keyCache.get(pem);
  if (cached !== undefined) return cached;
  const text = pem.replace(/^\ufeff/, '');
  const { n, e } = text.includes('BEGIN CERTIFICATE')
    ? (forge.pki.certificateFromPem(text).publicKey as forge.pki.rsa.PublicKey)
    : (forge.pki.publicKeyFromPem(text) as forge.pki.rsa.PublicKey);
  const key = {
    modulus: BigInt(`0x${n.toString(16)}`),
    exponent: BigInt(`0x${e.toString(16)}`),
    length: Math.ceil(n.bitLength() / 8),
  };
  if (keyCache.size >= 64) keyCache.clear();
  keyCache.set(pem, key);
  return key;
}

function escapeSecret(secret: string): string {
  return encodeURIComponent(secret).replace(/[!'()*]/g, (mark) => escapeByte(mark.charCodeAt(0)));
}
