/** Opens sessions with the adapters of these tests, with short limits, and finds the processes that they leave. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AdapterLimits } from '../../src/peer/adapter/limits.ts';
import type { ClientSession, SessionCase, SessionReply } from '../../src/peer/adapter/messages.ts';
import { formatNotes } from '../../src/peer/adapter/notes.ts';
import { type AdapterOptions, openAdapterSession } from '../../src/peer/adapter/session.ts';
import { expect } from '../engine.ts';

export interface Mark {
  /** The mark as an environment variable of the adapter. Child processes of the adapter inherit the variable. */
  readonly env: Readonly<Record<string, string>>;
  /** Running processes with the mark. */
  alive(): readonly number[];
  /** Like `alive`, but waits up to a minute for the processes to end. */
  remaining(): Promise<readonly number[]>;
}

export function newMark(): Mark {
  const mark = `COUNTERSIGN_TEST_MARK=${randomUUID()}`;
  const [name, value] = mark.split('=') as [string, string];
  const alive = (): readonly number[] =>
    readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && environmentOf(entry).includes(mark))
      .map(Number);
  return {
    env: { [name]: value },
    alive,
    async remaining() {
      for (let wait = 0; wait < 1200 && alive().length > 0; wait++) await pause(50);
      return alive();
    },
  };
}

/** True if this machine has no /proc. */
export const cannotListProcesses = !existsSync('/proc/self/environ');

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** The command of a script in this folder, or of the adapter NAME of broken.mjs for `broken/NAME`. */
export function commandOf(path: string): Pick<AdapterOptions, 'command' | 'args'> {
  const [script = path, ...name] = path.startsWith('broken/') ? ['broken.mjs', path.slice('broken/'.length)] : [path];
  const file = fileURLToPath(new URL(script, import.meta.url));
  return path.endsWith('.sh') ? { command: 'sh', args: [file] } : { command: process.execPath, args: [file, ...name] };
}

export const quickLimits: Partial<AdapterLimits> = { lateMs: 300, byeMs: 60_000, restartMs: 5, strayLines: 2000 };

export const runInfo = { seed: 'seed of the run', suite: { name: 'countersign', version: '0.0.0' } };

/** Opens a session, passes it to the function and closes it. Rejects if no session opens or a process keeps running. */
export async function withSession(
  path: string,
  ...args: readonly [Use] | readonly [SessionOptions, Use]
): Promise<void> {
  const use = args.at(-1) as Use;
  const { limits, open = openAdapterSession, ...options } = args.length === 2 ? args[0] : {};
  const mark = newMark();
  try {
    const marked = { env: { ...options.env, ...mark.env }, limits: { ...quickLimits, ...limits } };
    const session = await open({ ...commandOf(path), ...runInfo, ...options, ...marked });
    try {
      await use(session);
    } finally {
      await session.close();
    }
  } finally {
    if (!cannotListProcesses) expect(await mark.remaining(), 'processes that are left').toEqual([]);
  }
}

type Use = (session: ClientSession) => Promise<void>;

export interface SessionOptions extends Partial<AdapterOptions> {
  readonly open?: (options: AdapterOptions) => Promise<ClientSession>;
}

export function aCase(change: Partial<SessionCase> = {}): SessionCase {
  return {
    operation: 'close-day',
    baseUrl: 'http://127.0.0.1:9/x7f3a',
    endpointId: '1111',
    consumerKey: 'shop',
    auth: { method: 'HMAC-SHA1', consumerKey: 'shop', secret: 'a secret of no worth' },
    input: { day_close_request_id: 'a8a8a8a8' },
    deadlineMs: 60_000,
    ...change,
  };
}

/** New notes of a session, as sentences. */
export function notesOf(session: Pick<ClientSession, 'takeNotes'>): string[] {
  return formatNotes(session.takeNotes());
}

/** Performs cases one by one, and returns the outcome or the code of the fault of each. */
export async function outcomesOf(session: ClientSession, cases: readonly SessionCase[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const call of cases) outcomes.push(outcomeOf(await session.perform(call)));
  return outcomes;
}

export function outcomeOf({ reply, fault }: SessionReply): string {
  return reply?.outcome ?? fault!.code;
}
