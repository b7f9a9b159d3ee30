/** The rooms of the house: ARCHITECTURE.md has one sentence on each. */
import { expect, test } from '../engine.ts';
import { areas } from './edges.ts';
import { textOf } from './tree.ts';

test('ARCHITECTURE.md has a sentence on every room, and on no other folder', () => {
  const told = [...textOf('ARCHITECTURE.md').matchAll(/^\| `([a-z][a-z/-]*)\/` \| \S/gm)].map(([, room]) => room!);
  // One sentence names all extras.
  const rooms = Object.keys(areas).filter((area) => !area.includes('.') && !area.startsWith('src/extras/'));
  expect(rooms.filter((room) => !told.includes(room))).toEqual([]);
  const outside = ['adapters', 'bench', 'docs', 'reports', 'tests'];
  expect(told.filter((room) => !rooms.includes(room) && !outside.includes(room))).toEqual([]);
});
