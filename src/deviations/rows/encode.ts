/** Deviations in percent-encoding and in the encoding of non-ASCII characters (RFC 5849 section 3.6). */
import { type Deviation, everySubset, inStage, type Recipe } from '../deviation.ts';
import type { RequestEvidence } from '../evidence.ts';

const encode = inStage('encode', 'percent-encode');
const join = inStage('encode', 'base-string');
const hexText = 'The client writes escapes in lower case (%3a) instead of upper case.';
const hexCase = inStage('encode', 'percent-encode', { summary: hexText });
const mixedHex = inStage('encode', 'percent-encode', { summary: hexText, fix: 'Use one encoder for both encodings.' });
const charset = inStage('encode', 'percent-encode', { summary: 'The client signs non-ASCII letters wrongly.' });
const composed = inStage('encode', undefined, {
  summary: 'The client signs accented letters in another form than it sends.',
  fix: 'Normalize text before you sign and send it, or not at all.',
});

const characters = {
  slash: '/',
  colon: ':',
  comma: ',',
  at: '@',
  semicolon: ';',
  'exclamation-mark': '!',
  star: '*',
  apostrophe: "'",
  'left-parenthesis': '(',
  'right-parenthesis': ')',
  plus: '+',
  space: ' ',
  dollar: '$',
  'question-mark': '?',
  'number-sign': '#',
  ampersand: '&',
  'equals-sign': '=',
  percent: '%',
  quote: '"',
  bar: '|',
  'left-bracket': '[',
  'right-bracket': ']',
  'left-brace': '{',
  'right-brace': '}',
  'less-than': '<',
  'greater-than': '>',
  backslash: '\\',
  caret: '^',
  backquote: '`',
  tab: '\t',
  'carriage-return': '\r',
  'line-feed': '\n',
} as const;

function bare<const Id extends string>(
  id: Id,
  characters: string,
  change: Partial<Recipe>,
  clientDefect = '',
): Deviation & { readonly id: Id } {
  return encode(id, change)`
    The client does not encode the special characters “${characters}” when it signs.
    The encoder does not escape “${characters}”. RFC 5849 3.6 escapes everything but letters, digits and “- . _ ~”.
    Use an encoder for RFC 3986, or also escape these characters.
    ${clientDefect}`;
}

export const encoding = [
  encode('space-as-plus', { space: 'plus' })`
    The client signs a space as a plus sign.
    The encoder is made for forms: a space becomes "+" instead of %20.
    Use an encoder for RFC 3986, or replace "+" by %20 in its result.
    space-signed-as-plus: A space in a value is a plus in the base string, as in the body`,
  encode('plus-as-space', { plus: 'as-space' })`
    The client signs a plus sign as a space.
    A "+" in a value becomes %20 instead of %2B: every "+" is replaced, even a real plus sign.
    Escape "+" as %2B before you replace the "+" of a form encoder by %20.
    plus-signed-as-space: A plus in a value becomes a space before signing`,
  bare('plus-left-bare', '+', { plus: 'left-bare' }),
  bare(
    'sub-delims-left-bare',
    "! * ' ( )",
    { marks: "!*'()" },
    "sub-delimiters-signed-bare: ! * ' ( and ) are not encoded in the base string, as encodeURIComponent leaves them",
  ),
  bare('star-left-bare', '*', { marks: '*' }),
  bare('exclamation-mark-left-bare', '!', { marks: '!' }),
  bare('apostrophe-left-bare', "'", { marks: "'" }),
  bare('parentheses-left-bare', '( )', { marks: '()' }),
  bare('all-but-apostrophe-left-bare', '! * ( )', { marks: '!*()' }),
  encode('only-first-marks-encoded', { marks: 'later-ones' })`
    The client encodes only the first of several equal special characters when it signs.
    Only the first ! and the first * are escaped, and ' ( ) never. The cause is replace() with a text instead of /…/g.
    Replace every occurrence of ! * ' ( ).`,
  ...(['slash', 'colon', 'comma', 'at', 'semicolon'] as const).map((name) =>
    bare(`${name}-left-bare`, characters[name], { reserved: characters[name] }),
  ),
  bare('path-characters-left-bare', '/ : @ , ;', { reserved: '/:@,;' }),
  bare('reserved-left-bare', '; , / ? : @ & = + $ #', { reserved: ';,/?:@&=$#', plus: 'left-bare' }),
  encode('tilde-encoded', { unreserved: '~' })`
    The client encodes the tilde when it signs, but it must stay unencoded.
    The encoder follows an older standard: "~" becomes %7E.
    Replace %7E by "~" in the result.
    tilde-signed-as-escape: A tilde is %7E in the base string`,
  encode('unreserved-encoded', { unreserved: '-._~' })`
    The client encodes “- . _ ~”, but these characters must stay unencoded.
    The encoder escapes everything but letters and digits.
    Leave letters, digits and “- . _ ~” unencoded.`,
  hexCase('lower-case-hex', { hex: 'lower' })`
    The encoder writes %2f instead of %2F, in both encodings.
    Convert only the escapes to upper case.
    lower-case-escapes-signed: Escapes in the base string have lower-case hex digits`,
  mixedHex('lower-case-hex-in-parameters', { hex: 'lower-inside' })`
    Escapes in names and values are in lower case. The escapes of the second encoding are right.`,
  mixedHex('lower-case-hex-outside', { hex: 'lower-outside' })`
    Escapes in names and values are right. The escapes of the second encoding are in lower case.`,
  encode('escapes-kept', { escapes: 'kept' })`
    The client does not encode values that look encoded.
    A "%" before two hex digits is not escaped to %25.
    Encode every "%", because the value is not encoded yet.`,
  join('encoded-once-too-often', { parameterEncoding: 'twice' })`
    The client encodes the signed values once too often.
    Names and values are percent-encoded twice before they are joined, so three times in all.
    Encode names and values once, and the joined text once.
    values-encoded-once-too-often: Names and values are encoded three times`,
  join('values-not-encoded', { parameterEncoding: 'none' })`
    The client encodes the signed values once instead of twice.
    Names and values are joined without being encoded, and only the joined text is encoded.
    Encode each name and value before joining them, and the joined text once more.
    values-joined-unencoded: Names and values are joined without encoding, so they are encoded only once`,
  join('names-not-encoded', { nameEncoding: 'none' })`
    The client encodes the signed values, but not the names of the fields.
    Parameter names are joined without being encoded.
    Encode names as well as values.`,
  // The next two need another deviation of this table. The second also needs a secret with reserved characters.
  encode('wrong-encoder-in-parameters-only', { reach: 'parameters' })`
    The wrong encoding is only in names and values.
    Names and values are encoded with another encoder than the joined text, the URI and the key.
    Use the encoder of RFC 5849 3.6 for all these parts.`,
  encode('wrong-encoder-in-base-string-only', { reach: 'base-string' })`
    The wrong encoding is only in the base string, not in the secret.
    The base string is encoded with another encoder than the key.
    Use the encoder of RFC 5849 3.6 for the base string and for the key.`,
  charset('latin-1', { charset: 'latin-1' })`
    Text is encoded as ISO-8859-1 in the base string: é becomes %E9.
    Encode as UTF-8: é is %C3%A9.
    text-signed-as-latin-1: Non-ASCII text is signed in ISO 8859-1; other characters become question marks`,
  charset('mojibake', { charset: 'mojibake' })`
    UTF-8 bytes are read as ISO-8859-1 and encoded as UTF-8 again: é becomes %C3%83%C2%A9.
    Convert text to UTF-8 once.
    text-signed-twice-encoded: Text is encoded as UTF-8 twice`,
  charset('non-ascii-as-question-mark', { charset: 'question-marks' })`
    Text is encoded as ASCII in the base string: é becomes %3F.
    Encode as UTF-8.`,
  charset('non-ascii-left-bare', { charset: 'left-bare' })`
    Characters beyond ASCII are in the base string without being encoded.
    Escape every byte of the UTF-8 text.`,
  charset('percent-u-escapes', { charset: 'percent-u' })`
    The encoder is JavaScript’s escape() or similar: 漢 becomes %u6F22.
    Use encodeURIComponent(), and escape the special characters that it leaves.`,
  encode('surrogates-encoded-apart', { charset: 'cesu-8' })`
    The client signs emoji and other rare characters wrongly.
    Each half of a UTF-16 pair is encoded separately (CESU-8): six bytes instead of four.
    Encode whole code points.
    text-signed-by-utf-16-unit: Each half of a surrogate pair is encoded separately`,
  composed('composed-before-signing', { composition: 'nfc' })`
    Text is normalized to NFC in the base string, but not in the body.
    gateway values-composed: Text is normalized to NFC before verification`,
  composed('decomposed-before-signing', { composition: 'nfd' })`
    Text is normalized to NFD in the base string, but not in the body.`,
] as const;

/** A request has up to 7 special characters: all their sets are tried. More: only the first 14, alone and in pairs. */
const maxForAllSets = 7;
const maxForPairs = 14;

function partialEncoders({ credentials, query, body }: RequestEvidence): Deviation[] {
  const texts = [...credentials, ...query, ...body].flatMap(({ name, value }) => [name, value]);
  const names = Object.entries(characters).flatMap(([name, one]) =>
    texts.some((text) => text.includes(one)) ? [name as keyof typeof characters] : [],
  );
  const isTooMany = names.length > maxForAllSets;
  const partial: Deviation[] = [];
  for (let size = 1; size <= (isTooMany ? 2 : maxForAllSets); size += 1) {
    everySubset(names.slice(0, maxForPairs), size, (set) => {
      const labels = set.map((name) => (characters[name].trim() === '' ? name : characters[name]));
      const reserved = set.map((name) => characters[name]).join('');
      partial.push(bare(`${set.join('-')}-left-bare`, labels.join(' '), { reserved }));
      return true;
    });
  }
  return isTooMany ? [...partial, ...libraryEncoders] : partial;
}

const libraryEncoders: readonly Deviation[] = (
  [
    ['axios', 'axios, which also encodes a space as a plus', "!'()*:$,[]", { space: 'plus' }],
    ['angular', 'Angular’s HttpParams', "!'()*@:$,;=?/", {}],
    ['escape-uri-string', 'Uri.EscapeUriString of .NET or Elixir’s URI.encode', "!#$&'()*+,/:;=?@[]", {}],
    ['encode-full', 'Dart’s Uri.encodeFull', "!#$&'()*+,/:;=?@", {}],
    ['requote-uri', 'requote_uri of Python’s requests', "!#$%&'()*+,/:;=?@[]", {}],
    ['url-query-allowed', 'Swift’s urlQueryAllowed', "!$&'()*+,/:;=?@", {}],
    ['url-path-allowed', 'Swift’s urlPathAllowed', "!$&'()*+,/:=@", {}],
    ['url-host-allowed', 'Swift’s urlHostAllowed', "!$&'()*+,:;=[]", {}],
    ['url-user-allowed', 'Swift’s urlUserAllowed', "!$&'()*+,;=", {}],
    ['path-escape', 'Go’s url.PathEscape', '$&+:=@', {}],
    ['path-segment-escaper', 'the path segment escaper of Guava', "!$'()*,;&=@:+", {}],
    ['encode-query-param', 'encodeQueryParam of Spring', "!$'()*,;:@/?", {}],
    ['uri-escape', 'Ruby’s URI.escape', ";/?:@&=+$,[]!*'()", {}],
  ] as const
).map(
  ([id, library, reserved, others]) =>
    encode(`left-bare-as-${id}`, { reserved, ...others })`
    The client leaves special characters unencoded when it signs, namely “${[...reserved].join(' ')}”.
    The encoder is that of ${library}; RFC 5849 3.6 escapes everything but letters, digits and “- . _ ~”.
    Use an encoder for RFC 3986, or also escape these characters.`,
);

const codePages =
  'windows-1252 windows-1251 windows-1250 windows-1254 iso-8859-2 iso-8859-5 iso-8859-15 koi8-r ibm866 macintosh';

const otherCharsets: readonly Deviation[] = [
  ...(
    [
      ['unit-escapes', 'A character is escaped as % and the code of its UTF-16 unit in hex: € becomes %20AC.'],
      ['unit-escapes-of-four', 'A character is escaped as % and its UTF-16 unit in four digits: é becomes %00E9.'],
      ['percent-u-of-four', 'A character is escaped as %u and its UTF-16 unit in four digits: é becomes %u00E9.'],
      ['decimal-escapes', 'A character is escaped as % and its code in decimal digits: é becomes %233.'],
      ['entities', 'A character is written as an HTML entity: é becomes &#233;.'],
      ['hex-entities', 'A character is written as an HTML entity in hex: é becomes &#xE9;.'],
      ['escaped-entities', 'A character is written as an HTML entity and then escaped: é becomes %26%23233%3B.'],
    ] as const
  ).map(
    ([id, developer]) => charset(id, { charset: id })`
    ${developer}
    Escape each byte of its UTF-8: é is %C3%A9.`,
  ),
  ...codePages.split(' ').map(
    (id) => charset(id, { charset: id as Recipe['charset'] })`
    Text is encoded as ${id} in the base string; other characters become question marks.
    Encode as UTF-8: é is %C3%A9.`,
  ),
];

const unpadded = encode('escapes-without-leading-zero', { hex: 'unpadded' })`
  The client escapes control characters with one hex digit instead of two.
  The encoder drops leading zeros: a tab is %9 instead of %09, a line feed %A instead of %0A.
  Write each byte as "%" and two hex digits.`;

export function otherEncoders(evidence: RequestEvidence): Deviation[] {
  const hasMatch = (pattern: RegExp) =>
    [evidence.credentials, evidence.query, evidence.body].some((pairs) =>
      pairs.some(({ name, value }) => pattern.test(name) || pattern.test(value)),
    );
  return [
    ...(hasMatch(/[^\0-\x7f]/) ? otherCharsets : []),
    ...(hasMatch(/[\0-\x0f]/) ? [unpadded] : []),
    ...partialEncoders(evidence),
  ];
}
