/** A gateway that a matrix starts itself: its process, until somebody listens at its address, and its end. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { endGroup } from '../../record/disk/processes.ts';
import { reasonOf } from '../../record/errors.ts';
import type { RunSurroundings } from './run-command.ts';

export type StartedGateway = { readonly fault: string; readonly unsupported?: true } | { stop(): Promise<void> };

export type StartGateway = (
  argv: readonly string[],
  target: string,
  surroundings: Pick<RunSurroundings, 'cwd' | 'env' | 'signal'>,
) => Promise<StartedGateway>;

/** Milliseconds until somebody listens: a container or a virtual machine takes its time. */
const readyMs = 60_000;

/** Milliseconds in which it may end by itself. */
const graceMs = 5000;

/** Never rejects. */
export const startGateway: StartGateway = async ([program = '', ...args], target, { cwd, env, signal }) => {
  if (await listens(target)) {
    return { fault: `somebody listens at ${target} already, so it is not known who would be examined` };
  }
  const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let words = '';
  // With too many open files it has none.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2000);
  });
  const ended = new Promise<{ readonly how: string; readonly unsupported?: true }>((resolve) => {
    child.once('error', (cause: NodeJS.ErrnoException) =>
      resolve(
        cause.code === 'ENOENT'
          ? { how: `could not be started: there is no program ${program}`, unsupported: true }
          : { how: `could not be started: ${reasonOf(cause)}` },
      ),
    );
    child.once('exit', (code, by) =>
      resolve({
        how: code === null ? `was ended by ${by}` : `ended with code ${code}`,
        ...(code === 127 && { unsupported: true as const }),
      }),
    );
  });
  const stop = async () => {
    if (child.pid === undefined) return;
    child.kill('SIGTERM');
    await Promise.race([ended, pause(graceMs, undefined, { ref: false })]);
    // What it started is in its group, also where it has ended itself.
    endGroup(child.pid);
    child.stderr.destroy();
  };
  const waiting = new AbortController();
  const first = await Promise.race([ended, untilListening(target, AbortSignal.any([signal, waiting.signal]))]);
  waiting.abort();
  if (first === 'listening') return { stop };
  await stop();
  if (first === 'not in time') {
    return { fault: `its command was started, and after ${readyMs / 1000} s nobody listens at ${target}` };
  }
  const last = words.trim().split('\n').at(-1) ?? '';
  return {
    fault: `its command ${first.how}${last === '' ? '' : `: ${last}`}`,
    ...(first.unsupported && { unsupported: true }),
  };
};

async function untilListening(target: string, signal: AbortSignal): Promise<'listening' | 'not in time'> {
  for (let tries = readyMs / 100; tries > 0 && !signal.aborted; tries -= 1) {
    if (await listens(target)) return 'listening';
    await pause(100);
  }
  return 'not in time';
}

function listens(target: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(target);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(1000, () => end(false));
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
