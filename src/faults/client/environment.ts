/** Clients that depend on the time zone or locale (sections 2.1 to 2.4 and 5). */
import type { Pair } from '../../protocol/index.ts';
import { inLatin1, readAsFree } from './answers.ts';
import { auth, type ClientDefect, closeDay, recurring } from './defect.ts';

const [ascii, turkish, german] = [/^LC_ALL=C$/, /^LC_ALL=tr_/, /^LC_ALL=de_/];

export const environmentDefects: readonly ClientDefect[] = [
  // Only `timestamp-seconds` fails, because the comparison of environments ignores the timestamp.
  auth('timestamp-in-local-time', 'timestamp-seconds', {
    fresh: (fresh, { time, environment }) => ({ ...fresh, timestamp: String(localSeconds(time, environment.TZ)) }),
  })`oauth_timestamp is computed from the local time as if it were UTC`,
  auth(
    'names-by-turkish-rules',
    ['header-parameters', 'close-day/environment-independent', 'recurring/environment-independent'],
    { under: turkish, unsigned: dotlessNames, signed: dotlessNames },
  )`In a Turkish locale, i in the names of header parameters becomes a dotless i`,
  closeDay('sum-by-german-rules', ['sale-approved-sum', 'environment-independent'], {
    under: german,
    field: { sale_approved_sum: (text) => text.replace('.', ',') },
  })`In a German locale, sale_approved_sum has a decimal comma`,
  recurring('amount-by-german-rules', ['amount-numeric', 'environment-independent'], {
    under: german,
    cell: { amount: (cell) => cell.replace('.', ',') },
  })`In a German locale, amount has a decimal comma`,
  recurring('order-id-by-turkish-rules', ['csv-rows', 'environment-independent'], {
    under: turkish,
    cell: { 'client-orderid': (cell) => cell.replaceAll('i', '\u0130') },
  })`In a Turkish locale, i in client-orderid becomes a capital I with a dot`,

  closeDay('date-in-local-zone', 'decodes-gate-close-date', {
    under: /^TZ=/,
    gateText: {
      gateCloseDate: (date, { environment }) => closeDate(localSeconds(Date.parse(date), environment.TZ)),
    },
  })`gateCloseDate is converted to local time, but its zone is still UTC`,
  closeDay('amount-by-german-rules', 'decodes-gate-sale-amount', {
    under: german,
    gateText: { saleAmount: (amount) => amount.replace('.', '') },
  })`In a German locale, the decimal point of saleAmount is read as a thousands separator: 1234.50 becomes 123450`,
  closeDay('lock-lost-by-turkish-rules', 'decodes-locked-gate', { under: turkish, gate: readAsFree })`
    In a Turkish locale, isDayClosing is not found by its name in upper case, so a locked gate is read as free`,
  closeDay('status-by-turkish-rules', 'decodes-finished', {
    under: turkish,
    unread: ({ kind }) => kind === 'finished',
  })`In a Turkish locale, finished is not recognized, because its i becomes İ in upper case`,
  closeDay('message-read-as-latin-1-in-c', 'decodes-error', { under: ascii, message: inLatin1 })`
    In the locale C, the body is decoded as ISO 8859-1, so non-ASCII letters are garbled`,
  recurring('message-read-as-ascii-in-c', 'decodes-validation-error', {
    under: ascii,
    value: (value) => value.replace(/[^\x00-\x7f]/gu, (one) => '?'.repeat(Buffer.byteLength(one))),
  })`In the locale C, each non-ASCII byte of an answer becomes a question mark`,
  recurring('type-by-turkish-rules', 'decodes-response-type', {
    under: turkish,
    unread: ({ param }) => param('type') === 'process-recurring-payment-response',
  })`In a Turkish locale, the type of an accepted batch is not recognized, because its i becomes İ in upper case`,
];

function localSeconds(time: number, timeZone = 'UTC'): number {
  // The Swedish locale writes dates like ISO 8601, so Date.parse can read them.
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
