/** JSON without loss (RFC 8259): numbers keep their text, duplicates and anything malformed are refused. */
import fc from 'fast-check';
import { isJsonObject, JsonNumber, type JsonValue, readJson } from '../../../src/protocol/json.ts';
import { expect, test } from '../../engine.ts';
import { errorCode } from './vectors.ts';

// The same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

test('a number keeps its text', () => {
  for (const text of ['9007199254740993', '-0', '100.10', '1e400', '1E+2', '0.0']) {
    expect(readJson(text)).toEqual(new JsonNumber(text));
  }
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
  for (const text of listed.split('¦'))
    expect(
      errorCode(() => readJson(text)),
      text,
    ).toBe('malformed-json');
});

test('a name that occurs twice is refused, spelled with an escape too', () => {
  expect(errorCode(() => readJson('{"a":1,"\\u0061":2}'))).toBe('duplicate-key');
  expect(errorCode(() => readJson('{"a":{"b":1},"c":{"b":1}}'))).toBe('none');
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

test('one hundred arrays in one another are read, one more is refused', () => {
  expect(errorCode(() => readJson('['.repeat(100) + ']'.repeat(100)))).toBe('none');
  expect(errorCode(() => readJson('['.repeat(101) + ']'.repeat(101)))).toBe('too-deep');
  expect(errorCode(() => readJson('[{"a":'.repeat(100_000)))).toBe('too-deep');
});

for (const megabytes of [2, 20]) {
  const tag = megabytes === 2 ? [] : ['@all'];
  test(`a string of ${megabytes} MB is read, plain and escaped, and refused where it does not end`, { tag }, () => {
    const plain = 'x'.repeat(megabytes * 1_000_000);
    expect(readJson(`"${plain}"`) === plain).toBe(true);
    const escaped = '\\"'.repeat(megabytes * 500_000);
    expect(readJson(`"${escaped}"`) === escaped.replaceAll('\\', '')).toBe(true);
    for (const open of [plain, escaped]) expect(errorCode(() => readJson(`"${open}`))).toBe('malformed-json');
  });
}

test('an escaped quote or backslash does not end a string, an even number of backslashes does', () => {
  expect(readJson('["a\\"b","c\\\\"]')).toEqual(['a"b', 'c\\']);
  expect(errorCode(() => readJson('["a\\\\"b"]'))).toBe('malformed-json');
});

test('bytes that are not UTF-8 are refused', () => {
  expect(errorCode(() => readJson(Uint8Array.of(0x22, 0xff, 0x22)))).toBe('invalid-utf8');
});

test('the position of the fault is named', () => {
  expect(() => readJson('{"a":1 "b":2}')).toThrow(/position 7/);
  expect(() => readJson('["a","bc')).toThrow(/does not end at position 8/);
  expect(() => readJson('["a","b\\xc"]')).toThrow(/the string holds a malformed escape at position 5/);
  expect(() => readJson('["a","b\\"\nc"]')).toThrow(/a string holds a control character at position 9 \(U\+000A\)/);
  expect(() => readJson('\ufeff{}')).toThrow('a byte-order mark precedes the value');
});

test('every control character is refused in a string, the space and DEL are not', () => {
  for (let code = 0; code < 0x20; code++) {
    const character = String.fromCharCode(code);
    expect(errorCode(() => readJson(`"a${character}"`))).toBe('malformed-json');
    expect(errorCode(() => readJson(`"\\n${character}"`))).toBe('malformed-json');
  }
  expect(readJson('" \u007f\u0080\u2028"')).toBe(' \u007f\u0080\u2028');
});

test('arrays, numbers, null and text are not objects', () => {
  const values: (JsonValue | undefined)[] = [[], new JsonNumber('1'), null, 'a', true, undefined];
  expect(values.filter((value) => isJsonObject(value))).toEqual([]);
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
