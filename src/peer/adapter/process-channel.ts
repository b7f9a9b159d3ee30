/** An adapter as a child process: pipes, no shell, a process group of its own, and no wait that a grandchild can prolong. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isFolder } from '../../record/disk/files.ts';
import { withinGrace } from '../../record/disk/processes.ts';
import { reasonOf, remedyOf } from '../../record/errors.ts';
import { AdapterError } from './adapter-error.ts';
import type { Channel, ChannelListener, Ending } from './channel.ts';
import { killGroup, watchGroup } from './child-groups.ts';
import { LastWords } from './last-words.ts';
import { LineReader } from './line-reader.ts';
import { maxLineBytes } from './messages.ts';

export interface AdapterCommand {
  /** A program, found in PATH; never a line for a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds for what is still in the pipes of a process that has ended, and for a process that closed its pipes to end. */
const graceMs = 300;

/**
 * Starts a process. Lines are taken from its standard output and from file descriptor 3.
 * Rejects with `cannot-start`, or `unsupported` where there is no such program.
 */
export async function startProcess(given: AdapterCommand, listener: ChannelListener): Promise<Channel> {
  const child = spawned(given);
  // Without a listener an error on a stream ends this process: EPIPE when the adapter is gone. With too many open files there are none.
  for (const stream of child.stdio ?? []) stream?.on('error', () => {});
  await started(child, given);
  watchGroup(child.pid!);
  const words = new LastWords();
  child.stderr!.on('data', (chunk: Buffer) => words.push(chunk));
  const [stdout, fd3] = [child.stdout!, child.stdio[3] as Readable].map((stream) => readFrom(stream, listener));
  const ended = ending(child, nothingMoreCanCome(stdout!, fd3!), cannotBeAsked(child.stdin!)).then((how) => {
    killGroup(child.pid!);
    for (const stream of child.stdio) stream?.destroy();
    return how;
  });
  return {
    send: (line) => void (child.stdin!.writable && child.stdin!.write(line)),
    finish: () => void child.stdin!.end(),
    kill: () => killGroup(child.pid!),
    ended,
    rest: () => (stdout!.reader.rest().length > 0 ? stdout! : fd3!).reader.rest(),
    lastWords: () => words.summary(),
  };
}

function spawned(given: AdapterCommand): ChildProcess {
  const { command, args = [], cwd, env } = given;
  try {
    return spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], detached: true, shell: false });
  } catch (cause) {
    throw whyNotStarted(given, cause as NodeJS.ErrnoException);
  }
}

async function started(child: ChildProcess, given: AdapterCommand): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (cause) => reject(whyNotStarted(given, cause)));
  });
}

/** Some refusals come as an exception, others as an event. */
function whyNotStarted({ command, cwd }: AdapterCommand, cause: NodeJS.ErrnoException): AdapterError {
  if (cwd !== undefined && !isFolder(cwd)) return notStarted(command, `there is no folder ${cwd}`, cause);
  if (cause.code === 'ENOENT') return notStarted(command, 'no such program exists', cause, 'unsupported');
  if (cause.code === 'EACCES') return notStarted(command, 'it is not executable', cause);
  return notStarted(command, reasonOf(cause), cause);
}

function notStarted(
  command: string,
  why: string,
  cause: unknown,
  code: 'cannot-start' | 'unsupported' = 'cannot-start',
): AdapterError {
  const hint = /\s/.test(command)
    ? 'Give the program and its arguments as separate words after --; no shell reads them.'
    : 'Name a program that is in PATH, or its path, and its arguments as separate words after --.';
  const named = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  const message = `The adapter "${named}" could not be started: ${why}.`;
  return new AdapterError(code, message, remedyOf(cause) ?? hint, cause);
}

interface Output {
  readonly reader: LineReader;
  readonly closed: Promise<void>;
  used: boolean;
}

function readFrom(stream: Readable, listener: ChannelListener): Output {
  const reader = new LineReader(maxLineBytes, listener);
  const closed = new Promise<void>((resolve) => stream.once('close', resolve).once('end', resolve));
  const output: Output = { reader, closed, used: false };
  stream.on('data', (chunk: Buffer) => {
    output.used = true;
    listener.bytes(chunk.length);
    reader.push(chunk);
  });
  return output;
}

/** An adapter that spoke on standard output never looks at descriptor 3, which stays open until its process ends. */
async function nothingMoreCanCome(stdout: Output, fd3: Output): Promise<void> {
  await stdout.closed;
  if (!stdout.used || fd3.used) await fd3.closed;
}

/** Resolves once something that was written found no reader; what comes after the end of the input needs none. */
function cannotBeAsked(stdin: Writable): Promise<'deaf'> {
  return new Promise((resolve) => stdin.once('error', () => void (stdin.writableEnded || resolve('deaf'))));
}

/** Decided on the end of the process, never on the end of its pipes: a grandchild may hold those open for hours. */
async function ending(child: ChildProcess, closed: Promise<unknown>, deaf: Promise<'deaf'>): Promise<Ending> {
  const exited = new Promise<Ending>((resolve) =>
    child.once('exit', (code, signal) =>
      resolve({
        code: 'exited',
        how: signal === null ? `exited with code ${code}` : `was ended by ${signal}`,
        orderly: code === 0,
        ...(code === 127 && { isUnsupported: true as const }),
      }),
    ),
  );
  const first = await Promise.race([exited, closed, deaf]);
  if (typeof first === 'object' && first !== null && 'how' in first) {
    await withinGrace(closed, graceMs);
    return first as Ending;
  }
  const late = await withinGrace(exited, graceMs);
  if (late !== undefined) return late;
  return first === 'deaf'
    ? { code: 'input-closed', how: 'closed its standard input', orderly: false }
    : { code: 'output-closed', how: 'closed its standard output, but kept running', orderly: false };
}
