/** Clients that read an answer otherwise in another time zone or locale (sections 2.2 and 2.4). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { Pair } from '../../protocol/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import { answeredType } from './batch-success.ts';
import { messageOfError } from './close-day-answer.ts';
import type { ClientDefect } from './defect.ts';
import { localSeconds } from './environment.ts';
import { gatesReadAs, gateTexts } from './gate-values.ts';
import { only, onlyUnder } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;
const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

const [ascii, turkish, german] = [/^LC_ALL=C$/, /^LC_ALL=tr_/, /^LC_ALL=de_/];

export const environmentAnswerDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/date-in-local-zone',
    summary: 'gateCloseDate is read as an instant, and written again in the local time of day, as if that were UTC',
    breaks: ['close-day/decodes-gate-close-date'],
    alteration: onlyUnder(
      /^TZ=/,
      gateTexts('gateCloseDate', (date, { environment }) => closeDate(localSeconds(Date.parse(date), environment.TZ))),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/amount-by-german-rules',
    summary:
      'In a German locale the point of saleAmount is taken for a mark between thousands: 1234.50 is read as 123450',
    breaks: ['close-day/decodes-gate-sale-amount'],
    alteration: onlyUnder(
      german,
      gateTexts('saleAmount', (amount) => amount.replace('.', '')),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/lock-lost-by-turkish-rules',
    summary:
      'isDayClosing is looked up in capitals, whose I has a dot in a Turkish locale, and not found: the gate is free',
    breaks: ['close-day/decodes-locked-gate'],
    alteration: onlyUnder(
      turkish,
      gatesReadAs((gate) => ({ ...gate, isDayClosing: { bool: false } })),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/status-by-turkish-rules',
    summary: 'The status is compared in capitals, whose I has a dot in a Turkish locale: finished is not known there',
    breaks: ['close-day/decodes-finished'],
    alteration: onlyUnder(
      turkish,
      only('close-day', { decoded: (decoded) => (decoded.kind === 'finished' ? unknown : decoded) }),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/message-read-as-latin-1-in-c',
    summary: 'In the locale C the body is read in ISO 8859-1, so that letters beyond ASCII come in pieces',
    breaks: ['close-day/decodes-error'],
    alteration: onlyUnder(
      ascii,
      messageOfError((text) => Buffer.from(text, 'utf8').toString('latin1')),
    ),
  },
  {
    ...recurring,
    id: 'recurring/message-read-as-ascii-in-c',
    summary: 'In the locale C each byte of an answer that is not ASCII is read as a question mark',
    breaks: ['recurring/decodes-validation-error'],
    alteration: onlyUnder(
      ascii,
      readsBatch((decoded) =>
        decoded.kind === 'parameters' ? { ...decoded, params: decoded.params.map(inAscii) } : decoded,
      ),
    ),
  },
  {
    ...recurring,
    id: 'recurring/type-by-turkish-rules',
    summary:
      'The type is compared in capitals, whose I has a dot in a Turkish locale: an accepted batch is not known there',
    breaks: ['recurring/decodes-response-type'],
    alteration: onlyUnder(
      turkish,
      readsBatch((decoded) => (answeredType(decoded) === 'process-recurring-payment-response' ? unknown : decoded)),
    ),
  },
];

const unknown: Decoded = { kind: 'undecodable', reason: 'another answer than expected' };

function readsBatch(read: (decoded: Decoded) => Decoded): ClientAlteration {
  return only('process-recurring-payments', { decoded: read });
}

function inAscii([name, value]: Pair): Pair {
  return [name, value.replace(/[^\x00-\x7f]/gu, (one) => '?'.repeat(Buffer.byteLength(one)))];
}

function closeDate(seconds: number): string {
  const [weekday, day, month, year, clock] = new Date(seconds * 1000).toUTCString().split(/,? /);
  return [weekday, month, day, clock, 'UTC', year].join(' ');
}
