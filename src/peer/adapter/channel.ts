/** The connection to an adapter: the pipes of a child process, or a socket. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isFolder } from '../../record/disk/files.ts';
import { endGroup, endingSignals, waitWithTimeout } from '../../record/disk/processes.ts';
import { reasonOf, remedyOf } from '../../record/errors.ts';
import { AdapterError, type Ending, summaryOf } from './faults.ts';
import { maxLineBytes, type TrustedAuthority } from './messages.ts';

export interface Channel {
  /** Writes a line that ends with a line feed. Never throws. If the write fails, `ended` resolves with the reason. */
  send(line: string): void;
  finish(): void;
  kill(): void;
  readonly ended: Promise<Ending>;
  /** The bytes that the adapter wrote after its last line feed. */
  unfinished(): Uint8Array;
  /** The last lines that the adapter wrote to standard error. */
  lastErrorLines(): string;
}

export type OpenChannel = (listener: ChannelListener, signal: AbortSignal) => Promise<Channel>;

export interface ChannelListener {
  /** Called with the size of each chunk, before `line` is called for the lines of the chunk. */
  bytes(count: number): void;
  /** Called with each line, without the LF or CR LF at its end. */
  line(bytes: Uint8Array): void;
  /** Called with the first 500 bytes of a line that is too long. The rest of that line is dropped. */
  tooLong(start: Uint8Array): void;
  /** Called if the stream starts with a byte-order mark. The first line does not contain the mark. */
  byteOrderMark(): void;
}

const byteOrderMark = Buffer.from('\ufeff');

function lineReader(listener: ChannelListener) {
  let parts: Buffer[] = [];
  let length = 0;
  let isDropping = false;
  let isFirst = true;
  const append = (part: Buffer): void => {
    if (isDropping) return;
    parts.push(part);
    length += part.length;
    // Accept one byte more than the limit, because this byte may be the CR before the line feed.
    if (length <= maxLineBytes + 1) return;
    isDropping = true;
    listener.tooLong(Buffer.concat(parts).subarray(0, 500));
    parts = [];
  };
  const endLine = (): void => {
    let line = Buffer.concat(parts);
    const hasMark = isFirst && line.subarray(0, 3).equals(byteOrderMark);
    const wasDropped = isDropping;
    parts = [];
    length = 0;
    isDropping = false;
    isFirst = false;
    if (wasDropped) return;
    if (line.at(-1) === 0x0d) line = line.subarray(0, -1);
    if (hasMark) listener.byteOrderMark();
    listener.line(hasMark ? line.subarray(3) : line);
  };
  return {
    push: (chunk: Buffer): void => {
      listener.bytes(chunk.length);
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
        append(chunk.subarray(from, end));
        endLine();
        from = end + 1;
      }
      append(chunk.subarray(from));
    },
    rest: (): Uint8Array => Buffer.concat(parts),
  };
}

export function overSocket(socket: Socket, listener: ChannelListener): Channel {
  const { push, rest } = lineReader(listener);
  socket.setNoDelay(true);
  socket.on('data', push);
  const ended = new Promise<Ending>((resolve) =>
    socket.once('close', (hadError: boolean) =>
      resolve({ code: 'disconnected', how: hadError ? 'broke the connection' : 'hung up', orderly: !hadError }),
    ),
  );
  return {
    send: (line) => {
      if (socket.writable) socket.write(line);
    },
    finish: () => socket.end(),
    kill: () => socket.destroy(),
    ended,
    unfinished: rest,
    lastErrorLines: () => '',
  };
}

export interface AdapterCommand {
  /** The path of a program, or the name of a program in PATH. It is not a shell command line. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Additional environment variables. NO_PROXY is always `*`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The certificate authority that the client must trust; absent if the gateway uses HTTP. */
  readonly ca?: TrustedAuthority;
}

/** The process and its pipes usually end together. If one has ended, wait at most this long for the other. */
const graceMs = 300;

/** Starts an adapter without a shell, in its own process group. Rejects with `unsupported` or `cannot-start`. */
export async function startProcess(options: AdapterCommand, listener: ChannelListener): Promise<Channel> {
  const { command, args = [], cwd, env, ca } = options;
  const child = await new Promise<ChildProcess>((resolve, reject) => {
    const started = spawn(command, args, {
      cwd,
      env: adapterEnvironment(process.env, env, ca),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
      shell: false,
    });
    // Ignore pipe errors: an unhandled EPIPE would end the suite. If too many files are open, `stdio` is missing.
    for (const stream of started.stdio ?? []) stream?.on('error', () => {});
    started.once('spawn', () => resolve(started)).on('error', reject);
  }).catch((cause: NodeJS.ErrnoException) => {
    throw startFailure(options, cause);
  });
  watchGroup(child.pid!);
  let errors = Buffer.alloc(0);
  child.stderr!.on('data', (chunk: Buffer) => {
    errors = Buffer.concat([errors, chunk]).subarray(-16 * 1024);
  });
  const stdout = readOutput(child.stdout!, listener);
  const fd3 = readOutput(child.stdio[3] as Readable, listener);
  const ended = waitForEnd(child, waitForOutputs(stdout, fd3)).then((ending) => {
    killGroup(child.pid!);
    for (const stream of child.stdio) stream?.destroy();
    return ending;
  });
  return {
    send: (line) => {
      if (child.stdin!.writable) child.stdin!.write(line);
    },
    finish: () => child.stdin!.end(),
    kill: () => killGroup(child.pid!),
    ended,
    unfinished: () => (stdout.rest().length > 0 ? stdout : fd3).rest(),
    lastErrorLines: () => summaryOf(errors),
  };
}

function startFailure({ command, cwd }: AdapterCommand, cause: NodeJS.ErrnoException): AdapterError {
  const isFolderMissing = cwd !== undefined && !isFolder(cwd);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'no such program exists',
    EACCES: 'it is not executable',
  };
  const text = isFolderMissing ? `the folder ${cwd} does not exist` : (reasons[cause.code ?? ''] ?? reasonOf(cause));
  const hint = /\s/.test(command)
    ? 'Give the program and its arguments as separate words after "--". No shell splits them.'
    : 'Give the program after "--", by its name in PATH or by its path. Then give its arguments as separate words.';
  const name = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  const code = cause.code === 'ENOENT' && !isFolderMissing ? 'unsupported' : 'cannot-start';
  return new AdapterError(code, `The adapter "${name}" could not be started: ${text}.`, remedyOf(cause) ?? hint, cause);
}

type Output = ReturnType<typeof readOutput>;

function readOutput(stream: Readable, listener: ChannelListener) {
  const { push, rest } = lineReader(listener);
  const closed = new Promise<void>((resolve) => stream.once('close', resolve).once('end', resolve));
  const output = { rest, closed, isUsed: false };
  stream.on('data', (chunk: Buffer) => {
    output.isUsed = true;
    push(chunk);
  });
  return output;
}

/** Does not wait for descriptor 3 if only standard output was used: the adapter may never close descriptor 3. */
async function waitForOutputs(stdout: Output, fd3: Output): Promise<void> {
  await stdout.closed;
  if (!stdout.isUsed || fd3.isUsed) await fd3.closed;
}

/** Resolves when the adapter exits or closes a pipe. A child process of the adapter may keep pipes open for hours. */
async function waitForEnd(child: ChildProcess, closed: Promise<void>): Promise<Ending> {
  const exited = new Promise<Ending>((resolve) =>
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      resolve({ code: 'exited', how, orderly: code === 0, ...(code === 127 && { isUnsupported: true }) });
    }),
  );
  const outputClosed = closed.then((): Ending => {
    return { code: 'output-closed', how: 'closed its standard output, but kept running', orderly: false };
  });
  const stdin = child.stdin!;
  const inputClosed = new Promise<Ending>((resolve) =>
    stdin.once('error', () => {
      // After `finish`, a failed write is not an error of the adapter.
      if (!stdin.writableEnded) resolve({ code: 'input-closed', how: 'closed its standard input', orderly: false });
    }),
  );
  const first = await Promise.race([exited, outputClosed, inputClosed]);
  if (first.code !== 'exited') return (await waitWithTimeout(exited, graceMs)) ?? first;
  await waitWithTimeout(closed, graceMs);
  return first;
}

/** The environment variables that an adapter inherits. Programs need them to find their runtime and their libraries. */
const passedVariables = `
  PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP LANG LANGUAGE TZ TZDIR LOCPATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH
  SystemRoot SystemDrive ComSpec PATHEXT WINDIR APPDATA LOCALAPPDATA ProgramData ProgramFiles USERPROFILE
  HOMEDRIVE HOMEPATH
  NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME DENO_DIR BUN_INSTALL PYTHONPATH PYTHONHOME PYTHONUSERBASE VIRTUAL_ENV
  CONDA_PREFIX GEM_HOME GEM_PATH RUBYLIB BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_APP_CONFIG PERL5LIB PERL_LOCAL_LIB_ROOT
  PERL_MB_OPT PERL_MM_OPT PHPRC PHP_INI_SCAN_DIR COMPOSER_HOME JAVA_HOME JDK_HOME CLASSPATH M2_HOME GRADLE_HOME
  GRADLE_USER_HOME KOTLIN_HOME SCALA_HOME GOROOT GOPATH GOCACHE GOMODCACHE GOFLAGS GOTOOLCHAIN CARGO_HOME
  RUSTUP_HOME DOTNET_ROOT NUGET_PACKAGES LUA_PATH LUA_CPATH MIX_HOME HEX_HOME ERL_LIBS R_HOME R_LIBS
`;

const variableFamilies = /^(?:LC_|PYENV_|RBENV_|PLENV_|PHPENV_|JENV_|GOENV_|NODENV_|ASDF_|MISE_|SDKMAN_)/;

/** The environment of an adapter. It inherits only the variables above, so no proxy settings and no secrets. */
export function adapterEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, string>> = {},
  ca?: TrustedAuthority,
): Record<string, string> {
  const passedNames = new Set(passedVariables.toLowerCase().split(/\s+/));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && (passedNames.has(name.toLowerCase()) || variableFamilies.test(name)))
      environment[name] = value;
  }
  if (ca !== undefined) for (const name of authorityVariables) environment[name] = ca.file;
  return Object.assign(environment, { COUNTERSIGN_ADAPTER_OUT: 'fd:3' }, overrides, { NO_PROXY: '*', no_proxy: '*' });
}

const authorityVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'PERL_LWP_SSL_CA_FILE',
];

const runningGroups = new Set<number>();
let isEnding = false;
let isListening = false;

function killGroup(pid: number): void {
  runningGroups.delete(pid);
  endGroup(pid);
}

function killAll(): void {
  for (const pid of runningGroups) endGroup(pid);
}

/** Kills all adapters because the suite is ending. An adapter that starts later is killed at once. */
export function endAdapters(): void {
  isEnding = true;
  killAll();
}

/** Kills the adapter when the suite ends. Ctrl+C does not end adapters, because each has its own process group. */
function watchGroup(pid: number): void {
  runningGroups.add(pid);
  if (isEnding) killAll();
  if (isListening) return;
  isListening = true;
  process.on('exit', killAll);
  for (const signal of endingSignals) {
    const end = (): void => {
      killAll();
      if (process.listenerCount(signal) > 1) return;
      process.off(signal, end);
      process.kill(process.pid, signal);
    };
    process.on(signal, end);
  }
}
