/** The base class of errors with codes, and messages for errors of the system and of TLS. */
import { getSystemErrorMap } from 'node:util';

/** An error with a code for programs, a message, and a hint that says what to do. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;
  readonly hint: string;

  constructor(code: Code, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
  }
}

/** Returns a template tag that makes an error from two lines: the message and the hint. */
export function errorTag<E>(make: (message: string, hint: string) => E) {
  return (text: TemplateStringsArray, ...values: readonly unknown[]): E => {
    let index = 0;
    const lines = text.join('\0').trim().split('\n');
    const [message = '', hint = ''] = lines.map((line) => line.trim().replace(/\0/g, () => String(values[index++])));
    return make(message, hint);
  };
}

/** The reason in an error of OpenSSL, such as `wrong version number`; undefined for other errors. */
export function tlsReason(error: unknown): string | undefined {
  const { message = '' } = (error ?? {}) as Partial<Error>;
  const [, reason, alert] = /\berror:[0-9A-F]{8}:[^:]*:[^:]*:([^:\n]+)(?::[^:\n]*:\d+:([^:\n]*))?/.exec(message) ?? [];
  return alert ? `${reason} (${alert})` : reason;
}

/** The reason of an error, such as `ENOSPC: no space left on device`. If the code is unknown, returns the message. */
export function reasonOf(cause: unknown): string {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  const tlsText = tlsReason(cause);
  if (tlsText !== undefined) return tlsText;
  if (code === undefined) return message ?? 'unknown';
  const [, description] =
    [...getSystemErrorMap().values(), ['EDQUOT', 'disk quota exceeded']].find(([name]) => name === code) ?? [];
  return description === undefined ? message || code : `${code}: ${description}`;
}

export function messageOf(thrown: unknown): string {
  return explainError(thrown)?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

/** A hint if the error or one of its causes shows that a resource is missing, such as disk space. */
export function remedyOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth += 1) {
    const remedy = remedies[(current as NodeJS.ErrnoException).code ?? ''];
    if (remedy !== undefined && isSystemError(current)) return remedy;
  }
  return undefined;
}

/** A message, such as `/x/y cannot be used (EACCES: ...)`, and a hint. Undefined if no system call failed. */
export function explainError(error: unknown): { readonly message: string; readonly hint: string } | undefined {
  if (!isSystemError(error)) return undefined;
  const { path, syscall = '', code = '' } = error;
  const isProgram = syscall.startsWith('spawn');
  // An error of libuv has no path if the file was open. `uv_cwd` means the working directory.
  const call = syscall === 'uv_cwd' ? 'the working directory' : syscall;
  const isOpenFile = path === undefined && /^(?:write|fsync|ftruncate|close|read|fstat)$/.test(call);
  const place = path ?? (isProgram ? 'a program' : call);
  const target = isOpenFile ? 'a file' : place || 'a file';
  const fileVerb = /^(?:read|fstat)$/.test(call) ? 'read' : 'written';
  const otherVerb = isProgram ? 'started' : 'used';
  const message = `${target} cannot be ${isOpenFile ? fileVerb : otherVerb} (${reasonOf(error)})`;
  return { message, hint: remedyOf(error) ?? hints[code] ?? checkName };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

const makeRoom = 'Free some space on the disk, or give a path on another disk.';

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: makeRoom,
  EDQUOT: makeRoom,
  EFBIG: 'Raise the limit of file sizes (ulimit -f), or give a path on another disk.',
  EIO: 'Check the disk, or give a path on another disk.',
  EMFILE: 'Raise the limit of open files (ulimit -n) to 1024, and start again.',
  ENFILE: 'End other programs, and start again.',
  ENOMEM: 'End other programs, or give this program more memory, and start again.',
  EAGAIN: 'End other processes of this user, or raise the limit of processes (ulimit -u), and start again.',
};

const grantAccess = 'Give this user the access rights, or give another name.';
const checkName = 'Check the name, or give another name.';
const endProgram = 'End the program that uses this file or address, or give another name.';

const hints: Readonly<Record<string, string>> = {
  ENOENT: checkName,
  ENOTDIR: 'A part of the path is a file, not a folder: give another path.',
  EISDIR: 'Give the path of a file, not of a folder.',
  EEXIST: 'Move the existing file away, or give another name.',
  EBUSY: endProgram,
  ETXTBSY: endProgram,
  ENXIO: 'Start the program that reads from this pipe, or give another name.',
  ENOTFOUND: checkName,
  EADDRINUSE: endProgram,
  EACCES: grantAccess,
  EPERM: grantAccess,
  EROFS: 'The disk is read-only: give a path on another disk.',
  ENAMETOOLONG: 'Give a shorter name.',
  ELOOP: 'Symbolic links in the path form a loop: give another path.',
  E2BIG: 'Give the program shorter arguments.',
};
