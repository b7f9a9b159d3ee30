/** Sessions: restarts, repeated cases, deadlines and the end. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultLimits, RetryBudget } from '../../src/peer/adapter/limits.ts';
import type { ClientSession } from '../../src/peer/adapter/messages.ts';
import { openAdapterSession, openAttachSession, openOneShotSession } from '../../src/peer/adapter/session.ts';
import { expect, test } from '../engine.ts';
import { listen } from '../listen.ts';
import { skipUnless } from '../needed.ts';
import {
  aCase,
  cannotListProcesses,
  commandOf,
  newMark,
  notesOf,
  outcomeOf,
  outcomesOf,
  quickLimits,
  runInfo,
  withSession,
} from './open-session.ts';

const fatalCase = aCase({ endpointId: '666' });

test('a case that ends the adapter is repeated alone once, and the cases after it are answered by a new one', async () => {
  // Each case ends the adapter also when it is repeated alone, so the adapter is not given up.
  await withSession('broken/dies-on-a-case', { limits: { maxCrashes: 3 } }, async (session) => {
    const replies = [await session.perform(aCase()), await session.perform(fatalCase), await session.perform(aCase())];
    expect(replies.map(outcomeOf)).toEqual(['unsupported', 'adapter-crash', 'unsupported']);
    expect(replies[1]).toMatchObject({ repeated: true, fault: { message: expect.stringContaining('SIGSEGV') } });
    expect(replies[2]).not.toHaveProperty('repeated');
    const restarted = expect.stringContaining('started again');
    expect(session.takeNotes()).toEqual([{ kind: 'restarts', first: [restarted, restarted], count: 2 }]);
    expect(await outcomesOf(session, [fatalCase, aCase()])).toEqual(['adapter-crash', 'unsupported']);
  });
});

test('cases that were open when the adapter ended are repeated one by one', async () => {
  await withSession('broken/dies-in-company', async (session) => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => session.perform(aCase())));
    expect(replies.map(outcomeOf)).toEqual(['unsupported', 'unsupported', 'unsupported', 'unsupported']);
    expect(replies.map((reply) => 'repeated' in reply)).toEqual([true, true, true, true]);
  });
});

test('an adapter that ends too often in a row is given up, and then every case is refused', async () => {
  await withSession('broken/dies-on-every-case', { limits: { maxCrashes: 3 } }, async (session) => {
    const codes = await outcomesOf(session, Array(4).fill(aCase()));
    expect(codes).toEqual(['adapter-crash', 'gave-up', 'gave-up', 'gave-up']);
    const { fault } = await session.perform(aCase());
    expect(fault?.message).toMatch(
      /failed 3 times in a row\. The suite does not start it again. .* exited with code 1/,
    );
    expect(fault?.hint).toContain('TypeError');
  });
});

const shortLimits = { ...defaultLimits, ...quickLimits, lateMs: 50 };

test('an adapter that is stuck again and again is given up by all sessions, and each line names the case', async () => {
  const lines: string[] = [];
  const retryBudget = new RetryBudget(shortLimits, (line) => lines.push(line));
  const codes: string[] = [];
  // Only the cases that get no answer wait for their deadline.
  const perform = (session: ClientSession, name: string, deadlineMs = 60_000) =>
    session.perform(aCase({ deadlineMs, name })).then((reply) => codes.push(outcomeOf(reply)));
  await withSession('broken/answers-every-other', { retryBudget, limits: shortLimits }, async (first) => {
    for (let i = 1; i <= 6; i++) await perform(first, `sample case ${i}`, i % 2 === 0 ? 300 : undefined);
    await perform(first, 'one too many');
    // Another environment is the same client. The suite does not wait for its end either.
    let other: ClientSession | undefined;
    const useOther = async (session: ClientSession) => {
      other = session;
      await perform(session, 'in another one');
    };
    await withSession('broken/ignores-bye', { retryBudget }, useOther);
    expect(other!.takeNotes()).toEqual([]);
  });
  const [sound, stuck] = ['unsupported', 'timed-out'];
  expect(codes).toEqual([sound, stuck, sound, stuck, sound, stuck, 'gave-up', 'gave-up']);
  const hint = 'The adapter answered earlier cases, so look for an endless wait or loop';
  expect(lines).toEqual([
    expect.stringMatching(`answer sample case 2 within \\d+ ms\\. The suite starts it again\\. ${hint}`),
    expect.stringMatching(`answer sample case 4 within \\d+ ms\\. The suite starts it again\\. ${hint}`),
    expect.stringMatching(
      `stuck 3 times in a row\\. The suite does not start it again. .* answer sample case 6 within \\d+ ms\\. ${hint}`,
    ),
  ]);
});

test('an adapter that closed its input is given up long before a deadline', async () => {
  const lines: string[] = [];
  const retryBudget = new RetryBudget(shortLimits, (line) => lines.push(line));
  await withSession('broken/closes-stdin', { retryBudget, limits: shortLimits }, async (session) => {
    const cases = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => aCase({ deadlineMs: 3_600_000, name: `case ${i}` }));
    const codes = await outcomesOf(session, cases);
    expect(codes).toEqual([...Array(6).fill('unsupported'), 'gave-up', 'gave-up']);
  });
  expect(lines[0]).toBe(
    'The adapter closed its standard input during case 3. The suite starts it again. ' +
      'Keep standard input open until "bye" arrives.',
  );
  expect(lines[2]).toMatch(/stuck 3 times in a row\. The suite does not start it again. .* during case 7\./);
});

test('an adapter that ends after every second case is given up, with a line of progress', async () => {
  const lines: string[] = [];
  const retryBudget = new RetryBudget({ ...shortLimits, maxCrashes: 3 }, (line) => lines.push(line));
  await withSession('broken/exits-after-two', { retryBudget, limits: { maxCrashes: 3 } }, async (session) => {
    const codes = await outcomesOf(session, Array(8).fill(aCase()));
    expect(codes).toEqual([...Array(6).fill('unsupported'), 'gave-up', 'gave-up']);
  });
  expect(lines).toEqual([
    expect.stringMatching(
      /^The adapter ended 3 times, .* No single case is the cause\. The suite does not start it again\. The last error/,
    ),
  ]);
});

test('an answer after the deadline gives a note and does not count, and the adapter stays', async () => {
  await withSession('broken/late', { limits: { lateMs: 60_000 } }, async (session) => {
    const late = await session.perform(aCase({ endpointId: '666', deadlineMs: 200 }));
    const next = await session.perform(aCase());
    expect([late, next].map(outcomeOf)).toEqual(['timed-out', 'unsupported']);
    expect(notesOf(session)).toEqual([expect.stringContaining('after the deadline of its case and was not counted')]);
  });
});

test('a case with nothing but progress ends at its deadline, and the adapter gets cancel', async () => {
  await withSession('good/slow.mjs', { limits: { lateMs: 60_000, byeMs: 300 } }, async (session) => {
    const endless = await session.perform(aCase({ endpointId: '1000000', deadlineMs: 400 }));
    expect(outcomeOf(endless)).toBe('timed-out');
    await expect.poll(() => notesOf(session).join(), { timeout: 60_000 }).toContain('cancelled');
  });
});

test('a command that is not a program is refused with a hint', async () => {
  await expect(openAdapterSession({ command: 'no-such-program', ...runInfo })).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The adapter "no-such-program" could not be started: no such program exists.',
  });
  await expect(openAdapterSession({ command: 'node adapter.mjs', ...runInfo })).rejects.toMatchObject({
    hint: expect.stringContaining('separate words after "--"'),
  });
  await expect(
    openAdapterSession({ ...commandOf('good/echo.mjs'), ...runInfo, cwd: '/no/such/folder' }),
  ).rejects.toMatchObject({ message: expect.stringContaining('the folder /no/such/folder does not exist') });
});

test('closing ends open cases, and may be repeated', async () => {
  await withSession('broken/never-answers', async (session) => {
    const pending = session.perform(aCase());
    await pause(50);
    await session.close();
    await session.close();
    expect(outcomeOf(await pending)).toBe('session-closed');
    expect(outcomeOf(await session.perform(aCase()))).toBe('session-closed');
  });
});

const builtFile = fileURLToPath(new URL('../../dist/src/peer/adapter/session.js', import.meta.url));

for (const end of ['exit', 'throw', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGKILL']) {
  const tag = ['throw', 'SIGKILL'].includes(end) ? [] : ['@all'];
  test(`an adapter does not outlive a suite that ends by ${end}`, { tag }, async () => {
    skipUnless(existsSync(builtFile), 'the build under dist/');
    skipUnless(!cannotListProcesses, 'the list of processes in /proc');
    const mark = newMark();
    // After SIGKILL nobody ends the adapter, so it must exit at the end of its input.
    const adapter = commandOf(end === 'SIGKILL' ? 'good/echo.mjs' : 'broken/ignores-bye');
    const suite = spawn(
      process.execPath,
      [...commandOf('suite-that-ends.mjs').args!, builtFile, end, adapter.command, ...adapter.args!],
      { env: { ...process.env, ...mark.env }, stdio: ['pipe', 'pipe', 'ignore'] },
    );
    await new Promise((resolve) => suite.stdout.once('data', resolve));
    expect(mark.alive().length).toBe(2);
    if (end.startsWith('SIG')) suite.kill(end as NodeJS.Signals);
    else suite.stdin.write('end\n');
    expect(await mark.remaining()).toEqual([]);
  });
}

test('the note on an adapter that ends after an answer names --one-shot', async () => {
  await withSession('broken/ends-behind-an-answer', async (session) => {
    expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
    expect((await session.perform(aCase())).fault).toBeUndefined();
    expect(notesOf(session)).toEqual([
      expect.stringMatching(
        /^The adapter was started again: .* code 0 .* if it ends after each call, use --one-shot\.$/,
      ),
    ]);
  });
});

const oneShot = { open: openOneShotSession };

test('each case has a process of its own, up to four at once', async () => {
  await withSession('good/one-shot.sh', oneShot, async (session) => {
    expect(session.introduction).toMatchObject({ client: { name: 'one-shot' }, offers: { maxInFlight: 4 } });
    const replies = await Promise.all([1, 2, 3, 4, 5, 6].map(() => session.perform(aCase())));
    const pids = replies.map(({ reply }) => reply?.reason);
    expect(new Set(pids).size).toBe(6);
    expect(pids).not.toContain(undefined);
    await session.close();
    expect(notesOf(session)).toEqual([]);
  });
});

test('a one-shot command may read all of its input before it answers', async () => {
  await withSession('broken/waits-for-end-of-input', oneShot, async (session) =>
    expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported'),
  );
});

test('a command that ends without an answer costs the case, not the session', async () => {
  await withSession('broken/dies-on-a-case', oneShot, async (session) => {
    const { fault } = await session.perform(aCase({ endpointId: '666' }));
    expect(fault).toMatchObject({ message: expect.stringContaining('SIGSEGV'), hint: expect.any(String) });
    expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
  });
});

test('a command that never answers is ended at the deadline', async () => {
  await withSession('broken/never-answers', oneShot, async (session) => {
    // The adapter exits at the end of its input, without an answer.
    const { fault } = await session.perform(aCase());
    expect(fault?.code).toBe('adapter-crash');
  });
  await withSession('broken/ignores-bye', { ...oneShot, limits: { byeMs: 300 } }, async (session) => {
    expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
    await session.close();
    expect(notesOf(session)[0]).toContain('did not end within 300 ms');
  });
});

test('a command that is stuck three times in a row is not started again', async () => {
  const lines: string[] = [];
  const retryBudget = new RetryBudget(defaultLimits, (line) => lines.push(line));
  await withSession('broken/loops-on-a-case', { ...oneShot, retryBudget }, async (session) => {
    const codes = await outcomesOf(session, Array(5).fill(aCase({ deadlineMs: 50 })));
    expect(codes).toEqual(['timed-out', 'timed-out', 'timed-out', 'gave-up', 'gave-up']);
  });
  expect(lines).toHaveLength(3);
});

test('an attached adapter gets hello and answers cases, without deadlines, also after a reconnect', async () => {
  const sockets: Socket[] = [];
  const session = await openAttached((sentence, port) => {
    expect(sentence).toBe(`waiting at most 60 minutes for an adapter to connect to 127.0.0.1:${port}.`);
    sockets.push(connectAdapter(port));
  });
  expect(session.introduction.client.name).toBe('attached');
  const replies = [await session.perform(aCase({ deadlineMs: 1 })), await session.perform(aCase())];
  expect(replies.map(({ reply }) => reply?.outcome)).toEqual(['unsupported', 'unsupported']);

  sockets[0]!.destroy();
  await new Promise((resolve) => sockets[0]!.once('close', resolve));
  expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
  expect(sockets).toHaveLength(2);
  await session.close();
  const notes = notesOf(session).join();
  expect(notes).toContain('hung up');
  expect(notes).not.toContain('--one-shot');
});

test('an attached adapter gets a deadline of an hour, and the true deadline for an endless answer', async () => {
  const deadlines: number[] = [];
  const session = await openAttached((_, port) => {
    createInterface({ input: connectAdapter(port) }).on('line', (line) => deadlines.push(JSON.parse(line).deadline_ms));
  });
  await session.perform(aCase({ deadlineMs: 10_000 }));
  await session.perform(aCase({ deadlineMs: 1500, isEndless: true }));
  await session.close();
  expect(deadlines.filter((ms) => ms !== undefined)).toEqual([3_600_000, 1500]);
});

test('stray output of an attached adapter is reported at once', async () => {
  const messages: string[] = [];
  const session = await openAttached((sentence, port) => {
    messages.push(sentence);
    if (messages.length === 1) connectAdapter(port).write('{\n  "t": "ready"\n}\n');
  });
  await session.close();
  expect(messages.slice(1)).toEqual(['The adapter wrote a line that is not a message of the protocol: «{»']);
});

test('the wait for a connection has an end', async () => {
  const opening = openAttachSession({ ...runInfo, port: 0, announce: () => {}, connectMs: 50 });
  await expect(opening).rejects.toMatchObject({
    code: 'no-connection',
    message: expect.stringMatching(/^No adapter connected to port \d+ within 0.05 s\.$/),
    hint: expect.stringContaining('connects to 127.0.0.1:'),
  });
});

test('a port that is taken is named', async () => {
  const server = createServer();
  const { port } = await listen(server);
  const opening = openAttachSession({ ...runInfo, port, announce: () => {}, connectMs: 5000 });
  await expect(opening).rejects.toMatchObject({ code: 'cannot-listen' });
  server.close();
});

function openAttached(announce: (sentence: string, port: number) => void) {
  return openAttachSession({ ...runInfo, limits: quickLimits, port: 0, announce, connectMs: 3_600_000 });
}

function connectAdapter(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.t === 'hello') send({ t: 'ready', protocol: 1, client: { name: 'attached' } });
    if (message.t === 'case') setTimeout(() => send({ t: 'result', id: message.id, outcome: 'unsupported' }), 100);
  });
  return socket;
}
