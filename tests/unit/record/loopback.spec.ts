/** Which hosts are this machine: names that look like it are somewhere else. */

import { isLoopback } from '../../../src/record/hosts.ts';
import { expect, test } from '../../engine.ts';

for (const host of [
  ...['localhost', 'LocalHost:8080', 'localhost.', '127.0.0.1', '127.0.0.1:443', '127.255.3.4', '127.1'],
  ...['[::1]', '[::1]:8443', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::FFFF:127.9.8.7]:80'],
]) {
  test(`${host} is this machine`, () => expect(isLoopback(host)).toBe(true));
}

for (const host of [
  ...[
    '127.example.com',
    'localhost.example.com',
    '127.0.0.1.nip.io',
    '127.0.0.256',
    '127.0.0.1.2',
    '128.0.0.1',
    '0.0.0.0',
  ],
  ...[
    '[::2]',
    '[::ffff:128.0.0.1]',
    '[::127.0.0.1]',
    '::1',
    'notlocalhost',
    'localhost..',
    '',
    ':80',
    'localhost:port',
  ],
  ...['gateway.example@127.0.0.1', '127.0.0.1/x', 'localhost#gateway.example', 'localhost\\gateway.example'],
]) {
  test(`${host || 'no host'} is not`, () => expect(isLoopback(host)).toBe(false));
}
