/** Mutations of a batch: the cells, rows and columns of its CSV, and what the payload makes of it (sections 2.3 and 4.2). */
import type { Dice } from '../../dice.ts';
import { type Operator, spoiltText } from './operator.ts';
import { base64, type MutableRequest } from './requests.ts';

const amounts = [
  ...[
    '-1e99',
    '1e3',
    '1.',
    '.5',
    '+1',
    '-1',
    '1,5',
    '1 000',
    '0',
    '0.00',
    '00001.00',
    '1.234',
    '1234567890',
    '12345678901',
  ],
  ...[
    '12345678.90',
    '123456789.01',
    '\u0661\u0660',
    '1.0.0',
    'NaN',
    '0x10',
    '1EUR',
    ' 1',
    '1 ',
    '1\t',
    "1'000",
    '\u22121',
    '""',
    '" "',
  ],
];
/** `rows` are those below the names; `column` is the place of a cell. */
function onCells(
  name: string,
  change: (rows: string[][], column: number, dice: Dice, csv: string[][]) => void,
): Operator<MutableRequest> {
  return { name, apply: ({ csv }, dice) => change(csv.slice(1), dice.below(csv[0]?.length || 1), dice, csv) };
}

export const batchOperators: readonly Operator<MutableRequest>[] = [
  ...['names of', 'more of', 'yet more of'].map((which) =>
    onCells(`${which} the CSV's amounts`, (rows, _, dice) => {
      for (const row of rows.slice(0, 1)) row[dice.of([2, 2, 3, 4, 5])] = dice.of(amounts);
    }),
  ),
  onCells('a cell emptied', (rows, at, dice) => {
    if (rows.length > 0) dice.of(rows)[at] = dice.of(['', '""']);
  }),
  onCells('a cell of a length at a bound', (rows, at, dice) => {
    const length = dice.of([1, 9, 10, 11, 127, 128, 129]);
    if (rows.length > 0) dice.of(rows)[at] = dice.of(['7', 'x', '\u00e9', '\u{1d400}']).repeat(length);
  }),
  onCells('a cell spoilt', (rows, at, dice) => {
    if (rows.length > 0) rows[0]![at] = spoiltText(rows[0]![at] ?? '', dice);
  }),
  onCells('a cell in quotes', (rows, at, dice) => {
    if (rows.length > 0) rows[0]![at] = `"${dice.of([rows[0]![at] ?? '', 'a""b', 'a;b', 'a\nb', 'a"b', '\r\n'])}"`;
  }),
  onCells('a cell removed or added', (rows, at, dice) => {
    if (rows.length > 0) dice.of(rows).splice(at, dice.of([0, 1]), ...dice.of([[], ['x']]));
  }),
  onCells('a column removed', (_, at, __, csv) => {
    for (const row of csv) row.splice(at, 1);
  }),
  onCells('a column doubled', (_, at, dice, csv) => {
    const place = dice.below((csv[0]?.length ?? 0) + 1);
    for (const row of csv) row.splice(place, 0, row[at] ?? '');
  }),
  onCells('a column renamed', (_, at, dice, csv) => {
    const name = csv[0]?.[at] ?? '';
    if (csv[0] !== undefined)
      csv[0][at] = dice.of([
        name.toUpperCase(),
        name.replaceAll('"', ''),
        name.replaceAll('-', '_'),
        spoiltText(name, dice),
        '"x"',
      ]);
  }),
  onCells('rows removed', (_, __, dice, csv) => csv.splice(dice.of([0, 1]))),
  onCells('a blank row', (_, __, dice, csv) => csv.splice(dice.below(csv.length + 1), 0, [''])),
  {
    name: 'another delimiter',
    apply: (request, dice) => {
      request.delimiter = dice.of([',', '\t', '|', ':', ';;', '; ']);
    },
  },
  {
    name: 'another line end',
    apply: (request, dice) => {
      request.lineEnd = dice.of(['\r\n', '\r', '\n\n', '\n\r', ' ']);
    },
  },
  {
    name: 'a mark before the CSV',
    apply: (request, dice) => {
      request.mark = dice.of(['\ufeff', '\n', ' ', '\0', 'sep=;\n', "'"]);
    },
  },
  {
    name: 'another encoding of the payload',
    apply: (request, dice) => {
      request.encodings = dice.of([
        [],
        [base64, base64],
        [(text) => Buffer.from(text).toString('hex')],
        [(text) => Buffer.from(text).toString('base64url')],
        [(text) => Buffer.from(text, 'utf16le').toString('base64')],
        [(text) => Buffer.from(text, 'latin1').toString('base64')],
        [base64, (text) => text.replace(/.{76}/g, '$&\r\n')],
        [base64, (text) => text.replace(/=+$/, '')],
        [base64, (text) => `${text}=`],
        [base64, (text) => `data:text/csv;base64,${text}`],
        [base64, (text) => spoiltText(text, dice, ['A', 'AA', 'AB==', 'AAAA', '=', '', '\ufeff'])],
      ]);
    },
  },
];
