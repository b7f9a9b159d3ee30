/** Every operator on every right message that has what it changes: the rows that break by the table, and those that judges find broken. */

import { isDeepStrictEqual } from 'node:util';
import { type RequirementId, requirements } from '../../../contracts/requirements/index.ts';
import { validateRequest, validateResponse } from '../../../schemas/messages.ts';
import { gatewayDefects } from '../../../src/faults/index.ts';
import type { GateResult } from '../../../src/mock/responses.ts';
import type { About, Decision } from '../../../src/mock/step.ts';
import type { Case, ClientCase } from '../../../src/record/case.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import { gatewayJudges, judgeCases, wireJudges } from '../../../src/rules/index.ts';
import type { Verdict } from '../../../src/rules/judge.ts';
import { disagreementsOnAnswers, disagreementsOnRequests } from '../../../src/rules/schema-crosscheck.ts';
import { accepted, refused } from '../../../src/rules/twins.ts';
import { answeredBy, rowsThat } from '../../unit/rules/client/decoding-cases.ts';
import { failing } from '../../unit/rules/client/sample-requests.ts';
import { casesOf, gatesOf, rightAnswers, type TabledAnswer } from './answers.ts';
import { byteOperators, parameterOperators, rowsBesideSchemas } from './bodies.ts';
import { closeDayMemberOperators, closeDayValueOperators } from './close-day.ts';
import { headerOperators, statusOperators } from './headers.ts';
import { inGroup, listed, type Rows, type TableOperator } from './operator.ts';
import { readingOperators, rightReadings, type TabledReading } from './readings.ts';
import { authorizationOperators, csvOperators, requestBodyOperators, requestLineOperators } from './request-edits.ts';
import { callOf, rightRequests, type TabledRequest } from './requests.ts';
import { rightSignatures, signatureOperators, signedCall, type TabledSignature } from './signatures.ts';

/** What became of one operator. */
export interface Tried {
  readonly id: string;
  readonly group: string;
  /** Right messages that have what it changes. */
  messages: number;
  /** How many of them it left other than they were. */
  changed: number;
  /** Rows that it breaks in some of them. */
  readonly breaks: Set<RequirementId>;
  /** In words: rows that stayed green, and rows that broke besides. */
  readonly survived: string[];
  readonly strays: string[];
}

const make = inGroup<TabledAnswer>('answers of defects');

/** One answer does not show them, or shows more: a habit, what another answer had, a step, a request or a gate that no right answer is about. */
const unseen = [
  'authentication/known-session-trusted',
  ...listed('lock-not-removed¦refused-with-302¦other-types-answered-with-415¦gate-ids-changing').map(
    (what) => `close-day/${what}`,
  ),
  ...listed('refused-with-302¦refused-with-500¦batch-fault-with-401¦wrong-signature-with-200¦payload-not-needed').map(
    (what) => `recurring/${what}`,
  ),
  'recurring/parameters-said-to-be-packed',
  'recurring/parameters-with-one-serial',
];

export const defectOperators: readonly TableOperator<TabledAnswer>[] = gatewayDefects
  .filter(({ id, alteration }) => alteration.writes !== undefined && !unseen.includes(id))
  .map(({ id, breaks, alteration }) => ({
    ...make(id, breaks, (answer) => {
      const { request, response } = casesOf(answer).at(-1)!.exchanges[0];
      const { status, headers, body } = alteration.writes!(response!, aboutOf(answer, request));
      if (isDeepStrictEqual([status, headers, [...body]], [answer.status, answer.headers, [...response!.body]]))
        return false;
      return Object.assign(answer, { status, headers: headers.map((line) => [...line]), spoil: () => body });
    }),
    somewhere: true,
  }));

function aboutOf(answer: TabledAnswer, request: About['request']): About {
  const { operation, about, intent } = answer.label;
  const decision: Decision = answer.kind.startsWith('error 99')
    ? 'closing'
    : intent === 'fault'
      ? 'refused'
      : 'accepted';
  const target = about === 'close-day/manual-close' ? '/api/v2/close-day/1112' : request.target;
  const step = { 'close-day/missing-request-id-refused': 'request-id', 'recurring/missing-payload-refused': 'payload' }[
    about as string
  ];
  return {
    operation,
    decision,
    request: { ...request, target, body: Buffer.from('payload=') },
    ...(step === undefined ? {} : { step }),
    gates: gatesOf(answer) as readonly object[] as readonly GateResult[],
    // A defect of every third answer, too.
    serial: 6,
  };
}

export const answerOperators: readonly TableOperator<TabledAnswer>[] = [
  ...defectOperators,
  ...closeDayMemberOperators,
  ...closeDayValueOperators,
  ...parameterOperators,
  ...byteOperators,
  ...headerOperators,
  ...statusOperators,
];

interface Judged {
  /** By the schemas' reading, and what is stated of what they cannot see. */
  readonly heard: readonly RequirementId[];
  readonly failing: readonly RequirementId[];
  /** What judges and schemas say of the bytes, where it is not the same. */
  readonly disagreements: readonly string[];
}

/** Right messages of one kind, what is done to them, what judges are given of one, and what they say. */
interface Kind<Message> {
  readonly operators: readonly TableOperator<Message>[];
  readonly right: () => readonly Message[];
  readonly shown: (message: Message) => unknown;
  readonly judge: (message: Message) => Judged;
}

/** Of all operators, or of one in so many. */
export function tryAll(step = 1): Tried[] {
  return [...tried(answers, step), ...tried(requests, step), ...tried(signatures, step), ...tried(readings, step)];
}

/** Rows that break in a right message. */
export function brokenByRight(): string[] {
  return [...broken(answers), ...broken(requests), ...broken(signatures), ...broken(readings)];
}

function tried<Message extends { readonly kind: string }>(kind: Kind<Message>, step: number): Tried[] {
  return kind.operators.filter((_, at) => at % step === 0).map((operator) => tryOne(operator, kind));
}

function broken<Message extends { readonly kind: string }>({ right, judge }: Kind<Message>): string[] {
  return right().flatMap((message) => judge(message).failing.map((row) => `${message.kind}: ${row}`));
}

function tryOne<Message extends { readonly kind: string }>(
  { id, group, breaks, somewhere = false, apply }: TableOperator<Message>,
  { right, shown, judge }: Kind<Message>,
): Tried {
  const tried: Tried = { id, group, messages: 0, changed: 0, breaks: new Set(), survived: [], strays: [] };
  const textOf = (message: Message): string => JSON.stringify(shown(message));
  for (const message of right()) {
    const before = textOf(message);
    const stated = typeof breaks === 'function' ? breaks(message) : breaks;
    if (apply(message) === false) continue;
    tried.messages += 1;
    if (textOf(message) !== before) tried.changed += 1;
    const { heard, failing, disagreements } = judge(message);
    const expected = stated ?? heard;
    for (const row of somewhere ? failing : expected) tried.breaks.add(row);
    const where = `${id}, in ${message.kind}: `;
    if (!somewhere) tried.survived.push(...expected.filter((row) => !failing.includes(row)).map((row) => where + row));
    tried.strays.push(...failing.filter((row) => !expected.includes(row)).map((row) => where + row));
    tried.strays.push(...disagreements.map((words) => where + words));
  }
  const stated = somewhere && Array.isArray(breaks) ? (breaks as Rows) : [];
  tried.survived.push(...stated.filter((row) => !tried.breaks.has(row)).map((row) => `${id}: ${row}`));
  return tried;
}

const gatewayRows = requirements
  .filter(({ side, untestable }) => side === 'gateway' && untestable === undefined)
  .map(({ id, operation }) => ({ id: id as keyof typeof gatewayJudges, operation }));

function judgeAnswer(answer: TabledAnswer): Judged {
  const cases = casesOf(answer);
  const testCase = cases.at(-1)!;
  const { status, body } = testCase.exchanges[0].response!;
  const rows = rowsOn(testCase);
  const verdicts = rows.map((id) => ({ id, of: judgeCases(id, cases) }));
  return {
    heard: [...validateResponse(answer.label.operation, status, body).keys(), ...rowsBesideSchemas(testCase)],
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

/** That something was sent lets cases about an input answer their question; what it was shows nothing here. */
const { exchanges: sent } = callOf(rightRequests()[0]!);

const wireRows = Object.keys(wireJudges) as (keyof typeof wireJudges)[];

function judgeRequest(request: TabledRequest): Judged {
  const call = callOf(request);
  const known = new Map<RequirementId, readonly Verdict<ClientCase>[]>();
  const verdictsOf = (id: RequirementId) => {
    const verdicts = known.get(id) ?? wireJudges[id as keyof typeof wireJudges]({ id, cases: [call], ...withoutKeys });
    known.set(id, verdicts);
    return verdicts;
  };
  const { headers, body } = call.exchanges[0]!.request;
  const [authorization] = headerValues(headers, 'authorization');
  return {
    heard: [...validateRequest(call.label.operation, authorization, body).broken.keys()],
    failing: wireRows.filter((id) => verdictsOf(id).some(({ finding }) => finding.outcome === 'fail')),
    disagreements: wireRows.flatMap((id) =>
      disagreementsOnRequests(id, [call], verdictsOf).map(({ finding }) => finding.actual ?? id),
    ),
  };
}

/** Nothing is signed: whether a signature verifies is not asked. */
const withoutKeys = { hasKeys: false, keysOf: () => undefined };

/** Rows of the operation; of those on acceptance and refusal the one that the request was sent for, since the others look at nothing. */
function rowsOn({ label }: Case) {
  return gatewayRows
    .filter(({ operation }) => operation === 'both' || operation === label.operation)
    .map(({ id }) => id)
    .filter((id) => id === label.about || (gatewayJudges[id] !== accepted && gatewayJudges[id] !== refused));
}

const nothingHeard = { heard: [], disagreements: [] };

const answers: Kind<TabledAnswer> = {
  operators: answerOperators,
  right: rightAnswers,
  shown: (answer) => casesOf(answer).at(-1)!.exchanges[0],
  judge: judgeAnswer,
};
const requests: Kind<TabledRequest> = {
  operators: requestOperators,
  right: rightRequests,
  shown: (request) => callOf(request).exchanges,
  judge: judgeRequest,
};
const signatures: Kind<TabledSignature> = {
  operators: signatureOperators,
  right: rightSignatures,
  shown: (message) => signedCall(message).exchanges,
  judge: (message) => ({ ...nothingHeard, failing: failing([signedCall(message)]) as RequirementId[] }),
};
const readings: Kind<TabledReading> = {
  operators: readingOperators,
  right: rightReadings,
  shown: ({ read }) => answeredBy(read, sent),
  judge: ({ read }) => ({ ...nothingHeard, failing: rowsThat('fail', answeredBy(read, sent)) }),
};
