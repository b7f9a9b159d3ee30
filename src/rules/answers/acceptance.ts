/** Reads from an answer whether the target accepted or refused the request (sections 4.1, 4.2 and 7). */
import type { Area, Operation } from '../../../contracts/operations.ts';
import { type RequirementId, requirements } from '../../../contracts/requirements/index.ts';
import { JsonNumber } from '../../protocol/json.ts';
import type { Case, CaseLabel } from '../../record/case.ts';
import { contentEncoding, type Exchange, headerValues } from '../../record/exchange.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Blame } from '../../record/result/result.ts';
import type { Blocker } from '../judge.ts';
import {
  errorCodeOf,
  errorMessageOf,
  isErrorType,
  looksAccepted,
  parameterOf,
  recurringBody,
  responseObject,
  statusOf,
  webPage,
} from './bodies.ts';

export function classify({ label, exchanges: [exchange] }: Case): Acceptance {
  if (exchange.response === undefined) return 'unclear';
  return answerReadings[label.operation].acceptance(exchange);
}

/** True if the target accepted the request, or refused it only because the gate is closing. Undefined if unclear. */
export function wasAccepted(testCase: Case): boolean | undefined {
  const status = testCase.exchanges[0].response?.status;
  const acceptance = classify(testCase);
  if (acceptance === 'accepted' || acceptance === 'past-authentication') return true;
  return acceptance === 'refused' || (status !== undefined && !isUnrelatedStatus(status)) ? false : undefined;
}

/** Blames the subject for an unreadable answer. Blames the environment for no answer, and for a status such as 503. */
export function blameForUnclear({ response, failure }: Exchange): Blame {
  if (response !== undefined) return isUnrelatedStatus(response.status) ? 'environment' : 'subject';
  return failure?.kind === 'malformed' || failure?.kind === 'too-large' ? 'subject' : 'environment';
}

/** True if the target cannot have processed the request: it was not sent, or no connection was made. */
export function isUnreached({ response, failure }: Pick<Exchange, 'response' | 'failure'>): boolean {
  return response === undefined && ['unreachable', 'tls', 'not-sent'].includes(failure?.kind ?? '');
}

/** True if the fault may break authentication. A wrong media type may: a gateway may then expect unsigned fields. */
export function isAboutAuthentication({ intent, about }: CaseLabel): boolean {
  return intent === 'fault' && /^authentication\/|\/content-type-enforced$/.test(about ?? '');
}

/** True if the document leaves open how to treat the request, or how to refuse it. Then a refusal is not judged. */
export function isLeftOpen({ intent, openPoint }: CaseLabel): boolean {
  return intent === 'open' || (intent === 'fault' && openPoint !== undefined);
}

export function isPlainFault(label: CaseLabel): boolean {
  return label.intent === 'fault' && !isLeftOpen(label);
}

/** True if the status alone counts as a refusal, because the document does not define the body of the refusal (A35). */
export function isRefusedByStatus({ label, exchanges: [exchange] }: Case): boolean {
  const status = exchange.response?.status;
  if (status === undefined || !answerReadings[label.operation].refusalStatuses.includes(status)) return false;
  return label.intent === 'open' || isAboutAuthentication(label);
}

/** Describes the answer in one line, with its error message, which may vary. */
export function describeAnswer(exchange: Exchange): string {
  const message = errorMessageOf(exchange) ?? parameterOf(exchange, 'error-message') ?? '';
  // A message may have megabytes, so read only its beginning.
  const characters = [...message.slice(0, 480).replace(/\s+/g, ' ').replaceAll('"', "'").trim()];
  if (characters.length === 0) return answerSummary(exchange);
  const excerpt = characters.slice(0, 120).join('');
  return `${answerSummary(exchange)} "${excerpt}${characters.length > 120 ? '…' : ''}"`;
}

/** Describes the answer in one line, without its error message. */
export function answerSummary(exchange: Exchange): string {
  const { response, failure } = exchange;
  if (response === undefined) return failure?.message ?? 'no response';
  const meaning = statusOf(exchange) ?? parameterOf(exchange, 'type');
  if (meaning === undefined) return `HTTP ${response.status} with ${addEncoding(formOfBody(response.body), exchange)}`;
  const code = errorCodeOf(exchange) ?? parameterOf(exchange, 'error-code');
  return [`HTTP ${response.status} with ${meaning}`, ...(code === undefined ? [] : [code])].join(' ');
}

function formOfBody(body: Uint8Array): string {
  if (body.length === 0) return 'an empty body';
  return webPage(body) ?? `a body of ${pluralize(body.length, 'byte')}`;
}

/** A problem if Content-Encoding claims compression. Call this only for a body that is not compressed. */
export function compressionProblem({ request, response }: Exchange): string | undefined {
  // A request with Accept-Encoding allows a compressed body, and a recorder may have decompressed it.
  const coding = response === undefined ? '' : contentEncoding(response.headers);
  const isCompression = /[ ,](?:x-)?(?:gzip|compress|deflate|br|zstd)(?:,|$)/i.test(coding);
  if (!isCompression || headerValues(request.headers, 'accept-encoding').length > 0) return undefined;
  return 'a body that is not compressed';
}

/** Adds the Content-Encoding of the answer to the problem, because an encoding may make a body unreadable. */
export function addEncoding(problem: string, { response }: Exchange): string {
  const encoding = response === undefined ? '' : contentEncoding(response.headers);
  return encoding === '' ? problem : `${problem} (${encoding}, which the request does not ask for)`;
}

/** `past-authentication` means error 99: the gate was closing, but the signature was valid. */
export type Acceptance = 'accepted' | 'refused' | 'past-authentication' | 'unclear';

interface AnswerReading {
  readonly acceptance: (exchange: Exchange) => Acceptance;
  /** True if the document defines this answer as a refusal. If not, the target may have processed the request. */
  readonly isDocumentedRefusal: (exchange: Exchange) => boolean;
  readonly hasDocumentedBody: (exchange: Exchange) => boolean;
  /** HTTP statuses of a failed authentication. The document does not define its body (A35), so that is not judged. */
  readonly refusalStatuses: readonly number[];
  /** Requirements that usually fail if the answer is neither an acceptance nor a refusal. */
  readonly unclearRows: readonly RequirementId[];
  /** Requirements that fail if the target refuses a valid request. */
  readonly acceptanceRows: readonly RequirementId[];
}

export const answerReadings: Readonly<Record<Operation, AnswerReading>> = {
  'close-day': {
    acceptance: closeDayAcceptance,
    isDocumentedRefusal: (exchange) =>
      mayBeRefusal(exchange) && (statusOf(exchange) === undefined || isRefusalCode(writtenCodeOf(exchange))),
    hasDocumentedBody: (exchange) => responseObject(exchange) !== undefined,
    refusalStatuses: [401, 403],
    unclearRows: [
      'close-day/status-200',
      'close-day/body-decodable',
      'close-day/response-member',
      'close-day/status-present',
      'close-day/status-value',
    ],
    acceptanceRows: acceptanceRows('close-day'),
  },
  'process-recurring-payments': {
    acceptance: recurringAcceptance,
    isDocumentedRefusal: (exchange) => mayBeRefusal(exchange) && isDocumentedType(exchange),
    hasDocumentedBody: (exchange) =>
      recurringBody(exchange)?.kind === 'parameters' || recurringAcceptance(exchange) === 'accepted',
    refusalStatuses: [],
    unclearRows: [
      'recurring/success-status-200',
      'recurring/success-body-empty',
      'recurring/failure-status-403',
      'recurring/failure-body-empty',
      'recurring/type-present',
      'recurring/type-value',
    ],
    acceptanceRows: acceptanceRows('recurring'),
  },
};

function acceptanceRows(area: Area): readonly RequirementId[] {
  const ofArea = requirements.filter(({ id, side }) => side === 'gateway' && id.startsWith(`${area}/`));
  const ids = ofArea.map(({ id }) => id).filter((id) => /-accepted$|\/accepts-/.test(id));
  return [`authentication/${area}-valid-accepted`, ...ids];
}

/** True if the status says nothing about the request: server error, rate limit, wrong address, redirect, 408 or 425. */
export function isUnrelatedStatus(status: number): boolean {
  return status >= 500 || [404, 408, 425, 429].includes(status) || (status >= 300 && status < 400);
}

function closeDayAcceptance(exchange: Exchange): Acceptance {
  const { status } = exchange.response!;
  if (isUnrelatedStatus(status)) return 'unclear';
  const meaning = statusOf(exchange);
  if (meaning === 'finished') return status === 200 ? 'accepted' : 'unclear';
  if (meaning === 'error') return errorCodeOf(exchange) === '99' ? 'past-authentication' : 'refused';
  return status === 401 || status === 403 ? 'refused' : 'unclear';
}

function recurringAcceptance(exchange: Exchange): Acceptance {
  const { status } = exchange.response!;
  if (isErrorType(exchange)) return 'refused';
  if (status === 200) return looksAccepted(exchange) ? 'accepted' : 'unclear';
  return status === 401 || status === 403 ? 'refused' : 'unclear';
}

function mayBeRefusal({ response }: Exchange): boolean {
  return [200, 401, 403].includes(response!.status);
}

function isDocumentedType(exchange: Exchange): boolean {
  const type = parameterOf(exchange, 'type');
  const code = parameterOf(exchange, 'error-code');
  if (type === undefined) return true;
  return type === 'validation-error' ? isRefusalCode(code) : type === 'error' && Number(code) === 403;
}

function writtenCodeOf(exchange: Exchange): string | undefined {
  const code = responseObject(exchange)?.errorCode;
  return typeof code === 'string' || code instanceof JsonNumber ? errorCodeOf(exchange) : undefined;
}

/** True if the code means a refusal. False for 99 (closing gate), 5xx (server error) and 2xx (unclear, section 7). */
function isRefusalCode(code: string | undefined): boolean {
  if (code === undefined || code.trim() === '') return false;
  const numbers = [code, ...(code.normalize('NFKC').match(/\d+/g) ?? [])].map(Number);
  return !numbers.some((number) => number === 99 || (number >= 200 && number < 300) || (number >= 500 && number < 600));
}

export function unclearBlocker(testCase: Case): Blocker {
  const [exchange] = testCase.exchanges;
  const isLimited = exchange.response?.status === 429;
  const advice = isLimited ? ', because the target limits the rate: set a lower rate in the configuration file' : '';
  return {
    text: `requests were neither accepted nor refused: ${answerSummary(exchange)}${advice}`,
    cases: [testCase],
    mayBreak: answerReadings[testCase.label.operation].unclearRows,
  };
}

export function refusalBlocker(twin: Case): Blocker {
  return {
    text: `correct requests were refused: ${answerSummary(twin.exchanges[0])}`,
    cases: [twin],
    mayBreak: answerReadings[twin.label.operation].acceptanceRows,
  };
}

/** Notes on web pages, one for each title and status. Untitled pages with 401 or 403 get none: they may be refusals. */
export function webPageNotes(exchanges: readonly Exchange[]): string[] {
  const found = new Map<string, number[]>();
  for (const [index, { response }] of exchanges.entries()) {
    if (response === undefined || response.body.length === 0) continue;
    const page = webPage(response.body);
    if (page === undefined || (page === 'a web page' && [401, 403].includes(response.status))) continue;
    const kind = `${page} with HTTP ${response.status}`;
    found.set(kind, [...(found.get(kind) ?? []), index + 1]);
  }
  return [...found].map(([kind, [first, ...more]]) => {
    const others = more.length === 0 ? '' : ` and ${pluralize(more.length, 'other')}`;
    return `The answer in exchange ${first}${others} is ${kind}: look for a firewall, a proxy or a wrong URL.`;
  });
}
