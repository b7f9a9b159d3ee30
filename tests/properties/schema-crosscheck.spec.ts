/** Judges and schemas read mutated messages independently, and never disagree. */
import { operationNames, operations } from '../../contracts/operations.ts';
import { answerRows, requestRows } from '../../src/rules/schema-crosscheck.ts';
import { type Dice, diceFrom } from '../dice.ts';
import { expect, test } from '../engine.ts';
import { answerMakers, type JsonNode, type TabledAnswer } from './table/answers.ts';
import { answerOperators, judgeAnswer, judgeRequest, type Outcome, requestOperators } from './table/compare.ts';
import { rightRequests, type TabledRequest } from './table/requests.ts';

interface Mutation<Message> {
  readonly id: string;
  /** False if there is nothing to change. */
  readonly apply: (message: Message) => unknown;
}

/** A text of a message: the function changes it in place. */
type Place = (change: (text: string) => string) => void;

// The schemas do not see headers.
const answerMutations = answerOperators.filter(({ group }) => group !== 'answer headers');

function mutatedAnswer(dice: Dice, operation: TabledAnswer['label']['operation']): [TabledAnswer, string] {
  const answer = dice.of(answerMakers.filter((make) => make().label.operation === operation))();
  return [answer, mutate(answer, answerMutations, placesOfAnswer, dice)];
}

function mutatedRequest(dice: Dice): [TabledRequest, string] {
  const request = dice.of(rightRequests());
  return [request, mutate(request, requestOperators, placesOfRequest, dice)];
}

/** Applies one to three mutations, because one fault may hide another. A third of them spoil a text. */
function mutate<M>(message: M, mutations: readonly Mutation<M>[], places: (message: M) => Place[], dice: Dice): string {
  const apply = () => dice.of(places(message))((text) => spoil(text, dice));
  const applied: string[] = [];
  for (let remaining = dice.of([1, 1, 1, 1, 2, 2, 3]); remaining > 0; ) {
    const mutation = dice.below(3) === 0 ? { id: 'a text spoilt', apply } : dice.of(mutations);
    if (!tryApply(() => mutation.apply(message))) continue;
    applied.push(mutation.id);
    remaining -= 1;
  }
  return applied.join(', ');
}

/** False if the operator fails because another one removed what it changes. */
function tryApply(apply: () => unknown): boolean {
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

function placesOf(holder: object, ...keys: readonly string[]): Place[] {
  const texts = holder as Record<string, string>;
  return (keys.length > 0 ? keys : Object.keys(texts)).map((key) => (change) => {
    texts[key] = change(texts[key]!);
  });
}

const common = [...' \n\r\t\u00a0\ufeff-+.,019eAz', ''];
const rare = [...'\u0661\uff11\u0430\u00e9\u{1d400}\0";%_/', 'e\u0301'];
const words = ['', ' ', '\n', 'null', 'true', '0', '1.0', '-1', '1e3'];

function spoil(text: string, dice: Dice): string {
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

/** The number of messages of each kind. */
const count = Math.ceil(Number(process.env.MUTATIONS ?? 6_000) / 3);

const kinds: readonly (readonly [what: string, rows: readonly string[], judged: (dice: Dice) => object & Outcome])[] = [
  ...operationNames.map((operation) => {
    const judge = (dice: Dice) => {
      const [answer, operators] = mutatedAnswer(dice, operation);
      return { operators, ...judgeAnswer(answer) };
    };
    const ids = [...answerRows].filter((id) => id.startsWith(`${operations[operation].area}/`));
    return [`answer to ${operation}`, ids, judge] as const;
  }),
  [
    'request',
    [...requestRows],
    (dice) => {
      const [request, operators] = mutatedRequest(dice);
      return { operators, ...judgeRequest(request) };
    },
  ],
];

for (const [what, rows, judge] of kinds) {
  test(`no schema and no judge disagree on a mutated ${what}`, () => {
    const dice = diceFrom(20_260_131);
    const all = Array.from({ length: count }, () => judge(dice));
    expect(all.filter(({ disagreements }) => disagreements.length > 0).slice(0, 10)).toEqual([]);
    expect(all.filter(({ failing }) => failing.length > 0).length).toBeGreaterThan(count / 2);
    const failed = new Set<string>(all.flatMap(({ failing }) => failing));
    expect([...rows].filter((id) => !failed.has(id))).toEqual([]);
  });
}
