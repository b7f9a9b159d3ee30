/** How a client signs: one choice for each step of RFC 5849 section 3.4. A deviation changes some, and everything else stays right. */

export interface Recipe {
  /** Which parameters are collected (3.4.1.3.1). */
  readonly body: 'once' | 'left-out' | 'twice' | 'body-hash' | 'one-name' | 'any-type';
  readonly oauth: 'once' | 'left-out' | 'twice';
  readonly query: 'once' | 'left-out' | 'twice';
  readonly realm: 'left-out' | 'as-sent' | 'empty';
  readonly signature: 'left-out' | 'empty';
  /** Name of a parameter that is sent and not signed. */
  readonly omitted: string;
  /** A form of parameters that are signed and not sent. */
  readonly added: string;
  /** A form of parameters that are signed with these values and sent with others. */
  readonly altered: string;
  readonly timestamp: 'as-sent' | 'second-before' | 'second-after' | 'in-seconds';
  /** Or how a list of `1` and `2` is printed, which then is the one value. */
  readonly duplicates: 'kept' | 'first' | 'last' | 'copies-dropped' | 'bracketed' | 'indexed' | string;
  readonly empties: 'kept' | 'left-out' | 'without-equals';
  /** What is taken for the value of a parameter that is encoded on the wire. */
  readonly headerText: 'decoded' | 'raw' | 'decoded-twice';
  readonly bodyText: 'decoded' | 'raw' | 'plus-kept';
  readonly queryText: 'decoded' | 'raw' | 'plus-kept';
  /** Or how a list of `1` and `2` is printed, where each value is a list of one. */
  readonly values: 'as-read' | 'decoded-again' | 'trimmed' | 'spaces-merged' | string;
  readonly names: 'as-read' | 'lower-case';
  readonly lines: 'as-read' | 'crlf-to-lf' | 'lf-to-crlf' | 'removed';
  readonly payload: 'as-read' | 'base64-decoded' | 'unpadded' | 'url-safe';
  /** Whether pieces of the body between `&` that have no known name are part of the field before them. */
  readonly pieces: 'each' | 'joined';
  /** What the body starts with and the first name is signed without. */
  readonly start: string;
  readonly ending: 'as-sent' | 'final-newline-cut';
  /** How text is encoded (3.6), in parameters, URI and key. */
  readonly charset: Charset;
  readonly composition: 'as-read' | 'nfc' | 'nfd';
  readonly space: 'escaped' | 'plus';
  readonly plus: 'escaped' | 'as-space' | 'left-bare';
  /** Those of `!*'()` that stay bare; `later-ones` escapes only the first `!` and the first `*` of a text. */
  readonly marks: '' | 'later-ones' | string;
  /** Other characters that stay bare. */
  readonly reserved: string;
  /** Unreserved characters that are escaped. */
  readonly unreserved: string;
  readonly hex: 'upper' | 'lower' | 'lower-inside' | 'lower-outside' | 'unpadded';
  readonly escapes: 'escaped' | 'kept';
  /** Whether the choices above hold for the joined text, the URI and the key, too, or only for names and values, or all but the key. */
  readonly reach: 'everywhere' | 'parameters' | 'base-string';
  /** How often names and values are encoded before they are joined. */
  readonly parameterEncoding: 'once' | 'none' | 'twice';
  readonly headerEncoding: 'once' | 'none';
  readonly nameEncoding: 'once' | 'none';
  readonly order: Order;
  readonly joined: 'encoded' | 'bare' | 'encoded-twice' | 'separators-bare';
  readonly end: 'none' | 'ampersand';
  /** The URI (3.4.1.2). */
  readonly scheme: 'as-sent' | 'http' | 'https' | 'upper-case';
  /** Or a pattern with an `A` wherever the host has a capital. */
  readonly hostCase: 'lower' | 'as-sent' | 'upper' | string;
  readonly port: 'rfc' | 'as-sent' | 'always' | 'never' | 'cut';
  readonly path:
    | 'as-sent'
    | 'lower-case'
    | 'decoded'
    | 'encoded-again'
    | 'tilde-escaped'
    | 'delimiters-escaped'
    | 'escaped'
    | 'slash-escaped'
    | 'hyphens-escaped'
    | 'slashes-merged';
  readonly slash: 'as-sent' | 'added' | 'cut';
  readonly segments: 'all' | 'without-first' | 'without-last';
  readonly uriQuery: 'left-out' | 'kept' | 'question-mark';
  /** A text with `{scheme}`, `{host}`, `{port}` (with its colon, or empty), `{path}` and `{query}`. */
  readonly uriForm: string;
  readonly uriEncoding: 'once' | 'none' | 'twice';
  readonly method: 'upper-case' | 'lower-case' | 'capitalized' | 'GET' | 'POST' | 'left-out';
  /** The base string as a whole (3.4.1.1). */
  readonly whole: 'as-is' | 'lower-case' | 'encoded-again';
  /** What is hashed: a text with `{}` for the base string. */
  readonly message: string;
  readonly messageCharset: TextCharset;
  readonly prehash: 'none' | 'bytes' | 'hex' | 'base64';
  /** The key of an HMAC (3.4.2). */
  readonly secret: SecretForm;
  /** A text with `{secret}`, `{token}` and `{key}` for the encoded secrets and the consumer key. */
  readonly keyForm: string;
  readonly keyCharset: TextCharset;
  readonly secretEncoding: 'once' | 'none' | 'twice';
  readonly token: 'as-issued' | 'null' | '(null)' | 'undefined' | 'None' | 'left-out' | 'consumer-secret';
  readonly mac: 'hmac' | 'swapped' | 'key-first' | 'key-last' | 'no-key';
}

/** What becomes of a character beyond ASCII; a name of the Encoding Standard is that of a charset with one byte for each. */
export type Charset =
  | 'utf-8'
  | 'latin-1'
  | 'mojibake'
  | 'question-marks'
  | 'left-bare'
  | 'cesu-8'
  | 'percent-u'
  | 'percent-u-of-four'
  | 'unit-escapes'
  | 'unit-escapes-of-four'
  | 'decimal-escapes'
  | 'entities'
  | 'hex-entities'
  | 'escaped-entities'
  | `windows-${number}`
  | `iso-8859-${number}`
  | 'koi8-r'
  | 'ibm866'
  | 'macintosh';

export type Order =
  | 'encoded'
  | 'header-first'
  | 'query-first'
  | 'body-first'
  | 'each-source'
  | 'each-source-body-first'
  | 'before-encoding'
  | 'as-joined'
  | 'name-only'
  | 'case-insensitive'
  | 'natural'
  | 'locale'
  | 'descending';

/** What is made of a secret, or a text with `{}` for it. */
export type SecretForm =
  | `${string}{}${string}`
  | 'lower-case'
  | 'upper-case'
  | 'trimmed'
  | 'percent-decoded'
  | 'html-escaped'
  | 'without-hyphens'
  | 'base64-decoded'
  | 'base64-encoded'
  | 'base64-of-line'
  | 'hex-decoded'
  | 'hex-encoded'
  | 'md5'
  | 'sha1'
  | 'sha256';

export type TextCharset = 'utf-8' | 'utf-16' | 'utf-16-be' | 'utf-16-with-mark' | 'utf-16-be-with-mark';

/**
 * Parts of the computation that are kept between candidates; a choice belongs to each part that it changes. The parameters
 * are collected first and then arranged: encoded, sorted, joined.
 */
export const parts = { encoder: 1, parameters: 2, uri: 4, key: 8, whole: 16, collected: 32, arranged: 64 } as const;

const arranged = parts.arranged | parts.parameters;
const encoding = parts.encoder | arranged | parts.uri | parts.key;
const collected = parts.collected | parts.parameters;

/** What RFC 5849 says to the letter, and the parts that the choice changes. */
const choices: { readonly [Name in keyof Recipe]: readonly [right: Recipe[Name], parts: number] } = {
  body: ['once', collected],
  oauth: ['once', collected],
  query: ['once', collected],
  realm: ['left-out', collected],
  signature: ['left-out', collected],
  omitted: ['', collected],
  added: ['', collected],
  altered: ['', collected],
  pieces: ['each', collected],
  start: ['', collected],
  timestamp: ['as-sent', collected],
  duplicates: ['kept', collected],
  empties: ['kept', collected | arranged],
  headerText: ['decoded', collected],
  bodyText: ['decoded', collected],
  queryText: ['decoded', collected],
  values: ['as-read', collected],
  names: ['as-read', collected],
  lines: ['as-read', collected],
  payload: ['as-read', collected],
  ending: ['as-sent', collected],
  charset: ['utf-8', encoding],
  composition: ['as-read', encoding],
  space: ['escaped', encoding],
  plus: ['escaped', encoding],
  marks: ['', encoding],
  reserved: ['', encoding],
  unreserved: ['', encoding],
  hex: ['upper', encoding],
  escapes: ['escaped', encoding],
  reach: ['everywhere', encoding],
  parameterEncoding: ['once', arranged],
  headerEncoding: ['once', arranged],
  nameEncoding: ['once', arranged],
  order: ['encoded', arranged],
  joined: ['encoded', arranged],
  end: ['none', arranged],
  scheme: ['as-sent', parts.uri],
  hostCase: ['lower', parts.uri],
  port: ['rfc', parts.uri],
  path: ['as-sent', parts.uri],
  slash: ['as-sent', parts.uri],
  segments: ['all', parts.uri],
  uriQuery: ['left-out', parts.uri],
  uriForm: ['{scheme}://{host}{port}{path}{query}', parts.uri],
  uriEncoding: ['once', parts.uri],
  method: ['upper-case', parts.whole],
  whole: ['as-is', parts.whole],
  message: ['{}', parts.whole],
  messageCharset: ['utf-8', parts.whole],
  prehash: ['none', parts.whole],
  secret: ['{}', parts.key],
  keyForm: ['{secret}&{token}', parts.key],
  keyCharset: ['utf-8', parts.key],
  secretEncoding: ['once', parts.key],
  token: ['as-issued', parts.key],
  mac: ['hmac', parts.whole],
};

/** RFC 5849, to the letter. */
export const plainRecipe = Object.fromEntries(
  Object.entries(choices).map(([name, [right]]) => [name, right]),
) as unknown as Recipe;

/** Bits of `parts` that a change concerns. */
export function partsOfChange(change: Partial<Recipe>): number {
  return Object.keys(change).reduce((bits, name) => bits | choices[name as keyof Recipe][1], 0);
}
