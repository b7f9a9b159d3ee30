/** The mock's CSV reader against a library: whatever the text, both read the same or both refuse. */
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readTable } from '../../../src/mock/csv.ts';
import { expect, test } from '../../engine.ts';

const shape = { delimiter: ';', record_delimiter: ['\r\n', '\n'], relax_column_count: true };

/** What csv-parse makes of a text; undefined where it refuses it. */
function libraryReads(text: string): { columns: string[]; rows: string[][] } | undefined {
  try {
    const [columns = [], ...rows] = parse(text, shape);
    return { columns, rows };
  } catch {
    return undefined;
  }
}

function reads(text: string) {
  const table = readTable(text);
  return table && { columns: table.columns, rows: table.rows };
}

test('any text of cells, quotes and line ends is read as csv-parse reads it', () => {
  const pieces = fc.constantFrom('a', 'é', ';', '"', '""', '\n', '\r\n', '\r', ',', ' ', '"b"', '"c;d"');
  fc.assert(
    // A comparison of its own: twenty thousand calls of expect take minutes.
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) =>
      isDeepStrictEqual(reads(parts.join('')), libraryReads(parts.join(''))),
    ),
    { numRuns: process.env.MUTATIONS === undefined ? 3_000 : 20_000, seed: 1 },
  );
});

test('each column name says whether it was in quotes', () => {
  expect(readTable('"a";b;"";"c""d"\n1;2;3;4\n')).toEqual({
    columns: ['a', 'b', '', 'c"d'],
    quoted: [true, false, true, true],
    rows: [['1', '2', '3', '4']],
  });
});

test('another delimiter leaves the semicolon to the cells', () => {
  expect(readTable('"a","b"\n1;1,2\n', ',')).toMatchObject({ columns: ['a', 'b'], rows: [['1;1', '2']] });
});

test('an empty text has no columns and no rows', () => {
  expect(readTable('')).toEqual({ columns: [], quoted: [], rows: [] });
});
