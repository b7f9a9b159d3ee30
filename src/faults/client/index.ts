/** Every defect of the reference client. */
import { baseStringDefects } from './base-string.ts';
import { batchAnswerDefects } from './batch-answer.ts';
import { batchSuccessDefects } from './batch-success.ts';
import { cellDefects } from './cells.ts';
import { closeDayAnswerDefects } from './close-day-answer.ts';
import { closeDayChunkDefects } from './close-day-chunks.ts';
import { closeDayFieldDefects } from './close-day-fields.ts';
import { closeDayIdDefects } from './close-day-id.ts';
import { closeDayStatusDefects } from './close-day-status.ts';
import { connectionDefects } from './connection.ts';
import { credentialsElsewhereDefects } from './credentials-elsewhere.ts';
import { csvDefects } from './csv.ts';
import type { ClientDefect } from './defect.ts';
import { environmentDefects } from './environment.ts';
import { environmentAnswerDefects } from './environment-answer.ts';
import { freshnessDefects } from './freshness.ts';
import { gateValueDefects } from './gate-values.ts';
import { headerDefects } from './header.ts';
import { headerParameterDefects } from './header-parameters.ts';
import { keyDefects } from './key.ts';
import { methodDefects } from './method.ts';
import { payloadDefects } from './payload.ts';
import { requestLineDefects } from './request-line.ts';
import { signatureTextDefects } from './signature-text.ts';
import { signedEncodingDefects } from './signed-encoding.ts';
import { signedOrderDefects } from './signed-order.ts';
import { signedParametersDefects } from './signed-parameters.ts';
import { signedUriDefects } from './signed-uri.ts';

export const clientDefects: readonly ClientDefect[] = [
  ...signedParametersDefects,
  ...signedEncodingDefects,
  ...signedOrderDefects,
  ...signedUriDefects,
  ...baseStringDefects,
  ...keyDefects,
  ...methodDefects,
  ...headerDefects,
  ...headerParameterDefects,
  ...signatureTextDefects,
  ...credentialsElsewhereDefects,
  ...freshnessDefects,
  ...requestLineDefects,
  ...closeDayIdDefects,
  ...closeDayFieldDefects,
  ...payloadDefects,
  ...csvDefects,
  ...cellDefects,
  ...environmentDefects,
  ...environmentAnswerDefects,
  ...closeDayAnswerDefects,
  ...closeDayChunkDefects,
  ...closeDayStatusDefects,
  ...gateValueDefects,
  ...batchAnswerDefects,
  ...batchSuccessDefects,
  ...connectionDefects,
];

/** Those that the reference client can be given: the others change no request to the two operations. */
export const usableClientDefects: readonly ClientDefect[] = clientDefects.filter(({ reach }) => reach === undefined);
