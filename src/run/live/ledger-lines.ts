/** The lines of a ledger, and what they add up to. Pure. */
import type { Allowance } from '../live-config.ts';
import { nothingSpent, type Spent, spend } from './budget.ts';
import { centsOf, inDecimals } from './money.ts';
import type { WorstCase } from './worst-case.ts';

interface Common {
  /** RFC 3339. */
  readonly at: string;
  /** Id of the run. */
  readonly run: string;
}

/** `release`: it was refused. `confirm`: it was accepted. `unclear`: nobody knows, so it counts. */
export type LedgerLine =
  | (Common & {
      readonly event: 'start';
      readonly target: string;
      readonly endpointId?: string;
      readonly allow: Allowance;
    })
  | (Common & { readonly event: 'reserve'; readonly id: number; readonly what: string } & Reserved)
  | (Common & { readonly event: 'release' | 'unclear'; readonly id: number; readonly answer: string })
  | (Common & {
      readonly event: 'confirm';
      readonly id: number;
      readonly answer: string;
      /** Set where it should have been refused: no more of that kind is sent. */
      readonly stops?: string;
    })
  | (Common & { readonly event: 'end' });

type Reserved =
  | { readonly effect: 'closes-day'; readonly endpointId: string }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      /** Decimal text with two decimals. */
      readonly total: string;
    };

/** The members of a `reserve` line that say what is reserved. */
export function reservedFor(worst: Exclude<WorstCase, { readonly effect: 'none' }>): Reserved {
  if (worst.effect === 'closes-day') return worst;
  const { cents, ...rest } = worst;
  return { ...rest, total: inDecimals(cents) };
}

export interface Stand {
  /** By this run and by the runs before it that did not end: what counts against its allowance. */
  readonly spent: Spent;
  /** The part of it that earlier runs left. */
  readonly carried: Spent;
  /** What was accepted in this run. */
  readonly confirmed: Spent;
  /** Reservations of this run of which nobody knows whether they had their effect. */
  readonly unclear: number;
  /** Whether the ledger knows that this run began: where it does not, somebody took the ledger away. */
  readonly begun: boolean;
  /** Whether another run has begun since: then this one may do nothing more. */
  readonly superseded: boolean;
  /** Kinds of requests of which one was wrongly accepted in this run, and what that one was. */
  readonly stopped: ReadonlyMap<string, string>;
}

/** What the ledger says of a run; for an id that it does not know, what a run would begin with. */
export function standOf(lines: readonly LedgerLine[], run: string): Stand {
  const begins = lines.findIndex((line) => line.event === 'start' && line.run === run);
  const before = begins === -1 ? lines : lines.slice(0, begins);
  const after = begins === -1 ? [] : lines.slice(begins + 1);
  const unfinished = unfinishedRuns(before);
  const carried = spentBy(lines, (line) => unfinished.has(line.run));
  const own = spentBy(lines, (line) => line.run === run);
  const confirmations = lines.filter((line) => line.event === 'confirm' && line.run === run);
  const confirmedIds = new Set(confirmations.map((line) => ('id' in line ? line.id : 0)));
  return {
    spent: sum(carried, own),
    carried,
    confirmed: spentBy(lines, (line) => line.run === run && confirmedIds.has(line.id)),
    unclear: idsOf(lines, run, 'reserve').size - idsOf(lines, run, 'release').size - confirmedIds.size,
    begun: begins !== -1,
    superseded: after.some((line) => line.event === 'start' && line.run !== run),
    stopped: new Map(
      confirmations.flatMap((line) =>
        line.event === 'confirm' && line.stops !== undefined ? [[line.stops, whatOf(lines, line)] as const] : [],
      ),
    ),
  };
}

/** The lines that have a bearing on a run: a ledger of years need not be added up for every request. */
export function relevantTo(lines: readonly LedgerLine[], run: string): LedgerLine[] {
  const begins = lines.findIndex((line) => line.event === 'start' && line.run === run);
  const counted = unfinishedRuns(begins === -1 ? lines : lines.slice(0, begins)).add(run);
  return lines.filter((line) => counted.has(line.run) || line.event === 'start' || line.event === 'end');
}

/** Runs without an end, back to the last one that has one: that one took over what was left before it. */
function unfinishedRuns(before: readonly LedgerLine[]): Set<string> {
  const ended = new Set(before.filter(({ event }) => event === 'end').map(({ run }) => run));
  const started = before.filter(({ event }) => event === 'start').map(({ run }) => run);
  return new Set(started.slice(started.findLastIndex((run) => ended.has(run)) + 1));
}

type Reserve = Extract<LedgerLine, { readonly event: 'reserve' }>;

function spentBy(lines: readonly LedgerLine[], counts: (line: Reserve) => boolean): Spent {
  const released = new Set(lines.flatMap((line) => (line.event === 'release' ? [`${line.run} ${line.id}`] : [])));
  return lines.reduce(
    (spent, line) =>
      line.event === 'reserve' && counts(line) && !released.has(`${line.run} ${line.id}`)
        ? spend(spent, worstOf(line))
        : spent,
    nothingSpent,
  );
}

function worstOf(line: Reserve): WorstCase {
  const { endpointId } = line;
  if (line.effect === 'closes-day') return { effect: line.effect, endpointId };
  return { effect: line.effect, endpointId, count: line.count, cents: centsOf(line.total) ?? 0 };
}

function idsOf(lines: readonly LedgerLine[], run: string, event: 'reserve' | 'release'): Set<number> {
  return new Set(lines.flatMap((line) => (line.event === event && line.run === run ? [line.id] : [])));
}

function whatOf(lines: readonly LedgerLine[], { run, id }: { readonly run: string; readonly id: number }): string {
  const found = lines.find((line) => line.event === 'reserve' && line.run === run && line.id === id);
  return found?.event === 'reserve' ? found.what : '';
}

function sum(a: Spent, b: Spent): Spent {
  return { closesDay: a.closesDay + b.closesDay, payments: a.payments + b.payments, cents: a.cents + b.cents };
}
