/** The folder of a run: what a run writes and does not overwrite there, how it is read again, and its page. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { skipUnless } from '../../needed.ts';
import { comparable } from '../record/arbitrary-cases.ts';
import { everything } from '../report/all-outcomes.ts';
import { sampleCases } from '../report/sample-cases.ts';
import { run, startLine } from './captured.ts';
import { file, foreignHar } from './signed-call.ts';

const har = foreignHar();

const commands: Readonly<Record<string, readonly string[]>> = {
  gateway: ['gateway'],
  client: ['client', '--defect', 'recurring/payload-plus-raw'],
  judge: ['judge', 'HAR'],
  rekey: ['rekey', 'HAR'],
};

for (const [name, command] of Object.entries(commands)) {
  const start = (out: string) => {
    const file = test.info().outputPath('traffic.har');
    writeFileSync(file, har);
    return run([...command.map((word) => (word === 'HAR' ? file : word)), '--out', out]);
  };

  test(`${name} refuses a folder that holds a foreign report.json, in one sentence, and leaves it as it was`, async () => {
    const out = test.info().outputPath('out');
    mkdirSync(out);
    writeFileSync(join(out, 'report.json'), 'mine');
    const { exitCode, err } = await start(out);
    expect([exitCode, err]).toEqual([
      2,
      expect.stringMatching(/^countersign: [^\n]*contains other files, such as report\.json[^\n]*\n$/),
    ]);
    expect(readdirSync(out)).toEqual(['report.json']);
    expect(readFileSync(join(out, 'report.json'), 'utf8')).toBe('mine');
  });

  test(`${name} refuses a file and a place where no folder can be made, in one sentence`, async () => {
    const file = test.info().outputPath('file');
    writeFileSync(file, 'mine');
    for (const out of [join(file, 'below'), '/proc/countersign']) {
      const { exitCode, err } = await start(out);
      expect([exitCode, err]).toEqual([
        2,
        expect.stringMatching(/^countersign: [^\n]*(?:cannot be written|is not a folder)[^\n]*\n$/),
      ]);
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
}

test('a run that sent nothing leaves its folder to the next run, and an interrupted run does not', async () => {
  const out = test.info().outputPath('out');
  const file = test.info().outputPath('traffic.har');
  writeFileSync(file, har);
  const judged = () => run(['judge', file, '--side', 'gateway', '--out', out]);
  const before = await run(['client', '--out', out, '--', process.execPath, 'no-such-adapter.mjs']);
  expect([before.exitCode, JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')).conclusion]).toEqual([
    3,
    'aborted',
  ]);
  // A run must not remove files that are not of a report.
  writeFileSync(join(out, 'notes.txt'), 'mine');
  expect((await judged()).err).toContain('contains other files, such as notes.txt');
  rmSync(join(out, 'notes.txt'));
  expect([(await judged()).exitCode, existsSync(join(out, 'report.html'))]).toEqual([1, true]);
  const path = join(out, 'report.json');
  writeFileSync(
    path,
    JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), conclusion: 'aborted', aborted: 'cut' }),
  );
  expect((await judged()).err).toContain('contains the report of another run');
});

test('a run replaces only files of an earlier run, and a run without a verdict leaves them', async () => {
  const [out, traffic] = [test.info().outputPath('out'), test.info().outputPath('traffic.har')];
  writeFileSync(traffic, har);
  await run(['judge', traffic, '--side', 'gateway', '--out', out]);
  const stored = () =>
    Object.fromEntries(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]));
  const start = () => run(['client', '--out', out, '--', process.execPath, 'no-such-adapter.mjs']);
  const before = stored();
  expect(await start()).toMatchObject({
    exitCode: 3,
    err: expect.stringMatching(/Nothing was judged\.\s+The\s+earlier\s+report\s+in\s+\S+\s+stays\./),
  });
  expect(stored()).toEqual(before);
  const result = JSON.parse(before['report.json']!);
  const later = { ...result, runId: 'later' };
  for (const changes of [
    { results: [], conclusion: 'aborted', aborted: 'cut' },
    { results: [], contracts: [{ outcome: 'inconclusive' }], conclusion: 'aborted', aborted: 'cut' },
    { results: [], exchangeCount: 0 },
  ]) {
    expect(await writeReport({ result: { ...later, ...changes }, cases: [] }, { out })).toBe(false);
    expect(stored()).toEqual(before);
  }
  writeFileSync(join(out, 'certificate.json'), 'mine');
  expect(await start()).toMatchObject({ exitCode: 2, err: expect.stringContaining('files, such as certificate.json') });
  expect(stored()).toEqual({ ...before, 'certificate.json': 'mine' });
  rmSync(join(out, 'certificate.json'));
  expect(await writeReport({ result: later, cases: [] }, { out })).toBe(true);
  expect(JSON.parse(stored()['report.json']!).runId).toBe('later');
});

test('a used port is reported before the command waits for a debugger', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const out = test.info().outputPath('out');
  try {
    const { exitCode, err } = await run(['client', '--attach', String(port), '--out', out]);
    expect([exitCode, err, existsSync(out)]).toEqual([
      2,
      expect.stringContaining(`127.0.0.1:${port} (EADDRINUSE: address already in use). `),
      false,
    ]);
  } finally {
    server.close();
  }
});

test('wrong use creates no folder, so that no job uses the report of an older run', async () => {
  for (const wrong of [
    ['gateway', '--only', 'no-such-requirement'],
    ['gateway', '--cases', 'many'],
    ['client', '--defect', 'no-such-defect'],
  ]) {
    const out = test.info().outputPath('out');
    expect([(await run([...wrong, '--out', out])).exitCode, existsSync(out)], wrong.join(' ')).toEqual([2, false]);
  }
});

test('judge and rekey accept an empty folder', async () => {
  const [file, out] = [test.info().outputPath('traffic.har'), test.info().outputPath('out')];
  writeFileSync(file, har);
  mkdirSync(out);
  expect((await run(['judge', file, '--out', out, '--json'])).exitCode).toBe(1);
  expect(readdirSync(out)).toContain('report.json');
  const copied = await run(['rekey', file, '--out', test.info().outputPath('copy'), '--json']);
  expect([copied.exitCode, validate('command-output/written', JSON.parse(copied.out))]).toEqual([0, []]);
  expect(JSON.parse(copied.out)).toMatchObject({ written: [test.info().outputPath('copy')], different: [] });
});

test('rekey writes nothing if the copy would have a value of the original, and says what and where', async () => {
  const id = 'order-of-Mrs-Example';
  const hidden = Buffer.from(`an ${id} z`).toString('base64');
  const [entry] = JSON.parse(har).log.entries;
  const { request } = entry;
  const traffic = (secret: string) => ({
    ...entry,
    request: { ...request, headers: [{ name: 'X-Note', value: secret }], queryString: [] },
  });
  const named = { ...entry, request: { ...request, url: `${request.url}?client_orderid=${id}` } };
  const file = test.info().outputPath('traffic.har');
  writeFileSync(file, JSON.stringify({ log: { version: '1.2', entries: [named, traffic(hidden)] } }));
  const out = test.info().outputPath('level', 'out');
  const rekeyed = await run(['rekey', file, '--out', out]);
  expect(rekeyed.err).toBe(
    'countersign: the copy would contain an id of the original, in the request of exchange 2, so nothing is written. ' +
      'rekey cannot replace this form of the value. Remove the value or the whole exchange from the recording.\n',
  );
  expect([rekeyed.exitCode, rekeyed.out]).toEqual([3, '']);
  expect(readdirSync(out)).toEqual([]);
});

test('judge refuses runs of two base URLs', async () => {
  const base = test.info().outputPath();
  const sides = [{ subject: at('https://one.example/paynet') }, { subject: at('https://two.example/paynet') }];
  mkdirSync(base, { recursive: true });
  writeFileSync(join(base, 'traffic.har'), har);
  await run(['judge', join(base, 'traffic.har'), '--out', join(base, 'judged')]);
  const report = JSON.parse(readFileSync(join(base, 'judged', 'report.json'), 'utf8'));
  const folders = sides.map((side, index) => {
    const folder = join(base, String(index));
    file(join(folder, 'exchanges.har'), readFileSync(join(base, 'judged', 'exchanges.har')));
    file(join(folder, 'report.json'), JSON.stringify({ ...report, ...side }));
    return folder;
  });
  const says = expect.stringMatching(/^countersign: the run in \S+ is of [^\n]+, and the run in \S+ of [^\n]+\n$/);
  const { exitCode, err } = await run(['judge', ...folders, '--out', join(base, 'together')]);
  expect([exitCode, err, existsSync(join(base, 'together'))]).toEqual([2, says, false]);
});

function at(target: string) {
  return { kind: 'client', name: 'the subject', target };
}

const wrong: Readonly<Record<string, readonly [text: string, says: string, hint: string]>> = {
  'no JSON': ['{"format":', 'is not JSON', 'Name the folder of a run.'],
  'another format': ['{"format":"x"}', 'is not the report of a run', 'Name the folder of a run.'],
  'a later version': [
    altered({ formatVersion: 2, suite: { name: 'countersign', version: '9.1.0' } }),
    'has another version of the format: formatVersion is 2 (number); it must be 1',
    'Use the unchanged report, or the version that wrote it: countersign 9.1.0.',
  ],
  'no rows': [altered({ results: undefined }), 'cannot be used: results is missing', 'Use the unchanged report'],
  'a suite that is none': [altered({ suite: 7 }), 'suite is 7 (number); it must be an object', 'unchanged'],
  'a profile that is none': [altered({ profile: 'strickt' }), 'there is no profile strickt', 'strict'],
};

for (const [name, [text, says, hint]] of Object.entries(wrong)) {
  test(`a report is refused with its place: ${name}`, async () => {
    const folder = test.info().outputPath();
    const path = file(join(folder, 'report.json'), text);
    await expect(readStoredReport(folder)).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^${escaped(path)}:? .*${escaped(says)}`)),
      hint: expect.stringContaining(hint),
    });
  });
}

for (const command of ['judge', 'rekey']) {
  test(`${command} of a report.json names the folder that it is in`, async () => {
    const folder = test.info().outputPath('run');
    const path = file(join(folder, 'report.json'), altered({}));
    const { exitCode, err } = await run([command, path, '--out', test.info().outputPath('out')]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(`Give the folder of the report: ${folder}.`)]);
  });

  test(`${command} ends with the sentence, and leaves no folder`, async () => {
    const folder = test.info().outputPath('run');
    mkdirSync(folder, { recursive: true });
    file(join(folder, 'report.json'), altered({ durationMs: 'long' }));
    file(join(folder, 'exchanges.har'), har);
    const out = test.info().outputPath('out');
    const { exitCode, err } = await run([command, folder, '--out', out]);
    expect([exitCode, existsSync(out)]).toEqual([2, false]);
    expect(err).toMatch(/^countersign: [^\n]*report\.json cannot be used: durationMs is "long" \(text\)[^\n]*\n$/);
  });
}

function altered(members: Partial<Record<keyof Result, unknown>>): string {
  return JSON.stringify({ ...everything, ...members });
}

function escaped(text: string): string {
  return text.replace(/[.()[\]]/g, '\\$&');
}

test.describe('write report', () => {
  let out: string;

  test.beforeEach(async () => {
    out = join(await mkdtemp(join(tmpdir(), 'countersign-')), 'run');
  });

  test.afterEach(async () => {
    await rm(join(out, '..'), { recursive: true });
  });

  test('a run writes a file of each format, also if it is aborted, and its exchanges keep their numbers', async () => {
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
    const written = writeReport({ result: everything, cases: sampleCases, recorded }, { out });
    await expect(written).rejects.toThrow('exchanges.har could not be written: too large');
    expect(await readdir(out)).toEqual(
      expect.arrayContaining(['junit.xml', 'report.html', 'report.json', 'summary.md']),
    );
    const report = JSON.parse(await readFile(join(out, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ conclusion: 'aborted', aborted: 'exchanges.har could not be written: too large' });
  });

  test('if a part of a report cannot be written, one sentence says so, and no part is left', async () => {
    // A folder with the name of the last file: all other files are written before it.
    await mkdir(join(out, 'report.json', 'in the way'), { recursive: true });
    const told = { name: 'DiskError', message: expect.stringContaining(`the report in ${out} cannot be written (E`) };
    await expect(writeReport({ result: everything, cases: sampleCases }, { out })).rejects.toMatchObject(told);
    expect(await readdir(out)).toEqual(['report.json']);
    let said = '';
    const remark = (sentence: string) => {
      said += sentence;
    };
    const options = completeRunOptions({ out }, 0, '/nowhere');
    await endRun(options, { aborted: 'why', hint: 'Do this.' }, { remark } as Surroundings);
    expect(said).toMatch(
      /^why\. Nothing was judged\. No report was written: the report in .* cannot be written \(EISDIR: illegal operation on a directory\)\.\nDo this\.$/,
    );
  });
});

function stored(): string {
  const folder = test.info().outputPath('run');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), jsonReport(everything));
  return folder;
}

test('the page is served on loopback until an interrupt, and not under another host name', async () => {
  const started = startLine(['report', stored()]);
  const [address] = await started.until('out', /^http:\/\/127\.0\.0\.1:\d+\/$/m);
  const asked = async (path: string, host?: string) => {
    const { hostname, port } = new URL(address);
    return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const call = request({ hostname, port, path, headers: host === undefined ? {} : { host } }, (answer) => {
        let text = '';
        answer.on('data', (part) => {
          text += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      });
      call.on('error', reject).end();
    });
  };
  const page = await asked('/');
  expect([page.status, page.text.slice(0, 15)]).toEqual([200, '<!doctype html>']);
  expect((await asked('/?from=a-mail')).status).toBe(200);
  expect((await asked('/report.json')).status).toBe(404);
  expect((await asked('//elsewhere.example')).status).toBe(404);
  expect((await asked('/', 'elsewhere.example')).status).toBe(403);
  started.interrupt();
  expect(await started.ended).toMatchObject({ exitCode: 0, out: `${address}\n` });
  const asData = startLine(['report', stored(), '--json']);
  const [line] = await asData.until('out', /^\{.*\}$/m);
  asData.interrupt();
  expect(validate('command-output/page', JSON.parse(line))).toEqual([]);
  expect(await asData.ended).toEqual({ exitCode: 0, out: `${line}\n`, err: '' });
});

test('--out writes the page, and says in a sentence why it cannot', async () => {
  const file = test.info().outputPath('page.html');
  const folder = stored();
  expect(await run(['report', folder, '--out', file])).toEqual({ exitCode: 0, out: '', err: '' });
  expect(readFileSync(file, 'utf8')).toContain('– Countersign</title>');
  for (const [args, said] of [
    [[folder, '--out', join(folder, 'report.json', 'page.html')], 'cannot be written ('],
    [[folder, '--out', file, '--open'], '--open and --out exclude each other'],
    [[join(folder, 'none')], 'does not exist'],
    [[folder, '--port', '70000'], 'is not a whole number from 0 to 65535.'],
  ] as const) {
    const { exitCode, err } = await run(['report', ...args]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(said)]);
  }
});

test('a page replaces a page and an empty file, and nothing else', async () => {
  const file = test.info().outputPath('page.html');
  const folder = stored();
  for (const text of ['', '<!DOCTYPE html>\n<p>', '\ufeff<html lang="en">']) {
    writeFileSync(file, text);
    expect(await run(['report', folder, '--out', file])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8')).toContain('– Countersign</title>');
  }
  for (const text of ['root:x:0:0\n', '<htmlx>', '{"format":1}']) {
    writeFileSync(file, text);
    const { exitCode, err } = await run(['report', folder, '--out', file]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(`${file} is not an HTML page`)]);
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
    const { exitCode, err } = await run(['report', folder, '--out', test.info().outputPath('page.html')]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(`${har} ${said}`)]);
    rmSync(har);
  }
});

test('--open opens the address with the program of the system, or says that none could be started', async () => {
  const opener = { darwin: 'open', win32: 'cmd' }[process.platform as string] ?? 'xdg-open';
  skipUnless(process.platform !== 'win32', 'a system whose opener can be a script');
  const folder = test.info().outputPath('bin');
  const given = join(folder, 'given');
  mkdirSync(folder, { recursive: true });
  const withOpener = (script: string) => {
    writeFileSync(join(folder, opener), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return startLine(['report', stored(), '--open'], { PATH: folder });
  };
  const opened = withOpener(`echo "$1" > '${given}'`);
  const [address] = await opened.until('out', /^http:\S+$/m);
  await expect.poll(() => existsSync(given) && readFileSync(given, 'utf8')).toContain('\n');
  opened.interrupt();
  expect(readFileSync(given, 'utf8').trim()).toBe(address);
  expect((await opened.ended).err).toBe('The page stays at this address until you press Ctrl+C.\n');
  for (const env of [{ PATH: test.info().outputPath('nothing') }, undefined]) {
    const none = env === undefined ? withOpener('exit 3') : startLine(['report', stored(), '--open'], env);
    await none.until('err', /^No browser could be started\. Open http:\S+ yourself\.$/m);
    none.interrupt();
    expect((await none.ended).exitCode).toBe(0);
  }
});
