/** The schema files have descriptions, match the types of the code, and name mistakes in a configuration. */

import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { operationNames } from '../../../contracts/operations.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import report from '../../../schemas/files/report.json' with { type: 'json' };
import { schemaNames, validate } from '../../../schemas/index.ts';
import { nearest } from '../../../schemas/nearest.ts';
import {
  type Cause,
  type ContractRow,
  type Counterfactual,
  type Hazard,
  type Observation,
  outcomes,
  type Result,
  type ResultRow,
} from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';

const root = new URL('../../../schemas/', import.meta.url);
const dialect = new Ajv2020();
const files = ['payload', 'files'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root)).map((file) => `${folder}/${file}`),
);

const schemaIn = (file: string) => JSON.parse(readFileSync(new URL(file, root), 'utf8'));

test('every file names its dialect, its place, its title and what it describes', () => {
  for (const file of files) {
    expect(schemaIn(file), file).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:countersign:schema:${file.replace('/', ':').replace('.json', '')}`,
      title: expect.stringMatching(/.{6}/),
      description: expect.stringMatching(/.{41}/),
    });
  }
});

test('every file and every message of an adapter keeps to its dialect', () => {
  const messages = readdirSync(new URL('adapter/', root)).filter((file) => file.endsWith('.json'));
  for (const file of [...files, ...messages.map((message) => `adapter/${message}`)])
    expect(dialect.validateSchema(schemaIn(file)), file).toBe(true);
});

test('every pattern of our own files has a description, so no message shows a regular expression', () => {
  const silent: string[] = [];
  for (const file of files.filter((one) => one.startsWith('files/'))) {
    JSON.parse(readFileSync(new URL(file, root), 'utf8'), (_key, value) => {
      if (typeof value?.pattern === 'string' && value['x-must-be'] === undefined)
        silent.push(`${file}: ${value.pattern}`);
      return value;
    });
  }
  expect(silent).toEqual([]);
});

test('every requirement that a payload schema names is one of the contract', () => {
  const ids = new Set<string>(requirements.map(({ id }) => id));
  const requirementIds = files.flatMap((file) => {
    const stated: string[] = [];
    JSON.parse(readFileSync(new URL(file, root), 'utf8'), (key, value) => {
      if (key === 'x-requirement') stated.push(...Object.values<string>(value));
      return value;
    });
    return stated;
  });
  expect(requirementIds.length).toBeGreaterThan(50);
  expect(requirementIds.filter((id) => !ids.has(id))).toEqual([]);
});

test('every file has a name in the index', () => {
  expect(files.length).toBeGreaterThan(15);
  const named = (file: string) => schemaNames.some((name) => name.split('/')[0] === file.replace(/^.*\/|\.json$/g, ''));
  expect(files.filter((file) => !named(file))).toEqual([]);
});

test('every list of operations in a schema names all that the table has', () => {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  const lists = paths.flatMap((path) =>
    [...readFileSync(new URL(path, root), 'utf8').matchAll(/"enum": (\[[^\]]*"close-day"[^\]]*\])/g)].map(
      ([, list]) => [path, (JSON.parse(list!) as string[]).filter((name) => name !== 'both')],
    ),
  );
  expect(lists.length).toBeGreaterThan(3);
  expect(lists).toEqual(lists.map(([path]) => [path, [...operationNames]]));
});

const full = `
environment: integration
target: https://gateway.example/paynet
endpoint-id: "1111"
credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }
recurring: [{ id: "1234567890", amount: "1.00" }]
allow: { closes-day: 1, starts-payments: { count: 5, total: "5.00" } }
unknown-endpoint-id: "999999999"
states: { closing: "1112", locked: "1113" }
profile: rfc5849
`;

test('the whole file fits, and the mock needs a line only', () => {
  expect(sentences(full)).toEqual([]);
  expect(sentences('target: mock')).toEqual([]);
});

const wrong: [yaml: string, sentence: string][] = [
  ['enviroment: integration', 'enviroment is not a known key; perhaps "environment" is meant'],
  [
    'allow: { close-day: 1 }\nenvironment: integration',
    'allow.close-day is not a known key; perhaps "closes-day" is meant',
  ],
  ['states: { open: "1" }', 'states.open is not a known key; known here: closing, locked'],
  [
    'environment: prodution',
    'environment is "prodution" (text); it must be one of "integration", "production" (perhaps "production" is meant)',
  ],
  ['endpoint-id: 1111', 'endpoint-id is 1111 (number); it must be text (in quotes)'],
  [
    'endpoint-id: 11/11',
    `endpoint-id is "11/11" (text); it must be one part of a path: letters from A to Z, digits, and any of -._~!$&'()*+,;=:@`,
  ],
  ['recurring: [{ id: "1" }]', 'recurring[0].amount is missing'],
  [
    'recurring: [{ id: "12345678901", amount: "1.00" }]',
    'recurring[0].id is "12345678901" (text); it must be at most 10 characters long',
  ],
  ['recurring: [{ id: "1", amount: 1.00 }]', 'recurring[0].amount is 1 (number); it must be text (in quotes)'],
  ['allow: { closes-day: 1 }', 'environment is missing; allow needs it'],
  ['environment: integration\nallow: { closes-day: -1 }', 'allow.closes-day is -1 (number); it must be 0 or more'],
  [
    'environment: integration\nallow: { closes-day: yes }',
    'allow.closes-day is "yes" (text); it must be a whole number',
  ],
  [
    'environment: integration\nallow: { starts-payments: 5 }',
    'allow.starts-payments is 5 (number); it must be an object',
  ],
  ['environment: integration\nallow: { starts-payments: { count: 5 } }', 'allow.starts-payments.total is missing'],
  ['credentials: { consumer-secret-file: secret.txt }', 'credentials.consumer-key is missing'],
];
for (const [yaml, sentence] of wrong) {
  test(sentence, () => {
    expect(sentences(yaml)).toEqual([sentence]);
  });
}

test('a secret of the wrong type is not shown, nor is one under a misspelt key', () => {
  const faults = validate('config', {
    credentials: { 'consumer-key': 'shop', 'consumer-secret': 8_675_309, 'private-kye': 'hidden-words' },
  });
  expect(faults.map(({ sentence }) => sentence).sort()).toEqual([
    'credentials.consumer-secret is a number that is not shown; it must be text (in quotes)',
    'credentials.private-kye is not a known key; perhaps "private-key" is meant',
  ]);
  expect(JSON.stringify(faults)).not.toMatch(/8675309|hidden-words/);
});

function sentences(yaml: string): string[] {
  return validate('config', parse(yaml)).map(({ sentence }) => sentence);
}

test('a message suggests a name only if the name is near', () => {
  const keys = ['environment', 'target', 'endpointId', 'allow', 'profile'];
  const near = ['enviroment', 'taget', 'endpointid', 'endpoint', 'alow', 'Profiles'].map((word) => nearest(word, keys));
  expect(near).toEqual(['environment', 'target', 'endpointId', 'endpointId', 'allow', 'profile']);
  expect([nearest('colour', keys), nearest('x', [])]).toEqual([undefined, undefined]);
  expect(nearest('amount-form', ['amount-to', 'amount-from'])).toBe('amount-from');
});

type Words<Text extends string, Found = never> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, Found | Word>
  : Found | Text;
type Same<A, B> = [A, B] extends [B, A] ? unknown : never;

/** The names in the lines, sorted. It compiles only if the lines have all members of the type and no other. */
function membersOf<T>() {
  return <const Lines extends readonly string[]>(lines: Lines & Same<Words<Lines[number]>, keyof T>): string[] =>
    (lines as readonly string[]).flatMap((line) => line.split(' ')).sort();
}

type Always<T> = { readonly [Key in keyof T as object extends Pick<T, Key> ? never : Key]: T[Key] };

const { row, counterfactual, cause, contract, observation } = report.$defs;
const { subject, hazards } = report.properties;

/** Compiles only if the object has the members of the type and no other. */
function hasMembersOf<T>() {
  return <P extends object>(properties: P & Same<keyof P, keyof T>) => properties;
}

test('the schema names the members of the model and no other', () => {
  hasMembersOf<Result>()(report.properties);
  hasMembersOf<ResultRow>()(row.properties);
  hasMembersOf<Hazard>()(hazards.items.properties);
  hasMembersOf<Counterfactual>()(counterfactual.properties);
  hasMembersOf<Cause>()(cause.properties);
  hasMembersOf<ContractRow>()(contract.properties);
  hasMembersOf<Observation>()(observation.properties);
  hasMembersOf<Result['subject']>()(subject.properties);
  expect(row.properties.outcome.enum).toEqual([...outcomes]);
  expect(contract.properties.outcome.enum).toEqual([...outcomes]);
});

test('the schema requires only members that the model always has', () => {
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
  const invalid = [
    'today',
    '2026-12-31T23:59:60Z',
    '2026-01-31T12:00:00+01',
    '2026-01-31\n12:00:00Z',
    '2026-04-31T12:00:00Z',
  ];
  for (const startedAt of invalid) {
    expect(validate('report', { ...whole, startedAt }).map(({ sentence }) => sentence)).toEqual([
      `startedAt is ${JSON.stringify(startedAt)} (text); it must be a point in time such as 2026-01-31T12:00:00Z`,
    ]);
  }
  for (const startedAt of ['2026-01-31T12:00:00.123456Z', '2024-02-29T23:59:59+01:00'])
    expect([validate('report', { ...whole, startedAt }), Number.isNaN(Date.parse(startedAt))]).toEqual([[], false]);
});
