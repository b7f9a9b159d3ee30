/**
 * A run against a live target, around the engine: its plan in words, lock, ledger and preflight before it, the end of
 * the ledger after it; and `--dry-run`, which prints the plan alone.
 */

import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { countedWord } from '../../record/counted-word.ts';
import { isLoopback } from '../../record/hosts.ts';
import type { EffectBudget, Result, Unnoticed } from '../../record/result/result.ts';
import { field } from '../../report/terminal.ts';
import { printedJson, visible } from '../../report/visible.ts';
import { offerLines, unnoticedInWords } from '../../report/words.ts';
import { spentInWords } from '../../run/allowance/budget.ts';
import { type LedgerPlace, ledgerPlace, openLedger } from '../../run/allowance/ledger.ts';
import { reachTarget } from '../../run/doctor/examine-target.ts';
import { planMock } from '../../run/gateway/effects.ts';
import { balanceAfter, beginLive } from '../../run/live/begin-live.ts';
import { orderSteps } from '../../run/live/order.ts';
import { liveRunLimit } from '../../run/live/perform-step.ts';
import { type Before, type LivePlan, nothingBefore, planRun } from '../../run/live/plan.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { hindered } from '../../run/options/usage-error.ts';
import { allowsEffects, type LiveConfig, type LiveRun } from '../../run/target/live-config.ts';
import { asFlags, countingRows, forecast, unnoticedWhereJudged } from '../../verdict/forecast/forecast.ts';
import { liveEffects } from '../../verdict/report-live.ts';
import type { Surroundings } from '../command.ts';
import type { AbortedRun } from '../perform-run.ts';

/**
 * Prints the plan if the target takes connections, opens the run and lets the engine perform it. Throws UsageError where
 * another run is at the target, or the ledger cannot be used; LiveError where it cannot be used any more while the run goes on.
 *
 * @param perform runs the engine with the completed options
 */
export async function liveRun<Ended extends object>(
  options: RunOptions,
  config: LiveConfig,
  forgetUnfinished: boolean,
  surroundings: Surroundings,
  perform: (options: RunOptions & { readonly live: LiveRun }) => Promise<Ended>,
): Promise<Ended | AbortedRun> {
  let goesOn = false;
  try {
    const reached = await reachTarget(config);
    if (reached.status === 'problem') return { aborted: reached.what, hint: reached.hint ?? '' };
    const planned = { ...options, live: { config } };
    const { before, ledger, forgets } = carriedInto(options, config, forgetUnfinished, surroundings);
    const forgotten = forgets === undefined ? '' : `  forgotten       ${forgets}\n`;
    surroundings.err(wrappedPlan(`${planText(planRun(planned, before), ledger)}${forgotten}`, surroundings.width));
    const begun = await beginLive({ runId: options.runId, config, forgetUnfinished }, surroundings.env, process.cwd());
    goesOn = true;
    let complete = false;
    try {
      const { hindrance } = begun;
      if (hindrance !== undefined) {
        complete = true;
        return { aborted: hindrance.reason, hint: hindrance.hint, effects: effectsBy(options, begun.live) };
      }
      const live = { ...options, live: begun.live };
      const limitMs = liveRunLimit(orderSteps(live), live);
      const ended = await perform({ ...options, live: { ...begun.live, limitMs } });
      complete = !('aborted' in ended);
      return complete ? ended : { ...ended, effects: effectsBy(options, begun.live) };
    } finally {
      begun.end(complete);
    }
  } catch (cause) {
    throw hindered(cause, goesOn);
  }
}

function effectsBy(options: RunOptions, live: LiveRun): Result['effects'] {
  return liveEffects({ ...options, live }, [], { balance: balanceAfter(live.ledger, options.runId) });
}

/** The plan, or the same as data. Throws UsageError where the ledger cannot be read. */
export async function printPlan(
  options: RunOptions,
  live: LiveConfig | undefined,
  forgetUnfinished: boolean,
  surroundings: Surroundings,
): Promise<void> {
  const { out, width } = surroundings;
  if (live === undefined) return printMockPlan(options, surroundings);
  const { before, ledger, forgets } = carriedInto(options, live, forgetUnfinished, surroundings);
  const planned = { ...options, live: { config: live } };
  const plan = planRun(planned, before);
  const unnoticed = forecast(planned, { before });
  if (options.json) out(printedJson({ ...plan, ledger, unnoticed }, 2));
  else {
    const left = forgets === undefined ? '' : `  would forget    ${forgets}\n`;
    out(wrappedPlan(`${planText(plan, ledger)}${left}${forecastText(unnoticed)}`, width));
  }
}

/** Columns in front of what a line of the plan says. */
const labelWidth = 18;

/** The plan as a terminal of that width shows it; a file or a pipe gets each line whole. */
function wrappedPlan(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const lines = text.split('\n').flatMap((line) => {
    if (line.length <= width) return [line];
    const isHead = !line.startsWith('  ');
    const said = isHead ? 0 : labelWidth + /^ */.exec(line.slice(labelWidth))![0].length;
    return field(line.slice(0, said), line.slice(said), { indent: 0, labelWidth: said, width });
  });
  return lines.join('\n');
}

function forecastText(unnoticed: Unnoticed): string {
  return [
    `  not ruled out   ${unnoticedInWords(unnoticed)}`,
    ...offerLines(unnoticed).map((line) => `                  ${line}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

interface Carried {
  readonly before: Before;
  readonly ledger: LedgerPlace;
  /** What is cleared, in words; absent where nothing is. */
  readonly forgets?: string;
}

/** What earlier runs did that did not end. Throws UsageError where the ledger cannot be read. */
function carriedInto(
  { runId }: Pick<RunOptions, 'runId'>,
  live: LiveConfig,
  forgetUnfinished: boolean,
  { env, remark }: Pick<Surroundings, 'env' | 'remark'>,
): Carried {
  try {
    const ledger = ledgerPlace(live, env, process.cwd());
    const before = openLedger(ledger.path, runId).balance();
    // An empty one says no more than none.
    if (allowsEffects(live.allow) && !statSync(ledger.path, { throwIfNoEntry: false })?.size) {
      remark(
        `there is no ledger at ${visible(ledger.path)} yet: what other runs did to this target is not known here.`,
      );
    }
    if (!forgetUnfinished) return { before, ledger };
    return { before: nothingBefore, ledger, forgets: `${spentInWords(before.carried)} of earlier runs` };
  } catch (cause) {
    throw hindered(cause, false);
  }
}

function printMockPlan(options: RunOptions, { out, width }: Pick<Surroundings, 'out' | 'width'>): void {
  const plan = planMock(options);
  const { scenarios, predicted } = plan;
  const unnoticed =
    options.path === undefined ? unnoticedWhereJudged('gateway', new Set(countingRows(options))) : undefined;
  if (options.json) out(printedJson({ ...plan, unnoticed }, 2));
  else {
    const text =
      `the plan for the built-in mock, which is thrown away afterwards: ${countedWord(scenarios, 'scenario')}, ` +
      `closes-day ${predicted['closes-day']}, starts-payments ${predicted['starts-payments']}\n` +
      (unnoticed === undefined ? '' : forecastText(unnoticed));
    out(wrappedPlan(text, width));
  }
}

/** Lines with a line end each; `ledger` is where the effects are written down. */
export function planText(plan: LivePlan, ledger: LedgerPlace): string {
  const { endpointId, phases, notSent, unknownEndpointId, shownByEveryAnswer: [first, ...others] = [] } = plan;
  const cases = phases.reduce((total, phase) => total + phase.cases, 0);
  const needed = asFlags(plan.wholeRun).map((value) => `--allow ${value}`);
  const unknown = unknownEndpointId === undefined ? '' : `, or endpoint ${unknownEndpointId} exists`;
  return [
    `countersign: the plan for ${plan.target}${endpointId === undefined ? '' : `, endpoint ${endpointId}`}: ${countedWord(cases, 'case')}`,
    `  allowed         ${effects({ 'closes-day': plan.allow['closes-day'], 'starts-payments': plan.allow['starts-payments'] })}`,
    ...unencrypted(plan),
    ...usedUp(plan),
    `  expected        ${atMost(plan.predicted)} if the target refuses what it must refuse`,
    `  booked at most  ${effects(plan.atMost)}`,
    ...(phases.some(({ phase }) => phase.endsWith('refusals'))
      ? [
          '  if accepted     a wrong request takes from the allowance; from then on room for a right one of each operation is kept, as far as there is any',
        ]
      : []),
    `  at worst        ${effects(plan.ifRefusalsAreUntrue)} if its refusals are not true${unknown}`,
    plan.requests === 0
      ? '  requests        none'
      : `  requests        about ${plan.requests} with checks that the target answers, in about ${plan.aboutSeconds} s at the pace of this run, and more if the target is slow`,
    `  a whole run     needs ${needed.join(' ') || 'no allowance'} with --seed ${plan.seed}`,
    `  ledger          ${ledger.path}, for ${ledger.reach}`,
    ...phases
      .filter(({ cases: count }) => count > 0)
      .map(
        ({ phase, operation, cases: count }) =>
          `  sent            ${String(count).padStart(4)}: ${operation}, ${phaseWords[phase]}`,
      ),
    ...(first === undefined
      ? []
      : [
          `  every answer    shows ${first}${others.length === 0 ? '' : ` and ${others.length} more`}: the fewest requests are sent, all of them only without --only`,
        ]),
    ...(plan.whyNothing === undefined ? [] : [`  nothing sent    ${plan.whyNothing}`]),
    ...notSent.map(({ reason, cases: count }) => `  not sent        ${String(count).padStart(4)}: ${reason}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** A run says so at its end, when all of it was sent. */
function unencrypted({ target }: LivePlan): string[] {
  const { protocol, host } = new URL(target);
  if (protocol === 'https:' || isLoopback(host)) return [];
  const words =
    'plain HTTP: whoever is on the way sees every payment, and can change answers; the interface requires https://';
  return [`  not encrypted   ${words}`];
}

/** What counts against the allowance before the run begins: doctor's own part ends with the next run, the other one with a person's word. */
function usedUp({ carried, carriedByDoctor }: LivePlan): string[] {
  if (carried['closes-day'] === 0 && carried['starts-payments'].count === 0) return [];
  if (carriedByDoctor === undefined) {
    return [`  used up         ${effects(carried)} by runs that did not end; --forget-unfinished clears it`];
  }
  const byDoctor = `  used up         ${effects(carriedByDoctor)} by doctor just before: this run has the rest`;
  if (isDeepStrictEqual(carried, carriedByDoctor)) return [byDoctor];
  return [
    `  used up         ${effects(carried)} by doctor and runs that did not end; --forget-unfinished clears it`,
    byDoctor,
  ];
}

const phaseWords: Readonly<Record<LivePlan['phases'][number]['phase'], string>> = {
  'first refusals': 'wrong requests with the least effect, to see that the target refuses',
  refusals: 'other wrong requests',
  'first positives': 'the first right request, which shows that the credentials are right',
  positives: 'other right requests',
  observations: 'requests where the document is silent',
  last: 'requests that spoil what comes after them',
};

const nothingDone = 'no closed day and no payment';

function effects({ 'closes-day': days, 'starts-payments': { count, total } }: EffectBudget): string {
  if (days === 0 && count === 0) return nothingDone;
  return `closes-day ${days}, starts-payments ${count} with a total of ${total}`;
}

function atMost(planned: EffectBudget): string {
  const said = effects(planned);
  return said === nothingDone ? said : `at most ${said}`;
}
