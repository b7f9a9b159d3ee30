/** A stored run that says something of each of its cases: what that costs. */
import { judgeRecordings } from '../../../src/recordings/judge-recordings.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from '../checks/sample-cases.ts';

const nothing = { 'closes-day': 0, 'starts-payments': 0 };
const header = {
  suite: { name: 'countersign', version: '0.0.0' },
  subject: { kind: 'gateway', name: 'g', target: 'recording' },
  runId: 'r',
  profile: 'rfc5849',
  seed: '1',
  startedAt: '2024-01-31T23:59:59.000Z',
  durationMs: 1,
  reproduce: 'r',
  effects: { predicted: nothing, recorded: nothing },
} as const;

test('as many records as cases cost no square of their number', () => {
  const many = 2_000;
  let asked = 0;
  const cases = Array.from({ length: many }, (_, number) => ({
    ...sampleCase('close-day', undefined, { intent: 'open' }),
    number,
    get scenario() {
      asked++;
      return 'many';
    },
  }));
  const scenarios = cases.map(({ number }) => ({ scenario: 'many', caseNumbers: [number], suiteErrors: [] }));
  const { cases: judged } = judgeRecordings({
    header,
    side: 'gateway',
    only: [],
    recordings: [{ client: { calls: [], skipped: [] }, cases, gateway: { scenarios }, strangers: 0 }],
    keys: { hasKeys: false, keysOf: () => undefined },
  });
  expect(judged).toHaveLength(many);
  expect(asked).toBeLessThan(200 * many);
});
