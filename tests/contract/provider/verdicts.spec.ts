/** What the verifier's own JSON is taken for: nothing that is missing or unclear becomes a pass. */

import type { PactFile } from '../../../src/extras/pact/pact-files.ts';
import { nothingVerified, readVerdicts, unverified } from '../../../src/extras/pact/read-verdicts.ts';
import { expect, test } from '../../engine.ts';

const description = 'a request to close the day';
const file: PactFile = {
  name: 'a-b.json',
  path: '/nowhere/a-b.json',
  provider: 'b',
  interactions: [{ description, state: 'gate open' }],
};
const place = `Verifying a pact between a and b Given gate open - ${description}`;

const verdict = (json: unknown, of = file) => readVerdicts(of, JSON.stringify(json))[0];

test('OK is a pass', () => {
  expect(verdict({ interactionResults: [{ description, result: 'OK' }], errors: [] })).toEqual({
    pact: 'a-b.json',
    interaction: description,
    state: 'gate open',
    outcome: 'pass',
    mismatches: [],
  });
});

test('mismatches are a failure of the subject, each with its place', () => {
  const mismatches = [
    { type: 'StatusMismatch', mismatch: 'expected 200 but was 500' },
    { type: 'BodyMismatch', path: '$.response', mismatch: 'Actual map is missing the following keys: gates' },
  ];
  expect(
    verdict({
      interactionResults: [{ description, result: 'Error' }],
      errors: [{ interaction: place, mismatch: { type: 'mismatches', mismatches } }],
    }),
  ).toMatchObject({
    outcome: 'fail',
    blame: 'subject',
    mismatches: ['expected 200 but was 500', '$.response: Actual map is missing the following keys: gates'],
  });
});

test('mismatches of another interaction are not taken for those of this one', () => {
  expect(
    verdict({
      interactionResults: [{ description, result: 'Error' }],
      errors: [{ interaction: `${place} of a locked gate`, mismatch: { mismatches: [{ mismatch: 'other' }] } }],
    }),
  ).toMatchObject({ outcome: 'error', blame: 'suite', mismatches: ['the verifier gave no reason'] });
});

test('no answer is inconclusive, because of the environment', () => {
  expect(
    verdict({
      interactionResults: [{ description, result: 'Error' }],
      errors: [{ interaction: place, mismatch: { type: 'error', message: 'error sending request' } }],
    }),
  ).toMatchObject({ outcome: 'inconclusive', blame: 'environment', mismatches: ['error sending request'] });
});

test('no result of any interaction is told as a pact that the verifier could not read', () => {
  const [said] = verdict({ interactionResults: [], errors: [] })!.mismatches;
  expect(said).toMatch(/^the verifier could not read the pact: look for /);
});

for (const results of [
  [],
  [{ description: 'another', result: 'OK' }],
  [1, 2].map(() => ({ description, result: 'OK' })),
]) {
  test(`an interaction with ${results.length} results, ${results[0]?.description ?? 'none'}, is a fault of the suite`, () => {
    expect(verdict({ interactionResults: results, errors: [] })).toMatchObject({ outcome: 'error', blame: 'suite' });
  });
}

test('a state that cannot be set is a fault of the suite, whatever the verifier says', () => {
  const other = { ...file, interactions: [{ description, state: 'gate on fire' }] };
  expect(verdict({ interactionResults: [{ description, result: 'OK' }] }, other)).toMatchObject({
    outcome: 'error',
    mismatches: ['no provider state is called "gate on fire"'],
  });
});

test('a file that could not be verified has a faulty row for each interaction', () => {
  expect(unverified(file, 'it did not end')).toEqual([
    {
      pact: 'a-b.json',
      interaction: description,
      state: 'gate open',
      outcome: 'error',
      blame: 'suite',
      mismatches: ['it did not end'],
    },
  ]);
  expect(nothingVerified('no files')).toMatchObject([{ outcome: 'error', blame: 'suite', mismatches: ['no files'] }]);
  expect(nothingVerified('ended', true)).toMatchObject([{ outcome: 'inconclusive', blame: 'environment' }]);
});

test('interactions of one description are rows of different names, with their state, and a number where that is the same', () => {
  const interactions = [
    ...['gate open', 'several gates', 'several gates'].map((state) => ({ description, state })),
    { description: `${description}, given several gates (2)`, state: 'gate open' },
    { description: 'another', state: 'gate open' },
  ];
  const names = [
    `${description}, given gate open`,
    `${description}, given several gates`,
    `${description}, given several gates (3)`,
    `${description}, given several gates (2)`,
    'another',
  ];
  const results = interactions.map((one) => ({ description: one.description, result: 'OK' }));
  const verified = readVerdicts({ ...file, interactions }, JSON.stringify({ interactionResults: results }));
  expect(verified.map(({ interaction, outcome }) => [interaction, outcome])).toEqual(names.map((one) => [one, 'pass']));
  expect(unverified({ ...file, interactions }, 'why').map(({ interaction }) => interaction)).toEqual(names);
});
