/** Clients that send or read something else in another time zone or locale (sections 2.1 to 2.4 and 5). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { Pair } from '../../protocol/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import { answeredType } from './batch-answer.ts';
import { messageOfError } from './close-day-answer.ts';
import { auth, type ClientDefect, closeDay, onlyUnder, recurring } from './defect.ts';
import { gatesReadAs, gateTexts } from './gate-values.ts';

const [ascii, turkish, german] = [/^LC_ALL=C$/, /^LC_ALL=tr_/, /^LC_ALL=de_/];

export const environmentDefects: readonly ClientDefect[] = [
  auth(
    'timestamp-in-local-time',
    'oauth_timestamp counts from the epoch to the local time of day, as if that were UTC',
    // The comparison of environments leaves the timestamp out.
    'timestamp-seconds',
    { fresh: (fresh, { time, environment }) => ({ ...fresh, timestamp: String(localSeconds(time, environment.TZ)) }) },
  ),
  auth(
    'names-by-turkish-rules',
    'Names of header parameters lose the dot of their i in a Turkish locale',
    ['header-parameters', 'close-day/environment-independent', 'recurring/environment-independent'],
    onlyUnder(turkish, { unsigned: dotlessNames, signed: dotlessNames }),
  ),
  closeDay(
    'sum-by-german-rules',
    'sale_approved_sum gets a decimal comma in a German locale',
    ['sale-approved-sum', 'environment-independent'],
    onlyUnder(german, {
      fields: (pairs) =>
        pairs.map(([name, text]) => [name, name === 'sale_approved_sum' ? text.replace('.', ',') : text]),
    }),
  ),
  recurring(
    'amount-by-german-rules',
    'amount gets a decimal comma in a German locale',
    ['amount-numeric', 'environment-independent'],
    inColumn('amount', german, (cell) => cell.replace('.', ',')),
  ),
  recurring(
    'order-id-by-turkish-rules',
    'client-orderid passes through upper case in a Turkish locale, where an i gets a dot',
    ['csv-rows', 'environment-independent'],
    inColumn('client-orderid', turkish, (cell) => cell.replaceAll('i', '\u0130')),
  ),

  closeDay(
    'date-in-local-zone',
    'gateCloseDate is read as an instant, and written again in the local time of day, as if that were UTC',
    'decodes-gate-close-date',
    onlyUnder(
      /^TZ=/,
      gateTexts('gateCloseDate', (date, { environment }) => closeDate(localSeconds(Date.parse(date), environment.TZ))),
    ),
  ),
  closeDay(
    'amount-by-german-rules',
    'In a German locale the point of saleAmount is taken for a mark between thousands: 1234.50 is read as 123450',
    'decodes-gate-sale-amount',
    onlyUnder(
      german,
      gateTexts('saleAmount', (amount) => amount.replace('.', '')),
    ),
  ),
  closeDay(
    'lock-lost-by-turkish-rules',
    'isDayClosing is looked up in capitals, whose I has a dot in a Turkish locale, and not found: the gate is free',
    'decodes-locked-gate',
    onlyUnder(
      turkish,
      gatesReadAs((gate) => ({ ...gate, isDayClosing: { bool: false } })),
    ),
  ),
  closeDay(
    'status-by-turkish-rules',
    'The status is compared in capitals, whose I has a dot in a Turkish locale: finished is not known there',
    'decodes-finished',
    onlyUnder(turkish, { decoded: (decoded) => (decoded.kind === 'finished' ? unknown : decoded) }),
  ),
  closeDay(
    'message-read-as-latin-1-in-c',
    'In the locale C the body is read in ISO 8859-1, so that letters beyond ASCII come in pieces',
    'decodes-error',
    onlyUnder(
      ascii,
      messageOfError((text) => Buffer.from(text, 'utf8').toString('latin1')),
    ),
  ),
  recurring(
    'message-read-as-ascii-in-c',
    'In the locale C each byte of an answer that is not ASCII is read as a question mark',
    'decodes-validation-error',
    onlyUnder(ascii, {
      decoded: (decoded) =>
        decoded.kind === 'parameters' ? { ...decoded, params: decoded.params.map(inAscii) } : decoded,
    }),
  ),
  recurring(
    'type-by-turkish-rules',
    'The type is compared in capitals, whose I has a dot in a Turkish locale: an accepted batch is not known there',
    'decodes-response-type',
    onlyUnder(turkish, {
      decoded: (decoded) => (answeredType(decoded) === 'process-recurring-payment-response' ? unknown : decoded),
    }),
  ),
];

/** Seconds of the clock on the wall of that zone; of UTC where none is set. */
function localSeconds(time: number, zone = 'UTC'): number {
  const format = new Intl.DateTimeFormat('en-US-u-hc-h23', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year!, part.month! - 1, part.day, part.hour, part.minute, part.second) / 1000;
}

function dotlessNames(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.map(([name, value]): Pair => [name.toUpperCase().toLocaleLowerCase('tr'), value]);
}

function inColumn(column: string, locale: RegExp, change: (cell: string) => string): ClientAlteration {
  return onlyUnder(locale, {
    table: ({ columns, rows }) => ({
      columns,
      rows: rows.map((row) => row.map((cell, at) => (columns[at] === column ? change(cell) : cell))),
    }),
  });
}

const unknown: Decoded = { kind: 'undecodable', reason: 'another answer than expected' };

function inAscii([name, value]: Pair): Pair {
  return [name, value.replace(/[^\x00-\x7f]/gu, (one) => '?'.repeat(Buffer.byteLength(one)))];
}

function closeDate(seconds: number): string {
  const [weekday, day, month, year, clock] = new Date(seconds * 1000).toUTCString().split(/,? /);
  return [weekday, month, day, clock, 'UTC', year].join(' ');
}
