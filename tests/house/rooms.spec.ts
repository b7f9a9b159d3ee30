/** The rooms of the house: each is small enough to be read at a sitting, ARCHITECTURE.md says what it is, and a word means one thing. */
import { expect, test } from '../engine.ts';
import { areas } from './edges.ts';
import { textOf, typeScriptFiles } from './tree.ts';

const mostFiles = 30;
const mostLines = 3000;

/** Rooms whose files are rows of one table, and what a row is: they grow with the table. */
const tables: Readonly<Record<string, string>> = {
  'src/defects/client': 'one object for each fault of a client',
};

const sources = typeScriptFiles().filter(({ path }) => /^(?:src|generators|schemas|contracts)\/.*\//.test(path));

test(`no room has more than ${mostFiles} files or ${mostLines} lines`, () => {
  const rooms = new Map<string, { files: number; lines: number }>();
  for (const { path, text } of sources) {
    const name = path.slice(0, path.lastIndexOf('/'));
    const room = rooms.get(name) ?? { files: 0, lines: 0 };
    rooms.set(name, { files: room.files + 1, lines: room.lines + text.split('\n').length - 1 });
  }
  const printed = [...rooms].map(
    ([name, { files, lines }]) =>
      `\n${name.padEnd(28)}${String(files).padStart(4)} files${String(lines).padStart(6)} lines`,
  );
  test.info().annotations.push({ type: 'measured: rooms', description: printed.join('') });
  const large = [...rooms].filter(([, { files, lines }]) => files > mostFiles || lines > mostLines);
  expect(large.map(([name]) => name)).toEqual(Object.keys(tables));
});

test('ARCHITECTURE.md has a sentence on every room, and on no other folder', () => {
  const told = [...textOf('ARCHITECTURE.md').matchAll(/^\| `([a-z][a-z/-]*)\/` \| \S/gm)].map(([, room]) => room!);
  const rooms = Object.keys(areas).filter((area) => !area.includes('.'));
  expect(rooms.filter((room) => !told.includes(room))).toEqual([]);
  const outside = ['adapters', 'bench', 'docs', 'reports', 'tests'];
  expect(told.filter((room) => !rooms.includes(room) && !outside.includes(room))).toEqual([]);
});

test('no exported name is defined twice', () => {
  const places = new Map<string, string[]>();
  const definition = /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type) +([\w$]+)/gm;
  for (const { path, text } of sources) {
    for (const [, name] of text.matchAll(definition)) places.set(name!, [...(places.get(name!) ?? []), path]);
  }
  const twice = [...places].filter(([, paths]) => new Set(paths).size > 1);
  expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
});
