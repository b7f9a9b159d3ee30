/** The CSV of section 2.3: what is written, what is read, and what is refused on which side of the line. */
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { type CsvOptions, decodeCsv, encodeCsv } from '../../../src/protocol/csv.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

// The same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

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
  const ok = decoding.filter((vector) => vector.class === 'ok');
  const wanted = ({ columns, rows, quotedNames }: CsvVector) => ({ columns, rows, header: { quoted: quotedNames } });
  expect(disagreements(ok, wanted, (vector) => decodeCsv(vector.csv))).toEqual([]);
});

test('every malformed table of the vectors is refused', () => {
  const malformed = decoding.filter((vector) => vector.class === 'malformed');
  const code = (vector: CsvVector) => errorCode(() => decodeCsv(vector.csv));
  const wanted = (vector: CsvVector) => (vector.csv.startsWith('\ufeff') ? 'byte-order-mark' : 'malformed-csv');
  expect(disagreements(malformed, wanted, code)).toEqual([]);
});

test('every table of the vectors is written as they say', () => {
  const encoding = vectors.filter((vector) => vector.operation === 'encode');
  const written = ({ columns, rows, options }: CsvVector) => encodeCsv({ columns: columns!, rows: rows! }, options);
  expect(disagreements(encoding, (vector) => vector.csv, written)).toEqual([]);
});

test('a byte-order mark is refused before quoted and before bare names, and kept anywhere else', () => {
  expect(errorCode(() => decodeCsv('\ufeff"a";"b"\n1;2\n'))).toBe('byte-order-mark');
  expect(errorCode(() => decodeCsv('\ufeffa;b\n1;2\n'))).toBe('byte-order-mark');
  expect(decodeCsv('"\ufeffa";b\n\ufeff1;2\n')).toMatchObject({ columns: ['\ufeffa', 'b'], rows: [['\ufeff1', '2']] });
});

test('any text of cells, quotes and line ends is read, or refused, as csv-parse does it', () => {
  const pieces = fc.constantFrom('a', 'é', ';', ';', '"', '""', '\n', '\r\n', ',', ' ', '"b"', '"c;d"', '"\n"');
  const byLibrary = (text: string) => {
    try {
      const [columns, ...rows] = parse(text, { delimiter: ';', record_delimiter: ['\r\n', '\n'] });
      return JSON.stringify([columns, rows]);
    } catch {
      return 'malformed-csv';
    }
  };
  const read = (text: string) => {
    const code = errorCode(() => decodeCsv(text));
    return code === 'none' ? JSON.stringify([decodeCsv(text).columns, decodeCsv(text).rows]) : code;
  };
  const property = fc.property(fc.array(pieces, { minLength: 1, maxLength: 9 }), (parts) => {
    assert.equal(read(parts.join('')), byLibrary(parts.join('')));
  });
  fc.assert(property, { numRuns: 3000 });
});

const cell = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
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

test('rows that need no quotes, and those among them that do, are written as csv-stringify writes them', () => {
  const { below: next, of } = diceFrom(5);
  const cells = ['', 'a', '10.42', 'оплата', ' x ', '😀', '=1', "'", '\t', 'rent for May'];
  const odd = ['a;b', '"', 'x"y', '\n', '\r', '\r\n', ';'];
  const wrong: string[] = [];
  for (let at = 0; at < 120; at++) {
    const width = next(4);
    const oneIn = [1_000_000, 3000, 4][at % 3]!;
    const row = () => Array.from({ length: width + next(2) }, () => of(next(oneIn) === 0 ? odd : cells));
    const columns = Array.from({ length: width }, (_, column) => `c${column}`);
    const table = { columns, rows: Array.from({ length: next(700) }, row) };
    const lineEnd = of(['\n', '\r\n'] as const);
    const shape = { delimiter: ';', record_delimiter: lineEnd };
    const rows = stringify(table.rows, { ...shape, quoted_match: /[\r\n]/, quoted_empty: width === 1 });
    const written = encodeCsv(table, { lineEnd });
    if (!written.endsWith(rows) || written.slice(0, -rows.length || undefined).split(lineEnd).length !== 2)
      wrong.push(rows);
  }
  expect(wrong.slice(0, 1)).toEqual([]);
});
