/** Recordings that are judged in a test, without a run around them. */
import type { Result } from '../../../src/record/result/result.ts';
import { publishedKeys } from '../../../src/run/target/published.ts';
import { judgeRecordings } from '../../../src/verdict/conclude.ts';

type Asked = Parameters<typeof judgeRecordings>[0];
const nothing = { 'closes-day': 0, 'starts-payments': 0 };

/** What judging them takes, with the published keys unless others are given. */
export function askedOf(
  side: Result['subject']['kind'],
  recordings: Asked['recordings'],
  more: Partial<Pick<Asked, 'only' | 'keys'>> = {},
): Asked {
  const header = {
    suite: { name: 'countersign', version: '0.0.0' },
    subject: { kind: side, name: 'x', target: 'recording' },
    ...{ runId: 'run', profile: 'rfc5849', seed: '5', startedAt: '2026-01-31T12:00:00.000Z', durationMs: 1 },
    ...{ reproduce: 'r', effects: { predicted: nothing, recorded: nothing } },
  };
  return { header, only: [], recordings, keys: { hasKeys: true, keysOf: publishedKeys }, ...more };
}

export function judgedOf(...asked: Parameters<typeof askedOf>): ReturnType<typeof judgeRecordings> {
  return judgeRecordings(askedOf(...asked));
}
