/** Every command refuses at once a file that is too large, not readable or not a regular file. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { catchRefusals } from '../../../src/app/commands/certificate.ts';
import { requireReadable } from '../../../src/app/config/stored-runs.ts';
import { evidenceError } from '../../../src/extras/certificate/evidence-digest.ts';
import { openInParts, unreadableReason } from '../../../src/record/disk/files.ts';
import { expect, test } from '../../engine.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
import { keyFiles } from '../extras/certificate/stored-run.ts';
import { folderAt, here, oneLine, refuses } from './run-command.ts';
import { file } from './signed-call.ts';

/** Each command, with the file that it opens. */
const commands: Readonly<Record<string, (path: string, folder: string) => readonly string[]>> = {
  judge: (path, folder) => ['judge', path, '--out', join(folder, 'out')],
  'judge, in the folder of a run': (path, folder) => ['judge', linked(folder, path), '--out', join(folder, 'out')],
  rekey: (path, folder) => ['rekey', path, '--out', join(folder, 'out')],
  desk: (path) => ['desk', '--port', '0', '--plain-http', '--state', path],
  autopsy: (path) => ['autopsy', path],
  'autopsy --consumer-secret-file': (path, folder) => [
    'autopsy',
    file(join(folder, 'request.txt'), 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'),
    '--consumer-secret-file',
    path,
  ],
  'mock --consumer-secret-file': (path) => ['mock', '--json', '--consumer-secret-file', path],
  'mock --public-key-file': (path) => ['mock', '--json', '--public-key-file', path],
  'doctor --config': (path) => ['doctor', '--config', path],
  'gateway --config': (path) => ['gateway', '--config', path],
  verify: (path, folder) => ['verify', path, '--key', keyFiles(folder, 'shop')[1]],
  'verify --key': (path) => ['verify', 'certificate.json', '--key', path],
  'certificate --key': (path) => ['certificate', 'run', '--key', path],
  'certificate of a run': (path, folder) => [
    'certificate',
    linked(folder, path, 'report.json'),
    '--key',
    keyFiles(folder, 'shop')[0],
  ],
  matrix: (path) => ['matrix', path],
  'gateway with a secret file': (path, folder) => ['gateway', '--config', config(folder, path)],
};

const kinds: Readonly<Record<string, readonly [make: (folder: string) => string, says: RegExp]>> = {
  'a pipe': [pipe, /is not a regular file/],
  '/dev/zero': [device, /is not a regular file/],
  'a file that is too large': [large, /is larger than \d+ [KMG]B/],
};

for (const [command, args] of Object.entries(commands)) {
  for (const [kind, [make, message]] of Object.entries(kinds)) {
    test(`${kind} is refused with what to do: ${command}`, async () => {
      const folder = folderAt();
      await refuses(args(make(folder), folder), message, /^countersign: [^\n]+\. [A-Z][^\n]+\.\n$/);
    });
  }
}

for (const command of ['desk', 'autopsy', 'mock --public-key-file', 'gateway --config'] as const) {
  test(`a folder is refused in one sentence: ${command}`, async () => {
    await refuses(commands[command]!(folderAt('folder'), here()), 'is a folder', oneLine);
  });
}

function pipe(folder: string): string {
  skipUnless(missingPrograms('mkfifo').length === 0, 'mkfifo');
  const path = join(folder, 'pipe');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  return path;
}

function device(): string {
  skipUnless(existsSync('/dev/zero'), '/dev/zero');
  return '/dev/zero';
}

/** The file uses no space on the disk. */
function large(folder: string): string {
  const path = file(join(folder, 'large'), '');
  truncateSync(path, 5 * 1024 ** 3);
  return path;
}

/** The folder of a run in which this file is a link to another place. */
function linked(folder: string, path: string, name = 'exchanges.har'): string {
  mkdirSync(join(folder, 'run'));
  symlinkSync(path, join(folder, 'run', name));
  return join(folder, 'run');
}

function config(folder: string, secretFile: string): string {
  const files = `consumer-secret-file: ${secretFile}, private-key-file: ${secretFile}`;
  const yaml = `target: http://127.0.0.1:9\nendpoint-id: "1"\ncredentials: { consumer-key: key, ${files} }\n`;
  return file(join(folder, 'countersign.config.yaml'), yaml);
}

test('a file that becomes shorter while it is read is named, with what to do', async () => {
  const path = file(here('traffic.har'), 'x'.repeat(100));
  const opened = await openInParts(path, 100);
  if ('unreadable' in opened) throw new Error(opened.unreadable);
  truncateSync(path, 10);
  const message = `${path} became shorter while it was read`;
  const hint = 'Wait until no program writes to the file, then try again.';
  expect(() => opened.read(0, 100)).toThrow(expect.objectContaining({ message, hint }));
  await opened.close();
});

test('unreadable evidence is not reported as changed: the hint says to make it readable', async () => {
  const reason = unreadableReason(Object.assign(new Error('EACCES'), { code: 'EACCES' }));
  const message = 'run/report.json may not be read by this user';
  const hint = 'Let this user read the file.';
  expect(() => requireReadable('run/report.json', reason)).toThrow(expect.objectContaining({ message, hint }));
  const messages: string[] = [];
  const act = catchRefusals(() => Promise.reject(evidenceError('run/ctrf.json', reason)));
  expect(await act('', {}, { out: () => {}, remark: (text) => messages.push(text) })).toBe(2);
  expect(messages).toEqual([
    'refused: run/ctrf.json may not be read by this user.\nLet this user read the files of the evidence.',
  ]);
});
