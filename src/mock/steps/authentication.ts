/** Authentication, step by step (section 5; RFC 5849 sections 3.1 to 3.5). */

import { oauthParameters } from '../../../contracts/oauth-parameters.ts';
import { operations } from '../../../contracts/operations.ts';
import { decodeBase64 } from '../../protocol/base64.ts';
import { firstValue } from '../received.ts';
import { announcedMethod, signatureMaterial, verifies } from '../signature.ts';
import { consumerOf } from '../state.ts';
import { step } from './step.ts';

export const authenticationSteps = [
  step('authorization', ({ oauthProblem }) => oauthProblem),

  ...oauthParameters.map((name) =>
    step(`has-${name}`, ({ oauth }) => (firstValue(oauth, name) ? undefined : `${name} is missing`)),
  ),

  step('parameters-in-header', ({ form, query }) =>
    [...form, ...query].some(([name]) => name.startsWith('oauth_'))
      ? 'an OAuth parameter is outside the Authorization header'
      : undefined,
  ),

  step('token', ({ oauth }) => (firstValue(oauth, 'oauth_token') ? 'no token was issued' : undefined)),

  // From here on an absent parameter is left to its own step, so that each can be switched off alone.
  step('consumer', ({ oauth }, { world }) =>
    firstValue(oauth, 'oauth_consumer_key') === undefined || consumerOf(world, oauth) ? undefined : 'unknown consumer',
  ),

  step('signature-method', ({ oauth, operation }) =>
    announcedMethod(oauth, operation) === operations[operation].signatureMethod
      ? undefined
      : 'the signature method is not the one of this operation',
  ),

  step('version', ({ oauth }) => {
    const version = firstValue(oauth, 'oauth_version');
    return version === undefined || version === '1.0' ? undefined : 'oauth_version is not 1.0';
  }),

  step('timestamp', ({ oauth }) =>
    /^[1-9]\d*$/.test(firstValue(oauth, 'oauth_timestamp') ?? '1')
      ? undefined
      : 'the timestamp is not a positive integer',
  ),

  step('timestamp-window', ({ oauth }, { settings, now }) => {
    const distance = Math.abs(Number(firstValue(oauth, 'oauth_timestamp')) - Math.floor(now / 1000));
    // A timestamp that is not a number is left to the step before.
    return distance > settings.timestampWindowSeconds ? 'the timestamp is outside of the window' : undefined;
  }),

  step('signature-base64', ({ oauth }) => {
    try {
      decodeBase64(firstValue(oauth, 'oauth_signature') ?? '');
      return undefined;
    } catch {
      return 'the signature is not base64';
    }
  }),

  step('signature', (reading, { world, signs }) => {
    // Without the step `consumer` a stranger is taken for the first consumer: some key has to be used.
    const material = signatureMaterial(reading, consumerOf(world, reading.oauth) ?? world.consumers[0]);
    return material && verifies(signs(material, reading)) ? undefined : 'the signature does not verify';
  }),

  step('nonce', ({ oauth }, { world, settings }) =>
    world.nonces.has(nonceOf(oauth, settings)) ? 'the nonce was used before' : undefined,
  ),
] as const;

/** The key under which the request's nonce is remembered. */
export function nonceOf(
  oauth: readonly (readonly [string, string])[],
  settings: { nonceKey: (consumerKey: string, timestamp: string, nonce: string) => string },
): string {
  const [consumerKey, timestamp, nonce] = ['oauth_consumer_key', 'oauth_timestamp', 'oauth_nonce'].map(
    (name) => firstValue(oauth, name) ?? '',
  );
  return settings.nonceKey(consumerKey!, timestamp!, nonce!);
}
