/** The base string (RFC 5849 section 3.4.1) as `oauth-1.0a` builds it: its encoding, its order, its joining. */
import OAuth from 'oauth-1.0a';
import type { RawParameter } from './raw-request.ts';

type Values = Record<string, string[]>;

/** The library's own types leave this method out. */
const Library = OAuth as unknown as new (options: OAuth.Options) => OAuth & { percentEncodeData(data: Values): Values };

/**
 * Takes the URI without its query and all parameters decoded. The library reads a `+` of a query as a plus and forgets
 * one of two equal names, so it is given neither a query nor plain values: every name comes with the list of its values.
 */
export function libraryBaseString(method: string, uri: string, parameters: readonly RawParameter[]): string {
  const data: Values = Object.create(null);
  for (const [name, value] of parameters) {
    data[name] ??= [];
    data[name].push(value);
  }
  return library().getBaseString({ method, url: uri, data }, Object.create(null));
}

/** The library, with two gaps of its data structures closed; its encoder stays what encodes text. */
function library(): OAuth {
  const oauth = new Library({
    consumer: { key: '', secret: '' },
    signature_method: 'HMAC-SHA1',
    hash_function: () => '',
  });
  const encodeText = oauth.percentEncode.bind(oauth);
  // It cannot carry bytes that are not UTF-8: they come as lone surrogates and leave as their escapes.
  oauth.percentEncode = (text) =>
    text
      .split(/([\udc80-\udcff])/u)
      .map((part, index) => (index % 2 === 0 ? encodeText(part) : escapeKeptByte(part)))
      .join('');
  // It collects into an object with a prototype, where a parameter named __proto__ would vanish.
  oauth.percentEncodeData = (data) => {
    const encoded: Values = Object.create(null);
    for (const [name, values] of Object.entries(data)) {
      encoded[oauth.percentEncode(name)] = values.map((value) => oauth.percentEncode(value));
    }
    return encoded;
  };
  return oauth;
}

function escapeKeptByte(surrogate: string): string {
  return `%${(surrogate.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`;
}
