/** Clients that send something else in another time zone or locale (sections 2.1, 2.3 and 5). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import type { Pair } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

export const environmentDefects: readonly ClientDefect[] = [
  {
    side: 'client',
    operation: 'both',
    id: 'authentication/timestamp-in-local-time',
    summary: 'oauth_timestamp counts from the epoch to the local time of day, as if that were UTC',
    // The comparison of environments leaves the timestamp out.
    breaks: ['authentication/timestamp-seconds'],
    alteration: {
      fresh: (fresh, { time, environment }) => ({ ...fresh, timestamp: String(localSeconds(time, environment.TZ)) }),
    },
  },
  {
    side: 'client',
    operation: 'both',
    id: 'authentication/names-by-turkish-rules',
    summary: 'Names of header parameters lose the dot of their i in a Turkish locale',
    breaks: [
      'authentication/header-parameters',
      'close-day/environment-independent',
      'recurring/environment-independent',
    ],
    alteration: { unsigned: dotlessNames, signed: dotlessNames },
  },
  {
    side: 'client',
    operation: 'close-day',
    id: 'close-day/sum-by-german-rules',
    summary: 'sale_approved_sum gets a decimal comma in a German locale',
    breaks: ['close-day/sale-approved-sum', 'close-day/environment-independent'],
    alteration: only('close-day', {
      fields: (pairs, { environment }) =>
        pairs.map(
          ([name, text]): Pair => [
            name,
            name === 'sale_approved_sum' && isIn('de', environment) ? text.replace('.', ',') : text,
          ],
        ),
    }),
  },
  {
    side: 'client',
    operation: 'process-recurring-payments',
    id: 'recurring/amount-by-german-rules',
    summary: 'amount gets a decimal comma in a German locale',
    breaks: ['recurring/amount-numeric', 'recurring/environment-independent'],
    alteration: inColumn('amount', 'de', (cell) => cell.replace('.', ',')),
  },
  {
    side: 'client',
    operation: 'process-recurring-payments',
    id: 'recurring/order-id-by-turkish-rules',
    summary: 'client-orderid passes through upper case in a Turkish locale, where an i gets a dot',
    breaks: ['recurring/csv-rows', 'recurring/environment-independent'],
    alteration: inColumn('client-orderid', 'tr', (cell) => cell.replaceAll('i', '\u0130')),
  },
];

/** Seconds of the clock on the wall of that zone; of UTC where none is set. */
export function localSeconds(time: number, zone = 'UTC'): number {
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

function dotlessNames(pairs: readonly Pair[], { environment }: Context): readonly Pair[] {
  if (!isIn('tr', environment)) return pairs;
  return pairs.map(([name, value]): Pair => [name.toUpperCase().toLocaleLowerCase('tr'), value]);
}

function inColumn(column: string, language: string, change: (cell: string) => string): ClientAlteration {
  return {
    table: ({ columns, rows }, { environment }) => ({
      columns,
      rows: isIn(language, environment)
        ? rows.map((row) => row.map((cell, at) => (columns[at] === column ? change(cell) : cell)))
        : rows,
    }),
  };
}

function isIn(language: string, environment: Context['environment']): boolean {
  return environment.LC_ALL?.startsWith(`${language}_`) === true;
}
