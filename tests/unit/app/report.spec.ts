/** `countersign report`: the page of a stored run, on this machine alone or in a file. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { expect, test } from '../../engine.ts';
import { skipUnless } from '../../needed.ts';
import { everything } from '../report/all-outcomes.ts';
import { run, startLine } from './captured.ts';

function stored(): string {
  const folder = test.info().outputPath('run');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), jsonReport(everything));
  return folder;
}

test('the page is served on loopback until the command is interrupted, and to nobody who calls it by another name', async () => {
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

test('--out writes the page that a run writes, and says in a sentence what it cannot do', async () => {
  const file = test.info().outputPath('page.html');
  const folder = stored();
  expect(await run(['report', folder, '--out', file])).toEqual({ exitCode: 0, out: '', err: '' });
  expect(readFileSync(file, 'utf8')).toContain('– Countersign</title>');
  for (const [args, said] of [
    [
      [folder, '--out', join(folder, 'none', 'page.html')],
      'cannot be written (ENOENT: it, or a folder on the way to it, does not exist)',
    ],
    [[folder, '--out', file, '--open'], '--open and --out cannot be used together'],
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
    expect([exitCode, err]).toEqual([2, expect.stringContaining(`${file} holds something else than a page`)]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
});

test('exchanges that are there and cannot be opened are named, and not left out of the page', async () => {
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

test('--open hands the address to the opener of the system, and says so where none can be started', async () => {
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
  expect((await opened.ended).err).toBe('Ctrl-C ends it.\n');
  for (const env of [{ PATH: test.info().outputPath('nothing') }, undefined]) {
    const none = env === undefined ? withOpener('exit 3') : startLine(['report', stored(), '--open'], env);
    await none.until('err', /^No browser could be started: open http:\S+ yourself\.$/m);
    none.interrupt();
    expect((await none.ended).exitCode).toBe(0);
  }
});
