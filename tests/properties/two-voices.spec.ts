/** Judges and schemas say the same of mutated messages: of as many as MUTATIONS tells, half of them answers. */

import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Case } from '../../src/record/case.ts';
import type { ClientCase } from '../../src/record/client-case.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../../src/record/exchange.ts';
import type { ClientVerdict } from '../../src/rules/client/client-judge.ts';
import { clientJudges } from '../../src/rules/client/index.ts';
import { disagreementsOnRequests, rowsInRequests } from '../../src/rules/client/two-voices.ts';
import { judgeCases } from '../../src/rules/judge-cases.ts';
import { disagreementsOnAnswers, rowsInAnswers } from '../../src/rules/two-voices.ts';
import { type Dice, diceFrom } from '../dice.ts';
import { expect, test } from '../engine.ts';
import { closeDayAnswerBytes, closeDayAnswerOperators, rightCloseDayAnswer } from './mutations/close-day-answers.ts';
import { mutate } from './mutations/operator.ts';
import { recurringAnswerBytes, recurringAnswerOperators, rightRecurringAnswer } from './mutations/recurring-answers.ts';
import { requestOperators } from './mutations/request-operators.ts';
import { requestParts, requestTime, rightRequest } from './mutations/requests.ts';

const count = Number(process.env.MUTATIONS ?? 2_000);
const batch = 500;

const drawn = { 'close-day': drawCloseDayAnswer, 'process-recurring-payments': drawRecurringAnswer };

for (const operation of ['close-day', 'process-recurring-payments'] as const) {
  test(`no schema and no judge disagree on a mutated answer to ${operation}`, () => {
    const failed = new Set<RequirementId>();
    const disagreements = batches(count / 4).flatMap((seed) => {
      const dice = diceFrom(seed);
      const cases = Array.from({ length: batch }, (_, number) => drawn[operation](dice, number));
      return [...rowsInAnswers].flatMap((id) => {
        const verdicts = judgeCases(id, cases);
        if (verdicts.some(({ finding }) => finding.outcome === 'fail')) failed.add(id);
        return disagreementsOnAnswers(id, cases, verdicts).map(({ examined, finding }) => ({
          id,
          ...finding,
          operators: examined.scenario,
          status: examined.exchange.response!.status,
          body: Buffer.from(examined.exchange.response!.body).toString('latin1'),
        }));
      });
    });
    expect(disagreements.slice(0, 10)).toEqual([]);
    const own = operation === 'close-day' ? 'close-day/' : 'recurring/';
    expect([...rowsInAnswers].filter((id) => id.startsWith(own) && !failed.has(id))).toEqual([]);
  });
}

test('no schema and no judge disagree on a mutated request', () => {
  const failed = new Set<RequirementId>();
  const disagreements = batches(count / 2).flatMap((seed) => {
    const dice = diceFrom(seed);
    const cases = Array.from({ length: batch }, (_, number) => drawRequest(dice, number));
    const known = new Map<RequirementId, readonly ClientVerdict[]>();
    const verdictsOf = (id: RequirementId) => {
      const verdicts = known.get(id) ?? clientJudges[id as keyof typeof clientJudges]({ id, cases, ...withoutKeys });
      known.set(id, verdicts);
      return verdicts;
    };
    return [...rowsInRequests, 'authentication/header-scheme' as const, 'recurring/payload-escaped' as const].flatMap(
      (id) => {
        if (verdictsOf(id).some(({ finding }) => finding.outcome === 'fail')) failed.add(id);
        return disagreementsOnRequests(id, cases, verdictsOf).map(({ examined, exchange, finding }) => ({
          id,
          ...finding,
          operators: examined.scenario,
          headers: exchange!.request.headers,
          body: Buffer.from(exchange!.request.body).toString('latin1'),
        }));
      },
    );
  });
  expect(disagreements.slice(0, 10)).toEqual([]);
  expect([...rowsInRequests].filter((id) => !failed.has(id))).toEqual([]);
});

const withoutKeys = { hasKeys: false, keysOf: () => undefined };

/** A seed for each batch. */
function batches(wanted: number): number[] {
  return Array.from({ length: Math.max(1, Math.ceil(wanted / batch)) }, (_, at) => 20_260_131 + at);
}

function drawCloseDayAnswer(dice: Dice, number: number): Case {
  const answer = rightCloseDayAnswer(dice);
  const scenario = mutate(answer, closeDayAnswerOperators, dice);
  return caseOf('close-day', scenario, number, answer.status, closeDayAnswerBytes(answer));
}

function drawRecurringAnswer(dice: Dice, number: number): Case {
  const answer = rightRecurringAnswer(dice);
  const scenario = mutate(answer, recurringAnswerOperators, dice);
  return caseOf('process-recurring-payments', scenario, number, answer.status, recurringAnswerBytes(answer));
}

function drawRequest(dice: Dice, number: number): ClientCase {
  const request = rightRequest(dice);
  const scenario = mutate(request, requestOperators, dice);
  const { authorization, body } = requestParts(request);
  const headers = authorization.map((line) => ['Authorization', line] as const);
  const label = { operation: request.operation, input: 'observed' } as const;
  return { scenario, number, label, wire: [exchangeOf({ headers, body })] };
}

function caseOf(
  operation: Case['label']['operation'],
  scenario: string,
  number: number,
  status: number,
  body: Uint8Array,
): Case {
  const exchange = exchangeOf({}, { status, reason: '', headers: [['Content-Type', 'text/html;charset=utf-8']], body });
  return { scenario, number, label: { operation, intent: 'valid' }, exchange };
}

function exchangeOf(request: Partial<SentRequest>, response?: ReceivedResponse): Exchange {
  const plain = {
    method: 'POST',
    scheme: 'https',
    host: 'gateway.test',
    target: '/api/v2/close-day/1111',
    headers: [],
    body: Buffer.alloc(0),
  } as const;
  return {
    request: { ...plain, ...request },
    ...(response === undefined ? {} : { response }),
    startedAt: requestTime * 1000,
    durationMs: 1,
  };
}
