/** Faults in the form of a request, even if its signature is right. The judges of a client look at this one request. */
import { type Operation, operations } from '../../contracts/operations.ts';
import { type RequirementId, requirementById, rowsOn } from '../../contracts/requirements/index.ts';
import type { RequestEvidence } from '../deviations/evidence.ts';
import { printAuthorization } from '../protocol/index.ts';
import { clientCase } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { lineBreakAtEnd, readForm, readHeader } from '../rules/client/reading.ts';
import type { Finding } from '../rules/finding.ts';
import { wireJudges } from '../rules/index.ts';
import { type AddressedOperation, type Fact, missingCredentials } from './facts.ts';

export interface Malformation {
  /** The broken requirement; for requests to neither operation, a rule of RFC 5849. */
  readonly id: string;
  readonly statement: string;
  readonly expected: string;
  readonly actual: string;
  readonly fix: string;
}

interface RequestForm {
  readonly malformations: readonly Malformation[];
  readonly remarks: readonly Fact[];
}

type JudgedId = keyof typeof wireJudges & RequirementId;

/** RFC 5849 sections 3.1, 3.3, 3.5 and 3.5.1, for any request. */
const always: readonly JudgedId[] = [
  'authentication/header-scheme',
  'authentication/header-values-encoded',
  'authentication/timestamp-seconds',
  'authentication/version',
];
const outsideHeader = 'authentication/parameters-only-in-header';

/** Section 5, and request line and headers of sections 4.1 and 4.2 of the interface document, for its operations. */
function ofOperation(operation: Operation): readonly JudgedId[] {
  const { area } = operations[operation];
  return [
    `${area}/authorization-sent`,
    `${area}/method`,
    `${area}/path`,
    'authentication/header-parameters',
    outsideHeader,
    ...always,
    `authentication/${area}-method`,
    `${area}/content-type-sent`,
  ];
}

/** `isRight`: the signature is right. `hasToken`: a token was issued, so oauth_token is allowed. */
export function formOf(
  evidence: RequestEvidence,
  operation: AddressedOperation,
  { isRight, hasToken }: { readonly isRight: boolean; readonly hasToken: boolean },
): RequestForm {
  // Judges memoize by exchange, and a body may have megabytes.
  const exchange = exchangeOf(evidence, operation, false);
  const judged = judgedIds(evidence, operation, isRight).map((id) => ({
    id,
    finding: judgedBy(
      id,
      hasToken && id === 'authentication/header-parameters' ? exchangeOf(evidence, operation, true) : exchange,
      operation,
    ),
  }));
  const faults = judged.flatMap(({ id, finding }) =>
    finding?.outcome === 'fail' ? [malformation(id, finding, evidence)] : [],
  );
  const remarks = judged.flatMap(({ id, finding }) =>
    finding?.remark === undefined || !remarkedIds.has(id)
      ? []
      : [{ id: 'tolerated', text: `Tolerated: ${finding.remark}.` }],
  );
  return { malformations: operation === 'other' ? [...faults, ...rfcFaults(evidence)] : faults, remarks };
}

/** Their remarks are about the header. Others are about things unknown here, such as the clock. */
const remarkedIds: ReadonlySet<JudgedId> = new Set<JudgedId>([
  'authentication/header-scheme',
  'authentication/header-values-encoded',
]);

function judgedIds(
  { credentialsIn, request }: RequestEvidence,
  operation: AddressedOperation,
  isRight: boolean,
): readonly JudgedId[] {
  if (operation === 'other') return credentialsIn === 'header' ? [...always, outsideHeader] : always;
  const rows = ofOperation(operation).filter((id) => !id.endsWith('/content-type-sent') || request.body.length > 0);
  // Form fields do not affect the signature, and an editor may have added a line break. An empty body with a wrong signature may
  // be missing from the record.
  const { kind, faults } = readForm(request.body);
  const isMalformed =
    kind === 'other' || (kind === 'empty' && isRight) || faults.some((fault) => fault !== lineBreakAtEnd);
  return isMalformed ? [...(rowsOn('form', operation) as JudgedId[]), ...rows] : rows;
}

function judgedBy(id: JudgedId, exchange: Exchange, operation: AddressedOperation): Finding | undefined {
  const judgedOperation = operation === 'other' ? 'close-day' : operation;
  const [verdict] = wireJudges[id]({
    id,
    cases: [
      clientCase(
        { scenario: 'autopsy', number: 1, exchanges: [exchange] },
        { label: { operation: judgedOperation, input: 'observed' } },
      ),
    ],
    keysOf: () => undefined,
    hasKeys: false,
  });
  return verdict?.finding;
}

function exchangeOf(evidence: RequestEvidence, operation: AddressedOperation, tokenIsTolerated: boolean): Exchange {
  const { request, credentialsIn, credentials } = evidence;
  // Credentials may be in the query or the body (RFC 5849 section 3.5). Their values are judged in the same way.
  const elsewhere = operation === 'other' && credentialsIn !== undefined && credentialsIn !== 'header';
  const headers = elsewhere
    ? [['Authorization', printAuthorization(credentials.map(({ name, value }) => [name, value]))] as const]
    : request.headers.map(([name, value]) => [name, tokenIsTolerated ? withoutToken(value) : value] as const);
  // The time of the request is unknown. Its own timestamp serves as the clock, so only the unit is judged.
  const seconds = Number((evidence.credential('oauth_timestamp') ?? '').slice(0, 10));
  const scheme = request.scheme === 'http' ? 'http' : 'https';
  return { request: { ...request, scheme, headers }, startedAt: seconds * 1000, durationMs: 0 };
}

/** Judges tolerate an empty token, so an issued one is emptied. */
function withoutToken(value: string): string {
  return value.replace(/(\boauth_token[ \t]*=[ \t]*")[^"]*/, '$1');
}

function malformation(
  id: JudgedId,
  { expected = '', actual = '', hint: ownHint }: Finding,
  { request }: RequestEvidence,
): Malformation {
  const { statement, hint } = requirementById(id)!;
  const all = everyFault(id, headerValues(request.headers, 'authorization')[0] ?? '');
  const found = all.includes(actual) ? all.join('; ') : actual;
  return { id, statement, expected, actual: found, fix: ownHint ?? hint ?? statement };
}

/** Judges report the first fault, but for a single request users want all. */
function everyFault(id: JudgedId, line: string): readonly string[] {
  if (id !== 'authentication/header-scheme' && id !== 'authentication/header-values-encoded') return [];
  const { listFaults, valueFaults } = readHeader(line);
  return [...new Set(id === 'authentication/header-scheme' ? listFaults : valueFaults)];
}

function rfcFaults(evidence: RequestEvidence): Malformation[] {
  const faults: Malformation[] = [];
  const missing = missingCredentials(evidence);
  if (missing.length > 0) {
    faults.push({
      id: 'missing-parameter',
      statement: 'A signed request has consumer key, signature method, timestamp, nonce and signature (RFC 5849 3.1).',
      expected: 'all of them',
      actual: `no ${missing.join(', no ')}`,
      fix: 'Send every parameter that the signature method needs.',
    });
  }
  const names = evidence.credentials.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  if (repeated.size > 0) {
    faults.push({
      id: 'repeated-parameter',
      statement: 'No oauth_ parameter is in a request more than once (RFC 5849 3.1).',
      expected: 'each parameter once',
      actual: `${[...repeated].join(', ')} more than once`,
      fix: 'Send each parameter once.',
    });
  }
  return faults;
}
