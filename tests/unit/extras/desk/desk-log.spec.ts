/** The state file of the desk. It may be incomplete, damaged, foreign, full or in use. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { appendFile, chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { core } from '../../../../src/app/commands/desk.ts';
import { type DeskEvent, DeskState, openLog, takeDeskLock } from '../../../../src/extras/desk/state.ts';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { expect } from '../../../engine.ts';
import { test } from './desk-visitor.ts';

const engagementEvent = (id: string) => ({
  t: 'engagement' as const,
  engagement: {
    ...{ id, name: 'n', createdAt: 1, operations: [], endpointId: '1', consumerKey: id },
    ...{ consumerSecret: 'canary-0123456789', publicKeyPem: publishedIdentity.publicKeyPem },
  },
});
const unread = (reason: string): DeskEvent => ({ t: 'unread', engagement: 'e000000000001', at: 1, reason });

async function opened(file: string, maxBytes?: number) {
  const state = new DeskState();
  const found = await openLog(file, state, core.faultOfLine, maxBytes);
  const record = () => state.records.get('e000000000001')!;
  return { ...found, record, reasons: () => record().unread.map(({ reason }) => reason) };
}

const stateFile = () => {
  mkdirSync(test.info().outputDir, { recursive: true });
  return test.info().outputPath(`${randomUUID()}.jsonl`);
};

test('appended events are read in order, with unchanged bytes of bodies', async () => {
  const file = stateFile();
  const { log } = await opened(file);
  const body = Uint8Array.from([0, 10, 13, 255, 34]);
  const place = { method: 'POST', scheme: 'http', host: 'h', target: '/' } as const;
  const request = { ...place, headers: [['A', '\u2028']], body } as const;
  const exchange = { request, startedAt: 5, durationMs: 1 };
  const event: DeskEvent = { t: 'exchange', engagement: 'e000000000001', number: 1, baseUrl: 'http://h/e1', exchange };
  const numbers = Array.from({ length: 50 }, (_, n) => String(n));
  const events = [engagementEvent('e000000000001'), event, ...numbers.map(unread)];
  for (const one of events) log.append(one);
  const { record, reasons, remarks } = await opened(file);
  const expected = { ...exchange, request: { ...request, body: Buffer.from(body) } };
  expect(record().exchanges).toEqual([{ number: 1, baseUrl: 'http://h/e1', exchange: expected }]);
  expect([reasons(), remarks]).toEqual([numbers, []]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('an incomplete last line is removed with a remark, and the next event is on a new line', async () => {
  const file = stateFile();
  const first = await opened(file);
  first.log.append(engagementEvent('e000000000001'));
  first.log.append(unread('whole'));
  await appendFile(file, '{"t":"unread","engagement":"e1"');
  const second = await opened(file);
  expect(second.reasons()).toEqual(['whole']);
  expect(second.remarks).toEqual([expect.stringContaining('its 31 bytes were removed')]);
  second.log.append(unread('after'));
  const third = await opened(file);
  expect([third.reasons(), third.remarks]).toEqual([['whole', 'after'], []]);
});

test('a file of another program or another version is refused, and stays unchanged', async () => {
  const foreign = 'is not a state file of the desk';
  for (const [text, message] of [
    ['my shopping list\n', foreign],
    ['no line end', foreign],
    [
      '{"t":"desk","format":"countersign-desk","formatVersion":2}\n',
      'has version 2 of the format, but this desk reads only version 1',
    ],
  ] as const) {
    const file = stateFile();
    await writeFile(file, text);
    await chmod(file, 0o644);
    const { mode } = await stat(file);
    await expect(opened(file)).rejects.toMatchObject({ code: 'state-foreign', message: `${file} ${message}` });
    expect([await readFile(file, 'utf8'), (await stat(file)).mode]).toEqual([text, mode]);
  }
});

test('the desk stops writing to a file that was removed, cut or replaced while it runs', async () => {
  const truncate = (file: string) => writeFile(file, '');
  const replace = (file: string) => truncate(`${file}.n`).then(() => rename(`${file}.n`, file));
  for (const change of [rm, truncate, replace]) {
    const file = stateFile();
    const { log } = await opened(file);
    log.append(engagementEvent('e000000000001'));
    await change(file);
    expect(() => log.append(unread('second'))).toThrow('was removed, replaced or changed');
  }
});

const engagement = (id: string): string => JSON.stringify(engagementEvent(id));
const eventLine = (number: number, more: object = {}): string =>
  JSON.stringify({
    ...{ t: 'exchange', engagement: 'e000000000001', number, baseUrl: 'http://h' },
    exchange: {
      request: { method: 'POST', scheme: 'http', host: 'h', target: '/', headers: [], body: { base64: 'AA==' } },
      ...{ startedAt: 5, durationMs: 1 },
    },
    ...more,
  });

const unusable: readonly (readonly [line: string, why: string])[] = [
  ['garbage', 'it is not JSON'],
  ['{"t":"celebrate"}', 't is "celebrate" (text); it must be one of'],
  ['{"t":"restart","engagement":"e000000000009","at":1}', 'it names an unknown engagement'],
  [engagement('e000000000001'), 'it creates the engagement e000000000001 a second time'],
  [engagement('e000000000002').replace('"canary-0123456789"', '["canary-0123456789"]'), 'a list that is not shown'],
  [eventLine(1), 'its exchange number 1 is not above the last number 1'],
];

test('an unusable line is named and ignored, and the other lines count', async ({ folder }) => {
  const { open: openDesk, stateFile: file } = folder;
  await (await openDesk()).close();
  const lines = unusable.map(([line]) => line);
  await appendFile(file, [engagement('e000000000001'), eventLine(1), ...lines, eventLine(2), ''].join('\n'));
  const before = await readFile(file);
  const { service, remarks, close } = await openDesk();
  await close();
  expect(service.find('e000000000001').exchanges.map(({ number }) => number)).toEqual([1, 2]);
  expect(remarks).toEqual([
    expect.stringMatching(/^6 lines of the state file cannot be used and will be ignored: line 4 \(/),
  ]);
  for (const [at, [, reason]] of unusable.entries())
    expect(remarks[0]).toMatch(new RegExp(`line ${at + 4} \\([^)]*${reason.replace(/[()]/g, '\\$&')}`));
  expect(remarks[0]).not.toContain('canary');
  expect(await readFile(file)).toEqual(before);
});

test('of many unusable lines, the remark has the count and names ten', async () => {
  const file = stateFile();
  await opened(file);
  await appendFile(file, 'x\n'.repeat(1_000));
  const { remarks } = await opened(file);
  expect(remarks[0]).toMatch(/^1000 lines .*: line 2 \(it is not JSON\), .*, line 11 \(it is not JSON\) and 990 more$/);
});

test('a full file refuses a new event, and keeps the old events', async () => {
  const file = stateFile();
  const { log } = await opened(file, 1_000);
  log.append(engagementEvent('e000000000001'));
  expect(() => log.append(unread('x'.repeat(1_000)))).toThrow('has reached its limit of 1000 bytes');
  log.append(unread('fits too'));
  expect((await opened(file)).reasons()).toEqual(['fits too']);
});

test('the error for a file that cannot be written has a hint', async () => {
  const file = stateFile();
  await expect(opened(join(file, 'below'))).rejects.toMatchObject({
    code: 'state-unwritable',
    hint: expect.stringContaining('--state'),
  });
});

test('the lock of a running process is respected, and the lock of an ended process is taken over', async () => {
  const file = stateFile();
  await writeFile(`${file}.lock`, `${process.ppid}\n`);
  expect(() => takeDeskLock(file)).toThrow(`process ${process.ppid}`);
  const { pid } = spawnSync(process.execPath, ['--version']);
  // An empty lock file does not lock the state file.
  await writeFile(`${file}.lock`, '');
  takeDeskLock(file).release();
  await writeFile(`${file}.lock`, `${pid}\n`);
  const lock = takeDeskLock(file);
  expect(await readFile(`${file}.lock`, 'utf8')).toBe(`${process.pid}\n`);
  lock.release();
  await expect(stat(`${file}.lock`)).rejects.toMatchObject({ code: 'ENOENT' });
});
