/** The schema files themselves: published, so each says what it is, and none is left out of the index. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { operationNames } from '../../../contracts/operations.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { schemaNames } from '../../../schemas/index.ts';
import { expect, test } from '../../engine.ts';

const root = new URL('../../../schemas/', import.meta.url);
const dialect = new Ajv2020();
const files = ['payload', 'files'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root)).map((file) => `${folder}/${file}`),
);

const schemaIn = (file: string) => JSON.parse(readFileSync(new URL(file, root), 'utf8'));

test('every file names its dialect, its place, its title and what it describes', () => {
  for (const file of files) {
    expect(schemaIn(file), file).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:countersign:schema:${file.replace('/', ':').replace('.json', '')}`,
      title: expect.stringMatching(/.{6}/),
      description: expect.stringMatching(/.{41}/),
    });
  }
});

test('every file and every message of an adapter keeps to its dialect', () => {
  const messages = readdirSync(new URL('adapter/', root)).filter((file) => file.endsWith('.json'));
  for (const file of [...files, ...messages.map((message) => `adapter/${message}`)]) {
    expect(dialect.validateSchema(schemaIn(file)), file).toBe(true);
  }
});

test('every pattern of a file of ours says in words what it asks for: nobody is told a regular expression', () => {
  const silent: string[] = [];
  for (const file of files.filter((one) => one.startsWith('files/'))) {
    JSON.parse(readFileSync(new URL(file, root), 'utf8'), (_key, value) => {
      if (typeof value?.pattern === 'string' && value['x-must-be'] === undefined)
        silent.push(`${file}: ${value.pattern}`);
      return value;
    });
  }
  expect(silent).toEqual([]);
});

test('every requirement that a payload schema names is one of the contract', () => {
  const ids = new Set<string>(requirements.map(({ id }) => id));
  const named = files.flatMap((file) => {
    const stated: string[] = [];
    JSON.parse(readFileSync(new URL(file, root), 'utf8'), (key, value) => {
      if (key === 'x-requirement') stated.push(...Object.values<string>(value));
      return value;
    });
    return stated;
  });
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

test('every file has a name in the index', () => {
  expect(files.length).toBeGreaterThan(15);
  const named = (file: string) => schemaNames.some((name) => name.split('/')[0] === file.replace(/^.*\/|\.json$/g, ''));
  expect(files.filter((file) => !named(file))).toEqual([]);
});

test('every list of operations in a schema names all that the table has', () => {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  const lists = paths.flatMap((path) =>
    [...readFileSync(new URL(path, root), 'utf8').matchAll(/"enum": (\[[^\]]*"close-day"[^\]]*\])/g)].map(
      ([, list]) => [path, (JSON.parse(list!) as string[]).filter((name) => name !== 'both')],
    ),
  );
  expect(lists.length).toBeGreaterThan(3);
  expect(lists).toEqual(lists.map(([path]) => [path, [...operationNames]]));
});
