/** Compares the mock's reader of batches with csv-parse, and with the rules of 2.3 written a second time. */
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readBatch, roundAmount } from '../../../src/mock/batch.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';

const draws = process.env.MUTATIONS === undefined ? 3_000 : 20_000;
const shape = { delimiter: ';', record_delimiter: ['\r\n', '\n'], relax_column_count: true };
const names = ['client-orderid', 'recurring-payment-id', 'amount', 'amount-from', 'amount-to', 'amount-sequence', 'x'];

/** What csv-parse reads; undefined if it refuses the text. */
function libraryReads(text: string): { columns: string[]; rows: string[][] } | undefined {
  try {
    const [columns = [], ...rows] = parse(text, shape);
    return { columns, rows };
  } catch {
    return undefined;
  }
}

function read(text: string, delimiters?: readonly string[]) {
  return readBatch(Buffer.from(text).toString('base64'), delimiters);
}

test('any text of cells, quotes and line ends is read as csv-parse reads it', () => {
  const pieces = fc.constantFrom('a', 'é', ';', '"', '""', '\n', '\r\n', '\r', ',', ' ', '"b"', '"c;d"');
  const isSame = (text: string): boolean => {
    const [batch, table] = [read(text), libraryReads(text)];
    if (table === undefined || batch.header === undefined) return table === undefined && batch.header === undefined;
    const { columns } = batch.header;
    const cells = columns.map((name) => [batch.payments.count, batch.column(name)]);
    const expected = table.columns.map((name) => [
      table.rows.length,
      table.rows.map((row) => row[table.columns.indexOf(name)]),
    ]);
    return isDeepStrictEqual([columns, cells], [table.columns, expected]);
  };
  // Twenty thousand calls of expect would take minutes.
  const property = fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => isSame(parts.join('')));
  fc.assert(property, { numRuns: draws, seed: 1 });
});

test('rows break the rules that their table breaks, and their amounts have the same sum', () => {
  const { below, of } = diceFrom(12);
  const usual = ['a', '5', '10.42', '', '', '2'];
  const odd = [
    ...['', '1.', '.5', '1.2.3', 'x', '-1', '٣', '12345678901', '1234567.90', '12345678901234567.25', '"1"', '"1.5"'],
    ...['é'.repeat(10), 'é'.repeat(11), '😀'.repeat(128), 'é'.repeat(129), 'x'.repeat(129), `"${'""'.repeat(10)}"`],
    ...['1\r', '\r', '\n', ';', '1"', '"', '""', '"a;\n""b"'],
  ];
  const broken = new Set<string>();
  const differing: string[] = [];
  for (let at = 0; at < draws; at++) {
    const columns = below(8) === 0 ? [of(names), of(names), of(names)] : names.filter(() => below(7) > 0);
    const rows = Array.from({ length: below(4) }, () => columns.map((name) => usual[names.indexOf(name)] ?? 'y'));
    const row = rows.length > 0 ? of(rows) : [];
    if (row.length > 0) row[below(row.length)] = of(odd);
    const lines = [columns.map((name) => `"${name}"`), ...rows].map((cells) => cells.join(';'));
    const text = lines.join(of(['\n', '\n', '\r\n'])) + of(['\n', '']);
    const batch = read(text);
    const table = libraryReads(text);
    const expected = table ? rulesOf(table.columns, table.rows) : { broken: [], hundredths: 0n };
    const actual = { broken: [...batch.broken].sort(), hundredths: hundredths(batch.payments.total) };
    if (!isDeepStrictEqual(actual, expected)) differing.push(text);
    for (const rule of batch.broken) broken.add(rule);
  }
  expect(differing.slice(0, 3)).toEqual([]);
  expect([...broken].sort()).toEqual([
    ...['amount', 'amount-length', 'amount-numeric', 'client-orderid', 'client-orderid-length'],
    ...['csv-cells', 'recurring-payment-id', 'recurring-payment-id-length'],
  ]);
});

/** The broken rules, and the sum of amounts. Amounts here have at most two fractional digits. */
function rulesOf(columns: readonly string[], rows: readonly (readonly string[])[]) {
  const cells = (name: string) => rows.map((row) => row[columns.indexOf(name)]).filter((cell) => cell !== undefined);
  const lengths = (name: string) => cells(name).map((cell) => [...cell].length);
  const amounts = cells('amount').filter((cell) => cell !== '');
  const isDecimal = (text: string) => /^[0-9]+([.][0-9]+)?$/.test(text);
  const hasAmount = (row: readonly string[]) => {
    const [amount, from, to, sequence] = names.slice(2).map((name) => Boolean(row[columns.indexOf(name)]));
    return amount || sequence || (from && to);
  };
  const breaches = {
    amount: !rows.every(hasAmount),
    'amount-length': lengths('amount').some((length) => length > 10),
    'amount-numeric': !amounts.every(isDecimal),
    'client-orderid': cells('client-orderid').includes(''),
    'client-orderid-length': lengths('client-orderid').some((length) => length > 128),
    'csv-cells': rows.some((row) => row.length !== columns.length),
    'recurring-payment-id': cells('recurring-payment-id').includes(''),
    'recurring-payment-id-length': lengths('recurring-payment-id').some((length) => length > 10),
  };
  return {
    broken: Object.entries(breaches).flatMap(([rule, isBroken]) => (isBroken ? [rule] : [])),
    hundredths: amounts.filter(isDecimal).reduce((sum, cell) => sum + hundredths(cell), 0n),
  };
}

function hundredths(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

test('of several delimiters that of the header counts, and leaves the others to the cells', () => {
  const batch = read('"a","b"\n1;1,2\n', [';', ',']);
  expect([batch.header?.columns, batch.column('a'), batch.column('b')]).toEqual([['a', 'b'], ['1;1'], ['2']]);
});

test('a byte order mark is no part of the first column name, bytes that are not UTF-8 are noted', () => {
  expect(read('\uFEFF"a"\n1\n')).toMatchObject({ hasByteOrderMark: true, isUtf8: true, header: { columns: ['a'] } });
  expect(readBatch(Buffer.from('"a"\n\xff\n', 'latin1').toString('base64')).isUtf8).toBe(false);
});

test('a sum has the longest fraction of all, and of nothing is 0', () => {
  const amounts = ['1', '0.1', '0.01', '10.9', '99999999999999999999', '999999999999999'];
  const totalOf = (rows: readonly string[]) => read(['"amount"', ...rows].join('\n')).payments.total;
  // A double cannot hold the sum of these eleven amounts.
  const many = Array<string>(11).fill('999999999999999');
  const totals = ['100001000000000000010.01', '10999999999999989', '0'];
  expect([amounts, many, []].map(totalOf)).toEqual(totals);
});

test('a decimal is printed with two fractional digits', () => {
  const printed = ['7', '7.1', '0.005', '0.0049', '99.999'].map(roundAmount);
  expect(printed).toEqual(['7.00', '7.10', '0.01', '0.00', '100.00']);
});
