/** What leaves requirements undetermined is named once: the requirement that the gateway breaks, or what was not allowed. */
import { runClientInProcess } from '../../src/app/prove/run-in-process.ts';
import { alterationOf, type ClientEdit } from '../../src/faults/client/parts.ts';
import type { Result } from '../../src/record/result/result.ts';
import { causeGroups } from '../../src/report/cause-groups.ts';
import { expect, test } from '../engine.ts';
import { runLive, startLive } from './live-setting.ts';

test('what a small allowance leaves out is grouped by what it has no room for, with the way to allow it @all', async () => {
  const allow = { 'closes-day': 1, 'starts-payments': { count: 2, total: '2.00' } };
  const setting = await startLive({ allow });
  try {
    const result = await runLive(setting.config);
    expectEachOnce(result);
    const [most, ...others] = inconclusive(result).filter(({ sentence }) => /allow\.|allow has/.test(sentence));
    expect(most!.requirements.length).toBeGreaterThan(3);
    expect(most!.sentence).toMatch(/^a request was not sent: .*allow/);
    for (const { hint } of [most!, ...others]) expect(hint).toMatch(/--allow starts-payments=N\/TOTAL|trust-refusals/);
    expect(inconclusive(result).length).toBeLessThan(10);
  } finally {
    await setting.close();
  }
});

function inconclusive({ causes = [] }: Result) {
  return causes.filter(({ outcome }) => outcome === 'inconclusive');
}

function expectEachOnce(result: Result): void {
  const open = result.results.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id);
  expect(
    inconclusive(result)
      .flatMap(({ requirements }) => requirements)
      .sort(),
  ).toEqual(open.sort());
  expect(open.length).toBeGreaterThan(0);
}

const withoutQuotes: ClientEdit = {
  csv: (_, { done }) => [done.table.columns, ...done.table.rows].map((cells) => `${cells.join(';')}\n`).join(''),
};
const decimalComma: ClientEdit = { despite: /./, cell: { amount: (cell) => cell.replace('.', ',') } };
const inMilliseconds: ClientEdit = {
  fresh: ({ timestamp, nonce }) => ({ timestamp: `${timestamp}000`, nonce }),
};

/** Each with the failures that lead, and whether others follow. */
const planted: readonly (readonly [what: string, leads: readonly string[], follows: boolean, ...ClientEdit[]])[] = [
  ['a CSV without quotes', ['recurring/csv-header-quoted'], true, withoutQuotes],
  [
    'a CSV with quotes in the first row alone',
    ['recurring/csv-rows'],
    false,
    {
      csv: (_, { done }) =>
        [done.table.columns.map((name) => `"${name}"`), ...done.table.rows].map((row) => `${row.join(';')}\n`).join(''),
    },
  ],
  ['a decimal comma', ['recurring/amount-numeric'], true, decimalComma],
  ['lines that CR ends', ['recurring/csv-rows'], false, { csv: (csv) => csv.replaceAll('\n', '\r') }],
  [
    'JSON, signed as a form',
    ['close-day/body-is-form', 'recurring/payload-only'],
    true,
    {
      sent: ({ fields }) => ({ body: fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields)) }),
    },
  ],
  [
    'a field more in another time zone',
    ['close-day/body-is-form', 'recurring/payload-only'],
    true,
    {
      under: /TZ=P/,
      fields: (pairs) => [...pairs, ['x', '1']],
    },
  ],
  [
    'no quotes, and milliseconds',
    ['authentication/timestamp-seconds', 'recurring/csv-header-quoted'],
    true,
    withoutQuotes,
    inMilliseconds,
  ],
  [
    'no quotes, and a payment left out',
    ['recurring/csv-header-quoted', 'recurring/csv-rows'],
    false,
    withoutQuotes,
    {
      rows: (rows) => rows.slice(1),
    },
  ],
  [
    'a decimal comma, and order ids in capitals',
    ['recurring/amount-numeric', 'recurring/csv-rows'],
    true,
    decimalComma,
    {
      cell: { 'client-orderid': (cell) => cell.replace(/[a-z]/g, (letter) => letter.toUpperCase()) },
    },
  ],
];

for (const [what, leads, follows, ...edits] of planted) {
  test(`a client with ${what} is told ${leads.length === 1 ? 'one thing' : 'two things'} to fix @all`, async () => {
    const { result } = await runClientInProcess(
      { seed: 'followers', cases: 4, secondVoice: false },
      edits.map(alterationOf),
    );
    const groups = causeGroups(result, 'fail');
    expect(
      groups.map(({ rows: [lead] }) => lead.id).sort(),
      groups.flatMap(({ followers = [] }) => followers.map(({ id }) => id)).join(),
    ).toEqual(leads);
    expect(groups.some(({ followers }) => followers !== undefined)).toBe(follows);
  });
}
