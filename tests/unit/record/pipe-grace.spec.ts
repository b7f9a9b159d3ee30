/** What a process that has ended left in its pipes is read, whatever this program does meanwhile. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { withinGrace } from '../../../src/record/disk/processes.ts';
import { expect, test } from '../../engine.ts';

test('what was written is read, though this program stands still for longer than the grace', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [writer] = (await accepted) as [Socket];
  try {
    const words = withinGrace(once(reader, 'data'), 20);
    writer.write('last words');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    expect(String(await words)).toBe('last words');
  } finally {
    reader.destroy();
    server.close();
  }
});

test('what never comes is waited for no longer than the grace', async () => {
  expect(await withinGrace(new Promise(() => {}), 20)).toBe(undefined);
});
