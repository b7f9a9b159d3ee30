/** The schema of report.json and the result model have the same members. */

import report from '../../../schemas/files/report.json' with { type: 'json' };
import { validate } from '../../../schemas/index.ts';
import type {
  Cause,
  ContractRow,
  Counterfactual,
  Hazard,
  Measured,
  Observation,
  Result,
  ResultRow,
} from '../../../src/record/result/result.ts';
import { outcomes } from '../../../src/record/result/result.ts';
import { expect, test } from '../../engine.ts';

type Complete<T> = { readonly [Key in keyof T]-?: T[Key] };

const counts = { error: 0, fail: 0, inconclusive: 0, pass: 1, 'not-applicable': 0 };

/** Every member that there is: the compiler names one that is missing here. */
const row: Complete<ResultRow> = {
  id: 'close-day/request-id-length',
  statement: 'The id of a request has 8 to 32 characters.',
  operation: 'close-day',
  dimension: 'payload-encoding',
  kind: 'required',
  section: '2.1',
  outcome: 'fail',
  basis: 'profile:rfc5849',
  remark: 'a remark',
  blame: 'subject',
  expected: '8 to 32',
  actual: '7',
  hint: 'a hint',
  reason: 'a reason',
  exchanges: [1],
  counterexample: { path: '2/14:0', exchange: 7 },
  assumes: ['A1'],
  provenBy: ['short-id'],
  firstStage: { exchange: 1, stage: 'base_string', expected: 'POST&a', actual: 'POST&b', offset: 5 },
  explanations: [
    {
      exchange: 1,
      deviations: [{ id: 'body-left-out', summary: 'The body is not signed.', fix: 'Sign it.', snippet: 'sign(body)' }],
      alternatives: [['body-hash-instead-of-body']],
      dialects: ['a library'],
      facts: ['The header is complete.'],
      triedCount: 12,
    },
  ],
  repeat: 'countersign gateway --only close-day/request-id-length',
  known: { reason: 'GW-12', expires: '2026-12-31' },
  notScored: true,
  demanded: true,
};
const observation: Complete<Observation> = {
  openPoint: 'A5',
  value: 'unwrapped',
  exchanges: [1],
  confidence: 'medium',
  unusual: 'Nobody expects it.',
};
const measured: Complete<Measured> = {
  limits: [
    { id: 'rows', openPoint: 'A23', unit: 'rows', least: 1, most: 2, reason: 'why', requests: 3, exchanges: [1] },
  ],
  dialect: {
    follows: [{ deviation: 'space-as-plus', alternatives: ['plus-as-space'], means: 'a sentence', exchanges: [1] }],
    takes: [],
    refuses: ['body-left-out'],
    undetermined: ['latin-1'],
    reason: 'why',
    requests: 9,
  },
  requests: 12,
};
const contract: Complete<ContractRow> = {
  pact: 'close-day-client-payment-gateway.json',
  interaction: 'a request to close the day',
  state: 'gate open',
  outcome: 'fail',
  blame: 'subject',
  mismatches: ['$.response.gates[0].gateId: Expected a number'],
  known: { reason: 'GW-12' },
  notScored: true,
};
const cause: Complete<Cause> = {
  outcome: 'inconclusive',
  sentence: 'recurring/success-body-empty fails',
  requirement: 'recurring/success-body-empty',
  openPoint: 'A12',
  deviations: ['body-left-out'],
  alternatives: [['body-not-a-form']],
  defects: ['authentication/signature-not-checked'],
  hint: 'a hint',
  requirements: ['recurring/missing-payload-refused'],
  exchanges: [2, 1],
};
const counterfactual: Complete<Counterfactual> = {
  deviations: ['body-left-out'],
  failing: 2,
  wouldPass: ['authentication/signature-verifies'],
  remain: ['recurring/csv-columns'],
  wouldBeOpen: ['authentication/uri-default-port'],
  signedAgain: 119,
  notSignedAgain: 1,
};
const hazard: Complete<Hazard> = {
  id: 'hazard/batch-sent-again',
  operation: 'process-recurring-payments',
  how: 'in one call after status 5xx',
  sentence: 'A batch was sent 3 times in one call, after status 503: 2 payments, 2.00 in total, may be charged again.',
  atRisk: { 'closes-day': 0, 'starts-payments': { count: 2, total: '2.00' } },
  exchanges: [1, 2, 3],
  hint: 'Switch automatic repeats off.',
  known: { reason: 'why', expires: '2026-12-31' },
};
const whole: Complete<Result> = {
  format: 'countersign-report',
  formatVersion: 1,
  suite: { name: 'countersign', version: '0.1.0' },
  subject: { kind: 'gateway', name: 'mock', version: '1', language: 'TypeScript', target: 'mock' },
  runId: 'r1',
  profile: 'rfc5849',
  seed: '1',
  challenge: '1',
  startedAt: '2026-01-31T12:00:00.000Z',
  durationMs: 1200.5,
  conclusion: 'non-conformant',
  aborted: 'why',
  unsupported: true,
  reproduce: 'countersign gateway --seed 1',
  acceptPartial: true,
  failOn: 'hazard',
  labels: { gateway: '4.12.0' },
  scope: { only: ['close-day/*'] },
  require: ['close-day/*'],
  exercised: {
    required: 2,
    neverArose: [{ id: 'close-day/one-result-per-gate', reason: 'condition never observed', hint: 'a hint' }],
  },
  set: '2026-11',
  rejudged: { suite: '0.1.0', flips: [{ id: 'close-day/status-200', before: 'pass', now: 'fail', why: 'a reason' }] },
  baseline: {
    file: 'known.yaml',
    problems: [
      {
        id: 'close-day/status-200',
        sentence: 'it has no reason',
        corrected: { id: 'close-day/status-200', reason: 'why' },
      },
    ],
    updated: [{ id: 'close-day/status-200', reason: 'why', expires: '2026-12-31', received: 'status 201' }],
  },
  hazards: [hazard],
  dimensions: {
    signing: counts,
    'payload-encoding': counts,
    'response-decoding': counts,
    transport: counts,
    behaviour: counts,
  },
  results: [row],
  causes: [cause],
  counterfactuals: [counterfactual],
  contracts: [contract],
  observations: [observation],
  edges: [{ generator: 'amount', edge: 'zero', cases: 1 }],
  notes: ['the adapter wrote 3 lines that belong to no message'],
  effects: {
    predicted: { 'closes-day': 1, 'starts-payments': 0 },
    recorded: { 'closes-day': 1, 'starts-payments': 0 },
  },
  unnoticed: {
    of: 209,
    count: 1,
    groups: [{ operation: 'close-day', dimension: 'signing', defects: ['authentication/body-left-out'] }],
    notKnown: ['close-day/free-gate-as-locked'],
    allowances: [{ kind: 'more', allow: ['closes-day=1'], more: 1, aboutSeconds: 3 }],
  },
  measured,
  latency: [{ operation: 'close-day', count: 20, p50Ms: 3.5, p95Ms: 12 }],
  exchangeCount: 1,
};

test('a result with every member fits', () => {
  expect(validate('report', whole)).toEqual([]);
});

test('the schema names the members of the model and no other', () => {
  expect(Object.keys(report.properties).sort()).toEqual(Object.keys(whole).sort());
  expect(Object.keys(report.$defs.row.properties).sort()).toEqual(Object.keys(row).sort());
  expect(Object.keys(report.properties.hazards.items.properties).sort()).toEqual(Object.keys(hazard).sort());
  expect(Object.keys(report.$defs.counterfactual.properties).sort()).toEqual(Object.keys(counterfactual).sort());
  expect(Object.keys(report.$defs.cause.properties).sort()).toEqual(Object.keys(cause).sort());
  expect(Object.keys(report.$defs.contract.properties).sort()).toEqual(Object.keys(contract).sort());
  expect(Object.keys(report.$defs.observation.properties).sort()).toEqual(Object.keys(observation).sort());
  expect(Object.keys(report.properties.subject.properties).sort()).toEqual(Object.keys(whole.subject).sort());
  expect(report.$defs.row.properties.outcome.enum).toEqual([...outcomes]);
  expect(report.$defs.contract.properties.outcome.enum).toEqual([...outcomes]);
});

type Always<T> = { readonly [Key in keyof T as object extends Pick<T, Key> ? never : Key]: T[Key] };

const ofResult: readonly (keyof Always<Result>)[] = [
  ...(['format', 'formatVersion', 'suite', 'subject', 'runId', 'profile', 'seed', 'startedAt', 'durationMs'] as const),
  ...(['conclusion', 'reproduce', 'dimensions', 'results', 'observations', 'effects', 'exchangeCount'] as const),
];
const ofRow: readonly (keyof Always<ResultRow>)[] = [
  ...(['id', 'operation', 'dimension', 'kind', 'section', 'outcome', 'basis', 'exchanges', 'provenBy'] as const),
];

test('the schema asks for members that the model always has', () => {
  expect(report.required).toEqual(ofResult);
  expect(report.$defs.row.required).toEqual(ofRow);
});

test('members of a later version are let through, another version is not', () => {
  expect(validate('report', { ...whole, more: 1, results: [{ ...row, more: 1 }] })).toEqual([]);
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

test('a duration that leads beyond all times is refused', () => {
  const told = (durationMs: number) => validate('report', { ...whole, durationMs }).map(({ sentence }) => sentence);
  expect(told(1e308)).toEqual(['durationMs is a number that is too large; it must be 1000000000000 or less']);
  expect(told(Number('1e400'))).toEqual(['durationMs is a number that is too large; it must be a number']);
  expect(told(-Number('9007199254740993'))).toEqual(['durationMs is a number that is too small; it must be 0 or more']);
  expect(told(Number.NaN)).toEqual(['durationMs is not a number (.nan); it must be a number']);
});
