/**
 * The engine's test as it is before it gets a browser. With one, each test sets up and takes down some twenty options of it, each as
 * a step with a stack: a quarter of what the tests cost, whether or not they open a page. Those that do start a browser of their own.
 */
export { _baseTest as test, expect } from '@playwright/test';
