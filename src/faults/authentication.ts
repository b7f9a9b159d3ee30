/** Gateways that check the Authorization header less strictly than section 5 and RFC 5849, or refuse a valid one. */
import type { Alteration } from '../mock/alteration.ts';
import { auth, type GatewayDefect, recurringAuth } from './defect.ts';
import { oauthValue } from './forged/takes.ts';

const anySignatureTaken = {
  'authentication/close-day-wrong-key-refused': 'a signature of another key is a signature',
  'authentication/close-day-altered-body-refused': 'so is one made over another body',
  'authentication/close-day-other-method-refused': 'so is one by another method under the right name',
  'authentication/close-day-wrong-signature-refused': 'so is one that was cut, changed or taken from elsewhere',
  'authentication/close-day-altered-uri-refused': 'so is one made over another URI',
  'authentication/recurring-wrong-key-refused': 'the same for the other operation',
  'authentication/recurring-altered-body-refused': 'the same for the other operation',
  'authentication/recurring-other-method-refused': 'the same for the other operation',
  'authentication/recurring-wrong-signature-refused': 'the same for the other operation',
  'authentication/recurring-altered-uri-refused': 'the same for the other operation',
} as const;

/** Signatures differ between mocks, so one set serves the whole process. */
const signaturesSeen = new Set<string>();

export const authenticationDefects: readonly GatewayDefect[] = [
  {
    ...auth('signature-not-checked', [], { skips: ['signature'] })`Any signature is taken, as long as there is one`,
    breaks: Object.keys(anySignatureTaken) as (keyof typeof anySignatureTaken)[],
    reasons: anySignatureTaken,
  },
  auth('nonce-not-remembered', 'reused-nonce-refused', { skips: ['nonce'] })`The same request is taken again and again`,
  auth('only-exact-replay-refused', 'reused-nonce-refused', {
    // Called for every request just before it is accepted.
    refuses: ({ oauth }) => {
      signaturesSeen.add(oauthValue({ oauth }, 'signature'));
      return undefined;
    },
    takes: ({ oauth }, step) => step === 'nonce' && !signaturesSeen.has(oauthValue({ oauth }, 'signature')),
  })`A used nonce is refused only where the whole request comes again, signature and all`,
  auth('last-three-nonces-remembered', 'reused-nonce-refused', remembers(3))`
    Only the nonces of the last three accepted requests are remembered`,
  auth('last-nonce-remembered', 'reused-nonce-refused', remembers(1))`
    Only the nonce of the last accepted request is remembered`,
  auth('other-method-accepted', 'other-method-refused', { skips: ['signature-method'] })`
    Each operation takes the signature method of the other one too`,
  auth('unknown-consumer-accepted', 'unknown-consumer-refused', { skips: ['consumer'] })`
    A consumer key that was never issued is taken for the first consumer`,
  auth('version-not-checked', 'wrong-version-refused', { skips: ['version'] })`oauth_version may have any value`,
  auth('timestamp-not-checked', 'malformed-timestamp-refused', { skips: ['timestamp', 'timestamp-window'] })`
    oauth_timestamp may be any text`,

  // The gateway builds another base string, so it refuses valid requests.
  auth('body-left-out', ['valid-accepted', 'altered-body-refused'], {
    signs: (material) => ({ ...material, body: [] }),
  })`The form parameters are left out of the base string: right signatures are refused, those over no body taken`,
  auth('port-left-out', ['valid-accepted', 'altered-uri-refused'], {
    signs: (material) => ({ ...material, url: { ...material.url, host: material.url.host.split(':')[0]! } }),
  })`
    The base string has the URL without its port: right signatures for another port are refused, those without it taken`,
  auth('query-added', 'valid-accepted', { signs: (material) => ({ ...material, query: [['y', '2']] }) })`
    The base string has a query parameter that was not sent, so that right signatures are refused`,
  auth('nonce-in-lower-case', 'valid-accepted', {
    signs: (material) => ({
      ...material,
      header: material.header.map(([name, value]) => [name, name === 'oauth_nonce' ? value.toLowerCase() : value]),
    }),
  })`The base string has the nonce in lower case, so that right signatures with a capital in theirs are refused`,
  auth('scheme-behind-proxy', ['valid-accepted', 'altered-uri-refused'], {
    signs: ({ url, ...rest }) => ({ ...rest, url: { ...url, scheme: url.scheme === 'https' ? 'http' : 'https' } }),
  })`The base string has the scheme of the other side of a proxy: right signatures are refused, those over it taken`,
  auth('clock-wrong', 'valid-accepted', { settings: { timestampWindowSeconds: -1 } })`
    Fresh timestamps are taken for old ones, so that every request is refused`,
  auth('first-parameter-dropped', 'valid-accepted', {
    reads: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'authorization' ? value.replace(/^(OAuth )[^",]*"[^"]*",\s*/i, '$1') : value,
      ]),
    }),
  })`The first parameter of the header is taken for the realm and dropped`,
  // Base64 of 256 bytes always ends with =. Such a gateway also loses +, but not every signature has one.
  recurringAuth('header-read-as-form', 'valid-accepted', {
    signs: (material) =>
      material.key.method === 'RSA-SHA256' && material.signature.endsWith('=')
        ? { ...material, signature: '' }
        : material,
  })`
    The header is decoded once more as a form, where = ends a name: a signature with = at its end is read as a name without value`,
];

function remembers(count: number): Alteration {
  return {
    refuses: (_, { nonces }) => {
      for (const nonce of [...nonces].slice(0, -count)) nonces.delete(nonce);
      return undefined;
    },
  };
}
