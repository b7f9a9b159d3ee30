/** Mutated messages: judges and schemas, which read the same bytes apart, never disagree. */

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
import { type Dice, diceFrom } from '../dice.ts';
import { expect, test } from '../engine.ts';
import { answerMakers, casesOf, type JsonNode, type TabledAnswer } from './table/answers.ts';
import { answerOperators, requestOperators } from './table/compare.ts';
import { callOf, rightRequests, type TabledRequest } from './table/requests.ts';

interface Mutation<Message> {
  readonly id: string;
  /** False where the message has nothing to change. */
  readonly apply: (message: Message) => unknown;
}

/** A text of a message: replaces it with what it is given for it. */
type Place = (change: (text: string) => string) => void;

// No schema sees a header.
const answerMutations = answerOperators.filter(({ group }) => group !== 'answer headers');

/** An answer of the operation, and the ids of what was done to it. */
export function mutatedAnswer(dice: Dice, operation: TabledAnswer['label']['operation']): [TabledAnswer, string] {
  const answer = dice.of(answerMakers.filter((make) => make().label.operation === operation))();
  return [answer, mutate(answer, answerMutations, placesOfAnswer, dice)];
}

export function mutatedRequest(dice: Dice): [TabledRequest, string] {
  const request = dice.of(rightRequests());
  return [request, mutate(request, requestOperators, placesOfRequest, dice)];
}

/** One mutation, or two or three: what hides behind another fault is looked at too. A third of them spoil a text. */
function mutate<M>(message: M, mutations: readonly Mutation<M>[], places: (message: M) => Place[], dice: Dice): string {
  const apply = () => dice.of(places(message))((text) => spoilt(text, dice));
  const applied: string[] = [];
  for (let left = dice.of([1, 1, 1, 1, 2, 2, 3]); left > 0; ) {
    const mutation = dice.below(3) === 0 ? { id: 'a text spoilt', apply } : dice.of(mutations);
    if (!isApplied(() => mutation.apply(message))) continue;
    applied.push(mutation.id);
    left -= 1;
  }
  return applied.join(', ');
}

/** An operator of a table finds what it changes in every right message, and not in each that others have changed. */
function isApplied(apply: () => unknown): boolean {
  try {
    return apply() !== false;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function placesOfAnswer(answer: TabledAnswer): Place[] {
  const before = answer.spoil;
  return [
    (change) => {
      answer.spoil = (body) => Buffer.from(change(Buffer.from(before(body)).toString('utf8')));
    },
    ...(answer.root === undefined ? [] : placesOfJson(answer.root)),
    ...(answer.recurring?.parameters ?? []).flatMap((one) => placesOf(one)),
  ];
}

function placesOfJson(node: JsonNode): Place[] {
  if ('items' in node) return node.items.flatMap(placesOfJson);
  if (!('members' in node)) return placesOf(node);
  return node.members.flatMap((member) => [...placesOf(member, '0'), ...placesOfJson(member[1])]);
}

function placesOfRequest({ parts }: TabledRequest): Place[] {
  const before = parts.body;
  return [
    (change) => {
      parts.body = (text) => change(before(text).toString());
    },
    ...[...parts.header, ...parts.form].flatMap((one) => placesOf(one)),
    ...parts.csv.flatMap((row) => placesOf(row)),
  ];
}

/** The texts of an object or an array. */
function placesOf(holder: object, ...keys: readonly string[]): Place[] {
  const texts = holder as Record<string, string>;
  return (keys.length > 0 ? keys : Object.keys(texts)).map((key) => (change) => {
    texts[key] = change(texts[key]!);
  });
}

const common = [...' \n\r\t\u00a0\ufeff-+.,019eAz', ''];
const rare = [...'\u0661\uff11\u0430\u00e9\u{1d400}\0";%_/', 'e\u0301'];
const words = ['', ' ', '\n', 'null', 'true', '0', '1.0', '-1', '1e3'];

/** What may become of any text. */
function spoilt(text: string, dice: Dice): string {
  const characters = [...text];
  const at = dice.below(characters.length + 1);
  switch (dice.below(6)) {
    case 0:
      return characters.toSpliced(at, 1).join('');
    case 1:
      return characters.toSpliced(at, 0, dice.of(common)).join('');
    case 2:
      return characters.toSpliced(at, 1, dice.of(common)).join('');
    case 3:
      return characters.toSpliced(at, 1, dice.of(rare)).join('');
    case 4:
      return dice.of([text.toUpperCase(), text.toLowerCase(), text + text, text.slice(0, at), text.trim()]);
    default:
      return dice.of([...words, text.repeat(40)]);
  }
}

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
        return disagreementsOnAnswers(id, cases, verdicts).map(({ testCase, finding }) => ({
          id,
          ...finding,
          operators: testCase.scenario,
          status: testCase.exchanges[0].response!.status,
          body: Buffer.from(testCase.exchanges[0].response!.body).toString('latin1'),
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
        return disagreementsOnRequests(id, cases, verdictsOf).map(({ testCase, exchange, finding }) => ({
          id,
          ...finding,
          operators: testCase.scenario,
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
