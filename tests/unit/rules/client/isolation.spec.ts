/** One fault breaks exactly the rows that name it, among all rows about the wire. */
import { printAuthorization } from '../../../../src/protocol/index.ts';
import type { ClientCase } from '../../../../src/record/case.ts';
import { expect, test } from '../../../engine.ts';
import {
  batch,
  closeDay,
  type Draft,
  failing,
  fields,
  findingsOn,
  recurring,
  unsent,
  withCall,
} from './sample-requests.ts';

const verifies = 'authentication/signature-verifies';

/**
 * Faults that show only beside what the client was asked for, or in a signature. What is wrong in the bytes alone is in the tables under
 * tests/properties/table, and what a library or a language does wrongly is a defect of the reference client.
 */
const faults: readonly (readonly [what: string, examined: ClientCase, ...breaks: string[]])[] = [
  [
    'a consumer key with its space as +',
    closeDay({ identity: 'reserved', print: (pairs) => printAuthorization(pairs).replaceAll('%20', '+') }),
    'authentication/header-values-encoded',
  ],
  ['a slash of the path that is escaped', closeDay({ target: '/p1%2Fapi/v2/close-day/1111' }), 'close-day/path'],
  [
    'a sum that is written otherwise after it was signed',
    closeDay({ body: (body) => body.replace('100.00', '100.0') }),
    verifies,
  ],
  [
    'an empty total that is added after the rest was signed',
    closeDay({ body: (body) => `${body}&reversal_approved_count=` }),
    verifies,
  ],
  [
    'an empty total that is signed and not sent',
    closeDay({
      input: { ...fields, reversal_approved_count: '' },
      body: (body) => body.replace('&reversal_approved_count=', ''),
    }),
    verifies,
  ],
  [
    'a payload with an escape that is not UTF-8',
    recurring({ payload: (payload) => `${payload.slice(0, 40)}%DE${payload.slice(40)}` }),
    'recurring/payload-base64',
    'recurring/payload-escaped',
  ],
  [
    'a wrapped payload whose line ends change after signing',
    recurring({
      payload: (text) => text.replace(/.{76}/g, '$&\n'),
      body: (body) => body.replaceAll('%0A', '%0D%0A'),
    }),
    'recurring/payload-base64',
  ],
  [
    'an amount that nobody gave',
    recurring({
      csv: (text) =>
        text.replaceAll(/^(.*)$/gm, (line, _, at) => line && `${line};${at === 0 ? '"amount-from"' : '1.00'}`),
    }),
    'recurring/csv-header-quoted',
  ],
  [
    'letters that became question marks',
    recurring({ csv: (text) => text.replace('ß漢', '??') }),
    'recurring/csv-utf-8',
  ],
  ['UTF-8 read as Latin-1', recurring({ csv: (text) => Buffer.from(text).toString('latin1') }), 'recurring/csv-utf-8'],
  [
    'groups of thousands',
    recurring({ csv: (text) => text.replace('1234.50', '1,234.50') }),
    'recurring/amount-numeric',
  ],
];

for (const [what, examined, ...breaks] of faults) {
  test(`a request with ${what} breaks ${breaks.join(' and ')}`, () => {
    expect(failing([closeDay(), recurring(), examined])).toEqual(breaks);
  });
}

test('a raw + in a field breaks the row of the field alone', () => {
  const draft: Draft = { input: { ...fields, sale_approved_sum: '1+0' }, body: (body) => body.replace('%2B', '+') };
  expect(failing([closeDay(draft)])).toEqual(['close-day/sale-approved-sum']);
});

test('an amount in a range has no form of its own, and is sent as it was given', () => {
  const input = {
    columns: [...batch.columns.slice(0, 2), 'amount-from', 'amount-to'],
    rows: [['o', '0000000042', '1.00', '2.00']],
  };
  expect(failing([recurring({ input })])).toEqual([]);
  // A15: what these columns hold is not shown.
  const wide = { ...input, rows: [['o', '0000000042', '1234567890.12', 'from €2']] };
  expect(failing([recurring({ input: wide })])).toEqual([]);
  const rewritten = recurring({ input, csv: (text) => text.replace('2.00', '2.0') });
  expect(failing([rewritten])).toEqual([]);
  expect(findingsOn('recurring/csv-rows', [rewritten])).toMatchObject([{ remark: '2.00 is sent as 2.0' }]);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '2,00') })])).toEqual(['recurring/csv-rows']);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '') })])).toEqual([
    'recurring/amount-conditional',
  ]);
});

test('where a request is missing in an environment, the sentence has what the client says of it, and who is behind it', () => {
  const inRound = (environment: string) => ({ permutation: { group: 'g', environment, round: 0 } });
  const rounds = ['ordinary', 'ordinary', 'TZ=UTC'].map((name) => {
    const sent = closeDay();
    return withCall(sent, { label: { ...sent.call.label, ...inRound(name) } });
  });
  const actual = 'a request is missing in a round of TZ=UTC: not sent';
  for (const [outcome, blame] of [
    ['transport_error', 'environment'],
    ['adapter_error', 'subject'],
    ['completed', 'subject'],
  ] as const) {
    const missing = unsent({ outcome, reason: 'not sent' }, inRound('TZ=UTC'));
    const found = findingsOn('close-day/environment-independent', [...rounds, missing]);
    expect(found).toContainEqual(expect.objectContaining({ actual, blame }));
  }
});
