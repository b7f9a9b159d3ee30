/** Additions to the report of a live run: effects, unsent cases, hints that another system answered. Pure. */
import { operations } from '../../contracts/operations.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Case } from '../record/case.ts';
import type { Exchange } from '../record/exchange.ts';
import { groupBy } from '../record/group-by.ts';
import { isLoopback } from '../record/hosts.ts';
import { pluralize } from '../record/pluralize.ts';
import type { EffectCount, Result } from '../record/result/result.ts';
import { casesOf } from '../record/run.ts';
import { named } from '../report/document.ts';
import { answerReadings, classify } from '../rules/answers/acceptance.ts';
import { formatValue, gatesOf } from '../rules/answers/bodies.ts';
import { Effects } from '../run/allowance/budget.ts';
import type { LedgerBalance } from '../run/allowance/ledger.ts';
import { countPayments, recordedEffects } from '../run/gateway/effects.ts';
import { planRun } from '../run/live/plan.ts';
import type { endOfLive } from '../run/live/session.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import { selectedIds } from '../run/options/selection.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import type { LiveRun } from '../run/target/live-config.ts';
import { centsOf, formatCents } from '../run/target/site.ts';

type EndOfLive = Awaited<ReturnType<typeof endOfLive>>;
type LiveOptions = RunOptions & { readonly live: LiveRun };

export function liveEffects(
  options: LiveOptions,
  records: readonly ScenarioRecord[],
  { balance }: EndOfLive,
): Result['effects'] {
  const { predicted, atMost, ifRefusalsAreUntrue } = planRun(options, balance);
  const own = balance.spent.minus(balance.carried);
  // A refused request counts as an effect until the gateway accepts a valid request of the operation.
  const { closesDay, payments } = balance.proven;
  const { refused } = balance;
  const unproven = payments ? Effects.none : refused;
  const booked = own.plus(new Effects(closesDay ? 0 : refused.closesDay, unproven.payments, unproven.cents));
  // The ledger counts every payment that an accepted batch may contain. Count at most the rows of these batches.
  const recorded = recordedEffects(casesOf({ records }));
  const written = recorded['starts-payments'];
  const confirmed = balance.confirmed.min(new Effects(Number.POSITIVE_INFINITY, written, Number.POSITIVE_INFINITY));
  const worstCase = own.plus(refused).plus(balance.atUnknown);
  const unsent = records.flatMap((record) => record.notSent ?? []);
  const reasons = [...groupBy(unsent, ({ reason }) => reason)];
  const planned = {
    predicted: toCount(Effects.of(predicted)),
    allowed: options.live.config.allow,
    notSent: reasons.map(([reason, { length }]) => ({ reason, cases: length })).sort((a, b) => b.cases - a.cases),
  };
  if (!balance.begun) {
    // The ledger has no entry for this run, so every possible effect may have happened.
    const unclear = toCount(Effects.of(atMost).minus(new Effects(recorded['closes-day'], written, 0)));
    return { ...planned, recorded, unclear, ledger: { ...atMost, unclear: 0 }, ifRefusalsAreUntrue };
  }
  return {
    ...planned,
    recorded: toCount(confirmed),
    unclear: toCount(booked.minus(confirmed)),
    ledger: { ...booked.budget(), unclear: balance.unclear },
    ifRefusalsAreUntrue: worstCase.budget(),
  };
}

export function liveNotes(
  options: LiveOptions,
  cases: readonly Case[],
  { balance, countersAfter }: EndOfLive,
  effects: ReturnType<typeof liveEffects>,
): string[] {
  const { only, live } = options;
  const { byDoctor, unclear } = balance;
  const wrong = [...balance.wronglyAccepted.closesDay, ...balance.wronglyAccepted.payments];
  const nothingSentReason = cases.length === 0 ? planRun(options).whyNothing : undefined;
  const carried = balance.carried.minus(byDoctor);
  const notes = [
    ...(live.notes ?? []),
    nothingSentReason !== undefined && `Nothing was sent: ${nothingSentReason}.`,
    // Without --only, the verdict on the requirement already says that `gates` is missing.
    only.length > 0 &&
      live.config.gates === undefined &&
      selectedIds('gateway', only).includes(gatesRequirement) &&
      `${gatesRequirement} can pass only if the configuration gives gates, the number of gates of the endpoint.`,
    !carried.isNothing() &&
      `Effects of unfinished runs count in this run: ${carried}. --forget-unfinished clears them.`,
    !byDoctor.isNothing() &&
      `doctor used a part of the allowance just before this run: ${byDoctor}. A run without doctor has the whole allowance.`,
    ...(effects.notSent ?? []).map(({ reason, cases: count }) => `Not sent (${pluralize(count, 'case')}): ${reason}.`),
    wrong.length > 0 &&
      `The target accepted ${pluralize(wrong.length, 'request')} that it must refuse, each with its effect: ${named(wrong)}.`,
    unclear > 0 &&
      `The effect of ${pluralize(unclear, 'request')} is unknown, so each counts as an effect. This includes refused requests that trust-refusals does not cover.`,
    ...counterNotes(balance, live.countersBefore, countersAfter),
    ...salesNotes(cases),
    ...evidenceNotes(cases),
  ];
  return notes.filter((note) => note !== false);
}

const gatesRequirement = 'close-day/one-result-per-gate';

function toCount({ closesDay, payments }: Effects): EffectCount {
  return { 'closes-day': closesDay, 'starts-payments': payments };
}

/** Adds a note if the mock counted more effects than the ledger, although the ledger also counts possible effects. */
function counterNotes(
  { spent, carried }: LedgerBalance,
  before: LiveRun['countersBefore'],
  after: LiveRun['countersBefore'],
): string[] {
  if (before === undefined || after === undefined) return [];
  const cents = ({ totalAmount }: typeof before) => centsOf(totalAmount) ?? 0;
  const compared = [
    ['closed days', spent.closesDay - carried.closesDay, after.closedDays - before.closedDays, String],
    ['started payments', spent.payments - carried.payments, after.startedPayments - before.startedPayments, String],
    ['charged', spent.cents - carried.cents, cents(after) - cents(before), formatCents],
  ] as const;
  return compared
    .filter(([, ledger, counted]) => counted > ledger)
    .map(
      ([what, ledger, counted, format]) =>
        `Reconciliation: the target counted ${format(counted)} ${what}, the ledger ${format(ledger)}.`,
    );
}

/** Maximum number of notes: a gateway that never counts sales would cause a note for each close-day. */
const maxNotes = 3;

/** Notes close-days that report fewer sales than payments (section 2.2). More sales may come from other clients. */
function salesNotes(cases: readonly Case[]): string[] {
  const ordered = [...cases].sort((a, b) => a.exchanges[0].startedAt - b.exchanges[0].startedAt);
  const notes: string[] = [];
  const startedCounts = new Map<string, number>();
  for (const testCase of ordered) {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    const endpoint = exchange.request.target.split('/').at(-1)!;
    // Only a person ends this state of the gate, by closing the day. That resets the totals, so forget the payments.
    if (label.facts?.gate === 'closing' || label.facts?.gate === 'locked') startedCounts.delete(endpoint);
    if (classify(testCase) !== 'accepted') continue;
    if (operations[label.operation].effect === 'starts-payments') {
      const count = startedCounts.get(endpoint);
      if (count !== undefined) startedCounts.set(endpoint, count + countPayments(exchange.request.body));
      continue;
    }
    const [reported, own] = [reportedSales(exchange), startedCounts.get(endpoint)];
    if (own !== undefined && reported !== undefined && reported < own) {
      notes.push(
        `Reconciliation: ${own} ${own === 1 ? 'payment was' : 'payments were'} accepted at endpoint ${endpoint} between two close-days, and the second close-day reports ${reported}.`,
      );
    }
    startedCounts.set(endpoint, 0);
  }
  const omitted = notes.length - maxNotes;
  if (omitted <= 1) return notes;
  const rest = `Reconciliation: ${omitted} more close-days report fewer payments than were accepted.`;
  return [...notes.slice(0, maxNotes), rest];
}

function reportedSales(exchange: Exchange): number | undefined {
  const gates = gatesOf(exchange);
  const gate = gates?.length === 1 ? gates[0] : undefined;
  const count = isJsonObject(gate) ? Number(formatValue(gate.saleApprovedCount)) : Number.NaN;
  return Number.isInteger(count) ? count : undefined;
}

/** With fewer answers, a pattern means nothing. */
const minAnswers = 10;

/** Refusals within this number of milliseconds may come from something in front of the gateway. */
const quickMs = 2;

function evidenceNotes(cases: readonly Case[]): string[] {
  const answered = cases.filter(({ exchanges: [exchange] }) => exchange.response !== undefined);
  if (answered.length < minAnswers) return [];
  const refused = answered.filter((testCase) => classify(testCase) === 'refused').map((one) => one.exchanges[0]);
  const isQuick = refused.length >= minAnswers && refused.every(({ durationMs }) => durationMs <= quickMs);
  const [first, ...others] = answered.map(({ exchanges: [exchange] }) => exchange.response!);
  const areIdentical = others.every(
    ({ status, body }) => status === first!.status && Buffer.compare(body, first!.body) === 0,
  );
  const signs = [
    isQuick &&
      !refused.every(({ request }) => isLoopback(request.host)) &&
      `All ${refused.length} refusals arrived within ${quickMs} ms: something in front of the gateway may have made them.`,
    !answered.some(({ label, exchanges: [exchange] }) => answerReadings[label.operation].hasDocumentedBody(exchange)) &&
      'No answer had a body that the document describes, so no body was judged.',
    areIdentical && `All ${answered.length} answers are identical.`,
  ];
  return signs.filter((sign) => sign !== false);
}
