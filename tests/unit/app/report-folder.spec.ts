/** The folder of a run: what a run writes and does not overwrite there, how it is read again, and its page. */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { validate } from '../../../schemas/index.ts';
import type { Surroundings } from '../../../src/app/command.ts';
import { readStoredReport } from '../../../src/app/config/stored-runs.ts';
import { endRun } from '../../../src/app/perform-run.ts';
import { filesOfRun, writeReport } from '../../../src/app/write-report.ts';
import { readHar } from '../../../src/record/read-har.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { completeRunOptions } from '../../../src/run/options/run-options.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';
import { skipUnless } from '../../needed.ts';
import { comparable } from '../record/arbitrary-cases.ts';
import { everything } from '../report/all-outcomes.ts';
import { sampleCases } from '../report/sample-cases.ts';
import { folderAt, here, oneLine, refuses, reportIn, run, startLine } from './run-command.ts';
import { file, foreignHar } from './signed-call.ts';

const har = foreignHar();
const traffic = () => file(here('traffic.har'), har);

const commands: Readonly<Record<string, () => readonly string[]>> = {
  gateway: () => ['gateway'],
  client: () => ['client', '--defect', 'recurring/payload-plus-raw'],
  judge: () => ['judge', traffic()],
  rekey: () => ['rekey', traffic()],
};

for (const [name, words] of Object.entries(commands)) {
  test(`${name} refuses a folder with other files, a file, and a place that cannot have folders`, async () => {
    const own = file(here('out', 'report.json'), 'mine');
    await refuses([...words(), '--out', here('out')], 'contains other files, such as report.json', oneLine);
    for (const out of [join(own, 'below'), '/proc/countersign'])
      await refuses([...words(), '--out', out], /cannot be written|is not a folder/, oneLine);
    expect([readdirSync(here('out')), readFileSync(own, 'utf8')]).toEqual([['report.json'], 'mine']);
  });
}

/** A run whose adapter does not start, so that it sends nothing. */
const failToStart = (out: string) => run(['client', '--out', out, '--', process.execPath, 'no-such-adapter.mjs']);

test('a run that sent nothing leaves its folder to the next run, and an interrupted run does not', async () => {
  const out = here('out');
  const judge = () => run(['judge', traffic(), '--side', 'gateway', '--out', out]);
  expect([(await failToStart(out)).exitCode, reportIn(out).conclusion]).toEqual([3, 'aborted']);
  // A run must not remove files that are not of a report.
  file(join(out, 'notes.txt'), 'mine');
  expect((await judge()).err).toContain('contains other files, such as notes.txt');
  rmSync(join(out, 'notes.txt'));
  expect([(await judge()).exitCode, existsSync(join(out, 'report.html'))]).toEqual([1, true]);
  file(join(out, 'report.json'), JSON.stringify({ ...reportIn(out), conclusion: 'aborted', aborted: 'cut' }));
  expect((await judge()).err).toContain('contains the report of another run');
});

test('a run replaces only files of an earlier run, and a run without a verdict leaves them', async () => {
  const out = here('out');
  await run(['judge', traffic(), '--side', 'gateway', '--out', out]);
  const stored = () =>
    Object.fromEntries(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]));
  const before = stored();
  const message = expect.stringMatching(/Nothing was judged\.\s+The\s+earlier\s+report\s+in\s+\S+\s+stays\./);
  expect(await failToStart(out)).toMatchObject({ exitCode: 3, err: message });
  expect(stored()).toEqual(before);
  const later = { ...JSON.parse(before['report.json']!), runId: 'later' };
  const cut = { results: [], conclusion: 'aborted', aborted: 'cut' };
  for (const change of [cut, { ...cut, contracts: [{ outcome: 'inconclusive' }] }, { results: [], exchangeCount: 0 }]) {
    expect(await writeReport({ result: { ...later, ...change }, cases: [] }, { out })).toBe(false);
    expect(stored()).toEqual(before);
  }
  file(join(out, 'certificate.json'), 'mine');
  const foreign = expect.stringContaining('files, such as certificate.json');
  expect(await failToStart(out)).toMatchObject({ exitCode: 2, err: foreign });
  expect(stored()).toEqual({ ...before, 'certificate.json': 'mine' });
  rmSync(join(out, 'certificate.json'));
  expect(await writeReport({ result: later, cases: [] }, { out })).toBe(true);
  expect(reportIn(out).runId).toBe('later');
});

test('a used port is reported before the command waits for a debugger', async () => {
  const server = createServer();
  const { port } = await listen(server);
  try {
    const message = `127.0.0.1:${port} (EADDRINUSE: address already in use). `;
    await refuses(['client', '--attach', String(port), '--out', here('out')], message);
    expect(existsSync(here('out'))).toBe(false);
  } finally {
    server.close();
  }
});

test('wrong use creates no folder, so that no job uses the report of an older run', async () => {
  for (const wrong of ['gateway --only no-such-requirement', 'gateway --cases many', 'client --defect none']) {
    const { exitCode } = await run([...wrong.split(' '), '--out', here('out')]);
    expect([exitCode, existsSync(here('out'))], wrong).toEqual([2, false]);
  }
});

test('judge and rekey accept an empty folder', async () => {
  const out = folderAt('out');
  expect((await run(['judge', traffic(), '--out', out, '--json'])).exitCode).toBe(1);
  expect(readdirSync(out)).toContain('report.json');
  const copied = await run(['rekey', traffic(), '--out', here('copy'), '--json']);
  expect([copied.exitCode, validate('command-output/written', JSON.parse(copied.out))]).toEqual([0, []]);
  expect(JSON.parse(copied.out)).toMatchObject({ written: [here('copy')], different: [] });
});

test('rekey writes nothing if the copy would have a value of the original, and says what and where', async () => {
  const id = 'order-of-Mrs-Example';
  const hidden = { name: 'X-Note', value: Buffer.from(`an ${id} z`).toString('base64') };
  const [{ request, ...entry }] = JSON.parse(har).log.entries;
  const entries = [
    { ...entry, request: { ...request, url: `${request.url}?client_orderid=${id}` } },
    { ...entry, request: { ...request, headers: [hidden], queryString: [] } },
  ];
  const traffic = file(here('traffic.har'), JSON.stringify({ log: { version: '1.2', entries } }));
  const out = here('level', 'out');
  expect(await run(['rekey', traffic, '--out', out])).toEqual({
    exitCode: 3,
    out: '',
    err:
      'countersign: the copy would contain an id of the original, in the request of exchange 2, so nothing is written. ' +
      'rekey cannot replace this form of the value. Remove the value or the whole exchange from the recording.\n',
  });
  expect(readdirSync(out)).toEqual([]);
});

test('judge refuses runs of two base URLs', async () => {
  await run(['judge', traffic(), '--out', here('judged')]);
  const folders = ['one', 'two'].map((name) => {
    const subject = { kind: 'client', name: 'the subject', target: `https://${name}.example/paynet` };
    file(here(name, 'exchanges.har'), readFileSync(here('judged', 'exchanges.har')));
    file(here(name, 'report.json'), JSON.stringify({ ...reportIn(here('judged')), subject }));
    return here(name);
  });
  await refuses(['judge', ...folders, '--out', here('together')], /the runs in \S+ and \S+ differ: .+, and /, oneLine);
  expect(existsSync(here('together'))).toBe(false);
});

const wrong: Readonly<Record<string, readonly [text: string, says: string, hint: string]>> = {
  'no JSON': ['{"format":', 'is not JSON', 'Name the folder of a run.'],
  'another format': ['{"format":"x"}', 'is not the report of a run', 'Name the folder of a run.'],
  'a later version': [
    alter({ formatVersion: 2, suite: { name: 'countersign', version: '9.1.0' } }),
    'has another version of the format: formatVersion is 2 (number); it must be 1',
    'Use the unchanged report, or the version that wrote it: countersign 9.1.0.',
  ],
  'no rows': [alter({ results: undefined }), 'cannot be used: results is missing', 'Use the unchanged report'],
  'a suite that is none': [alter({ suite: 7 }), 'suite is 7 (number); it must be an object', 'nobody has changed'],
  'a profile that is none': [alter({ profile: 'strickt' }), 'there is no profile strickt', 'strict'],
};

for (const [name, [text, says, hint]] of Object.entries(wrong)) {
  test(`a report is refused with its place: ${name}`, async () => {
    const folder = here();
    const path = file(join(folder, 'report.json'), text);
    await expect(readStoredReport(folder)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${escaped(path)}:? .*${escaped(says)}`)),
      hint: expect.stringContaining(hint),
    });
  });
}

for (const command of ['judge', 'rekey']) {
  test(`${command} of a report.json names its folder, and of an unusable report leaves no folder`, async () => {
    const path = file(here('run', 'report.json'), alter({}));
    await refuses([command, path, '--out', here('out')], `Give the folder of the report: ${here('run')}.`);
    file(path, alter({ durationMs: 'long' }));
    file(here('run', 'exchanges.har'), har);
    const says = 'report.json cannot be used: durationMs is "long" (text)';
    await refuses([command, here('run'), '--out', here('out')], says, oneLine);
    expect(existsSync(here('out'))).toBe(false);
  });
}

function alter(members: Partial<Record<keyof Result, unknown>>): string {
  return JSON.stringify({ ...everything, ...members });
}

function escaped(text: string): string {
  return text.replace(/[.()[\]]/g, '\\$&');
}

test.describe('write report', () => {
  test('a run writes a file of each format, also if it is aborted, and its exchanges keep their numbers', async () => {
    const out = here('run');
    await writeReport({ result: everything, cases: sampleCases }, { out });
    expect((await readdir(out)).sort()).toEqual([...filesOfRun].sort());
    const text = await readFile(join(out, 'exchanges.har'), 'utf8');
    expect(readHar(text).entries.map(({ testCase }) => comparable(testCase!))).toEqual(sampleCases.map(comparable));
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    await writeReport({ result: { ...everything, results: [], exchangeCount: 0 }, cases: [] }, { out });
    expect(await readdir(out)).toHaveLength(filesOfRun.length);
    expect(readHar(await readFile(join(out, 'exchanges.har'), 'utf8')).entries).toEqual([]);
  });

  test('if a format fails, the others are written, and the report has no conclusion', async () => {
    const recorded = {
      side: 'client',
      get records(): never {
        throw new Error('too large');
      },
    } as const;
    const out = here('run');
    const written = writeReport({ result: everything, cases: sampleCases, recorded }, { out });
    await expect(written).rejects.toThrow('exchanges.har could not be written: too large');
    const names = ['junit.xml', 'report.html', 'report.json', 'summary.md'];
    expect(await readdir(out)).toEqual(expect.arrayContaining(names));
    const aborted = 'exchanges.har could not be written: too large';
    expect(reportIn(out)).toMatchObject({ conclusion: 'aborted', aborted });
  });

  test('a report that cannot be written completely is one sentence, and no file is left', async () => {
    const out = here('run');
    // A folder with the name of the last file: all other files are written before it.
    await mkdir(join(out, 'report.json', 'in the way'), { recursive: true });
    const error = { name: 'DiskError', message: expect.stringContaining(`the report in ${out} cannot be written (E`) };
    await expect(writeReport({ result: everything, cases: sampleCases }, { out })).rejects.toMatchObject(error);
    expect(await readdir(out)).toEqual(['report.json']);
    const messages: string[] = [];
    const remark = (sentence: string) => void messages.push(sentence);
    const options = completeRunOptions({ out }, 0, '/nowhere');
    await endRun(options, { aborted: 'why', hint: 'Do this.' }, { remark } as Surroundings);
    expect(messages.join()).toMatch(
      /^why\. Nothing was judged\. No report was written: the report in .* cannot be written \(EISDIR: illegal operation on a directory\)\.\nDo this\.$/,
    );
  });
});

const stored = () => join(file(here('run', 'report.json'), jsonReport(everything)), '..');

test('the page is served on loopback until an interrupt, and not under another host name', async () => {
  const started = startLine(['report', stored()]);
  const [address] = await started.until('out', /^http:\/\/127\.0\.0\.1:\d+\/$/m);
  const { hostname, port, host } = new URL(address);
  const fetchPage = async (path: string, name = host) => {
    const call = request({ hostname, port, path, headers: { host: name } }).end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return `${answer.statusCode} ${(await text(answer)).slice(0, 15)}`.trim();
  };
  expect(await fetchPage('/')).toBe('200 <!doctype html>');
  expect(await fetchPage('/?from=a-mail')).toMatch(/^200 /);
  for (const path of ['/report.json', '//elsewhere.example']) expect(await fetchPage(path)).toMatch(/^404/);
  expect(await fetchPage('/', 'elsewhere.example')).toMatch(/^403/);
  started.interrupt();
  expect(await started.ended).toMatchObject({ exitCode: 0, out: `${address}\n` });
  const asData = startLine(['report', stored(), '--json']);
  const [line] = await asData.until('out', /^\{.*\}$/m);
  asData.interrupt();
  expect(validate('command-output/page', JSON.parse(line))).toEqual([]);
  expect(await asData.ended).toEqual({ exitCode: 0, out: `${line}\n`, err: '' });
});

test('--out writes the page, and says in a sentence why it cannot', async () => {
  const file = here('page.html');
  const folder = stored();
  expect(await run(['report', folder, '--out', file])).toEqual({ exitCode: 0, out: '', err: '' });
  expect(readFileSync(file, 'utf8')).toContain('– Countersign</title>');
  for (const [args, said] of [
    [[folder, '--out', join(folder, 'report.json', 'page.html')], 'cannot be written ('],
    [[folder, '--out', file, '--open'], '--open and --out exclude each other'],
    [[join(folder, 'none')], 'does not exist'],
    [[folder, '--port', '70000'], 'is not a whole number from 0 to 65535.'],
  ] as const)
    await refuses(['report', ...args], said);
});

test('a page replaces a page and an empty file, and nothing else', async () => {
  const file = here('page.html');
  const folder = stored();
  for (const text of ['', '<!DOCTYPE html>\n<p>', '\ufeff<html lang="en">']) {
    writeFileSync(file, text);
    expect(await run(['report', folder, '--out', file])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8')).toContain('– Countersign</title>');
  }
  for (const text of ['root:x:0:0\n', '<htmlx>', '{"format":1}']) {
    writeFileSync(file, text);
    await refuses(['report', folder, '--out', file], `${file} is not an HTML page`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
});

test('exchanges that cannot be opened are an error, and the page is not written without them', async () => {
  skipUnless(process.platform !== 'win32', 'links that anyone may make');
  const folder = stored();
  const har = join(folder, 'exchanges.har');
  for (const [to, said] of [
    [har, 'cannot be read (ELOOP'],
    [join(folder, 'elsewhere.har'), 'does not exist'],
  ] as const) {
    symlinkSync(to, har);
    await refuses(['report', folder, '--out', here('page.html')], `${har} ${said}`);
    rmSync(har);
  }
});

test('--open opens the address with the program of the system, or says that none could be started', async () => {
  const opener = { darwin: 'open', win32: 'cmd' }[process.platform as string] ?? 'xdg-open';
  skipUnless(process.platform !== 'win32', 'a system whose opener can be a script');
  const folder = folderAt('bin');
  const argumentFile = join(folder, 'given');
  const withOpener = (script: string) => {
    writeFileSync(join(folder, opener), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return startLine(['report', stored(), '--open'], { PATH: folder });
  };
  const opened = withOpener(`echo "$1" > '${argumentFile}'`);
  const [address] = await opened.until('out', /^http:\S+$/m);
  await expect.poll(() => existsSync(argumentFile) && readFileSync(argumentFile, 'utf8')).toContain('\n');
  opened.interrupt();
  expect(readFileSync(argumentFile, 'utf8').trim()).toBe(address);
  expect((await opened.ended).err).toBe('The page stays at this address until you press Ctrl+C.\n');
  for (const env of [{ PATH: here('nothing') }, undefined]) {
    const unopened = env === undefined ? withOpener('exit 3') : startLine(['report', stored(), '--open'], env);
    await unopened.until('err', /^No browser could be started\. Open http:\S+ yourself\.$/m);
    unopened.interrupt();
    expect((await unopened.ended).exitCode).toBe(0);
  }
});
