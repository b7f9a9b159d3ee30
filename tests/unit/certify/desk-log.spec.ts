/** The state file of the desk: what is torn, damaged, foreign, full or in use. */
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { DeskEvent } from '../../../src/certify/desk/events.ts';
import { takeLock } from '../../../src/certify/desk/lock.ts';
import { openLog } from '../../../src/certify/desk/log.ts';

const unread = (reason: string): DeskEvent => ({ t: 'unread', engagement: 'e1', at: 1, reason });

async function inFolder(body: (stateFile: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-desk-'));
  try {
    await body(join(folder, 'desk.jsonl'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('what was appended comes back in order, with the bytes of bodies as they were', async () => {
  await inFolder(async (file) => {
    const { log } = await openLog(file);
    const body = Uint8Array.from([0, 10, 13, 255, 34]);
    const request = {
      method: 'POST',
      scheme: 'http',
      host: 'h',
      target: '/',
      headers: [['A', '\u2028']],
      body,
    } as const;
    const exchange: DeskEvent = {
      t: 'exchange',
      engagement: 'e1',
      number: 1,
      baseUrl: 'http://h/e1',
      exchange: { request, startedAt: 5, durationMs: 1 },
    };
    await Promise.all([log.append(exchange), ...Array.from({ length: 50 }, (_, n) => log.append(unread(String(n))))]);
    await log.close();
    const { events } = await openLog(file);
    expect(events[0]).toEqual({
      ...exchange,
      exchange: { ...exchange.exchange, request: { ...request, body: Buffer.from(body) } },
    });
    expect(events.slice(1)).toEqual(Array.from({ length: 50 }, (_, n) => unread(String(n))));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

test('a last line that was not written to its end is dropped with a remark, and the next one starts afresh', async () => {
  await inFolder(async (file) => {
    const first = await openLog(file);
    await first.log.append(unread('whole'));
    await first.log.close();
    await appendFile(file, '{"t":"unread","engagement":"e1"');
    const second = await openLog(file);
    expect(second.events).toEqual([unread('whole')]);
    expect(second.remark).toContain('its 31 bytes were dropped');
    await second.log.append(unread('after'));
    await second.log.close();
    const third = await openLog(file);
    expect([third.events, third.remark]).toEqual([[unread('whole'), unread('after')], undefined]);
    await third.log.close();
  });
});

test('a header that was not written to its end is written again', async () => {
  await inFolder(async (file) => {
    await writeFile(file, '{"t":"desk","form');
    const { log, events } = await openLog(file);
    await log.append(unread('first'));
    await log.close();
    expect(events).toEqual([]);
    expect((await openLog(file)).events).toEqual([unread('first')]);
  });
});

test('a file of somebody else is left as it is', async () => {
  await inFolder(async (file) => {
    for (const text of [
      'my shopping list\n',
      '{"t":"desk","format":"countersign-desk","formatVersion":2}\n',
      'no line end',
    ]) {
      await writeFile(file, text);
      await expect(openLog(file)).rejects.toMatchObject({ code: 'state-foreign' });
      expect(await readFile(file, 'utf8')).toBe(text);
    }
  });
});

test('a line in the middle that cannot be read is named, and nothing is dropped', async () => {
  await inFolder(async (file) => {
    const { log } = await openLog(file);
    await log.append(unread('a'));
    await log.close();
    await appendFile(file, 'garbage\n{"t":"restart","engagement":"e1","at":1}\n');
    const before = await readFile(file, 'utf8');
    await expect(openLog(file)).rejects.toMatchObject({
      code: 'state-damaged',
      message: expect.stringContaining('line 3 of'),
    });
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});

test('a full file refuses what does not fit, and keeps what it has', async () => {
  await inFolder(async (file) => {
    const { log } = await openLog(file, 200);
    await log.append(unread('fits'));
    await expect(log.append(unread('x'.repeat(200)))).rejects.toMatchObject({ code: 'state-full' });
    await log.append(unread('fits too'));
    await log.close();
    expect((await openLog(file)).events).toEqual([unread('fits'), unread('fits too')]);
  });
});

test('a file that cannot be written is a sentence with a hint', async () => {
  await inFolder(async (file) => {
    await expect(openLog(join(file, 'below'))).rejects.toMatchObject({
      code: 'state-unwritable',
      hint: expect.stringContaining('--state'),
    });
  });
});

test('the lock of a living process is respected, that of a dead one is taken over', async () => {
  await inFolder(async (file) => {
    await writeFile(`${file}.lock`, `${process.ppid}\n`);
    expect(() => takeLock(file)).toThrow(`process ${process.ppid}`);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(`${file}.lock`, `${pid}\n`);
    const lock = takeLock(file);
    expect(await readFile(`${file}.lock`, 'utf8')).toBe(`${process.pid}\n`);
    lock.release();
    await expect(stat(`${file}.lock`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('a lock file that was not written to its end holds nobody up', async () => {
  await inFolder(async (file) => {
    await writeFile(`${file}.lock`, '');
    takeLock(file).release();
  });
});
