/** The authentication steps (section 5; RFC 5849 sections 3.1 to 3.5). Alterations can change the signature step. */
import { createPublicKey } from 'node:crypto';
import { type Operation, oauthParameters, operations } from '../../contracts/operations.ts';
import type { Pair } from '../protocol/form.ts';
import { baseString, baseStringUri, collectParameters, normalizeParameters } from '../protocol/oauth/base-string.ts';
import { type VerifyingKey, verifySignature } from '../protocol/oauth/signature.ts';
import { memoize } from '../record/memoize.ts';
import type { MockSettings } from './assumptions.ts';
import { firstValue, type Reading } from './decode-request.ts';
import { type SignatureMaterial, step } from './step.ts';
import { type Consumer, consumerOf } from './world.ts';

function announcedMethod(oauth: readonly Pair[], operation: Operation): string {
  return firstValue(oauth, 'oauth_signature_method') ?? operations[operation].signatureMethod;
}

/** Returns the input of the signature step. Undefined if the consumer has no key for the announced method. */
export function signatureMaterial(reading: Reading, consumer: Consumer | undefined): SignatureMaterial | undefined {
  const methodName = announcedMethod(reading.oauth, reading.operation);
  const key = consumer && keyOf(consumer, methodName);
  if (!key) return undefined;
  const { method, scheme, host, target } = reading.request;
  return {
    method,
    url: { scheme, host, target },
    header: reading.oauth,
    body: reading.form,
    query: reading.query,
    signature: firstValue(reading.oauth, 'oauth_signature') ?? '',
    key,
    steps: { collect: collectParameters, normalize: normalizeParameters, uri: baseStringUri, base: baseString },
  };
}

/** False if the signature is wrong, or if the request has no usable URL. */
export function verifies({ method, url, header, body, query, signature, key, steps }: SignatureMaterial): boolean {
  try {
    const parameters = steps.collect({ authorization: header, body, query });
    const base = steps.base(method, steps.uri(url), steps.normalize(parameters));
    // Accept faulty base64 here, because the step `signature-base64` refuses it.
    return verifySignature(base, Buffer.from(signature, 'base64').toString('base64'), key);
  } catch {
    return false;
  }
}

function keyOf(consumer: Consumer, methodName: string): VerifyingKey | undefined {
  if (methodName === 'HMAC-SHA1') return consumer.consumerSecret === undefined ? undefined : hmacKeyOf(consumer);
  if (methodName === 'RSA-SHA256') return consumer.publicKeyPem === undefined ? undefined : rsaKeyOf(consumer);
  return undefined;
}

// Always return the same object for a consumer, because `verifySignature` caches by this object.
const hmacKeyOf = memoize(({ consumerSecret = '' }: Consumer) => ({ method: 'HMAC-SHA1', consumerSecret }) as const);
const rsaKeyOf = memoize(({ publicKeyPem = '' }: Consumer) => {
  return { method: 'RSA-SHA256', publicKey: createPublicKey(publicKeyPem) } as const;
});

const authorization = { name: 'authorization', refuses: ({ oauthProblem }: Reading) => oauthProblem } as const;

export const authenticationSteps = [
  authorization,

  ...oauthParameters.map(
    (name) => step(`has-${name}`, ({ oauth }) => Boolean(firstValue(oauth, name)))`${name} is missing`,
  ),

  step('parameters-in-header', ({ form, query }) => ![...form, ...query].some(([name]) => name.startsWith('oauth_')))`
    an OAuth parameter is outside the Authorization header`,

  step('token', ({ oauth }) => !firstValue(oauth, 'oauth_token'))`no token was issued`,

  // Only the `has-…` steps refuse an absent parameter. The next steps accept it, in case a defect skips `has-…`.
  step(
    'consumer',
    ({ oauth }, { world }) =>
      firstValue(oauth, 'oauth_consumer_key') === undefined || consumerOf(world, oauth) !== undefined,
  )`unknown consumer`,

  step(
    'signature-method',
    ({ oauth, operation }) => announcedMethod(oauth, operation) === operations[operation].signatureMethod,
  )`the signature method is not the method of this operation`,

  step('version', ({ oauth }) => (firstValue(oauth, 'oauth_version') ?? '1.0') === '1.0')`oauth_version is not 1.0`,

  step('timestamp', ({ oauth }) => /^[1-9]\d*$/.test(firstValue(oauth, 'oauth_timestamp') ?? '1'))`
    the timestamp is not a positive integer`,

  step('timestamp-window', ({ oauth }, { settings, now }) => {
    const distance = Math.abs(Number(firstValue(oauth, 'oauth_timestamp')) - Math.floor(now / 1000));
    // A timestamp that is absent or not a number passes here, because earlier steps refuse it.
    return !(distance > settings.timestampWindowSeconds);
  })`the timestamp is outside of the window`,

  step('signature-base64', ({ oauth }) => {
    const signature = firstValue(oauth, 'oauth_signature') ?? '';
    return Buffer.from(signature, 'base64').toString('base64') === signature;
  })`the signature is not base64`,

  step('signature', (reading, { world, alter }) => {
    // The consumer is unknown or absent only if a defect skips a step. Then use the key of the first consumer.
    const material = signatureMaterial(reading, consumerOf(world, reading.oauth) ?? world.consumers[0]);
    return material !== undefined && verifies(alter(material));
  })`the signature does not verify`,

  step('nonce', ({ oauth }, { world, settings }) => !world.nonces.has(nonceOf(oauth, settings)))`
    the nonce was used before`,
] as const;

export function nonceOf(oauth: readonly Pair[], { nonceKey }: Pick<MockSettings, 'nonceKey'>): string {
  const value = (name: string) => firstValue(oauth, name) ?? '';
  return nonceKey(value('oauth_consumer_key'), value('oauth_timestamp'), value('oauth_nonce'));
}
