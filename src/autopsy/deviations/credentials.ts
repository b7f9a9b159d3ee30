/** Deviations in the values of the oauth_* parameters and in what is read from the header (RFC 5849 sections 3.1 and 3.5.1). */
import type { Deviation } from '../deviation.ts';

const stage = 'collect';

function declared<Method extends string>(method: Method) {
  return {
    id: `signed-as-${method.toLowerCase() as Lowercase<Method>}` as const,
    stage,
    change: { declared: method },
    summary: `The client announces one signature method and signs the name of another one (${method}).`,
    developer: `oauth_signature_method is ${method} in the base string, and something else in the header.`,
    fix: 'Take both from one variable.',
  } as const satisfies Deviation;
}

export const credentials = [
  declared('HMAC-SHA1'),
  declared('RSA-SHA256'),
  declared('RSA-SHA1'),
  declared('HMAC-SHA256'),
  {
    id: 'timestamp-one-second-earlier',
    stage,
    change: { timestamp: 'second-before' },
    summary: 'The client reads the clock twice: the time it signs is a second before the time it sends.',
    developer: 'oauth_timestamp in the base string is one less than in the header.',
    fix: 'Read the clock once for each request.',
  },
  {
    id: 'timestamp-one-second-later',
    stage,
    change: { timestamp: 'second-after' },
    summary: 'The client reads the clock twice: the time it signs is a second after the time it sends.',
    developer: 'oauth_timestamp in the base string is one more than in the header.',
    fix: 'Read the clock once for each request.',
  },
  {
    id: 'timestamp-signed-in-seconds-sent-in-milliseconds',
    stage,
    change: { timestamp: 'in-seconds' },
    summary: 'The client signs the time in seconds and sends it in milliseconds.',
    developer: 'oauth_timestamp is divided by 1000 in the base string, but not in the header.',
    fix: 'Use seconds in both places.',
  },
  {
    id: 'header-values-encoded-twice',
    stage,
    snippet: 'header',
    change: { headerText: 'decoded-twice' },
    summary: 'The client encodes its credentials once too often when it sends them.',
    developer:
      'The values in the Authorization header are percent-encoded twice; decoded once they are not what was signed.',
    fix: 'Encode each value once, when the header is written; most libraries do it themselves.',
  },
  {
    id: 'header-values-signed-as-written',
    stage,
    snippet: 'base-string',
    change: { headerText: 'raw' },
    summary: 'The client signs its credentials in the form of the header, which is encoded already.',
    developer: 'oauth_* values enter the signer percent-encoded and are encoded there again.',
    fix: 'Give plain values to the signer; the encoded ones belong into the header alone.',
  },
  {
    id: 'header-value-not-encoded',
    stage: 'encode',
    snippet: 'base-string',
    change: { headerEncoding: 'none' },
    summary: 'The client encodes the form fields for signing, but not its credentials.',
    developer:
      'oauth_* values are joined without being encoded first; reserved characters in key, nonce or callback are encoded only once.',
    fix: 'Encode names and values of all parameters in the same way before joining them.',
  },
] as const satisfies readonly Deviation[];
