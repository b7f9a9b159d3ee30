/** Runs programs, each in its own process group. A command has a time limit; a gateway runs until `stop`. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandOptions, CommandResult, MatrixOptions } from '../extras/matrix/run-matrix.ts';
import { endGroup, waitWithTimeout } from '../record/disk/processes.ts';
import { reasonOf } from '../record/errors.ts';
import { hostAndPort } from '../run/transport/transport.ts';

/** Milliseconds that an interrupted run gets to stop its engine and write a report. */
const runGraceMs = 20_000;

/** Runs a command. Interrupts it after `limitMs`, or if `signal` aborts. `err` has the end of its standard error. */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { limitMs, signal } = options;
  if (signal.aborted) return { code: null, err: '', cut: 'interrupted' };
  const program = startProgram(argv, options);
  let cut: CommandResult['cut'];
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    cut = signal.aborted ? 'interrupted' : 'limit';
    program.child.kill('SIGINT');
    killTimer = setTimeout(program.kill, runGraceMs);
  };
  const stopSignal = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  stopSignal.addEventListener('abort', stop, { once: true });
  const { code, cause } = await program.ended;
  // Wait briefly for the last output. Do not wait for the end: child processes may keep the pipe open for hours.
  await waitWithTimeout(program.closed, 200);
  stopSignal.removeEventListener('abort', stop);
  clearTimeout(killTimer);
  program.child.stderr?.destroy();
  return { code, err: cause === undefined ? program.err() : reasonOf(cause), cut };
}

/** Milliseconds to wait until a gateway listens: some gateways start slowly. */
const readyMs = 60_000;
const gatewayGraceMs = 5000;

/** Starts a gateway, and waits until it listens at `target`. If it does not listen, `fault` is the reason. */
export async function startGateway(
  argv: readonly string[],
  target: string,
  options: Pick<CommandOptions, 'cwd' | 'env' | 'signal'>,
): ReturnType<MatrixOptions['start']> {
  if (await listens(target)) return { fault: `another program already listens at ${target}; stop it first` };
  const program = startProgram(argv, options);
  const stop = async () => {
    program.child.kill('SIGTERM');
    await Promise.race([program.ended, pause(gatewayGraceMs, undefined, { ref: false })]);
    // End the process group, because children of the ended gateway may still run.
    program.kill();
    program.child.stderr?.destroy();
  };
  const waitController = new AbortController();
  const signal = AbortSignal.any([options.signal, waitController.signal]);
  const ended = await Promise.race([program.ended, waitUntilListening(target, signal)]);
  waitController.abort();
  if (ended === 'listening') return { stop };
  await stop();
  if (ended === 'too late') return { fault: `its command did not listen at ${target} within ${readyMs / 1000} s` };
  const { code, by, cause } = ended;
  if (cause === undefined) {
    const lastLine = program.err().trim().split('\n').at(-1);
    const ending = code === null ? `was ended by ${by}` : `ended with code ${code}`;
    const fault = `its command ${ending}${lastLine && `: ${lastLine}`}`;
    return { fault, ...(code === 127 && { unsupported: true }) };
  }
  const isMissing = cause.code === 'ENOENT';
  const reason = isMissing ? `there is no program ${argv[0]}` : reasonOf(cause);
  return { fault: `its command could not be started: ${reason}`, ...(isMissing && { unsupported: true }) };
}

const maxErrCharacters = 4000;

/** Starts the program in its own process group, so that Ctrl+C in the terminal does not reach the program. */
function startProgram([name = '', ...args]: readonly string[], { cwd, env }: Pick<CommandOptions, 'cwd' | 'env'>) {
  const child = spawn(name, args, { cwd, env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let err = '';
  // `stderr` is undefined if this process has too many open files.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-maxErrCharacters);
  });
  return {
    child,
    err: () => err,
    kill: () => {
      if (child.pid !== undefined) endGroup(child.pid);
    },
    ended: new Promise<{ code: number | null; by?: string | null; cause?: NodeJS.ErrnoException }>((resolve) => {
      child.once('error', (cause) => resolve({ code: null, cause })).once('exit', (code, by) => resolve({ code, by }));
    }),
    closed: new Promise((resolve) => child.once('close', resolve).once('error', resolve)),
  };
}

async function waitUntilListening(target: string, signal: AbortSignal): Promise<'listening' | 'too late'> {
  for (let tries = readyMs / 100; tries > 0 && !signal.aborted; tries -= 1) {
    if (await listens(target)) return 'listening';
    await pause(100);
  }
  return 'too late';
}

function listens(target: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(hostAndPort(new URL(target)));
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(1000, () => end(false));
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
