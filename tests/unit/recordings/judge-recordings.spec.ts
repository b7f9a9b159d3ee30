/** Recordings as they are judged: what a stored run of many cases costs, and what another tool left out. */
import { judgeRecordings } from '../../../src/recordings/judge-recordings.ts';
import { readRecording } from '../../../src/recordings/recording.ts';
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

test('an answer whose body the recorder left out is not judged as an empty one', () => {
  const entries = ['v2/close-day', 'v4/process-recurring-payments'].map((path) => ({
    startedDateTime: '2024-01-01T12:00:00.000Z',
    time: 1,
    request: { method: 'POST', url: `https://gate.example/api/${path}/1111`, headers: [] },
    response: { status: 200, statusText: '', headers: [], content: { size: 153, mimeType: 'text/html' } },
  }));
  const recording = readRecording(JSON.stringify({ log: { version: '1.2', entries } }), 'recorded');
  const { result } = judgeRecordings({
    header,
    side: 'gateway',
    only: ['close-day/body-decodable', 'recurring/success-*'],
    recordings: [recording],
    keys: { hasKeys: false, keysOf: () => undefined },
  });
  const outcomes = result.results.map(({ outcome }) => outcome);
  expect(outcomes).toHaveLength(4);
  expect(outcomes).not.toContain('fail');
  expect(outcomes).not.toContain('pass');
});
