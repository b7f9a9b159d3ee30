/** CSV, lossless JSON, and the bodies of both operations: vectors and further cases. */
import fc from 'fast-check';
import { buildCloseDay, decodeCloseDayResponse } from '../../../src/protocol/close-day.ts';
import { type CsvOptions, decodeCsv, encodeCsv } from '../../../src/protocol/csv.ts';
import { decodeForm, encodeForm } from '../../../src/protocol/form.ts';
import { isJsonObject, JsonNumber, type JsonValue, readJson } from '../../../src/protocol/json.ts';
import { buildRecurring, decodeRecurringResponse } from '../../../src/protocol/recurring.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { bytesOf, disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

fc.configureGlobal({ seed: 20_260_131 });

interface CsvVector extends Vector {
  readonly operation: 'encode' | 'decode';
  readonly csv: string;
  readonly columns?: string[];
  readonly rows?: string[][];
  readonly quotedNames?: boolean[];
  readonly options?: CsvOptions;
}

const csvVectors = readVectors<CsvVector>('csv.json');
const decoding = csvVectors.filter((vector) => vector.operation === 'decode');

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
  const encoding = csvVectors.filter((vector) => vector.operation === 'encode');
  const written = ({ columns, rows, options }: CsvVector) => encodeCsv({ columns: columns!, rows: rows! }, options);
  expect(disagreements(encoding, (vector) => vector.csv, written)).toEqual([]);
});

test('a byte-order mark is refused before quoted and before bare names, and kept anywhere else', () => {
  expect(errorCode(() => decodeCsv('\ufeff"a";"b"\n1;2\n'))).toBe('byte-order-mark');
  expect(errorCode(() => decodeCsv('\ufeffa;b\n1;2\n'))).toBe('byte-order-mark');
  expect(decodeCsv('"\ufeffa";b\n\ufeff1;2\n')).toMatchObject({ columns: ['\ufeffa', 'b'], rows: [['\ufeff1', '2']] });
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
const lineEnd = fc.constantFrom('\n' as const, '\r\n' as const);
const ways = { quoteRows: fc.boolean(), lineEnd, finalNewline: fc.boolean() };
const options = fc.record(ways, { noNullPrototype: true });

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

test('a number keeps its text', () => {
  for (const text of ['9007199254740993', '-0', '100.10', '1e400', '1E+2', '0.0'])
    expect(readJson(text)).toEqual(new JsonNumber(text));
});

test('any value is read as the engine reads it, numbers aside', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t', '\r\n'), (value, indent) => {
      const text = JSON.stringify(value, null, indent as number).replaceAll('\n', '\r\n');
      return JSON.stringify(withNumbers(readJson(text))) === JSON.stringify(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('any bytes that are refused are refused by the engine too, except duplicates and depth', () => {
  const piece = fc.constantFrom(...'{}[]:,"\\0.-+eE1 \n\tatrufalsn/'.split(''), '"a"', 'true', 'null', '\\u00e9');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      const code = errorCode(() => readJson(text));
      return (code === 'none' || code === 'duplicate-key') === engineReads(text);
    }),
    { numRuns: 3000 },
  );
});

test('what is not quite JSON is refused', () => {
  const listed =
    '¦ ¦{¦}¦[¦[1¦[1,]¦[,1]¦{"a"}¦{"a":}¦{"a":1,}¦{a:1}¦{\'a\':1}¦{"a":1 "b":2}¦01¦+1¦.5¦1.¦1e¦0x10¦NaN¦Infinity¦True¦nul¦' +
    'undefined¦"¦"a¦"\n"¦"\t"¦"\\x"¦"\\u12"¦"\\¦1 2¦[] x¦// a\n1¦\ufeff1¦\u00a01¦-¦--1¦1_000';
  const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
  const inText = controls.flatMap((control) => [`"a${control}"`, `"\\n${control}"`]);
  const codes = [...listed.split('¦'), ...inText].map((text) => [text, errorCode(() => readJson(text))]);
  expect(codes.filter(([, code]) => code !== 'malformed-json')).toEqual([]);
  expect(readJson('" \u007f\u0080\u2028"')).toBe(' \u007f\u0080\u2028');
});

test('duplicate names, deep nesting and bytes that are not UTF-8 are refused', () => {
  const codes: readonly (readonly [json: string | Uint8Array, code: string])[] = [
    ['{"a":1,"\\u0061":2}', 'duplicate-key'],
    ['{"a":{"b":1},"c":{"b":1}}', 'none'],
    ['['.repeat(100) + ']'.repeat(100), 'none'],
    ['['.repeat(101) + ']'.repeat(101), 'too-deep'],
    ['[{"a":'.repeat(100_000), 'too-deep'],
    [Uint8Array.of(0x22, 0xff, 0x22), 'invalid-utf8'],
  ];
  for (const [json, code] of codes) expect(errorCode(() => readJson(json))).toBe(code);
});

test('names that JavaScript treats specially are names like any other', () => {
  const value = readJson('{"__proto__":"a","constructor":"b","toString":"c"}');
  expect(isJsonObject(value) && Object.entries(value)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['toString', 'c'],
  ]);
  const nothing = readJson('{}');
  expect(['__proto__', 'constructor', 'toString'].filter((name) => name in (nothing as object))).toEqual([]);
});

test('a string of 2 MB is read, plain and escaped, and refused where it does not end', () => {
  const plain = 'x'.repeat(2_000_000);
  expect(readJson(`"${plain}"`) === plain).toBe(true);
  const escaped = '\\"'.repeat(1_000_000);
  expect(readJson(`"${escaped}"`) === escaped.replaceAll('\\', '')).toBe(true);
  for (const open of [plain, escaped]) expect(errorCode(() => readJson(`"${open}`))).toBe('malformed-json');
});

test('the position of the fault is named', () => {
  expect(() => readJson('{"a":1 "b":2}')).toThrow(/position 7/);
  expect(() => readJson('["a","bc')).toThrow(/does not end at position 8/);
  expect(() => readJson('["a","b\\xc"]')).toThrow(/the string contains a malformed escape at position 5/);
  expect(() => readJson('["a","b\\"\nc"]')).toThrow(/a string contains a control character at position 9 \(U\+000A\)/);
  expect(() => readJson('\ufeff{}')).toThrow('a byte-order mark precedes the value');
});

function withNumbers(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}

function engineReads(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface ResponseVector extends Vector {
  readonly operation: 'close-day' | 'process-recurring-payments';
  readonly response: { status: number; headers: [string, string][]; body?: string; bodyHex?: string };
  readonly answer?: unknown;
}

const responseVectors = readVectors<ResponseVector>('response.json');

for (const operation of ['close-day', 'process-recurring-payments'] as const) {
  const own = responseVectors.filter((vector) => vector.operation === operation);

  test(`every readable ${operation} response of the vectors is read as it says`, () => {
    const ok = own.filter((vector) => vector.class === 'ok');
    const sorted = (value: unknown) => JSON.parse(JSON.stringify(value), sortMembers);
    const readSorted = (vector: ResponseVector) => sorted(read(vector));
    expect(disagreements(ok, ({ answer }) => sorted(answer), readSorted)).toEqual([]);
  });

  test(`every other ${operation} response of the vectors is refused for its reason`, () => {
    const bad = own.filter((vector) => vector.class !== 'ok');
    const reason = (vector: ResponseVector) => {
      const code = errorCode(() => read(vector));
      return code === 'none' || code === 'unexpected-status' ? code : 'malformed';
    };
    expect(disagreements(bad, (vector) => vector.class, reason)).toEqual([]);
  });
}

test('an absent field is not sent, an empty one is, and the order is that of section 2.1', () => {
  const fields = { reversal_approved_sum: '0.94', sale_approved_sum: '', day_close_request_id: '902B4FF5' };
  expect(buildCloseDay(fields)).toEqual([
    ['day_close_request_id', '902B4FF5'],
    ['sale_approved_sum', ''],
    ['reversal_approved_sum', '0.94'],
  ]);
  expect(buildCloseDay({})).toEqual([]);
});

test('a batch is its CSV in UTF-8 and base64, and its plus signs survive the form', () => {
  const table = {
    columns: ['client-orderid', 'recurring-payment-id', 'amount'],
    rows: [['Заказ>>>', '1234567890', '1.00']],
  };
  const { csv, payload, body } = buildRecurring(table);
  expect(csv).toBe('"client-orderid";"recurring-payment-id";"amount"\nЗаказ>>>;1234567890;1.00\n');
  expect(Buffer.from(payload, 'base64').toString('utf8')).toBe(csv);
  expect(decodeForm(encodeForm(body))).toEqual([['payload', payload]]);
  expect(buildRecurring(table, { lineEnd: '\r\n', quoteRows: true }).csv).toContain('\r\n"Заказ>>>";"1234567890"');
  expect(errorCode(() => buildRecurring({ columns: ['a'], rows: [['\ud83d']] }))).toBe('not-text');
});

function read(vector: ResponseVector): unknown {
  const response = { ...vector.response, body: bytesOf(vector.response) };
  return vector.operation === 'close-day' ? decodeCloseDayResponse(response) : decodeRecurringResponse(response);
}

function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
