/** A result with every outcome, kind, blame and basis, and with hostile values. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dimensions } from '../../../contracts/requirements/requirement.ts';
import type { Case } from '../../../src/record/case.ts';
import { conclude, countByDimension } from '../../../src/record/result/conclude.ts';
import type { ContractRow, Hazard, Result, ResultRow, Unnoticed } from '../../../src/record/result/result.ts';
import { ctrfReport, junitReport } from '../../../src/report/ci.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { markdownText } from '../../../src/report/markdown.ts';
import { htmlReport } from '../../../src/report/pages/report-page.ts';
import type { Statements } from '../../../src/report/phrases.ts';
import { resultDocument } from '../../../src/report/result-document.ts';
import { terminalText } from '../../../src/report/terminal.ts';
import { causesOf } from '../../../src/verdict/causes.ts';

/** Values that have an effect on a terminal or in XML, or that deceive the reader. */
export const hostile = {
  markup: `<script>&"']]>`,
  nul: 'a\u0000b',
  escape: '\u001b[2J\u001b]0;title\u0007',
  c1: '\u009b31m',
  lineEnds: 'first\r\nhint: forged\nlast',
  bidi: 'abc\u202egpj.exe\u2066\u2069\u200f',
  invisible: 'zero\u200bwidth\ufeff\u00ad',
  separators: 'line\u2028paragraph\u2029',
  tag: 'tag\u{e0041}',
  lone: 'half \ud83d pair',
  emoji: 'whole \u{1f642} pair',
  long: `${'x'.repeat(9_000)}END`,
} as const;

const row = {
  operation: 'close-day',
  dimension: 'signing',
  kind: 'required',
  section: '5',
  basis: 'document',
  exchanges: [],
  provenBy: [],
} as const;

const rowOf = (id: string, outcome: ResultRow['outcome'], more: Partial<ResultRow> = {}): ResultRow => ({
  ...row,
  id,
  outcome,
  ...more,
});
const recurring = { operation: 'process-recurring-payments' } as const;

export const rows: readonly ResultRow[] = [
  rowOf('authentication/passes', 'pass', { exchanges: [1, 2], provenBy: ['a-defect'] }),
  rowOf('authentication/passes-with-remark', 'pass', {
    ...{ kind: 'expected', basis: 'profile:rfc5849', remark: `taken: ${hostile.bidi}`, exchanges: [3] },
  }),
  rowOf('authentication/fails', 'fail', {
    ...{ blame: 'subject', expected: hostile.markup, actual: hostile.nul, hint: hostile.escape },
    ...{ exchanges: [4, 5], provenBy: ['b-defect'] },
    repeat: 'countersign gateway --only authentication/fails --seed 7',
  }),
  rowOf('close-day/fails-long', 'fail', {
    ...{ dimension: 'response-decoding', section: '2.2', blame: 'subject', remark: 'seen twice', exchanges: [6] },
    ...{ expected: hostile.long, actual: hostile.lineEnds },
  }),
  rowOf('recurring/expected-fails', 'fail', {
    ...{ ...recurring, dimension: 'payload-encoding', kind: 'expected', section: '2.3', blame: 'subject' },
    ...{ expected: hostile.c1, actual: hostile.invisible, exchanges: [7] },
  }),
  rowOf('recurring/unclear', 'inconclusive', {
    ...{ ...recurring, dimension: 'payload-encoding', section: '4.2', blame: 'environment' },
    ...{ reason: 'the twin was not accepted', actual: hostile.separators, exchanges: [8] },
  }),
  rowOf('recurring/not-run', 'inconclusive', {
    ...{ ...recurring, dimension: 'behaviour', kind: 'expected', section: '8', blame: 'configuration' },
    reason: 'not run: allow does not cover starts-payments',
  }),
  rowOf('service/answered-probe-unclear', 'inconclusive', {
    ...{ operation: 'both', dimension: 'transport', kind: 'probe', basis: 'profile:rfc5849' },
    ...{ blame: 'unspecified', actual: hostile.lone },
  }),
  rowOf('close-day/never-arose', 'not-applicable', {
    ...{ dimension: 'behaviour', section: '3', reason: 'condition never observed' },
  }),
  rowOf('close-day/nobody-said-why', 'not-applicable', { dimension: 'behaviour', section: '3' }),
  rowOf('service/our-fault', 'error', {
    ...{ operation: 'both', dimension: 'transport', section: '1', blame: 'suite', expected: hostile.emoji },
    ...{ actual: hostile.tag, reason: 'two implementations disagree' },
    repeat: 'countersign gateway --only service/our-fault',
  }),
];

export const statements: Statements = (id) =>
  id === 'authentication/fails'
    ? { statement: `A statement with ${hostile.markup}.`, hint: 'The hint of the requirement.' }
    : id === 'close-day/fails-long'
      ? { statement: 'A long value is cut in the middle.', hint: 'Look at the end of it.' }
      : undefined;

/** A client that sends a payment three times. */
export const batchSentAgain: Hazard = {
  id: 'hazard/batch-sent-again',
  operation: 'process-recurring-payments',
  sentence: 'A batch was sent 3 times in one call, after status 503: 2 payments, 2.00 in total, may be charged again.',
  atRisk: { 'closes-day': 0, 'starts-payments': { count: 2, total: '2.00' } },
  exchanges: [1, 2, 3],
  hint: 'Switch automatic repeats off.',
};

/** A result with these rows and the conclusion of a run. */
export function resultOf(chosen: readonly ResultRow[], more: Partial<Result> = {}): Result {
  const profile = more.profile ?? 'strict';
  return {
    format: 'countersign-report',
    formatVersion: 1,
    suite: { name: 'countersign', version: '0.0.0' },
    subject: { kind: 'gateway', name: `gate ${hostile.markup}`, version: '1.2', target: 'http://127.0.0.1:1/paynet' },
    runId: 'run-1',
    profile,
    seed: '7',
    startedAt: '2024-02-29T23:59:59.000Z',
    durationMs: 12_345,
    conclusion: conclude(chosen, { profile }),
    reproduce: 'countersign gateway --target http://127.0.0.1:1/paynet --seed 7',
    dimensions: countByDimension(chosen),
    results: chosen,
    causes: causesOf(chosen.map((one) => ({ row: one }))),
    observations: [
      {
        openPoint: 'A3',
        value: 'timestamp-a-year-ago: accepted',
        exchanges: [2],
        unusual: 'The gateway has no time window.',
      },
      { openPoint: 'A5', value: hostile.bidi, exchanges: [1] },
    ],
    effects: {
      predicted: { 'closes-day': 1, 'starts-payments': 2 },
      recorded: { 'closes-day': 1, 'starts-payments': 0 },
      unclear: { 'closes-day': 0, 'starts-payments': 3 },
    },
    exchangeCount: 8,
    ...more,
  };
}

/** The input of a report format. */
export const reported = (result: Result, cases: readonly Case[] = []) => ({
  result,
  cases,
  statements,
  questions: () => undefined,
  baseStringOf: () => undefined,
});

/** Prints a result in each format, without cases. */
export const written = {
  text: (result: Result, width = 120) =>
    terminalText(resultDocument(result, { statements, files: [] }), { colour: false, width, most: Infinity }),
  page: (result: Result, cases?: readonly Case[]) => htmlReport(result, reported(result, cases)),
  summary: (result: Result) => markdownText(resultDocument(result, { statements })),
  junit: (result: Result) => junitReport(result, { statements }),
  ctrf: (result: Result) => ctrfReport(result, { statements }),
  json: jsonReport,
};

/** The text of a golden file. UPDATE_GOLDEN=1 writes `current` into it. */
export function golden(name: string, current: string): string {
  const file = new URL(`./golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, current);
  return readFileSync(file, 'utf8');
}

/** A result with all rows. */
export const everything = resultOf(rows, { scope: { only: ['authentication/*', 'recurring/*'] } });

/** The result `everything` with hazards. */
export const withHazards: Result = {
  ...everything,
  hazards: [
    { ...batchSentAgain, sentence: `${batchSentAgain.sentence} It answered ${hostile.markup}.` },
    {
      id: 'hazard/close-day-sent-again',
      operation: 'close-day',
      sentence: 'A close-day request was sent twice in one call, after a reset: 1 day may be closed again.',
      atRisk: { 'closes-day': 1, 'starts-payments': { count: 0, total: '0.00' } },
      exchanges: [4],
      hint: 'Switch automatic repeats off.',
      known: { reason: 'CL-7', expires: '2026-12-31' },
    },
  ],
};

if (!dimensions.every((dimension) => rows.some((entry) => entry.dimension === dimension))) {
  throw new Error('the sample has to show every dimension');
}

export const passed: ContractRow = {
  pact: 'close-day-client-payment-gateway.json',
  interaction: 'a request to close the day',
  state: 'gate open',
  outcome: 'pass',
  mismatches: [],
};
export const broken: ContractRow = {
  ...passed,
  interaction: 'a request with totals',
  outcome: 'fail',
  blame: 'subject',
  mismatches: [`$.response: ${hostile.markup}`, hostile.escape],
};
export const unverified: ContractRow = {
  ...broken,
  outcome: 'error',
  blame: 'suite',
  mismatches: ['it did not start'],
};

/** Defects that a live run would not notice. */
export const unnoticed: Unnoticed = {
  of: 209,
  count: 3,
  groups: [
    { operation: 'close-day', dimension: 'signing', defects: ['authentication/one', 'authentication/<two>'] },
    { operation: 'both', dimension: 'behaviour', defects: ['close-day/three'] },
  ],
  notKnown: ['close-day/four'],
  allowances: [
    { kind: 'more', allow: ['closes-day=2', 'starts-payments=1/1.00'], more: 1, aboutSeconds: 4 },
    { kind: 'setting', allow: [], set: 'trust-refusals: 97', more: 3, effects: 87, aboutSeconds: 9 },
    { kind: 'whole', allow: ['closes-day=255', 'starts-payments=448/448.00'], more: 2, aboutSeconds: 342 },
  ],
};
