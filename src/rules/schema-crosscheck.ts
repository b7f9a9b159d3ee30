/** Compares schemas and judges on the same bytes. A disagreement is an error of the suite. */
import { type Operation, operationNames, operations } from '../../contracts/operations.ts';
import { type RequirementId, requirementById, requirements, rowsOn } from '../../contracts/requirements/index.ts';
import { type RequestFindings, requirementsIn, validateRequest, validateResponse } from '../../schemas/messages.ts';
import type { Case, ClientCase } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { memoize, memoizeLast } from '../record/memoize.ts';
import { falselyCompressed, isTakenForRefusal } from './answers/acceptance.ts';
import { closeDayBody } from './answers/close-day-body.ts';
import { isDoubtful, isWireCase } from './client/wire-judge.ts';
import type { Finding, Verdict } from './judge.ts';

export const rowsInAnswers: ReadonlySet<RequirementId> = new Set([
  ...requirementsIn('close-day-finished', 'close-day-error', 'recurring-parameters', 'recurring-parameters-body'),
]);

export function disagreementsOnAnswers(
  id: RequirementId,
  cases: readonly Case[],
  verdicts: readonly Verdict[],
): readonly Verdict[] {
  if (!rowsInAnswers.has(id)) return [];
  const { broken, unread } = schemaFaultsIn(cases);
  const inPart = requirementById(id)?.schemaSees === 'part';
  const findings = broken.get(id);
  const judged = new Map<Case, Finding>();
  const beyond = new Set<Case>();
  for (const { testCase, finding } of verdicts) {
    if (id === 'recurring/error-id-with-500' && restsOnMore(finding)) beyond.add(testCase);
    if (finding.outcome === 'pass') judged.delete(testCase);
    else judged.set(testCase, finding);
  }
  // Fast path for a hundred thousand answers: usually neither judge nor schema finds a fault.
  if (findings === undefined && judged.size === 0) return [];
  return cases.flatMap((testCase) => {
    if (!isComparable(testCase) || unread.has(testCase) || beyond.has(testCase)) return [];
    if (testCase.label.facts?.gate === 'unknown' && inPart) return [];
    const finding = disagreement(judged.get(testCase), findings?.get(testCase), inPart);
    return finding === undefined ? [] : [{ testCase, finding }];
  });
}

/** True if the finding depends on headers or on other answers, which no schema can check. */
function restsOnMore({ outcome, remark, blame }: Finding): boolean {
  return outcome === 'pass' ? remark !== undefined : blame === 'unspecified';
}

/** False if judges skip the answer or cannot read its whole body. */
function isComparable(testCase: Case): boolean {
  const { label } = testCase;
  const [exchange] = testCase.exchanges;
  if (exchange.response === undefined || isTakenForRefusal(testCase)) return false;
  // Skip a body that its Content-Encoding contradicts, because a schema cannot check headers.
  if (falselyCompressed(exchange) !== undefined) return false;
  return label.operation !== 'close-day' || closeDayBody(exchange)?.unread === undefined;
}

/** Faults that the schemas report, by requirement, and cases that no schema can read. */
const schemaFaultsIn = memoize((cases: readonly Case[]) => {
  const [broken, unread] = [new Map<string, Map<Case, string>>(), new Set<Case>()];
  for (const testCase of cases.filter(isComparable)) {
    const { label } = testCase;
    const [exchange] = testCase.exchanges;
    const { status, body } = exchange.response!;
    const findings = unlessTooLarge(() => validateResponse(label.operation, status, body));
    if (findings === undefined) unread.add(testCase);
    for (const [row, fault] of findings ?? []) {
      const of = broken.get(row) ?? new Map<Case, string>();
      broken.set(row, of.set(testCase, fault));
    }
  }
  return { broken, unread };
});

/** Undefined if judge and schema agree. If `inPart`, the judge checks more than the schema, so it may fail alone. */
function disagreement(judged: Finding | undefined, schema: string | undefined, inPart: boolean): Finding | undefined {
  if (judged !== undefined && (judged.outcome === 'inconclusive' || judged.outcome === 'error')) return undefined;
  const broken = judged?.outcome === 'fail';
  if (broken === (schema !== undefined) || (broken && inPart)) return undefined;
  const judge = broken ? `expects ${judged.expected} and finds ${judged.actual}` : 'finds no fault';
  const other = schema === undefined ? 'finds no fault' : `says: ${schema}`;
  return {
    outcome: 'error',
    blame: 'suite',
    actual: `judge and schema disagree: the judge ${judge}; the schema ${other}`,
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

const ofHeader = new Set<RequirementId>([
  ...requirementsIn(...operationNames.map((operation) => `authorization/${operation}` as const)),
  'authentication/header-parameters',
]);

export const rowsInRequests: ReadonlySet<RequirementId> = new Set([
  ...ofHeader,
  ...requirements.filter(({ part }) => part === 'form').map(({ id }) => id),
  'authentication/parameters-only-in-header',
  ...requirementsIn('close-day-request', 'recurring-request'),
]);

/** Requirements on the form of header and CSV. Judges repair a faulty form, but schemas cannot read it. */
const formRows = {
  header: rowsOn('header', 'process-recurring-payments'),
  csv: rowsOn('content', 'process-recurring-payments'),
};

function arrivalRow(operation: Operation): RequirementId {
  return `${operations[operation].area}/authorization-sent`;
}

/** Disagreements of judge and schema on a requirement. If a prerequisite failed, a difference is no disagreement. */
export function disagreementsOnRequests(
  id: RequirementId,
  cases: readonly ClientCase[],
  verdictsOf: (id: RequirementId) => readonly Verdict<ClientCase>[],
): readonly Verdict<ClientCase>[] {
  const isFirst = Object.values(formRows).some(([first]) => first === id);
  if (!rowsInRequests.has(id) && !isFirst) return [];
  // Fast path for a hundred thousand requests: usually neither judge nor schema finds a fault.
  if (!isFirst && faultsIn(verdictsOf(id)).size === 0 && !brokenIn(cases).has(id)) return [];
  return cases.filter(isCompared).flatMap((testCase) =>
    testCase.exchanges.flatMap((exchange) => {
      const findingOn = (row: RequirementId) => faultsIn(verdictsOf(row)).get(exchange);
      const finding = (isFirst ? unreported : compared)(id, testCase, exchange, findingOn);
      return finding === undefined ? [] : [{ testCase, exchange, finding }];
    }),
  );
}

/** False for a forbidden input, because the judge checks the input, and the schema checks the bytes. */
function isCompared(testCase: ClientCase): boolean {
  return isWireCase(testCase) && testCase.call.label.input !== 'forbidden' && !isDoubtful(testCase);
}

type FindingOn = (row: RequirementId) => Finding | undefined;

function compared(id: RequirementId, { label, call: { asked } }: ClientCase, exchange: Exchange, findingOn: FindingOn) {
  if (asked !== undefined && exchange.request.body.length === 0) return undefined;
  const findings = findingsOfRequest[label.operation](exchange);
  if (findings === undefined) return undefined;
  // If the input is known, the judge also compares the bytes with the input, so it may find more than the schema.
  const sees = requirementById(id)?.schemaSees;
  const inPart = asked !== undefined || sees === 'part' || (findings.beyondAscii && sees === 'ascii');
  const found = disagreement(findingOn(id), findings.broken.get(id), inPart);
  // Check the prerequisites last: they need verdicts on other requirements, and disagreements are rare.
  const isExcused = found && prerequisites(id, label.operation).some((row) => findingOn(row)?.outcome === 'fail');
  return isExcused === true ? undefined : found;
}

/** Requirements that must pass before schema and judge read the same content. */
function prerequisites(id: RequirementId, operation: Operation): readonly RequirementId[] {
  const { part, schemaAfter } = requirementById(id)!;
  if (part === 'form') return [];
  const form = rowsOn('form', operation);
  if (id === 'authentication/parameters-only-in-header') return [arrivalRow(operation), ...form];
  if (ofHeader.has(id)) return [arrivalRow(operation), ...formRows.header];
  const content = rowsOn('content', operation);
  const first = schemaAfter === undefined ? [] : [schemaAfter as RequirementId];
  return [...form, ...(content.includes(id) ? content.slice(0, content.indexOf(id)) : content), ...first];
}

/** An error if the schemas cannot read a part, although no judge reports a fault in the form of this part. */
function unreported(id: RequirementId, { label }: ClientCase, exchange: Exchange, findingOn: FindingOn) {
  const part = findingsOfRequest[label.operation](exchange)?.unread.find((one) => formRows[one][0] === id);
  if (part === undefined) return undefined;
  const rows = part === 'header' ? [arrivalRow(label.operation), ...formRows.header] : formRows.csv;
  if (rows.some((row) => findingOn(row)?.outcome === 'fail')) return undefined;
  return disagreement(undefined, `the ${part} is not in the documented form`, false);
}

/** The worst finding on each exchange. Omits passes, because a recording may have a hundred thousand passes. */
const faultsIn = memoize((verdicts: readonly Verdict<ClientCase>[]): ReadonlyMap<Exchange, Finding> => {
  const found = new Map<Exchange, Finding>();
  for (const { exchange, finding } of verdicts) {
    if (exchange === undefined || found.get(exchange)?.outcome === 'fail') continue;
    if (finding.outcome === 'pass') found.delete(exchange);
    else found.set(exchange, finding);
  }
  return found;
});

/** Requirements that a schema finds broken. */
const brokenIn = memoize((cases: readonly ClientCase[]): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { label, exchanges } of cases.filter(isCompared))
    for (const exchange of exchanges)
      for (const row of findingsOfRequest[label.operation](exchange)?.broken.keys() ?? []) found.add(row);
  return found;
});

const findingsOfRequest = Object.fromEntries(
  operationNames.map((operation) => [
    operation,
    memoizeLast(({ request }: Exchange): RequestFindings | undefined => {
      const [authorization] = headerValues(request.headers, 'authorization');
      return unlessTooLarge(() => validateRequest(operation, authorization, request.body));
    }),
  ]),
) as Record<Operation, (exchange: Exchange) => RequestFindings | undefined>;
