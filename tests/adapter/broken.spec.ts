/** Each broken adapter gives its error or note, with a hint, before a deadline. None leaves a process. */
import { AdapterError } from '../../src/peer/adapter/faults.ts';
import type { AdapterLimits } from '../../src/peer/adapter/limits.ts';
import { expect, test } from '../engine.ts';
import { aCase, notesOf, withSession } from './open-session.ts';

type ExpectedError = readonly [code: AdapterError['code'], message: RegExp, hint: RegExp];

/** Adapters that fail before a session opens. */
const refused: Readonly<Record<string, readonly [...ExpectedError, readyMs?: number]>> = {
  'never-ready': [
    'no-ready',
    /^The adapter did not answer hello within \d+00 ms\.$/,
    /Answer "hello" with "ready" .* process\.stdout\.write/,
    600,
  ],
  'misspells-ready': [
    'no-ready',
    /did not answer hello within \d+ ms; it sent 1 "redy" message and no ready\.$/,
    /The answer is a separate line/,
    // The test reaches its own limit if the message does not shorten this wait.
    3_600_000,
  ],
  'dies-at-start': [
    'exited',
    /^The adapter exited with code 3 before it answered hello\.$/,
    /Cannot find module oauth/,
  ],
  'floods-before-ready': ['line-too-long', /a line of more than 8388608 bytes; it starts with «\.{80}…»/, /line feed/],
};

for (const [script, [code, message, hint, readyMs]] of Object.entries(refused)) {
  test(`the adapter ${script} is refused as ${code}`, async () => {
    const limits = readyMs === undefined ? {} : { readyMs };
    const error = await withSession(`broken/${script}`, { limits }, async () => {}).catch((reason) => reason);
    expect(error).toBeInstanceOf(AdapterError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
  });
}

/** Adapters that lose the answer of a case. */
const faulty: Readonly<Record<string, readonly [...ExpectedError, deadlineMs?: number, notes?: RegExp]>> = {
  'never-answers': [
    'timed-out',
    /^The adapter did not answer a case within \d+ ms\.$/,
    /buffer: write with process\.stdout\.write/,
    400,
    /stuck after a timeout/,
  ],
  'floods-stdout': [
    'flooded',
    /wrote 2001 lines .* without the answer that the suite waits for, such as «debug: entering loop»/,
    /console\.error instead of console\.log/,
  ],
  forks: ['adapter-crash', /exited with code 7/, /standard error/],
  'half-line-then-exit': [
    'half-line',
    /exited with code 0 in the middle of a line: «\{"t":"result","id":"c_\w+","outc»/,
    /process\.exit\(\) drops/,
  ],
  'half-line-then-hang': [
    'half-line',
    /began a line and did not finish it, and a case was not answered within \d+ ms: «\{"t":"result"/,
    /line feed .* buffer/,
    2000,
  ],
  'closes-stdout': ['output-closed', /closed its standard output, but kept running/, /Keep standard output open/],
};

for (const [script, [code, message, hint, deadlineMs = 600_000, notes]] of Object.entries(faulty)) {
  test(`the adapter ${script} costs the case: ${code}`, async () => {
    await withSession(`broken/${script}`, async (session) => {
      const { fault } = await session.perform(aCase({ deadlineMs }));
      expect(fault).toMatchObject({ code, message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
      if (notes !== undefined) await expect.poll(() => notesOf(session).join('\n'), { timeout: 60_000 }).toMatch(notes);
    });
  });
}

/** Adapters whose cases get answers, and the notes on these adapters. */
const tolerated: Readonly<Record<string, readonly [script: string, note: RegExp, limits?: Partial<AdapterLimits>]>> = {
  'one that ignores bye': ['ignores-bye', /did not end within 300 ms/, { byeMs: 300 }],
  'one that starts with a byte-order mark': ['byte-order-mark', /byte-order mark\. The suite ignored it/],
  'one that writes 10 MB to standard error': ['floods-stderr', /^$/],
  'one that speaks on file descriptor 3': ['good/descriptor-3.sh', /library: /],
};

for (const [name, [script, note, limits]] of Object.entries(tolerated)) {
  test(`the answers of ${name} count`, async () => {
    await withSession(script.endsWith('.sh') ? script : `broken/${script}`, { limits }, async (session) => {
      for (let i = 0; i < 2; i++) expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
      await session.close();
      expect(notesOf(session).join('\n')).toMatch(note);
    });
  });
}

test('output before hello gives a note while hello waits', async () => {
  await withSession('broken/speaks-first', { limits: { helloAfterMs: 60_000 } }, async (session) => {
    expect((await session.perform(aCase())).reply).toBeDefined();
    expect(notesOf(session)).toContainEqual('The adapter sent "ready" before it got "hello".');
  });
});
