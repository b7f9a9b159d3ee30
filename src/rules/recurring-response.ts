/** Judges of the answer to a batch of recurring payments: sections 2.4, 4.2, 7 and 8. */
import type { Case } from '../record/case.ts';
import { type Exchange, headerValues, trimBlanks } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import { pluralize } from '../record/pluralize.ts';
import {
  addEncoding,
  compressionProblem,
  isAboutAuthentication,
  isLeftOpen,
  isUnrelatedStatus,
} from './answers/acceptance.ts';
import {
  acceptedType,
  isAcceptedType,
  isBlank,
  isErrorType,
  lacksLineFeed,
  looksAccepted,
  namedParameters,
  type Parameter,
  parameterOf,
  parameterValues,
  type RecurringBody,
  recurringBody,
} from './answers/bodies.ts';
import { judgeContentType } from './close-day-response.ts';
import { type Finding, fail, type GatewayJudges, inconclusive, type Judge, pass, passIf } from './judge.ts';
import { answerJudge, undocumentedFailures } from './twins.ts';

const recurringJudge = answerJudge('process-recurring-payments');

const documentedJudge: typeof recurringJudge = (judge) =>
  recurringJudge((exchange, testCase) => (isLeftOpen(testCase.label) ? null : judge(exchange, testCase)));

type Parameters = Extract<RecurringBody, { kind: 'parameters' }>;

function paramsJudge(judge: (body: Parameters, exchange: Exchange) => Finding | null, applies = (_: Exchange) => true) {
  return recurringJudge((exchange) => {
    const body = recurringBody(exchange);
    return body?.kind === 'parameters' && applies(exchange) ? judge(body, exchange) : null;
  });
}

function presenceJudge(name: string, applies?: (exchange: Exchange) => boolean): Judge {
  return paramsJudge((_, exchange) => judgePresence(exchange, name), applies);
}

function valueJudge(
  name: string,
  values: readonly string[],
  expected: string,
  applies?: (exchange: Exchange) => boolean,
): Judge {
  return paramsJudge((_, exchange) => {
    const value = parameterOf(exchange, name);
    return value === undefined || isBlank(value) ? null : passIf(values.includes(value), expected, value);
  }, applies);
}

const types = [acceptedType, 'validation-error', 'error'];

/** Error-code 500 needs an error ID (section 7). The document does not say where an answer has the error ID (A20). */
const errorIdWith500: Judge = (input) =>
  paramsJudge(
    ({ parameters }, exchange) => {
      const { named, own, shared } = places(parameters, exchange, usualPlaces(input.cases));
      if (named.length > 0) return pass();
      if (own.length > 0) return pass(`the ${own[0]} counts as the error ID: the document leaves its place open (A20)`);
      const received = 'no error ID';
      if (shared.length === 0) return fail('an error ID, in another parameter or in error-message', received);
      return inconclusive(
        `${received}, unless the ${shared[0]}, which other answers also have, is the error ID: its place is open (A20)`,
        'unspecified',
      );
    },
    (exchange) => isErrorType(exchange) && hasCode500(exchange),
  )(input);

export const recurringResponseJudges = {
  'recurring/success-status-200': recurringJudge((exchange, { label }) => {
    const { status } = exchange.response!;
    if (label.intent !== 'valid' || status < 200 || status > 299 || !looksAccepted(exchange)) return null;
    return passIf(status === 200, '200', String(status));
  }),
  'recurring/success-body-empty': recurringJudge((exchange) => {
    if (exchange.response!.status !== 200) return null;
    return judgeEmptiness(exchange) ?? (looksAccepted(exchange) ? pass() : null);
  }),
  'recurring/success-content-length-zero': recurringJudge((exchange) => {
    const { status, body, headers } = exchange.response!;
    if (status !== 200 || body.length > 0) return null;
    const codings = headerValues(headers, 'transfer-encoding');
    if (codings.length > 0) return fail('Content-Length: 0', `Transfer-Encoding: ${codings.join(', ')}`);
    const lengths = headerValues(headers, 'content-length');
    const isZero = lengths.length === 1 && lengths[0] === '0';
    return passIf(isZero, 'Content-Length: 0', lengths.join(' and ') || 'no Content-Length');
  }),
  'recurring/failure-status-403': (input) => [
    ...judgeFailureStatus(input),
    ...undocumentedFailures(
      input,
      'process-recurring-payments',
      ({ exchanges: [exchange] }) => !isWeakEvidence(exchange.response!.status) || isErrorType(exchange),
      '403',
    ),
  ],
  'recurring/failure-body-empty': documentedJudge((exchange) =>
    exchange.response!.status === 403 ? (judgeEmptiness(exchange) ?? pass()) : null,
  ),
  'recurring/keep-alive-timeout': documentedJudge((exchange) => {
    const { status, headers } = exchange.response!;
    if (status !== 200) return null;
    const values = headerValues(headers, 'keep-alive');
    // The value of a parameter is a token or a quoted string (RFC 2068 19.7.1.1), so quotes around 60 are allowed.
    const parameters = values.flatMap((value) => value.split(',')).map(trimBlanks);
    const timeouts = parameters.filter((one) => /^timeout\b/i.test(one));
    const is60 = timeouts.length === 1 && /^timeout[ \t]*=[ \t]*(?:60|"60")$/i.test(timeouts[0]!);
    if (!is60) return fail('Keep-Alive: timeout=60', values.join(', ') || 'no Keep-Alive');
    // `Connection: close` ends the connection after this answer (RFC 9112 9.6).
    const options = headerValues(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
    const closes = options.map(trimBlanks).includes('close');
    return passIf(!closes, 'Keep-Alive: timeout=60', `${values.join(', ')}, and Connection: close`);
  }),
  'recurring/keep-alive-kept': recurringJudge(({ silence }) => {
    if (silence === undefined || (silence.closedAfterMs === undefined && silence.waitedMs < minOpenMs)) return null;
    const { closedAfterMs = silence.waitedMs } = silence;
    const closed = `the connection was closed after ${closedAfterMs} ms`;
    return passIf(closedAfterMs >= minOpenMs, 'an open connection after 60 s', closed);
  }),
  'recurring/parameters-content-type': paramsJudge((_, exchange) =>
    judgeContentType(headerValues(exchange.response!.headers, 'content-type')),
  ),
  'recurring/parameters-line-feed': paramsJudge(({ parameters, malformed }) => {
    if (malformed !== undefined) return fail('a form-urlencoded body', malformed);
    const missing = parameters.filter(lacksLineFeed).map(({ name }) => name);
    if (missing.length > 0) return fail('0x0A at the end of every value', `no 0x0A after ${missing.join(', ')}`);
    const isOpen = parameters.some(({ endsWithLineFeed }) => !endsWithLineFeed);
    return pass(
      isOpen ? 'no 0x0A after the last value: the document leaves open whether it needs one (A18)' : undefined,
    );
  }),
  'recurring/type-present': presenceJudge('type'),
  'recurring/type-value': valueJudge('type', types, types.join(' or ')),
  'recurring/status-present': presenceJudge('status', isAcceptedType),
  'recurring/serial-number-present': presenceJudge('serial-number', isAcceptedType),
  'recurring/serial-number-unique': ({ cases }) => {
    const seen = new Set<string>();
    const verdicts = cases.flatMap((testCase) => {
      const serial = parameterOf(testCase.exchanges[0], 'serial-number');
      if (testCase.label.operation !== 'process-recurring-payments' || serial === undefined) return [];
      const repeated = seen.has(serial);
      seen.add(serial);
      return [{ testCase, finding: passIf(!repeated, 'a new serial-number', serial) }];
    });
    return verdicts.length < 2 ? [] : verdicts;
  },
  'recurring/error-message-present': presenceJudge('error-message', isErrorType),
  'recurring/error-code-present': presenceJudge('error-code', isErrorType),
  'recurring/error-code-value': valueJudge('error-code', ['200', '403', '500'], '200, 403 or 500', isErrorType),
  'recurring/error-id-with-500': errorIdWith500,
} satisfies GatewayJudges;

/** A failure must have status 403. But if its body has the parameters of section 2.4, its status is open (A17). */
const judgeFailureStatus = documentedJudge((exchange, { label }) => {
  const { status, body } = exchange.response!;
  if (status === 403) return pass();
  if (isWeakEvidence(status) || isErrorType(exchange)) return null;
  if (status === 401 && isAboutAuthentication(label))
    return pass('if authentication fails, the status is 401 instead of 403');
  return fail('403', `${status} with a body of ${pluralize(body.length, 'byte')}`);
});

/** True if a single answer with this status proves nothing, because its cause may be load or a wrong address. */
function isWeakEvidence(status: number): boolean {
  return status < 400 || isUnrelatedStatus(status);
}

function judgeEmptiness(exchange: Exchange): Finding | undefined {
  const body = recurringBody(exchange)!;
  if (body.kind === 'empty') return undefined;
  const problem = body.kind === 'other' ? body.problem : compressionProblem(exchange);
  return problem === undefined ? undefined : fail('an empty body', addEncoding(problem, exchange));
}

/** Section 8 requires 60 seconds. One second less, because the gateway starts its timer before the suite does. */
const minOpenMs = 59_000;

function judgePresence(exchange: Exchange, name: string): Finding {
  const values = parameterValues(exchange, name);
  const [value] = values;
  if (value === undefined) return fail(`the parameter ${name}`, 'a body without this parameter');
  if (values.length > 1) return fail(`the parameter ${name} once`, `the parameter ${values.length} times`);
  if (!isBlank(value)) return pass();
  return fail(`the parameter ${name} with a value`, value === '' ? 'an empty value' : 'a value of white space');
}

/** Names the places where an answer with error-code 500 may have its error ID. `cases` are all cases of the run. */
export function errorIdPlaces(
  { exchanges: [exchange] }: Case,
  parameters: readonly Parameter[],
  cases: readonly Case[],
): readonly string[] {
  const found = places(parameters, exchange, usualPlaces(cases));
  return Object.values(found).find((names) => names.length > 0) ?? [];
}

// The error ID may be in a parameter, a header or error-message. `named`: a parameter with a name like `error-id`.
// `own`: answers without code 500 do not have it. `shared`: these answers may have it too.
function places(parameters: readonly Parameter[], exchange: Exchange, usual: ReadonlySet<string>) {
  const isFurther = ({ name, value }: Parameter) =>
    !namedParameters.includes(name) && !isBlank(name) && !isBlank(value);
  const further = parameters.filter(isFurther).map(({ name }) => `parameter ${name}`);
  const words = wordsWithDigit(exchange);
  const headers = (exchange.response?.headers ?? []).filter(
    ([name, value]) => !httpHeader.test(name) && !isBlank(value) && value.trim() !== '500',
  );
  const unusual = headers.filter(([name, value]) => {
    const hasDigit = usual.size > 0 && /\d/.test(value.replace(/\b500\b/g, ''));
    return !usual.has(`header ${name.toLowerCase()}`) && (hasDigit || idName.test(name));
  });
  const headerPlaces = (found: typeof headers) => found.map(([name]) => `header ${name}`);
  return {
    named: further.filter((place) => errorIdName.test(place)),
    own: [
      ...further.filter((place) => !usual.has(place)),
      ...(words.some((word) => !usual.has(`word ${word}`)) ? ['error-message'] : []),
      ...headerPlaces(unusual),
    ],
    shared: [
      ...further,
      ...(words.length > 0 ? ['error-message'] : []),
      ...headerPlaces(headers.filter(([name]) => idName.test(name))),
    ],
  };
}

function wordsWithDigit(exchange: Exchange): readonly string[] {
  const message = parameterOf(exchange, 'error-message') ?? '';
  return (message.match(/\w*\d\w*/g) ?? []).filter((word) => word !== '500');
}

const errorIdName = /(?:error|exception|failure|fault|incident)[-_.]?(?:id|uuid|guid|ref|reference|number|no)$/i;

/** Headers of HTTP and of servers, which never hold an error ID. */
const httpHeader =
  /^(?:accept|access-control|age$|allow|alt-svc|cache|connection|content|cross-origin|date|etag|expires|keep-alive|last-modified|link|location|nel$|permissions-policy|pragma|proxy-|referrer-policy|report-to|retry-after|server|set-cookie|strict-transport|trailer|transfer-encoding|upgrade|vary|via|warning|www-authenticate|x-(?:cache|content-type|frame|powered|served-by|xss))/i;

const idName =
  /(?:^|[-_])(?:(?:error|event|exception|failure|incident|log|req|request|session|span|trace|transaction)?id|uuid|guid|ref|reference|trace\w*|correlation|incident|ticket|ray|number|no)$/i;

/** Parameters, headers and words of error-message that also occur without code 500: probably no error ID. */
const usualPlaces = memoize((cases: readonly Case[]): ReadonlySet<string> => {
  const others = cases.filter(
    ({ label, exchanges: [exchange] }) => label.operation === 'process-recurring-payments' && !hasCode500(exchange),
  );
  return new Set(
    others.flatMap(({ exchanges: [exchange] }) => {
      const body = recurringBody(exchange);
      return [
        ...(body?.kind === 'parameters' ? body.parameters.map(({ name }) => `parameter ${name}`) : []),
        ...wordsWithDigit(exchange).map((word) => `word ${word}`),
        ...(exchange.response?.headers ?? []).map(([name]) => `header ${name.toLowerCase()}`),
      ];
    }),
  );
});

function hasCode500(exchange: Exchange): boolean {
  return parameterOf(exchange, 'error-code') === '500';
}
