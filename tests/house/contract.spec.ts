/** The contract covers the interface document completely, and its ids never change. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenPoint, openPoints } from '../../contracts/open-points.ts';
import { profiles } from '../../contracts/profiles.ts';
import { requirements } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { commands } from '../../src/app/commands.ts';
import type { ClientDefect } from '../../src/faults/client/defect.ts';
import type { GatewayDefect } from '../../src/faults/defect.ts';
import { clientDefects, gatewayDefects, variants } from '../../src/faults/index.ts';
import { groupBy } from '../../src/record/group-by.ts';
import { expect, test } from '../engine.ts';
import { documentSections, documentStatements } from './document-shape.ts';
import { isUpdate, root, textOf } from './tree.ts';

/** The ids of one kind, such as requirements. An id that is removed from `active` must be added to `retired`. */
interface KnownIds {
  readonly active: readonly string[];
  readonly retired: readonly string[];
}

const idFile = 'tests/house/requirement-ids.json';

const rows: readonly Requirement[] = requirements;
const points: readonly OpenPoint[] = openPoints;

/** The present ids, by the names in requirement-ids.json. */
const present = {
  requirements: rows.map(({ id }) => id as string),
  openPoints: points.map(({ id }) => id as string),
  gatewayDefects: gatewayDefects.map(({ id }) => id),
  clientDefects: clientDefects.map(({ id }) => id),
  variants: variants.map(({ id }) => id),
  profiles: profiles.map(({ name }) => name as string),
};

const known: Record<keyof typeof present, KnownIds> = JSON.parse(textOf(idFile));

test.beforeAll(() => {
  // -u (--update-snapshots) adds new ids to the file. Only a person removes ids.
  if (!isUpdate(test.info())) return;
  for (const kind of Object.keys(present) as (keyof typeof present)[]) {
    const { active, retired } = known[kind];
    known[kind] = { active: [...new Set([...active, ...present[kind]])], retired };
  }
  writeFileSync(join(root, idFile), `${JSON.stringify(known, undefined, 2)}\n`);
});

/** Declares a test that `wrong` returns an empty list. */
function testNone(fact: string, wrong: () => readonly string[], message?: string): void {
  test(fact, () => expect(wrong(), message).toEqual([]));
}
const idsOf = <T extends { readonly id: string }>(all: readonly T[], isOdd: (one: T) => boolean): string[] =>
  all.filter(isOdd).map(({ id }) => id);

for (const kind of Object.keys(present) as (keyof typeof present)[]) {
  const ids = present[kind];
  const { retired } = known[kind];
  // Read the ids in the test, because beforeAll may add ids.
  const active = () => known[kind].active;
  const [move, add] = ['move each from active to retired, by hand', 'add them with -u all'];
  testNone(`ids of ${kind} are unique`, () => duplicates(ids));
  testNone(`ids of ${kind} do not disappear`, () => active().filter((id) => !ids.includes(id)), `${idFile}: ${move}`);
  testNone(`ids of ${kind} are all listed`, () => ids.filter((id) => !active().includes(id)), `${idFile}: ${add}`);
  testNone(`retired ids of ${kind} are not used again`, () => [
    ...retired.filter((id) => ids.includes(id) || active().includes(id)),
    ...duplicates(retired),
  ]);
}

testNone('ids have the form area/what, in lower case with dashes', () => {
  const form = /^(?:close-day|recurring|authentication|transport)\/[a-z0-9]+(?:-[a-z0-9]+)*$/;
  const all = [...present.requirements, ...present.gatewayDefects, ...present.clientDefects];
  return [...all.filter((id) => !form.test(id)), ...present.openPoints.filter((id, index) => id !== `A${index + 1}`)];
});
testNone('no id names a requirement and a defect', () => duplicates(Object.values(present).flat()));

test.describe('the interface document', () => {
  testNone('names each statement once', () => duplicates(documentStatements()));

  test('has as many statements in each section as were counted there', () => {
    // These numbers were counted in the document again, independently of tests/house/document-shape.ts.
    const counted = '0:2 1:4 2.1:9 2.2:17 2.3:8 2.4:6 3:8 4.1:8 4.2:11 5:14 6:1 7:7 8:10 9:4'.split(' ');
    const sections = groupBy(documentStatements(), (key) => key.split('/')[0]!);
    expect([...sections].map(([section, keys]) => `${section}:${keys.length}`).sort()).toEqual(counted.sort());
  });

  const covers = (some: readonly { readonly covers: readonly string[] }[]) => some.flatMap((one) => one.covers);
  const silences = () => documentStatements().filter((key) => key.includes('/silence/'));
  const uncovered = (keys: readonly string[], by: readonly string[]) => keys.filter((key) => !by.includes(key));

  testNone('has no statement that no requirement and no open point covers', () =>
    uncovered(documentStatements(), covers([...rows, ...points])),
  );
  testNone('has every statement that a requirement or an open point says it covers', () =>
    uncovered(covers([...rows, ...points]), documentStatements()),
  );
  testNone('is silent in open points, all of them', () => uncovered(silences(), covers(points)));
  testNone('has no silence that a requirement covers', () =>
    idsOf(rows, (row) => row.covers.some((key) => key.includes('/silence/'))),
  );
});

const sections = Object.keys(documentSections);
const commandNames = commands.map(({ name }) => name);
const bases = ['document', ...profiles.map(({ name }) => `profile:${name}`)];
const isRow = (one: string) =>
  rows.some(({ id }) => id === one || (one.endsWith('*') && id.startsWith(one.slice(0, -1))));
/** Properties that no requirement may have. */
const odd: Readonly<Record<string, (row: Requirement) => boolean>> = {
  'rests on one that does not exist': ({ restsOn = [] }) => !restsOn.every(isRow),
  'covers nothing, or something twice': ({ covers }) => covers.length === 0 || duplicates(covers).length > 0,
  'names no section of the document, nor the chapter of one': ({ section }) =>
    !sections.some((name) => name === section || name.startsWith(`${section}.`)),
  'can be tested, is no probe and has no hint': ({ kind, untestable, hint = '' }) =>
    kind !== 'probe' && untestable === undefined && hint.trim() === '',
  'sends somebody to a command that does not exist': ({ hint = '' }) =>
    ![undefined, ...commandNames].includes(/\bcountersign ([a-z]+)/.exec(hint)?.[1]),
  'cannot be tested and does not say why in a sentence': ({ untestable = 'A sentence for the others.' }) =>
    !/^[A-Z].{20,}\.$/.test(untestable),
  'may never arise and does not say what makes it arise': ({ condition, arises = '' }) =>
    (condition !== undefined) !== /^[A-Z].+\.$/.test(arises),
  'rests on a profile that does not exist': ({ basis = 'document' }) => !bases.includes(basis),
  // A new sentence starts with a capital after a full stop and a space. Values and file names have no such space.
  'is stated in more or less than one sentence': ({ statement }) =>
    !/\.$/.test(statement) || /[.!?] +[A-Z]/.test(statement) || statement.length > 200,
  'uses the words of RFC 2119, where its kind says how binding it is': ({ statement }) =>
    /\b(?:MUST|SHOULD|SHALL|MAY|should)\b/.test(statement),
};
for (const [what, isOdd] of Object.entries(odd)) testNone(`no requirement ${what}`, () => idsOf(rows, isOdd));
testNone('no two requirements of one side and operation say the same', () =>
  duplicates(rows.map(({ side, operation, statement }) => `${side}, ${operation}: ${statement}`)),
);

testNone('every open point asks a question and names sections of the document', () =>
  idsOf(
    points,
    ({ question, sections: names }) => !question.endsWith('?') || !names.every((one) => sections.includes(one)),
  ),
);
test('a profile lists an open point in its answers exactly if the open point names this profile', () => {
  const expected = points.flatMap(({ id, answeredBy }) => (answeredBy === undefined ? [] : [`${answeredBy} ${id}`]));
  const answered = profiles.flatMap(({ name, answers }) => answers.map(({ openPoint }) => `${name} ${openPoint}`));
  expect(expected.sort()).toEqual(answered.sort());
});

const defects: readonly (GatewayDefect | ClientDefect)[] = [...gatewayDefects, ...clientDefects];
testNone('every defect breaks at least one requirement of its side that has a judge', () => {
  const testable = new Set(
    rows.flatMap(({ id, side, untestable }) => (untestable === undefined ? [`${side} ${id}`] : [])),
  );
  return idsOf(
    defects,
    ({ breaks, side }) => breaks.length === 0 || breaks.some((id) => !testable.has(`${side} ${id}`)),
  );
});
test('only these defects break more than six requirements', () => {
  expect(idsOf(defects, ({ breaks }) => breaks.length > 6)).toEqual([
    'authentication/signature-not-checked',
    'authentication/known-consumer-not-verified',
    'authentication/known-connection-trusted',
    'close-day/gate-as-number',
  ]);
});

function duplicates(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
