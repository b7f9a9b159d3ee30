/** Clients that depend on the time zone or locale (sections 2.1 to 2.4 and 5). */

import type { Pair } from '../../protocol/index.ts';
import { inLatin1, readAsFree } from './answers.ts';
import { auth, type ClientDefect, closeDay, recurring } from './defect.ts';

const [ascii, turkish, german] = [/^LC_ALL=C$/, /^LC_ALL=tr_/, /^LC_ALL=de_/];

export const environmentDefects: readonly ClientDefect[] = [
  // The comparison between environments ignores the timestamp.
  auth('timestamp-in-local-time', 'timestamp-seconds', {
    fresh: (fresh, { time, environment }) => ({ ...fresh, timestamp: String(localSeconds(time, environment.TZ)) }),
  })`oauth_timestamp counts from the epoch to the local time of day, as if that were UTC`,
  auth(
    'names-by-turkish-rules',
    ['header-parameters', 'close-day/environment-independent', 'recurring/environment-independent'],
    { under: turkish, unsigned: dotlessNames, signed: dotlessNames },
  )`Names of header parameters lose the dot of their i in a Turkish locale`,
  closeDay('sum-by-german-rules', ['sale-approved-sum', 'environment-independent'], {
    under: german,
    field: { sale_approved_sum: (text) => text.replace('.', ',') },
  })`sale_approved_sum gets a decimal comma in a German locale`,
  recurring('amount-by-german-rules', ['amount-numeric', 'environment-independent'], {
    under: german,
    cell: { amount: (cell) => cell.replace('.', ',') },
  })`amount gets a decimal comma in a German locale`,
  recurring('order-id-by-turkish-rules', ['csv-rows', 'environment-independent'], {
    under: turkish,
    cell: { 'client-orderid': (cell) => cell.replaceAll('i', '\u0130') },
  })`client-orderid passes through upper case in a Turkish locale, where an i gets a dot`,

  closeDay('date-in-local-zone', 'decodes-gate-close-date', {
    under: /^TZ=/,
    gateText: {
      gateCloseDate: (date, { environment }) => closeDate(localSeconds(Date.parse(date), environment.TZ)),
    },
  })`gateCloseDate is read as an instant, and written again in the local time of day, as if that were UTC`,
  closeDay('amount-by-german-rules', 'decodes-gate-sale-amount', {
    under: german,
    gateText: { saleAmount: (amount) => amount.replace('.', '') },
  })`In a German locale the point of saleAmount is taken for a mark between thousands: 1234.50 is read as 123450`,
  closeDay('lock-lost-by-turkish-rules', 'decodes-locked-gate', { under: turkish, gate: readAsFree })`
    isDayClosing is looked up in capitals, whose I has a dot in a Turkish locale, and not found: the gate is free`,
  closeDay('status-by-turkish-rules', 'decodes-finished', {
    under: turkish,
    unread: ({ kind }) => kind === 'finished',
  })`The status is compared in capitals, whose I has a dot in a Turkish locale: finished is not known there`,
  closeDay('message-read-as-latin-1-in-c', 'decodes-error', { under: ascii, message: inLatin1 })`
    In the locale C the body is read in ISO 8859-1, so that letters beyond ASCII come in pieces`,
  recurring('message-read-as-ascii-in-c', 'decodes-validation-error', {
    under: ascii,
    value: (value) => value.replace(/[^\x00-\x7f]/gu, (one) => '?'.repeat(Buffer.byteLength(one))),
  })`In the locale C each byte of an answer that is not ASCII is read as a question mark`,
  recurring('type-by-turkish-rules', 'decodes-response-type', {
    under: turkish,
    unread: ({ param }) => param('type') === 'process-recurring-payment-response',
  })`The type is compared in capitals, whose I has a dot in a Turkish locale: an accepted batch is not known there`,
];

function localSeconds(time: number, timeZone = 'UTC'): number {
  // Swedish dates look like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${format.format(time).replace(' ', 'T')}Z`) / 1000;
}

function dotlessNames(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.map(([name, value]): Pair => [name.toUpperCase().toLocaleLowerCase('tr'), value]);
}

function closeDate(seconds: number): string {
  const [weekday, day, month, year, clock] = new Date(seconds * 1000).toUTCString().split(/,? /);
  return [weekday, month, day, clock, 'UTC', year].join(' ');
}
