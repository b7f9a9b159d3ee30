/** Gateways that check the Authorization header less strictly than section 5 and RFC 5849, or refuse a valid one. */
import type { Alteration } from '../mock/alteration.ts';
import { auth, type GatewayDefect, recurringAuth } from './defect.ts';
import { oauthValue } from './forged/takes.ts';

const anySignatureTaken = {
  'authentication/close-day-wrong-key-refused': 'the gateway accepts any signature, also with another key',
  'authentication/close-day-altered-body-refused': 'the gateway accepts any signature, also over another body',
  'authentication/close-day-other-method-refused': 'the gateway accepts any signature, also of another method',
  'authentication/close-day-wrong-signature-refused': 'the gateway accepts any signature, also a damaged or copied one',
  'authentication/close-day-altered-uri-refused': 'the gateway accepts any signature, also over another URI',
  'authentication/recurring-wrong-key-refused': 'the gateway accepts any signature, for this operation too',
  'authentication/recurring-altered-body-refused': 'the gateway accepts any signature, for this operation too',
  'authentication/recurring-other-method-refused': 'the gateway accepts any signature, for this operation too',
  'authentication/recurring-wrong-signature-refused': 'the gateway accepts any signature, for this operation too',
  'authentication/recurring-altered-uri-refused': 'the gateway accepts any signature, for this operation too',
} as const;

/** Signatures differ between mocks, so one set serves the whole process. */
const signaturesSeen = new Set<string>();

export const authenticationDefects: readonly GatewayDefect[] = [
  {
    ...auth('signature-not-checked', [], { skips: ['signature'] })`Any signature is accepted, but one is required`,
    breaks: Object.keys(anySignatureTaken) as (keyof typeof anySignatureTaken)[],
    reasons: anySignatureTaken,
  },
  auth('nonce-not-remembered', 'reused-nonce-refused', { skips: ['nonce'] })`
    The same request is accepted again and again`,
  auth('only-exact-replay-refused', 'reused-nonce-refused', {
    // Called for every request just before it is accepted.
    refuses: ({ oauth }) => {
      signaturesSeen.add(oauthValue({ oauth }, 'signature'));
      return undefined;
    },
    takes: ({ oauth }, step) => step === 'nonce' && !signaturesSeen.has(oauthValue({ oauth }, 'signature')),
  })`A used nonce is refused only if the signature is also the same`,
  auth('last-three-nonces-remembered', 'reused-nonce-refused', remembers(3))`
    Only the nonces of the last three accepted requests are remembered`,
  auth('last-nonce-remembered', 'reused-nonce-refused', remembers(1))`
    Only the nonce of the last accepted request is remembered`,
  auth('other-method-accepted', 'other-method-refused', { skips: ['signature-method'] })`
    Each operation also accepts the signature method of the other one`,
  auth('unknown-consumer-accepted', 'unknown-consumer-refused', { skips: ['consumer'] })`
    Unknown consumer keys are attributed to the first consumer`,
  auth('version-not-checked', 'wrong-version-refused', { skips: ['version'] })`oauth_version may have any value`,
  auth('timestamp-not-checked', 'malformed-timestamp-refused', { skips: ['timestamp', 'timestamp-window'] })`
    oauth_timestamp may be any text`,

  // The gateway builds another base string, so it refuses valid requests.
  auth('body-left-out', ['valid-accepted', 'altered-body-refused'], {
    signs: (material) => ({ ...material, body: [] }),
  })`The base string lacks the form parameters: valid signatures are refused, those over an empty body accepted`,
  auth('port-left-out', ['valid-accepted', 'altered-uri-refused'], {
    signs: (material) => ({ ...material, url: { ...material.url, host: material.url.host.split(':')[0]! } }),
  })`
    The base string lacks the port: valid signatures for another port are refused, those without it accepted`,
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
  })`The base string has the scheme that a TLS proxy uses: valid signatures are refused, those over that scheme accepted`,
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
  // Base64 of 256 bytes always ends with =. Such a gateway also loses +, but not every signature has one.
  recurringAuth('header-read-as-form', 'valid-accepted', {
    signs: (material) =>
      material.key.method === 'RSA-SHA256' && material.signature.endsWith('=')
        ? { ...material, signature: '' }
        : material,
  })`
    The header is also decoded as a form: a signature that ends with = is read as a name without a value`,
];

function remembers(count: number): Alteration {
  return {
    refuses: (_, { nonces }) => {
      for (const nonce of [...nonces].slice(0, -count)) nonces.delete(nonce);
      return undefined;
    },
  };
}
