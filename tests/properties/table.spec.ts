/** The table of operators: each breaks what it says, and the page of the kill matrix says how many do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirementById } from '../../contracts/requirements/index.ts';
import { mutatedPart } from '../../src/app/prove/matrix.ts';
import { gatewayJudges, wireJudges } from '../../src/rules/index.ts';
import { expect, test } from '../engine.ts';
import { isWrittenAnew, root, textOf } from '../house/tree.ts';
import { brokenByRight, type Tried, tryAll } from './table/compare.ts';

/** Markdown, from the empty line before its heading. */
export function mutatedMessagesPart(all: readonly Tried[]): string {
  const groups = [...new Set(all.map(({ group }) => group))].map((group) => all.filter((one) => one.group === group));
  const rows = [...new Set(all.flatMap(({ breaks }) => [...breaks]))].sort();
  const of = (side: string) => rows.filter((row) => requirementById(row)!.side === side).length;
  const survived = all.flatMap((one) => one.survived);
  return [
    '',
    '## Mutated messages',
    '',
    'Each operator of a table alters right messages of every kind that have what it alters. The rows',
    'that it breaks are written from their statements, or told by the schemas, which read the bytes by themselves; never by a',
    'judge. An operator that breaks no row is a deviation that the document permits or leaves open: it must not turn a row red.',
    'Made by',
    '`npx playwright test -c playwright.tests.config.ts tests/properties/table.spec.ts -u`.',
    '',
    `- ${all.length} operators on ${sum(all.map(({ messages }) => messages))} messages`,
    `- rows reached ${rows.length} (${of('gateway')} of a gateway, ${of('client')} of a client)`,
    `- survived ${survived.length}`,
    `- stray ${all.flatMap(({ strays }) => strays).length}`,
    ...survived.map((one) => `  - ${one}`),
    '',
    '| Operators on | Count | Messages | Break a row | Break none |',
    '|---|---|---|---|---|',
    ...groups.map((group) => {
      const breaking = group.filter(({ breaks }) => breaks.size > 0).length;
      const messages = sum(group.map((one) => one.messages));
      return `| ${group[0]!.group} | ${group.length} | ${messages} | ${breaking} | ${group.length - breaking} |`;
    }),
    '',
    `Rows reached: ${rows.join(', ')}.`,
    '',
  ].join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

// One worker: it takes seconds, and all tests look at the same.
test.describe.configure({ mode: 'default' });

let known: readonly Tried[] | undefined;

function triedAll(): readonly Tried[] {
  known ??= tryAll();
  return known;
}

const page = 'reports/samples/kill-matrix.md';

const idle = (tried: readonly Tried[]): string[] => tried.filter(({ changed }) => changed === 0).map(({ id }) => id);

test('right messages break no row', () => {
  expect(brokenByRight()).toEqual([]);
});

test('one operator in twelve breaks the rows that it says and no other', () => {
  const tried = tryAll(12);
  expect(tried.length).toBeGreaterThan(50);
  expect(tried.flatMap(({ survived, strays }) => [...survived, ...strays])).toEqual([]);
  expect(idle(tried)).toEqual([]);
});

test('no row that an operator breaks stays green', { tag: '@all' }, () => {
  expect(triedAll().flatMap(({ survived }) => survived)).toEqual([]);
});

test('no operator breaks a row that its statement does not speak of, and no schema contradicts a judge', {
  tag: '@all',
}, () => {
  expect(triedAll().flatMap(({ strays }) => strays)).toEqual([]);
});

test('each operator has an id of its own, and changes some message', { tag: '@all' }, () => {
  const tried = triedAll();
  const ids = tried.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(idle(tried)).toEqual([]);
});

test('each requirement on the form of a message is broken by an operator', { tag: '@all' }, () => {
  const broken = new Set<string>(triedAll().flatMap(({ breaks }) => [...breaks]));
  const unbroken = Object.keys({ ...gatewayJudges, ...wireJudges }).filter((id) => !broken.has(id));
  const ofTwins = /-refused$|-accepted$|-enforced$|\/accepts-/;
  expect(unbroken.filter((id) => !ofTwins.test(id)).sort()).toEqual([
    // These need a signature, a state, several requests, or the input of the client: see the kill matrix.
    ...['nonce-unique', 'signature-verifies', 'uri-default-port', 'uri-host-case', 'uri-port'].map(
      (what) => `authentication/${what}`,
    ),
    ...['environment-independent', 'locked-gate-reported', 'manual-close'].map((what) => `close-day/${what}`),
    ...['reversal-approved-count', 'reversal-approved-sum', 'sale-approved-count', 'sale-approved-sum'].map(
      (total) => `close-day/${total}`,
    ),
    'recurring/environment-independent',
  ]);
});

test('the kill matrix page has their counts', { tag: '@all' }, () => {
  const part = mutatedMessagesPart(triedAll());
  const before = textOf(page);
  const written = before.slice(0, before.length - mutatedPart(before).length) + part;
  if (isWrittenAnew(test.info())) writeFileSync(join(root, page), written);
  expect(textOf(page) === written, 'this test with -u makes it anew').toBe(true);
});
