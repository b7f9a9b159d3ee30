/** The Authorization header (RFC 5849 section 3.5.1): which spellings are read, and which are malformed. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAuthorization, printAuthorization } from '../../../src/protocol/oauth/header.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { errorCode } from './vectors.ts';

// The same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

test('names and values are decoded, and kept as they were', () => {
  const header = parseAuthorization('oauth realm="a \\"b\\"", oauth%5Fnonce="a%20b" ,\toauth_signature="x+/=%3D"');
  expect(header.realm).toBe('a "b"');
  expect(header.parameters).toEqual([
    ['oauth_nonce', 'a b'],
    ['oauth_signature', 'x+/=='],
  ]);
  expect(header.raw).toEqual([
    ['realm', 'a \\"b\\"'],
    ['oauth%5Fnonce', 'a%20b'],
    ['oauth_signature', 'x+/=%3D'],
  ]);
});

test('the scheme alone has no parameters', () => {
  expect(parseAuthorization('OAuth').parameters).toEqual([]);
  expect(parseAuthorization('OAuth  ').parameters).toEqual([]);
});

test('a comma, an equals sign or a bracket inside quotes belongs to the value', () => {
  expect(parseAuthorization('OAuth a="b,c=d [e]"').parameters).toEqual([['a', 'b,c=d [e]']]);
});

const malformed: [what: string, value: string][] = [
  ['a header without quotes', 'OAuth a=b, c=d'],
  ['a value without quotes among quoted ones', 'OAuth a="b", c=d'],
  ['single quotes', "OAuth a='b'"],
  ['a missing comma', 'OAuth a="b" c="d"'],
  ['no room between two parameters', 'OAuth a="b"c="d"'],
  ['a trailing comma', 'OAuth a="b",'],
  ['a leading comma', 'OAuth ,a="b"'],
  ['two commas', 'OAuth a="b",, c="d"'],
  ['a semicolon between parameters', 'OAuth a="b"; c="d"'],
  ['white space before the equals sign', 'OAuth a ="b"'],
  ['white space after the equals sign', 'OAuth a= "b"'],
  ['a name without a value', 'OAuth a'],
  ['a value without a name', 'OAuth ="b"'],
  ['an open quote', 'OAuth a="b'],
  ['a broken escape', 'OAuth a="%2"'],
  ['an escape that is not UTF-8', 'OAuth a="%FF"'],
  ['a backslash outside the realm', 'OAuth a="b\\"c"'],
];
test('a header in any other form is refused', () => {
  for (const [what, value] of malformed) {
    expect(
      errorCode(() => parseAuthorization(value)),
      what,
    ).toBe('malformed-header');
  }
});

test('a name that occurs twice is refused, an escaped spelling and the realm included', () => {
  for (const value of ['OAuth a="1", a="1"', 'OAuth a="1", %61="2"', 'OAuth realm="x", Realm="y"']) {
    expect(errorCode(() => parseAuthorization(value))).toBe('repeated-parameter');
  }
});

test('another scheme, or none, is told apart from a malformed header', () => {
  for (const value of ['Basic YTpi', 'OAuth2 a="b"', '', 'a="b"', 'OAuth,a="b"']) {
    expect(errorCode(() => parseAuthorization(value))).toBe('other-scheme');
  }
});

test('any list of distinct names survives printing and reading', () => {
  const text = fc.string({ unit: anyCharacter });
  const pairs = fc.uniqueArray(fc.tuple(fc.string({ unit: anyCharacter, minLength: 1 }), text), {
    selector: ([name]) => name,
  });
  const realm = fc.option(fc.string({ unit: 'grapheme-ascii' }), { nil: undefined });
  fc.assert(
    fc.property(pairs, realm, (written, name) => {
      fc.pre(written.every(([found]) => found.toLowerCase() !== 'realm'));
      const read = parseAuthorization(printAuthorization(written, { realm: name }));
      assert.deepEqual(read.parameters, written);
      assert.equal(read.realm, name);
    }),
  );
});
