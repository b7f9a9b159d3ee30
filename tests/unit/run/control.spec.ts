/** A control interface may be any program: what it says is taken for counters only if it is. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlOf } from '../../../src/run/target/control.ts';
import { expect, test } from '../../engine.ts';

test('counters that are none are a sentence, and those of a mock are read', async () => {
  const right = { closedDays: 1, startedPayments: 0, totalAmount: '0.00' };
  const answers: unknown[] = [right, null, {}, 'x', { ...right, closedDays: -1 }, { ...right, totalAmount: 10.42 }];
  const said: unknown[] = [...answers];
  const server = createServer((_, response) => response.end(JSON.stringify(said.shift())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read: unknown[] = [];
  for (const _ of answers) {
    read.push(
      await controlOf(base)
        .counters()
        .catch((cause: Error) => cause.message),
    );
  }
  server.closeAllConnections();
  server.close();
  const none = `the control interface ${base} gives no counters of days, payments and their sum`;
  expect(read).toEqual([right, none, none, none, none, none]);
});
