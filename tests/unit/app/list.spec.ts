/** The lists, for people and for programs, and where somebody is sent who names an id that a command cannot take. */
import { openPoints } from '../../../contracts/open-points.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { nearestName } from '../../../schemas/nearest.ts';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import { provenBy } from '../../../src/verdict/forecast/forecast.ts';
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

const ofClient = clientDefects.find(({ reach }) => reach === undefined)!.id;
const stored = gatewayDefects.find(({ reach }) => reach === 'stored')?.id;

/** A command line, and what its one sentence says. */
const said: Readonly<Record<string, string>> = {
  [`gateway --defect ${ofClient}`]: `this command takes those of a gateway. countersign client --defect ${ofClient} takes it.`,
  [`mock --defect ${ofClient}`]: `is a defect of a client`,
  'client --defect authentication/signature-not-checked':
    'is a defect of a gateway, and this command takes those of a client',
  'gateway --defect close-day/*': '--defect takes ids and no patterns, and close-day/* is a pattern',
  'mock --defect authentication/*': '--defect takes ids and no patterns',
  'gateway --only close-day/statos-*': 'there is no requirement close-day/statos-*. Did you mean close-day/status-*?',
  [`gateway --only ${'a'.repeat(100_000)}`]: '--only has a pattern of 100000 characters, and no more than 200 are read',
  'client --only (a+)+$[ -- true': 'there is no requirement (a+)+$[. countersign list requirements names them all.',
  'gateway --only recurring/keep-alive-kept': 'has nothing to send. Add --slow: it is shown by a connection',
  'gateway --except close-day/statos-200':
    'there is no requirement close-day/statos-200. Did you mean close-day/status-200?',
  'gateway --only close-day/status-200 --except close-day/*': 'leaves no requirement to judge. Except less, or choose',
  'gateway --only close-day/status-200,recurring/*': 'close-day/status-200,recurring/*. Repeat --only for each.',
  'gateway --only transport/environments': 'no run can show transport/environments. A run speaks to one base URL and',
  'client --only recurring/starts-* -- true':
    'no run can show recurring/starts-transactions. An accepted batch is answered',
  'gateway --require close-dy/*': 'there is no requirement close-dy/*. Did you mean close-day/*?',
  'client --require transport/environments -- true': 'no run can show transport/environments',
  'gateway --only close-dy/*': 'there is no requirement close-dy/*. Did you mean close-day/*?',
  'explain close-day/*': 'explain takes one id, and close-day/* is a pattern. countersign list shows all ids.',
  ...(stored && {
    [`mock --defect ${stored}`]: `a mock cannot be given the defect ${stored}: only stored records show it`,
  }),
};

for (const [line, sentence] of Object.entries(said)) {
  test(`${line} names the right command`, async () => {
    const { exitCode, out, err } = await run(line.split(' '));
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
  });
}

const ids = ['authentication/version', 'authentication/nonce-unique', 'close-day/path', 'A1', 'A12', 'skips-signature'];

const known = ['surrogates-apart', 'close-day/finished-has-gates', 'close-day/gate-id-type', 'recurring/type-value'];
for (const [why, asked, among, nearest] of [
  ['a slip of a letter or two is forgiven', 'authentication/versoin', ids, ['authentication/version']],
  ['a missing letter too', 'skip-signature', ids, ['skips-signature']],
  ['the part after the slash is enough', 'version', ids, ['authentication/version']],
  ['a piece of an id is enough', 'nonce', ids, ['authentication/nonce-unique']],
  ['letter case does not count', 'AUTHENTICATION/VERSION', ids, ['authentication/version']],
  ['the nearest is first of three', 'abcd', ['abxx', 'abcx', 'abce', 'abcf', 'abcg'], ['abcx', 'abce', 'abcf']],
  ['nothing is suggested where nothing is near', 'entirely-else', ids, []],
  ['one letter is near to nothing', 'a', ids, []],
  ['a beginning counts, a whole word first', 'gate', known, ['close-day/gate-id-type', 'close-day/finished-has-gates']],
  ['a pattern is near to the area that it misspells', 'recuring/*', ['recurring/*', 'close-day/*'], ['recurring/*']],
] as const) {
  test(`${why}: ${asked}`, () => expect(nearestName(asked, among)).toEqual(nearest));
}
