/** The lines of a ledger and their totals. Pure. */

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

/** A status and a word: the ledger never stores text from the target. */
export interface AnswerInLedger {
  readonly status?: number;
  readonly said: Acceptance | FailureKind;
}

type Answered<Event extends string, More = object> = Common & {
  readonly event: Event;
  readonly id: number;
  readonly answer: AnswerInLedger;
} & More;

/** A payment's `total` is decimal text with two decimals. */
type Effects<Worst = WorstEffect> = Worst extends { readonly cents: number }
  ? Omit<Worst, 'cents'> & { readonly total: string }
  : Worst;

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
  /** Not done. `by`: only the target says so. */
  | Answered<'release', { readonly by?: 'target' }>
  | Answered<'confirm', { readonly wrongly?: true }>
  /** Unknown, so it counts. */
  | Answered<'unclear', { readonly unreadable?: boolean }>
  /** `forget`: a person cleared what earlier runs left. */
  | (Common & { readonly event: 'end' | 'forget' })
  /** The previous line is incomplete. Its process ended before it acted on it, so it does not count. */
  | (Common & { readonly event: 'torn'; readonly bytes: number });

export function reservedFor(worst: WorstEffect): Effects {
  if (worst.effect === 'closes-day') return worst;
  const { cents, ...rest } = worst;
  return { ...rest, total: inDecimals(cents) };
}

export interface LedgerBalance extends Done {
  /** The part of `carried` from doctor's last examination since a run ended. */
  readonly byDoctor: Spent;
  readonly confirmed: Spent;
  /** Given back in this run because the target refused. It was done if refusals are untrue. */
  readonly refused: Spent;
  /** Requests of this run to the unknown endpoint that were not accepted. */
  readonly elsewhere: Spent;
  /** Whether a valid request was accepted in this run, so that a refusal means something. */
  readonly proven: ByOperation<boolean>;
  readonly unclear: number;
  /** Whether the ledger has this run's start. If not, the ledger was removed. */
  readonly begun: boolean;
  /** Whether another run has begun since. Then this run must stop. */
  readonly superseded: boolean;
}

export function balanceOf(lines: readonly LedgerLine[], run: string): LedgerBalance {
  const tally = newTally(run);
  for (const line of lines) tally.add(line);
  return tally.balance();
}

/** Prefix of doctor's ids. Ids of runs have no hyphen. */
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
  /** Index of the run's first line of any kind, because its start may be missing. */
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
  // A person cleared the runs whose first line is before this index.
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
  /** Unfinished runs that began before this one and were not cleared. */
  const unfinished = () => {
    const at = runs.get(own)?.at ?? count;
    return [...runs.values()].filter((run) => run.at >= forgotten && run.at < at && !run.hasEnded);
  };
  /** Doctor's last examination, unless a run has ended since: doctor and the next run share one allowance. */
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
            // A run that ends during this one was still unfinished when this one began.
            run.hasEnded = true;
          }
      }
    },
    balance: () => balanceFrom(runs.get(own), unfinished(), examination(), { begun, superseded }),
    lastId: () => lastId,
    isSuperseded: () => superseded,
  };
}

function balanceFrom(
  own: Run | undefined,
  unfinished: readonly Run[],
  doctor: Run | undefined,
  state: Pick<LedgerBalance, 'begun' | 'superseded'>,
): LedgerBalance {
  const [ofOwn, ofDoctor] = [own?.reserves ?? [], doctor?.reserves ?? []];
  const ofCarried = [...unfinished.filter((run) => run !== doctor).flatMap(({ reserves }) => reserves), ...ofDoctor];
  const carried = total(ofCarried.filter(counts));
  const confirmed = ofOwn.filter((one) => settlementOf(one)?.event === 'confirm');
  const wrong = confirmed.filter((one) => hasFlag(one, 'wrongly'));
  const refused = ofOwn.filter(isRefusal);
  const isKnown = ({ line }: Reserved) => line.unknown !== true;
  const refusals = [...refused, ...ofCarried.filter(isRefusal)].filter(isKnown);
  return {
    ...state,
    spent: sum(carried, total(ofOwn.filter(counts))),
    carried,
    byDoctor: total(ofDoctor.filter(counts)),
    confirmed: total(confirmed),
    unreadable: total(ofOwn.filter((one) => hasFlag(one, 'unreadable'))),
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

function hasFlag(one: Reserved, flag: 'wrongly' | 'unreadable'): boolean {
  return (settlementOf(one) as Partial<Record<typeof flag, boolean>> | undefined)?.[flag] === true;
}

function isRefusal(one: Reserved): boolean {
  const settled = settlementOf(one);
  return settled?.event === 'release' && settled.by === 'target';
}

/** Everything counts until its release is believed. */
function counts(one: Reserved): boolean {
  if (settlementOf(one)?.event !== 'release') return true;
  return isRefusal(one) && one.line.unknown !== true && isDistrusted(one);
}

/** If the valid request of the run and operation was not accepted, its refusals mean nothing. */
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
