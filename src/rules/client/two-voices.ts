/** The schemas as a second voice on requests: what they say of the bytes beside what the judges say. */

import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { requirementsIn } from '../../../schemas/findings.ts';
import { type RequestFindings, validateRequest } from '../../../schemas/validate-request.ts';
import type { ClientCase } from '../../record/client-case.ts';
import { type Exchange, headerValues } from '../../record/exchange.ts';
import { memoize, memoizeLast } from '../../record/memoize.ts';
import type { Finding } from '../finding.ts';
import { disagreement, unlessBeyond } from '../two-voices.ts';
import { bodyRows } from './body-rows.ts';
import type { ClientVerdict } from './client-judge.ts';
import { isDoubtful, isWireCase } from './wire-judge.ts';

const ofHeader = new Set<RequirementId>([
  ...requirementsIn(...operationNames.map((operation) => `authorization/${operation}` as const)),
  'authentication/header-parameters',
]);

const formRows = operationNames.map((operation) => bodyRows[operation].form);

/** Rows on requests that a schema can see. */
export const rowsInRequests: ReadonlySet<RequirementId> = new Set([
  ...ofHeader,
  ...formRows,
  'authentication/parameters-only-in-header',
  ...requirementsIn('close-day-request', 'recurring-request'),
]);

/** Rows of which the judge sees more than the bytes: the clock, the key, the query, what the text decodes to. */
const seenInPart: readonly RequirementId[] = [
  'authentication/timestamp-seconds',
  ...operationNames.map((operation) => `authentication/${operations[operation].area}-method` as const),
  'authentication/signature-base64',
  'authentication/parameters-only-in-header',
  'recurring/payload-base64',
];

/** Rows on the length of a text: the schemas count ASCII exactly, and of other texts only what is a letter to everybody. */
const lengths: readonly RequirementId[] = [
  'close-day/request-id-length',
  'recurring/client-orderid-length',
  'recurring/recurring-payment-id-length',
];

/** Rows that name what is wrong with a part; judges then look at the repaired part, and schemas at none. */
const namesPart = {
  header: ['authentication/header-scheme', 'authentication/header-values-encoded'],
  csv: bodyRows['process-recurring-payments'].inside,
} as const satisfies Record<string, readonly RequirementId[]>;

/** That the request has an Authorization header at all. */
function arrivalRow(operation: Operation): RequirementId {
  return `${operations[operation].area}/authorization-sent`;
}

/**
 * An error for each request of which the schemas say otherwise than the judge of the row; empty where no schema sees it.
 * `verdictsOf` gives the verdicts on any row: one fault is one row, so a row may be silent of what another names.
 */
export function disagreementsOnRequests(
  id: RequirementId,
  cases: readonly ClientCase[],
  verdictsOf: (id: RequirementId) => readonly ClientVerdict[],
): readonly ClientVerdict[] {
  const isStart = Object.values(namesPart).some(([first]) => first === id);
  if (!rowsInRequests.has(id) && !isStart) return [];
  // Mostly both find no fault in any of a hundred thousand requests.
  if (!isStart && faultsIn(verdictsOf(id)).size === 0 && !brokenIn(cases).has(id)) return [];
  return cases.filter(isCompared).flatMap((examined) =>
    examined.wire.flatMap((exchange) => {
      const findingOn = (row: RequirementId) => faultsIn(verdictsOf(row)).get(exchange);
      const finding = isStart
        ? unnamed(id, examined, exchange, findingOn)
        : compared(id, examined, exchange, findingOn);
      return finding === undefined ? [] : [{ examined, exchange, finding }];
    }),
  );
}

/** What a client does with an input that the document forbids is judged by the input, not by the bytes. */
function isCompared(examined: ClientCase): boolean {
  return isWireCase(examined) && examined.label.input !== 'forbidden' && !isDoubtful(examined);
}

type FindingOn = (row: RequirementId) => Finding | undefined;

function compared(id: RequirementId, { label, asked }: ClientCase, exchange: Exchange, findingOn: FindingOn) {
  if (asked !== undefined && exchange.request.body.length === 0) return undefined;
  const said = heardAs[label.operation](exchange);
  if (said === undefined) return undefined;
  // Beside the bytes a judge compares with what the client was given.
  const inPart = asked !== undefined || seenInPart.includes(id) || (said.beyondAscii && lengths.includes(id));
  const found = disagreement(findingOn(id), said.broken.get(id), inPart);
  // Asked last, since the two hardly ever disagree.
  const excused = found && prerequisites(id, label.operation).some((row) => findingOn(row)?.outcome === 'fail');
  return excused === true ? undefined : found;
}

/** Rows that have to hold before the schemas see the same as the judge of this one. */
function prerequisites(id: RequirementId, operation: Operation): readonly RequirementId[] {
  if (formRows.includes(id)) return [];
  const form = bodyRows[operation].form;
  if (id === 'authentication/parameters-only-in-header') return [arrivalRow(operation), form];
  if (ofHeader.has(id)) return [arrivalRow(operation), ...namesPart.header];
  if (id === 'recurring/payload-base64') return [form, 'recurring/payload-escaped'];
  const numeric = id === 'recurring/amount-length' ? (['recurring/amount-numeric'] as const) : [];
  return [form, ...bodyRows[operation].inside, ...numeric];
}

/** A part that the schemas' reading stops at, and that no row names. */
function unnamed(id: RequirementId, { label }: ClientCase, exchange: Exchange, findingOn: FindingOn) {
  const part = heardAs[label.operation](exchange)?.unread.find((one) => namesPart[one][0] === id);
  if (part === undefined) return undefined;
  const rows = part === 'header' ? [arrivalRow(label.operation), ...namesPart.header] : namesPart.csv;
  if (rows.some((row) => findingOn(row)?.outcome === 'fail')) return undefined;
  return disagreement(undefined, `the ${part} is not in the documented form`, false);
}

/**
 * The finding on each exchange that is not found right, a failure before any other, looked for once in each list of verdicts.
 * To be right says no more than to be silent here, and most are: a recording has a hundred thousand of them for each row.
 */
const faultsIn = memoize((verdicts: readonly ClientVerdict[]): ReadonlyMap<Exchange, Finding> => {
  const found = new Map<Exchange, Finding>();
  for (const { exchange, finding } of verdicts) {
    if (exchange === undefined || found.get(exchange)?.outcome === 'fail') continue;
    if (finding.outcome === 'pass') found.delete(exchange);
    else found.set(exchange, finding);
  }
  return found;
});

/** Rows that the schemas find broken in any of the requests. */
const brokenIn = memoize((cases: readonly ClientCase[]): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { label, wire } of cases.filter(isCompared)) {
    const rows = wire.flatMap((exchange) => [...(heardAs[label.operation](exchange)?.broken.keys() ?? [])]);
    for (const row of rows) found.add(row);
  }
  return found;
});

/** Undefined where the bytes are beyond what the engine reads. */
const heardAs = Object.fromEntries(
  operationNames.map((operation) => [
    operation,
    memoizeLast(({ request }: Exchange): RequestFindings | undefined => {
      const [authorization] = headerValues(request.headers, 'authorization');
      return unlessBeyond(() => validateRequest(operation, authorization, request.body));
    }),
  ]),
) as Record<Operation, (exchange: Exchange) => RequestFindings | undefined>;
