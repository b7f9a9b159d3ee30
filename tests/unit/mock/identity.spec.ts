/** The published test identity. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { publishedIdentity } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';

const keys = new URL('../../../contracts/vectors/keys/', import.meta.url);

test('its keys are those of the vectors, to the byte', () => {
  expect(publishedIdentity.privateKeyPem).toBe(readFileSync(new URL('rsa-test-private.pem', keys), 'utf8'));
  expect(publishedIdentity.publicKeyPem).toBe(readFileSync(new URL('rsa-test-public.pem', keys), 'utf8'));
});

test('the public key belongs to the private one, and has 2048 bits', () => {
  const derived = createPublicKey(createPrivateKey(publishedIdentity.privateKeyPem));
  expect(derived.export({ type: 'spki', format: 'pem' })).toBe(publishedIdentity.publicKeyPem);
  expect(derived.asymmetricKeyDetails?.modulusLength).toBe(2048);
});

test('its key and secret have no reserved characters, the secret more than 16 characters', () => {
  expect(publishedIdentity.consumerKey).toMatch(/^[A-Za-z0-9._~-]+$/);
  expect(publishedIdentity.consumerSecret).toMatch(/^[A-Za-z0-9._~-]{17,}$/);
});
