/** What defects of the reference client change in a body, one line each. */

import { clientDefects } from '../../../src/faults/client/index.ts';
import { decodeForm } from '../../../src/protocol/index.ts';
import type { CloseDayInput, RecurringInput } from '../../../src/record/client-case.ts';
import { expect, test } from '../../engine.ts';
import { type Call, traced } from './telling-calls.ts';

const id = { day_close_request_id: 'abcdefgh' };
const full = { ...id, sale_approved_sum: '1.50', reversal_approved_sum: '2.00' };

const forms: readonly (readonly [defect: string, input: CloseDayInput, right: string | undefined, wrong: string])[] = [
  ['endpoint-in-body', id, bodyOf(id), `${bodyOf(id)}&endpoint_id=Endpoint-7`],
  ['names-in-camel-case', id, bodyOf(id), 'dayCloseRequestId=abcdefgh'],
  ['id-left-out', full, bodyOf(full), 'sale_approved_sum=1.50&reversal_approved_sum=2.00'],
  ['id-as-uuid', idOf('0'.repeat(32)), idBody('0'.repeat(32)), idBody('00000000-0000-0000-0000-000000000000')],
  ['id-signs-replaced', idOf('a1b2-c3_4'), undefined, idBody('a1b20c304')],
  ['id-cut', idOf('a'.repeat(33)), undefined, idBody('a'.repeat(32))],
  ['id-padded', idOf('a1b2c3d'), undefined, idBody('0a1b2c3d')],
  ['id-as-number', idOf('00000042'), idBody('00000042'), idBody('42')],
  [
    'sale-count-through-a-double',
    { sale_approved_count: '9007199254740993', ...id },
    count('9007199254740993'),
    count('9007199254740992'),
  ],
  ['reversal-count-made-up', id, bodyOf(id), `${bodyOf(id)}&reversal_approved_count=0`],
  ['reversal-sum-left-out', full, bodyOf(full), bodyOf({ ...id, sale_approved_sum: '1.50' })],
  [
    'sums-swapped',
    full,
    bodyOf(full),
    'day_close_request_id=abcdefgh&reversal_approved_sum=1.50&sale_approved_sum=2.00',
  ],
  [
    'line-ends-rewritten-after-signing',
    { ...id, sale_approved_sum: '1\r\n2' },
    `${bodyOf(id)}&sale_approved_sum=1%0D%0A2`,
    `${bodyOf(id)}&sale_approved_sum=1%0A2`,
  ],
  [
    'absent-totals-as-null',
    full,
    bodyOf(full),
    `${bodyOf(full)}&sale_approved_count=null&reversal_approved_count=null`,
  ],
];

for (const [defect, input, right, wrong] of forms) {
  test(`close-day/${defect} sends ${wrong.slice(0, 90)}`, async () => {
    const call = { operation: 'close-day', input } as const;
    expect(await textSent(call, [])).toBe(right);
    expect(await textSent(call, [`close-day/${defect}`])).toBe(wrong);
  });
}

const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
const header = '"client-orderid";"recurring-payment-id";"amount"\n';
const plain = ['o', '0000000042', '100.00'];
const plainCsv = `${header}o;0000000042;100.00\n`;

const csvs: readonly (readonly [defect: string, row: (string | null)[], right: string | undefined, wrong: string])[] = [
  ['csv-with-commas', ['a,b', '1', '1'], `${header}a,b;1;1\n`, `${header.replaceAll(';', ',')}"a,b",1,1\n`],
  ['csv-with-tabs', plain, plainCsv, plainCsv.replaceAll(';', '\t')],
  ['csv-header-bare', plain, plainCsv, plainCsv.replaceAll('"', '')],
  ['csv-header-left-out', plain, plainCsv, 'o;0000000042;100.00\n'],
  ['delimiter-in-cell-bare', ['a;b', '1', '1'], `${header}"a;b";1;1\n`, `${header}a;b;1;1\n`],
  ['quote-in-cell-single', ['a"b', '1', '1'], `${header}"a""b";1;1\n`, `${header}"a"b";1;1\n`],
  ['quote-in-cell-with-backslash', ['a"b', '1', '1'], `${header}"a""b";1;1\n`, `${header}"a\\"b";1;1\n`],
  ['quote-after-backslash-single', ['a\\"b', '1', '1'], `${header}"a\\""b";1;1\n`, `${header}"a\\"b";1;1\n`],
  [
    'header-reordered-alone',
    plain,
    plainCsv,
    `"amount";"client-orderid";"recurring-payment-id"\no;0000000042;100.00\n`,
  ],
  ['formula-guarded', ['=1+1', '1', '1'], `${header}=1+1;1;1\n`, `${header}'=1+1;1;1\n`],
  ['byte-order-mark-sent', plain, plainCsv, `\ufeff${plainCsv}`],
  ['csv-in-latin-1', ['é漢', '1', '1'], `${header}é漢;1;1\n`, `${header}\ufffd?;1;1\n`],
  ['client-orderid-not-sent', ['o', '1', '1'], `${header}o;1;1\n`, '"recurring-payment-id";"amount"\n1;1\n'],
  ['client-orderid-cut', ['A'.repeat(129), '1', '1'], undefined, `${header}${'A'.repeat(128)};1;1\n`],
  ['payment-id-made-up', ['o', null, '1'], undefined, `${header}o;0000000000;1\n`],
  ['payment-id-cut', ['o', '12345678901', '1'], undefined, `${header}o;1234567890;1\n`],
  ['payment-id-as-number', plain, plainCsv, `${header}o;42;100.00\n`],
  ['amount-made-up', ['o', '1', null], undefined, `${header}o;1;0.00\n`],
  ['amount-with-comma', plain, plainCsv, `${header}o;0000000042;100,00\n`],
  ['amount-in-exponent-form', ['o', '1', '0.01'], `${header}o;1;0.01\n`, `${header}o;1;1e-2\n`],
  ['amount-padded', ['o', '1', '1.00'], `${header}o;1;1.00\n`, `${header}o;1;000000001.00\n`],
  ['amount-cut', ['o', '1', '12345678901'], undefined, `${header}o;1;1234567890\n`],
];

for (const [defect, row, right, wrong] of csvs) {
  test(`recurring/${defect} writes ${JSON.stringify(wrong.replace(header, '').slice(0, 60))}`, async () => {
    const call = batch([row]);
    expect(await csvSent(call, [])).toBe(right);
    expect(await csvSent(call, [`recurring/${defect}`])).toBe(wrong);
  });
}

test('empty cells at the end of a row and the last of several payments are gone', async () => {
  const two = batch([plain, plain]);
  expect(await csvSent(two, ['recurring/last-payment-lost'])).toBe(plainCsv);
  const input: RecurringInput = { columns: [...columns, 'order_desc'], rows: [[...plain, '']] };
  const further = await csvSent({ ...two, input }, ['recurring/empty-cells-dropped']);
  expect(further).toBe(`${header.trimEnd()};"order_desc"\no;0000000042;100.00\n`);
});

const base64 = Buffer.from(plainCsv).toString('base64');

const payloads: readonly (readonly [defect: string, payload: string])[] = [
  ['payload-in-lines-of-76', base64.replace(/.{76}(?=.)/g, '$&\n')],
  ['payload-in-lines-of-64', base64.replace(/.{1,64}/g, '$&\r\n')],
  ['payload-with-line-feed', `${base64}\n`],
  ['payload-url-safe', Buffer.from(base64, 'base64').toString('base64')],
  ['payload-without-padding', base64.replace(/=+$/, '')],
  ['payload-encoded-twice', Buffer.from(base64).toString('base64')],
  ['payload-in-hex', Buffer.from(plainCsv).toString('hex')],
  ['payload-as-data-uri', `data:text/csv;base64,${base64}`],
];

for (const [defect, payload] of payloads) {
  test(`recurring/${defect} changes the payload`, async () => {
    expect(decodeForm((await textSent(batch([plain]), [`recurring/${defect}`]))!)).toEqual([['payload', payload]]);
  });
}

test('the payload is beside another parameter, under another name, or wrongly escaped', async () => {
  const telling = batch([['>>>???', '1', '1']]);
  const right = (await textSent(telling, []))!;
  expect(right).toContain('%2B');
  expect(await textSent(telling, ['recurring/format-beside-payload'])).toBe(`${right}&format=csv`);
  expect(await textSent(telling, ['recurring/payload-named-data'])).toBe(right.replace('payload=', 'data='));
  expect(await textSent(telling, ['recurring/payload-plus-raw'])).toBe(right.replaceAll('%2B', '+'));
  expect(await textSent(telling, ['recurring/payload-escaped-twice'])).toBe(right.replaceAll('%', '%25'));
  expect(await textSent(telling, ['recurring/payload-url-safe'])).toBe(
    right.replaceAll('%2B', '-').replaceAll('%2F', '_'),
  );
});

async function textSent(call: Call, defects: readonly string[]): Promise<string | undefined> {
  const alterations = defects.map((defect) => clientDefects.find((candidate) => candidate.id === defect)!.alteration);
  const [request] = (await traced(call, alterations)).requests;
  return request === undefined ? undefined : Buffer.from(request.body).toString('utf8');
}

async function csvSent(call: Call, defects: readonly string[]): Promise<string | undefined> {
  const form = await textSent(call, defects);
  return form === undefined ? undefined : Buffer.from(decodeForm(form)[0]![1], 'base64').toString('utf8');
}

function batch(rows: RecurringInput['rows']): Call {
  return { operation: 'process-recurring-payments', input: { columns, rows } };
}

function idOf(text: string): CloseDayInput {
  return { day_close_request_id: text };
}

function idBody(text: string): string {
  return `day_close_request_id=${text}`;
}

function count(text: string): string {
  return `${bodyOf(id)}&sale_approved_count=${text}`;
}

function bodyOf(input: CloseDayInput): string {
  return Object.entries(input)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
