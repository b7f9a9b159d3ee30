/** The contract as data: complete against the interface document, and with ids that never change. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentSections, documentStatements } from '../../contracts/document.ts';
import { type OpenPoint, openPoints } from '../../contracts/open-points.ts';
import { profiles } from '../../contracts/profiles.ts';
import { requirements } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { commands } from '../../src/app/commands.ts';
import type { ClientDefect } from '../../src/faults/client/defect.ts';
import { clientDefects } from '../../src/faults/client/index.ts';
import type { GatewayDefect } from '../../src/faults/defect.ts';
import { gatewayDefects } from '../../src/faults/index.ts';
import { variants } from '../../src/faults/variants.ts';
import { expect, test } from '../engine.ts';
import { isWrittenAnew, root, textOf } from './tree.ts';

/** Ids by kind: `active` may only grow; what is taken out of it moves to `retired`. */
interface KnownIds {
  readonly active: readonly string[];
  readonly retired: readonly string[];
}

const idFile = 'tests/house/requirement-ids.json';

const rows: readonly Requirement[] = requirements;
const points: readonly OpenPoint[] = openPoints;

/** The ids that exist now, by the name under which requirement-ids.json keeps them. */
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
  // With -u (--update-snapshots) new ids are added to the file; nothing is ever taken out of it by a machine.
  if (!isWrittenAnew(test.info())) return;
  for (const kind of Object.keys(present) as (keyof typeof present)[]) {
    const { active, retired } = known[kind];
    known[kind] = { active: [...new Set([...active, ...present[kind]])], retired };
  }
  writeFileSync(join(root, idFile), `${JSON.stringify(known, undefined, 2)}\n`);
});

test('what a requirement rests on exists', () => {
  const patterns = rows.flatMap(({ restsOn = [] }) => restsOn);
  const unknown = patterns.filter(
    (one) => !rows.some(({ id }) => id === one || (one.endsWith('*') && id.startsWith(one.slice(0, -1)))),
  );
  expect(unknown).toEqual([]);
});

test.describe('ids', () => {
  for (const kind of Object.keys(present) as (keyof typeof present)[]) {
    const ids = present[kind];
    const { retired } = known[kind];
    // Read in the test, since beforeAll may have added to it.
    const active = () => known[kind].active;

    test(`of ${kind} are unique, and all listed in ${idFile}`, () => {
      expect(duplicates(ids)).toEqual([]);
      const toAdd =
        'to add them: npx playwright test -c playwright.tests.config.ts tests/house/contract.spec.ts -u all';
      expect(
        ids.filter((id) => !active().includes(id)),
        toAdd,
      ).toEqual([]);
    });

    test(`of ${kind} do not disappear: a removed one is listed as retired, and not used again`, () => {
      const toMove = `ids that are gone: move each from active to retired in ${idFile}, by hand`;
      expect(
        active().filter((id) => !ids.includes(id)),
        toMove,
      ).toEqual([]);
      expect(retired.filter((id) => ids.includes(id) || active().includes(id))).toEqual([]);
      expect(duplicates(retired)).toEqual([]);
    });
  }

  test('have the form area/what, in lower case with dashes', () => {
    const form = /^(?:close-day|recurring|authentication|transport)\/[a-z0-9]+(?:-[a-z0-9]+)*$/;
    expect(
      [...present.requirements, ...present.gatewayDefects, ...present.clientDefects].filter((id) => !form.test(id)),
    ).toEqual([]);
    expect(present.openPoints.filter((id, index) => id !== `A${index + 1}`)).toEqual([]);
  });

  test('mean one thing each: no id names a requirement and a defect', () => {
    expect(duplicates(Object.values(present).flat())).toEqual([]);
  });
});

test.describe('the interface document', () => {
  // Counted in the document itself, and not taken from contracts/document.ts.
  const counted = {
    '0': { rows: 0, bullets: 0, steps: 0, texts: 2, notShown: 0, weakSilences: 0 },
    '1': { rows: 0, bullets: 4, steps: 0, texts: 0, notShown: 0, weakSilences: 0 },
    '2.1': { rows: 5, bullets: 0, steps: 0, texts: 0, notShown: 0, weakSilences: 4 },
    '2.2': { rows: 15, bullets: 0, steps: 0, texts: 2, notShown: 0, weakSilences: 0 },
    '2.3': { rows: 3, bullets: 0, steps: 0, texts: 3, notShown: 2, weakSilences: 0 },
    '2.4': { rows: 5, bullets: 0, steps: 0, texts: 1, notShown: 0, weakSilences: 0 },
    '3': { rows: 2, bullets: 2, steps: 0, texts: 0, notShown: 2, weakSilences: 2 },
    '4.1': { rows: 0, bullets: 7, steps: 0, texts: 0, notShown: 1, weakSilences: 0 },
    '4.2': { rows: 0, bullets: 7, steps: 3, texts: 0, notShown: 1, weakSilences: 0 },
    '5': { rows: 2, bullets: 10, steps: 0, texts: 0, notShown: 2, weakSilences: 0 },
    '6': { rows: 0, bullets: 0, steps: 0, texts: 0, notShown: 1, weakSilences: 0 },
    '7': { rows: 3, bullets: 2, steps: 0, texts: 0, notShown: 2, weakSilences: 0 },
    '8': { rows: 6, bullets: 2, steps: 0, texts: 0, notShown: 2, weakSilences: 0 },
    '9': { rows: 0, bullets: 3, steps: 0, texts: 0, notShown: 1, weakSilences: 0 },
  };

  test('has the statements that were counted in each section', () => {
    expect(documentSections).toEqual(counted);
  });

  test('names each statement once', () => {
    expect(duplicates(documentStatements())).toEqual([]);
    const perSection = Object.values(counted).flatMap((section) => Object.values(section));
    expect(documentStatements()).toHaveLength(perSection.reduce((sum, count) => sum + count, 0));
  });

  test('has no statement that no requirement and no open point covers', () => {
    const covered = new Set([...rows, ...points].flatMap(({ covers }) => covers));
    expect(documentStatements().filter((key) => !covered.has(key))).toEqual([]);
  });

  test('has every statement that a requirement or an open point says it covers', () => {
    const keys = new Set(documentStatements());
    const wrong = [...rows, ...points].flatMap(({ id, covers }) =>
      covers.filter((key) => !keys.has(key)).map((key) => `${id}: ${key}`),
    );
    expect(wrong).toEqual([]);
  });

  test('is silent only in open points: no requirement covers a silence', () => {
    const silent = rows.filter(({ covers }) => covers.some((key) => key.includes('/silence/')));
    expect(silent.map(({ id }) => id)).toEqual([]);
    const answered = new Set(points.flatMap(({ covers }) => covers));
    expect(documentStatements().filter((key) => key.includes('/silence/') && !answered.has(key))).toEqual([]);
  });
});

test.describe('every requirement', () => {
  test('covers something, once', () => {
    expect(rows.filter(({ covers }) => covers.length === 0).map(({ id }) => id)).toEqual([]);
    expect(rows.filter(({ covers }) => duplicates(covers).length > 0).map(({ id }) => id)).toEqual([]);
  });

  test('names a section of the document, or the chapter of one', () => {
    const sections = Object.keys(documentSections);
    const known = (section: string) => sections.some((name) => name === section || name.startsWith(`${section}.`));
    expect(rows.filter(({ section }) => !known(section)).map(({ id, section }) => `${id}: ${section}`)).toEqual([]);
  });

  test('has a hint, unless it is a probe or cannot be tested', () => {
    const without = rows.filter(
      (row) => row.kind !== 'probe' && row.untestable === undefined && (row.hint ?? '').trim() === '',
    );
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  test('sends nobody to a command that does not exist', () => {
    const names = new Set(commands.map(({ name }) => name));
    const wrong = rows.filter(({ hint = '' }) => {
      const named = /\bcountersign ([a-z]+)/.exec(hint)?.[1];
      return named !== undefined && !names.has(named);
    });
    expect(wrong.map(({ id, hint }) => `${id}: ${hint}`)).toEqual([]);
  });

  test('that cannot be tested says why, in a sentence', () => {
    const reasons = rows.flatMap(({ id, untestable }) => (untestable === undefined ? [] : [{ id, untestable }]));
    expect(reasons.filter(({ untestable }) => !/^[A-Z].{20,}\.$/.test(untestable)).map(({ id }) => id)).toEqual([]);
  });

  test('that may never arise says what makes it arise, in a sentence', () => {
    const wrong = rows.filter(({ condition, arises = '' }) => (condition !== undefined) !== /^[A-Z].+\.$/.test(arises));
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test('rests on the document or on a profile that exists', () => {
    const bases = ['document', ...profiles.map(({ name }) => `profile:${name}`)];
    expect(rows.filter(({ basis }) => basis !== undefined && !bases.includes(basis)).map(({ id }) => id)).toEqual([]);
  });

  test('makes a statement of its own for its side and operation', () => {
    const told = rows.map(({ side, operation, statement }) => `${side}, ${operation}: ${statement}`);
    expect(duplicates(told)).toEqual([]);
  });

  test('is stated in one sentence', () => {
    const odd = rows.filter(({ statement }) => {
      // A full stop ends the sentence; those in values, sections and file names are followed by no space and capital.
      return !/\.$/.test(statement) || /[.!?] +[A-Z]/.test(statement) || statement.length > 200;
    });
    expect(odd.map(({ id, statement }) => `${id}: ${statement}`)).toEqual([]);
  });

  test('does not use the words of RFC 2119: its kind says how binding it is', () => {
    expect(
      rows.filter(({ statement }) => /\b(?:MUST|SHOULD|SHALL|MAY|should)\b/.test(statement)).map(({ id }) => id),
    ).toEqual([]);
  });
});

test.describe('every open point', () => {
  test('asks a question and names sections of the document', () => {
    const sections = Object.keys(documentSections);
    const odd = points.filter(
      (point) => !point.question.endsWith('?') || point.sections.some((section) => !sections.includes(section)),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test('that a profile answers is named by the profile, and the other way round', () => {
    const said = points
      .filter(({ answeredBy }) => answeredBy !== undefined)
      .map(({ id, answeredBy }) => `${answeredBy} ${id}`);
    const answered = profiles.flatMap(({ name, answers }) => answers.map(({ openPoint }) => `${name} ${openPoint}`));
    expect(said.sort()).toEqual(answered.sort());
  });
});

test.describe('every defect', () => {
  const defects: readonly (GatewayDefect | ClientDefect)[] = [...gatewayDefects, ...clientDefects];

  test('breaks at least one requirement of its side that has a judge', () => {
    const testable = new Set(
      rows.filter(({ untestable }) => untestable === undefined).map(({ id, side }) => `${side} ${id}`),
    );
    const odd = defects.filter(
      ({ breaks, side }) => breaks.length === 0 || breaks.some((id) => !testable.has(`${side} ${id}`)),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test('that breaks more than six requirements says why for each', () => {
    const odd = defects.filter(
      ({ breaks, reasons }) => breaks.length > 6 && breaks.some((id) => !Object.keys(reasons ?? {}).includes(id)),
    );
    expect(odd.map(({ id }) => id)).toEqual([]);
  });
});

test('the house tests read this tree and no other', () => {
  expect(root.endsWith('/')).toBe(true);
  expect(import.meta.url).toContain(root);
});

function duplicates(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
