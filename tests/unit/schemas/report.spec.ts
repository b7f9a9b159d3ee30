/** The schema of report.json and the result model have the same members. */
import { readFileSync } from 'node:fs';
import report from '../../../schemas/files/report.json' with { type: 'json' };
import { validate } from '../../../schemas/index.ts';
import type {
  Cause,
  ContractRow,
  Counterfactual,
  Hazard,
  Observation,
  Result,
  ResultRow,
} from '../../../src/record/result/result.ts';
import { outcomes } from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';

type Words<Text extends string, Found = never> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, Found | Word>
  : Found | Text;
type Same<A, B> = [A, B] extends [B, A] ? unknown : never;

/** The names in the lines, sorted. The compiler refuses them where a member of the type is missing or another one is there. */
function membersOf<T>() {
  return <const Lines extends readonly string[]>(lines: Lines & Same<Words<Lines[number]>, keyof T>): string[] =>
    (lines as readonly string[]).flatMap((line) => line.split(' ')).sort();
}

type Always<T> = { readonly [Key in keyof T as object extends Pick<T, Key> ? never : Key]: T[Key] };

const { row, counterfactual, cause, contract, observation } = report.$defs;
const { subject, hazards } = report.properties;
const members: readonly (readonly [properties: object, model: readonly string[]])[] = [
  [
    report.properties,
    membersOf<Result>()([
      'format formatVersion suite subject runId profile seed challenge startedAt durationMs conclusion aborted',
      'unsupported reproduce acceptPartial failOn labels scope require exercised set rejudged baseline hazards',
      'dimensions results causes counterfactuals contracts observations edges notes effects unnoticed measured',
      'latency exchangeCount',
    ]),
  ],
  [
    row.properties,
    membersOf<ResultRow>()([
      'id statement operation dimension kind section outcome basis remark blame expected actual hint reason exchanges',
      'counterexample assumes provenBy firstStage explanations repeat known notScored demanded',
    ]),
  ],
  [hazards.items.properties, membersOf<Hazard>()(['id operation how sentence atRisk exchanges hint known'])],
  [
    counterfactual.properties,
    membersOf<Counterfactual>()(['deviations failing wouldPass remain wouldBeOpen signedAgain notSignedAgain']),
  ],
  [
    cause.properties,
    membersOf<Cause>()([
      'outcome sentence requirement openPoint fatal deviations alternatives defects hint requirements exchanges',
    ]),
  ],
  [contract.properties, membersOf<ContractRow>()(['pact interaction state outcome blame mismatches known notScored'])],
  [observation.properties, membersOf<Observation>()(['openPoint value exchanges confidence unusual'])],
  [subject.properties, membersOf<Result['subject']>()(['kind name version language target'])],
];

test('the schema names the members of the model and no other', () => {
  for (const [properties, model] of members) expect(Object.keys(properties).sort()).toEqual(model);
  expect(row.properties.outcome.enum).toEqual([...outcomes]);
  expect(contract.properties.outcome.enum).toEqual([...outcomes]);
});

test('the schema asks for members that the model always has', () => {
  expect([...report.required].sort()).toEqual(
    membersOf<Always<Result>>()([
      'format formatVersion suite subject runId profile seed startedAt durationMs conclusion reproduce dimensions',
      'results observations effects exchangeCount',
    ]),
  );
  const ofRow = membersOf<Always<ResultRow>>();
  expect([...row.required].sort()).toEqual(
    ofRow(['id operation dimension kind section outcome basis exchanges provenBy']),
  );
});

const whole = JSON.parse(readFileSync('reports/baselines/mock/report.json', 'utf8')) as Result;

test('members of a later version are let through, another version is not', () => {
  expect(validate('report', { ...whole, more: 1, results: [{ ...whole.results[0], more: 1 }] })).toEqual([]);
  expect(validate('report', { ...whole, formatVersion: 2 }).map(({ sentence }) => sentence)).toEqual([
    'formatVersion is 2 (number); it must be 1',
  ]);
});

test('a start that is not a point in time is refused, and so is one that this runtime cannot place', () => {
  const untimely = [
    'today',
    '2026-12-31T23:59:60Z',
    '2026-01-31T12:00:00+01',
    '2026-01-31\n12:00:00Z',
    '2026-04-31T12:00:00Z',
  ];
  for (const startedAt of untimely) {
    expect(validate('report', { ...whole, startedAt }).map(({ sentence }) => sentence)).toEqual([
      `startedAt is ${JSON.stringify(startedAt)} (text); it must be a point in time such as 2026-01-31T12:00:00Z`,
    ]);
  }
  for (const startedAt of ['2026-01-31T12:00:00.123456Z', '2024-02-29T23:59:59+01:00']) {
    expect([validate('report', { ...whole, startedAt }), Number.isNaN(Date.parse(startedAt))]).toEqual([[], false]);
  }
});
