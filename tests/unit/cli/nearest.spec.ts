/** Suggestions are near or absent. */

import { nearestName } from '../../../schemas/nearest.ts';
import { didYouMean } from '../../../src/app/usage-error.ts';
import { expect, test } from '../../engine.ts';

const ids = ['authentication/version', 'authentication/nonce-unique', 'close-day/path', 'A1', 'A12', 'skips-signature'];

test('a slip of a letter or two is forgiven', () => {
  expect(nearestName('authentication/versoin', ids)).toEqual(['authentication/version']);
  expect(nearestName('skip-signature', ids)).toEqual(['skips-signature']);
});

test('the part after the slash is enough, and a piece of an id too', () => {
  expect(nearestName('version', ids)).toEqual(['authentication/version']);
  expect(nearestName('nonce', ids)).toEqual(['authentication/nonce-unique']);
});

test('letter case does not count', () => {
  expect(nearestName('AUTHENTICATION/VERSION', ids)).toEqual(['authentication/version']);
});

test('the nearestName comes first and there are never more than three', () => {
  expect(nearestName('abcd', ['abxx', 'abcx', 'abce', 'abcf', 'abcg'])).toEqual(['abcx', 'abce', 'abcf']);
});

test('nothing is suggested where nothing is near', () => {
  expect(nearestName('entirely-else', ids)).toEqual([]);
  expect(didYouMean('entirely-else', ids)).toBeUndefined();
});

test('two suggestions are joined by or', () => {
  expect(didYouMean('A2', ['A1', 'A12'])).toBe('Did you mean A1 or A12?');
});

test('a word is suggested for its beginning, a whole one first, and never for a piece of its middle', () => {
  const known = ['surrogates-apart', 'close-day/finished-has-gates', 'close-day/gate-id-type', 'recurring/type-value'];
  expect(nearestName('gate', known)).toEqual(['close-day/gate-id-type', 'close-day/finished-has-gates']);
});

test('one letter is near to nothing, and a pattern near to the area that it misspells', () => {
  expect(nearestName('a', ids)).toEqual([]);
  expect(nearestName('recuring/*', ['recurring/*', 'close-day/*'])).toEqual(['recurring/*']);
});
