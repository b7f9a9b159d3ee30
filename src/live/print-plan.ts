/** The plan of a live run for people. Pure. */
import type { LedgerPlace } from '../allowance/ledger-place.ts';
import type { LivePlan, PlannedEffects } from './plan.ts';

/** Lines with a line end each; `ledger` is where the effects are written down. */
export function planText(plan: LivePlan, ledger: LedgerPlace): string {
  const { endpointId, phases, notSent, carried } = plan;
  const cases = phases.reduce((total, phase) => total + phase.cases, 0);
  const { 'closes-day': days, 'starts-payments': payments } = plan.wholeRun;
  const anyCarried = carried['closes-day'] > 0 || carried['starts-payments'].count > 0;
  return [
    `countersign: the plan for ${plan.target}${endpointId === undefined ? '' : `, endpoint ${endpointId}`}: ${cases} cases`,
    ...phases.map(
      ({ phase, operation, cases: count }) =>
        `  ${phase.padEnd(16)}${operation.padEnd(28)}${String(count).padStart(5)}`,
    ),
    `  allowed         ${effects({ 'closes-day': plan.allow['closes-day'], 'starts-payments': plan.allow['starts-payments'] })}`,
    ...(anyCarried
      ? [`  used up         ${effects(carried)} by runs that did not end, until --forget-unfinished clears it`]
      : []),
    `  expected        ${effects(plan.predicted)} if the target refuses what it must refuse`,
    `  booked at most  ${effects(plan.atMost)}`,
    `  at worst        ${effects(plan.ifRefusalsAreUntrue)} if its refusals are not true`,
    `  requests        about ${plan.requests}, in about ${plan.aboutSeconds} s at the pace of this run, and more if the target is slow`,
    `  a whole run     needs closes-day=${days}, starts-payments=${payments.count}/${payments.total} with --seed ${plan.seed}`,
    `  ledger          ${ledger.path}, for ${ledger.reach}`,
    ...notSent.map(({ reason, cases: count }) => `  not sent        ${String(count).padStart(4)}: ${reason}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function effects({ 'closes-day': days, 'starts-payments': { count, total } }: PlannedEffects): string {
  return `closes-day ${days}, starts-payments ${count} with a total of ${total}`;
}
