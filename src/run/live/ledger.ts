/** The ledger of a target as one run sees it: what is on the disk, and what the run itself remembers, whichever is more. */
import type { Allowance } from '../live-config.ts';
import { nothingSpent, type Spent, spend, whyExceeds } from './budget.ts';
import { holds, openLedgerFile, type WriteBytes } from './ledger-file.ts';
import { type Answered, type LedgerLine, relevantTo, reservedFor, type Stand, standOf } from './ledger-lines.ts';
import { LiveError } from './live-error.ts';
import type { WorstCase } from './worst-case.ts';

/** What is known of a request once its answer came, or did not. */
export interface Settlement {
  readonly event: 'release' | 'confirm' | 'unclear';
  readonly answer: Answered;
  readonly stops?: string;
}

export interface Ledger {
  stand(): Stand;
  /** Writes down that the run begins, and under what. */
  begin(target: string, endpointId: string | undefined, allow: Allowance): void;
  /** Clears what the runs before this one left; they count no more, neither here nor later. */
  forgetUnfinished(): void;
  /**
   * Reserves the worst case; undefined where it had none. Once it returns, the reservation is on the disk, and no other run
   * has begun before that.
   */
  reserve(worst: WorstCase, allow: Allowance, what: string): { readonly id: number } | { readonly refused: string };
  settle(id: number, settlement: Settlement): void;
  /** Without it everything that the run did counts into the next ones. */
  end(): void;
}

export interface LedgerParts {
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  readonly write?: WriteBytes;
}

/** Each call throws LiveError `bad-ledger` where the file cannot be used, or is not the one that it was. */
export function openLedger(path: string, run: string, { now = Date.now, write }: LedgerParts = {}): Ledger {
  const file = openLedgerFile(path, write);
  let lines: readonly LedgerLine[] | undefined;
  const read = () => {
    const added = file.readNew();
    lines = lines === undefined ? relevantTo(added, run) : [...lines, ...added];
    return lines;
  };
  const append = (line: NewLine) => {
    // What is not the file that it was gets no line.
    read();
    const whole: LedgerLine = { at: new Date(now()).toISOString(), run, ...line };
    file.append(whole);
    // A disk that is full, or another file in its place, may take a line without keeping it.
    if (!holds(read(), whole)) {
      const hint = 'Nothing is sent that is not in it: check the disk, and keep others from the file.';
      throw new LiveError('bad-ledger', `the ledger ${path} does not hold what was just written into it`, hint);
    }
  };
  const own = newMemory();
  const stand = () => own.beside(standOf(read(), run));
  return {
    stand,
    begin(target, endpointId, allow) {
      append({ event: 'start', target, ...(endpointId === undefined ? {} : { endpointId }), allow });
    },
    forgetUnfinished: () => append({ event: 'forget' }),
    reserve(worst, allow, what) {
      if (worst.effect === 'none') throw new TypeError('nothing to reserve');
      const { spent, begun, superseded } = stand();
      if (!begun) return { refused: 'the ledger no longer has the beginning of this run' };
      if (superseded) return { refused: overtaken };
      const exceeds = whyExceeds(worst, spent, allow);
      if (exceeds !== undefined) return { refused: exceeds };
      const taken = read().flatMap((line) => (line.event === 'reserve' && line.run === run ? [line.id] : []));
      const id = Math.max(0, own.lastId(), ...taken) + 1;
      own.reserved(id, worst);
      append({ event: 'reserve', id, what, ...reservedFor(worst) });
      // A run that began meanwhile has either read this line, or is seen here: both cannot fail.
      if (!stand().superseded) return { id };
      append({ event: 'release', id, answer: { said: 'not-sent' } });
      own.released(id);
      return { refused: overtaken };
    },
    settle(id, settlement) {
      append({ id, ...settlement });
      if (settlement.event === 'release') own.released(id);
    },
    end: () => append({ event: 'end' }),
  };
}

const overtaken = 'another run has begun at this target since';

type Without<T> = T extends unknown ? Omit<T, 'at' | 'run'> : never;
type NewLine = Without<LedgerLine>;

/** What this process reserved itself: a file that says less does not give it back. */
function newMemory() {
  const reservations = new Map<number, WorstCase>();
  let last = 0;
  return {
    lastId: () => last,
    reserved(id: number, worst: WorstCase) {
      last = id;
      reservations.set(id, worst);
    },
    released(id: number) {
      reservations.delete(id);
    },
    beside(stand: Stand): Stand {
      const remembered = [...reservations.values()].reduce(spend, nothingSpent);
      return { ...stand, spent: larger(stand.spent, sum(stand.carried, remembered)) };
    },
  };
}

function larger(a: Spent, b: Spent): Spent {
  return combined(a, b, Math.max);
}

function sum(a: Spent, b: Spent): Spent {
  return combined(a, b, (one, other) => one + other);
}

function combined(a: Spent, b: Spent, by: (one: number, other: number) => number): Spent {
  return {
    closesDay: by(a.closesDay, b.closesDay),
    payments: by(a.payments, b.payments),
    cents: by(a.cents, b.cents),
  };
}
