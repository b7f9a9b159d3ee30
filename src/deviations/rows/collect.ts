/** Deviations in the signed parameters: which, with which values, and in which order (RFC 5849 section 3.4.1). */
import { type Deviation, inStage } from '../deviation.ts';

const collect = inStage('collect', 'collect');
const plain = inStage('collect');
const clock = inStage('collect', undefined, {
  summary: 'The client reads the clock twice, so the signed time differs from the sent time.',
  fix: 'Read the clock once for each request.',
});
const header = inStage('collect', 'header');
const written = inStage('collect', 'base-string');
const encode = inStage('encode', 'base-string');

/** If oauth_body_hash was sent, the first two give the same signature. An autopsy names the first: it is more exact. */
const parameters = [
  collect('body-hash-instead-of-body', { body: 'body-hash' })`
    The client signs a checksum of the form instead of the form fields themselves.
    The base string has oauth_body_hash instead of the form parameters.
    Sign the decoded form parameters, and leave out oauth_body_hash.`,
  collect('body-left-out', { body: 'left-out' })`
    The client does not sign the form fields, so they could be changed on the way.
    The parameters of the form body are missing from the base string.
    Give the decoded form parameters to the signer together with the oauth_* parameters.
    body-not-signed: The parameters of the body are missing from the base string
    gateway signature-over-no-body-taken: A signature that does not cover the body is accepted`,
  collect('body-counted-twice', { body: 'twice' })`
    The client signs every form field two times.
    The form parameters are in the base string twice: the library reads the body, and the caller also adds them.
    Pass the body or its parameters to the library, not both.
    body-signed-twice: The parameters of the body are signed twice: added by the library and by its caller`,
  collect('body-as-one-name', { body: 'one-name' })`
    The client signs the form as one piece of text instead of field by field.
    The whole encoded body is in the base string as the name of one parameter without value.
    Split the body at "&" and "=", decode the parts, and sign them as parameters.`,
  collect('other-body-signed-as-form', { body: 'any-type' })`
    The client signs the body as a form, but its Content-Type is not that of a form.
    Parameters of the body are in the base string although the Content-Type is not that of a form.
    Send Content-Type: application/x-www-form-urlencoded.`,
  collect('oauth-parameters-counted-twice', { oauth: 'twice' })`
    The client signs its credentials two times.
    The oauth_* parameters are in the base string twice, as if they were sent in header and body.
    Sign every oauth_* parameter once: they are sent only in the header.`,
  collect('oauth-parameters-left-out', { oauth: 'left-out' })`
    The client signs only the form fields, not its credentials.
    No oauth_* parameter is in the base string.
    Add all oauth_* parameters of the header except oauth_signature before you sort.`,
  collect('query-left-out', { query: 'left-out' })`
    The client does not sign the query of the URL.
    The query parameters are missing from the base string.
    Add the decoded query parameters to the others before you sort.
    query-not-signed: The parameters of the query are missing from the base string
    gateway added-query-not-signed: A query can be added after signing: it need not be signed`,
  collect('query-counted-twice', { query: 'twice' })`
    The client signs the query of the URL twice.
    The query parameters are in the base string twice.
    Give the library the URL with its query, or the parameters, not both.`,
  collect('realm-included', { realm: 'as-sent' })`
    The client signs a part of its header that must not be signed (realm).
    realm is in the base string.
    Leave realm out of the parameters that are signed.`,
  collect('empty-realm-included', { realm: 'empty' })`
    The client signs an empty field (realm) that does not belong there.
    realm= is in the base string.
    Leave realm out of the parameters that are signed.`,
  collect('signature-included', { signature: 'empty' })`
    The client also signs the empty oauth_signature.
    oauth_signature= is in the base string.
    Add oauth_signature after signing, not before.
    empty-signature-signed: The base string has an empty oauth_signature`,
  collect('empty-token-signed', { added: 'oauth_token=' })`
    The client signs an empty token that it does not send.
    oauth_token= is in the base string, but not in the header.
    If there is no token, leave oauth_token out of header and base string. If you send it empty, sign it.
    token-signed-but-not-sent: An empty oauth_token is in the base string but not in the header`,
  collect('token-left-out', { omitted: 'oauth_token' })`
    The client sends a token that it does not sign.
    oauth_token is in the header, but not in the base string.
    Sign every oauth_* parameter that you send, even an empty one.`,
  collect('version-left-out-of-base-string', { omitted: 'oauth_version' })`
    The client sends a version that it does not sign.
    oauth_version is in the header, but not in the base string.
    Sign oauth_version as you send it.
    version-not-signed: oauth_version is sent but missing from the base string
    gateway version-need-not-be-signed: A signature that leaves out oauth_version is accepted`,
  collect('version-signed-but-not-sent', { added: 'oauth_version=1.0' })`
    The client signs a version that it does not send.
    oauth_version=1.0 is in the base string, but not in the header.
    Send oauth_version="1.0" in the header.`,
  omission('timestamp', 'the time of the request'),
  omission('nonce', 'the number that makes the request unique'),
  omission('signature-method', 'the name of its signature method'),
  omission('consumer-key', 'its consumer key'),
] as const;

function omission<const Name extends string>(name: Name, description: string) {
  const omitted = `oauth_${name.replaceAll('-', '_')}`;
  return collect(`${name}-left-out`, { omitted })`
    The client does not sign ${description}.
    ${omitted} is missing from the base string.
    Sign every oauth_* parameter of the header except oauth_signature.
    gateway ${name}-need-not-be-signed: A signature that leaves out ${omitted} is accepted`;
}

const credentials = [
  otherMethodName('HMAC-SHA1'),
  otherMethodName('RSA-SHA256'),
  otherMethodName('RSA-SHA1'),
  otherMethodName('HMAC-SHA256'),
  clock('timestamp-one-second-earlier', { timestamp: 'second-before' })`
    oauth_timestamp in the base string is one second earlier than in the header.`,
  clock('timestamp-one-second-later', { timestamp: 'second-after' })`
    oauth_timestamp in the base string is one second later than in the header.`,
  plain('timestamp-signed-in-seconds-sent-in-milliseconds', { timestamp: 'in-seconds' })`
    The client signs the time in seconds and sends it in milliseconds.
    oauth_timestamp is divided by 1000 in the base string, but not in the header.
    Use seconds in the header and in the base string.`,
  header('header-values-encoded-twice', { headerText: 'decoded-twice' })`
    The client encodes its credentials once too often when it sends them.
    The values in the Authorization header are percent-encoded twice, but the signed values are plain.
    Encode each value once, when the header is written. Most libraries do this themselves.`,
  written('header-values-signed-as-written', { headerText: 'raw' })`
    The client signs its credentials in the encoded form of the header.
    The signer gets oauth_* values that are already percent-encoded, and encodes them again.
    Give plain values to the signer. Encode values only when the header is written.`,
  encode('header-value-not-encoded', { headerEncoding: 'none' })`
    The client encodes the form fields for signing, but not its credentials.
    oauth_* values are joined without encoding. So reserved characters in key, nonce or callback are encoded only once.
    Encode names and values of all parameters in the same way before joining them.`,
] as const;

function otherMethodName<Method extends string>(method: Method) {
  return plain(`signed-as-${method.toLowerCase() as Lowercase<Method>}`, {
    altered: `oauth_signature_method=${method}`,
  })`
    The client announces one signature method and signs the name of another one (${method}).
    oauth_signature_method is ${method} in the base string, but not in the header.
    Use one variable for the header and the base string.`;
}

const body = inStage('collect', 'form-body');
const emptyValues = inStage('collect', 'sort');
const repeatText = 'The client signs a repeated field in another form than it sends.';
const repeat = inStage('collect', 'sort', { summary: repeatText });
const collapse = inStage('collect', 'sort', { summary: repeatText, fix: 'Keep parameters in a list of pairs.' });
const named = inStage('collect', 'sort', { summary: repeatText, fix: 'Use the same names for signing and sending.' });
const lineEnds = inStage('collect', undefined, { summary: 'The client signs other line ends than it sends.' });
const payload = inStage('collect', undefined, { summary: 'The client signs payload in another form than it sends.' });
const joinEmpty = inStage('join', 'sort');

const values = [
  collect('body-signed-as-written', { bodyText: 'raw' })`
    The client signs the form fields in their encoded form.
    Body parameters are not decoded before they enter the base string, so they are encoded once too often.
    Sign the plain values, before the body is encoded.`,
  body('plus-not-escaped-in-body', { bodyText: 'plus-kept' })`
    A plus sign is sent unescaped and arrives as a space, so the payload is also damaged.
    A plus sign of the signed value is an unescaped "+" in the body. Form decoders read "+" as a space.
    Write "+" as %2B in the body. Base64 often contains it.`,
  collect('query-signed-as-written', { queryText: 'raw' })`
    The client signs the query in its encoded form.
    Query parameters are not decoded before they enter the base string.
    Decode names and values of the query, then sign them like the others.`,
  collect('plus-kept-in-query', { queryText: 'plus-kept' })`
    The client treats a plus sign in the query as a plus sign, but it means a space.
    A "+" in the query is signed as %2B, but RFC 5849 reads it as a space, as in a form.
    Write a space as %20 and a plus sign as %2B in the URL.`,
  collect('values-decoded-once-more', { values: 'decoded-again' })`
    The client alters values that look encoded before it signs them.
    Values are percent-decoded although they are plain: a literal %20 is signed as a space.
    Decode exactly once, when the bytes are received. Do not decode plain values.
    values-decoded-before-signing: A value with a percent escape is decoded before it is encoded`,
  plain('values-trimmed', { values: 'trimmed' })`
    The client signs values without the spaces around them, but sends these spaces.
    Values are trimmed in the base string and not in the body.
    Trim values before you sign and send them, or do not trim them.
    gateway values-trimmed: Values are trimmed before verification`,
  plain('spaces-merged', { values: 'spaces-merged' })`
    The client signs several spaces in a row as one space, but sends all of them.
    Several spaces in a value are one space in the base string, but not in the body.
    Merge spaces before you sign and send a value, or do not merge them.
    several-spaces-signed-as-one: Several spaces in a value are signed as one`,
  plain('names-lower-cased', { names: 'lower-case' })`
    The client signs field names in lower case, but sends capitals.
    Parameter names are lower-cased in the base string and not in the body.
    Sign the names exactly as sent.
    gateway names-in-lower-case: Names are verified in lower case`,
  lineEnds('crlf-after-signing', { lines: 'crlf-to-lf' })`
    The signed value has LF where the body has CRLF: the HTTP library, or a proxy, rewrites line ends.
    Send the body as bytes, and write base64 in one line.`,
  lineEnds('lf-signed-as-crlf', { lines: 'lf-to-crlf' })`
    The signed value has CRLF where the body has LF.
    Normalize line ends once, before signing and sending.`,
  lineEnds('line-breaks-not-signed', { lines: 'removed' })`
    The value in the body has line breaks, but the signed value has none. Base64 encoders add line breaks by default.
    Encode base64 without line breaks, and use this text for the body and for the signature.`,
  lineEnds('final-newline-not-signed', { ending: 'final-newline-cut' })`
    The last value ends with LF or CRLF in the body, but not in the base string.
    If an editor wrote the file, cut the last line end; otherwise send the body without it.`,
  payload('payload-signed-decoded', { payload: 'base64-decoded' })`
    The value of payload in the base string is the CSV, not its base64.
    Sign the value of payload exactly as sent: base64 text.`,
  payload('payload-signed-unpadded', { payload: 'unpadded' })`
    The "=" at the end of payload is missing from the base string; splitting name=value at every "=" loses it.
    Split at the first "=" only.`,
  payload('payload-signed-url-safe', { payload: 'url-safe' })`
    payload has "-" and "_" in the base string and "+" and "/" in the body.
    Use one base64 text with the standard alphabet for the body and for the signature.`,
  collapse('duplicates-collapsed-last', { duplicates: 'last' })`
    Parameters are kept in a map; a repeated name overwrites its predecessor.
    repeated-names-collapsed: If a name occurs twice, only its last value is signed`,
  collapse('duplicates-collapsed-first', { duplicates: 'first' })`
    Parameters are kept in a map; a repeated name is ignored.
    gateway first-of-equal-names: If a name occurs twice, only its first value must be signed`,
  collapse('copies-dropped', { duplicates: 'copies-dropped' })`
    Values are kept in a set for each name, so equal pairs collapse.`,
  repeat('duplicates-joined-by-comma', { duplicates: '1,2' })`
    Repeated values are joined by a comma: an array was turned into text.
    Sign one pair for each value.
    repeated-names-joined: The values of one name are signed as one value with commas`,
  named('duplicates-with-brackets', { duplicates: 'bracketed' })`
    The name of a repeated parameter has [] in the base string, but not in the request.`,
  named('duplicates-with-indexes', { duplicates: 'indexed' })`
    The names of a repeated parameter have [0], [1] and so on in the base string, but not in the request.`,
  emptyValues('empty-values-left-out', { empties: 'left-out' })`
    The client sends empty fields that it does not sign.
    Parameters with an empty value are missing from the base string.
    If a value is empty, sign "name=", or do not send the field.
    empty-values-not-signed: Parameters with an empty value are sent, and left out of the base string`,
  joinEmpty('empty-values-without-equals', { empties: 'without-equals' })`
    The client signs empty fields in another form than it sends.
    A parameter with an empty value is in the base string without "=".
    If a value is empty, sign "name=".`,
] as const;

export const collecting = [...parameters, ...credentials, ...values] as const;
const orderText = 'The client signs the fields in the wrong order.';
const orderFix = 'Encode first, then sort by the bytes of the encoded name, and equal names by the encoded value.';
const order = inStage('sort', 'sort', { summary: orderText, fix: orderFix });
const join = inStage('join', 'base-string');
const hash = inStage('hash', 'sign');
const methodText = 'The client signs the HTTP method in another form than it sends.';
const method = inStage('method', 'base-string', { summary: methodText });
const methodCase = inStage('method', 'base-string', { summary: methodText, fix: 'Convert the method to upper case.' });
const fixedMethod = inStage('method', 'base-string', {
  summary: methodText,
  fix: 'Give the method of the request to the signer.',
});

export const joining = [
  order('not-sorted', { order: 'header-first' })`Parameters are not sorted: header, then query, then body.`,
  order('not-sorted-body-first', { order: 'body-first' })`Parameters are not sorted: body, then query, then header.`,
  order('not-sorted-query-first', { order: 'query-first' })`
    Parameters are not sorted: query, then header, then body.
    parameters-not-sorted: Parameters are signed without sorting them`,
  order('sources-sorted-apart', { order: 'each-source' })`
    Header and body are sorted separately, and then joined: header first, then body.`,
  order('sources-sorted-apart-body-first', { order: 'each-source-body-first' })`
    Body and header are sorted separately, and then joined: body first, then header.`,
  order('sorted-before-encoding', { order: 'before-encoding' })`
    Parameters are sorted as plain text and encoded afterwards.
    sorted-before-encoding: Parameters are sorted first and encoded afterwards`,
  order('sorted-as-joined', { order: 'as-joined' })`
    Each "name=value" is sorted as one text, with its "=".
    sorted-as-joined-texts: Parameters are sorted as texts name=value, so - comes before =`,
  order('sorted-by-key-only', { order: 'name-only' })`
    Parameters are sorted only by name; equal names keep their order.
    sorted-by-name-alone: Values of one name are not sorted`,
  order('sorted-case-insensitively', { order: 'case-insensitive' })`
    Names are sorted case-insensitively.
    sorted-without-case: Names are sorted case-insensitively`,
  order('natural-order', { order: 'natural' })`
    Numbers in names and values are compared by value, 9 before 10.
    sorted-in-natural-order: Values that are numbers are sorted as numbers: 10 after 9`,
  order('sorted-by-locale', { order: 'locale' })`Text is sorted by the rules of a language (localeCompare, strcoll).`,
  order('sorted-descending', { order: 'descending' })`Parameters are sorted in descending order.`,
  join('joined-string-not-encoded', { joined: 'bare' })`
    The client does not encode the joined text.
    The normalized parameters are in the base string with unescaped "=" and "&".
    Percent-encode the joined parameters once more before they go after the second "&".`,
  join('separators-left-bare', { joined: 'separators-bare' })`
    The client does not encode the "=" and "&" between the signed fields.
    Values are encoded twice, but "=" and "&" between the values are not encoded.
    Join the parameters first, then encode the joined text.`,
  join('joined-string-encoded-twice', { joined: 'encoded-twice' })`
    The client encodes the signed text once too often.
    The normalized parameters are percent-encoded twice after joining.
    Percent-encode the joined parameters once.`,
  join('trailing-ampersand', { end: 'ampersand' })`
    The client signs one character too many at the end.
    The normalized parameters end with "&".
    Put "&" only between parameters.`,
  join('base-string-lower-cased', { whole: 'lower-case' })`
    The client converts the signed text to lower case.
    The base string is lower-cased as a whole.
    Lower-case scheme and host only.`,
  join('base-string-encoded-again', { whole: 'encoded-again' })`
    The client encodes the signed text once too often.
    The whole base string is percent-encoded again, with its "&".
    Sign the base string unchanged.`,
  hash('base-string-with-newline', { message: '{}\n' })`
    The client signs a line end that does not belong to the request.
    The base string ends with LF when it is signed, as from echo or println.
    Write the base string without a line end: printf %s.`,
  hash('base-string-in-utf-16', { messageCharset: 'utf-16' })`
    The client signs the text in another character encoding.
    The base string is hashed as UTF-16 (Encoding.Unicode in .NET).
    Hash the ASCII or UTF-8 bytes of the base string.`,
  methodCase('method-lower-case', { method: 'lower-case' })`
    The HTTP method is in the base string in lower case.
    method-signed-in-lower-case: The base string starts with post instead of POST`,
  methodCase('method-capitalized', { method: 'capitalized' })`
    The base string begins with "Post" or "Get", the name of an enum constant in some languages.`,
  fixedMethod('method-signed-as-get', { method: 'GET' })`
    The base string starts with GET, a default that was not overridden.
    gateway method-not-signed: The signature of a GET is accepted for a POST`,
  fixedMethod('method-signed-as-post', { method: 'POST' })`The base string starts with POST.`,
  method('method-left-out', { method: 'left-out' })`
    The base string starts with the URI.
    Start the base string with the method in upper case and "&".`,
] as const;

export const otherMessages: readonly Deviation[] = (
  [
    ['base-string-with-crlf', '{}\r\n', 'ends with CR and LF'],
    ['base-string-with-space', '{} ', 'ends with a space'],
    ['base-string-with-nul', '{}\0', 'ends with a NUL character, as a text in C does'],
    ['base-string-with-byte-order-mark', '\ufeff{}', 'begins with U+FEFF, a byte-order mark'],
    ['base-string-in-quotes', '"{}"', 'is in quotes, as JSON writes it'],
  ] as const
).map(
  ([id, message, developer]) => hash(id, { message })`
  The client signs characters that do not belong to the request.
  The base string ${developer} when it is signed.
  Sign the base string alone.`,
);
