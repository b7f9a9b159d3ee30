/** Every defect of the reference client. */
import { baseStringDefects } from './base-string.ts';
import { batchDefects } from './batch.ts';
import { batchAnswerDefects } from './batch-answer.ts';
import { closeDayAnswerDefects } from './close-day-answer.ts';
import { connectionDefects } from './connection.ts';
import type { ClientDefect } from './defect.ts';
import { freshnessDefects } from './freshness.ts';
import { keyDefects } from './key.ts';

export const clientDefects: readonly ClientDefect[] = [
  ...baseStringDefects,
  ...keyDefects,
  ...freshnessDefects,
  ...batchDefects,
  ...closeDayAnswerDefects,
  ...batchAnswerDefects,
  ...connectionDefects,
];
