/** Deviations in what a client takes for values, and in repeated and empty parameters (RFC 5849 sections 3.4.1.3.1 and 3.4.1.3.2). */
import { inStep } from '../deviation.ts';

const value = inStep('collect');
const reading = inStep('collect', 'collect');
const body = inStep('collect', 'form-body');
const repeat = inStep('collect', 'sort');
const join = inStep('join', 'sort');

export const readingValues = [
  reading('body-signed-as-written', { bodyText: 'raw' })`
    The client signs the form fields in the encoded form in which they travel.
    Body parameters are not decoded before they enter the base string, so they are encoded once too often.
    Sign the plain values, the ones you had before the body was encoded.`,
  body('plus-not-escaped-in-body', { bodyText: 'plus-kept' })`
    A plus sign is sent in a way that makes it arrive as a space, so the payload is damaged too.
    The body has a raw "+" where the signed value has a plus sign; a form reader makes it a space.
    Write "+" as %2B in the body: base64 is full of it.`,
  reading('query-signed-as-written', { queryText: 'raw' })`
    The client signs the part behind the question mark in the encoded form in which it travels.
    Query parameters are not decoded before they enter the base string.
    Decode names and values of the query, then sign them like the others.`,
  reading('plus-kept-in-query', { queryText: 'plus-kept' })`
    The client takes a plus sign in the address for a plus sign, where it means a space.
    A "+" in the query is signed as %2B; RFC 5849 reads a query as a form, where it is a space.
    Write a space as %20 and a plus sign as %2B in the URL.`,
  reading('values-decoded-once-more', { values: 'decoded-again' })`
    The client alters values that look encoded before it signs them.
    Values are percent-decoded although they are plain: a literal %20 is signed as a space.
    Decode exactly once, where the wire is read; plain values are not decoded at all.
    values-decoded-before-signing: A value with a percent escape is decoded before it is encoded`,
  value('values-trimmed', { values: 'trimmed' })`
    The client drops spaces around a value when it signs, but sends them.
    Values are trimmed in the base string and not in the body.
    Trim before both, or not at all.
    gateway values-trimmed: Values are trimmed before they are signed`,
  value('spaces-merged', { values: 'spaces-merged' })`
    The client signs several spaces of a value as one, but sends them all.
    Runs of spaces in a value are one space in the base string and not in the body.
    Clean a value before it is signed and sent, or not at all.
    several-spaces-signed-as-one: Several spaces in a value are signed as one`,
  value('names-lower-cased', { names: 'lower-case' })`
    The client signs field names in small letters, but sends capitals.
    Parameter names are lower-cased in the base string and not in the body.
    Sign the names exactly as sent.
    gateway names-in-lower-case: Names are signed in lower case`,
  value('crlf-after-signing', { lines: 'crlf-to-lf' })`
    Line ends inside a value were rewritten after it was signed.
    The signed value has LF where the body has CRLF: the HTTP library, or a proxy, rewrites line ends.
    Send the body as bytes, and keep line ends out of it: base64 in one line.`,
  value('lf-signed-as-crlf', { lines: 'lf-to-crlf' })`
    The client signs other line ends than it sends.
    The signed value has CRLF where the body has LF.
    Normalize line ends once, before signing and sending.`,
  value('line-breaks-not-signed', { lines: 'removed' })`
    The client sends line breaks that it does not sign.
    The value in the body is broken into lines and the signed one is not; base64 encoders do this by default.
    Encode base64 without line breaks and use that one text for both.`,
  value('final-newline-not-signed', { ending: 'final-newline-cut' })`
    The body ends with a line end that the signature does not count; often an editor added it to the stored file.
    The last value ends with LF or CRLF in the body, and without it in the base string.
    If an editor wrote the file, cut the last line end; otherwise send the body without it.`,
  value('payload-signed-decoded', { payload: 'base64-decoded' })`
    The client signs the list of payments itself, where its encoded form (payload) is to be signed.
    The value of payload in the base string is the CSV, not its base64.
    Sign the value of payload exactly as sent: base64 text.`,
  value('payload-signed-unpadded', { payload: 'unpadded' })`
    The client signs the payload without the signs at its end, but sends it with them.
    The "=" at the end of payload is missing from the base string; splitting name=value at every "=" loses it.
    Split at the first "=" only.`,
  value('payload-signed-url-safe', { payload: 'url-safe' })`
    The client signs the payload in another alphabet than it sends.
    payload has "-" and "_" in the base string and "+" and "/" in the body.
    Use one base64 text with the standard alphabet for both.`,
] as const;

export const repeats = [
  repeat('duplicates-collapsed-last', { duplicates: 'last' })`
    Of a field that is sent several times the client signs only the last one.
    Parameters are kept in a map; a repeated name overwrites its predecessor.
    Keep parameters in a list of pairs.
    repeated-names-collapsed: Of parameters with the same name only the last one is signed`,
  repeat('duplicates-collapsed-first', { duplicates: 'first' })`
    Of a field that is sent several times the client signs only the first one.
    Parameters are kept in a map; a repeated name is ignored.
    Keep parameters in a list of pairs.
    gateway first-of-equal-names: Of equal names only the first value is signed`,
  repeat('copies-dropped', { duplicates: 'copies-dropped' })`
    A field that is sent twice with the same value is signed only once.
    Values are kept in a set for each name, so equal pairs collapse.
    Keep parameters in a list of pairs.`,
  repeat('duplicates-joined-by-comma', { duplicates: '1,2' })`
    The values of a field that is sent several times are signed as one value.
    Repeated values are joined by a comma: an array was turned into text.
    Sign one pair for each value.
    repeated-names-joined: The values of one name are signed as one value with commas`,
  repeat('duplicates-with-brackets', { duplicates: 'bracketed' })`
    A field that is sent several times is signed under another name.
    The name of a repeated parameter has [] in the base string and not on the wire.
    Use the same names for signing and sending.`,
  repeat('duplicates-with-indexes', { duplicates: 'indexed' })`
    A field that is sent several times is signed under numbered names.
    The names of a repeated parameter have [0], [1] and so on in the base string and not on the wire.
    Use the same names for signing and sending.`,
  repeat('empty-values-left-out', { empties: 'left-out' })`
    The client sends empty fields that it does not sign.
    Parameters with an empty value are missing from the base string.
    Sign name= for an empty value, or do not send the field.
    empty-values-not-signed: Parameters with an empty value are sent, and left out of the base string`,
  join('empty-values-without-equals', { empties: 'without-equals' })`
    The client signs empty fields in another form.
    A parameter with an empty value is in the base string without "=".
    Write name= for an empty value.`,
] as const;
