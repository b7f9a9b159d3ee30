/** Answers that are none, and that a client must not take for success: sections 2.2 and 4.2. */
import { finishedBody, gateText, htmlAnswer, htmlPage, plainGate, reply, serial } from './answers.ts';
import type { ClientScenario } from './client-scenario.ts';
import { askedOfCloseDay, askedOfRecurring, notSuccess } from './questions.ts';

const whole = finishedBody([plainGate]);

/** A status, a content type and a body for each; null for no content type. */
type Broken = readonly (readonly [question: string, status: number, body: string, contentType?: string | null])[];

const ofCloseDay: Broken = [
  ['JSON cut in the last member', 200, whole.slice(0, whole.lastIndexOf('"'))],
  ['JSON cut before its last brace', 200, whole.slice(0, -1)],
  ['JSON cut inside a gate', 200, whole.slice(0, whole.indexOf('"epntId"'))],
  ['JSON cut after the status', 200, whole.slice(0, whole.indexOf(',"gates"'))],
  ['an HTML page', 200, htmlPage],
  ['an empty body', 200, ''],
  ['the JSON text null', 200, 'null'],
  ['a JSON array', 200, `[${whole}]`],
  ['the text OK', 200, 'OK'],
  ['no status', 200, `{"response":{"gates":[${gateText(plainGate)}]},"theRequestSerialNumber":"${serial}"}`],
  ['a status that is no text', 200, whole.replace('"finished"', 'true')],
  ['no response', 200, `{"theRequestSerialNumber":"${serial}"}`],
  ['HTTP 401', 401, ''],
  ['HTTP 403', 403, ''],
  ['HTTP 500 with an HTML page', 500, htmlPage],
  ['a finished day under HTTP 500', 500, whole],
  ['a finished day under HTTP 403', 403, whole],
  ...[201, 202, 206].map((status) => [`a finished day under HTTP ${status}`, status, whole] as const),
];

const ofRecurring: Broken = [
  ['an HTML page', 200, htmlPage],
  ['an HTML page without a content type', 200, htmlPage, null],
  ['the text OK', 200, 'OK', 'text/plain'],
  ['blanks and a line end', 200, '  \r\n'],
  ['JSON', 200, '{"status":"accepted"}', 'application/json'],
  ['parameters without a type', 200, 'status=processing\n&serial-number=1\n'],
  ['an unknown type', 200, 'type=process-recurring-payment-request\n&status=processing\n'],
  // What HTTP libraries call success, and what they may follow, is not the 200 of section 4.2.
  ...[201, 202, 204, 206].map((status) => [`an empty ${status}`, status, '', null] as const),
  ['an empty 302 that leads nowhere', 302, '', null],
  ['an empty 500', 500, '', null],
  ['an empty 401', 401, '', null],
  ['an empty 409', 409, '', null],
  ['an HTML page under HTTP 403', 403, htmlPage],
];

export const brokenBodies: readonly ClientScenario[] = [
  {
    id: 'close-day/broken-bodies',
    operation: 'close-day',
    title: 'Bodies that no answer to close-day has',
    shows: ['close-day/broken-body-not-success'],
    plan: () =>
      ofCloseDay.map(([question, status, body, contentType = htmlAnswer]) =>
        askedOfCloseDay(
          { question, answers: ['close-day/broken-body-not-success'], expected: notSuccess },
          reply(status, contentType, body),
        ),
      ),
  },
  {
    id: 'recurring/broken-bodies',
    operation: 'process-recurring-payments',
    title: 'Bodies that no answer to a batch has',
    shows: ['recurring/broken-body-not-success'],
    plan: () =>
      ofRecurring.map(([question, status, body, contentType = htmlAnswer]) =>
        askedOfRecurring(
          { question, answers: ['recurring/broken-body-not-success'], expected: notSuccess },
          reply(status, contentType, body),
        ),
      ),
  },
];
