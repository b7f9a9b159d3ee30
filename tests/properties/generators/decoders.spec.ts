/** What the generators print, the protocol layer reads back as what was meant. */
import * as fc from 'fast-check';
import * as generators from '../../../generators/index.ts';
import { validate } from '../../../schemas/index.ts';
import { decodeBase64 } from '../../../src/protocol/base64.ts';
import { buildCloseDay } from '../../../src/protocol/close-day.ts';
import { decodeCsv } from '../../../src/protocol/csv.ts';
import { decodeForm, encodeForm } from '../../../src/protocol/form.ts';
import { JsonNumber, readJson } from '../../../src/protocol/json.ts';
import { expect, test } from '../../engine.ts';

const runs = { seed: 20_260_131, numRuns: 300 };

test('the fields of a close-day request survive form encoding, edges included', () => {
  const requests = [...fc.sample(generators.validCloseDayRequest, runs), ...generators.closeDayRequestEdges];
  const changed = requests.filter(({ value }) => {
    const pairs = decodeForm(encodeForm(buildCloseDay(value)));
    return JSON.stringify(sorted(pairs)) !== JSON.stringify(sorted(Object.entries(value)));
  });
  expect(changed).toEqual([]);
});

test('a right CSV, an edge of a row and an open line end read as the cells that were meant', () => {
  const texts = fc.sample(generators.validCsvText, runs).map(({ value }) => value);
  const edges = generators.csvTextEdges.filter(({ edge }) => /^row:|^crlf$|^no-final-line-end$/.test(edge!));
  expect(edges.length).toBeGreaterThan(60);
  expect([...texts, ...edges.map(({ value }) => value)].filter((csv) => !readsAsMeant(csv))).toEqual([]);
});

test('a right payload is the base64 of its CSV, after form encoding too', () => {
  const bodies = fc.sample(generators.validPayload, runs).map(({ value }) => value);
  const changed = bodies.filter(({ form, csv }) => {
    const [pair, ...more] = decodeForm(encodeForm(form));
    return more.length > 0 || Buffer.compare(decodeBase64(pair![1]), csv.bytes) !== 0;
  });
  expect(changed).toEqual([]);
});

test('gate results read without loss and fit the schema, edges included', () => {
  const results = [...fc.sample(generators.validGateResult, runs), ...generators.gateResultEdges].map(
    ({ value }) => value,
  );
  const changed = results.filter(({ text, decoded }) => {
    const gate = readJson(text) as Record<string, unknown>;
    const same = Object.entries(decoded!).every(([name, meant]) => {
      const found = gate[name];
      return (found instanceof JsonNumber ? found.text : found) === meant;
    });
    return !same || validate('gate-result', gate).length > 0;
  });
  expect(changed).toEqual([]);
});

function readsAsMeant({ text, columns, rows }: generators.CsvText): boolean {
  const read = decodeCsv(text);
  return JSON.stringify([read.columns, read.rows]) === JSON.stringify([columns, rows]);
}

function sorted(pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
}
