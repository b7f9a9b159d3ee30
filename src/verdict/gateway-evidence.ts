/** The evidence of a run against a gateway: cases by their place in report.json and exchanges.har, from 1. */
import { operationNames } from '../../contracts/operations.ts';
import { type RequirementId, requirementById, requirements } from '../../contracts/requirements/index.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { type Case, measuringId, placeAmong } from '../record/case.ts';
import type { GatewayRun } from '../record/gateway-run.ts';
import { groupBy } from '../record/group-by.ts';
import type { Latency, Result } from '../record/result/result.ts';
import { blameForUnclear, classify, describeAnswer } from '../rules/answers/acceptance.ts';
import { answerReadings } from '../rules/answers/answer-reading.ts';
import { unclearAnswer } from '../rules/because.ts';
import type { Finding } from '../rules/finding.ts';
import { judgeCases } from '../rules/index.ts';
import { observe } from '../rules/observe.ts';
import { disagreementsOnAnswers } from '../rules/schema-crosscheck.ts';
import type { ScenarioRecord } from '../run/gateway/perform-case.ts';
import type { Evidence, NoVerdict } from './evidence.ts';
import { explainRefusal } from './explain-refusal.ts';
import {
  type Circumstances,
  diedOf,
  findingsOnNotSent,
  goneIn,
  inCircumstances,
  reasonInNotSent,
  usedUpBy,
} from './judge-live.ts';
import { knownMistakes } from './known-mistakes.ts';
import { measuredIn } from './measured.ts';

/**
 * Pure. `misconfigured`: why the right requests were refused, where that is not a fault of the gateway. Exchanges are numbered
 * by scenario id and case number, never by arrival.
 */
export function gatewayEvidence(
  records: readonly (Pick<ScenarioRecord, 'cases'> & Partial<ScenarioRecord>)[],
  { misconfigured, aborted }: Pick<GatewayRun, 'misconfigured' | 'aborted'> = {},
): Evidence {
  const cases = numberCases(records);
  const notSent = records.flatMap((record) => record.notSent ?? []);
  const notMeasured = records
    .filter(({ scenario }) => scenario === measuringId)
    .flatMap(({ notSent: left }) => left ?? []);
  // Of a recording no record has it, and a hundred thousand cases.
  const unreachable = new Map(
    records.flatMap(({ unreachable: why, cases: some }) => (why === undefined ? [] : some.map((one) => [one, why]))),
  );
  const usedUp = Object.fromEntries(
    [...operationNames, 'both' as const].map((operation) => [operation, usedUpBy(operation, records)]),
  );
  const gone = goneIn(records, cases);
  const circumstances: Circumstances = {
    unreachableAt: (examined) => unreachable.get(examined),
    misconfigured,
    givenUp: records.find(({ givenUp }) => givenUp !== undefined)?.givenUp ?? aborted,
    usedUp: ({ label }) => usedUp[label.operation],
    gone,
  };
  const numbers = new Map<Case, number>(cases.map((examined, index) => [examined, index + 1]));
  return {
    judge: (id) => {
      const verdicts = judgeCases(id, cases);
      const numbered = (finding: Finding, examined: Case) => ({ finding, exchanges: [numbers.get(examined)!] });
      const found = [
        // What the target died of says more of the row than what it left open.
        ...(gone?.after.label.about === id ? [numbered(diedOf(gone), gone.after)] : []),
        ...verdicts.map(({ finding, examined }) =>
          numbered(inCircumstances(finding, examined, circumstances), examined),
        ),
        ...disagreementsOnAnswers(id, cases, verdicts).map(({ finding, examined }) => numbered(finding, examined)),
      ];
      const reasons = { usedUp: usedUp[requirementById(id)!.operation], gone };
      const left = findingsOnNotSent(id, notSent, found, reasons).map((finding) => ({ finding, exchanges: [] }));
      return [...found, ...left];
    },
    noVerdictReason: (row, aborted) =>
      reasonInUnreadable(row, cases) ??
      // A run that was cut short would have sent more: what it left out before that is not why the row is open.
      (aborted === undefined ? (reasonInNotSent(row, records, gone) ?? reasonInAnswers(row, cases)) : undefined),
    explain: (row, exchanges, outcome) => (outcome === 'fail' ? explainRefusal(row, exchanges, cases) : {}),
    mistakes: (failing) => knownMistakes(failing, cases),
    observations: () =>
      observe(cases).map(({ openPoint, value, cases: seen }) => ({
        openPoint,
        value,
        exchanges: seen.map((examined) => numbers.get(examined)!),
      })),
    measured: () => measuredIn(cases, notMeasured, (examined) => numbers.get(examined)!),
    edges: () => edgesIn(cases),
    latency: () => latencyOf(cases),
    numberOf: (scenario, caseNumber) => {
      const place = placeAmong(cases, scenario, caseNumber);
      return place === undefined ? undefined : place + 1;
    },
    exchangeCount: cases.length,
  };
}

/** No right request got an answer that can be read: then it is the target's own answers that leave a row open. */
function reasonInUnreadable(row: Requirement, cases: readonly Case[]): NoVerdict | undefined {
  if (row.condition !== undefined) return undefined;
  const right = cases.filter(
    ({ label }) => label.intent === 'valid' && (row.operation === 'both' || row.operation === label.operation),
  );
  const unreadable = right.find(
    (examined) => classify(examined) === 'unclear' && blameForUnclear(examined.exchange) === 'subject',
  );
  if (unreadable === undefined || right.some((examined) => classify(examined) === 'accepted')) return undefined;
  const actual = `no answer could show it: a right request was neither accepted nor refused: ${describeAnswer(unreadable.exchange)}`;
  return { outcome: 'inconclusive', blame: 'subject', actual, because: unclearAnswer(unreadable) };
}

/** Sorted by generator, then by name. */
function edgesIn(cases: readonly Case[]): NonNullable<Result['edges']> {
  const edges = cases.flatMap(({ label }) => label.edge ?? []);
  return [...groupBy(edges, ({ generator, name }) => `${generator} ${name}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, alike]) => ({ generator: alike[0].generator, edge: alike[0].name, cases: alike.length }));
}

/** Answers were received, and none of them has what the row is about: that is not a fault of what lies between. */
function reasonInAnswers(row: Requirement, cases: readonly Case[]): NoVerdict | undefined {
  const answered = cases.filter(
    ({ label, exchange }) =>
      exchange.response !== undefined && (row.operation === 'both' || row.operation === label.operation),
  );
  if (row.condition !== undefined || answered.length === 0) return undefined;
  const right = answered.filter(({ label }) => label.intent === 'valid' && (label.facts?.gate ?? 'open') === 'open');
  const accepted = right.filter((examined) => classify(examined) === 'accepted');
  const text = 'no answer has what the requirement is about';
  const shown = accepted.length > 0 ? accepted : right;
  const because = { text, ...(shown.length === 0 ? {} : { cases: shown, mayBreak: mayHide(row) }) };
  return { outcome: 'inconclusive', blame: 'subject', actual: text, because };
}

/** Requirements of which an answer that breaks one shows nothing of the row: the type of a member that is not there. */
function mayHide({ id, operation }: Requirement): RequirementId[] {
  const read = operationNames
    .filter((name) => operation === 'both' || operation === name)
    .flatMap((name) => [...answerReadings[name].takenBy, ...answerReadings[name].readBy]);
  const member = id.replace(/-(?:type|shape|form)$/, '');
  const ofMember = requirements.filter((one) => [`${member}-present`, `${member}-type`].includes(one.id));
  return [...read, 'close-day/finished-has-gates', ...ofMember.map((one) => one.id).filter((one) => one !== id)];
}

/** Operations without an answer are left out. */
export function latencyOf(cases: readonly Case[]): Latency[] {
  return operationNames.flatMap((operation) => {
    const times = cases
      .filter(({ label, exchange }) => label.operation === operation && exchange.response !== undefined)
      .map(({ exchange }) => exchange.durationMs)
      .sort((a, b) => a - b);
    if (times.length === 0) return [];
    return [{ operation, count: times.length, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) }];
  });
}

/** By nearest rank: always a time that was measured. In tenths of a millisecond. */
function percentile(sorted: readonly number[], share: number): number {
  const at = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return Math.round(10 * sorted[at]!) / 10;
}

/** All cases of the records by scenario id and case number, never by arrival; the first one has number 1. */
export function numberCases(records: readonly Pick<ScenarioRecord, 'cases'>[]): readonly Case[] {
  return records
    .flatMap((record) => record.cases)
    .sort((a, b) => compare(a.scenario, b.scenario) || a.number - b.number);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
