/** The state file of the desk: what is torn, damaged, foreign, full or in use. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { appendFile, chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeskEvent } from '../../../../src/extras/desk/engagement.ts';
import { largestLine, openLog, setAside, takeDeskLock } from '../../../../src/extras/desk/log.ts';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { expect } from '../../../engine.ts';
import { faultOfLine, test } from './desk-visitor.ts';

const unread = (reason: string): DeskEvent => ({ t: 'unread', engagement: 'e1', at: 1, reason });

/** What a state file holds, opened and closed again. */
async function reopened(file: string) {
  const { log, ...read } = await openLog(file, faultOfLine);
  await log.close();
  return read;
}

const eventsIn = ({ events }: Awaited<ReturnType<typeof reopened>>) => events.map(({ event }) => event);

const stateFile = () => {
  mkdirSync(test.info().outputDir, { recursive: true });
  return test.info().outputPath(`${randomUUID()}.jsonl`);
};

test('what was appended comes back in order, with the bytes of bodies as they were', async () => {
  const file = stateFile();
  const { log } = await openLog(file, faultOfLine);
  const body = Uint8Array.from([0, 10, 13, 255, 34]);
  const place = { method: 'POST', scheme: 'http', host: 'h', target: '/' } as const;
  const request = { ...place, headers: [['A', '\u2028']], body } as const;
  const exchange: DeskEvent = {
    t: 'exchange',
    engagement: 'e1',
    number: 1,
    baseUrl: 'http://h/e1',
    exchange: { request, startedAt: 5, durationMs: 1 },
  };
  await Promise.all([log.append(exchange), ...Array.from({ length: 50 }, (_, n) => log.append(unread(String(n))))]);
  await log.close();
  const events = eventsIn(await reopened(file));
  expect(events[0]).toEqual({
    ...exchange,
    exchange: { ...exchange.exchange, request: { ...request, body: Buffer.from(body) } },
  });
  expect(events.slice(1)).toEqual(Array.from({ length: 50 }, (_, n) => unread(String(n))));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a last line that was not written to its end is dropped with a remark, and the next one starts afresh', async () => {
  const file = stateFile();
  const first = await openLog(file, faultOfLine);
  await first.log.append(unread('whole'));
  await first.log.close();
  await appendFile(file, '{"t":"unread","engagement":"e1"');
  const second = await openLog(file, faultOfLine);
  expect(eventsIn(second)).toEqual([unread('whole')]);
  expect(second.remark).toContain('its 31 bytes were dropped');
  await second.log.append(unread('after'));
  await second.log.close();
  const third = await openLog(file, faultOfLine);
  expect([eventsIn(third), third.remark]).toEqual([[unread('whole'), unread('after')], undefined]);
  await third.log.close();
});

test('a file of someone else is left unchanged, and one of another version says which one wrote it', async () => {
  const another = '{"t":"desk","format":"countersign-desk","formatVersion":2}\n';
  for (const text of ['my shopping list\n', another, 'no line end']) {
    const file = stateFile();
    await writeFile(file, text);
    await chmod(file, 0o644);
    const { mode } = await stat(file);
    const says =
      text === another
        ? 'was written in version 2 of the format, and this desk reads version 1'
        : 'is not a state file of the desk';
    await expect(openLog(file, faultOfLine)).rejects.toMatchObject({
      code: 'state-foreign',
      message: `${file} ${says}`,
    });
    expect([await readFile(file, 'utf8'), (await stat(file)).mode]).toEqual([text, mode]);
  }
});

test('a file that is taken away, cut or replaced while the desk runs takes nothing more', async () => {
  const changes = [
    rm,
    (file: string) => writeFile(file, ''),
    (file: string) => writeFile(`${file}.n`, '').then(() => rename(`${file}.n`, file)),
  ];
  for (const change of changes) {
    const file = stateFile();
    const { log } = await openLog(file, faultOfLine);
    await log.append(unread('first'));
    await change(file);
    await expect(log.append(unread('second'))).rejects.toMatchObject({
      code: 'state-unwritable',
      message: expect.stringContaining('was taken away, cut or replaced'),
    });
    await log.close();
  }
});

const engagement = (id: string): string =>
  JSON.stringify({
    t: 'engagement',
    engagement: {
      ...{ id, name: 'n', createdAt: 1, operations: [], endpointId: '1' },
      ...{ consumerKey: id, consumerSecret: 'canary-0123456789', publicKeyPem: publishedIdentity.publicKeyPem },
    },
  });
const kept = (number: number, more: object = {}): string =>
  JSON.stringify({
    ...{ t: 'exchange', engagement: 'e000000000001', number, baseUrl: 'http://h' },
    exchange: {
      request: { method: 'POST', scheme: 'http', host: 'h', target: '/', headers: [], body: { base64: 'AA==' } },
      ...{ startedAt: 5, durationMs: 1 },
    },
    ...more,
  });

/** Lines that no desk can use where they are, each with what is said of it. */
const unusable: readonly (readonly [line: string | Buffer, why: string])[] = [
  ['garbage', 'it is not JSON'],
  [Buffer.from([0x22, 0xff, 0x22]), 'it is not JSON'],
  ['{"t":"celebrate"}', 't is "celebrate" (text); it must be one of'],
  ['{"t":"restart","engagement":"e000000000009","at":1}', 'it is about an unknown engagement'],
  [engagement('e000000000001'), 'it begins the engagement e000000000001, which has begun'],
  [engagement('e000000000002').replace('"canary-0123456789"', '["canary-0123456789"]'), 'a list that is not shown'],
  [engagement('e000000000002').replace('END PUBLIC', 'END'), 'engagement.publicKeyPem cannot be read'],
  [
    engagement('e000000000002').replace('"publicKeyPem"', '"privateKeyPem":"canary","publicKeyPem"'),
    '.privateKeyPem can',
  ],
  [kept(1), 'it has the number 1 of another exchange'],
];

for (const [index, [line, why]] of unusable.entries()) {
  test(`a line that cannot be used is named and set aside, and the rest lives: ${index + 1}, ${why}`, async ({
    folder: { open: openDesk, stateFile: file },
  }) => {
    await (await openDesk()).close();
    const lines = [engagement('e000000000001'), kept(1), line, kept(2)];
    for (const one of lines) await appendFile(file, Buffer.concat([Buffer.from(one), Buffer.from('\n')]));
    const before = await readFile(file);
    const { service, remarks, close } = await openDesk();
    await close();
    expect(service.find('e000000000001').exchanges.map(({ number }) => number)).toEqual([1, 2]);
    const named = expect.stringMatching(/^1 line of the state file is set aside and ignored: line 4 \(/);
    expect(remarks).toEqual([named]);
    expect(remarks[0]).toContain(why);
    expect(remarks[0]).not.toContain('canary');
    expect(await readFile(file)).toEqual(before);
  });
}

test('many lines that cannot be used are counted, ten are named, and a thousand are too many', async () => {
  const file = stateFile();
  await (await openLog(file, faultOfLine)).log.close();
  await appendFile(file, 'x\n'.repeat(1_000));
  const { faults, log } = await openLog(file, faultOfLine);
  await log.close();
  expect(setAside(faults)).toMatch(/^1000 lines .*: line 2 \(it is not JSON\), .*, line 11 \(it is not JSON\) and 990/);
  await appendFile(file, '\n');
  await expect(openLog(file, faultOfLine)).rejects.toMatchObject({ code: 'state-damaged' });
});

test('a line has at most 16 MB, when it is read and when it is written', { tag: '@all' }, async () => {
  const [written, foreign] = [stateFile(), stateFile()];
  const { log } = await openLog(written, faultOfLine);
  await expect(log.append(unread('x'.repeat(largestLine)))).rejects.toMatchObject({ code: 'too-many' });
  const fits = unread('');
  await log.append(unread('x'.repeat(largestLine - JSON.stringify(fits).length - 1)));
  await log.close();
  expect(eventsIn(await reopened(written))).toHaveLength(1);
  await reopened(foreign);
  await appendFile(foreign, `${JSON.stringify(unread('fits'))}\n${JSON.stringify(unread('x'.repeat(largestLine)))}\n`);
  const { events, faults } = await reopened(foreign);
  expect([events.length, faults]).toEqual([1, [{ line: 3, why: 'it is longer than 16 MB' }]]);
});

test('a full file refuses what does not fit, and keeps what it has', async () => {
  const file = stateFile();
  const { log } = await openLog(file, faultOfLine, 200);
  await log.append(unread('fits'));
  await expect(log.append(unread('x'.repeat(200)))).rejects.toMatchObject({ code: 'state-full' });
  await log.append(unread('fits too'));
  await log.close();
  expect(eventsIn(await reopened(file))).toEqual([unread('fits'), unread('fits too')]);
});

test('a file that cannot be written is a sentence with a hint', async () => {
  const file = stateFile();
  await expect(openLog(join(file, 'below'), faultOfLine)).rejects.toMatchObject({
    code: 'state-unwritable',
    hint: expect.stringContaining('--state'),
  });
});

test('the lock of a living process is respected, that of a dead one is taken over', async () => {
  const file = stateFile();
  await writeFile(`${file}.lock`, `${process.ppid}\n`);
  expect(() => takeDeskLock(file)).toThrow(`process ${process.ppid}`);
  const { pid } = spawnSync(process.execPath, ['--version']);
  // A lock file that was not written to its end holds nobody up either.
  await writeFile(`${file}.lock`, '');
  takeDeskLock(file).release();
  await writeFile(`${file}.lock`, `${pid}\n`);
  const lock = takeDeskLock(file);
  expect(await readFile(`${file}.lock`, 'utf8')).toBe(`${process.pid}\n`);
  lock.release();
  await expect(stat(`${file}.lock`)).rejects.toMatchObject({ code: 'ENOENT' });
});
