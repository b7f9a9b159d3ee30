/** Each operator of the tables breaks the rows that it says and no other, in every right message that has what it changes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutatedPart } from '../../src/app/prove/matrix.ts';
import { gatewayJudges, wireJudges } from '../../src/rules/index.ts';
import { expect, test } from '../engine.ts';
import { isWrittenAnew, root, textOf } from '../house/tree.ts';
import { brokenByRight, type Tried, tryAll } from './table/compare.ts';
import { mutatedMessagesPart } from './table/print.ts';

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
    // These need several requests, or the input of the client (tests/unit/rules/client/isolation.spec.ts).
    ...['authentication/nonce-unique', 'authentication/uri-default-port', 'authentication/uri-host-case'],
    'close-day/environment-independent',
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
