/** The lines of a ledger, and what they add up to. Pure. */

import type { FailureKind } from '../../record/exchange.ts';
import type { Acceptance } from '../../rules/answers/acceptance.ts';
import type { Allowance } from '../target/live-config.ts';
import { centsOf, inDecimals } from '../target/site.ts';
import { type ByOperation, type Done, type Spent, sum, totalOf } from './budget.ts';
import type { WorstEffect } from './worst-case.ts';

interface Common {
  /** RFC 3339. */
  readonly at: string;
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
      readonly unreadable?: boolean;
    })
  | (Common & {
      readonly event: 'confirm';
      readonly id: number;
      readonly answer: AnswerInLedger;
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

export function reservedFor(worst: WorstEffect): Effects {
  if (worst.effect === 'closes-day') return worst;
  const { cents, ...rest } = worst;
  return { ...rest, total: inDecimals(cents) };
}

export interface LedgerBalance extends Done {
  /** The part of `carried` which doctor did, in its last examination since a run ended. */
  readonly examined: Spent;
  readonly confirmed: Spent;
  /** What was given back in this run on the target's word alone: done, if its refusals are not true. */
  readonly refused: Spent;
  /** What was asked of the endpoint named as unknown in this run, and not accepted. */
  readonly elsewhere: Spent;
  /** Whether the right request was accepted in this run that shows that a refusal means something. */
  readonly proven: ByOperation<boolean>;
  readonly unclear: number;
  /** Whether the ledger knows that this run began: where it does not, the ledger was taken away. */
  readonly begun: boolean;
  /** Whether another run has begun since: then this one may do nothing more. */
  readonly superseded: boolean;
}

export function balanceOf(lines: readonly LedgerLine[], run: string): LedgerBalance {
  const tally = newTally(run);
  for (const line of lines) tally.add(line);
  return tally.balance();
}

/** How the ids of examinations by doctor begin; those of runs have no hyphen. */
export const examinationPrefix = 'doctor-';

interface Tally {
  add(line: LedgerLine): void;
  balance(): LedgerBalance;
  lastId(): number;
  isSuperseded(): boolean;
}

type Reserve = Extract<LedgerLine, { readonly event: 'reserve' }>;
type Settlement = Extract<LedgerLine, { readonly event: 'release' | 'confirm' | 'unclear' }>;

interface Run {
  /** Place of its first line, whichever that is: one whose beginning was cut away counts too. */
  readonly at: number;
  hasEnded: boolean;
  readonly reserves: Reserved[];
  readonly settling: Reserved[];
  readonly settlements: Map<number, Settlement>;
}

interface Reserved {
  readonly line: Reserve;
  readonly worst: WorstEffect;
  readonly run: Run;
}

export function newTally(own: string): Tally {
  const runs = new Map<string, Run>();
  let [count, lastId] = [0, 0];
  // Runs whose first line is before this place count no more: a person has cleared what they left.
  let forgotten = 0;
  let [begun, superseded, forgets] = [false, false, false];
  let lastClosing: LedgerLine | undefined;
  const runOf = (id: string): Run => {
    const known = runs.get(id);
    if (known !== undefined) return known;
    const run = { at: count, hasEnded: false, reserves: [], settling: [], settlements: new Map() };
    runs.set(id, run);
    return run;
  };
  /** The runs without an end that began before this one, and that were not forgotten since: no run takes them over. */
  const unfinished = () => {
    const at = runs.get(own)?.at ?? count;
    return [...runs.values()].filter((run) => run.at >= forgotten && run.at < at && !run.hasEnded);
  };
  /** Doctor's last examination, unless a run has ended since: `doctor` and a run share one allowance. */
  const examination = () => {
    const isDoctors = lastClosing?.event === 'end' && lastClosing.run.startsWith(examinationPrefix);
    return isDoctors && !forgets && !own.startsWith(examinationPrefix) ? runs.get(lastClosing!.run) : undefined;
  };
  return {
    add(line) {
      const run = runOf(line.run);
      const isOwn = line.run === own;
      count += 1;
      switch (line.event) {
        case 'start':
          if (begun && !isOwn) superseded = true;
          begun ||= isOwn;
          break;
        case 'reserve': {
          const reserved = { line, worst: worstOf(line), run };
          run.reserves.push(reserved);
          if (line.settles) run.settling.push(reserved);
          if (isOwn) lastId = Math.max(lastId, line.id);
          break;
        }
        case 'release':
        case 'confirm':
        case 'unclear':
          run.settlements.set(line.id, line);
          break;
        case 'end':
        case 'forget':
          if (!begun) lastClosing = line;
          if (line.event === 'forget') {
            forgotten = Math.max(forgotten, run.at);
            forgets ||= isOwn;
          } else if (!runs.has(own)) {
            // What ends while this run goes on was not over when it began.
            run.hasEnded = true;
          }
      }
    },
    balance: () => added(runs.get(own), unfinished(), examination(), { begun, superseded }),
    lastId: () => lastId,
    isSuperseded: () => superseded,
  };
}

function added(
  own: Run | undefined,
  unfinished: readonly Run[],
  doctor: Run | undefined,
  state: Pick<LedgerBalance, 'begun' | 'superseded'>,
): LedgerBalance {
  const [ofOwn, ofDoctor] = [own?.reserves ?? [], doctor?.reserves ?? []];
  const ofCarried = [...unfinished.filter((run) => run !== doctor).flatMap(({ reserves }) => reserves), ...ofDoctor];
  const carried = total(ofCarried.filter(counts));
  const confirmed = ofOwn.filter((one) => settlementOf(one)?.event === 'confirm');
  const wrong = confirmed.filter((one) => is(one, 'wrongly'));
  const refused = ofOwn.filter(isRefusal);
  const isKnown = ({ line }: Reserved) => line.unknown !== true;
  const refusals = [...refused, ...ofCarried.filter(isRefusal)].filter(isKnown);
  return {
    ...state,
    spent: sum(carried, total(ofOwn.filter(counts))),
    carried,
    examined: total(ofDoctor.filter(counts)),
    confirmed: total(confirmed),
    unreadable: total(ofOwn.filter((one) => is(one, 'unreadable'))),
    disbelieved: total(refused.filter(counts)),
    refused: total(refused.filter((one) => isKnown(one) && !counts(one))),
    elsewhere: total(refused.filter((one) => !isKnown(one))),
    refusals: byOperation((effect) => refusals.filter(({ line }) => line.effect === effect).length),
    proven: byOperation((effect) => confirmed.some(({ line }) => line.settles === true && line.effect === effect)),
    unclear: ofOwn.filter((one) => counts(one) && settlementOf(one)?.event !== 'confirm').length,
    wrong: {
      spent: total(wrong),
      ...byOperation((effect) => wrong.filter(({ line }) => line.effect === effect).map(({ line }) => line.what)),
    },
  };
}

function settlementOf({ line, run }: Reserved): Settlement | undefined {
  return run.settlements.get(line.id);
}

function is(one: Reserved, what: 'wrongly' | 'unreadable'): boolean {
  return (settlementOf(one) as { readonly [Name in typeof what]?: boolean } | undefined)?.[what] === true;
}

function isRefusal(one: Reserved): boolean {
  const settled = settlementOf(one);
  return settled?.event === 'release' && settled.by === 'target';
}

/** Whether it counts against the allowance: until something else is known. */
function counts(one: Reserved): boolean {
  if (settlementOf(one)?.event !== 'release') return true;
  return isRefusal(one) && one.line.unknown !== true && isDistrusted(one);
}

/** Whether the right request of its run and operation was sent and not accepted: then no refusal of them means anything. */
function isDistrusted({ run, line: { effect } }: Reserved): boolean {
  return run.settling.some((one) => {
    const event = one.line.effect === effect ? settlementOf(one)?.event : undefined;
    return event !== undefined && event !== 'confirm';
  });
}

function total(reserved: readonly Reserved[]): Spent {
  return totalOf(reserved.map(({ worst }) => worst));
}

function byOperation<T>(value: (effect: WorstEffect['effect']) => T): ByOperation<T> {
  return { closesDay: value('closes-day'), payments: value('starts-payments') };
}

function worstOf(line: Reserve): WorstEffect {
  const { endpointId } = line;
  if (line.effect === 'closes-day') return { effect: line.effect, endpointId };
  return { effect: line.effect, endpointId, count: line.count, cents: centsOf(line.total) ?? 0 };
}
