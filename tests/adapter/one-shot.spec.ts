/** A command that is run once for each case. */
import { defaultLimits, Patience } from '../../src/peer/adapter/limits.ts';
import { openOneShotSession } from '../../src/peer/adapter/session.ts';
import { expect, test } from '../engine.ts';
import { aCase, outcomesOf, toldBy, withSession } from './opened.ts';

const oneShot = { open: openOneShotSession };

test('each case has a process of its own, up to four at once', async () => {
  await withSession('good/one-shot.sh', oneShot, async (session) => {
    expect(session.introduction).toMatchObject({ client: { name: 'one-shot' }, offers: { maxInFlight: 4 } });
    const replies = await Promise.all([1, 2, 3, 4, 5, 6].map(() => session.perform(aCase())));
    const pids = replies.map(({ reply }) => reply?.reason);
    expect(new Set(pids).size).toBe(6);
    expect(pids).not.toContain(undefined);
    await session.close();
    expect(toldBy(session)).toEqual([]);
  });
});

for (const [what, script] of [
  ['a command that reads all of its input before it answers', 'broken/waits-for-end-of-input'],
  ['a long-lived adapter', 'good/echo.mjs'],
] as const) {
  test(`${what} is right here`, async () => {
    await withSession(script, oneShot, async (session) =>
      expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported'),
    );
  });
}

test('a command that ends without an answer costs the case, not the session', async () => {
  await withSession('broken/dies-on-a-case', oneShot, async (session) => {
    const { fault } = await session.perform(aCase({ endpointId: '666' }));
    expect(fault).toMatchObject({ message: expect.stringContaining('SIGSEGV'), hint: expect.any(String) });
    expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
  });
});

test('a command that never answers is ended at the deadline', async () => {
  await withSession('broken/never-answers', oneShot, async (session) => {
    // It exits by itself when its input has ended, without an answer.
    const { fault } = await session.perform(aCase());
    expect(fault?.code).toBe('adapter-crash');
  });
  await withSession('broken/ignores-bye', { ...oneShot, limits: { byeMs: 300 } }, async (session) => {
    expect((await session.perform(aCase())).reply?.outcome).toBe('unsupported');
    await session.close();
    expect(toldBy(session)[0]).toContain('did not end within 300 ms');
  });
});

test('a command that is stuck three times in a row is run no more', async () => {
  const lines: string[] = [];
  const patience = new Patience(defaultLimits, (line) => lines.push(line));
  await withSession('broken/loops-on-a-case', { ...oneShot, patience }, async (session) => {
    const codes = await outcomesOf(session, Array(5).fill(aCase({ deadlineMs: 50 })));
    expect(codes).toEqual(['timed-out', 'timed-out', 'timed-out', 'gave-up', 'gave-up']);
  });
  expect(lines).toHaveLength(3);
});

test('a command that does not introduce itself is refused', async () => {
  const opening = withSession('broken/dies-at-start', oneShot, async () => {});
  await expect(opening).rejects.toMatchObject({ code: 'exited', hint: expect.stringContaining('Cannot find module') });
});
