/** The lines of a ledger, and what they add up to. Pure. */
import type { Answer } from '../../checks/acceptance.ts';
import type { Exchange, FailureKind } from '../../exchange/exchange.ts';
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

/** What came back, in a status code and a word: what the target itself writes never stands in the ledger. */
export interface Answered {
  readonly status?: number;
  readonly said: Answer | FailureKind;
}

export function answeredWith({ response, failure }: Exchange, said: Answer): Answered {
  if (response === undefined) return { said: failure?.kind ?? said };
  return { status: response.status, said };
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
  | (Common & { readonly event: 'release' | 'unclear'; readonly id: number; readonly answer: Answered })
  | (Common & {
      readonly event: 'confirm';
      readonly id: number;
      readonly answer: Answered;
      /** Set where it should have been refused: no more of that kind is sent. */
      readonly stops?: string;
    })
  /** `forget`: a person has cleared what the runs before this one left. */
  | (Common & { readonly event: 'end' | 'forget' })
  /** The line before this one was cut off, its process ended before it acted on it: it counts as never written. */
  | (Common & { readonly event: 'torn'; readonly bytes: number });

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
  const begins = beginningOf(lines, run);
  const after = begins === -1 ? [] : lines.slice(begins + 1);
  const unfinished = unfinishedRuns(lines, run);
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
  const counted = unfinishedRuns(lines, run).add(run);
  return lines.filter((line) => counted.has(line.run) || ['start', 'end', 'forget'].includes(line.event));
}

/** The runs without an end that began before this one, and that nobody has told us to forget since: no run takes them over. */
function unfinishedRuns(lines: readonly LedgerLine[], run: string): Set<string> {
  const begins = beginningOf(lines, run);
  const before = begins === -1 ? lines : lines.slice(0, begins);
  const forgotten = lines.flatMap((line) => (line.event === 'forget' ? [beginningOf(lines, line.run)] : []));
  const ended = new Set(before.filter(({ event }) => event === 'end').map((line) => line.run));
  const started = before.slice(Math.max(0, ...forgotten)).filter(({ event }) => event === 'start');
  return new Set(started.map((line) => line.run).filter((id) => !ended.has(id)));
}

function beginningOf(lines: readonly LedgerLine[], run: string): number {
  return lines.findIndex((line) => line.event === 'start' && line.run === run);
}

/** Tells of each line in turn why it cannot stand where it does; undefined where it can. */
export function newSequence(): (line: LedgerLine) => string | undefined {
  const started = new Set<string>();
  const reserved = new Set<string>();
  return (line) => {
    if (line.event === 'start') {
      if (started.has(line.run)) return 'begins a run that has begun';
      started.add(line.run);
      return undefined;
    }
    if (line.event === 'torn') return 'says that the line before it was cut off, and means another one';
    if (!started.has(line.run)) return 'is of a run that has not begun';
    if (!('id' in line)) return undefined;
    const key = `${line.run} ${line.id}`;
    if (line.event !== 'reserve') return reserved.has(key) ? undefined : 'settles what was not reserved';
    if (reserved.has(key)) return 'reserves under a number that is taken';
    reserved.add(key);
    return undefined;
  };
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
  return { effect: line.effect, endpointId, count: line.count, cents: centsOf(line.total)! };
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
