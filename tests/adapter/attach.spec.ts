/** An adapter that a person started and that connects by itself. */
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { openAttachSession } from '../../src/peer/adapter/attach.ts';
import { expect, test } from '../engine.ts';
import { about, aCase, quick, toldBy } from './opened.ts';

test('an adapter that connects is greeted and answers cases, without deadlines, and after it was started again', async () => {
  const sockets: Socket[] = [];
  const session = await attached((sentence, port) => {
    expect(sentence).toBe(`waiting on 127.0.0.1:${port} for an adapter to connect, 60 minutes at most.`);
    sockets.push(adapterAt(port));
  });
  expect(session.introduction.client.name).toBe('attached');
  const replies = [await session.perform(aCase({ deadlineMs: 1 })), await session.perform(aCase())];
  expect(replies.map(({ reply }) => reply?.outcome)).toEqual(['unsupported', 'unsupported']);

  sockets[0]!.destroy();
  await new Promise((resolve) => sockets[0]!.once('close', resolve));
  expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
  expect(sockets).toHaveLength(2);
  await session.close();
  const told = toldBy(session).join();
  expect(told).toContain('hung up');
  expect(told).not.toContain('--one-shot');
});

test('an attached adapter is told of an hour for a case, and of the deadline where the answer has no end', async () => {
  const told: number[] = [];
  const session = await attached((_, port) => {
    createInterface({ input: adapterAt(port) }).on('line', (line) => told.push(JSON.parse(line).deadline_ms));
  });
  await session.perform(aCase({ deadlineMs: 10_000 }));
  await session.perform(aCase({ deadlineMs: 1500, isEndless: true }));
  await session.close();
  expect(told.filter((ms) => ms !== undefined)).toEqual([3_600_000, 1500]);
});

test('what an attached adapter writes besides the protocol is told at once, since nothing has a limit', async () => {
  const told: string[] = [];
  const session = await attached((sentence, port) => {
    told.push(sentence);
    if (told.length === 1) adapterAt(port).write('{\n  "t": "ready"\n}\n');
  });
  await session.close();
  expect(told.slice(1)).toEqual(['The adapter wrote a line that is not of the protocol: «{»']);
});

test('blank lines without end are a flood too, and are said to be blank', async () => {
  const session = await attached((_, port) => {
    const socket = adapterAt(port);
    createInterface({ input: socket }).on('line', (line) => {
      if (JSON.parse(line).t === 'case') socket.write('\n \r\n'.repeat(2000));
    });
  });
  expect((await session.perform(aCase())).fault).toMatchObject({
    code: 'flooded',
    message: expect.stringMatching(/wrote 2001 lines .* without one answer .* among them, all of them blank/),
  });
  await session.close();
});

test('the wait for a connection has an end', async () => {
  const opening = openAttachSession({ ...about, port: 0, announce: () => {}, connectMs: 50 });
  await expect(opening).rejects.toMatchObject({
    code: 'no-connection',
    message: expect.stringMatching(/^No adapter connected to port \d+ within 0.05 s\.$/),
    hint: expect.stringContaining('connects to 127.0.0.1:'),
  });
});

test('a port that is taken is named', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  await expect(openAttachSession({ ...about, port, announce: () => {} })).rejects.toMatchObject({
    code: 'cannot-listen',
  });
  taken.close();
});

function attached(announce: (sentence: string, port: number) => void) {
  return openAttachSession({ ...about, limits: quick, port: 0, announce });
}

function adapterAt(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.t === 'hello') send({ t: 'ready', protocol: 1, client: { name: 'attached' } });
    if (message.t === 'case') setTimeout(() => send({ t: 'result', id: message.id, outcome: 'unsupported' }), 100);
  });
  return socket;
}
