/** The page and the text of a matrix, and the pairs of clients and gateways in the matrix. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../../schemas/index.ts';
import { checkPair } from '../../../../src/app/compare-with-mock.ts';
import { liveOptionsInMemory, runLiveInMemory } from '../../../../src/app/prove/live-in-memory.ts';
import { runOpened } from '../../../../src/app/prove/run-in-process.ts';
import { type ImplementationMatrix, matrixExitCode } from '../../../../src/extras/matrix/matrix.ts';
import { implementationsDocument } from '../../../../src/extras/matrix/matrix-document.ts';
import { variants } from '../../../../src/faults/index.ts';
import type { ClientCase } from '../../../../src/record/case.ts';
import { casesOf } from '../../../../src/record/run.ts';
import { documentPage } from '../../../../src/report/pages/page.ts';
import { terminalText } from '../../../../src/report/terminal.ts';
import { openClient } from '../../../../src/run/client/open-client.ts';
import type { ClientOptions } from '../../../../src/run/options/run-options.ts';
import { expect, test } from '../../../engine.ts';
import { hostile } from '../../report/all-outcomes.ts';
import { byId, elements, parseHtml, textOf } from '../../report/html-tree.ts';
import { resultOf } from '../../verdict/runs.ts';
import { demoMatrix, passing, setting } from './setting.ts';

const pageOf = (matrix: ImplementationMatrix) => documentPage(implementationsDocument(matrix));
const textOn = (matrix: ImplementationMatrix) =>
  terminalText(implementationsDocument(matrix), { colour: false, width: 200 });

/** Removes white space, because the markup may break lines anywhere. */
const flat = (text: string) => text.replace(/\s+/g, '');

test('a cell shows state, sign, counts, age, trend and a link to its report', () => {
  const root = parseHtml(pageOf(demoMatrix));
  expect(flat(textOf(elements(root, 'h1')[0]!))).toBe(flat('Gateway team: 2 of 8 cells are conformant'));
  const rows = elements(byId(root, 'clients'), 'tr').map((row) => flat(textOf(row)));
  expect(rows[0]).toBe(flat('Implementation Profile rfc5849 Profile strict'));
  expect(rows[1]).toContain(flat('our-client 2.1.0 ✗ non-conformant changed 1 fail, 70 pass 2026-01-31 04:00 ·'));
  expect(rows[1]).toContain(flat('✓ conformant 71 pass 2026-01-20 04:00, 11 days old · report'));
  expect(rows[2]).toContain(flat('- unsupported The adapter exited with code 127'));
  expect(flat(textOf(byId(root, 'gateways')))).toContain(flat('a live target runs only if --live names it'));
  const [link] = elements(byId(root, 'clients'), 'a');
  expect(link!.attributes.href).toBe('runs/client/our-client/rfc5849/2026-01-31T04-00-00-000Z/report.html');
  const [trend] = elements(byId(root, 'clients')).filter(({ attributes }) => attributes.role === 'img');
  expect(trend!.attributes['aria-label']).toBe('Last 2 runs: 2026-01-30 conformant, 2026-01-31 non-conformant');
  expect(flat(textOf(byId(root, 'changes')))).toContain(flat('worse last run: client our-client, rfc5849: conform'));
});

test('the text has a line for each implementation, and what changed', () => {
  expect(textOn(demoMatrix).split('\n')).toEqual([
    'Gateway team: 2 of 8 cells are conformant',
    '  As of 2026-01-31 04:10 UTC, suite 0.1.0',
    '  conformant 2 partial 1 non-conformant 1 unsupported 2 not run yet 2',
    '',
    '✗ 1 cell changed in the last run',
    '  worse: client our-client, rfc5849: conformant became non-conformant; broke close-day/path 2026-01-31 04:00',
    '',
    'Clients (2)',
    'Implementation  Profile rfc5849         Profile strict',
    'our-client      non-conformant changed  conformant',
    'other/client    unsupported             unsupported',
    '',
    'Gateways (2)',
    'Implementation  Profile rfc5849            Profile strict',
    'mock            conformant, with 1 hazard  partial',
    'integration     not run yet                not run yet',
    '  integration: a live target runs only if --live names it',
    '',
  ]);
});

const clients = [
  { name: 'shop', command: ['x'] },
  { name: 'gone', command: ['y'] },
];
const plan = { pairs: true, clients, gateways: [{ name: 'mock' }, { name: 'ours', variants: ['further-members'] }] };

test('each client is compared with each gateway, and a pair keeps its result if neither is run', async () => {
  const { run, out } = setting();
  const checks: string[] = [];
  const checkPair = async ({ name }: { name: string }, folders: { client: string; gateway: string }) => {
    checks.push([name, ...Object.values(folders).map((path) => path.slice(out.length + 1).split('/')[2])].join(' '));
    return folders.gateway.includes('/ours/')
      ? ({ is: 'breaks', reason: hostile.escape, mock: { alike: 1, compared: 2 } } as const)
      : ({ is: 'works' } as const);
  };
  const play = (words: readonly string[]) => (words.at(-1) === 'y' ? { code: 127 } : passing);
  const { matrix, states } = await run(plan, play, { checkPair });
  expect(checks).toEqual(['shop shop mock', 'shop shop ours']);
  expect(matrix.pairs?.map(({ client, gateway, is }) => [client, gateway, is])).toEqual([
    ['shop', 'mock', 'works'],
    ['shop', 'ours', 'breaks'],
    ['gone', 'mock', 'unverified'],
    ['gone', 'ours', 'unverified'],
  ]);
  expect(matrix.pairs![2]!.reason).toBe('gone has no stored run with a verdict');
  expect(validate('matrix', JSON.parse(readFileSync(join(out, 'matrix.json'), 'utf8')))).toEqual([]);
  expect([matrixExitCode(['conformant'], matrix.pairs), matrixExitCode(['conformant'])]).toEqual([1, 0]);
  expect(states.length).toBe(4);

  const rows = elements(byId(parseHtml(pageOf(matrix)), 'pairs'), 'tr').map((row) => textOf(row).replace(/\s+/g, ' '));
  expect(rows).toHaveLength(3);
  expect(rows[1]).toMatch(/shop.*works.*breaks.*mock and gateway give equal answers to 1 of 2 requests/);
  expect(pageOf(matrix) + textOn(matrix)).not.toContain('\u001b');
  expect(textOn(matrix)).toMatch(/\nshop +works +breaks\n[\s\S]*\n {2}shop with ours: /);

  const later = await run(plan, play, { checkPair, only: ['ours'] });
  expect(checks.slice(2)).toEqual(['shop shop ours']);
  expect(later.matrix.pairs?.map(({ is }) => is)).toEqual(['works', 'breaks', 'unverified', 'unverified']);

  const { pairs: _, ...without } = plan;
  expect((await run(without, play, { checkPair, only: ['ours'] })).matrix.pairs).toBeUndefined();
});

test('a broken pair makes the heading red, and the page explains its states', () => {
  const at = '2026-01-31T04:00:00.000Z';
  const conformant = { at, state: 'conformant', suite: '0.1.0' } as const;
  const matrix: ImplementationMatrix = {
    ...demoMatrix,
    profiles: ['rfc5849'],
    implementations: [{ kind: 'client', name: 'shop', cells: [{ profile: 'rfc5849', runs: [conformant] }] }],
  };
  const heading = (pairs?: ImplementationMatrix['pairs']) => {
    const root = parseHtml(pageOf(pairs === undefined ? matrix : { ...matrix, pairs }));
    const [found] = elements(root, 'h1');
    return [
      found!.attributes.class,
      textOf(found!).replace(/\s+/g, ' ').trim(),
      textOf(root).includes('of the gateway but not of the mock'),
    ];
  };
  const pair = { client: 'shop', gateway: 'ours', at };
  const right = 'Gateway team: 1 of 1 cell is conformant';
  expect(heading()).toEqual(['pass', right, false]);
  expect(heading([{ ...pair, is: 'works' }])).toEqual(['pass', right, true]);
  expect(heading([{ ...pair, is: 'breaks', reason: 'x' }])).toEqual(['fail', `${right}, 1 of 1 pair breaks`, true]);
});

test('a client that misreads only the answers of one gateway breaks only with this gateway @all', async () => {
  const allow = { 'closes-day': 9, 'starts-payments': { count: 9, total: '9.00' } };
  const only = ['close-day/open-gate-reported', 'recurring/success-status-200'];
  const gateway = async (variant?: string) => {
    const { cases } = await runLiveInMemory(
      liveOptionsInMemory({ seed: '1', cases: 1, only }, { allow }),
      variants.filter(({ id }) => id === variant).map(({ alteration }) => alteration),
    );
    return { result: resultOf({}, { exchangeCount: cases.length }), cases };
  };
  const pair = async (defects: readonly string[], variant?: string) => {
    const options: ClientOptions = { command: [], mode: 'process', plainHttp: true, cwd: '.', defects };
    const wire = ['close-day/path', 'recurring/path'];
    const { recorded } = await runOpened({ seed: '1', cases: 1, only: wire }, await openClient(options, '1'));
    const stored = { name: 'c', options, calls: casesOf(recorded!) as ClientCase[] };
    return checkPair(stored, await gateway(variant), new AbortController().signal);
  };
  const picky = ['close-day/further-members-refused'];
  const [right, breaks] = [await pair(picky), await pair(picky, 'further-members')];
  expect(right).toMatchObject({ is: 'works', mock: { alike: 2, compared: 2 } });
  expect(breaks).toMatchObject({ is: 'breaks', reason: expect.stringContaining('instead of finished in exchange') });
});
