/** Plans a live run, and performs it in the engine. With `--dry-run`, only prints the plan. */
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { isLoopback } from '../../record/hosts.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { EffectBudget, Result, Unnoticed } from '../../record/result/result.ts';
import { type Block, fact } from '../../report/document.ts';
import { unnoticedLines } from '../../report/phrases.ts';
import { blocksText, textWidth } from '../../report/terminal.ts';
import { printedJson } from '../../report/visible.ts';
import { balanceAfter, ledgerPlace, openLedger, toUsageError } from '../../run/allowance/ledger.ts';
import { reachTarget } from '../../run/doctor/examine-target.ts';
import { countEffects } from '../../run/gateway/effects.ts';
import { neededScenarios } from '../../run/gateway/planned-cases.ts';
import { liveRunLimit } from '../../run/live/perform-step.ts';
import { noEarlierUsage, orderSteps, planRun } from '../../run/live/plan.ts';
import { beginLive } from '../../run/live/session.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { allowsEffects, type LiveConfig, type LiveRun } from '../../run/target/live-config.ts';
import { bindingIds, forecast, toFlags, unnoticedByIds } from '../../verdict/forecast/forecast.ts';
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
    const finding = await reachTarget(config);
    if (finding.status === 'problem') return { aborted: finding.what, hint: finding.hint ?? '' };
    const planOptions = { ...options, live: { config } };
    const { before, ledger, forgets } = readCarried(options, config, forgetUnfinished, surroundings);
    const { err, env, width } = surroundings;
    err(planText(planRun(planOptions, before), ledger, { more: fact('forgotten', forgets), width, isBrief: true }));
    const session = await beginLive({ runId: options.runId, config, forgetUnfinished }, env);
    hasBegun = true;
    let isComplete = false;
    try {
      const { hindrance } = session;
      if (hindrance !== undefined) {
        isComplete = true;
        return { aborted: hindrance.reason, hint: hindrance.hint, effects: bookedEffects(options, session.live) };
      }
      const live = { ...options, live: session.live };
      const limitMs = liveRunLimit(orderSteps(live), live);
      const ended = await perform({ ...options, live: { ...session.live, limitMs } });
      isComplete = !('aborted' in ended);
      return isComplete ? ended : { ...ended, effects: bookedEffects(options, session.live) };
    } finally {
      session.end(isComplete);
    }
  } catch (cause) {
    throw toUsageError(cause, hasBegun);
  }
}

function bookedEffects(options: RunOptions, live: LiveRun): Result['effects'] {
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
  const { before, ledger, forgets } = readCarried(options, live, forgetUnfinished, surroundings);
  const planOptions = { ...options, live: { config: live } };
  const plan = planRun(planOptions, before);
  const unnoticed = forecast(planOptions, { before });
  if (options.json) out(printedJson({ ...plan, ledger, unnoticed }, 2));
  else out(planText(plan, ledger, { more: [...fact('would forget', forgets), forecastBlock(unnoticed)], width }));
}

function forecastBlock(unnoticed: Unnoticed): Block {
  return { label: 'not ruled out', list: unnoticedLines(unnoticed) };
}

/** Reads the effects of unfinished runs, which reduce the allowance of this run. Throws UsageError for a bad ledger. */
function readCarried(
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
    return { before: noEarlierUsage, ledger, forgets: `${before.carried} of earlier runs` };
  } catch (cause) {
    throw toUsageError(cause, false);
  }
}

function printMockPlan(options: RunOptions, { out, width }: Pick<Surroundings, 'out' | 'width'>): void {
  const needed = neededScenarios(options);
  const { predicted } = countEffects(needed, [], options);
  const plan = { format: 'countersign-plan', formatVersion: 1, target: 'mock', scenarios: needed.length, predicted };
  const unnoticed = options.path === undefined ? unnoticedByIds('gateway', new Set(bindingIds(options))) : undefined;
  const text =
    `the plan for the built-in mock: ${pluralize(needed.length, 'scenario')}, ` +
    `closes-day ${predicted['closes-day']}, starts-payments ${predicted['starts-payments']}`;
  const blocks = unnoticed === undefined ? [] : [forecastBlock(unnoticed)];
  out(options.json ? printedJson({ ...plan, unnoticed }, 2) : formatPlan(text, blocks, width));
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
  const { endpointId, phases, notSent, unknownEndpointId, shownByEveryAnswer: [first, ...rest] = [] } = plan;
  const count = (groups: readonly { readonly cases: number }[]) => groups.reduce((total, one) => total + one.cases, 0);
  const neededFlags = toFlags(plan.wholeRun).map((value) => `--allow ${value}`);
  const endpoint = unknownEndpointId === undefined ? '' : `, or endpoint ${unknownEndpointId} exists`;
  const acceptedHint = phases.some(({ phase }) => phase.endsWith('refusals'))
    ? 'each faulty request that the target accepts uses allowance, so the run sends fewer valid requests'
    : undefined;
  const requests =
    `about ${plan.requests}, including requests that check if the target answers, ` +
    `in about ${plan.aboutSeconds} s or longer if the target is slow`;
  const list = (label: string, lines: readonly string[]) => (lines.length === 0 ? [] : [{ label, list: lines }]);
  const sent = phases
    .filter(({ cases }) => cases > 0)
    .map(({ phase, operation, cases }) => `${cases}: ${operation}, ${phaseTexts[phase]}`);
  const reasons = notSent.map(({ reason, cases }) => `${cases}: ${reason}`);
  const otherText = rest.length === 0 ? '' : ` and ${rest.length} more`;
  const details = (blocks: readonly Block[]) => (isBrief ? [] : blocks);
  const notice = isBrief && notSent.length > 0 ? `${pluralize(count(notSent), 'case')}: --dry-run says why` : undefined;
  const predicted = effectText(plan.predicted);
  const expected = predicted === noEffects ? predicted : `at most ${predicted}`;
  const place = endpointId === undefined ? plan.target : `${plan.target}, endpoint ${endpointId}`;
  return formatPlan(
    `countersign: the plan for ${place}: ${pluralize(count(phases), 'case')}`,
    [
      ...fact('allowed', effectText(plan.allow)),
      ...plainHttpWarning(plan),
      ...usedAllowance(plan),
      ...fact('expected', `${expected} if the target refuses what it must refuse`),
      ...details(fact('booked at most', effectText(plan.atMost))),
      ...details(fact('if accepted', acceptedHint)),
      ...fact('at worst', `${effectText(plan.ifRefusalsAreUntrue)} if refused requests take effect anyway${endpoint}`),
      ...fact('requests', plan.requests === 0 ? 'none' : requests),
      ...details(fact('a whole run', `needs ${neededFlags.join(' ') || 'no allowance'} with --seed ${plan.seed}`)),
      ...fact('ledger', `${path}, for ${reach}`),
      ...details(list('sent', sent)),
      ...fact('every answer', first && `can test ${first}${otherText}, so a few requests are enough`),
      ...fact('nothing sent', plan.whyNothing),
      ...fact('not sent', notice),
      ...details(list('not sent', reasons)),
      ...more,
    ],
    width,
  );
}

function formatPlan(headline: string, blocks: readonly Block[], columns: number | undefined): string {
  const width = textWidth(columns);
  return blocksText([{ text: headline }], { width }) + blocksText(blocks, { width, indent: 2 });
}

/** Warns about plain HTTP before the run. The report has the same warning, but users read the report too late. */
function plainHttpWarning({ target }: LivePlan): Block[] {
  const { protocol, host } = new URL(target);
  if (protocol === 'https:' || isLoopback(host)) return [];
  const sentence =
    'plain HTTP: others on the network can read every payment and change answers; the interface requires https://';
  return fact('not encrypted', sentence);
}

/** Earlier effects that reduce the allowance. Those of doctor count only in this run, others until they are cleared. */
function usedAllowance({ carried, carriedByDoctor }: LivePlan): Block[] {
  if (carried['closes-day'] === 0 && carried['starts-payments'].count === 0) return [];
  const used = (budget: EffectBudget, cause: string) => fact('used up', `${effectText(budget)} by ${cause}`);
  const unfinished = 'unfinished runs; --forget-unfinished clears this';
  if (carriedByDoctor === undefined) return used(carried, unfinished);
  const byDoctor = used(carriedByDoctor, 'doctor, just before this run; the rest of the allowance remains');
  return isDeepStrictEqual(carried, carriedByDoctor)
    ? byDoctor
    : [...used(carried, `doctor and ${unfinished}`), ...byDoctor];
}

const phaseTexts: Readonly<Record<LivePlan['phases'][number]['phase'], string>> = {
  'first refusals': 'faulty requests with the least effect, to check that the target refuses them',
  refusals: 'other faulty requests',
  'first positives': 'the first valid request, to check the credentials',
  positives: 'other valid requests',
  observations: 'requests that the document does not define',
  last: 'requests that could disturb later ones',
};

const noEffects = 'no closed day and no payment';

function effectText({ 'closes-day': days, 'starts-payments': { count, total } }: EffectBudget): string {
  if (days === 0 && count === 0) return noEffects;
  return `closes-day ${days}, starts-payments ${count} with a total of ${total}`;
}
