/** Judges and schemas say the same of mutated messages: of as many as MUTATIONS tells, half of them answers. */
import { operationNames } from '../../contracts/operations.ts';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { ClientCase } from '../../src/record/case.ts';
import { clientJudges, judgeCases } from '../../src/rules/index.ts';
import type { Verdict } from '../../src/rules/judge.ts';
import {
  disagreementsOnAnswers,
  disagreementsOnRequests,
  rowsInAnswers,
  rowsInRequests,
} from '../../src/rules/schema-crosscheck.ts';
import { diceFrom } from '../dice.ts';
import { expect, test } from '../engine.ts';
import { mutatedAnswer, mutatedRequest } from './mutations.ts';
import { casesOf } from './table/answers.ts';
import { callOf } from './table/requests.ts';

const count = Number(process.env.MUTATIONS ?? 2_000);
const batch = 500;

for (const operation of operationNames)
  test(`no schema and no judge disagree on a mutated answer to ${operation}`, () => {
    const failed = new Set<RequirementId>();
    const disagreements = batches(count / 4).flatMap((seed) => {
      const dice = diceFrom(seed);
      const cases = Array.from({ length: batch }, (_, number) => {
        const [answer, scenario] = mutatedAnswer(dice, operation);
        return { ...casesOf(answer).at(-1)!, scenario, number, label: { operation, intent: 'valid' } as const };
      });
      return [...rowsInAnswers].flatMap((id) => {
        const verdicts = judgeCases(id, cases);
        if (verdicts.some(({ finding }) => finding.outcome === 'fail')) failed.add(id);
        return disagreementsOnAnswers(id, cases, verdicts).map(({ examined, finding }) => ({
          id,
          ...finding,
          operators: examined.scenario,
          status: examined.exchanges[0].response!.status,
          body: Buffer.from(examined.exchanges[0].response!.body).toString('latin1'),
        }));
      });
    });
    expect(disagreements.slice(0, 10)).toEqual([]);
    const own = operation === 'close-day' ? 'close-day/' : 'recurring/';
    expect([...rowsInAnswers].filter((id) => id.startsWith(own) && !failed.has(id))).toEqual([]);
  });

test('no schema and no judge disagree on a mutated request', () => {
  const failed = new Set<RequirementId>();
  const disagreements = batches(count / 2).flatMap((seed) => {
    const dice = diceFrom(seed);
    const cases = Array.from({ length: batch }, (_, number) => {
      const [request, scenario] = mutatedRequest(dice);
      return { ...callOf(request), scenario, number };
    });
    const known = new Map<RequirementId, readonly Verdict<ClientCase>[]>();
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

/** A seed for each batch. In four of them an operator on each requirement comes often enough. */
function batches(wanted: number): number[] {
  return Array.from({ length: Math.max(4, Math.ceil(wanted / batch)) }, (_, at) => 20_260_131 + at);
}
