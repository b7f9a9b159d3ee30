/** Lists of operations in the schemas of files and messages: JSON cannot ask the table, so this does. */
import { readdirSync, readFileSync } from 'node:fs';
import { operationNames } from '../../../contracts/operations.ts';
import { expect, test } from '../../engine.ts';

test('every list of operations in a schema names all that the table has', () => {
  const folder = new URL('../../../schemas/', import.meta.url);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  const lists = paths.flatMap((path) =>
    [...readFileSync(new URL(path, folder), 'utf8').matchAll(/"enum": (\[[^\]]*"close-day"[^\]]*\])/g)].map(
      ([, list]) => [path, (JSON.parse(list!) as string[]).filter((name) => name !== 'both')],
    ),
  );
  expect(lists.length).toBeGreaterThan(3);
  expect(lists).toEqual(lists.map(([path]) => [path, [...operationNames]]));
});
