/** Files, folders, locks, errors of the system, and output of ended processes. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { makeFolders, writeWholeFile } from '../../../src/record/disk/files.ts';
import { endGroup } from '../../../src/record/disk/processes.ts';
import { explainError, messageOf, reasonOf, remedyOf } from '../../../src/record/errors.ts';
import { expect, test } from '../../engine.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';

function placed(): string {
  const file = test.info().outputPath('folder', 'list.yaml');
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

test('a replaced file keeps its mode and its link, and no temporary file stays', async () => {
  const file = placed();
  await writeWholeFile(file, 'first');
  chmodSync(file, 0o640);
  const link = join(dirname(file), 'link');
  symlinkSync(file, link);
  await writeWholeFile(link, 'second');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['second', 0o640]);
  expect(readdirSync(dirname(file)).sort()).toEqual(['link', 'list.yaml']);
  await expect(writeWholeFile(file, 'third', { isNew: true })).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(file, 'utf8')).toBe('second');
});

test('a pipe without a reader is refused, and one with a reader gets the text', async () => {
  skipUnless(missingPrograms('mkfifo').length === 0, 'mkfifo');
  const pipe = placed();
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  await expect(writeWholeFile(pipe, 'text')).rejects.toMatchObject({ code: 'ENXIO' });
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await writeWholeFile(pipe, 'text');
  expect(readFileSync(reader, 'utf8')).toBe('text');
  closeSync(reader);
});

test('on a full disk an old file stays unchanged, and no new file is created', () => {
  skipUnless(process.platform !== 'win32', 'a shell that can limit the size of files');
  const file = placed();
  writeFileSync(file, 'known: []\n');
  const write = (command: string, path: string) => {
    const line = `ulimit -f 1; exec "${process.execPath}" dist/src/app/main.cjs ${command} "${path}"`;
    const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
    const message = stderr.replace(/\s+/g, ' ');
    expect([status, message]).toEqual([3, expect.stringContaining(`${path} cannot be written (EFBIG: `)]);
  };
  write('init --force --out', file);
  write('init --force --out', join(dirname(file), 'new.yaml'));
  // The full disk must not damage the old page: copying the new page over it would first truncate it.
  const page = join(dirname(file), 'page.html');
  writeFileSync(page, '<!doctype html>\n');
  write('autopsy --page', page);
  expect(readFileSync(page, 'utf8')).toBe('<!doctype html>\n');
  expect(readFileSync(file, 'utf8')).toBe('known: []\n');
  expect(readdirSync(dirname(file)).sort()).toEqual(['list.yaml', 'page.html']);
});

test('on a full disk no lock, matrix file or engine folder stays', () => {
  skipUnless(process.platform !== 'win32', 'a shell that can limit the size of files');
  const plan = test.info().outputPath('matrix.yaml');
  mkdirSync(dirname(plan), { recursive: true });
  const clients = Array.from({ length: 20 }, (_, at) => `  - { name: client ${at}, command: [none] }\n`);
  writeFileSync(plan, `formatVersion: 1\nclients:\n${clients.join('')}`);
  const folder = join(dirname(plan), 'full');
  mkdirSync(folder);
  for (const [blocks, command] of [
    [0, `desk --plain-http --port 0 --state "${folder}/desk.jsonl"`],
    [1, `matrix "${plan}" --out "${folder}"`],
    [1, `gateway --out "${folder}-run"`],
  ] as const) {
    const line = `ulimit -f ${blocks}; exec "${process.execPath}" dist/src/app/main.cjs ${command}`;
    const env = { ...process.env, TMPDIR: folder };
    const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8', env });
    expect([status, stderr, readdirSync(folder)]).toEqual([3, expect.stringContaining('(EFBIG: '), []]);
  }
});

test('makeFolders returns the new folders, sets their mode, and keeps existing ones', () => {
  const base = dirname(placed());
  const [outer, inner] = [join(base, 'a'), join(base, 'a', 'b')];
  expect(makeFolders(inner, 0o700)).toEqual([outer, inner]);
  expect(statSync(outer).mode & 0o777).toBe(0o700);
  expect(makeFolders(inner)).toEqual([]);
  writeFileSync(join(base, 'file'), '');
  expect(() => makeFolders(join(base, 'file', 'c'))).toThrow(/ENOTDIR/);
});

/** An error as node:fs and node:child_process throw it. */
function refused(code: string, { syscall = 'open', path = '/x/y' } = {}): Error {
  return Object.assign(new Error(`${code}: whatever, ${syscall} '${path}'`), { code, errno: -1, syscall, path });
}

test('a missing resource has a remedy, also as a deep cause', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']) {
    const cause = refused(code);
    const found = explainError(cause)!;
    expect(found.message).toMatch(new RegExp(`^/x/y cannot be used \\(${code}: [a-z/ ]+\\)$`));
    const remedy = remedyOf(new Error('the report cannot be read', { cause: new Error('deeper', { cause }) }));
    expect(remedy).toMatch(/^[A-Z].*[a-z]\.$/);
    expect(remedy).toBe(found.hint);
  }
});

test('a missing access right has a message and a hint, but no remedy', () => {
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR']) expect(remedyOf(refused(code))).toBeUndefined();
  expect(explainError(refused('EACCES'))).toEqual({
    message: '/x/y cannot be used (EACCES: permission denied)',
    hint: 'Give this user the access rights, or give another name.',
  });
});

test('an error of OpenSSL gives only its reason', () => {
  const lines = {
    '809C22DA147F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:350:\n':
      'wrong version number',
    'write EPROTO 80F:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:../deps/openssl/rec_layer_s3.c:1601:SSL alert number 40\n':
      'ssl/tls alert handshake failure (SSL alert number 40)',
    'error:1E08010C:DECODER routines::unsupported': 'unsupported',
  };
  for (const [message, reason] of Object.entries(lines))
    expect(reasonOf(Object.assign(new Error(message), { code: 'EPROTO', syscall: 'write' }))).toBe(reason);
});

test('every system error has a message and a hint', () => {
  const codes = [...getSystemErrorMap().values()].map(([code]) => code);
  expect(codes).toContain('ENOTDIR');
  for (const code of codes) {
    expect(reasonOf(refused(code))).toMatch(new RegExp(`^${code}: [a-z]`, 'i'));
    expect(explainError(refused(code))!.hint).toMatch(/^[A-Z].*\.$/);
  }
});

test('an error of an open file says `a file`, and not the system call', () => {
  for (const [syscall, words] of Object.entries({ write: 'a file cannot be written', read: 'a file cannot be read' })) {
    const failed = Object.assign(refused('ENOSPC', { syscall }), { path: undefined });
    expect(explainError(failed)!.message).toBe(`${words} (ENOSPC: no space left on device)`);
  }
});

test('messageOf gives a message for everything that can be thrown', () => {
  expect(messageOf(refused('ENOTDIR'))).toBe('/x/y cannot be used (ENOTDIR: not a directory)');
  expect([messageOf(new Error('of ours')), messageOf('text')]).toEqual(['of ours', 'text']);
});

test('a program that cannot be started is named, and other errors have no system message', () => {
  const spawned = spawnSync('/no/such/program').error;
  expect(explainError(spawned)!.message).toBe('/no/such/program cannot be started (ENOENT: no such file or directory)');
  let read: unknown;
  try {
    readFileSync('/');
  } catch (cause) {
    read = cause;
  }
  expect(explainError(read)?.message).toBe('a file cannot be read (EISDIR: illegal operation on a directory)');
  for (const other of [new Error('EMFILE'), Object.assign(new Error('x'), { code: 'EMFILE' }), 'EMFILE', undefined])
    expect([explainError(other), remedyOf(other)]).toEqual([undefined, undefined]);
});

test('a process is killed with its group, on Windows without it, and an ended process is no error', () => {
  for (const [platform, target] of [
    ['linux', -7],
    ['darwin', -7],
    ['win32', 7],
  ] as const) {
    const kills: unknown[] = [];
    endGroup(7, platform, (...args) => {
      kills.push(args);
      return true;
    });
    expect(kills, platform).toEqual([[target, 'SIGKILL']]);
    endGroup(7, platform, () => {
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    });
  }
});
