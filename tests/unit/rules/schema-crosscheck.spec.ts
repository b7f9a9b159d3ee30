/** If judge and schema disagree on the same bytes, the outcome is an error of the suite, with the words of both. */
import type { Operation } from '../../../contracts/operations.ts';
import { validateResponse } from '../../../schemas/payloads.ts';
import { type ClientCase, type ClientLabel, clientCase } from '../../../src/record/case.ts';
import type { Exchange } from '../../../src/record/exchange.ts';
import { fail, inconclusive, pass } from '../../../src/rules/judge.ts';
import { disagreementsOnAnswers, disagreementsOnRequests } from '../../../src/rules/schema-crosscheck.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from './sample-cases.ts';

const id = 'close-day/serial-type';
const broken = '{"response":{"status":"error","errorCode":"1","errorMessage":"x"},"theRequestSerialNumber":1}';
const right = broken.replace(':1}', ':"00000000-0000-0000-0000-000002d9b22a"}');

const answered = (body: string) => sampleCase('close-day', { body });

test('the schema contradicts a judge that passes a broken answer or has no verdict', () => {
  const testCase = answered(broken);
  for (const verdicts of [[], [{ testCase, finding: pass() }]]) {
    expect(disagreementsOnAnswers(id, [testCase], verdicts)).toEqual([
      {
        testCase,
        finding: {
          outcome: 'error',
          blame: 'suite',
          actual:
            'judge and schema disagree: the judge finds no fault; the schema says: theRequestSerialNumber is 1 (number); it must be text (in quotes)',
        },
      },
    ]);
  }
});

test('the schema contradicts a judge that fails a right answer', () => {
  const testCase = answered(right);
  const verdicts = [{ testCase, finding: fail('a string', 'long 1') }];
  expect(disagreementsOnAnswers(id, [testCase], verdicts).map(({ finding }) => finding.actual)).toEqual([
    'judge and schema disagree: the judge expects a string and finds long 1; the schema finds no fault',
  ]);
});

test('agreement, an open verdict, and a requirement without a schema give no error', () => {
  const testCase = answered(broken);
  expect(disagreementsOnAnswers(id, [testCase], [{ testCase, finding: fail('a string', 'long 1') }])).toEqual([]);
  expect(disagreementsOnAnswers(id, [testCase], [{ testCase, finding: inconclusive('no') }])).toEqual([]);
  expect(disagreementsOnAnswers('close-day/content-type', [testCase], [])).toEqual([]);
});

test('a body that is nested too deeply for the judges gives no error', () => {
  const deep = broken.replace('{', `{"further":${'['.repeat(200)}${']'.repeat(200)},`);
  expect(disagreementsOnAnswers(id, [answered(deep)], [])).toEqual([]);
});

for (const [gates, tag] of [
  [3, []],
  // Comparing each gate with each other would take minutes.
  [60_000, ['@all']],
] as const) {
  test(`the schema checks each of ${gates} gates, whatever the others lack`, { tag: [...tag] }, () => {
    const list = Array.from({ length: gates }, (_, at) => `{"gateId":${at},"else":[]}`);
    const body = (last: string) =>
      Buffer.from(right.replace(/"error"[^}]*/, `"finished","gates":[${[...list, last]}]`));
    const rows = (last: string) => [...validateResponse('close-day', 200, body(last)).keys()];
    expect(rows('{"gateId":-1}')).toHaveLength(9);
    expect(rows('{"gateId":"-1"}')).toContain('close-day/gate-id-type');
    expect(rows('null')).toContain('close-day/finished-has-gates');
  });
}

test('judge and schema accept a whole number that is too long for the engine', () => {
  const long = right.replace('"errorCode":"1"', `"errorCode":${'9'.repeat(400)}`);
  expect(disagreementsOnAnswers('close-day/error-has-code', [answered(long)], [])).toEqual([]);
});

function callWith(exchange: Exchange, operation: Operation, input: ClientLabel['input'] = 'observed'): ClientCase {
  return clientCase({ scenario: 'one', number: 1, exchanges: [exchange] }, { label: { operation, input } });
}

test('the schema contradicts judges that pass a broken request, unless the input was forbidden', () => {
  const [exchange] = answered('').exchanges;
  const request = { ...exchange.request, body: Buffer.from('day_close_request_id=short') };
  const call = (input: 'observed' | 'forbidden') => callWith({ ...exchange, request }, 'close-day', input);
  const row = 'close-day/request-id-length';
  const found = disagreementsOnRequests(row, [call('observed')], () => []);
  expect(found.map(({ finding }) => finding.actual)).toEqual([
    'judge and schema disagree: the judge finds no fault; the schema says: day_close_request_id is "short" (text); it must be at least 8 characters long',
  ]);
  expect(disagreementsOnRequests(row, [call('forbidden')], () => [])).toEqual([]);
});

test('judge and schema read a quote after a backslash as part of a realm', () => {
  const [exchange] = answered('').exchanges;
  const headers = [['Authorization', 'OAuth realm="a, b=\\"c\\"", oauth_version="1.0"']] as const;
  const call = callWith({ ...exchange, request: { ...exchange.request, headers } }, 'close-day');
  expect(disagreementsOnRequests('authentication/header-scheme', [call], () => [])).toEqual([]);
});

test('a batch that is too large for the patterns of a schema gives no error', () => {
  const [exchange] = answered('').exchanges;
  const body = Buffer.from(`payload=${'QUFB'.repeat(2_500_000)}`);
  const call = callWith({ ...exchange, request: { ...exchange.request, body } }, 'process-recurring-payments');
  for (const row of ['recurring/payload-only', 'recurring/payload-base64', 'recurring/csv-rows'] as const)
    expect(disagreementsOnRequests(row, [call], () => [])).toEqual([]);
});
