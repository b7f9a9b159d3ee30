/** Opens, locks, reads and writes the ledger of a live target: the file that records the effects of runs. */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { makeFolders } from '../../record/disk/files.ts';
import { takeProcessLock as takeLock } from '../../record/disk/processes.ts';
import { CodedError, errorTag, reasonOf } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import type { Acceptance } from '../../rules/answers/acceptance.ts';
import { UsageError } from '../options/usage-error.ts';
import type { Allowance, LiveConfig } from '../target/live-config.ts';
import { canonicalTarget, centsOf, formatCents } from '../target/site.ts';
import { type ByOperation, decide, Effects, type Limits, type Purpose, type Usage } from './budget.ts';
import type { WorstEffect } from './worst-case.ts';

/** The ledger for one run. Its balance also has the effects of earlier unfinished runs. */
export type Ledger = ReturnType<typeof openLedger>;

/** Opens a ledger for a run. Throws LiveError `bad-ledger` if the file is unusable. `now` is in Unix milliseconds. */
export function openLedger(
  pathOrFile: string | LedgerFile,
  run: string,
  { now = Date.now, write = writeSync }: { readonly now?: () => number; readonly write?: WriteBytes } = {},
) {
  const file = typeof pathOrFile === 'string' ? openLedgerFile(pathOrFile, write) : pathOrFile;
  const tally = newTally(run);
  // Cache the balance: each request needs it several times, and a ledger has thousands of reservations.
  let cached: LedgerBalance | undefined;
  const read = () => {
    for (const line of file.readNew()) {
      tally.add(line);
      cached = undefined;
    }
  };
  const append = (line: Unstamped<LedgerLine>) => {
    // Read first, because this throws if the file was removed or cut. Then nothing is appended.
    read();
    file.append({ at: new Date(now()).toISOString(), run, ...line });
  };
  const balance = () => {
    read();
    cached ??= tally.balance();
    return cached;
  };
  return {
    balance,
    begin: (target: string, endpointId: string | undefined, allow: Allowance) =>
      append({ event: 'start', target, endpointId, allow }),
    forgetUnfinished: () => append({ event: 'forget' }),
    /** Writes a reservation to the file, or returns the reason why the request must not be sent. */
    reserve(worst: WorstEffect, purpose: Purpose, limits: Limits): Unsent | { readonly id: number; doubt?: string } {
      const before = balance();
      if (!before.begun) return { why: 'allow', reason: 'the ledger no longer contains the start of this run' };
      if (before.superseded) return supersededUnsent;
      const decision = worst.unknown ? {} : decide(worst, purpose, limits, before);
      if (isUnsent(decision)) return decision;
      const id = tally.lastId() + 1;
      const { what } = purpose;
      const settles = worst.unknown ? undefined : purpose.settles;
      append({ event: 'reserve', id, what, ...(settles ? { settles } : {}), ...toFileEffect(worst) });
      // Another run may have begun since `balance`. If its start is not in the file yet, it will read this reservation.
      read();
      if (!tally.isSuperseded()) return { id, ...decision };
      append({ event: 'release', id, answer: { said: 'not-sent' } });
      return supersededUnsent;
    },
    settle: (id: number, settlement: Settlement) => append({ id, ...settlement }),
    /** Writes the end of the run. Without this line, the effects of this run count in later runs. */
    end: () => append({ event: 'end' }),
  };
}

const supersededUnsent: Unsent = { why: 'allow', reason: 'another run has begun at this target in the meantime' };

type Unstamped<Line> = Line extends unknown ? Omit<Line, 'at' | 'run'> : never;

/** Returns an empty balance for an unreadable ledger, so that the run still gets a report. */
export function balanceAfter(path: string, run: string): LedgerBalance {
  try {
    return openLedger(path, run).balance();
  } catch (cause) {
    if (cause instanceof LiveError) return newTally(run).balance();
    throw cause;
  }
}

/** Locks the ledger and begins a run. After `end(false)`, its effects count in later runs. Throws LiveError. */
export function beginLedger(
  config: Pick<LiveConfig, 'ledger' | 'target' | 'endpointId' | 'allow'>,
  env: NodeJS.ProcessEnv,
  run = `${examinationPrefix}${randomBytes(8).toString('hex')}`,
) {
  const { path } = ledgerPlace(config, env);
  const lock = takeLedgerLock(`${path}.lock`);
  const ledger = openLedger(path, run);
  const end = (complete: boolean) => {
    try {
      if (complete) ledger.end();
    } finally {
      lock.release();
    }
  };
  try {
    ledger.begin(config.target, config.endpointId, config.allow);
  } catch (cause) {
    end(false);
    throw cause;
  }
  return { path, ledger, end };
}

/** Returns the path of the ledger. `reach`: the users who share it, such as `this user on this machine`. */
export function ledgerPlace(
  { ledger, target, endpointId }: Pick<LiveConfig, 'ledger' | 'target' | 'endpointId'>,
  env: NodeJS.ProcessEnv,
  platform = process.platform,
) {
  const hash = createHash('sha256').update(canonicalTarget(target, endpointId)).digest('hex').slice(0, 16);
  return {
    path: join(ledger ?? stateFolder(env, platform), `ledger-${hash}.jsonl`),
    reach: ledger === undefined ? 'this user on this machine' : 'all users whose configuration names this folder',
  };
}

function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, 'countersign');
  const home = homedir();
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'countersign');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'countersign');
  return join(home, '.local', 'state', 'countersign');
}

/** Does not wait for another run, because both runs could then use the whole allowance. Throws LiveError instead. */
function takeLedgerLock(path: string): ReturnType<typeof takeLock> {
  try {
    makeFolders(dirname(path), 0o700);
  } catch (cause) {
    throw unwritableError(dirname(path), 'the folder of the ledger', cause);
  }
  return takeLock(path, (refusal) => {
    switch (refusal.reason) {
      case 'held':
        return new LiveError(
          'in-use',
          `another run uses this target: process ${refusal.holder}`,
          `Wait until that run has ended. If process ${refusal.holder} is not a run of the suite, remove the file ${path}.`,
        );
      case 'contended':
        return new LiveError('in-use', 'other runs are starting at this target', 'Start one run at a time.');
      case 'unwritable':
        return unwritableError(path, 'the lock of the ledger', refusal.cause);
    }
  });
}

function unwritableError(path: string, what: string, cause: unknown): LiveError {
  return badLedger(cause)`${what}, ${path}, cannot be written (${reasonOf(cause)})
    ${unwritableHint}`;
}

const unwritableHint =
  'The run sends nothing without its ledger. Make the folder writable, or name another folder in "ledger" in the configuration, or in the variable XDG_STATE_HOME.';

/** A live run cannot begin or continue, and the target is not the cause. */
export class LiveError extends CodedError<'in-use' | 'bad-ledger'> {}

/** Before a run, a LiveError becomes a UsageError (exit code 2). During a run (`isRunning`), it stays (exit code 3). */
export function toUsageError(cause: unknown, isRunning: boolean): unknown {
  if (isRunning || !(cause instanceof LiveError)) return cause;
  return new UsageError(cause.message, cause.hint, cause);
}

function badLedger(cause?: unknown) {
  return errorTag((message, hint) => new LiveError('bad-ledger', message, hint, cause));
}

type WriteBytes = (file: number, bytes: Uint8Array) => number;

interface LedgerFile {
  readNew(): readonly LedgerLine[];
  append(line: LedgerLine): void;
}

function openLedgerFile(path: string, write: WriteBytes): LedgerFile {
  let bytesRead = 0;
  let linesRead = 0;
  return {
    readNew() {
      const read = (file: number, size: number) => (size < bytesRead ? undefined : bytesFrom(file, bytesRead, size));
      const added = withFile(path, constants.O_RDONLY, 'read', read) ?? (bytesRead === 0 ? Buffer.alloc(0) : undefined);
      if (added === undefined) {
        throw badLedger()`the ledger ${path} was removed or cut during the run
          The run sends nothing more. Restore the file, because it records the effects of the run.`;
      }
      // Ignore an incomplete last line: a process is still writing it, or ended before it was complete.
      const complete = added.subarray(0, added.lastIndexOf(0x0a) + 1);
      const lines = parse(complete, linesRead, path);
      bytesRead += complete.length;
      linesRead += complete.toString('latin1').split('\n').length - 1;
      return lines;
    },
    append(line) {
      const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
      withFile(path, flags, 'written', (file, size) => {
        const unread = bytesFrom(file, bytesRead, size);
        const tornBytes = unread.length - unread.lastIndexOf(0x0a) - 1;
        const { at, run } = line;
        const notice = tornBytes === 0 ? '' : `\n${JSON.stringify({ at, run, event: 'torn', bytes: tornBytes + 1 })}\n`;
        const bytes = Buffer.from(`${notice}${JSON.stringify(line)}\n`);
        const written = write(file, bytes);
        if (written !== bytes.length) {
          // Remove the partial line, unless another process has written after it.
          if (fstatSync(file).size === size + written) ftruncateSync(file, size);
          throw new Error(`${written} of ${bytes.length} bytes were written`);
        }
        fsyncSync(file);
        if (size === 0) syncFolder(dirname(path));
      });
    },
  };
}

function bytesFrom(file: number, offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(size - offset);
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(file, bytes, read, bytes.length - read, offset + read);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}

/** Skips each `torn` line, and the incomplete line before it. Throws LiveError `bad-ledger` for an invalid line. */
function parse(complete: Buffer, linesBefore: number, path: string): LedgerLine[] {
  const parsed: { line: LedgerLine | undefined; bytes: number; number: number }[] = [];
  let offset = 0;
  for (let number = linesBefore + 1; offset < complete.length; number += 1) {
    const end = complete.indexOf(0x0a, offset) + 1;
    const line = lineOf(complete.toString('utf8', offset, end - 1));
    if (line?.event === 'torn' && parsed.at(-1)?.bytes === line.bytes) parsed.pop();
    else parsed.push({ line, bytes: end - offset, number });
    offset = end;
  }
  return parsed.map(({ line, number }) => {
    if (line !== undefined && line.event !== 'torn') return line;
    throw badLedger()`line ${number} of the ledger ${path} is not a valid ledger line
      Restore the file. If the file has no unfinished runs, you may move it away instead.`;
  });
}

function lineOf(text: string): LedgerLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return validate('ledger-line', value).length === 0 ? (value as LedgerLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Flushes the folder, because a power cut may lose a new file in a folder that is not flushed. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Returns undefined if a file to read does not exist. */
function withFile<T>(path: string, flags: number, what: 'read' | 'written', use: (file: number, size: number) => T) {
  let file: number | undefined;
  try {
    file = openSync(path, flags, 0o600);
    return use(file, fstatSync(file).size);
  } catch (cause) {
    if (what === 'read' && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw badLedger(cause)`the ledger ${path} cannot be ${what} (${reasonOf(cause)})
      ${unwritableHint}`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export interface Settlement {
  /** `release`: no effect. `confirm`: an effect. `unclear`: perhaps an effect, so it counts as one. */
  readonly event: 'release' | 'confirm' | 'unclear';
  /** The ledger never stores text from the target. */
  readonly answer: { readonly status?: number; readonly said: Acceptance | NonNullable<Exchange['failure']>['kind'] };
  readonly wrongly?: true;
  /** Set if only the answer of the target shows that the request had no effect. */
  readonly by?: 'target';
  readonly unreadable?: boolean;
}

/** Like `WorstEffect`, but with the total of payments as a text with two decimals, as in the file. */
type FileEffect<Worst = WorstEffect> = Worst extends { readonly cents: number }
  ? Omit<Worst, 'cents'> & { readonly total: string }
  : Worst;

/** One line of the ledger. `at` is a time of RFC 3339. */
export type LedgerLine = { readonly at: string; readonly run: string } & (
  | { readonly event: 'start'; readonly target: string; readonly endpointId?: string; readonly allow: Allowance }
  | ({ readonly event: 'reserve'; readonly id: number; readonly what: string; readonly settles?: boolean } & FileEffect)
  | (Settlement & { readonly id: number })
  /** `forget`: a person cleared the effects of unfinished runs. */
  | { readonly event: 'end' | 'forget' }
  /** `torn`: the previous line is incomplete and does not count. Its process ended while it wrote the line. */
  | { readonly event: 'torn'; readonly bytes: number }
);

function toFileEffect(worst: WorstEffect): FileEffect {
  if (worst.effect === 'closes-day') return worst;
  const { cents, ...rest } = worst;
  return { ...rest, total: formatCents(cents) };
}

export interface LedgerBalance extends Usage {
  readonly confirmed: Effects;
  /** Possible effects of refused requests of this run. They are not in `spent`: the suite trusts these refusals. */
  readonly refused: Effects;
  /** Effects that unaccepted requests to `unknownEndpointId` may have had. None if this endpoint does not exist. */
  readonly atUnknown: Effects;
  /** True if the target accepted the first valid request of this run. Only then are refusals evidence. */
  readonly proven: ByOperation<boolean>;
  readonly unclear: number;
  /** False if the ledger lacks the start of this run: somebody removed it. */
  readonly begun: boolean;
  /** True if another run has begun after this run. Then this run must stop. */
  readonly superseded: boolean;
}

/** Begins the ids of examinations by `doctor`. Ids of other runs have no hyphen. */
const examinationPrefix = 'doctor-';

type ReserveLine = Extract<LedgerLine, { readonly event: 'reserve' }>;

interface Run {
  /** Index of the first line of the run in the ledger. */
  readonly start: number;
  hasEnded: boolean;
  readonly reserves: Reservation[];
  readonly firstValid: Reservation[];
}

interface Reservation {
  readonly line: ReserveLine;
  readonly worst: WorstEffect;
  readonly run: Run;
  settlement?: Settlement;
}

function newTally(own: string) {
  const runs = new Map<string, Run>();
  let count = 0;
  let lastId = 0;
  // A person cleared the effects of all runs that began before the line with this index (`forget`).
  let firstCounted = 0;
  let begun = false;
  let superseded = false;
  let hasForget = false;
  let lastClosing: LedgerLine | undefined;
  const unfinished = () => {
    const start = runs.get(own)?.start ?? count;
    return [...runs.values()].filter((run) => run.start >= firstCounted && run.start < start && !run.hasEnded);
  };
  /** The examination by `doctor` that shares its allowance with this run. Undefined if `end` or `forget` came later. */
  const examination = () => {
    const isByDoctor = lastClosing?.event === 'end' && lastClosing.run.startsWith(examinationPrefix);
    return isByDoctor && !hasForget && !own.startsWith(examinationPrefix) ? runs.get(lastClosing!.run) : undefined;
  };
  return {
    add(line: LedgerLine): void {
      const run = runs.get(line.run) ?? { start: count, hasEnded: false, reserves: [], firstValid: [] };
      runs.set(line.run, run);
      const isOwn = line.run === own;
      count += 1;
      switch (line.event) {
        case 'start':
          if (begun && !isOwn) superseded = true;
          begun ||= isOwn;
          break;
        case 'reserve': {
          const reservation: Reservation = { line, worst: worstOf(line), run };
          run.reserves.push(reservation);
          if (line.settles) run.firstValid.push(reservation);
          if (isOwn) lastId = Math.max(lastId, line.id);
          break;
        }
        case 'release':
        case 'confirm':
        case 'unclear': {
          const reservation = run.reserves.findLast((one) => one.line.id === line.id);
          if (reservation !== undefined) reservation.settlement = line;
          break;
        }
        case 'end':
        case 'forget':
          if (!begun) lastClosing = line;
          if (line.event === 'forget') {
            firstCounted = Math.max(firstCounted, run.start);
            hasForget ||= isOwn;
          } else if (!runs.has(own)) {
            // A run that ends after this run has begun still counts as unfinished.
            run.hasEnded = true;
          }
      }
    },
    balance(): LedgerBalance {
      return { begun, superseded, ...balanceFrom(runs.get(own), unfinished(), examination()) };
    },
    lastId: () => lastId,
    isSuperseded: () => superseded,
  };
}

function balanceFrom(own: Run | undefined, unfinished: readonly Run[], doctor: Run | undefined) {
  const ofOwn = own?.reserves ?? [];
  const ofDoctor = doctor?.reserves ?? [];
  const ofCarried = [...unfinished.filter((run) => run !== doctor).flatMap(({ reserves }) => reserves), ...ofDoctor];
  const carried = total(ofCarried.filter(isCounted));
  const confirmed = ofOwn.filter(({ settlement }) => settlement?.event === 'confirm');
  const wrong = confirmed.filter(({ settlement }) => settlement?.wrongly);
  const refused = ofOwn.filter(isRefusal);
  const isKnown = ({ line }: Reservation) => line.unknown !== true;
  const refusals = [...refused, ...ofCarried.filter(isRefusal)].filter(isKnown);
  return {
    spent: carried.plus(total(ofOwn.filter(isCounted))),
    carried,
    byDoctor: total(ofDoctor.filter(isCounted)),
    confirmed: total(confirmed),
    unreadable: total(ofOwn.filter(({ settlement }) => settlement?.unreadable)),
    distrusted: total(refused.filter(isCounted)),
    refused: total(refused.filter((one) => isKnown(one) && !isCounted(one))),
    atUnknown: total(refused.filter((one) => !isKnown(one))),
    refusals: byOperation((effect) => refusals.filter(({ line }) => line.effect === effect).length),
    proven: byOperation((effect) => confirmed.some(({ line }) => line.settles === true && line.effect === effect)),
    unclear: ofOwn.filter((one) => isCounted(one) && one.settlement?.event !== 'confirm').length,
    wronglyAccepted: {
      spent: total(wrong),
      ...byOperation((effect) => wrong.filter(({ line }) => line.effect === effect).map(({ line }) => line.what)),
    },
  };
}

function isRefusal({ settlement }: Reservation): boolean {
  return settlement?.event === 'release' && settlement.by === 'target';
}

/** A refused request counts too if the suite does not trust the refusal. */
function isCounted(one: Reservation): boolean {
  if (one.settlement?.event !== 'release') return true;
  return isRefusal(one) && one.line.unknown !== true && isDistrusted(one);
}

/** True if the target did not accept the first valid request of the operation. Then other refusals prove nothing. */
function isDistrusted({ run, line: { effect } }: Reservation): boolean {
  return run.firstValid.some((one) => {
    const event = one.line.effect === effect ? one.settlement?.event : undefined;
    return event !== undefined && event !== 'confirm';
  });
}

function total(reserved: readonly Reservation[]): Effects {
  return reserved.reduce((spent, { worst }) => spent.add(worst), Effects.none);
}

function byOperation<T>(value: (effect: WorstEffect['effect']) => T): ByOperation<T> {
  return { closesDay: value('closes-day'), payments: value('starts-payments') };
}

function worstOf(line: ReserveLine): WorstEffect {
  const { endpointId } = line;
  if (line.effect === 'closes-day') return { effect: line.effect, endpointId };
  return { effect: line.effect, endpointId, count: line.count, cents: centsOf(line.total) ?? 0 };
}
