/** The tables of deviations, dialects and snippets keep their own rules. */

import { deviationOf, deviations, dialects, languages, snippetOf } from '../../../src/autopsy/index.ts';
import { combine } from '../../../src/deviations/deviation.ts';
import { plainRecipe, type Recipe } from '../../../src/deviations/signer/recipe.ts';
import { expect, test } from '../../engine.ts';

test('there are more than a hundred deviations, each with an id of its own', () => {
  const ids = deviations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
});

test('every change differs from the right recipe, and no two deviations make the same one', () => {
  const idle = deviations.filter(({ change }) =>
    Object.entries(change).some(([slot, value]) => plainRecipe[slot as keyof Recipe] === value),
  );
  expect(idle.map(({ id }) => id)).toEqual([]);
  const changes = deviations.map(({ change }) => JSON.stringify(change)).filter((text) => text !== '{}');
  expect(new Set(changes).size).toBe(changes.length);
});

test('every deviation is told to a manager and to a developer, with a fix, in full sentences', () => {
  const texts = deviations.flatMap(({ id, developer, fix, summary }) =>
    [developer, fix, summary].map((text) => ({ id, text })),
  );
  expect(texts.filter(({ text }) => !/^\S.{12,}\.$/s.test(text) || / {2}/.test(text))).toEqual([]);
});

test('the members of every dialect combine', () => {
  expect(dialects.filter((dialect) => !combine(dialect.deviations)).map(({ id }) => id)).toEqual([]);
  expect(combine([deviationOf('not-sorted'), deviationOf('natural-order')])).toBe(false);
  expect(combine([deviationOf('not-sorted'), deviationOf('latin-1')])).toBe(true);
});

test('every deviation with a snippet has one in each language', () => {
  const missing = deviations.flatMap(({ id, snippet }) =>
    languages
      .filter((language) => snippet !== undefined && snippetOf(snippet, language).length <= 20)
      .map((language) => `${id} ${language}`),
  );
  expect(missing).toEqual([]);
});
