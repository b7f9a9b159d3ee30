/** The plan of a live run for people. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { countedWord } from '../../record/counted-word.ts';
import { isLoopback } from '../../record/loopback.ts';
import type { LedgerPlace } from '../allowance/ledger-place.ts';
import type { LivePlan, PlannedEffects } from './plan.ts';

/** Lines with a line end each; `ledger` is where the effects are written down. */
export function planText(plan: LivePlan, ledger: LedgerPlace): string {
  const { endpointId, phases, notSent, unknownEndpointId, shownByEveryAnswer: [first, ...others] = [] } = plan;
  const cases = phases.reduce((total, phase) => total + phase.cases, 0);
  const { 'closes-day': days, 'starts-payments': payments } = plan.wholeRun;
  const unknown = unknownEndpointId === undefined ? '' : `, or endpoint ${unknownEndpointId} exists`;
  return [
    `countersign: the plan for ${plan.target}${endpointId === undefined ? '' : `, endpoint ${endpointId}`}: ${countedWord(cases, 'case')}`,
    `  allowed         ${effects({ 'closes-day': plan.allow['closes-day'], 'starts-payments': plan.allow['starts-payments'] })}`,
    ...unencrypted(plan),
    ...usedUp(plan),
    `  expected        ${effects(plan.predicted)} if the target refuses what it must refuse`,
    `  booked at most  ${effects(plan.atMost)}`,
    ...(phases.some(({ phase }) => phase.endsWith('refusals'))
      ? ['  if accepted     a wrong request counts as an effect; room for a right one of each operation is kept']
      : []),
    `  at worst        ${effects(plan.ifRefusalsAreUntrue)} if its refusals are not true${unknown}`,
    `  requests        about ${plan.requests}, in about ${plan.aboutSeconds} s at the pace of this run, and more if the target is slow`,
    `  a whole run     needs closes-day=${days}, starts-payments=${payments.count}/${payments.total} with --seed ${plan.seed}`,
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
          `  every answer    counts for ${first}${others.length === 0 ? '' : ` and ${others.length} more`}: the fewest are sent, and a run without --only sends all`,
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

/** In the order of the run. */
const phaseWords: Readonly<Record<LivePlan['phases'][number]['phase'], string>> = {
  'first refusals': 'wrong requests with the least effect, to see that the target refuses',
  refusals: 'other wrong requests',
  'first positives': 'the first right request, which shows that the credentials are right',
  positives: 'other right requests',
  observations: 'requests where the document is silent',
  last: 'requests that spoil what comes after them',
};

function effects({ 'closes-day': days, 'starts-payments': { count, total } }: PlannedEffects): string {
  if (days === 0 && count === 0) return 'no closed day and no payment';
  return `closes-day ${days}, starts-payments ${count} with a total of ${total}`;
}
