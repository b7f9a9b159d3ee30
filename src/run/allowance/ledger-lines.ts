/** The lines of a ledger, and what they add up to. Pure. */

import type { FailureKind } from '../../record/exchange.ts';
import type { Acceptance } from '../../rules/answers/answer-reading.ts';
import type { Allowance } from '../target/live-config.ts';
import { centsOf, inDecimals } from '../target/site.ts';
import { type ByOperation, type Done, nothingSpent, type Spent, spend, sum } from './budget.ts';
import type { WorstEffect } from './worst-case.ts';

interface Common {
  /** RFC 3339. */
  readonly at: string;
  /** Id of the run. */
  readonly run: string;
}

/** What was received, as a status code and a word: the ledger never holds what the target itself writes. */
export interface AnswerInLedger {
  readonly status?: number;
  readonly said: Acceptance | FailureKind;
}

/** `release`: it was not done; `by` the target's word, or because it never arrived. `confirm`: it was accepted. `unclear`: it is not known, so it counts. */
export type LedgerLine =
  | (Common & {
      readonly event: 'start';
      readonly target: string;
      readonly endpointId?: string;
      readonly allow: Allowance;
    })
  | (Common & {
      readonly event: 'reserve';
      readonly id: number;
      readonly what: string;
      /** Set for the right request whose acceptance shows that the target can distinguish right from wrong. */
      readonly settles?: boolean;
    } & Effects)
  | (Common & {
      readonly event: 'release';
      readonly id: number;
      readonly answer: AnswerInLedger;
      readonly by?: 'target';
    })
  | (Common & {
      readonly event: 'unclear';
      readonly id: number;
      readonly answer: AnswerInLedger;
      /** Set where an answer was unreadable. */
      readonly unreadable?: boolean;
    })
  | (Common & {
      readonly event: 'confirm';
      readonly id: number;
      readonly answer: AnswerInLedger;
      /** Set where it should have been refused. */
      readonly wrongly?: true;
    })
  /** `forget`: a person has cleared what the runs before this one left. */
  | (Common & { readonly event: 'end' | 'forget' })
  /** The line before this one was cut off, its process ended before it acted on it: it counts as never written. */
  | (Common & { readonly event: 'torn'; readonly bytes: number });

type Effects =
  | { readonly effect: 'closes-day'; readonly endpointId: string; readonly unknown?: true }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      /** Decimal text with two decimals. */
      readonly total: string;
      readonly unknown?: true;
    };

/** The members of a `reserve` line that say what is reserved. */
export function reservedFor(worst: WorstEffect): Effects {
  if (worst.effect === 'closes-day') return worst;
  const { cents, ...rest } = worst;
  return { ...rest, total: inDecimals(cents) };
}

export interface LedgerBalance extends Done {
  /** The part of `carried` which doctor did, in its last examination since a run ended. */
  readonly examined: Spent;
  /** What was accepted in this run. */
  readonly confirmed: Spent;
  /** What was given back in this run on the target's word alone: done, if its refusals are not true. */
  readonly refused: Spent;
  /** What was asked of the endpoint named as unknown in this run, and not accepted. */
  readonly elsewhere: Spent;
  /** Whether the right request was accepted in this run that shows that a refusal means something. */
  readonly proven: ByOperation<boolean>;
  /** Reservations of this run whose effect is not known. */
  readonly unclear: number;
  /** Whether the ledger knows that this run began: where it does not, the ledger was taken away. */
  readonly begun: boolean;
  /** Whether another run has begun since: then this one may do nothing more. */
  readonly superseded: boolean;
}

/** What the ledger says of a run; for an id that it does not know, what a run would begin with. */
export function balanceOf(lines: readonly LedgerLine[], run: string): LedgerBalance {
  const doctor = examinationBefore(lines, run);
  const unfinished = unfinishedRuns(lines, run);
  const reserves = reservesIn(lines);
  const ofOwn = reserves.filter(({ line }) => line.run === run);
  const ofCarried = reserves.filter(({ line }) => line.run === doctor || unfinished.has(line.run));
  const carried = total(ofCarried.filter(counts));
  const confirmed = ofOwn.filter(({ settled }) => settled?.event === 'confirm');
  const wrong = confirmed.filter(({ settled }) => settled?.event === 'confirm' && settled.wrongly);
  const believed = (given: readonly Settled[]) => given.filter((one) => isRefusal(one) && one.line.unknown !== true);
  const refusals = believed([...ofOwn, ...ofCarried]);
  return {
    spent: sum(carried, total(ofOwn.filter(counts))),
    carried,
    examined: total(ofCarried.filter((one) => one.line.run === doctor && counts(one))),
    confirmed: total(confirmed),
    unreadable: total(ofOwn.filter(({ settled }) => settled?.event === 'unclear' && settled.unreadable === true)),
    disbelieved: total(ofOwn.filter((one) => isRefusal(one) && counts(one))),
    refused: total(believed(ofOwn).filter((one) => !counts(one))),
    elsewhere: total(ofOwn.filter((one) => isRefusal(one) && one.line.unknown === true)),
    refusals: byOperation((effect) => refusals.filter(({ line }) => line.effect === effect).length),
    proven: byOperation((effect) => confirmed.some(({ line }) => line.settles === true && line.effect === effect)),
    unclear: ofOwn.filter((one) => counts(one) && one.settled?.event !== 'confirm').length,
    begun: beginningOf(lines, run) !== -1,
    superseded: isSuperseded(lines, run),
    wrong: {
      spent: total(wrong),
      ...byOperation((effect) => wrong.filter(({ line }) => line.effect === effect).map(({ line }) => line.what)),
    },
  };
}

/** Whether another run has begun since that one did. */
export function isSuperseded(lines: readonly LedgerLine[], run: string): boolean {
  const begins = beginningOf(lines, run);
  return begins !== -1 && lines.some((line, at) => at > begins && line.event === 'start' && line.run !== run);
}

/** The lines that have a bearing on a run: a ledger of years need not be added up for every request. */
export function relevantTo(lines: readonly LedgerLine[], run: string): LedgerLine[] {
  const counted = unfinishedRuns(lines, run).add(run);
  const doctor = examinationBefore(lines, run);
  return lines.filter(
    (line) => counted.has(line.run) || line.run === doctor || ['start', 'end', 'forget'].includes(line.event),
  );
}

/** The runs without an end that began before this one, and that were not forgotten since: no run takes them over. */
function unfinishedRuns(lines: readonly LedgerLine[], run: string): Set<string> {
  // All at once: a ledger of many years has hundreds of thousands of lines. A run whose beginning was cut away counts too.
  const beginnings = new Map<string, number>();
  for (const [at, { run: one }] of lines.entries()) if (!beginnings.has(one)) beginnings.set(one, at);
  const own = beginnings.get(run) ?? lines.length;
  const ended = new Set(lines.slice(0, own).flatMap((line) => (line.event === 'end' ? [line.run] : [])));
  const forgotten = lines.reduce(
    (last, { event, run: one }) => (event === 'forget' ? Math.max(last, beginnings.get(one)!) : last),
    0,
  );
  return new Set([...beginnings].filter(([id, at]) => at >= forgotten && at < own && !ended.has(id)).map(([id]) => id));
}

/** How the ids of examinations by doctor begin; those of runs have no hyphen. */
export const examinationPrefix = 'doctor-';

/**
 * The last examination by doctor before the run, unless a run has ended, or been forgotten, since: what is asked for is `doctor`
 * and a run within one allowance. Doctor asked again has an allowance of its own, like a run that is started again.
 */
function examinationBefore(lines: readonly LedgerLine[], run: string): string | undefined {
  if (run.startsWith(examinationPrefix)) return undefined;
  const begins = beginningOf(lines, run);
  const before = begins === -1 ? lines : lines.slice(0, begins);
  const forgotten = lines.some((line) => line.event === 'forget' && line.run === run);
  const last = before.findLast(({ event }) => event === 'end' || event === 'forget');
  return !forgotten && last?.event === 'end' && last.run.startsWith(examinationPrefix) ? last.run : undefined;
}

function beginningOf(lines: readonly LedgerLine[], run: string): number {
  return lines.findIndex((line) => line.event === 'start' && line.run === run);
}

type Reserve = Extract<LedgerLine, { readonly event: 'reserve' }>;

/** A reservation with what became of it. */
interface Settled {
  readonly line: Reserve;
  readonly settled?: Extract<LedgerLine, { readonly event: 'release' | 'confirm' | 'unclear' }>;
  /** Whether the right request of its run and operation was sent and not accepted: then no refusal of them means anything. */
  readonly distrusted: boolean;
}

function reservesIn(lines: readonly LedgerLine[]): Settled[] {
  const settlements = new Map(
    lines.flatMap((line) =>
      line.event === 'release' || line.event === 'confirm' || line.event === 'unclear'
        ? [[`${line.run} ${line.id}`, line] as const]
        : [],
    ),
  );
  const all = lines.flatMap((line) =>
    line.event === 'reserve' ? [{ line, settled: settlements.get(`${line.run} ${line.id}`) }] : [],
  );
  const distrusted = new Set(
    all
      .filter(({ line, settled }) => line.settles === true && settled !== undefined && settled.event !== 'confirm')
      .map(({ line }) => `${line.run} ${line.effect}`),
  );
  return all.map((one) => ({ ...one, distrusted: distrusted.has(`${one.line.run} ${one.line.effect}`) }));
}

function isRefusal({ settled }: Settled): boolean {
  return settled?.event === 'release' && settled.by === 'target';
}

/** Whether it counts against the allowance: until something else is known. */
function counts(one: Settled): boolean {
  if (one.settled?.event !== 'release') return true;
  return isRefusal(one) && one.distrusted && one.line.unknown !== true;
}

function total(settled: readonly Settled[]): Spent {
  return settled.reduce((spent, { line }) => spend(spent, worstOf(line)), nothingSpent);
}

function byOperation<T>(value: (effect: WorstEffect['effect']) => T): ByOperation<T> {
  return { closesDay: value('closes-day'), payments: value('starts-payments') };
}

function worstOf(line: Reserve): WorstEffect {
  const { endpointId } = line;
  if (line.effect === 'closes-day') return { effect: line.effect, endpointId };
  return { effect: line.effect, endpointId, count: line.count, cents: centsOf(line.total) ?? 0 };
}
