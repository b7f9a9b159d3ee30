/** Progress of a live run: what a later answer may take back is not shown as a failure. */
import { weighRecord } from '../../../src/app/progress.ts';
import type { Case } from '../../../src/record/case.ts';
import type { ScenarioRecord } from '../../../src/run/gateway/perform-case.ts';
import type { LiveRun } from '../../../src/run/target/live-config.ts';
import { expect, test } from '../../engine.ts';

const about = 'authentication/close-day-valid-accepted';
const refusal = '{"response":{"status":"error","errorCode":"403","errorMessage":"no"},"theRequestSerialNumber":"x"}';
const finished = '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"x"}';

function record(label: Case['label'], body: string, settles: boolean): ScenarioRecord {
  const request: Case['exchange']['request'] = {
    method: 'POST',
    scheme: 'https',
    host: 'gateway.example',
    target: '/api/v2/close-day/1',
    headers: [],
    body: Buffer.alloc(0),
  };
  const response = { status: 200, reason: '', headers: [], body: Buffer.from(body) };
  const exchange: Case['exchange'] = { request, response, startedAt: 0, durationMs: 1 };
  const cases = [{ scenario: 'close-day/signature', number: 0, label, exchange }];
  return { scenario: scenarioAbout, cases, suiteErrors: [], ...(settles ? { settles } : {}) };
}

const scenarioAbout = 'close-day/minimal';
const right: Case['label'] = { operation: 'close-day', intent: 'valid', about };

function weigh(of: ScenarioRecord, runId: string, live = true) {
  const { settled, waiting } = weighRecord(of, { only: [], runId, ...(live ? { live: {} as LiveRun } : {}) });
  return { failing: settled.filter(({ outcome }) => outcome === 'fail').length, waiting };
}

test('on a live target a refused right request waits until both operations had theirs', () => {
  const first = weigh(record(right, refusal, true), 'one');
  expect(first.failing).toBe(0);
  expect(first.waiting).toBeGreaterThan(0);
});

test('after the first right requests a refused one is a failure', () => {
  weigh(record(right, finished, true), 'two');
  expect(weigh(record(right, refusal, false), 'two').failing).toBeGreaterThan(0);
});

test('on the mock a refused right request is a failure at once', () => {
  expect(weigh(record(right, refusal, false), 'three', false).failing).toBeGreaterThan(0);
});
