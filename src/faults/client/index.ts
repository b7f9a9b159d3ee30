/** Every defect of the reference client. The order is that of `list defects` and of the kill matrix. */

import { batchAnswerDefects } from './batch-answer.ts';
import { cellDefects } from './cells.ts';
import { closeDayAnswerDefects } from './close-day-answer.ts';
import { closeDayFieldDefects } from './close-day-fields.ts';
import type { ClientDefect } from './defect.ts';
import { environmentDefects } from './environment.ts';
import { freshnessDefects } from './freshness.ts';
import { gateValueDefects } from './gate-values.ts';
import { payloadDefects } from './payload.ts';
import { connectionDefects, requestLineDefects } from './request-line.ts';
import { baseStringDefects, deviatingDefects, headerDefects, keyDefects } from './signing.ts';

export const clientDefects: readonly ClientDefect[] = [
  ...deviatingDefects,
  ...baseStringDefects,
  ...keyDefects,
  ...headerDefects,
  ...freshnessDefects,
  ...requestLineDefects,
  ...closeDayFieldDefects,
  ...payloadDefects,
  ...cellDefects,
  ...environmentDefects,
  ...closeDayAnswerDefects,
  ...gateValueDefects,
  ...batchAnswerDefects,
  ...connectionDefects,
];

/** Those that the reference client can be given: the others change no request to the two operations. */
export const usableClientDefects: readonly ClientDefect[] = clientDefects.filter(({ reach }) => reach === undefined);
