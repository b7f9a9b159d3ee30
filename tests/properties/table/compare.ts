/** Every operator on every right message that has what it changes: the rows that break by the table, and those that judges find broken. */
import { type RequirementId, requirements } from '../../../contracts/requirements/index.ts';
import { validateRequest } from '../../../schemas/validate-request.ts';
import { validateResponse } from '../../../schemas/validate-response.ts';
import type { Case } from '../../../src/record/case.ts';
import { headerValues } from '../../../src/record/exchange.ts';
import type { ClientVerdict } from '../../../src/rules/client/client-judge.ts';
import { disagreementsOnRequests } from '../../../src/rules/client/two-voices.ts';
import { wireJudges } from '../../../src/rules/client/wire-judges.ts';
import { gatewayJudges } from '../../../src/rules/index.ts';
import { judgeCases } from '../../../src/rules/judge-cases.ts';
import { accepted, refused } from '../../../src/rules/twins.ts';
import { disagreementsOnAnswers } from '../../../src/rules/two-voices.ts';
import { answeredBy, rowsThat } from '../../unit/rules/client/decoding-cases.ts';
import { failing } from '../../unit/rules/client/sample-requests.ts';
import { casesOf, rightAnswers, type TabledAnswer } from './answers.ts';
import { byteOperators } from './bytes.ts';
import { closeDayMemberOperators } from './close-day-members.ts';
import { closeDayValueOperators } from './close-day-values.ts';
import { defectOperators } from './defects.ts';
import { headerOperators, statusOperators } from './headers.ts';
import type { Rows, TableOperator } from './operator.ts';
import { parameterOperators, rowsBesideSchemas } from './parameters.ts';
import { readingOperators, rightReadings, type TabledReading } from './readings.ts';
import { csvOperators, requestBodyOperators } from './request-body.ts';
import { authorizationOperators, requestLineOperators } from './request-header.ts';
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

export const answerOperators: readonly TableOperator<TabledAnswer>[] = [
  ...defectOperators,
  ...closeDayMemberOperators,
  ...closeDayValueOperators,
  ...parameterOperators,
  ...byteOperators,
  ...headerOperators,
  ...statusOperators,
];

/** Of all operators, or of one in so many. */
export function tryAll(step = 1): Tried[] {
  return [...tryOnAnswers(step), ...tryOnRequests(step), ...tryOnSignatures(step), ...tryOnReadings(step)];
}

function some<T>(operators: readonly T[], step: number): readonly T[] {
  return operators.filter((_, at) => at % step === 0);
}

function tryOnAnswers(step: number): Tried[] {
  return some(answerOperators, step).map((operator) =>
    tryOne(operator, rightAnswers(), judgeAnswer, (one) => casesOf(one).at(-1)!.exchange),
  );
}

interface Judged {
  /** By the schemas' reading, and what is stated of what they cannot see. */
  readonly heard: readonly RequirementId[];
  readonly failing: readonly RequirementId[];
  /** What judges and schemas say of the bytes, where it is not the same. */
  readonly disagreements: readonly string[];
}

export function tryOne<Message extends { readonly kind: string }>(
  { id, group, breaks, somewhere = false, apply }: TableOperator<Message>,
  messages: readonly Message[],
  judge: (message: Message) => Judged,
  /** What a judge is given of it. */
  shownBy: (message: Message) => unknown = () => undefined,
): Tried {
  const tried: Tried = { id, group, messages: 0, changed: 0, breaks: new Set(), survived: [], strays: [] };
  const shown = (message: Message): string => JSON.stringify(shownBy(message)) ?? '';
  for (const message of messages) {
    const before = shown(message);
    const stated = typeof breaks === 'function' ? breaks(message) : breaks;
    if (apply(message) === false) continue;
    tried.messages += 1;
    if (shown(message) !== before) tried.changed += 1;
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

export function judgeAnswer(answer: TabledAnswer): Judged {
  const cases = casesOf(answer);
  const examined = cases.at(-1)!;
  const { status, body } = examined.exchange.response!;
  const rows = rowsOn(examined);
  const verdicts = rows.map((id) => ({ id, of: judgeCases(id, cases) }));
  return {
    heard: [...validateResponse(answer.label.operation, status, body).keys(), ...rowsBesideSchemas(examined)],
    failing: verdicts
      .filter(({ of }) => of.some((one) => one.examined === examined && one.finding.outcome === 'fail'))
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

function tryOnRequests(step: number): Tried[] {
  return some(requestOperators, step).map((operator) =>
    tryOne(operator, rightRequests(), judgeRequest, (one) => callOf(one).wire),
  );
}

function tryOnReadings(step: number): Tried[] {
  return some(readingOperators, step).map((operator) =>
    tryOne(operator, rightReadings(), judgeReading, ({ read }) => answeredBy(read, sent)),
  );
}

/** That something was sent lets cases about an input answer their question; what it was shows nothing here. */
const { wire: sent } = callOf(rightRequests()[0]!);

export function judgeReading({ read }: TabledReading): Judged {
  return { heard: [], failing: rowsThat('fail', answeredBy(read, sent)), disagreements: [] };
}

function tryOnSignatures(step: number): Tried[] {
  return some(signatureOperators, step).map((operator) =>
    tryOne(operator, rightSignatures(), judgeSignature, (one) => signedCall(one).wire),
  );
}

export function judgeSignature(message: TabledSignature): Judged {
  return { heard: [], failing: failing([signedCall(message)]) as RequirementId[], disagreements: [] };
}

const wireRows = Object.keys(wireJudges) as (keyof typeof wireJudges)[];

export function judgeRequest(request: TabledRequest): Judged {
  const call = callOf(request);
  const known = new Map<RequirementId, readonly ClientVerdict[]>();
  const verdictsOf = (id: RequirementId) => {
    const verdicts = known.get(id) ?? wireJudges[id as keyof typeof wireJudges]({ id, cases: [call], ...withoutKeys });
    known.set(id, verdicts);
    return verdicts;
  };
  const { headers, body } = call.wire[0]!.request;
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
