/** Checks the same bytes with a schema and with a judge. If their results differ, the suite has an error. */
import { type Operation, operationNames, operations } from '../../contracts/operations.ts';
import { type RequirementId, requirementById, requirements, rowsOn } from '../../contracts/requirements/index.ts';
import { type RequestFindings, requirementsIn, validateRequest, validateResponse } from '../../schemas/payloads.ts';
import type { Case, ClientCase } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { memoize, memoizeLast } from '../record/memoize.ts';
import { compressionProblem, isRefusedByStatus } from './answers/acceptance.ts';
import { closeDayBody } from './answers/bodies.ts';
import { hasLosses, isJudgeable } from './client/wire-judge.ts';
import { type Finding, type Verdict, worstOf } from './judge.ts';

export const answerRows: ReadonlySet<RequirementId> = new Set([
  ...requirementsIn('close-day-finished', 'close-day-error', 'recurring-parameters', 'recurring-parameters-body'),
]);

export function disagreementsOnAnswers(
  id: RequirementId,
  cases: readonly Case[],
  verdicts: readonly Verdict[],
): readonly Verdict[] {
  if (!answerRows.has(id)) return [];
  const { broken, unread } = schemaFaultsIn(cases);
  const partial = requirementById(id)?.schemaSees === 'part';
  const judgeFindings = new Map(verdicts.map(({ testCase, finding }) => [testCase, finding]));
  return cases.flatMap((testCase) => {
    const result = judgeFindings.get(testCase);
    const finding = disagreement(result, broken.get(id)?.get(testCase), partial);
    if (finding === undefined || unread.has(testCase) || !isComparable(testCase)) return [];
    const isBeyondSchema = id === 'recurring/error-id-with-500' && result !== undefined && usesOtherData(result);
    const isUnknownGate = partial && testCase.label.facts?.gate === 'unknown';
    return isBeyondSchema || isUnknownGate ? [] : [{ testCase, finding }];
  });
}

/** True if the judge also used headers or other answers. A schema reads only one body. */
function usesOtherData({ outcome, remark, blame }: Finding): boolean {
  return outcome === 'pass' ? remark !== undefined : blame === 'unspecified';
}

function isComparable(testCase: Case): boolean {
  const { label } = testCase;
  const [exchange] = testCase.exchanges;
  if (exchange.response === undefined || isRefusedByStatus(testCase)) return false;
  // Skip a body with a wrong Content-Encoding, because a schema cannot check headers.
  if (compressionProblem(exchange) !== undefined) return false;
  return label.operation !== 'close-day' || closeDayBody(exchange)?.tooDeep === undefined;
}

const schemaFaultsIn = memoize((cases: readonly Case[]) => {
  const broken = new Map<string, Map<Case, string>>();
  const unread = new Set<Case>();
  for (const testCase of cases.filter(isComparable)) {
    const { status, body } = testCase.exchanges[0].response!;
    const findings = unlessTooLarge(() => validateResponse(testCase.label.operation, status, body));
    if (findings === undefined) unread.add(testCase);
    for (const [row, fault] of findings ?? []) {
      broken.set(row, (broken.get(row) ?? new Map<Case, string>()).set(testCase, fault));
    }
  }
  return { broken, unread };
});

/** Undefined if judge and schema agree. `partial` means that the schema checks less than the judge. */
function disagreement(judged: Finding | undefined, schema: string | undefined, partial: boolean): Finding | undefined {
  if (judged !== undefined && (judged.outcome === 'inconclusive' || judged.outcome === 'error')) return undefined;
  const isFailed = judged?.outcome === 'fail';
  if (isFailed === (schema !== undefined) || (isFailed && partial)) return undefined;
  const judgeText = isFailed ? `expects ${judged.expected} and finds ${judged.actual}` : 'finds no fault';
  const schemaText = schema === undefined ? 'finds no fault' : `says: ${schema}`;
  return {
    outcome: 'error',
    blame: 'suite',
    actual: `judge and schema disagree: the judge ${judgeText}; the schema ${schemaText}`,
  };
}

/** Undefined if the body is too large for a regular expression of a schema. */
function unlessTooLarge<Findings>(validate: () => Findings): Findings | undefined {
  try {
    return validate();
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

const headerRows = new Set<RequirementId>([
  ...requirementsIn(...operationNames.map((operation) => `authorization/${operation}` as const)),
  'authentication/header-parameters',
]);

export const requestRows: ReadonlySet<RequirementId> = new Set([
  ...headerRows,
  ...requirements.filter(({ part }) => part === 'form').map(({ id }) => id),
  'authentication/parameters-only-in-header',
  ...requirementsIn('close-day-request', 'recurring-request'),
]);

/** Requirements on the syntax of the Authorization header and the CSV. Judges repair wrong syntax, schemas do not. */
const syntaxRows = {
  header: rowsOn('header', 'process-recurring-payments'),
  csv: rowsOn('content', 'process-recurring-payments'),
};

function arrivalRow(operation: Operation): RequirementId {
  return `${operations[operation].area}/authorization-sent`;
}

/** Finds requests on which judge and schema disagree. Skips a request that fails a prerequisite of the requirement. */
export function disagreementsOnRequests(
  id: RequirementId,
  cases: readonly ClientCase[],
  verdictsOf: (id: RequirementId) => readonly Verdict<ClientCase>[],
): readonly Verdict<ClientCase>[] {
  const isFirstRow = Object.values(syntaxRows).some(([first]) => first === id);
  if (!requestRows.has(id) && !isFirstRow) return [];
  return cases.filter(isComparableRequest).flatMap((testCase) =>
    testCase.exchanges.flatMap((exchange) => {
      const findingOn = (row: RequirementId) => {
        const own = verdictsOf(row).filter((verdict) => verdict.exchange === exchange);
        return worstOf(own.map(({ finding }) => finding));
      };
      const finding = (isFirstRow ? findUnreported : compare)(id, testCase, exchange, findingOn);
      return finding === undefined ? [] : [{ testCase, exchange, finding }];
    }),
  );
}

/** False for a forbidden input: if the client sends it unchanged, the judge finds no fault, but the schema does. */
function isComparableRequest(testCase: ClientCase): boolean {
  return isJudgeable(testCase) && testCase.call.label.input !== 'forbidden' && !hasLosses(testCase);
}

type FindingOn = (row: RequirementId) => Finding | undefined;

function compare(id: RequirementId, { label, call: { asked } }: ClientCase, exchange: Exchange, findingOn: FindingOn) {
  if (asked !== undefined && exchange.request.body.length === 0) return undefined;
  const findings = findingsOfRequest[label.operation](exchange);
  if (findings === undefined) return undefined;
  // If the input is known, the judge also compares the bytes with the input, and may find more than the schema.
  const coverage = requirementById(id)?.schemaSees;
  const partial = asked !== undefined || coverage === 'part' || (findings.hasNonAscii && coverage === 'ascii');
  const found = disagreement(findingOn(id), findings.broken.get(id), partial);
  // Check the prerequisites only if judge and schema disagree, because this needs verdicts on other requirements.
  const isBlocked = found && prerequisites(id, label.operation).some((row) => findingOn(row)?.outcome === 'fail');
  return isBlocked === true ? undefined : found;
}

/** Schema and judge read the same content only if these requirements pass. */
function prerequisites(id: RequirementId, operation: Operation): readonly RequirementId[] {
  const { part, schemaAfter } = requirementById(id)!;
  if (part === 'form') return [];
  const form = rowsOn('form', operation);
  if (id === 'authentication/parameters-only-in-header') return [arrivalRow(operation), ...form];
  if (headerRows.has(id)) return [arrivalRow(operation), ...syntaxRows.header];
  const content = rowsOn('content', operation);
  const first = schemaAfter === undefined ? [] : [schemaAfter as RequirementId];
  return [...form, ...(content.includes(id) ? content.slice(0, content.indexOf(id)) : content), ...first];
}

function findUnreported(id: RequirementId, { label }: ClientCase, exchange: Exchange, findingOn: FindingOn) {
  const part = findingsOfRequest[label.operation](exchange)?.unparsed.find((one) => syntaxRows[one][0] === id);
  if (part === undefined) return undefined;
  const rows = part === 'header' ? [arrivalRow(label.operation), ...syntaxRows.header] : syntaxRows.csv;
  if (rows.some((row) => findingOn(row)?.outcome === 'fail')) return undefined;
  return disagreement(undefined, `the ${part} is not in the documented form`, false);
}

function findingsBy(operation: Operation) {
  return memoizeLast(({ request }: Exchange): RequestFindings | undefined => {
    const [authorization] = headerValues(request.headers, 'authorization');
    return unlessTooLarge(() => validateRequest(operation, authorization, request.body));
  });
}

const findingsOfRequest = {
  'close-day': findingsBy('close-day'),
  'process-recurring-payments': findingsBy('process-recurring-payments'),
};
