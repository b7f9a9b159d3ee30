/** The page and the text of a matrix: what they show, and that nothing foreign acts on them. */
import type { CellRun, CellState, Implementation, ImplementationMatrix } from '../../../../src/extras/matrix/matrix.ts';
import { implementationsPage, implementationsText } from '../../../../src/extras/matrix/matrix-page.ts';
import { expect, test } from '../../../engine.ts';
import { hostile } from '../../report/all-outcomes.ts';
import { all, byId, parseHtml, textOf } from '../../report/html-tree.ts';
import { shownMatrix } from './shown-matrix.ts';

/** Where mark-up breaks a line, there is no blank between words. */
const flat = (text: string) => text.replace(/\s+/g, '');

test('a cell has its state with a sign, counts, age, trend, and a link to its report', () => {
  const root = parseHtml(implementationsPage(shownMatrix));
  expect(flat(textOf(all(root, 'h1')[0]!))).toBe(flat('Gateway team: 2 of 8 cells are conformant'));
  const rows = all(byId(root, 'clients'), 'tr').map((row) => flat(textOf(row)));
  expect(rows[0]).toBe(flat('Implementation Profile rfc5849 Profile strict'));
  expect(rows[1]).toContain(flat('our-client 2.1.0 ✗ non-conformant changed 1 fail, 70 pass 2026-01-31 04:00 ·'));
  expect(rows[1]).toContain(flat('✓ conformant 71 pass 2026-01-20 04:00, 11 days old · report'));
  expect(rows[2]).toContain(flat('- unsupported The adapter exited with code 127'));
  expect(flat(textOf(byId(root, 'gateways')))).toContain(flat('a live target is run with --live and its name alone'));
  const [link] = all(byId(root, 'clients'), 'a');
  expect(link!.attributes.href).toBe('runs/client/our-client/rfc5849/2026-01-31T04-00-00-000Z/report.html');
  const [trend] = all(byId(root, 'clients')).filter(({ attributes }) => attributes.role === 'img');
  expect(trend!.attributes['aria-label']).toBe('Last 2 runs: 2026-01-30 conformant, 2026-01-31 non-conformant');
  expect(flat(textOf(byId(root, 'changes')))).toContain(flat('worse last run client our-client, rfc5849: conform'));
});

test('no foreign text acts on page or terminal', () => {
  const texts = Object.values(hostile);
  const run = (text: string): CellRun => ({
    at: '2026-01-31T04:00:00.000Z',
    state: 'aborted',
    suite: text,
    version: text,
    reason: text,
    only: [text],
  });
  const matrix: ImplementationMatrix = {
    ...shownMatrix,
    title: hostile.markup,
    implementations: texts.map((text) => ({
      kind: 'client',
      name: text,
      waits: text,
      cells: [{ profile: 'rfc5849', runs: [run(text), run(text)] }],
    })),
    changes: texts.map((text) => ({ ...shownMatrix.changes[0]!, name: text, sentence: text })),
  };
  const page = implementationsPage(matrix);
  expect(all(parseHtml(page), 'script')).toHaveLength(1);
  expect(page).toContain("default-src 'none'");
  for (const text of [page, implementationsText(matrix, false)]) {
    expect(text).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029]|\p{Cs}/u,
    );
  }
});

test('a thousand implementations are one page that can be searched', () => {
  const states: readonly CellState[] = ['conformant', 'partial', 'non-conformant', 'aborted', 'unsupported'];
  const many = Array.from({ length: 1000 }, (_, at): Implementation => {
    const run = { at: '2026-01-31T04:00:00.000Z', state: states[at % 5]!, suite: '0.1.0' };
    return {
      kind: 'client',
      name: `client ${at}`,
      cells: [{ profile: 'rfc5849', runs: Array.from({ length: 30 }, () => run) }],
    };
  });
  const page = implementationsPage({ ...shownMatrix, implementations: many });
  expect(page.length).toBeLessThan(3_000_000);
  const root = parseHtml(page);
  expect(all(byId(root, 'clients'), 'tr')).toHaveLength(1001);
  const pills = all(byId(root, 'clients'), 'button').map(({ attributes }) => attributes.value);
  expect(pills).toEqual(states);
});

test('the text has a line for each implementation, and what changed', () => {
  expect(implementationsText(shownMatrix, false).split('\n')).toEqual([
    'implementation       rfc5849         strict',
    'client our-client    non-conformant  conformant',
    'client other/client  unsupported     unsupported',
    'gateway mock         conformant      partial',
    'gateway integration  not run yet     not run yet     (a live target is run with --live and its name alone)',
    'gateway mock, profile rfc5849: conformant, with 1 hazard',
    '',
    '1 cell changed:',
    '  worse: our-client, rfc5849: conformant became non-conformant; broke close-day/path',
    '',
  ]);
});
