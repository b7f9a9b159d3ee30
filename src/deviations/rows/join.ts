/** Deviations in the parameter order and the base string (RFC 5849 sections 3.4.1.3.2 and 3.4.1.1). */
import { type Deviation, inStep } from '../deviation.ts';

const unsorted = 'The client signs the fields in the wrong order.';
const sort = 'Encode first, then sort by the bytes of the encoded name, and equal names by the encoded value.';
const order = inStep('sort', 'sort', { summary: unsorted, fix: sort });
const join = inStep('join', 'base-string');
const hash = inStep('hash', 'sign');
const method = inStep('method', 'base-string');

export const joining = [
  order('not-sorted', { order: 'header-first' })`Parameters are not sorted: header, then query, then body.`,
  order('not-sorted-body-first', { order: 'body-first' })`Parameters are not sorted: body, then query, then header.`,
  order('not-sorted-query-first', { order: 'query-first' })`
    Parameters are not sorted: query, then header, then body.
    parameters-not-sorted: Parameters are signed without sorting them`,
  order('sources-sorted-apart', { order: 'each-source' })`
    Header and body are each sorted, and then joined in this order.`,
  order('sources-sorted-apart-body-first', { order: 'each-source-body-first' })`
    Body and header are each sorted, and then joined in this order.`,
  order('sorted-before-encoding', { order: 'before-encoding' })`
    Parameters are sorted as plain text and encoded afterwards.
    sorted-before-encoding: Parameters are sorted first and encoded afterwards`,
  order('sorted-as-joined', { order: 'as-joined' })`
    name=value is sorted as one text, including the "=".
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
    The normalized parameters are in the base string with bare "=" and "&".
    Percent-encode the joined parameters once more before they go after the second "&".`,
  join('separators-left-bare', { joined: 'separators-bare' })`
    The client does not encode the "=" and "&" between the signed fields.
    Values are encoded twice, but "=" and "&" between them not at all.
    Join first, then encode the joined text as one.`,
  join('joined-string-encoded-twice', { joined: 'encoded-twice' })`
    The client encodes the signed text once too often.
    The normalized parameters are percent-encoded twice after joining.
    Percent-encode the joined parameters once.`,
  join('trailing-ampersand', { end: 'ampersand' })`
    The client signs one sign too many at the end.
    The normalized parameters end with "&".
    Put "&" between parameters, not after each.`,
  join('base-string-lower-cased', { whole: 'lower-case' })`
    The client turns the signed text to small letters.
    The base string is lower-cased as a whole.
    Lower-case scheme and host only.`,
  join('base-string-encoded-again', { whole: 'encoded-again' })`
    The client encodes the signed text once too often.
    The finished base string is percent-encoded again, its "&" too.
    Sign the base string unchanged.`,
  hash('base-string-with-newline', { message: '{}\n' })`
    The client signs a line end that does not belong to the request.
    The base string ends with LF when it is signed: echo without -n, or println.
    Write it without a line end: printf %s.`,
  hash('base-string-in-utf-16', { messageCharset: 'utf-16' })`
    The client signs the text in another form of characters.
    The base string is hashed as UTF-16 (Encoding.Unicode in .NET).
    Hash its ASCII or UTF-8 bytes.`,
  method('method-lower-case', { method: 'lower-case' })`
    The client signs the kind of request in small letters.
    The HTTP method is in the base string in lower case.
    Turn it to upper case.
    method-signed-in-lower-case: The base string starts with post instead of POST`,
  method('method-capitalized', { method: 'capitalized' })`
    The client signs the kind of request with one capital.
    The HTTP method is in the base string as Post or Get, the name of an enumeration.
    Turn it to upper case.`,
  method('method-signed-as-get', { method: 'GET' })`
    The client signs another kind of request than it sends.
    The base string starts with GET, a default that was not overridden.
    Give the method of the request to the signer.
    gateway method-not-signed: The signature of a GET is accepted for a POST`,
  method('method-signed-as-post', { method: 'POST' })`
    The client signs another kind of request than it sends.
    The base string starts with POST.
    Give the method of the request to the signer.`,
  method('method-left-out', { method: 'left-out' })`
    The client does not sign the kind of request.
    The base string starts with the URI.
    Start it with the method in upper case and "&".`,
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
