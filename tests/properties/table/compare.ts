/** Tries each operator on each right message that it can change, and compares what it names with what the judges find. */
import { isDeepStrictEqual } from 'node:util';
import { type RequirementId, requirements } from '../../../contracts/requirements/index.ts';
import { validateRequest, validateResponse } from '../../../schemas/payloads.ts';
import type { Case, ClientCase } from '../../../src/record/case.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import { gatewayJudges, judgeCases, wireJudges } from '../../../src/rules/index.ts';
import type { Verdict } from '../../../src/rules/judge.ts';
import { disagreementsOnAnswers, disagreementsOnRequests } from '../../../src/rules/schema-crosscheck.ts';
import { judgeAccepted, judgeRefused } from '../../../src/rules/twins.ts';
import { readAll, rowsWith } from '../../unit/rules/client/decoding-cases.ts';
import { casesOf, rightAnswers, type TabledAnswer } from './answers.ts';
import { byteOperators, parameterOperators, rowsWithoutSchema } from './bodies.ts';
import { closeDayMemberOperators, closeDayValueOperators } from './close-day.ts';
import { headerOperators, statusOperators } from './headers.ts';
import type { TableOperator } from './operator.ts';
import { readingOperators, rightReadings, type TabledReading } from './readings.ts';
import { authorizationOperators, csvOperators, requestBodyOperators, requestLineOperators } from './request-edits.ts';
import { callOf, rightRequests, type TabledRequest } from './requests.ts';

/** The result of one operator. */
export interface Attempt {
  readonly id: string;
  readonly group: string;
  /** The number of messages that the operator applies to. */
  messages: number;
  /** The number of messages that differ afterwards. */
  changed: number;
  /** Requirements that it breaks in some message. */
  readonly breaks: Set<RequirementId>;
  /** Requirements that should have failed, and others that failed, in words. */
  readonly survived: string[];
  readonly strays: string[];
}

export const answerOperators: readonly TableOperator<TabledAnswer>[] = [
  ...closeDayMemberOperators,
  ...closeDayValueOperators,
  ...parameterOperators,
  ...byteOperators,
  ...headerOperators,
  ...statusOperators,
];

export interface Outcome {
  /** Requirements that the schemas find broken. */
  readonly schemaBreaks: readonly RequirementId[];
  readonly failing: readonly RequirementId[];
  /** Differences between judges and schemas, in words. */
  readonly disagreements: readonly string[];
}

/** One kind of messages, and its operators. `shown` is what judges see of a message. */
interface Kind<Message, View = unknown> {
  readonly operators: readonly TableOperator<Message>[];
  readonly right: () => readonly Message[];
  readonly view: (message: Message) => View;
  readonly judge: (message: Message, shown: View) => Outcome;
}

/** Tries all operators, or each of the given step. */
export function tryAll(step = 1): Attempt[] {
  return [...tryKind(answers, step), ...tryKind(requests, step), ...tryKind(readings, step)];
}

/** Requirements that a right message breaks. */
export function brokenByRight(): string[] {
  return [...broken(answers), ...broken(requests), ...broken(readings)];
}

function tryKind<M extends { readonly kind: string }, View>(kind: Kind<M, View>, step: number): Attempt[] {
  const before = kind.right().map(kind.view);
  return kind.operators.filter((_, at) => at % step === 0).map((operator) => tryOperator(operator, kind, before));
}

function broken<M extends { readonly kind: string }, View>({ right, view, judge }: Kind<M, View>): string[] {
  return right().flatMap((message) => judge(message, view(message)).failing.map((row) => `${message.kind}: ${row}`));
}

function tryOperator<M extends { readonly kind: string }, View>(
  { id, group, breaks, apply }: TableOperator<M>,
  { right, view, judge }: Kind<M, View>,
  before: readonly View[],
): Attempt {
  const result: Attempt = { id, group, messages: 0, changed: 0, breaks: new Set(), survived: [], strays: [] };
  for (const [at, message] of right().entries()) {
    const stated = typeof breaks === 'function' ? breaks(message) : breaks;
    if (apply(message) === false) continue;
    result.messages += 1;
    const after = view(message);
    if (!isDeepStrictEqual(after, before[at])) result.changed += 1;
    const { schemaBreaks, failing, disagreements } = judge(message, after);
    const expected = stated ?? schemaBreaks;
    for (const row of expected) result.breaks.add(row);
    const where = `${id}, in ${message.kind}: `;
    result.survived.push(...expected.filter((row) => !failing.includes(row)).map((row) => where + row));
    result.strays.push(...failing.filter((row) => !expected.includes(row)).map((row) => where + row));
    result.strays.push(...disagreements.map((words) => where + words));
  }
  return result;
}

const gatewayRows = requirements
  .filter(({ side, untestable }) => side === 'gateway' && untestable === undefined)
  .map(({ id, operation }) => ({ id: id as keyof typeof gatewayJudges, operation }));

export function judgeAnswer(answer: TabledAnswer): Outcome {
  const cases = casesOf(answer);
  const testCase = cases.at(-1)!;
  const { status, body } = testCase.exchanges[0].response!;
  const rows = rowsOn(testCase);
  const verdicts = rows.map((id) => ({ id, of: judgeCases(id, cases) }));
  return {
    schemaBreaks: [...validateResponse(answer.label.operation, status, body).keys(), ...rowsWithoutSchema(testCase)],
    failing: verdicts
      .filter(({ of }) => of.some((one) => one.testCase === testCase && one.finding.outcome === 'fail'))
      .map(({ id }) => id),
    disagreements: verdicts.flatMap(({ id, of }) =>
      disagreementsOnAnswers(id, cases, of).map(({ finding }) => finding.actual ?? id),
    ),
  };
}

export const requestOperators: readonly TableOperator<TabledRequest>[] = [
  ...requestLineOperators,
  ...authorizationOperators,
  ...requestBodyOperators,
  ...csvOperators,
];

/** Cases about an input need a request. Its content does not matter here. */
const { exchanges: sent } = callOf(rightRequests()[0]!);

const wireRows = Object.keys(wireJudges) as (keyof typeof wireJudges)[];

export function judgeRequest(request: TabledRequest): Outcome {
  const call = callOf(request);
  const cache = new Map<RequirementId, readonly Verdict<ClientCase>[]>();
  const verdictsOf = (id: RequirementId) => {
    const verdicts = cache.get(id) ?? wireJudges[id as keyof typeof wireJudges]({ id, cases: [call], ...withoutKeys });
    cache.set(id, verdicts);
    return verdicts;
  };
  const { headers, body } = call.exchanges[0]!.request;
  const [authorization] = headerValues(headers, 'authorization');
  return {
    schemaBreaks: [...validateRequest(call.label.operation, authorization, body).broken.keys()],
    failing: wireRows.filter((id) => verdictsOf(id).some(({ finding }) => finding.outcome === 'fail')),
    disagreements: wireRows.flatMap((id) =>
      disagreementsOnRequests(id, [call], verdictsOf).map(({ finding }) => finding.actual ?? id),
    ),
  };
}

/** The requests are not signed, so no signature can be verified. */
const withoutKeys = { hasKeys: false, keysOf: () => undefined };

/** Requirements of the operation. Of those on acceptance and refusal, only the one that the case is about has a verdict. */
function rowsOn({ label }: Case) {
  return gatewayRows
    .filter(({ operation }) => operation === 'both' || operation === label.operation)
    .map(({ id }) => id)
    .filter((id) => id === label.about || (gatewayJudges[id] !== judgeAccepted && gatewayJudges[id] !== judgeRefused));
}

const answers: Kind<TabledAnswer> = {
  operators: answerOperators,
  right: rightAnswers,
  view: (answer) => casesOf(answer).at(-1)!.exchanges[0],
  judge: judgeAnswer,
};
const requests: Kind<TabledRequest> = {
  operators: requestOperators,
  right: rightRequests,
  view: (request) => callOf(request).exchanges,
  judge: judgeRequest,
};
const readings: Kind<TabledReading, readonly ClientCase[]> = {
  operators: readingOperators,
  right: rightReadings,
  view: ({ read }) => readAll(read, sent),
  judge: (_, cases) => ({ schemaBreaks: [], disagreements: [], failing: rowsWith('fail', cases) }),
};
