/** Judges of responses where nothing was received, and where an answer is none that the document has. */
import type { Case } from '../../../src/record/case.ts';
import { gatewayJudges } from '../../../src/rules/index.ts';
import { expect, test } from '../../engine.ts';
import { batchAnswer, errorAnswer, finished, parameterAnswer, sampleCase } from './sample-cases.ts';

type GatewayId = keyof typeof gatewayJudges;

const outcomes = (id: GatewayId, cases: readonly Case[]) =>
  gatewayJudges[id]({ id, cases, twinOf: () => undefined }).map(({ finding }) => finding.outcome);

test('no judge passes or fails where no response was received', () => {
  const silent = [sampleCase('close-day', undefined), sampleCase('process-recurring-payments', undefined)];
  const ids = Object.keys(gatewayJudges) as GatewayId[];
  expect(ids.filter((id) => outcomes(id, silent).some((one) => one === 'pass' || one === 'fail'))).toEqual([]);
});

test('tolerated refusals alone do not show that close-day answers with HTTP 200', () => {
  const about = 'authentication/close-day-wrong-key-refused';
  const refusal = errorAnswer({ errorCode: '1' }, { intent: 'fault', about }, 401);
  expect(outcomes('close-day/status-200', [refusal])).toEqual(['inconclusive']);
  expect(outcomes('close-day/status-200', [refusal, finished()])).toEqual(['pass', 'pass']);
});

test('an error body, an HTML page and bytes that are not UTF-8 show no accepted batch', () => {
  const error = parameterAnswer({ type: 'error' });
  expect(outcomes('recurring/success-body-empty', [error])).toEqual([]);
  expect(outcomes('recurring/success-status-200', [error, batchAnswer({ body: '<html>' })])).toEqual([]);
  const bytes = Buffer.from([0x74, 0x79, 0x70, 0x65, 0x3d, 0xff]);
  const {
    exchanges: [exchange],
    ...rest
  } = batchAnswer();
  const response = { ...exchange.response!, body: bytes };
  const broken = { ...rest, exchanges: [{ ...exchange, response }] as const };
  expect(outcomes('recurring/parameters-line-feed', [broken])).toEqual(['fail']);
});

test('a body deeper than the suite reads is a limit of the suite', () => {
  const body = `{"response":${'['.repeat(200)}${']'.repeat(200)}}`;
  expect(outcomes('close-day/body-decodable', [sampleCase('close-day', { body })])).toEqual(['inconclusive']);
});

test.describe('failures that are answered in a form that the document does not have', () => {
  const faults = ['unsigned', 'wrong-key'] as const;
  const twin = { 'close-day': finished(), recurring: batchAnswer() };
  const judged = (area: 'close-day' | 'recurring', status: number, count: number, twinIs: Case = twin[area]) => {
    const id = area === 'close-day' ? 'close-day/status-200' : 'recurring/failure-status-403';
    const operation = area === 'close-day' ? area : 'process-recurring-payments';
    const cases = faults
      .slice(0, count)
      .map((what) =>
        sampleCase(operation, { status }, { intent: 'fault', about: `authentication/${area}-${what}-refused` }),
      );
    return gatewayJudges[id]({ id, cases, twinOf: () => twinIs }).map(({ finding }) => finding.outcome);
  };

  for (const area of ['close-day', 'recurring'] as const) {
    test(`${area}: a habit fails, whatever the status, where right requests are accepted`, () => {
      for (const status of [302, 404, 408, 425, 429, 500, 503])
        expect(judged(area, status, 2), String(status)).toContain('fail');
    });

    test(`${area}: a single one shows nothing`, () => {
      for (const status of [302, 404, 408, 425, 429, 500, 503])
        expect(judged(area, status, 1), String(status)).toEqual([]);
    });

    test(`${area}: they show nothing where right requests are answered alike`, () => {
      expect(judged(area, 500, 2, sampleCase('close-day', { status: 500 }))).toEqual([]);
    });
  }

  test('401 and 403 stand for failed authentication, and for no fault of the fields', () => {
    const missing = 'close-day/missing-request-id-refused';
    const fieldFault = sampleCase('close-day', { status: 403 }, { intent: 'fault', about: missing });
    const question = { id: 'close-day/status-200', cases: [fieldFault], twinOf: () => finished() } as const;
    expect(gatewayJudges['close-day/status-200'](question).map(({ finding }) => finding.outcome)).toEqual(['fail']);
  });
});
