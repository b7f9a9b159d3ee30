/** What a report says of a live run besides its rows: effects by the ledger, what was left out, and what is odd. Pure. */

import type { Case } from '../record/case.ts';
import { countedWord } from '../record/counted-word.ts';
import type { EffectBudget, EffectCount, Result } from '../record/result/result.ts';
import { less, partOf, type Spent, spentInWords, sum } from '../run/allowance/budget.ts';
import { recordedEffects } from '../run/gateway/effects.ts';
import type { ScenarioRecord } from '../run/gateway/perform-case.ts';
import type { EndOfLive } from '../run/live/begin-live.ts';
import { planRun } from '../run/live/plan.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import { selectedIds } from '../run/options/selection.ts';
import type { LiveRun } from '../run/target/live-config.ts';
import { inDecimals } from '../run/target/site.ts';
import { againstCounters, againstReports } from './reconcile.ts';
import { thinEvidence } from './thin-evidence.ts';

type LiveOptions = RunOptions & { readonly live: LiveRun };

/** The members of `effects` that only a live run has, with its prediction. */
export function liveEffects(
  options: LiveOptions,
  records: readonly ScenarioRecord[],
  { balance }: EndOfLive,
): Result['effects'] {
  const { predicted, atMost, ifRefusalsAreUntrue } = planRun(options, balance);
  const own = less(balance.spent, balance.carried);
  const { closesDay, payments } = balance.proven;
  // A refusal means something once the right request beside it was accepted: until then what was refused counts as done.
  const booked = sum(own, partOf(balance.refused, { closesDay: !closesDay, payments: !payments }));
  // The ledger has the worst that an accepted batch can be read as.
  const answered = recordedEffects(records.flatMap((record) => record.cases));
  const written = answered['starts-payments'];
  const confirmed = { ...balance.confirmed, payments: Math.min(balance.confirmed.payments, written) };
  const atWorst = sum(sum(own, balance.refused), balance.elsewhere);
  const reasons = new Map<string, number>();
  for (const { reason } of records.flatMap((record) => record.notSent ?? [])) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const planned = {
    predicted: countOfBudget(predicted),
    allowed: options.live.config.allow,
    notSent: [...reasons].map(([reason, cases]) => ({ reason, cases })).sort((a, b) => b.cases - a.cases),
  };
  if (!balance.begun) {
    // A ledger that lost this run says nothing of it: then all may have been done that it could do.
    const most = countOfBudget(atMost);
    const unclear = {
      'closes-day': Math.max(0, most['closes-day'] - answered['closes-day']),
      'starts-payments': Math.max(0, most['starts-payments'] - written),
    };
    return { ...planned, recorded: answered, unclear, ledger: { ...atMost, unclear: 0 }, ifRefusalsAreUntrue };
  }
  return {
    ...planned,
    recorded: countOf(confirmed),
    unclear: countOf(less(booked, confirmed)),
    ledger: { ...budgetOf(booked), unclear: balance.unclear },
    ifRefusalsAreUntrue: budgetOf(atWorst),
  };
}

/** One sentence each. */
export function liveNotes(
  options: LiveOptions,
  cases: readonly Case[],
  { balance, countersAfter }: EndOfLive,
  effects: ReturnType<typeof liveEffects>,
): string[] {
  const { live } = options;
  const { examined, unclear } = balance;
  const wrong = [...balance.wrong.closesDay, ...balance.wrong.payments];
  const whyNothing = cases.length === 0 ? planRun(options).whyNothing : undefined;
  const carried = less(balance.carried, examined);
  const left = new Map((effects.notSent ?? []).map(({ reason, cases: count }) => [reason, count]));
  return [
    ...(live.notes ?? []),
    ...(whyNothing === undefined ? [] : [`Nothing was sent: ${whyNothing}.`]),
    ...(lacksGates(options)
      ? [`${ofGates} cannot pass unless the configuration gives gates, the number of gates of the endpoint.`]
      : []),
    ...(carried.closesDay + carried.payments > 0
      ? [
          `Earlier runs did not end: ${spentInWords(carried)} of theirs count here, until --forget-unfinished clears it.`,
        ]
      : []),
    ...(examined.closesDay + examined.payments > 0
      ? [`Just before this run doctor used up a part of what is allowed: ${spentInWords(examined)}.`]
      : []),
    ...[...left].map(([reason, count]) => `Not sent (${count === 1 ? 'one case' : `${count} cases`}): ${reason}.`),
    ...(wrong.length === 0
      ? []
      : [`Wrongly accepted, each with its effect: ${countedWord(wrong.length, 'request')}, ${inShort(wrong)}.`]),
    ...(unclear > 0
      ? [
          `The effect of ${countedWord(unclear, 'request')} is not known, refusals that are not believed (trust-refusals) included. Each counts as if it had its effect.`,
        ]
      : []),
    ...againstCounters(balance, live.countersBefore, countersAfter),
    ...againstReports(cases),
    ...thinEvidence(cases),
  ];
}

function inShort(what: readonly string[]): string {
  const more = what.length - 3;
  return `${what.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const ofGates = 'close-day/one-result-per-gate';

/** Of a run over all requirements the row itself says so. */
function lacksGates({ only, live }: LiveOptions): boolean {
  return (
    only.length > 0 && live.config.gates === undefined && (selectedIds('gateway', only) as string[]).includes(ofGates)
  );
}

function countOf({ closesDay, payments }: Spent): EffectCount {
  return { 'closes-day': closesDay, 'starts-payments': payments };
}

function countOfBudget({ 'closes-day': days, 'starts-payments': { count } }: EffectBudget): EffectCount {
  return { 'closes-day': days, 'starts-payments': count };
}

function budgetOf({ closesDay, payments, cents }: Spent): EffectBudget {
  return { 'closes-day': closesDay, 'starts-payments': { count: payments, total: inDecimals(cents) } };
}
