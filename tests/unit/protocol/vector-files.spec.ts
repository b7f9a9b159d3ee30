/** The vector files themselves: what the README promises of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from '../../engine.ts';
import { definition, type Schema, schemaFaults } from './fits-schema.ts';
import { readVectors } from './vectors.ts';

const folder = new URL('../../../contracts/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'schema.json');
const readme = readFileSync(new URL('README.md', folder), 'utf8');
const schema = JSON.parse(readFileSync(new URL('schema.json', folder), 'utf8')) as Schema;

test('there are the nine files that the README describes', () => {
  const described = [...readme.matchAll(/^## (\S+\.json)$/gm)].map(([, name]) => name!);
  expect(described.toSorted()).toEqual(files.toSorted());
  expect(files.length).toBe(9);
});

for (const file of files) {
  const vectors = readVectors(file);
  const shape = definition(schema, file.replace('.json', ''));

  test(`${file} and each of its cases fit the schema`, () => {
    const whole = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    expect(schemaFaults(schema, schema, whole)).toEqual([]);
    expect(vectors.flatMap((vector) => schemaFaults(schema, shape, vector, vector.name))).toEqual([]);
  });

  test(`${file}: a case that lost its name or class, or gained a member, does not fit the schema`, () => {
    const { name, class: fault, ...rest } = vectors[0]!;
    for (const spoilt of [
      { class: fault, ...rest },
      { name, ...rest },
      { ...vectors[0], message: 'x' },
    ]) {
      expect(schemaFaults(schema, shape, spoilt)).not.toEqual([]);
    }
    expect(schemaFaults(schema, shape, { ...vectors[0], class: 'wrong' })).not.toEqual([]);
  });

  test(`${file}: each name is there once`, () => {
    const names = vectors.map((vector) => vector.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test(`${file}: the README explains each member and each class of fault`, () => {
    const words = new Set(vectors.flatMap((vector) => [...Object.keys(vector), vector.class]));
    expect([...words].filter((word) => !readme.includes(`\`${word}\``))).toEqual([]);
  });

  test(`${file} has at most 150 kilobytes, so that it can be read`, () => {
    expect(statSync(new URL(file, folder)).size).toBeLessThanOrEqual(150_000);
  });
}

test('the schema language that is checked here has no gaps', () => {
  expect(() => schemaFaults(schema, { minimum: 1 }, 0)).toThrow(/minimum/);
  expect(() => schemaFaults(schema, { $ref: '#/$defs/nothing' }, 0)).toThrow(/nothing/);
  const branches = JSON.parse('{"if":{"const":1},"then":{"type":"string"},"else":{"type":"integer"}}');
  expect(schemaFaults(schema, branches, 2)).toEqual([]);
  expect(schemaFaults(schema, branches, 1)).toHaveLength(1);
  expect(schemaFaults(schema, { oneOf: [{ type: 'integer' }, { const: 1 }] }, 1)).toHaveLength(1);
  expect(schemaFaults(schema, { not: { type: 'string' } }, 'x')).toHaveLength(1);
});

test('the classes of signature.json are all there is to refuse', () => {
  const classes = new Set(readVectors('signature.json').map((vector) => vector.class));
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
