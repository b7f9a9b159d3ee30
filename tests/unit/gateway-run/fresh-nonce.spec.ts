/** Right requests, those of doctor and of the contracts too, have nonces that no rule on their form sets apart from those of clients. */
import { freshNonce } from '../../../src/run/gateway/perform-case.ts';
import { expect, test } from '../../engine.ts';

test('a nonce has 32 letters of both cases and digits, and never comes twice', () => {
  const nonces = Array.from({ length: 200 }, freshNonce);
  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces) expect(nonce).toMatch(/^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{32}$/);
});
