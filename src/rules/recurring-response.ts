/** Judges of the answer to a batch of recurring payments: sections 2.4, 4.2, 7 and 8. */
import type { Case } from '../record/case.ts';
import { type Exchange, headerValues, withoutBlanks } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import { pluralize } from '../record/pluralize.ts';
import {
  falselyCompressed,
  isAboutAuthentication,
  isLeftOpen,
  noAnswerToTheRequest,
  withEncoding,
} from './answers/acceptance.ts';
import {
  type BatchAnswer,
  isBlank,
  isErrorType,
  lacksLineFeed,
  namedParameters,
  type Parameter,
  parameterOf,
  parameterValues,
  recurringBody,
} from './answers/recurring-body.ts';
import { judgeContentType } from './close-day-response.ts';
import {
  type Finding,
  fail,
  type GatewayJudges,
  groupedOnce,
  inconclusive,
  type Judge,
  pass,
  perCase,
} from './judge.ts';
import { failuresInAnotherForm } from './twins.ts';

function ofRecurring(look: (exchange: Exchange, testCase: Case) => Finding | null): Judge {
  return perCase(
    (testCase) => look(testCase.exchanges[0], testCase),
    (cases) => answers(cases, 'process-recurring-payments'),
  );
}

const answers = groupedOnce(({ label, exchanges: [exchange] }) =>
  exchange.response === undefined ? undefined : label.operation,
);

/** Judges answers to requests that the document defines. */
function ofDocumentedRequest(look: (exchange: Exchange, testCase: Case) => Finding | null): Judge {
  return ofRecurring((exchange, testCase) => (isLeftOpen(testCase.label) ? null : look(exchange, testCase)));
}

/** Judges bodies of section 2.4. */
function ofParameters(look: (parameters: readonly Parameter[], exchange: Exchange) => Finding | null): Judge {
  return ofRecurring((exchange) => {
    const body = recurringBody(exchange);
    return body?.kind === 'parameters' ? look(body.parameters, exchange) : null;
  });
}

/** A body with error-code 500 must have an error ID (section 7), in any place (A20), that other answers lack. */
const errorIdWith500: Judge = (input) => {
  const usual = usualIn(input.cases);
  return ofParameters((parameters, exchange) => {
    if (!isErrorType(exchange) || !hasCode500(exchange)) return null;
    const { named, own, shared } = places(parameters, exchange, usual);
    if (named.length > 0) return pass();
    if (own.length > 0) return pass(`the ${own[0]} counts as the error ID: its place is open (A20)`);
    const received = 'no error ID';
    if (shared.length === 0) return fail('an error ID, in another parameter or in error-message', received);
    return inconclusive(
      `${received}, unless the ${shared[0]}, which other answers also have, is the error ID: its place is open (A20)`,
      'unspecified',
    );
  })(input);
};

export const recurringResponseJudges = {
  /** Fails if a valid request is accepted with another 2xx status than 200. */
  'recurring/success-status-200': ofRecurring((exchange, { label }) => {
    const { status } = exchange.response!;
    if (label.intent !== 'valid' || status < 200 || status > 299 || !looksAccepted(exchange)) return null;
    return status === 200 ? pass() : fail('200', String(status));
  }),
  'recurring/success-body-empty': ofRecurring((exchange) => {
    if (exchange.response!.status !== 200) return null;
    const body = recurringBody(exchange)!;
    const problem = problemOf(body, exchange);
    if (problem !== undefined) return fail('an empty body', withEncoding(problem, exchange));
    return looksAccepted(exchange) ? pass() : null;
  }),
  'recurring/success-content-length-zero': ofRecurring((exchange) => {
    const { status, body, headers } = exchange.response!;
    if (status !== 200 || body.length > 0) return null;
    const codings = headerValues(headers, 'transfer-encoding');
    if (codings.length > 0) return fail('Content-Length: 0', `Transfer-Encoding: ${codings.join(', ')}`);
    const lengths = headerValues(headers, 'content-length');
    return lengths.length === 1 && lengths[0] === '0'
      ? pass()
      : fail('Content-Length: 0', lengths.join(' and ') || 'no Content-Length');
  }),
  'recurring/failure-status-403': (input) => [
    ...failureStatus403OfEach(input),
    ...failuresInAnotherForm(
      input,
      'process-recurring-payments',
      ({ exchanges: [exchange] }) => !isNoEvidenceAlone(exchange.response!.status) || isErrorType(exchange),
      '403',
    ),
  ],
  'recurring/failure-body-empty': ofDocumentedRequest((exchange) => {
    if (exchange.response!.status !== 403) return null;
    const problem = problemOf(recurringBody(exchange)!, exchange);
    return problem === undefined ? pass() : fail('an empty body', withEncoding(problem, exchange));
  }),
  'recurring/keep-alive-timeout': ofDocumentedRequest((exchange) => {
    const { status, headers } = exchange.response!;
    if (status !== 200) return null;
    const values = headerValues(headers, 'keep-alive');
    // The value of a parameter is a token or a quoted string (RFC 2068 19.7.1.1), so quotes around 60 are allowed.
    const parameters = values.flatMap((value) => value.split(',')).map(withoutBlanks);
    const timeouts = parameters.filter((one) => /^timeout\b/i.test(one));
    const is60 = timeouts.length === 1 && /^timeout[ \t]*=[ \t]*(?:60|"60")$/i.test(timeouts[0]!);
    if (!is60) return fail('Keep-Alive: timeout=60', values.join(', ') || 'no Keep-Alive');
    // With `close`, the connection ends after this answer (RFC 9112 9.6).
    const options = headerValues(headers, 'connection').flatMap((value) => value.toLowerCase().split(','));
    const closes = options.map(withoutBlanks).includes('close');
    return closes ? fail('Keep-Alive: timeout=60', `${values.join(', ')}, and Connection: close`) : pass();
  }),
  'recurring/keep-alive-kept': ofRecurring(({ silence }) => {
    if (silence === undefined || (silence.closedAfterMs === undefined && silence.waitedMs < keptMs)) return null;
    const { closedAfterMs = silence.waitedMs } = silence;
    return closedAfterMs >= keptMs ? pass() : fail('an open connection after 60 s', `closed after ${closedAfterMs} ms`);
  }),
  'recurring/parameters-content-type': ofParameters((_, exchange) =>
    judgeContentType(headerValues(exchange.response!.headers, 'content-type')),
  ),
  'recurring/parameters-line-feed': ofParameters((parameters, exchange) => {
    const body = recurringBody(exchange);
    if (body?.kind === 'parameters' && body.malformed !== undefined)
      return fail('a form-urlencoded body', body.malformed);
    const without = parameters.filter(lacksLineFeed).map(({ name }) => name);
    if (without.length > 0) return fail('0x0A at the end of every value', `no 0x0A after ${without.join(', ')}`);
    const isOpen = parameters.some(({ endsWithLineFeed }) => !endsWithLineFeed);
    return pass(isOpen ? 'no 0x0A after the last value: whether the last value needs one is open (A18)' : undefined);
  }),
  'recurring/type-present': ofParameters((_, exchange) => judgePresence(exchange, 'type')),
  'recurring/type-value': ofParameters((_, exchange) => {
    const type = parameterOf(exchange, 'type');
    if (type === undefined || isBlank(type)) return null;
    const named = ['process-recurring-payment-response', 'validation-error', 'error'];
    return named.includes(type) ? pass() : fail(named.join(' or '), type);
  }),
  'recurring/status-present': ofParameters((_, exchange) =>
    parameterOf(exchange, 'type') === 'process-recurring-payment-response' ? judgePresence(exchange, 'status') : null,
  ),
  'recurring/serial-number-present': ofParameters((_, exchange) =>
    parameterOf(exchange, 'type') === 'process-recurring-payment-response'
      ? judgePresence(exchange, 'serial-number')
      : null,
  ),
  /** Fails if a serial number occurs again. A single answer is no evidence. */
  'recurring/serial-number-unique': ({ cases }) => {
    const seen = new Set<string>();
    const verdicts = cases.flatMap((testCase) => {
      const serial = parameterOf(testCase.exchanges[0], 'serial-number');
      if (testCase.label.operation !== 'process-recurring-payments' || serial === undefined) return [];
      const repeated = seen.has(serial);
      seen.add(serial);
      return [{ testCase, finding: repeated ? fail('a new serial-number', serial) : pass() }];
    });
    return verdicts.length < 2 ? [] : verdicts;
  },
  'recurring/error-message-present': ofParameters((_, exchange) =>
    isErrorType(exchange) ? judgePresence(exchange, 'error-message') : null,
  ),
  'recurring/error-code-present': ofParameters((_, exchange) =>
    isErrorType(exchange) ? judgePresence(exchange, 'error-code') : null,
  ),
  'recurring/error-code-value': ofParameters((_, exchange) => {
    const code = isErrorType(exchange) ? parameterOf(exchange, 'error-code') : undefined;
    if (code === undefined || isBlank(code)) return null;
    return ['200', '403', '500'].includes(code) ? pass() : fail('200, 403 or 500', code);
  }),
  'recurring/error-id-with-500': errorIdWith500,
} satisfies GatewayJudges;

function looksAccepted(exchange: Exchange): boolean {
  return (
    recurringBody(exchange)?.kind === 'empty' || parameterOf(exchange, 'type') === 'process-recurring-payment-response'
  );
}

/** A failure must have status 403. If the failure has a body of section 2.4, its status is open (A17). */
const failureStatus403OfEach = ofDocumentedRequest((exchange, { label }) => {
  const { status, body } = exchange.response!;
  if (status === 403) return pass();
  if (isNoEvidenceAlone(status) || isErrorType(exchange)) return null;
  if (status === 401 && isAboutAuthentication(label))
    return pass('if authentication fails, the status is 401 instead of 403');
  return fail('403', `${status} with a body of ${pluralize(body.length, 'byte')}`);
});

/** True if a single answer with this status may have another reason, such as load or a wrong address. */
function isNoEvidenceAlone(status: number): boolean {
  return status < 400 || noAnswerToTheRequest(status);
}

function problemOf(body: BatchAnswer, exchange: Exchange): string | undefined {
  if (body.kind === 'other') return body.problem;
  return body.kind === 'empty' ? undefined : falselyCompressed(exchange);
}

/** How long a connection must stay open: 59 seconds, because the gateway starts to count before the suite does. */
const keptMs = 59_000;

/** The parameter must occur once with a value that is not blank. */
function judgePresence(exchange: Exchange, name: string): Finding {
  const values = parameterValues(exchange, name);
  const [value] = values;
  if (value === undefined) return fail(`the parameter ${name}`, 'a body without this parameter');
  if (values.length > 1) return fail(`the parameter ${name} once`, `the parameter ${values.length} times`);
  if (!isBlank(value)) return pass();
  return fail(`the parameter ${name} with a value`, value === '' ? 'an empty value' : 'a value of white space');
}

/** The places that may hold the error ID of a body with code 500. `cases` are all cases of the run. */
export function placesOfErrorId(
  { exchanges: [exchange] }: Case,
  parameters: readonly Parameter[],
  cases: readonly Case[],
): readonly string[] {
  const { named, own, shared } = places(parameters, exchange, usualIn(cases));
  return [named, own, shared].find((found) => found.length > 0) ?? [];
}

/** Places of a possible error ID: `named` by their name, `own` only in this answer, `shared` also in other answers. */
function places(parameters: readonly Parameter[], exchange: Exchange, usual: ReturnType<typeof usualIn>) {
  const isFurther = ({ name, value }: Parameter) =>
    !namedParameters.includes(name) && !isBlank(name) && !isBlank(value);
  const further = parameters.filter(isFurther).map(({ name }) => name);
  const words = wordsWithDigit(exchange);
  const isOwn = (name: string): boolean => !usual.parameters.has(name);
  const message = words.length === 0 ? 'none' : words.some((word) => !usual.words.has(word)) ? 'own' : 'shared';
  const inMessage = (which: string): string[] => (message === which ? ['error-message'] : []);
  const parameter = (names: readonly string[]): string[] => names.map((name) => `parameter ${name}`);
  const header = (names: readonly string[]): string[] => names.map((name) => `header ${name}`);
  return {
    named: parameter(further.filter((name) => namesAnErrorId.test(name))),
    own: [...parameter(further.filter(isOwn)), ...inMessage('own'), ...header(headersForAnId(exchange, usual.headers))],
    shared: [
      ...parameter(further.filter((name) => !isOwn(name))),
      ...inMessage('shared'),
      ...header(headersForAnId(exchange)),
    ],
  };
}

function wordsWithDigit(exchange: Exchange): readonly string[] {
  const message = parameterOf(exchange, 'error-message') ?? '';
  return (message.match(/\w*\d\w*/g) ?? []).filter((word) => word !== '500');
}

const namesAnErrorId = /(?:error|exception|failure|fault|incident)[-_.]?(?:id|uuid|guid|ref|reference|number|no)$/i;

/** Headers of HTTP and of servers, which never hold an error ID. */
const ofHttp =
  /^(?:accept|access-control|age$|allow|alt-svc|cache|connection|content|cross-origin|date|etag|expires|keep-alive|last-modified|link|location|nel$|permissions-policy|pragma|proxy-|referrer-policy|report-to|retry-after|server|set-cookie|strict-transport|trailer|transfer-encoding|upgrade|vary|via|warning|www-authenticate|x-(?:cache|content-type|frame|powered|served-by|xss))/i;

const namesAnId =
  /(?:^|[-_])(?:(?:error|event|exception|failure|incident|log|req|request|session|span|trace|transaction)?id|uuid|guid|ref|reference|trace\w*|correlation|incident|ticket|ray|number|no)$/i;

/** Headers that may hold an error ID: by their name, or by a digit if other answers lack the header. */
function headersForAnId({ response }: Exchange, usual: ReadonlySet<string> = new Set()): readonly string[] {
  const found = (response?.headers ?? []).filter(([name, value]) => {
    if (ofHttp.test(name) || isBlank(value) || value.trim() === '500' || usual.has(name.toLowerCase())) return false;
    return namesAnId.test(name) || (usual.size > 0 && /\d/.test(value.replace(/\b500\b/g, '')));
  });
  return found.map(([name]) => name);
}

/** Parameters, words and headers of answers without code 500. Such usual parts are no error ID. */
const usualIn = memoize((cases: readonly Case[]) => {
  const usual = { parameters: new Set<string>(), words: new Set<string>(), headers: new Set<string>() };
  for (const { label, exchanges } of cases) {
    const [exchange] = exchanges;
    if (label.operation !== 'process-recurring-payments' || hasCode500(exchange)) continue;
    const body = recurringBody(exchange);
    for (const { name } of body?.kind === 'parameters' ? body.parameters : []) usual.parameters.add(name);
    for (const word of wordsWithDigit(exchange)) usual.words.add(word);
    for (const [name] of exchange.response?.headers ?? []) usual.headers.add(name.toLowerCase());
  }
  return usual;
});

function hasCode500(exchange: Exchange): boolean {
  return parameterOf(exchange, 'error-code') === '500';
}
