/** What the mock says about itself. */

import { openPoints } from '../../../contracts/open-points.ts';
import { assumptions, defaultSettings, notSimulated } from '../../../src/mock/index.ts';
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
