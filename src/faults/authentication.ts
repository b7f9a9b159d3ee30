/** Gateways that check the Authorization header less strictly than section 5 and RFC 5849, or refuse a valid header. */
import type { Alteration } from '../mock/alteration.ts';
import { auth, type GatewayDefect, recurringAuth } from './defect.ts';
import { acceptedTexts, oauthValue } from './forged/takes.ts';

const acceptedSignatures = acceptedTexts((reading) => oauthValue(reading, 'signature'));

export const authenticationDefects: readonly GatewayDefect[] = [
  auth(
    'signature-not-checked',
    [
      'wrong-key-refused',
      'altered-body-refused',
      'other-method-refused',
      'wrong-signature-refused',
      'altered-uri-refused',
    ],
    { skips: ['signature'] },
  )`Any signature is accepted, even a wrong one`,
  auth('nonce-not-remembered', 'reused-nonce-refused', { skips: ['nonce'] })`
    The same request is accepted again and again`,
  auth('only-exact-replay-refused', 'reused-nonce-refused', {
    refuses: acceptedSignatures.remember,
    takes: (reading, step, world) => step === 'nonce' && !acceptedSignatures.has(reading, world),
  })`A used nonce is refused only if the signature is also the same`,
  auth('last-three-nonces-remembered', 'reused-nonce-refused', remembers(3))`
    Only the nonces of the last three accepted requests are remembered`,
  auth('last-nonce-remembered', 'reused-nonce-refused', remembers(1))`
    Only the nonce of the last accepted request is remembered`,
  auth('other-method-accepted', 'other-method-refused', { skips: ['signature-method'] })`
    Each operation also accepts the signature method of the other operation`,
  auth('unknown-consumer-accepted', 'unknown-consumer-refused', { skips: ['consumer'] })`
    Unknown consumer keys are attributed to the first consumer`,
  auth('version-not-checked', 'wrong-version-refused', { skips: ['version'] })`oauth_version may have any value`,
  auth('timestamp-not-checked', 'malformed-timestamp-refused', { skips: ['timestamp', 'timestamp-window'] })`
    oauth_timestamp may be any text`,

  // The following gateways build a wrong base string or misread the header, so they refuse valid requests.
  auth('body-left-out', ['valid-accepted', 'altered-body-refused'], {
    signs: (material) => ({ ...material, body: [] }),
  })`The base string lacks the form parameters, so valid signatures are refused`,
  auth('port-left-out', ['valid-accepted', 'altered-uri-refused'], {
    signs: (material) => ({ ...material, url: { ...material.url, host: material.url.host.split(':')[0]! } }),
  })`
    The base string lacks the port, so valid signatures over a URL with a port are refused`,
  auth('query-added', 'valid-accepted', { signs: (material) => ({ ...material, query: [['y', '2']] }) })`
    The base string has a query parameter that was not sent, so valid signatures are refused`,
  auth('nonce-in-lower-case', 'valid-accepted', {
    signs: (material) => ({
      ...material,
      header: material.header.map(([name, value]) => [name, name === 'oauth_nonce' ? value.toLowerCase() : value]),
    }),
  })`The base string has the nonce in lower case, so nonces with upper-case letters are refused`,
  auth('scheme-behind-proxy', ['valid-accepted', 'altered-uri-refused'], {
    signs: ({ url, ...rest }) => ({ ...rest, url: { ...url, scheme: url.scheme === 'https' ? 'http' : 'https' } }),
  })`The base string has http instead of https, or the reverse, so valid signatures are refused`,
  auth('clock-wrong', 'valid-accepted', { settings: { timestampWindowSeconds: -1 } })`
    Fresh timestamps are treated as expired, so every request is refused`,
  auth('first-parameter-dropped', 'valid-accepted', {
    reads: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'authorization' ? value.replace(/^(OAuth )[^",]*"[^"]*",\s*/i, '$1') : value,
      ]),
    }),
  })`The first parameter of the header is treated as the realm and dropped`,
  // The base64 text of an RSA-2048 signature always ends with =, so this gateway reads an empty signature.
  recurringAuth('header-read-as-form', 'valid-accepted', {
    signs: (material) =>
      material.key.method === 'RSA-SHA256' && material.signature.endsWith('=')
        ? { ...material, signature: '' }
        : material,
  })`
    The header is also decoded as a form, so a signature that ends with = becomes a name without a value`,
];

function remembers(count: number): Alteration {
  return {
    refuses: (_, { nonces }) => {
      for (const nonce of [...nonces].slice(0, -count)) nonces.delete(nonce);
      return undefined;
    },
  };
}
