import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { type CsvOptions, decodeCsv, encodeCsv } from '../../../src/protocol/csv.ts';
import { errorCode } from './error-code.ts';
import { disagreements, readVectors, type Vector } from './vectors.ts';

interface CsvVector extends Vector {
  readonly operation: 'encode' | 'decode';
  readonly csv: string;
  readonly columns?: string[];
  readonly rows?: string[][];
  readonly quotedNames?: boolean[];
  readonly options?: CsvOptions;
}

const vectors = readVectors<CsvVector>('csv.json');
const decoding = vectors.filter((vector) => vector.operation === 'decode');

test('every readable table of the vectors is read as they say', () => {
  const ok = decoding.filter((vector) => vector['subject-fault'] === 'ok');
  const wanted = ({ columns, rows, quotedNames }: CsvVector) => ({ columns, rows, header: { quoted: quotedNames } });
  expect(disagreements(ok, wanted, (vector) => decodeCsv(vector.csv))).toEqual([]);
});

test('every malformed table of the vectors is refused', () => {
  const malformed = decoding.filter((vector) => vector['subject-fault'] === 'malformed');
  const code = (vector: CsvVector) => errorCode(() => decodeCsv(vector.csv));
  const wanted = (vector: CsvVector) => (vector.csv.startsWith('\ufeff') ? 'byte-order-mark' : 'malformed-csv');
  expect(disagreements(malformed, wanted, code)).toEqual([]);
});

test('every table of the vectors is written as they say', () => {
  const encoding = vectors.filter((vector) => vector.operation === 'encode');
  const written = ({ columns, rows, options }: CsvVector) => encodeCsv({ columns: columns!, rows: rows! }, options);
  expect(disagreements(encoding, (vector) => vector.csv, written)).toEqual([]);
});

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ';', '"', '""', '\n', '\r', '\r\n', ' a ', ',', '\ufeff', "'", '=1'),
);
const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record(
    {
      columns: fc.array(cell, { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
    },
    { noNullPrototype: true },
  ),
);
const options = fc.record(
  {
    quoteRows: fc.boolean(),
    lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
    finalNewline: fc.boolean(),
  },
  { noNullPrototype: true },
);

test('any table survives writing and reading, in every way of writing it', () => {
  fc.assert(
    fc.property(table, options, (written, how) => {
      const read = decodeCsv(encodeCsv(written, how));
      const same = JSON.stringify([read.columns, read.rows]) === JSON.stringify([written.columns, written.rows]);
      return same && read.header.quoted.every((quoted) => quoted);
    }),
    { numRuns: 500 },
  );
});
