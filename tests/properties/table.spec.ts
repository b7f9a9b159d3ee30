/** Each operator of the tables breaks exactly the requirements that it names. The page of the kill matrix counts the operators. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirementById } from '../../contracts/requirements/index.ts';
import { mutatedPart } from '../../src/app/prove/matrix.ts';
import { gatewayJudges, wireJudges } from '../../src/rules/index.ts';
import { expect, test } from '../engine.ts';
import { isUpdate, root, textOf } from '../house/tree.ts';
import { type Attempt, brokenByRight, tryAll } from './table/compare.ts';

export function mutatedMessagesPart(all: readonly Attempt[]): string {
  const groups = [...new Set(all.map(({ group }) => group))].map((group) => all.filter((one) => one.group === group));
  const rows = [...new Set(all.flatMap(({ breaks }) => [...breaks]))].sort();
  const countOf = (side: string) => rows.filter((row) => requirementById(row)!.side === side).length;
  const survived = all.flatMap((one) => one.survived);
  return [
    '',
    '## Mutated messages',
    '',
    'Each operator changes right messages. The requirements that it breaks are written down from their statements, or',
    'the schemas find them, but never a judge. An operator that breaks no requirement is a difference that the document',
    'permits or leaves open, so no judge may fail.',
    '`npx playwright test -c playwright.tests.config.ts tests/properties/table.spec.ts -u` writes this part.',
    '',
    `- ${all.length} operators on ${sum(all.map(({ messages }) => messages))} messages`,
    `- requirements broken ${rows.length} (${countOf('gateway')} of a gateway, ${countOf('client')} of a client)`,
    `- survived ${survived.length}`,
    `- stray ${all.flatMap(({ strays }) => strays).length}`,
    ...survived.map((one) => `  - ${one}`),
    '',
    '| Operators on | Count | Messages | Break a requirement | Break none |',
    '|---|---|---|---|---|',
    ...groups.map((group) => {
      const breaking = group.filter(({ breaks }) => breaks.size > 0).length;
      const messages = sum(group.map((one) => one.messages));
      return `| ${group[0]!.group} | ${group.length} | ${messages} | ${breaking} | ${group.length - breaking} |`;
    }),
    '',
    `Requirements broken: ${rows.join(', ')}.`,
    '',
  ].join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

// One worker runs all tests, so that the operators are tried once.
test.describe.configure({ mode: 'default' });

let results: readonly Attempt[] | undefined;

function allResults(): readonly Attempt[] {
  results ??= tryAll();
  return results;
}

const page = 'reports/samples/kill-matrix.md';

const noOps = (tried: readonly Attempt[]): string[] => tried.filter(({ changed }) => changed === 0).map(({ id }) => id);

test('right messages break no row', () => {
  expect(brokenByRight()).toEqual([]);
});

test('one operator in thirty breaks the requirements that it names and no other', () => {
  const tried = tryAll(30);
  expect(tried.length).toBeGreaterThan(20);
  expect(tried.flatMap(({ survived, strays }) => [...survived, ...strays])).toEqual([]);
  expect(noOps(tried)).toEqual([]);
});

test('every requirement that an operator breaks fails', { tag: '@all' }, () => {
  expect(allResults().flatMap(({ survived }) => survived)).toEqual([]);
});

test('no operator breaks another requirement, and no schema contradicts a judge', { tag: '@all' }, () => {
  expect(allResults().flatMap(({ strays }) => strays)).toEqual([]);
});

test('each operator has a unique id, and changes a message', { tag: '@all' }, () => {
  const tried = allResults();
  const ids = tried.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(noOps(tried)).toEqual([]);
});

test('each requirement on the form of a message is broken by an operator', { tag: '@all' }, () => {
  const broken = new Set<string>(allResults().flatMap(({ breaks }) => [...breaks]));
  const unbroken = Object.keys({ ...gatewayJudges, ...wireJudges }).filter((id) => !broken.has(id));
  const twinIds = /-refused$|-accepted$|-enforced$|\/accepts-/;
  expect(unbroken.filter((id) => !twinIds.test(id)).sort()).toEqual([
    // These need a signature, a state, several requests, or the input of the client. The kill matrix proves them.
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

test('the page of the kill matrix has the counts of the operators', { tag: '@all' }, () => {
  const part = mutatedMessagesPart(allResults());
  const current = textOf(page);
  const expected = current.slice(0, current.length - mutatedPart(current).length) + part;
  if (isUpdate(test.info())) writeFileSync(join(root, page), expected);
  expect(textOf(page) === expected, 'run this test with -u to write it again').toBe(true);
});
