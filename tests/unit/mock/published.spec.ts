/** What the mock says about itself, and the published test identity. */
import { readFileSync } from 'node:fs';
import { openPoints } from '../../../contracts/open-points.ts';
import { assumptions, defaultSettings, notSimulated, publishedIdentity } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';

test('every assumption names an open point and is one sentence of its own', () => {
  const texts = assumptions.map(({ assumption }) => assumption);
  const ids: readonly string[] = openPoints.map(({ id }) => id);
  expect(assumptions.filter(({ openPoint }) => !ids.includes(openPoint))).toEqual([]);
  expect([...texts, ...notSimulated].filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

test('the numbers that it states are those of the settings', () => {
  const text = assumptions.map(({ assumption }) => assumption).join('\n');
  expect(text).toContain(`${defaultSettings.timestampWindowSeconds} seconds`);
  expect(text).toContain(`${defaultSettings.maxNonces.toLocaleString('en')} are remembered`);
  expect(text).toContain(`${defaultSettings.maxBodyBytes / 1024 / 1024} MiB`);
  expect(text).toContain(`${defaultSettings.maxHeaderBytes / 1024} KiB`);
});

const keys = new URL('../../../contracts/vectors/keys/', import.meta.url);

test('its keys are those of the vectors, to the byte', () => {
  expect(publishedIdentity.privateKeyPem).toBe(readFileSync(new URL('rsa-test-private.pem', keys), 'utf8'));
  expect(publishedIdentity.publicKeyPem).toBe(readFileSync(new URL('rsa-test-public.pem', keys), 'utf8'));
});

test('its key and secret have no reserved characters, the secret more than 16 characters', () => {
  expect(publishedIdentity.consumerKey).toMatch(/^[A-Za-z0-9._~-]+$/);
  expect(publishedIdentity.consumerSecret).toMatch(/^[A-Za-z0-9._~-]{17,}$/);
});
