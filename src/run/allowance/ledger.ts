/**
 * The ledger of a target as one run sees it: its place, its lock, what is on the disk and what the run itself
 * remembers, whichever is more.
 */

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { makeFolders } from '../../record/disk/files.ts';
import { type Lock, takeProcessLock as lockOf } from '../../record/disk/processes.ts';
import { reasonOf } from '../../record/errors.ts';
import { isUnsent, type Unsent } from '../../record/gateway-run.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { Environment } from '../target/credentials.ts';
import type { Allowance, LiveConfig } from '../target/live-config.ts';
import { canonicalEndpoint } from '../target/site.ts';
import { type Decision, decide, type Limits, larger, type Purpose, type Spent, sum, totalOf } from './budget.ts';
import { holds, type LedgerFile, LiveError, openLedgerFile } from './ledger-file.ts';
import { type AnswerInLedger, type LedgerBalance, type LedgerLine, newTally, reservedFor } from './ledger-lines.ts';
import type { WorstEffect } from './worst-case.ts';

/** What is known of a request once it was answered, or was not. */
export interface Settlement {
  readonly event: 'release' | 'confirm' | 'unclear';
  readonly answer: AnswerInLedger;
  /** Of an accepted request: it should have been refused. */
  readonly wrongly?: true;
  /** Of a release: nothing but the target's word says that nothing was done. */
  readonly by?: 'target';
  /** Of an unclear answer: it was received, and is unreadable. */
  readonly unreadable?: boolean;
}

/** A place in the ledger, and what was decided of the request. */
interface Reservation extends Decision {
  readonly id: number;
}

export interface Ledger {
  balance(): LedgerBalance;
  begin(target: string, endpointId: string | undefined, allow: Allowance): void;
  /** Clears what the runs before this one left; they count no more, neither here nor later. */
  forgetUnfinished(): void;
  /**
   * Reserves the worst case if the limits have room for it. Once it returns, the reservation is on the disk, and no other run has
   * begun before that. What goes to the unknown endpoint is written down whatever is allowed.
   */
  reserve(worst: WorstEffect, purpose: Purpose, limits: Limits): Reservation | Unsent;
  settle(id: number, settlement: Settlement): void;
  /** Without it everything that the run did counts into the next ones. */
  end(): void;
}

/**
 * Each call throws LiveError `bad-ledger` where the file cannot be used, or is not the one that it was.
 *
 * @param place path of the file, or what stands for it
 * @param now milliseconds since the Unix epoch
 */
export function openLedger(place: string | LedgerFile, run: string, now = Date.now): Ledger {
  const file = typeof place === 'string' ? openLedgerFile(place) : place;
  const tally = newTally(run);
  // Asked several times for each request, of reservations of which there may be thousands.
  let known: LedgerBalance | undefined;
  const read = () => {
    const added = file.readNew();
    for (const line of added) tally.add(line);
    if (added.length > 0) known = undefined;
    return added;
  };
  const append = (line: NewLine) => {
    // Never append if the file was replaced in the meantime.
    read();
    const whole: LedgerLine = { at: new Date(now()).toISOString(), run, ...line };
    file.append(whole);
    // A disk that is full, or another file in its place, may take a line without keeping it.
    if (!holds(read(), whole)) {
      const hint = 'Nothing is sent that is not in it: check the disk, and keep others from the file.';
      throw new LiveError('bad-ledger', `the ledger ${place} does not hold what was just written into it`, hint);
    }
  };
  const own = newMemory();
  const balance = () => {
    read();
    known ??= tally.balance();
    return own.beside(known);
  };
  return {
    balance,
    begin(target, endpointId, allow) {
      append({ event: 'start', target, endpointId, allow });
    },
    forgetUnfinished: () => append({ event: 'forget' }),
    reserve(worst, purpose, limits) {
      const seen = balance();
      if (!seen.begun) return { why: 'allow', reason: 'the ledger no longer has the beginning of this run' };
      if (seen.superseded) return overtaken;
      const decided = worst.unknown ? {} : decide(worst, purpose, limits, seen);
      if (isUnsent(decided)) return decided;
      const id = Math.max(own.lastId(), tally.lastId()) + 1;
      const { what } = purpose;
      const settles = worst.unknown ? undefined : purpose.settles;
      own.reserved(id, worst);
      append({ event: 'reserve', id, what, ...(settles ? { settles } : {}), ...reservedFor(worst) });
      // A run that began meanwhile has either read this line, or is seen here: both cannot fail.
      read();
      if (!tally.isSuperseded()) return { id, ...decided };
      append({ event: 'release', id, answer: { said: 'not-sent' } });
      own.released(id);
      return overtaken;
    },
    settle(id, settlement) {
      append({ id, ...settlement });
      if (settlement.event === 'release') own.released(id);
    },
    end: () => append({ event: 'end' }),
  };
}

const overtaken: Unsent = { why: 'allow', reason: 'another run has begun at this target since' };

type Without<T> = T extends unknown ? Omit<T, 'at' | 'run'> : never;
type NewLine = Without<LedgerLine>;

/** What this process reserved itself: a file that says less does not give it back. */
function newMemory() {
  const reservations = new Map<number, WorstEffect>();
  let last = 0;
  let remembered: Spent | undefined;
  return {
    lastId: () => last,
    reserved(id: number, worst: WorstEffect) {
      last = id;
      reservations.set(id, worst);
      remembered = undefined;
    },
    released(id: number) {
      reservations.delete(id);
      remembered = undefined;
    },
    beside(balance: LedgerBalance): LedgerBalance {
      remembered ??= totalOf(reservations.values());
      return { ...balance, spent: larger(balance.spent, sum(balance.carried, remembered)) };
    },
  };
}

export interface LedgerPlace {
  readonly path: string;
  /** Who shares it, as the end of a sentence: others know nothing of what is done here. */
  readonly reach: string;
}

type Located = Pick<LiveConfig, 'path' | 'ledger' | 'target' | 'endpointId'>;

/**
 * Throws LiveError `bad-ledger` where a ledger is beside the configuration, or in the working folder, which is where
 * they were before.
 */
export function ledgerPlace(config: Located, env: Environment, cwd: string, platform = process.platform): LedgerPlace {
  const { path, ledger, target, endpointId } = config;
  for (const folder of new Set([path === undefined ? cwd : dirname(path), cwd]))
    refuseFormer(join(folder, '.countersign'));
  const hash = createHash('sha256').update(canonicalTarget(target, endpointId)).digest('hex').slice(0, 16);
  return {
    path: join(ledger ?? stateFolder(env, platform), `ledger-${hash}.jsonl`),
    reach: ledger === undefined ? 'this user on this machine' : 'all whose configuration names this folder',
  };
}

/**
 * The target in one spelling (RFC 3986 section 6.2): names of this machine are one host, escapes are decoded, and neither
 * a final dot, a default port, doubled slashes nor the way in which an endpoint is written make another target of it.
 */
export function canonicalTarget(target: string, endpointId = ''): string {
  const url = new URL(target);
  const host = hostOf(url);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const prefix = decoded(url.pathname).replace(/\/+/g, '/').replace(/\/$/, '');
  return `${url.protocol}//${host}:${port}${prefix} ${canonicalEndpoint(endpointId)}`;
}

/** The parser has put the name into lower case, and numbers of every form into the usual one. */
function hostOf({ hostname }: URL): string {
  const name = hostname.replace(/\.+$/, '');
  const inIpv6 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(name);
  const [high, low] = [inIpv6?.[1], inIpv6?.[2]].map((digits) => Number.parseInt(digits ?? '', 16));
  const host = inIpv6 === null ? name : [high! >> 8, high! & 255, low! >> 8, low! & 255].join('.');
  // What listens nowhere else is reached by these too (RFC 1122 section 3.2.1.3, RFC 6761).
  const alike = isLoopback(host) || /^(?:0\.0\.0\.0|\[::\]|.+\.localhost)$/.test(host);
  return alike ? 'loopback' : host;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The folder for what programs of a user remember (XDG Base Directory Specification, or the platform's own). */
function stateFolder(env: Environment, platform: NodeJS.Platform): string {
  const { XDG_STATE_HOME: given, LOCALAPPDATA: local } = env;
  if (given !== undefined && isAbsolute(given)) return join(given, 'countersign');
  const home = homedir();
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'countersign');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'countersign');
  return join(home, '.local', 'state', 'countersign');
}

function refuseFormer(folder: string): void {
  const [former] = namesIn(folder).filter((name) => /^ledger-[0-9a-f]{16}\.jsonl$/.test(name));
  if (former === undefined) return;
  throw new LiveError(
    'bad-ledger',
    `the ledger ${join(folder, former)} is of an earlier version, and is not read any more`,
    'If a run in it has no line with "event":"end", what that run did counts nowhere else: make sure that nothing of it is ' +
      'still to be counted, then move the file away.',
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Takes the lock at that path. A run does not wait for another one: when that one has ended, a second one would spend its allowance
 * once more. Makes the
 * folder where there is none. Throws LiveError `in-use` or `bad-ledger`.
 */
export function takeLedgerLock(path: string): Lock {
  try {
    makeFolders(dirname(path), 0o700);
  } catch (cause) {
    throw unusable(dirname(path), 'the folder of the ledger', cause);
  }
  return lockOf(path, (refusal) => {
    switch (refusal.why) {
      case 'held':
        return new LiveError(
          'in-use',
          `another run is at this target: process ${refusal.holder}`,
          `Start this one when that one has ended. If process ${refusal.holder} is not a run of the suite, remove the file ${path}.`,
        );
      case 'contended':
        return new LiveError('in-use', 'other runs are starting at this target', 'Start one run at a time.');
      case 'unwritable':
        return unusable(path, 'the lock of the ledger', refusal.cause);
    }
  });
}

function unusable(path: string, what: string, cause: unknown): LiveError {
  return new LiveError(
    'bad-ledger',
    `${what}, ${path}, cannot be written (${reasonOf(cause)})`,
    'Nothing is sent without it: make room there and a plain file or folder of it, or choose another folder with ledger in ' +
      'the configuration, or with XDG_STATE_HOME.',
    cause,
  );
}
