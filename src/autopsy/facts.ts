/** Finds facts about a request, and malformations: broken rules on the form of requests. */
import { type Operation, operationNames, operations, pathTo } from '../../contracts/operations.ts';
import { type RequirementId, requirementById, rowsOn } from '../../contracts/requirements/index.ts';
import { evidenceOf, type ParsedAuthorization, type RequestEvidence } from '../deviations/evidence.ts';
import type { FormPiece } from '../protocol/form.ts';
import { printAuthorization, type WireRequest } from '../protocol/index.ts';
import { clientCase } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { authenticationJudges } from '../rules/client/authentication.ts';
import { lineBreakAtEnd, oddValue, readForm, readHeader } from '../rules/client/reading.ts';
import { requestJudges } from '../rules/client/request.ts';
import { requestBodyJudges } from '../rules/client/request-body.ts';
import type { Finding } from '../rules/judge.ts';

/** Reads a request as leniently as possible, because an autopsy is for faulty requests. Never throws. */
export function readEvidence(request: WireRequest): RequestEvidence {
  return evidenceOf(request, readAuthorization(request.headers));
}

/** The value of an `oauth_*` parameter in the header, the query or the body. */
export function credentialOf(request: WireRequest, name: string): string | undefined {
  // A header with a signature has all credentials. Do not read the body, because it may have megabytes.
  const { pairs } = readAuthorization(request.headers);
  if (pairs.some((pair) => pair.name === 'oauth_signature')) return pairs.find((pair) => pair.name === name)?.value;
  const evidence = readEvidence(request);
  return name === 'oauth_signature' ? evidence.signature?.value : evidence.credential(name);
}

function readAuthorization(headers: WireRequest['headers']): ParsedAuthorization {
  const lines = headerValues(headers, 'authorization');
  const [line] = lines;
  if (line === undefined) return { lines: 0, pairs: [] };
  const { isOAuth, parameters } = readHeader(line);
  if (!isOAuth && !parameters.some(({ name }) => name.startsWith('oauth_'))) return { lines: lines.length, pairs: [] };
  const isRealm = ({ name }: { readonly name: string }) => name.toLowerCase() === 'realm';
  const realm = parameters.find(isRealm);
  return {
    lines: lines.length,
    realm: realm?.raw,
    pairs: parameters
      .filter((one) => !isRealm(one))
      .map(({ name, raw, value }) => ({ name, value, writtenName: name, writtenValue: raw })),
  };
}

export interface Fact {
  readonly id: string;
  /** A sentence without secrets. */
  readonly text: string;
}

/** Reports that the last line end of the pasted text does not count as part of the body. */
export const skippedLineEnd: Fact = {
  id: 'last-line-end-left-out',
  text:
    'The last line end of the file does not count as part of the body, because most editors add a line end. ' +
    'If the client sent this line end, add a Content-Length that counts it.',
};

type AddressedOperation = Operation | 'other';

const required = ['oauth_consumer_key', 'oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_signature'];

const known = [...required, 'oauth_version', 'oauth_token', 'oauth_callback', 'oauth_verifier', 'oauth_body_hash'];

/** The operation whose path is in this target (sections 4.1 and 4.2 of the interface document). */
export function addressedOperation(target: string): AddressedOperation {
  const path = target.split('?')[0]!;
  return operationNames.find((operation) => `${path}/`.includes(pathTo(operation))) ?? 'other';
}

export function factsOf(evidence: RequestEvidence, operation: AddressedOperation): Fact[] {
  const { header, credentialsIn: place } = evidence;
  return [
    ...fact(header.lines === 0, 'missing-header')`The request has no Authorization header.`,
    ...fact(place === 'query' || place === 'body', `credentials-in-${place}`)`
      The oauth_* parameters are in the ${place} instead of the Authorization header.`,
    ...credentialFacts(evidence, operation),
    ...bodyFacts(evidence, operation),
  ];
}

/** Returns a template tag. It makes a fact from the template if `holds` is true, else no fact. */
export function fact(holds: boolean, id: string) {
  return (text: TemplateStringsArray, ...values: unknown[]): Fact[] =>
    holds ? [{ id, text: String.raw({ raw: text }, ...values).trim() }] : [];
}

function missingCredentials({ credential }: RequestEvidence): string[] {
  const unneeded = credential('oauth_signature_method') === 'PLAINTEXT' ? ['oauth_timestamp', 'oauth_nonce'] : [];
  return required.filter((name) => !unneeded.includes(name) && (credential(name) ?? '') === '');
}

function credentialFacts(evidence: RequestEvidence, operation: AddressedOperation): Fact[] {
  if (evidence.credentialsIn === undefined) return [];
  const { credential, credentials } = evidence;
  const missing = missingCredentials(evidence);
  const others = evidence.header.pairs.filter(({ name }) => !known.includes(name));
  const escaped = credentials.filter(({ value }) => /%[0-9A-Fa-f]{2}/.test(value));
  return [
    ...fact(missing.length > 0, 'missing-parameter')`These parameters are absent or empty: ${joinNames(missing)}.`,
    ...fact(credential('oauth_version') === undefined && operation !== 'other', 'version-missing')`
      oauth_version is absent. RFC 5849 3.1 allows that, but section 5 of the interface document lists it.`,
    ...fact(credential('oauth_token') === '', 'empty-token')`The base string includes the empty oauth_token.`,
    ...fact(credential('oauth_body_hash') !== undefined && evidence.bodyIsForm, 'body-hash-sent')`
      oauth_body_hash is sent with a form, but it is only for bodies that are not forms.`,
    ...fact(others.length > 0, 'other-parameters-in-header')`
      The Authorization header has parameters that OAuth does not define: ${joinNames(namesOf(others))}.`,
    ...valueFacts(credentials.filter(({ name }) => name !== 'oauth_timestamp')),
    ...fact(escaped.length > 0, 'escape-left-in-value')`
      A decoded value still has an escape, so it may have been encoded twice: ${joinNames(namesOf(escaped))}.`,
  ];
}

function bodyFacts(evidence: RequestEvidence, operation: AddressedOperation): Fact[] {
  const { body, bodyIsForm, query } = evidence;
  const sent = evidence.request.body;
  const where = query.length > 0 ? `, not in the query (${joinNames(namesOf(query))})` : '';
  const place = operation === 'other' ? '' : '; this operation takes a form';
  const payload = body.find(({ name }) => name === 'payload');
  return [
    ...fact(operation !== 'other' && sent.length === 0, 'body-empty')`
      The body is empty. The operation needs a form in the body${where}.`,
    ...fact(!bodyIsForm && sent.length > 0, 'body-is-no-form')`
      The Content-Type is not a form, so the body is not signed${place}.`,
    ...valueFacts(body.length > 100 ? [] : body),
    ...fact(payload?.value.includes(' ') === true, 'space-in-payload')`
      payload arrives with spaces, because its plus signs were sent unescaped instead of as %2B.`,
    ...fact(bodyIsForm && sent.at(-1) === 0x0a, 'body-ends-with-newline')`
      The line end at the end of the body counts as part of the last value.`,
  ];
}

function valueFacts(pairs: readonly FormPiece[]): Fact[] {
  return pairs.flatMap(({ name, value }) => {
    const odd = value.length > 200 ? undefined : oddValue(value);
    return odd === undefined ? [] : [{ id: 'odd-value', text: `${name} is ${value}: ${odd.what}. ${odd.fix}` }];
  });
}

function namesOf(pairs: readonly FormPiece[]): string[] {
  return pairs.map(({ name }) => name);
}

function joinNames(items: readonly string[]): string {
  return [...new Set(items)].join(', ');
}

export interface Malformation {
  /** The id of the broken requirement, or a name for a rule of RFC 5849. */
  readonly id: string;
  readonly statement: string;
  readonly expected: string;
  readonly actual: string;
  readonly fix: string;
}

const judges = { ...authenticationJudges, ...requestJudges, ...requestBodyJudges };

type JudgedId = keyof typeof judges & RequirementId;

/** Rules on the form of the Authorization header. An autopsy shows only their remarks: it lacks data for others. */
const headerForm: readonly JudgedId[] = ['authentication/header-scheme', 'authentication/header-values-encoded'];
/** The rules of RFC 5849 that every request must follow (sections 3.1, 3.3, 3.5 and 3.5.1). */
const rfcRules: readonly JudgedId[] = [...headerForm, 'authentication/timestamp-seconds', 'authentication/version'];
const outsideHeader = 'authentication/parameters-only-in-header';

function operationRules(operation: Operation): readonly JudgedId[] {
  const { area } = operations[operation];
  return [
    `${area}/authorization-sent`,
    `${area}/method`,
    `${area}/path`,
    'authentication/header-parameters',
    outsideHeader,
    ...rfcRules,
    `authentication/${area}-method`,
    `${area}/content-type-sent`,
  ];
}

/** Judges the form of a request. `isRight`: the signature is right. `hasToken`: the client has an issued token. */
export function judgeForm(evidence: RequestEvidence, isRight: boolean, hasToken: boolean) {
  const operation = addressedOperation(evidence.request.target);
  // Judges cache the parsed body by exchange. Give all judges the same exchange, because a body may have megabytes.
  const exchange = exchangeOf(evidence, operation, false);
  const exchangeWithToken = hasToken ? exchangeOf(evidence, operation, true) : exchange;
  const judged = judgedIds(evidence, operation, isRight).map((id) => {
    const judgedExchange = id === 'authentication/header-parameters' ? exchangeWithToken : exchange;
    const label = { operation: operation === 'other' ? 'close-day' : operation, input: 'observed' } as const;
    const cases = [clientCase({ scenario: 'autopsy', number: 1, exchanges: [judgedExchange] }, { label })];
    const [verdict] = judges[id]({ id, cases, keysOf: () => undefined, hasKeys: false });
    return { id, finding: verdict?.finding };
  });
  const faults = judged.flatMap(({ id, finding }) =>
    finding?.outcome === 'fail' ? [malformation(id, finding, evidence)] : [],
  );
  const remarks = judged.flatMap(
    ({ id, finding }) =>
      fact(finding?.remark !== undefined && headerForm.includes(id), 'tolerated')`Tolerated: ${finding?.remark}.`,
  );
  return { malformations: operation === 'other' ? [...faults, ...rfcFaults(evidence)] : faults, remarks };
}

function judgedIds(
  { credentialsIn, request }: RequestEvidence,
  operation: AddressedOperation,
  isRight: boolean,
): readonly JudgedId[] {
  if (operation === 'other') return credentialsIn === 'header' ? [...rfcRules, outsideHeader] : rfcRules;
  const ids = operationRules(operation).filter((id) => !id.endsWith('/content-type-sent') || request.body.length > 0);
  // A final line break is no fault: an editor may have added it. An empty body is a fault only if it was signed.
  const { kind, faults } = readForm(request.body);
  const isMalformed =
    kind === 'other' || (kind === 'empty' && isRight) || faults.some((fault) => fault !== lineBreakAtEnd);
  return isMalformed ? [...(rowsOn('form', operation) as JudgedId[]), ...ids] : ids;
}

function exchangeOf(evidence: RequestEvidence, operation: AddressedOperation, hasToken: boolean): Exchange {
  const { request, credentialsIn, credentials } = evidence;
  // RFC 5849 section 3.5 allows credentials in query or body. Copy them into a header, because judges read the header.
  const isOutsideHeader = operation === 'other' && credentialsIn !== undefined && credentialsIn !== 'header';
  const headers = isOutsideHeader
    ? [['Authorization', printAuthorization(credentials.map(({ name, value }) => [name, value]))] as const]
    : // With an issued token, judge the header as if the token were empty: judges tolerate only an empty token.
      request.headers.map(([name, value]) => [name, hasToken ? value.replace(tokenValue, '$1') : value] as const);
  // The time of sending is unknown, so use `oauth_timestamp`. Judges then find only a wrong unit, such as milliseconds.
  const seconds = Number((evidence.credential('oauth_timestamp') ?? '').slice(0, 10));
  const scheme = request.scheme === 'http' ? 'http' : 'https';
  return { request: { ...request, scheme, headers }, startedAt: seconds * 1000, durationMs: 0 };
}

const tokenValue = /(\boauth_token[ \t]*=[ \t]*")[^"]*/;

function malformation(
  id: JudgedId,
  { expected = '', actual = '', hint: ownHint }: Finding,
  { request }: RequestEvidence,
): Malformation {
  const { statement, hint } = requirementById(id)!;
  // Judges report only the first fault of a header. An autopsy lists all faults of the header.
  const { listFaults, valueFaults } = readHeader(headerValues(request.headers, 'authorization')[0] ?? '');
  const all = [...new Set(id === 'authentication/header-scheme' ? listFaults : valueFaults)];
  const found = headerForm.includes(id) && all.includes(actual) ? all.join('; ') : actual;
  return { id, statement, expected, actual: found, fix: ownHint ?? hint ?? statement };
}

function rfcFaults(evidence: RequestEvidence): Malformation[] {
  const missing = missingCredentials(evidence);
  const all = namesOf(evidence.credentials);
  const repeated = all.filter((name, index) => all.indexOf(name) !== index);
  const missingFault = {
    id: 'missing-parameter',
    statement: 'A signed request has consumer key, signature method, timestamp, nonce and signature (RFC 5849 3.1).',
    expected: 'all of them',
    actual: `no ${missing.join(', no ')}`,
    fix: 'Send every parameter that the signature method needs.',
  };
  const repeatedFault = {
    id: 'repeated-parameter',
    statement: 'A request has each oauth_ parameter at most once (RFC 5849 3.1).',
    expected: 'each parameter once',
    actual: `${joinNames(repeated)} more than once`,
    fix: 'Send each parameter once.',
  };
  return [...(missing.length > 0 ? [missingFault] : []), ...(repeated.length > 0 ? [repeatedFault] : [])];
}
