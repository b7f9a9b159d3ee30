/** A gateway is told which known mistake it makes: by its name, as one cause, and never by a wrong one. */

import { newRepeated, runInProcess } from '../../../src/app/prove/run-in-process.ts';
import { mockDefects } from '../../../src/faults/index.ts';
import type { Alteration } from '../../../src/mock/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';

const options = completeRunOptions({ seed: '1' }, Date.now(), '.');
const repeated = newRepeated();

async function judged(...alterations: readonly Alteration[]): Promise<Result> {
  return (await runInProcess(options, { alterations, secondVoice: false, repeated, unframed: true })).result;
}

function mistakesIn({ causes = [] }: Result): (readonly string[])[] {
  return causes.flatMap(({ defects }) => (defects === undefined ? [] : [defects]));
}

function alterationOf(id: string): Alteration {
  return mockDefects.find((one) => one.id === id)!.alteration;
}

test('ten failures of a gateway that takes any signature are one cause, with how many requests show it', async () => {
  const { causes = [], results } = await judged(alterationOf('authentication/signature-not-checked'));
  const failing = results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  expect(causes).toHaveLength(3);
  expect(causes[0]).toMatchObject({ outcome: 'fail', defects: ['authentication/signature-not-checked'] });
  expect(causes[0]!.sentence).toMatch(
    /Any signature is taken, .* \d+ of \d+ requests about these requirements show it\.$/,
  );
  expect([...causes[0]!.requirements].sort()).toEqual([...failing].sort());
  expect(causes.find(({ requirement }) => requirement === causes[0]!.requirements[0])?.requirements).toHaveLength(9);
});

test('two mistakes at once are two causes', async () => {
  const ids = ['authentication/signature-over-no-body-taken', 'close-day/date-as-number'];
  expect(
    mistakesIn(await judged(...ids.map(alterationOf)))
      .flat()
      .sort(),
  ).toEqual(ids);
});

test('two mistakes that no request of the run tells apart are both named', async () => {
  const { causes = [] } = await judged(alterationOf('close-day/error-message-twice'));
  expect(causes[0]!.defects).toEqual(['close-day/error-message-twice', 'close-day/error-cut-off']);
  expect(causes[0]!.sentence).toContain('No request of the suite tells them apart.');
});

test('a mistake that is not known is not named, though known ones have some of its failures', async () => {
  const unknown: Alteration = { takes: ({ form }, step) => step === 'signature' && form.length % 2 === 0 };
  const result = await judged(unknown);
  expect(result.conclusion).toBe('non-conformant');
  expect(mistakesIn(result)).toEqual([]);
  expect(mistakesIn(await judged())).toEqual([]);
});

test('of every twentieth gateway none is given the name of another mistake', async () => {
  const sample = mockDefects.filter((defect, at) => at % 20 === 0 && defect.reach === undefined);
  let named = 0;
  for (const { id, alteration } of sample) {
    const result = await judged(alteration);
    const mistakes = mistakesIn(result);
    if (mistakes.length > 0) expect(mistakes, id).toEqual([expect.arrayContaining([id])]);
    const failing = result.results.filter(({ outcome }) => outcome === 'fail');
    // A single failure says by itself what is wrong.
    if (mistakes.length === 1 || failing.length === 1) named += 1;
  }
  expect(sample.length).toBeGreaterThanOrEqual(20);
  expect(named / sample.length).toBeGreaterThanOrEqual(0.9);
});
