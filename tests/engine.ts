/**
 * Playwright's `test` without the browser fixtures, and a faster `expect`. The browser fixtures set about twenty
 * options for each test, which would take a quarter of the time of all tests. Tests that need a browser start one.
 *
 * Playwright makes each expectation a step with a stack, which takes up to two milliseconds. So `expect` first compares
 * without Playwright, and calls Playwright only if the values differ.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect as engineExpect } from '@playwright/test';

export { _baseTest as test } from '@playwright/test';

type Comparison = (actual: unknown, expected: never) => boolean;

/** Fast matchers. A matcher may return true only if Playwright's matcher of the same name passes. */
const fastMatchers: Readonly<Record<string, Comparison>> = {
  toBe: Object.is,
  toEqual: isDeepStrictEqual,
  toContain: (actual, expected) =>
    (Array.isArray(actual) || (typeof actual === 'string' && typeof expected === 'string')) &&
    actual.includes(expected),
  toMatch: (actual, expected: unknown) =>
    typeof actual === 'string' &&
    expected instanceof RegExp &&
    expected.flags.search(/[gy]/) === -1 &&
    expected.test(actual),
  toMatchObject: (actual, expected) => isPart(expected, actual),
  toHaveLength: (actual, expected) => Array.isArray(actual) && actual.length === expected,
  toBeGreaterThan: (actual, expected) => typeof actual === 'number' && actual > expected,
  toBeGreaterThanOrEqual: (actual, expected) => typeof actual === 'number' && actual >= expected,
  toBeLessThan: (actual, expected) => typeof actual === 'number' && actual < expected,
  toBeLessThanOrEqual: (actual, expected) => typeof actual === 'number' && actual <= expected,
  toBeDefined: (actual) => actual !== undefined,
  toBeUndefined: (actual) => actual === undefined,
};

function isPart(part: unknown, whole: unknown): boolean {
  if (isDeepStrictEqual(part, whole)) return true;
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.length === whole.length && part.every((one, at) => isPart(one, whole[at]));
  }
  if (!isPlain(part) || !isPlain(whole)) return false;
  return Object.entries(part).every(([name, one]) => Object.hasOwn(whole, name) && isPart(one, whole[name]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

type Matcher = (...args: readonly unknown[]) => unknown;

export const expect = new Proxy(engineExpect, {
  apply(_, __, [actual, message]: Parameters<typeof engineExpect>) {
    const original = (name: string) => (engineExpect(actual, message) as unknown as Record<string, Matcher>)[name]!;
    const matcherOf = (name: string): Matcher => {
      const matches = fastMatchers[name];
      return matches === undefined
        ? original(name)
        : (...args) => (matches(actual, args[0] as never) ? undefined : trimStack(() => original(name)(...args)));
    };
    return new Proxy({}, { get: (_, name: string) => matcherOf(name) });
  },
});

/** Removes this file from the stack of a failure, because Playwright shows the first line of the stack. */
function trimStack(expectation: () => unknown): unknown {
  try {
    return expectation();
  } catch (error) {
    if (error instanceof Error) {
      const lines = error.stack?.split('\n').filter((line) => !line.includes(import.meta.filename));
      error.stack = lines?.join('\n');
    }
    throw error;
  }
}
