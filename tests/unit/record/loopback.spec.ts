/** Which hosts are this machine: names that look like it are somewhere else. */
import { isLoopback } from '../../../src/record/hosts.ts';
import { expect, test } from '../../engine.ts';

test('this machine is known by each of its names, and by nothing that only looks like one', () => {
  const names = 'localhost LocalHost:8080 localhost. 127.0.0.1 127.0.0.1:443 127.255.3.4 127.1 [::1] [::1]:8443';
  const more = '[0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::FFFF:127.9.8.7]:80';
  expect(`${names} ${more}`.split(' ').filter((host) => !isLoopback(host))).toEqual([]);
  const others =
    '127.example.com localhost.example.com 127.0.0.1.nip.io 127.0.0.256 127.0.0.1.2 128.0.0.1 0.0.0.0 [::2] ::1 ' +
    '[::ffff:128.0.0.1] [::127.0.0.1] notlocalhost localhost.. :80 localhost:port gateway.example@127.0.0.1 ' +
    '127.0.0.1/x localhost#gateway.example localhost\\gateway.example ';
  expect(others.split(' ').filter(isLoopback)).toEqual([]);
});
