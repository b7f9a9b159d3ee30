/** Clients whose Authorization header is missing, or has another form, other parameters or values (section 5; RFC 5849 3.5). */
import { bodyHash } from '../../peer/client/other-signatures.ts';
import { encodeForm, type Pair, percentEncode, printAuthorization } from '../../protocol/index.ts';
import { auth, type ClientDefect, recurringAuth } from './defect.ts';

const notSent = ['close-day/authorization-sent', 'recurring/authorization-sent'] as const;

export const headerDefects: readonly ClientDefect[] = [
  scheme('comma-after-scheme', 'A comma follows OAuth', (header) => header.replace(/^OAuth /, 'OAuth, ')),
  scheme('comma-at-the-end', 'A comma follows the last parameter of the header', (header) => `${header},`),
  scheme('semicolons-in-header', 'Semicolons separate the parameters of the header', (header) =>
    header.replaceAll('", ', '"; '),
  ),
  scheme('other-scheme', 'The header starts with OAuth1', (header) => header.replace(/^OAuth /, 'OAuth1 ')),
  values(
    'header-values-raw',
    'Values are in the header without being encoded: + / and = of the signature raw',
    (value) => `"${value}"`,
  ),
  values(
    'header-values-encoded-twice',
    'Values of the header are percent-encoded twice',
    (value) => `"${percentEncode(percentEncode(value))}"`,
  ),
  values('header-values-without-quotes', 'Values of the header are not quoted', (value) => percentEncode(value)),

  auth('version-left-out', 'oauth_version is neither sent nor signed', 'header-parameters', {
    unsigned: (pairs) => pairs.filter(([name]) => name !== 'oauth_version'),
  }),
  auth('version-sent-twice', 'oauth_version is twice in the header, and once in the base string', 'header-parameters', {
    authorization: (_, { done }) => printAuthorization([...done.signed, ['oauth_version', '1.0']]),
  }),
  auth('body-hash-sent', 'oauth_body_hash is sent and signed although the body is a form', 'header-parameters', {
    unsigned: (pairs, { done }) => [...pairs, ['oauth_body_hash', bodyHash(done.body)]],
  }),
  auth('token-null-sent', 'oauth_token is sent and signed as the text null', 'header-parameters', {
    unsigned: (pairs) => [...pairs, ['oauth_token', 'null']],
  }),
  auth(
    'body-copied-into-header',
    'The parameters of the body are in the header too, and once in the base string',
    'header-parameters',
    { authorization: (_, { done }) => printAuthorization([...done.signed, ...done.fields]) },
  ),
  auth('version-1-0a', 'oauth_version is 1.0a', 'version', { unsigned: withValue('oauth_version', () => '1.0a') }),
  auth('consumer-key-in-capitals', 'oauth_consumer_key is sent in capitals', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.toUpperCase()),
  }),
  auth('consumer-key-in-small-letters', 'oauth_consumer_key is sent in small letters', 'consumer-key', {
    unsigned: withValue('oauth_consumer_key', (key) => key.toLowerCase()),
  }),
  auth(
    'consumer-key-encoded-before',
    'A consumer key with reserved characters is encoded before it is used, both in the header and in the base string',
    // On the wire it is the right key, encoded once too often.
    'header-values-encoded',
    { unsigned: withValue('oauth_consumer_key', percentEncode) },
  ),
  auth(
    'consumer-key-decoded-before',
    'What looks like an escape in a consumer key is decoded before it is used, as in a key that was read from a URL',
    'consumer-key',
    { unsigned: withValue('oauth_consumer_key', decodedEscapes) },
  ),
  auth(
    'consumer-key-as-number',
    'A consumer key of digits is read as a number, and loses the zeros in front',
    'consumer-key',
    { unsigned: withValue('oauth_consumer_key', (key) => (/^\d+$/.test(key) ? String(BigInt(key)) : key)) },
  ),

  recurringAuth(
    'signature-in-lines',
    'The base64 text of an RSA signature has a line feed after every 76 characters',
    'signature-base64',
    { signature: (text) => text.match(/.{1,76}/g)!.join('\n') },
  ),
  signatureText('signature-with-a-tab', 'The base64 text of the signature ends with a tab', (text) => `${text}\t`),
  signatureText('signature-in-hex', 'The signature is written in hexadecimal', (text) =>
    Buffer.from(text, 'base64').toString('hex'),
  ),
  signatureText('signature-url-safe', 'The signature is written in the alphabet of base64url, padded', (text) =>
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  signatureText('signature-without-padding', 'The signature is written without its = at the end', (text) =>
    text.replace(/=+$/, ''),
  ),

  auth(
    'credentials-in-body',
    'The oauth_ parameters are in the body, without an Authorization header',
    // Where they are instead follows from the header that is missing.
    notSent,
    { sent: ({ form, signed }) => ({ header: { Authorization: undefined }, body: `${form}&${encodeForm(signed)}` }) },
  ),
  auth(
    'credentials-in-query',
    'The oauth_ parameters are in the query, without an Authorization header',
    // Where they are instead follows from the header that is missing.
    notSent,
    {
      sent: ({ url, signed }) => ({
        header: { Authorization: undefined },
        target: `${url.target}?${encodeForm(signed)}`,
      }),
    },
  ),
  auth('no-credentials', 'The request is sent without any credentials', notSent, {
    sent: () => ({ header: { Authorization: undefined } }),
  }),
  auth(
    'consumer-key-in-body-too',
    'oauth_consumer_key is in the body as well as in the header, and is signed twice',
    'parameters-only-in-header',
    { fields: (fields, { done }) => [...fields, ['oauth_consumer_key', done.credentials.consumerKey] as Pair] },
  ),
];

/** The header as a text is changed. */
function scheme(what: string, summary: string, edit: (header: string) => string): ClientDefect {
  return auth(what, summary, 'header-scheme', { authorization: (header) => edit(header) });
}

/** The values of the header are printed in another way. */
function values(what: string, summary: string, print: (decoded: string) => string): ClientDefect {
  return auth(what, summary, 'header-values-encoded', {
    authorization: (_, { done }) => `OAuth ${done.signed.map(([name, text]) => `${name}=${print(text)}`).join(', ')}`,
  });
}

/** The bytes of the signature are right, and their text is not. */
function signatureText(what: string, summary: string, signature: (base64: string) => string): ClientDefect {
  return auth(what, summary, 'signature-base64', { signature });
}

/** The value is signed as sent. */
function withValue(name: string, change: (value: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map((pair): Pair => (pair[0] === name ? [name, change(pair[1])] : pair));
}

function decodedEscapes(text: string): string {
  return text.replace(/%[0-7][0-9A-F]/gi, decodeURIComponent);
}
