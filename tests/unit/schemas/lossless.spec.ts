/** Number tokens of a lossless JSON reader are validated by their type. */

import { plainJson, validate } from '../../../schemas/index.ts';
import { readJson } from '../../../src/protocol/json.ts';
import { expect, test } from '../../engine.ts';

class NumberToken {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

test('a whole number stays one and a fraction one, and what is too large for JavaScript stays a number', () => {
  const isWhole = (text: string) => Number.isInteger(plainJson(new NumberToken(text)));
  const wholes = ['0', '-7', '9007199254740993', '9223372036854775807', '9'.repeat(400)];
  expect(wholes.filter((text) => !isWhole(text))).toEqual([]);
  expect(['1.5', '9007199254740992.5', '0.10', '1e-3'].filter(isWhole)).toEqual([]);
  expect(plainJson(new NumberToken('1e400'))).toBe(Number.MAX_VALUE);
  expect(plainJson(new NumberToken('-1e400'))).toBe(-Number.MAX_VALUE);
});

test('a gate id beyond 2^53 fits; one in quotes, with a point or with an exponent does not', () => {
  const rules = (gateId: unknown) =>
    validate('gate-result', { gateId }).flatMap(({ path, rule }) => (path === 'gateId' ? [rule] : []));
  expect(rules(new NumberToken('9007199254740993'))).toEqual([]);
  expect(rules('9007199254740993')).toEqual(['type']);
  for (const text of ['1.0', '1e3', '-1.0', '1e400', '9007199254740993.0']) {
    expect(rules(new NumberToken(text)), text).toEqual(['type']);
  }
});

test('an object that has a member text stays an object', () => {
  expect(plainJson({ text: '12' })).toEqual({ text: '12' });
  expect(plainJson(Object.assign(Object.create(null), { text: '12' }))).toEqual({ text: '12' });
  expect(plainJson(readJson('[{"text":"12"},3]'))).toEqual([{ text: '12' }, 3]);
});

test('tokens are found at any depth, and a member named __proto__ stays one', () => {
  const value = JSON.parse('{"list":[{"__proto__":{"a":1}}]}');
  value.list.push(new NumberToken('3'));
  const plain = plainJson(value) as { list: [object, number] };
  expect(plain.list[1]).toBe(3);
  expect(JSON.stringify(plain.list[0])).toBe('{"__proto__":{"a":1}}');
});
