/** "Did you mean" is said where the guess is near, and not where it would be a guess only. */

import { nearest } from '../../../schemas/nearest.ts';
import { expect, test } from '../../engine.ts';

const keys = ['environment', 'target', 'endpointId', 'allow', 'profile'];

const near: [word: string, expected: string][] = [
  ['enviroment', 'environment'],
  ['taget', 'target'],
  ['endpointid', 'endpointId'],
  ['endpoint', 'endpointId'],
  ['alow', 'allow'],
  ['Profiles', 'profile'],
];
for (const [word, expected] of near) {
  test(`${word} is taken for ${expected}`, () => {
    expect(nearest(word, keys)).toBe(expected);
  });
}

test('a word that is like none of them is taken for none', () => {
  expect(nearest('colour', keys)).toBeUndefined();
  expect(nearest('x', [])).toBeUndefined();
});

test('of two candidates the nearer one is taken', () => {
  expect(nearest('amount-form', ['amount-to', 'amount-from'])).toBe('amount-from');
});
