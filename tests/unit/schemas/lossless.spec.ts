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

const wholes = ['0', '-7', '9007199254740993', '9223372036854775807', '9'.repeat(400)];
const fractions = ['1.5', '9007199254740992.5', '0.10', '1e-3', '1e400'];

for (const text of wholes) {
  test(`${text.slice(0, 20)} is a whole number`, () => {
    expect(Number.isInteger(plainJson(new NumberToken(text)))).toBe(true);
  });
}

for (const text of fractions.slice(0, 4)) {
  test(`${text} does not become whole`, () => {
    expect(Number.isInteger(plainJson(new NumberToken(text)))).toBe(false);
  });
}

test('a number too large for JavaScript stays a number', () => {
  expect(plainJson(new NumberToken('1e400'))).toBe(Number.MAX_VALUE);
  expect(plainJson(new NumberToken('-1e400'))).toBe(-Number.MAX_VALUE);
});

for (const text of ['1.0', '1e3', '-1.0', '1e400', '9007199254740993.0']) {
  test(`a gate id is not written ${text}`, () => {
    const faults = validate('gate-result', { gateId: new NumberToken(text) });
    expect(faults.filter(({ path }) => path === 'gateId').map(({ rule }) => rule)).toEqual(['type']);
  });
}

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

test('a gate id beyond 2^53 fits and one in quotes does not', () => {
  const faults = (gateId: unknown) => validate('gate-result', { gateId }).filter(({ path }) => path === 'gateId');
  expect(faults(new NumberToken('9007199254740993'))).toEqual([]);
  expect(faults('9007199254740993')).toHaveLength(1);
});
