/** What the system refuses is said in words: wrong use where a right is missing, and the environment where something has run out. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';
import { messageOf, reasonOf, remedyOf, wordsOfSystem } from '../../../src/record/errors.ts';
import { expect, test } from '../../engine.ts';

/** As node:fs and node:child_process throw it. */
function refused(code: string, { syscall = 'open', path = '/x/y' } = {}): Error {
  return Object.assign(new Error(`${code}: whatever, ${syscall} '${path}'`), { code, errno: -1, syscall, path });
}

test('what has run out is a lack of the system, however deep it is among the causes, and has a remedy', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']) {
    const cause = refused(code);
    const found = wordsOfSystem(cause)!;
    expect(found.what).toMatch(new RegExp(`^/x/y cannot be used \\(${code}: [a-z ]+\\)$`));
    const remedy = remedyOf(new Error('the report cannot be read', { cause: new Error('deeper', { cause }) }));
    expect(remedy).toMatch(/^[A-Z].*[a-z]\.$/);
    expect(remedy).toBe(found.hint);
  }
});

test('a right that is missing is no lack, and has words too', () => {
  for (const code of ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR']) expect(remedyOf(refused(code))).toBeUndefined();
  expect(wordsOfSystem(refused('EACCES'))).toEqual({
    what: '/x/y cannot be used (EACCES: this user has no right to it)',
    hint: 'Give this user the right to it, or name another one.',
  });
});

test('OpenSSL is quoted by its reason, whole and without functions, files and line ends', () => {
  const lines = {
    '809C22DA147F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:350:\n':
      'wrong version number',
    'write EPROTO 80F:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:../deps/openssl/rec_layer_s3.c:1601:SSL alert number 40\n':
      'ssl/tls alert handshake failure (SSL alert number 40)',
    'error:1E08010C:DECODER routines::unsupported': 'unsupported',
  };
  for (const [message, reason] of Object.entries(lines)) {
    expect(reasonOf(Object.assign(new Error(message), { code: 'EPROTO', syscall: 'write' }))).toBe(reason);
  }
});

test('every code of the system has words and a hint, ours or its own', () => {
  const codes = [...getSystemErrorMap().values()].map(([code]) => code);
  expect(codes).toContain('ENOTDIR');
  for (const code of codes) {
    expect(reasonOf(refused(code))).toMatch(new RegExp(`^${code}: [a-z]`, 'i'));
    expect(wordsOfSystem(refused(code))!.hint).toMatch(/^[A-Z].*\.$/);
  }
});

test('a working directory that is gone is called that', () => {
  const gone = Object.assign(refused('ENOENT', { syscall: 'uv_cwd' }), { path: undefined });
  expect(wordsOfSystem(gone)!.what).toMatch(/^the working directory cannot be used \(ENOENT: /);
});

test('a file that was open already is called a file, and not by the function of the system', () => {
  for (const [syscall, words] of Object.entries({ write: 'a file cannot be written', read: 'a file cannot be read' })) {
    const failed = Object.assign(refused('ENOSPC', { syscall }), { path: undefined });
    expect(wordsOfSystem(failed)!.what).toBe(`${words} (ENOSPC: no room is left)`);
  }
});

test('what was thrown is told in words, by whomever it was thrown', () => {
  expect(messageOf(refused('ENOTDIR'))).toBe('/x/y cannot be used (ENOTDIR: a file is where a folder has to be)');
  expect([messageOf(new Error('of ours')), messageOf('text')]).toEqual(['of ours', 'text']);
});

test('a program that cannot be started is named; an error that is not of the system is left to others', () => {
  const spawned = spawnSync('/no/such/program').error;
  expect(wordsOfSystem(spawned)!.what).toBe(
    '/no/such/program cannot be started (ENOENT: it, or a folder on the way to it, does not exist)',
  );
  let read: unknown;
  try {
    readFileSync('/');
  } catch (cause) {
    read = cause;
  }
  expect(wordsOfSystem(read)?.what).toBe('a file cannot be read (EISDIR: it is a folder)');
  for (const other of [new Error('EMFILE'), Object.assign(new Error('x'), { code: 'EMFILE' }), 'EMFILE', undefined]) {
    expect([wordsOfSystem(other), remedyOf(other)]).toEqual([undefined, undefined]);
  }
});
