/** Counts the effects on a target, and decides if a request still fits the allowance. Pure. */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import type { FailureKind } from '../../record/exchange.ts';
import type { EffectBudget } from '../../record/result/result.ts';
import type { Unsent } from '../../record/run.ts';
import type { Acceptance } from '../../rules/answers/acceptance.ts';
import type { Allowance, LiveConfig } from '../target/live-config.ts';
import { centsOf, inDecimals } from '../target/site.ts';
import type { WorstCase, WorstEffect } from './worst-case.ts';

export interface Spent {
  readonly closesDay: number;
  readonly payments: number;
  readonly cents: number;
}

export const nothingSpent: Spent = { closesDay: 0, payments: 0, cents: 0 };

export function formatSpent({ closesDay, payments, cents }: Spent): string {
  return `closes-day ${closesDay} and starts-payments ${payments} with a total of ${inDecimals(cents)}`;
}

export function budgetOf({ closesDay, payments, cents }: Spent): EffectBudget {
  return { 'closes-day': closesDay, 'starts-payments': { count: payments, total: inDecimals(cents) } };
}

export function spentOf({ 'closes-day': closesDay, 'starts-payments': { count, total } }: EffectBudget): Spent {
  return { closesDay, payments: count, cents: centsOf(total)! };
}

const each =
  (combine: (one: number, other: number) => number) =>
  (a: Spent, b: Spent): Spent => ({
    closesDay: combine(a.closesDay, b.closesDay),
    payments: combine(a.payments, b.payments),
    cents: combine(a.cents, b.cents),
  });

export const sum = each((one, other) => one + other);
export const larger = each(Math.max);
export const smaller = each(Math.min);
/** Subtracts each member. A negative difference becomes 0. */
export const less = each((one, other) => Math.max(one - other, 0));

export function spend(spent: Spent, worst: WorstCase): Spent {
  return sum(spent, totalOf([worst]));
}

function totalOf(worst: Iterable<WorstCase>): Spent {
  let [closesDay, payments, cents] = [0, 0, 0];
  for (const one of worst) {
    if (one.effect === 'closes-day') closesDay += 1;
    else if (one.effect === 'starts-payments') {
      payments += one.count;
      cents += one.cents;
    }
  }
  return { closesDay, payments, cents };
}

export interface Purpose {
  readonly what: string;
  /** The target must refuse the request. If the target accepts it, the request uses up allowance of other requests. */
  readonly negative?: boolean;
  /** The gate is closing, so the answer is error 99 even if this request had an effect. */
  readonly atClosingGate?: boolean;
  /** The first valid request of an operation. If the target refuses this request, its other refusals prove nothing. */
  readonly settles?: boolean;
  /** The part of the allowance that is reserved for valid requests. */
  readonly keep?: Kept;
}

export interface Kept {
  /** Effects of one valid request of each operation. Reserved after the first effect. */
  readonly first: Spent;
  /** Effects of all valid requests. Reserved if a refusal of the next request would not be believed. */
  readonly all: Spent;
}

export type Limits = Pick<LiveConfig, 'allow' | 'trustRefusals'>;

export interface Done {
  /** Effects of this run, of unfinished earlier runs, and of doctor just before. All count against the allowance. */
  readonly spent: Spent;
  /** The part of `spent` from before this run. */
  readonly carried: Spent;
  /** The part of `carried` from doctor's last examination, if no run has ended since. */
  readonly byDoctor: Spent;
  /** Number of believed refusals, in this run and in unfinished earlier runs. */
  readonly refusals: ByOperation<number>;
  /** The part of `spent` from unreadable answers in this run. */
  readonly unreadable: Spent;
  /** Refusals of this run that count as effects, because the valid request was not accepted. */
  readonly disbelieved: Spent;
  readonly wrong: { readonly spent: Spent } & ByOperation<readonly string[]>;
}

export type ByOperation<T> = Readonly<Record<'closesDay' | 'payments', T>>;

export function countOf({ effect }: Pick<WorstEffect, 'effect'>): keyof ByOperation<unknown> {
  return effect === 'closes-day' ? 'closesDay' : 'payments';
}

/** `doubt`: why a refusal will not be believed, to begin a sentence. `kept`: the reserve after this request. */
export function decide(
  worst: WorstEffect,
  purpose: Purpose,
  limits: Limits,
  done: Done,
): { readonly doubt?: string; readonly kept?: Spent } | Unsent {
  const { spent, byDoctor, unreadable, disbelieved, wrong } = done;
  const count = countOf(worst);
  const exceeds = (by: Spent) => excessReason(worst, by, limits.allow);
  const doubt = disbeliefReason(worst, purpose, limits, done.refusals);
  const { keep } = purpose;
  if (doubt !== undefined && keep !== undefined && wrong.closesDay.length + wrong.payments.length > 0) {
    // The wrongly accepted requests are not the cause: the allowance is too small without them too.
    if (exceeds(sum(less(spent, wrong.spent), keep.all)) !== undefined) return noRoomBeside(doubt);
  }
  // Reserve nothing for the first effect: with a reserve, an allowance of one would send only the valid request.
  const isFirst = less(spent, done.carried)[count] === 0;
  const kept = doubt !== undefined ? keep?.all : isFirst ? undefined : keep?.first;
  if (exceeds(sum(spent, kept ?? nothingSpent)) === undefined) return { doubt, kept };
  const reason = exceeds(spent);
  if (exceeds(less(reason === undefined ? sum(spent, kept!) : spent, wrong.spent)) === undefined) {
    const [first, ...others] = wrong[count];
    const more = others.length === 0 ? 'was' : `and ${others.length} more were`;
    return { why: 'stopped', reason: `${reason ?? keptForRight}: ${first} ${more} wrongly accepted` };
  }
  if (reason === undefined) return noRoomBeside(doubt);
  if (exceeds(less(spent, unreadable)) === undefined) {
    return { why: 'unreadable', reason: `${reason}: unreadable answers count as effects` };
  }
  if (exceeds(less(spent, sum(unreadable, disbelieved))) !== undefined) {
    const isShared = byDoctor[count] > 0 && exceeds(nothingSpent) === undefined;
    return { why: 'allow', reason: isShared ? `${reason} (doctor just before used ${byDoctor[count]})` : reason };
  }
  // A larger allowance would not help: the request would fit if the first valid request had been accepted.
  return {
    why: unreadable[count] > 0 ? 'unreadable' : 'given-up',
    reason: `${reason}: the first valid request was not accepted, so refusals count as effects`,
  };
}

const keptForRight = 'the rest of allow is reserved for a valid request';

function noRoomBeside(doubt: string | undefined): Unsent {
  const counts = `${doubt}, and allow has no room for another request in addition to the valid ones`;
  return { why: 'allow', reason: doubt === undefined ? keptForRight : counts };
}

function disbeliefReason(
  worst: WorstEffect,
  { atClosingGate }: Purpose,
  { trustRefusals }: Limits,
  refusals: Done['refusals'],
): string | undefined {
  if (!hasOneEffect(worst)) return 'a refusal of several payments is not believed, because some may have started';
  if (atClosingGate) return 'error 99 of a gate that is closing is not believed';
  if (refusals[countOf(worst)] < trustRefusals) return undefined;
  return `only ${trustRefusals} refusals of ${operationOf(worst)} are believed (trust-refusals)`;
}

/** False for several payments: a target that refuses them may have started some. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

/** The operation whose accepted requests have the effect. */
export function operationOf({ effect }: WorstEffect): Operation {
  return operationNames.find((name) => operations[name].effect === effect)!;
}

/** Why the worst case exceeds the rest of the allowance, as the end of a sentence. */
export function excessReason(worst: WorstCase, spent: Spent, allow: Allowance): string | undefined {
  if (worst.effect === 'none') return undefined;
  const allowed = spentOf(allow);
  if (worst.effect === 'closes-day') {
    if (allowed.closesDay === 0) return 'the request could close a day, and allow has no closes-day';
    const used = `the request could close a day, and allow.closes-day: ${allowed.closesDay} is used up`;
    return spent.closesDay + 1 > allowed.closesDay ? used : undefined;
  }
  if (allowed.payments === 0) return 'the request could start payments, and allow has no starts-payments';
  if (spent.payments + worst.count <= allowed.payments && spent.cents + worst.cents <= allowed.cents) return undefined;
  const whole = `allow.starts-payments: ${allowed.payments} with a total of ${allow['starts-payments'].total}`;
  return worst.count <= allowed.payments && worst.cents <= allowed.cents
    ? `the request could start payments, and the rest of ${whole} is not enough`
    : `the request could start more payments than ${whole}`;
}

interface Common {
  /** RFC 3339. */
  readonly at: string;
  readonly run: string;
}

export interface Settlement {
  /** `release`: no effect. `confirm`: an effect. `unclear`: perhaps an effect, so it counts as one. */
  readonly event: 'release' | 'confirm' | 'unclear';
  /** The ledger never stores text from the target. */
  readonly answer: { readonly status?: number; readonly said: Acceptance | FailureKind };
  readonly wrongly?: true;
  /** Set if the answer of the target is the only evidence that the request had no effect. */
  readonly by?: 'target';
  readonly unreadable?: boolean;
}

/** As in a ledger line: the `total` of payments is decimal text with two decimals. */
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
  | (Common & Settlement & { readonly id: number })
  /** `forget`: a person cleared the effects of unfinished runs. */
  | (Common & { readonly event: 'end' | 'forget' })
  /** The previous line is incomplete: its process ended while it wrote the line, so the line does not count. */
  | (Common & { readonly event: 'torn'; readonly bytes: number });

export function reservedFor(worst: WorstEffect): Effects {
  if (worst.effect === 'closes-day') return worst;
  const { cents, ...rest } = worst;
  return { ...rest, total: inDecimals(cents) };
}

export interface LedgerBalance extends Done {
  readonly confirmed: Spent;
  /** Effects that do not count, because the target refused the requests in this run. Its refusals may be untrue. */
  readonly refused: Spent;
  /** Effects of the requests to the unknown endpoint that were not accepted, in case that endpoint exists. */
  readonly elsewhere: Spent;
  /** Whether a valid request was accepted in this run, so that a refusal means something. */
  readonly proven: ByOperation<boolean>;
  readonly unclear: number;
  /** False if the ledger lacks the start of this run: somebody removed it. */
  readonly begun: boolean;
  /** Whether another run has begun since. Then this run must stop. */
  readonly superseded: boolean;
}

/** Prefix of doctor's ids. Ids of runs have no hyphen. */
export const examinationPrefix = 'doctor-';

type Reserve = Extract<LedgerLine, { readonly event: 'reserve' }>;

interface Run {
  /** Index of the run's first line. In a ledger that was cut, this may be another event than `start`. */
  readonly at: number;
  hasEnded: boolean;
  readonly reserves: Reserved[];
  readonly settling: Reserved[];
}

interface Reserved {
  readonly line: Reserve;
  readonly worst: WorstEffect;
  readonly run: Run;
  settled?: Settlement;
}

/** Adds up the lines of a ledger for the run `own`. */
export function newTally(own: string) {
  const runs = new Map<string, Run>();
  let [count, lastId] = [0, 0];
  // A person cleared the runs whose first line is before this index.
  let forgotten = 0;
  let [begun, superseded, forgets] = [false, false, false];
  let lastClosing: LedgerLine | undefined;
  const runOf = (id: string): Run => {
    const known = runs.get(id);
    if (known !== undefined) return known;
    const run: Run = { at: count, hasEnded: false, reserves: [], settling: [] };
    runs.set(id, run);
    return run;
  };
  /** Unfinished runs that began before the run `own` and were not cleared. */
  const unfinished = () => {
    const at = runs.get(own)?.at ?? count;
    return [...runs.values()].filter((run) => run.at >= forgotten && run.at < at && !run.hasEnded);
  };
  /** Doctor's last examination. Undefined if a run has ended since: doctor shares its allowance with the next run only. */
  const examination = () => {
    const isDoctors = lastClosing?.event === 'end' && lastClosing.run.startsWith(examinationPrefix);
    return isDoctors && !forgets && !own.startsWith(examinationPrefix) ? runs.get(lastClosing!.run) : undefined;
  };
  return {
    add(line: LedgerLine): void {
      const run = runOf(line.run);
      const isOwn = line.run === own;
      count += 1;
      switch (line.event) {
        case 'start':
          if (begun && !isOwn) superseded = true;
          begun ||= isOwn;
          break;
        case 'reserve': {
          const reserved: Reserved = { line, worst: worstOf(line), run };
          run.reserves.push(reserved);
          if (line.settles) run.settling.push(reserved);
          if (isOwn) lastId = Math.max(lastId, line.id);
          break;
        }
        case 'release':
        case 'confirm':
        case 'unclear': {
          const reserved = run.reserves.findLast((one) => one.line.id === line.id);
          if (reserved !== undefined) reserved.settled = line;
          break;
        }
        case 'end':
        case 'forget':
          if (!begun) lastClosing = line;
          if (line.event === 'forget') {
            forgotten = Math.max(forgotten, run.at);
            forgets ||= isOwn;
          } else if (!runs.has(own)) {
            // Ignore an end after the start of the run `own`: that run has counted the other run as unfinished.
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
  const [ofOwn, ofDoctor] = [own?.reserves ?? [], doctor?.reserves ?? []];
  const ofCarried = [...unfinished.filter((run) => run !== doctor).flatMap(({ reserves }) => reserves), ...ofDoctor];
  const carried = total(ofCarried.filter(counts));
  const confirmed = ofOwn.filter(({ settled }) => settled?.event === 'confirm');
  const wrong = confirmed.filter(({ settled }) => settled?.wrongly);
  const refused = ofOwn.filter(isRefusal);
  const isKnown = ({ line }: Reserved) => line.unknown !== true;
  const refusals = [...refused, ...ofCarried.filter(isRefusal)].filter(isKnown);
  return {
    spent: sum(carried, total(ofOwn.filter(counts))),
    carried,
    byDoctor: total(ofDoctor.filter(counts)),
    confirmed: total(confirmed),
    unreadable: total(ofOwn.filter(({ settled }) => settled?.unreadable)),
    disbelieved: total(refused.filter(counts)),
    refused: total(refused.filter((one) => isKnown(one) && !counts(one))),
    elsewhere: total(refused.filter((one) => !isKnown(one))),
    refusals: byOperation((effect) => refusals.filter(({ line }) => line.effect === effect).length),
    proven: byOperation((effect) => confirmed.some(({ line }) => line.settles === true && line.effect === effect)),
    unclear: ofOwn.filter((one) => counts(one) && one.settled?.event !== 'confirm').length,
    wrong: {
      spent: total(wrong),
      ...byOperation((effect) => wrong.filter(({ line }) => line.effect === effect).map(({ line }) => line.what)),
    },
  };
}

function isRefusal({ settled }: Reserved): boolean {
  return settled?.event === 'release' && settled.by === 'target';
}

/** A reservation counts as an effect until its release is believed. */
function counts(one: Reserved): boolean {
  if (one.settled?.event !== 'release') return true;
  return isRefusal(one) && one.line.unknown !== true && isDistrusted(one);
}

/** True if the run's first valid request of the operation was not accepted: then its other refusals prove nothing. */
function isDistrusted({ run, line: { effect } }: Reserved): boolean {
  return run.settling.some((one) => {
    const event = one.line.effect === effect ? one.settled?.event : undefined;
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
