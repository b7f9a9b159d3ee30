/** The vector files themselves: what the README promises of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { readVectors } from './vectors.ts';

const folder = new URL('../../../contracts/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const readme = readFileSync(new URL('README.md', folder), 'utf8');

test('there are the seven files that the README describes', () => {
  const described = [...readme.matchAll(/^## (\S+\.json)$/gm)].map(([, name]) => name!);
  expect(described.toSorted()).toEqual(files.toSorted());
  expect(files.length).toBe(7);
});

for (const file of files) {
  const vectors = readVectors(file);

  test(`${file}: each id stands once`, () => {
    const ids = vectors.map((vector) => vector.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test(`${file}: the README explains each member and each class of fault`, () => {
    const words = new Set(vectors.flatMap((vector) => [...Object.keys(vector), vector['subject-fault']]));
    expect([...words].filter((word) => !readme.includes(`\`${word}\``))).toEqual([]);
  });
}

test('the classes of fault in signature.json are all there is to refuse', () => {
  const classes = new Set(readVectors('signature.json').map((vector) => vector['subject-fault']));
  expect([...classes].toSorted()).toEqual([
    'bad-signature',
    'bad-timestamp',
    'bad-version',
    'malformed-header',
    'missing-header',
    'missing-parameter',
    'ok',
    'repeated-parameter',
    'unknown-consumer',
    'unknown-method',
  ]);
});
