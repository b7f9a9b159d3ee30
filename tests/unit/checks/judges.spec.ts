/** Every judge of responses accepts what it must, rejects what it must, and is silent where nothing came. */
import { expect, test } from '@playwright/test';
import { gatewayJudges } from '../../../src/checks/index.ts';
import { accepted, refused } from '../../../src/checks/twins.ts';
import type { Case } from '../../../src/exchange/case.ts';
import { batchAnswer, errorAnswer, finished, parameterAnswer, sampleCase } from './sample-cases.ts';
import { type SampledId, samples } from './samples.ts';

const outcomes = (id: SampledId, cases: readonly Case[]) =>
  gatewayJudges[id]({ id, cases, twinOf: () => undefined }).map(({ finding }) => finding.outcome);

for (const id of Object.keys(samples) as SampledId[]) {
  test(`${id} accepts and rejects its samples`, () => {
    for (const cases of samples[id].accepts) {
      expect(outcomes(id, cases).length, JSON.stringify(cases[0]!.exchange.response)).toBeGreaterThan(0);
      expect(new Set(outcomes(id, cases))).toEqual(new Set(['pass']));
    }
    for (const cases of samples[id].rejects) {
      const body = cases.map(({ exchange }) => `${exchange.response?.status} ${Buffer.from(exchange.response!.body)}`);
      expect(outcomes(id, cases), body.join(' | ')).toContain('fail');
    }
  });

  test(`${id} says nothing where no response came`, () => {
    const silent = [sampleCase('close-day', undefined), sampleCase('process-recurring-payments', undefined)];
    expect(outcomes(id, silent)).not.toContain('pass');
    expect(outcomes(id, silent)).not.toContain('fail');
  });
}

test('every judge without samples is one of acceptance or refusal', () => {
  const unsampled = Object.entries(gatewayJudges).filter(([id]) => !(id in samples));
  expect(unsampled.filter(([, judge]) => judge !== accepted && judge !== refused).map(([id]) => id)).toEqual([]);
});

test('every judge has a rejecting sample', () => {
  expect(Object.entries(samples).filter(([, { rejects }]) => rejects.length === 0)).toEqual([]);
});

test('tolerated refusals alone do not show that close-day answers with HTTP 200', () => {
  const refusal = errorAnswer({ errorCode: '1' }, { intent: 'fault' }, 401);
  expect(outcomes('close-day/status-200', [refusal])).toEqual(['inconclusive']);
  expect(outcomes('close-day/status-200', [refusal, finished()])).toEqual(['pass', 'pass']);
});

test('an error body, an HTML page and bytes that are not UTF-8 show no accepted batch', () => {
  const error = parameterAnswer({ type: 'error' });
  expect(outcomes('recurring/success-body-empty', [error])).toEqual([]);
  expect(outcomes('recurring/success-status-200', [error, batchAnswer({ body: '<html>' })])).toEqual([]);
  const bytes = Buffer.from([0x74, 0x79, 0x70, 0x65, 0x3d, 0xff]);
  const { exchange, ...rest } = batchAnswer();
  const broken = { ...rest, exchange: { ...exchange, response: { ...exchange.response!, body: bytes } } };
  expect(outcomes('recurring/type-present', [broken])).toEqual([]);
});
