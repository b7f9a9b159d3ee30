/** The lists, for people and for programs. */
import { openPoints } from '../../../contracts/open-points.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { provenBy } from '../../../src/verdict/forecast/by-requirements.ts';
import { expect, test } from '../../engine.ts';
import { run } from './captured.ts';

for (const what of ['requirements', 'open-points', 'variants', 'profiles', 'deviations']) {
  test(`list ${what} has as many rows as its JSON has entries, with aligned columns`, async () => {
    const text = await run(['list', what]);
    const json = await run(['list', what, '--json']);
    expect([text.exitCode, text.err, json.exitCode, json.err]).toEqual([0, '', 0, '']);
    const entries = JSON.parse(json.out);
    expect(entries.length).toBeGreaterThan(0);
    const [heading, ...rows] = text.out.trimEnd().split('\n');
    expect(rows).toHaveLength(entries.length);
    const second = heading!.search(/(?<= {2})\S/);
    expect(rows.filter((row) => row[second] === ' ' || row[second - 1] !== ' ')).toEqual([]);
  });
}

test('list defects groups by side and operation, with counts that add up, and names each defect once', async () => {
  const { exitCode, out, err } = await run(['list', 'defects']);
  expect([exitCode, err]).toEqual([0, '']);
  const all = [...gatewayDefects, ...clientDefects];
  expect(out.split('\n')[0]).toContain(`${all.length} defects`);
  const groups = [...out.matchAll(/^(gateway|client), (.+) \((\d+)\)\n((?: {2}\S.*\n)+)/gm)];
  const counted = groups.map(([, , , count, lines]) => [Number(count), lines!.trimEnd().split('\n').length]);
  for (const [count, lines] of counted) expect(count).toBe(lines);
  const misplaced = groups.flatMap(([, side, where, , lines]) =>
    lines!
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(' ')[0]!)
      .filter((id) => {
        const { operation } = all.find((one) => one.id === id && one.side === side)!;
        return !where!.startsWith(operation === 'both' ? 'both operations' : operation);
      }),
  );
  expect(misplaced).toEqual([]);
  expect(counted.reduce((sum, [count]) => sum + count!, 0)).toBe(all.length);
});

test('without an argument the requirements are listed', async () => {
  expect(await run(['list'])).toEqual(await run(['list', 'requirements']));
});

test('the JSON of the requirements is the contract itself', async () => {
  const { out } = await run(['list', '--json']);
  expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(requirements)));
});

test('every defect is listed with exactly the six members that others build on', async () => {
  const entries = JSON.parse((await run(['list', 'defects', '--json'])).out);
  expect(entries.map((entry: { id: string }) => entry.id)).toEqual(
    [...gatewayDefects, ...clientDefects].map(({ id }) => id),
  );
  const members = new Set(entries.map((entry: object) => Object.keys(entry).join()));
  expect(members).toEqual(new Set(['id,side,operation,summary,breaks,reach']));
  expect(entries.filter(({ breaks }: { breaks: readonly string[] }) => breaks.length === 0)).toEqual([]);
});

for (const [which, every, tag] of [
  ['each fifth', 5, []],
  ['every', 1, ['@all']],
] as const) {
  test(`${which} id that can be listed can be explained`, { tag: [...tag] }, async () => {
    const unexplained: string[] = [];
    for (const what of ['requirements', 'open-points', 'defects', 'variants', 'profiles', 'deviations']) {
      const entries: { id?: string; name?: string }[] = JSON.parse((await run(['list', what, '--json'])).out);
      for (const entry of entries.filter((_, at) => at % every === 0)) {
        const id = entry.id ?? entry.name!;
        const { exitCode, out } = await run(['explain', id]);
        if (exitCode !== 0 || !out.split('\n')[0]!.endsWith(` ${id}`)) unexplained.push(id);
      }
    }
    expect(unexplained).toEqual([]);
  });
}

test('a requirement is explained with its section, its hint and what proves it', async () => {
  const proven = gatewayDefects.flatMap(({ id, breaks }) => breaks.map((broken: string) => [broken, id] as const));
  const row = requirements.find(({ id }) => proven.some(([broken]) => broken === id))!;
  const { out } = await run(['explain', row.id, '--json']);
  expect(JSON.parse(out)).toMatchObject({
    is: 'requirement',
    id: row.id,
    statement: row.statement,
    section: row.section,
    provenBy: proven.filter(([broken]) => broken === row.id).map(([, id]) => id),
  });
  const text = (await run(['explain', row.id])).out.replace(/\s+/g, ' ');
  expect(text).toContain(row.statement);
  expect(text).toContain(`section ${row.section}`);
  expect(text).toContain('testable yes');
});

test('a defect that only a record shows proves no row, and the command says so to whoever asks for it', async () => {
  const stored = clientDefects.find(({ reach }) => reach === 'stored')!;
  const [row] = stored.breaks;
  const explained = JSON.parse((await run(['explain', row!, '--json'])).out);
  expect(explained.provenBy).not.toContain(stored.id);
  expect(explained.judgedInRecords).toContain(stored.id);
  expect(provenBy('client').get(row!)).toEqual(explained.provenBy);
  expect((await run(['explain', stored.id])).out.replace(/\s+/g, ' ')).toContain('it proves no requirement');
  const apart = (await run(['list', 'defects'])).out
    .split(/^(?=\S)/m)
    .filter((part) => part.includes(`  ${stored.id} `));
  expect(apart).toEqual([expect.stringMatching(/^client, both operations, shown by stored records alone /)]);
  const refused = await run(['client', '--defect', stored.id]);
  expect([refused.exitCode, refused.err]).toEqual([2, expect.stringContaining('no call of the two operations shows')]);
});

test('a required row that no run can be made to fail says so', async () => {
  const text = (await run(['explain', 'transport/https-served'])).out.replace(/\s+/g, ' ');
  expect(text).toContain('proven by nothing that a run can be given: stored records alone show a failure');
});

test('a row that cannot be tested says why', async () => {
  const row = requirements.find(({ untestable }) => untestable !== undefined)!;
  const text = (await run(['explain', row.id])).out.replace(/\s+/g, ' ');
  expect(text).toContain(`testable no: ${row.untestable}`);
});

test('an open point is found whatever the case of its letter', async () => {
  const [point] = openPoints;
  expect((await run(['explain', point!.id.toLowerCase()])).out).toBe((await run(['explain', point!.id])).out);
});
