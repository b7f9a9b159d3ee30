/** Plans a live run, and performs it in the engine. With `--dry-run`, only prints the plan. */
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { isLoopback } from '../../record/hosts.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { EffectBudget, Result, Unnoticed } from '../../record/result/result.ts';
import { type Block, fact } from '../../report/document.ts';
import { blocksText, textWidth } from '../../report/terminal.ts';
import { printedJson } from '../../report/visible.ts';
import { unnoticedLines } from '../../report/words.ts';
import { balanceAfter, hindered, ledgerPlace, openLedger } from '../../run/allowance/ledger.ts';
import { reachTarget } from '../../run/doctor/examine-target.ts';
import { countEffects } from '../../run/gateway/effects.ts';
import { neededScenarios } from '../../run/gateway/planned-cases.ts';
import { liveRunLimit } from '../../run/live/perform-step.ts';
import { nothingBefore, orderSteps, planRun } from '../../run/live/plan.ts';
import { beginLive } from '../../run/live/session.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { allowsEffects, type LiveConfig, type LiveRun } from '../../run/target/live-config.ts';
import { asFlags, countingRows, forecast, unnoticedWhereJudged } from '../../verdict/forecast/forecast.ts';
import { liveEffects } from '../../verdict/report-live.ts';
import type { Surroundings } from '../command.ts';
import type { AbortedRun } from '../perform-run.ts';

type LivePlan = ReturnType<typeof planRun>;

/** Performs a live run. Throws UsageError for an unusable target or ledger, and LiveError after the run has begun. */
export async function liveRun<Ended extends object>(
  options: RunOptions,
  config: LiveConfig,
  forgetUnfinished: boolean,
  surroundings: Surroundings,
  perform: (options: RunOptions & { readonly live: LiveRun }) => Promise<Ended>,
): Promise<Ended | AbortedRun> {
  let hasBegun = false;
  try {
    const reached = await reachTarget(config);
    if (reached.status === 'problem') return { aborted: reached.what, hint: reached.hint ?? '' };
    const planned = { ...options, live: { config } };
    const { before, ledger, forgets } = carriedInto(options, config, forgetUnfinished, surroundings);
    const { err, env, width } = surroundings;
    err(planText(planRun(planned, before), ledger, { more: fact('forgotten', forgets), width, isBrief: true }));
    const begun = await beginLive({ runId: options.runId, config, forgetUnfinished }, env);
    hasBegun = true;
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
    throw hindered(cause, hasBegun);
  }
}

function effectsBy(options: RunOptions, live: LiveRun): Result['effects'] {
  return liveEffects({ ...options, live }, [], { balance: balanceAfter(live.ledger, options.runId) });
}

/** Prints the plan of a run for --dry-run. Without `live`, the target is the built-in mock. Throws UsageError. */
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
  else out(planText(plan, ledger, { more: [...fact('would forget', forgets), forecastBlock(unnoticed)], width }));
}

function forecastBlock(unnoticed: Unnoticed): Block {
  return { label: 'not ruled out', list: unnoticedLines(unnoticed) };
}

/** Reads the effects of unfinished runs, which reduce the allowance of this run. Throws UsageError for a bad ledger. */
function carriedInto(
  { runId }: Pick<RunOptions, 'runId'>,
  live: LiveConfig,
  forgetUnfinished: boolean,
  { env, remark }: Pick<Surroundings, 'env' | 'remark'>,
) {
  try {
    const ledger = ledgerPlace(live, env);
    const before = openLedger(ledger.path, runId).balance();
    if (allowsEffects(live.allow) && !statSync(ledger.path, { throwIfNoEntry: false })?.size) {
      remark(`there is no ledger at ${ledger.path} yet.\nEffects of runs with another ledger are not counted.`);
    }
    if (!forgetUnfinished) return { before, ledger, forgets: undefined };
    return { before: nothingBefore, ledger, forgets: `${before.carried} of earlier runs` };
  } catch (cause) {
    throw hindered(cause, false);
  }
}

function printMockPlan(options: RunOptions, { out, width }: Pick<Surroundings, 'out' | 'width'>): void {
  const needed = neededScenarios(options);
  const { predicted } = countEffects(needed, [], options);
  const plan = { format: 'countersign-plan', formatVersion: 1, target: 'mock', scenarios: needed.length, predicted };
  const unnoticed =
    options.path === undefined ? unnoticedWhereJudged('gateway', new Set(countingRows(options))) : undefined;
  const text =
    `the plan for the built-in mock: ${pluralize(needed.length, 'scenario')}, ` +
    `closes-day ${predicted['closes-day']}, starts-payments ${predicted['starts-payments']}`;
  const blocks = unnoticed === undefined ? [] : [forecastBlock(unnoticed)];
  out(options.json ? printedJson({ ...plan, unnoticed }, 2) : linesOf(text, blocks, width));
}

interface PlanLayout {
  readonly more?: readonly Block[];
  readonly width?: number | undefined;
  /** If true, the text has only the most important facts. */
  readonly isBrief?: boolean;
}

/** Formats a plan for the terminal. */
export function planText(
  plan: LivePlan,
  { path, reach }: ReturnType<typeof ledgerPlace>,
  { more = [], width, isBrief = false }: PlanLayout = {},
): string {
  const { endpointId, phases, notSent, unknownEndpointId, shownByEveryAnswer: [first, ...others] = [] } = plan;
  const count = (some: readonly { readonly cases: number }[]) => some.reduce((total, one) => total + one.cases, 0);
  const needed = asFlags(plan.wholeRun).map((value) => `--allow ${value}`);
  const unknown = unknownEndpointId === undefined ? '' : `, or endpoint ${unknownEndpointId} exists`;
  const accepted = phases.some(({ phase }) => phase.endsWith('refusals'))
    ? 'each faulty request that the target accepts uses allowance, so the run sends fewer valid requests'
    : undefined;
  const requests =
    `about ${plan.requests}, including requests that check if the target answers, ` +
    `in about ${plan.aboutSeconds} s or longer if the target is slow`;
  const list = (label: string, lines: readonly string[]) => (lines.length === 0 ? [] : [{ label, list: lines }]);
  const sent = phases
    .filter(({ cases }) => cases > 0)
    .map(({ phase, operation, cases }) => `${cases}: ${operation}, ${phaseWords[phase]}`);
  const reasons = notSent.map(({ reason, cases }) => `${cases}: ${reason}`);
  const also = others.length === 0 ? '' : ` and ${others.length} more`;
  const whole = (blocks: readonly Block[]) => (isBrief ? [] : blocks);
  const left = isBrief && notSent.length > 0 ? `${pluralize(count(notSent), 'case')}: --dry-run says why` : undefined;
  const predicted = effects(plan.predicted);
  const expected = predicted === nothingDone ? predicted : `at most ${predicted}`;
  const at = endpointId === undefined ? plan.target : `${plan.target}, endpoint ${endpointId}`;
  return linesOf(
    `countersign: the plan for ${at}: ${pluralize(count(phases), 'case')}`,
    [
      ...fact('allowed', effects(plan.allow)),
      ...unencrypted(plan),
      ...usedUp(plan),
      ...fact('expected', `${expected} if the target refuses what it must refuse`),
      ...whole(fact('booked at most', effects(plan.atMost))),
      ...whole(fact('if accepted', accepted)),
      ...fact('at worst', `${effects(plan.ifRefusalsAreUntrue)} if refused requests take effect anyway${unknown}`),
      ...fact('requests', plan.requests === 0 ? 'none' : requests),
      ...whole(fact('a whole run', `needs ${needed.join(' ') || 'no allowance'} with --seed ${plan.seed}`)),
      ...fact('ledger', `${path}, for ${reach}`),
      ...whole(list('sent', sent)),
      ...fact('every answer', first && `can test ${first}${also}, so a few requests are enough`),
      ...fact('nothing sent', plan.whyNothing),
      ...fact('not sent', left),
      ...whole(list('not sent', reasons)),
      ...more,
    ],
    width,
  );
}

function linesOf(first: string, blocks: readonly Block[], columns: number | undefined): string {
  const width = textWidth(columns);
  return blocksText([{ text: first }], { width }) + blocksText(blocks, { width, indent: 2 });
}

/** Warns about plain HTTP before the run. The report has the same warning, but users read the report too late. */
function unencrypted({ target }: LivePlan): Block[] {
  const { protocol, host } = new URL(target);
  if (protocol === 'https:' || isLoopback(host)) return [];
  const words =
    'plain HTTP: others on the network can read every payment and change answers; the interface requires https://';
  return fact('not encrypted', words);
}

/** Earlier effects that reduce the allowance. Those of doctor count only in this run, others until they are cleared. */
function usedUp({ carried, carriedByDoctor }: LivePlan): Block[] {
  if (carried['closes-day'] === 0 && carried['starts-payments'].count === 0) return [];
  const used = (of: EffectBudget, by: string) => fact('used up', `${effects(of)} by ${by}`);
  const clear = 'unfinished runs; --forget-unfinished clears this';
  if (carriedByDoctor === undefined) return used(carried, clear);
  const byDoctor = used(carriedByDoctor, 'doctor, just before this run; the rest of the allowance remains');
  return isDeepStrictEqual(carried, carriedByDoctor)
    ? byDoctor
    : [...used(carried, `doctor and ${clear}`), ...byDoctor];
}

const phaseWords: Readonly<Record<LivePlan['phases'][number]['phase'], string>> = {
  'first refusals': 'faulty requests with the least effect, to check that the target refuses them',
  refusals: 'other faulty requests',
  'first positives': 'the first valid request, to check the credentials',
  positives: 'other valid requests',
  observations: 'requests that the document does not define',
  last: 'requests that could disturb later ones',
};

const nothingDone = 'no closed day and no payment';

function effects({ 'closes-day': days, 'starts-payments': { count, total } }: EffectBudget): string {
  if (days === 0 && count === 0) return nothingDone;
  return `closes-day ${days}, starts-payments ${count} with a total of ${total}`;
}
