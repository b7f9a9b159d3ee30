/** Counts the effects of a run: predicted, recorded and possible effects. */
import { type Operation, operations } from '../../../contracts/operations.ts';
import type { Scenario } from '../../plan/scenario.ts';
import { decodeCsv } from '../../protocol/csv.ts';
import { decodeForm, encodeForm } from '../../protocol/form.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { type Case, measuringId } from '../../record/case.ts';
import type { EffectCount } from '../../record/result/result.ts';
import { classify, isUnreached } from '../../rules/answers/acceptance.ts';
import { maxPayments } from '../allowance/worst-case.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { ScenarioRecord } from '../scenario-record.ts';
import { neededNumbers, plannedCases, type Selection } from './planned-cases.ts';

type PredictedEffects = NonNullable<ScenarioRecord['predicted']>;

/** `predicted`: maximum if faulty requests are refused. `recorded`: certain effects. `unclear`: further, possible. */
export function countEffects(planned: readonly Scenario[], records: readonly ScenarioRecord[], options: RunOptions) {
  const arranged = planned.filter(
    ({ id }) => !records.some((r) => r.scenario === id && (r.notArranged !== undefined || r.isLeftOut)),
  );
  const predicted = arranged.flatMap(
    // A scenario that did not end has no prediction yet.
    (one) => records.find(({ scenario }) => scenario === one.id)?.predicted ?? predictedEffects(one, options),
  );
  // --measure has no plan, because its requests depend on answers. So count the requests that it has sent.
  const measuringCases = records.filter(({ scenario }) => scenario === measuringId).flatMap((record) => record.cases);
  const cases = records.flatMap((record) => record.cases);
  const recorded = recordedEffects(cases);
  // Count at least one payment: a gateway may read a payment where the suite reads none.
  const atLeastOne = effectOf((body) => Math.max(maxPayments(body), 1));
  const isUnclear = (one: Case) => classify(one) === 'unclear' && !isUnreached(one.exchanges[0]);
  const unclear = sum(cases.filter(isUnclear).map(atLeastOne));
  const atMost = sum(acceptedCases(cases).map(effectOf(maxPayments)))['starts-payments'];
  const more = Math.max(atMost - recorded['starts-payments'], 0);
  const openGateCases = measuringCases.filter(({ label: { facts } }) => facts?.gate !== 'closing');
  return {
    predicted: sum([...predicted, ...openGateCases.map(effectOf(maxPayments))]),
    recorded,
    unclear: { ...unclear, 'starts-payments': unclear['starts-payments'] + more },
  };
}

/** The effects of a scenario on a target that refuses all faulty requests. */
export function predictedEffects(scenario: Scenario, options: Selection): PredictedEffects {
  const planned = plannedCases(scenario, options);
  const valid = neededNumbers(scenario, options)
    .map((number) => planned[number]!)
    // With a closing gate, the request is also sent to an open gate. Only the open gate closes a day, so count one.
    .filter(({ label }, at) => label.intent !== 'fault' && (scenario.situation !== 'closing' || at === 0));
  return valid.map(({ request }) => ({
    operation: request.operation,
    rows: startsPayments(request) ? maxPayments(Buffer.from(encodeForm(request.body))) : 0,
  }));
}

export function recordedEffects(cases: readonly Case[]): EffectCount {
  return sum(acceptedCases(cases).map(effectOf(countPayments)));
}

function acceptedCases(cases: readonly Case[]): readonly Case[] {
  return cases.filter((testCase) => classify(testCase) === 'accepted');
}

function effectOf(payments: (body: Uint8Array) => number) {
  return ({ label, exchanges: [exchange] }: Case) => ({
    operation: label.operation,
    rows: startsPayments(label) ? payments(exchange.request.body) : 0,
  });
}

function startsPayments({ operation }: { readonly operation: Operation }): boolean {
  return operations[operation].effect === 'starts-payments';
}

function sum(effects: PredictedEffects): EffectCount {
  const closes = effects.filter(({ operation }) => operations[operation].effect === 'closes-day').length;
  const starts = effects.filter(startsPayments).reduce((total, { rows }) => total + rows, 0);
  return { 'closes-day': closes, 'starts-payments': starts };
}

export function countPayments(body: Uint8Array): number {
  const [payload, ...more] = decodeForm(body).filter(([name]) => name === 'payload');
  if (payload === undefined || more.length > 0) return 0;
  try {
    return decodeCsv(Buffer.from(payload[1], 'base64').toString('utf8')).rows.length;
  } catch (cause) {
    if (cause instanceof ProtocolError) return 0;
    throw cause;
  }
}
