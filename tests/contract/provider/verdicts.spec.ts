/** What the verifier's own JSON is taken for: nothing that is missing or unclear becomes a pass. */
import { nothingVerified, type PactFile, readVerdicts, unverified } from '../../../src/extras/pact/contracts.ts';
import { expect, test } from '../../engine.ts';

const description = 'a request to close the day';
const interactions = [{ description, state: 'gate open' }];
const file: PactFile = { name: 'a-b.json', path: '/nowhere/a-b.json', provider: 'b', interactions };
const place = `Verifying a pact between a and b Given gate open - ${description}`;

const named = (result: string, of = description) => ({ description: of, result });
const missing = 'Actual map is missing the following keys: gates';
const told = (mismatch: object, interaction = place) => ({
  interactionResults: [named('Error')],
  errors: [{ interaction, mismatch }],
});
const ownFault = { outcome: 'error', blame: 'suite' };

/** What is in the verifier's JSON, and what the interaction comes to; another state where one is named. */
const verdicts: readonly (readonly [fact: string, json: object, verdict: object, state?: string])[] = [
  ['OK is a pass', { interactionResults: [named('OK')], errors: [] }, { outcome: 'pass', mismatches: [] }],
  [
    'mismatches are a failure of the subject, each with its place',
    told({
      type: 'mismatches',
      mismatches: [
        { type: 'StatusMismatch', mismatch: 'expected 200 but was 500' },
        { type: 'BodyMismatch', path: '$.response', mismatch: missing },
      ],
    }),
    { outcome: 'fail', blame: 'subject', mismatches: ['expected 200 but was 500', `$.response: ${missing}`] },
  ],
  [
    'mismatches of another interaction are not taken for those of this one',
    told({ mismatches: [{ mismatch: 'other' }] }, `${place} of a locked gate`),
    { ...ownFault, mismatches: ['the verifier gave no reason'] },
  ],
  [
    'no answer is inconclusive, because of the environment',
    told({ type: 'error', message: 'error sending request' }),
    { outcome: 'inconclusive', blame: 'environment', mismatches: ['error sending request'] },
  ],
  [
    'no result of any interaction is told as a pact that the verifier could not read',
    { interactionResults: [], errors: [] },
    { ...ownFault, mismatches: [expect.stringMatching(/^the verifier could not read the pact: look for /)] },
  ],
  [
    'one without a result is a fault of the suite',
    { interactionResults: [named('OK', 'another')], errors: [] },
    ownFault,
  ],
  ['one with two results is one too', { interactionResults: [named('OK'), named('OK')], errors: [] }, ownFault],
  [
    'a state that cannot be set is a fault of the suite, whatever the verifier says',
    { interactionResults: [named('OK')] },
    { ...ownFault, mismatches: ['no provider state is called "gate on fire"'] },
    'gate on fire',
  ],
];

for (const [fact, json, verdict, state = 'gate open'] of verdicts) {
  test(fact, () => {
    const [row] = readVerdicts({ ...file, interactions: [{ description, state }] }, JSON.stringify(json));
    expect(row).toMatchObject({ pact: 'a-b.json', interaction: description, state, ...verdict });
  });
}

test('a file that could not be verified has a faulty row for each interaction', () => {
  const row = { pact: 'a-b.json', interaction: description, state: 'gate open' };
  expect(unverified(file, 'it did not end')).toEqual([{ ...row, ...ownFault, mismatches: ['it did not end'] }]);
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
