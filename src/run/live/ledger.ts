/** The ledger of a target on disk: append-only JSON lines, each on the disk before anything is done about it. */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Allowance, LiveConfig } from '../live-config.ts';
import { whyExceeds } from './budget.ts';
import { type LedgerLine, relevantTo, reservedFor, type Stand, standOf } from './ledger-lines.ts';
import { LiveError } from './live-error.ts';
import type { WorstCase } from './worst-case.ts';

/** Where the ledger stands: beside the configuration, or in the working folder; one for each target and endpoint. */
export function ledgerPath({ path, target, endpointId }: LiveConfig, cwd: string): string {
  const hash = createHash('sha256')
    .update(`${target}\n${endpointId ?? ''}`)
    .digest('hex')
    .slice(0, 16);
  return join(path === undefined ? cwd : dirname(path), '.countersign', `ledger-${hash}.jsonl`);
}

/** What is known of a request once its answer came, or did not. */
export interface Settlement {
  readonly event: 'release' | 'confirm' | 'unclear';
  /** The answer in one line. */
  readonly answer: string;
  readonly stops?: string;
}

export interface Ledger {
  stand(): Stand;
  /** Writes down that the run begins, and under what. */
  begin(target: string, endpointId: string | undefined, allow: Allowance): void;
  /**
   * Reserves the worst case; undefined where it had none. Once it returns, the reservation is on the disk, and no other run
   * has begun before that.
   */
  reserve(worst: WorstCase, allow: Allowance, what: string): { readonly id: number } | { readonly refused: string };
  settle(id: number, settlement: Settlement): void;
  /** Without it everything that the run did counts into the next one. */
  end(): void;
}

/** The ledger as one run sees it. Throws LiveError `bad-ledger` where the file cannot be read or written. */
export function openLedger(path: string, run: string, now: () => number = Date.now): Ledger {
  const append = (line: NewLine) => appendLine(path, { at: new Date(now()).toISOString(), run, ...line });
  const read = ledgerReader(path, run);
  const stand = () => standOf(read(), run);
  return {
    stand,
    begin(target, endpointId, allow) {
      append({ event: 'start', target, ...(endpointId === undefined ? {} : { endpointId }), allow });
    },
    reserve(worst, allow, what) {
      if (worst.effect === 'none') throw new TypeError('nothing to reserve');
      const { spent, begun, superseded } = stand();
      if (!begun) return { refused: 'the ledger no longer has the beginning of this run' };
      if (superseded) return { refused: overtaken };
      const exceeds = whyExceeds(worst, spent, allow);
      if (exceeds !== undefined) return { refused: exceeds };
      const id = read().filter((line) => line.event === 'reserve' && line.run === run).length + 1;
      append({ event: 'reserve', id, what, ...reservedFor(worst) });
      // A run that began meanwhile has either read this line, or is seen here: both cannot fail.
      if (!stand().superseded) return { id };
      append({ event: 'release', id, answer: 'not sent' });
      return { refused: overtaken };
    },
    settle: (id, settlement) => append({ id, ...settlement }),
    end: () => append({ event: 'end' }),
  };
}

const overtaken = 'another run has begun at this target since';

type Without<T> = T extends unknown ? Omit<T, 'at' | 'run'> : never;
type NewLine = Without<LedgerLine>;

/** Reads what was added since the last time; what earlier runs settled among themselves is left out. */
function ledgerReader(path: string, run: string): () => readonly LedgerLine[] {
  let lines: LedgerLine[] | undefined;
  let [offset, file] = [0, 0];
  return () => {
    const read = bytesFrom(path, offset, file);
    // Somebody has put another file in its place: what that one says counts.
    if (read.file !== file) [lines, offset, file] = [undefined, 0, read.file];
    // A line without its end is being written, or its process ended over it: it was never acted on.
    const whole = read.bytes.subarray(0, read.bytes.lastIndexOf(0x0a) + 1);
    offset += whole.length;
    const added = parseLedger(whole.toString('utf8'), path);
    lines = lines === undefined ? relevantTo(added, run) : [...lines, ...added];
    return lines;
  };
}

/** What stands behind the offset of the file of that number; from the beginning where it is another file by now. */
function bytesFrom(path: string, offset: number, known: number): { bytes: Buffer; file: number } {
  if (!existsSync(path)) return { bytes: Buffer.alloc(0), file: 0 };
  const opened = openSync(path, 'r');
  try {
    const { ino, size } = fstatSync(opened);
    const from = ino === known ? Math.min(offset, size) : 0;
    const bytes = Buffer.alloc(size - from);
    return { bytes: bytes.subarray(0, readSync(opened, bytes, 0, bytes.length, from)), file: ino };
  } finally {
    closeSync(opened);
  }
}

/** The lines of a ledger. Throws LiveError `bad-ledger` for one that cannot be read, unless it was cut off. */
export function parseLedger(text: string, path: string): LedgerLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line) as LedgerLine];
    } catch (cause) {
      // A process ended over it before it acted on it; the next one began a new line.
      if (lines[index + 1] !== undefined && line.startsWith('{"at":') && !line.endsWith('}')) return [];
      const hint =
        'Nothing is sent while it is not known what was done. Restore the file, or move it away if no run is due.';
      throw new LiveError('bad-ledger', `line ${index + 1} of the ledger ${path} cannot be read`, hint, cause);
    }
  });
}

function appendLine(path: string, line: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, 'a+', 0o600);
    try {
      const { size } = fstatSync(file);
      const last = Buffer.alloc(1);
      const torn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
      writeSync(file, `${torn ? '\n' : ''}${JSON.stringify(line)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new LiveError(
      'bad-ledger',
      `the ledger ${path} cannot be written`,
      'Nothing with an effect is sent without it: check the folder and the space on the disk.',
      cause,
    );
  }
}
