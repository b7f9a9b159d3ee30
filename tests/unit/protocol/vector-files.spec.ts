/** The vector files keep what their README promises. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from '../../engine.ts';
import { readVectors } from './vectors.ts';

const folder = new URL('../../../contracts/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'schema.json');
const readme = readFileSync(new URL('README.md', folder), 'utf8');
const schema = JSON.parse(readFileSync(new URL('schema.json', folder), 'utf8'));
const ajv = new Ajv2020({ strictTypes: false, strictTuples: false, allErrors: true }).addSchema(schema);
/** The faults of the value by that part of the schema, as sentences. */
const faultsOf = (value: unknown, part = '') =>
  ajv.validate(schema.$id + part, value) ? [] : [ajv.errorsText(ajv.errors)];

test('there are the nine files that the README describes', () => {
  const described = [...readme.matchAll(/^## (\S+\.json)$/gm)].map(([, name]) => name!);
  expect(described.toSorted()).toEqual(files.toSorted());
  expect(files.length).toBe(9);
});

for (const file of files) {
  const vectors = readVectors(file);
  const part = `#/$defs/${file.replace('.json', '')}`;

  test(`${file} and each of its cases fit the schema; a case without name or class, or with a foreign member, does not`, () => {
    expect(faultsOf(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))).toEqual([]);
    expect(vectors.flatMap((vector) => faultsOf(vector, part).map((fault) => `${vector.name}: ${fault}`))).toEqual([]);
    const { name, class: fault, ...rest } = vectors[0]!;
    const invalid = [
      { class: fault, ...rest },
      { name, ...rest },
      { ...vectors[0], message: 'x' },
    ];
    for (const one of [...invalid, { ...vectors[0], class: 'wrong' }]) expect(faultsOf(one, part)).toHaveLength(1);
  });

  test(`${file} has each name once and at most 150 kB, and the README explains its members and classes of faults`, () => {
    const names = vectors.map((vector) => vector.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(statSync(new URL(file, folder)).size).toBeLessThanOrEqual(150_000);
    const words = new Set(vectors.flatMap((vector) => [...Object.keys(vector), vector.class]));
    expect([...words].filter((word) => !readme.includes(`\`${word}\``))).toEqual([]);
  });
}

test('the classes of signature.json are all there is to refuse', () => {
  const classes = new Set(readVectors('signature.json').map((vector) => vector.class));
  expect([...classes].toSorted().join(' ')).toBe(
    'bad-signature bad-timestamp bad-version malformed-header missing-header missing-parameter ok repeated-parameter ' +
      'unknown-consumer unknown-method',
  );
});
