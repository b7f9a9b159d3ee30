/** Every signer that deviates is named for all of its wrong signatures, and what would pass without it is what does pass without it. */
import { runClientInProcess } from '../../src/app/prove/run-in-process.ts';
import type { ClientDefect } from '../../src/faults/client/defect.ts';
import { usableClientDefects } from '../../src/faults/client/index.ts';
import type { Result } from '../../src/record/result/result.ts';
import type { Repetition } from '../../src/run/client/open-client.ts';
import { expect, test } from '../engine.ts';

const verifies = 'authentication/signature-verifies';
const signing = usableClientDefects.filter(({ breaks }) =>
  breaks.some((id) => /^authentication\/(?:signature-|uri-)/.test(id)),
);

/** What has no name, or none for all of its signatures; and a right signature with white space that belongs to no form. */
const unexplained = [
  'authentication/braces-and-quotes-signed-bare',
  'authentication/equal-values-signed-once',
  'authentication/hmac-key-cut-to-block',
  'authentication/nonce-cut-before-signing',
  'authentication/parts-in-another-order',
  'authentication/reserved-characters-signed-bare',
  'authentication/secret-as-number',
  'authentication/secret-cut',
  'authentication/secret-decoded-from-base64',
  'authentication/secret-of-hex-digits-decoded',
  'authentication/secret-trimmed',
  'authentication/secret-without-dashes',
  'authentication/signature-with-a-tab',
];

/** npm test has this one. */
const sampled = 'authentication/body-not-signed';

const repetition: Repetition = { made: new Map(), at: Date.now() };
/** What is about signatures, which is half of a run: where there is a second fault it is whole. */
const narrow = ['authentication/*'];
const whole: readonly string[] = [];
const casesOf = (only: readonly string[]) => (only === whole ? 4 : 2);
let known: Promise<Result> | undefined;

for (const defect of signing.filter(({ id }) => !unexplained.includes(id))) {
  const tag = defect.id === sampled ? [] : ['@all'];
  test(`${defect.id} is explained in full, and its counterfactual is the run without it`, { tag }, async () => {
    const [without, result] = [await right(), await run([defect], narrow)];
    const causes = onSignatures(result);
    expect(causes.map(({ sentence }) => sentence).join()).toMatch(
      /explain(?:s|) (\d+) of \1 wrong signatures that are judged$/,
    );
    const passing = without.results.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id);
    const [undone] = result.counterfactuals!;
    expect(undone!.wouldPass).toEqual(failing(result).filter((id) => passing.includes(id)));
    expect(undone!.wouldPass).not.toEqual([]);
    expect(undone!.remain).toEqual(failing(without));
    expect(undone!.signedAgain).toBe(causes.flatMap(({ exchanges }) => exchanges).length);
  });
}

test('without its deviation of signing a client fails exactly for its other fault', { tag: '@all' }, async () => {
  const other = 'recurring/csv-with-commas';
  const result = await run([byId('authentication/body-not-signed'), byId(other)]);
  expect(result.counterfactuals).toMatchObject([
    { deviations: ['body-left-out'], wouldPass: [verifies], remain: byId(other).breaks },
  ]);
});

test('signatures that nothing explains are said to be unexplained, and nothing is undone @all', async () => {
  const result = await run([byId('authentication/parts-in-another-order')]);
  expect(onSignatures(result)).toMatchObject([{ deviations: [], requirements: [verifies] }]);
  expect(onSignatures(result)[0]!.sentence).toMatch(
    /^nothing explains (\d+) of \1 wrong signatures that are judged, of which \d+ were searched/,
  );
  expect(result.counterfactuals).toBeUndefined();
});

test('where one signature of many is not explained, its requirement would still fail', { tag: '@all' }, async () => {
  const result = await run([byId('authentication/reserved-characters-signed-bare')]);
  const [most, rest] = onSignatures(result);
  expect(most!.exchanges.length).toBeGreaterThan(rest!.exchanges.length);
  expect(rest!.deviations).toEqual([]);
  expect(result.counterfactuals![0]).toMatchObject({ wouldPass: [], remain: [verifies] });
});

test('a client that signs rightly has no such causes', async () => {
  const result = await right();
  expect(onSignatures(result)).toEqual([]);
  expect(result.counterfactuals).toBeUndefined();
});

function right(): Promise<Result> {
  known ??= run([], narrow);
  return known;
}

async function run(defects: readonly ClientDefect[], only = whole): Promise<Result> {
  const given = {
    seed: 'undone',
    cases: casesOf(only),
    profile: 'strict',
    only,
    secondVoice: false,
    repetition,
  } as const;
  const { result } = await runClientInProcess(
    given,
    defects.map(({ alteration }) => alteration),
  );
  return result;
}

function byId(id: string): ClientDefect {
  return usableClientDefects.find((defect) => defect.id === id)!;
}

function onSignatures({ causes = [] }: Result) {
  return causes.filter(({ deviations }) => deviations !== undefined);
}

function failing({ results }: Result): string[] {
  return results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
}
