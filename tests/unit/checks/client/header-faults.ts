/** Faults of the Authorization header and of the signature, each with the rows that it breaks. */
import { createHmac } from 'node:crypto';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { hmacKeyText, type Pair, percentEncode, printAuthorization } from '../../../../src/protocol/index.ts';
import { type Fault, joined, now, privateKey, replaced, sent, without } from './sample-requests.ts';

const bare = (pairs: readonly Pair[]) => `OAuth ${pairs.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
const secretKey = hmacKeyText(publishedIdentity.consumerSecret);

export const headerFaults: readonly Fault[] = [
  ['no Authorization header', { headers: (lines) => lines.slice(0, 2) }, 'close-day/authorization-sent'],
  ['an empty Authorization header', { print: () => '' }, 'close-day/authorization-sent'],
  [
    'parameters in the body and no header',
    { headers: (lines) => lines.slice(0, 2), body: (body) => `${body}&oauth_nonce=1&oauth_version=1.0` },
    'close-day/authorization-sent',
  ],
  ['another scheme', { print: (pairs) => printAuthorization(pairs).replace('OAuth', 'Bearer') }, 'header-scheme'],
  ['no scheme', { print: (pairs) => printAuthorization(pairs).replace('OAuth ', '') }, 'header-scheme'],
  ['Basic alone', { print: () => 'Basic dXNlcjpwYXNz' }, 'header-scheme'],
  ['two headers', { headers: (lines) => [...lines, lines.at(-1)!] }, 'header-scheme'],
  [
    'a comma after OAuth',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth ', 'OAuth, ') },
    'header-scheme',
  ],
  ...['!', '\0', '\u00a0'].map(
    (between): Fault => [
      `${JSON.stringify(between)} in place of the blank after OAuth`,
      { print: (pairs) => printAuthorization(pairs).replace(' ', between) },
      'header-scheme',
    ],
  ),
  ['a comma at the end', { print: joined(', ', ',') }, 'header-scheme'],
  ['a space between parameters', { print: joined(' ') }, 'header-scheme'],
  ['an ampersand between parameters', { print: joined('&') }, 'header-scheme'],
  ['a doubled comma', { print: joined(',,') }, 'header-scheme'],
  [
    'white space around =',
    { print: (pairs) => printAuthorization(pairs).replaceAll('="', ' = "') },
    'header-values-encoded',
  ],
  ['no oauth_version', { parameters: without('oauth_version') }, 'header-parameters'],
  ['no oauth_nonce', { parameters: without('oauth_nonce') }, 'header-parameters'],
  ['no oauth_timestamp', { parameters: without('oauth_timestamp') }, 'header-parameters'],
  ['no oauth_consumer_key', { parameters: without('oauth_consumer_key') }, 'header-parameters'],
  ['no oauth_signature_method', { parameters: without('oauth_signature_method') }, 'header-parameters'],
  ['no oauth_signature', { print: (pairs) => printAuthorization(pairs.slice(0, -1)) }, 'header-parameters'],
  ['an empty oauth_signature', { signature: () => '' }, 'header-parameters'],
  ['oauth_version twice', { parameters: (pairs) => [...pairs, ['oauth_version', '1.0']] }, 'header-parameters'],
  [
    'oauth_version twice in the header alone',
    { print: (pairs) => printAuthorization([...pairs, ['oauth_version', '1.0']]) },
    'header-parameters',
  ],
  ['an oauth_body_hash', { parameters: (pairs) => [...pairs, ['oauth_body_hash', 'x']] }, 'header-parameters'],
  ['a token that nobody issued', { parameters: (pairs) => [...pairs, ['oauth_token', 'x']] }, 'header-parameters'],
  [
    'form fields copied into the header',
    { print: (pairs) => printAuthorization([...pairs, ['sale_approved_count', '2']]) },
    'header-parameters',
  ],
  ['values that are not encoded', { print: bare }, 'header-values-encoded'],
  [
    'values without quotes',
    { print: (pairs) => printAuthorization(pairs).replaceAll('"', '') },
    'header-values-encoded',
  ],
  ['values between apostrophes', { print: (p) => printAuthorization(p).replaceAll('"', "'") }, 'header-values-encoded'],
  ['a signature encoded twice', { signature: percentEncode }, 'header-values-encoded'],
  [
    'a consumer key encoded twice in the header alone',
    {
      identity: 'reserved',
      print: (p) => printAuthorization(replaced('oauth_consumer_key', percentEncode(p[0]![1]))([...p])),
    },
    'header-values-encoded',
  ],
  [
    'a consumer key encoded twice, and signed so',
    { identity: 'reserved', parameters: (p) => replaced('oauth_consumer_key', percentEncode(p[0]![1]))(p) },
    'header-values-encoded',
  ],
  [
    'a consumer key with its space as +',
    { identity: 'reserved', print: (pairs) => printAuthorization(pairs).replaceAll('%20', '+') },
    'header-values-encoded',
  ],
  ['an oauth_nonce in the body too', { body: (body) => `${body}&oauth_nonce=1` }, 'parameters-only-in-header'],
  [
    'an oauth_nonce in the body, and signed',
    sent((pairs) => [...pairs, ['oauth_nonce', '1']]),
    'parameters-only-in-header',
  ],
  ['milliseconds', { parameters: replaced('oauth_timestamp', String(now)) }, 'timestamp-seconds'],
  ['local time', { parameters: replaced('oauth_timestamp', String(now / 1000 + 7200)) }, 'timestamp-seconds'],
  ['a fraction of a second', { parameters: replaced('oauth_timestamp', '1700000000.5') }, 'timestamp-seconds'],
  ['a timestamp of zero', { parameters: replaced('oauth_timestamp', '0') }, 'timestamp-seconds'],
  ['version 1.0a', { parameters: replaced('oauth_version', '1.0a') }, 'version'],
  ['an unknown method', { parameters: replaced('oauth_signature_method', 'HMAC-SHA256') }, 'close-day-method'],
  ['the method in lower case', { parameters: replaced('oauth_signature_method', 'hmac-sha1') }, 'close-day-method'],
  ['the method of the other operation', { key: { method: 'RSA-SHA256', privateKey } }, 'close-day-method'],
  [
    'another hash under the right name',
    { signWith: (base) => createHmac('sha256', secretKey).update(base).digest('base64') },
    'close-day-method',
    'signature-verifies',
  ],
  ['another consumer key', { parameters: replaced('oauth_consumer_key', 'countersign') }, 'consumer-key'],
  [
    'a signature in hexadecimal',
    { signature: (text) => Buffer.from(text, 'base64').toString('hex') },
    'signature-base64',
  ],
  [
    'base64 of a signature in hexadecimal',
    { signature: (text) => btoa(Buffer.from(text, 'base64').toString('hex')) },
    'signature-base64',
  ],
  ['a signature without padding', { signature: (text) => text.replace('=', '') }, 'signature-base64'],
  ['a line break after the signature', { signature: (text) => `${text}\n` }, 'signature-base64'],
  [
    'a key without &',
    { signWith: (b) => createHmac('sha1', secretKey.slice(0, -1)).update(b).digest('base64') },
    'signature-verifies',
  ],
  ['the body left out', { base: (base) => base.slice(0, base.indexOf('day_close')) }, 'signature-verifies'],
  ['another secret', { key: { method: 'HMAC-SHA1', consumerSecret: 'another' } }, 'signature-verifies'],
  ['lower-case escapes in the base string', { base: (base) => base.replaceAll('%3D', '%3d') }, 'signature-verifies'],
  ['a port that is left out', { uri: (uri) => uri.replace(':8443', '') }, 'uri-port'],
  [
    'a host with its capitals',
    { asked: { baseUrl: 'https://LocalHost:8443/p1' }, uri: (uri) => uri.replace('localhost', 'LocalHost') },
    'uri-host-case',
  ],
  [
    'a default port that is kept',
    {
      asked: { baseUrl: 'https://localhost:443/p1' },
      host: 'localhost',
      uri: (uri) => uri.replace('localhost', 'localhost:443'),
    },
    'uri-default-port',
  ],
];
