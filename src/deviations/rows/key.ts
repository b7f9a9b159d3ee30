/** Deviations in the key, hash, MAC, RSA signature and output encoding (RFC 5849 sections 3.4.2 to 3.4.4 and 3.5.1). */
import { type Deviation, inStage, type Recipe } from '../deviation.ts';
import { nullTexts } from './uri.ts';

const secretText = 'The client does not sign with the secret that was issued to it.';
const keyText = 'The client builds the signing key wrongly.';
const key = inStage('key', 'key');
const keyShape = inStage('key', 'key', { summary: keyText });
const otherSecret = inStage('key', 'key', { summary: secretText });
const surrounded = inStage('key', 'key', {
  summary: secretText,
  fix: 'Remove spaces, line ends and marks around the secret.',
});
const altered = inStage('key', 'key', { summary: secretText, fix: 'Use the secret exactly as issued.' });
const token = inStage('key', 'key', { summary: keyText, fix: 'Use an empty text instead of a missing token secret.' });

export const keys = [
  keyShape('no-ampersand-in-key', { keyForm: '{secret}{token}' })`
    The key has no "&" between the two secrets.
    Put "&" after the consumer secret, even without a token secret.
    key-without-ampersand: The HMAC key is only the secret, without the & for the empty token secret`,
  keyShape('ampersand-escaped-in-key', { keyForm: '{secret}%26{token}' })`
    The "&" of the key is escaped to %26.
    Encode the two secrets, then join them with an unescaped "&".`,
  keyShape('secrets-swapped', { keyForm: '{token}&{secret}' })`
    The token secret comes before the consumer secret.
    Put the consumer secret first.
    key-parts-swapped: The two secrets are swapped in the HMAC key`,
  otherSecret('consumer-key-as-secret', { keyForm: '{key}&{token}' })`
    oauth_consumer_key is used instead of the consumer secret.
    Use the consumer secret, not the consumer key.
    gateway consumer-key-taken-as-secret: A signature with the consumer key as the secret is accepted: anybody who saw one request can sign others`,
  key('secret-missing', { keyForm: '&' })`
    The client signs without a secret: its configuration is probably empty.
    The key is only "&".
    Check that the secret is loaded.
    gateway empty-secret-taken: A signature with an empty consumer secret is accepted`,
  keyShape('secret-not-encoded', { secretEncoding: 'none' })`
    The secrets are not percent-encoded before they are joined.
    Percent-encode both secrets.
    secret-not-encoded: The consumer secret goes into the HMAC key without percent-encoding`,
  keyShape('secret-encoded-twice', { secretEncoding: 'twice' })`
    The secrets are percent-encoded twice before they are joined.
    Percent-encode both secrets once. Some libraries do this themselves.`,
  surrounded('secret-with-newline', { secret: '{}\n' })`
    The consumer secret ends with LF: it was read from a file with its line end.
    secret-with-line-feed: The consumer secret includes the line feed at the end of its file`,
  surrounded('secret-with-crlf', { secret: '{}\r\n' })`
    The consumer secret ends with CRLF: it was read from a file with its line end.`,
  surrounded('secret-with-space', { secret: '{} ' })`The consumer secret ends with a space.`,
  surrounded('secret-with-byte-order-mark', { secret: '\ufeff{}' })`The consumer secret starts with U+FEFF.`,
  altered('secret-lower-cased', { secret: 'lower-case' })`
    The consumer secret is lower-cased.
    secret-in-small-letters: The consumer secret is converted to lower case`,
  altered('secret-upper-cased', { secret: 'upper-case' })`
    The consumer secret is upper-cased.
    secret-in-capitals: The consumer secret is converted to upper case
    gateway secret-case-ignored: The consumer secret is compared case-insensitively`,
  altered('secret-base64-decoded', { secret: 'base64-decoded' })`The consumer secret is decoded as base64.`,
  altered('secret-base64-encoded', { secret: 'base64-encoded' })`The consumer secret is encoded in base64.`,
  altered('secret-hex-decoded', { secret: 'hex-decoded' })`The consumer secret is decoded as hex, without its dashes.`,
  token('null-token-secret', { token: 'null' })`
    The missing token secret is written as the text "null".
    token-secret-null: The missing token secret is written as the text null`,
  token('null-in-parentheses-token-secret', { token: '(null)' })`
    The missing token secret is written as the text "(null)", as Objective-C and C print it.`,
  token('undefined-token-secret', { token: 'undefined' })`The missing token secret is written as the text "undefined".`,
  token('none-token-secret', {
    token: 'None',
  })`The missing token secret is written as the text "None", as Python prints it.`,
  keyShape('token-secret-left-out', { token: 'left-out' })`
    The token secret is missing from the key.
    Put the token secret after "&".`,
  token('consumer-secret-as-token-secret', { token: 'consumer-secret' })`
    The consumer secret is also used as the token secret.`,
] as const;

const surroundings = [
  ['quote', '"', 'a quote (")'],
  ['apostrophe', "'", "an apostrophe (')"],
  ['backquote', '`', 'a backquote'],
  ['space', ' ', 'a space'],
  ['tab', '\t', 'a tab'],
  ['line-feed', '\n', 'a line feed'],
  ['carriage-return', '\r', 'a carriage return'],
  ['crlf', '\r\n', 'CR and LF'],
  ['zero-width-space', '\u200b', 'U+200B, a zero-width space'],
  ['word-joiner', '\u2060', 'U+2060, which is invisible'],
  ['no-break-space', '\u00a0', 'U+00A0, a non-breaking space'],
  ['byte-order-mark', '\ufeff', 'U+FEFF, a byte-order mark'],
  ['three-characters-of-a-mark', '\u00ef\u00bb\u00bf', 'the bytes of a byte-order mark as three characters'],
  ['nul', '\0', 'a NUL character'],
  ['backslash', '\\', 'a backslash'],
  ['backslash-n', '\\n', 'a backslash and the letter n'],
  ['backslashes-r-n', '\\r\\n', 'backslashes and the letters r and n'],
  ['escaped-line-feed', '%0A', '%0A'],
  ['semicolon', ';', 'a semicolon'],
  ['comma', ',', 'a comma'],
  ['colon', ':', 'a colon'],
  ['equals-sign', '=', 'an equals sign'],
  ['ampersand', '&', 'an ampersand'],
  ['dot', '.', 'a dot'],
] as const;

const brackets = [
  ['curly-quotes', '\u201c{}\u201d'],
  ['single-curly-quotes', '\u2018{}\u2019'],
  ['angle-quotes', '\u00ab{}\u00bb'],
  ['angle-brackets', '<{}>'],
  ['square-brackets', '[{}]'],
  ['parentheses', '({})'],
  ['braces', '{{}}'],
  ['two-pairs-of-braces', '{{{}}}'],
  ['dollar-and-braces', '$\u007b{}}'],
  ['percent-signs', '%{}%'],
  ['escaped-quotes', '\\"{}\\"'],
  ['quotes-of-bytes-in-python', "b'{}'"],
] as const;

const around = (id: string, secret: Recipe['secret'], developer: string) => surrounded(id, { secret })`${developer}.`;

const otherSecretForms = [
  ['secret-trimmed', 'trimmed', 'Spaces at the ends of the consumer secret are removed'],
  ['secret-percent-decoded', 'percent-decoded', 'Escapes in the consumer secret are decoded'],
  [
    'secret-html-escaped',
    'html-escaped',
    'Characters such as & and < in the consumer secret are written as HTML entities',
  ],
  ['secret-without-hyphens', 'without-hyphens', 'The hyphens of the consumer secret are removed'],
  [
    'secret-base64-encoded-with-line-feed',
    'base64-of-line',
    'The consumer secret is encoded in base64 with the line feed that echo adds',
  ],
  ['secret-hex-encoded', 'hex-encoded', 'The consumer secret is encoded in hex'],
  ['secret-hashed-with-md5', 'md5', 'The MD5 hash of the consumer secret, in hex, is used as the secret'],
  ['secret-hashed-with-sha1', 'sha1', 'The SHA-1 hash of the consumer secret, in hex, is used as the secret'],
  ['secret-hashed-with-sha256', 'sha256', 'The SHA-256 hash of the consumer secret, in hex, is used as the secret'],
] as const;

const otherKeyForms = [
  ['consumer-key-before-secret', '{key}&{secret}', 'The key is the consumer key, "&" and the consumer secret'],
  ['consumer-key-behind-secret', '{secret}&{key}', 'The consumer key is used instead of the token secret'],
  ['consumer-key-and-secret-joined', '{key}{secret}', 'The key is the consumer key with the secret directly after it'],
  ['consumer-key-and-secret-as-in-basic', '{key}:{secret}', 'The key is the consumer key, ":" and the secret'],
  ['consumer-key-alone-as-key', '{key}', 'The key is only the consumer key'],
  ['secret-alone-as-key', '{secret}', 'The key is only the consumer secret, without "&" and token secret'],
  ['token-secret-alone-as-key', '{token}', 'The key is only the token secret'],
  ['key-empty', '', 'The key is empty: even "&" is missing'],
  ['secrets-joined-by-plus', '{secret}+{token}', 'The secrets are joined by "+"'],
  ['secrets-joined-by-colon', '{secret}:{token}', 'The secrets are joined by ":"'],
  ['secrets-joined-by-comma', '{secret},{token}', 'The secrets are joined by ","'],
  ['secrets-joined-by-bar', '{secret}|{token}', 'The secrets are joined by "|"'],
  ['secrets-joined-by-space', '{secret} {token}', 'The secrets are joined by a space'],
  ['ampersand-of-key-as-entity', '{secret}&amp;{token}', 'The "&" of the key is written as "&amp;"'],
  ['two-ampersands-in-key', '{secret}&&{token}', 'The key has "&" twice between the secrets'],
  ['ampersand-before-key', '&{secret}&{token}', 'The key begins with "&"'],
  ['key-with-line-feed', '{secret}&{token}\n', 'The key ends with a line feed, as from a file or from echo'],
  ['key-with-nul', '{secret}&{token}\0', 'The key ends with a NUL character, as strings in C do'],
] as const;

const charsets: readonly Deviation[] = (
  [
    ['utf-16', 'as Encoding.Unicode of .NET gives it'],
    ['utf-16-be', 'with the high byte first'],
    ['utf-16-with-mark', 'with a byte-order mark'],
    ['utf-16-be-with-mark', 'as getBytes("UTF-16") of Java gives it'],
  ] as const satisfies readonly (readonly [Recipe['keyCharset'], string])[]
).flatMap(([id, about]) => {
  const hashCharset = inStage('hash', 'sign', { summary: 'The client signs the text in another character encoding.' });
  const changes = [
    ['base-string-and-key', { messageCharset: id, keyCharset: id }, 'Base string and key are'],
    ['key', { keyCharset: id }, 'The key is'],
    ...(id === 'utf-16' ? [] : [['base-string', { messageCharset: id }, 'The base string is'] as const]),
  ] as const;
  return changes.map(
    ([what, change, subject]) => hashCharset(`${what}-in-${id}`, change)`
    ${subject} hashed as UTF-16, ${about}.
    Hash ASCII or UTF-8 bytes of both.`,
  );
});

/** More deviations in the key, which only an autopsy tries: changed secrets, and other ways to join them. */
export const otherKeys: readonly Deviation[] = [
  ...charsets,
  ...surroundings.flatMap(([id, text, label]) => [
    around(`${id}-before-secret`, `${text}{}`, `The consumer secret begins with ${label}`),
    around(`${id}-behind-secret`, `{}${text}`, `The consumer secret ends with ${label}`),
    around(`${id}-around-secret`, `${text}{}${text}`, `The consumer secret begins and ends with ${label}`),
  ]),
  ...brackets.map(([id, secret]) =>
    around(`${id}-around-secret`, secret, `The consumer secret is used as ${secret.replace('{}', 'SECRET')}`),
  ),
  ...otherSecretForms.map(([id, secret, developer]) => altered(id, { secret })`${developer}.`),
  ...otherKeyForms.map(
    ([id, keyForm, developer]) => keyShape(id, { keyForm })`
    ${developer}.
    Join the encoded consumer secret, "&", and the encoded token secret. The token secret may be empty.`,
  ),
  ...Object.entries(nullTexts).flatMap(([id, word]) => [
    otherSecret(`secret-signed-as-${id}`, { keyForm: `${word}&{token}` })`
      "${word}" is used instead of the consumer secret.
      Check that the secret is loaded.`,
    otherSecret(`both-secrets-signed-as-${id}`, { keyForm: `${word}&${word}` })`
      "${word}" is used instead of both secrets.
      Check that the secret is loaded, and use an empty text instead of a missing token secret.`,
  ]),
];

const methodText = 'The client does not use the signature method that it announces.';
const wrongMethod = inStage('hash', 'sign', { summary: methodText });
const noHmac = inStage('hash', 'sign', { summary: methodText, fix: 'Use the HMAC function of your language.' });
const hashed = inStage('hash', 'sign', {
  summary: methodText,
  fix: 'Pass the base string itself to the signing function.',
});

/** Deviations in hash and MAC that a search must try. Those in `signatureDeviations` need no search. */
export const hashing = [
  wrongMethod('key-and-text-swapped', { mac: 'swapped' })`
    The client passes key and base string to the HMAC function in the wrong order.
    Exchange the two arguments.`,
  noHmac('hash-of-key-and-text', { mac: 'key-first' })`
    The signature is a plain hash of key and base string, not an HMAC.`,
  noHmac('hash-of-text-and-key', { mac: 'key-last' })`
    The signature is a plain hash of base string and key, not an HMAC.`,
  noHmac('hash-without-key', { mac: 'no-key' })`
    The signature is a plain hash of the base string, without any key.`,
  hashed('digest-signed', { prehash: 'bytes' })`
    The base string is hashed twice: by the client, and then by the signing function.`,
  hashed('hex-digest-signed', { prehash: 'hex' })`
    The hash of the base string, written in hex, is signed instead of the base string.`,
  hashed('base64-digest-signed', { prehash: 'base64' })`
    The hash of the base string, written in base64, is signed instead of the base string.`,
] as const;

function hash<const Name extends string>(name: Name, title: string) {
  return wrongMethod(`hash-${name}`)`
    The signature uses ${title}, but the announced method requires another hash.
    Use the hash that oauth_signature_method names.`;
}

const formText = 'The signature is right, but written in the wrong form.';
const outputForm = inStage('output', 'header', { summary: formText });
const notBase64 = inStage('output', 'header', {
  summary: formText,
  fix: 'Encode the signature bytes in standard base64, with padding and without line breaks.',
});

export const signatureDeviations = [
  hash('md5', 'MD5'),
  hash('sha1', 'SHA-1'),
  hash('sha224', 'SHA-224'),
  hash('sha256', 'SHA-256'),
  hash('sha384', 'SHA-384'),
  hash('sha512', 'SHA-512'),
  wrongMethod('hmac-instead-of-rsa')`
    The announced method is RSA, but the signature is an HMAC with the consumer secret.
    Sign with the RSA private key.`,
  wrongMethod('rsa-instead-of-hmac')`
    The announced method is HMAC, but the signature is an RSA signature.
    Sign with the consumer secret.`,
  wrongMethod('pss-padding')`
    The signature has PSS padding, but RSA-SHA256 means RSASSA-PKCS1-v1_5.
    Choose PKCS #1 v1.5 padding.`,
  wrongMethod('digest-info-missing')`
    Only the digest is signed, without the DigestInfo that names the hash (RFC 8017 9.2).
    Use the signing function of the library, not its private-key encryption.`,
  wrongMethod('plaintext-signature')`
    The signature is the key itself, as for the method PLAINTEXT.
    Sign with the announced method. Change the secret, because the signature shows it.`,
  notBase64('signature-unpadded')`The "=" at the end of the base64 text is missing.`,
  notBase64('signature-url-safe')`The base64 text has "-" and "_" instead of "+" and "/".`,
  notBase64('signature-url-safe-unpadded')`The base64 text has "-" and "_" instead of "+" and "/", and no padding.`,
  notBase64('signature-with-newline')`A line end follows the base64 text.`,
  notBase64('signature-wrapped')`The base64 text is broken into lines, as many encoders do by default.`,
  outputForm('signature-plus-lost')`
    Every "+" of the signature arrived as a space: it was sent unescaped, and a form decoder changed it.
    Percent-encode the signature in the header: %2B, %2F, %3D.`,
  notBase64('signature-in-hex')`The bytes are written in hex.`,
  notBase64('signature-in-upper-case-hex')`The bytes are written in hex, in upper case.`,
  outputForm('hex-digest-in-base64')`
    The hex text of the bytes is encoded in base64.
    Ask the hash function for bytes, not for hex.`,
  outputForm('double-base64')`
    The base64 text is encoded in base64 again.
    Encode once. The signing function may already return base64.`,
  outputForm('signature-escaped-before-header')`
    Only the signature is percent-encoded twice: before the header is written, and again when it is written.
    Encode values once, when the header is written.`,
  outputForm('signature-bytes-reversed')`
    The bytes are in reverse order, as the Windows CryptoAPI gives them.
    Reverse the bytes before you encode them.`,
] as const;
