/** Judges of the answer to a batch of recurring payments: sections 2.4, 4.2, 7 and 8. */

import type { Case } from '../record/case.ts';
import { type Exchange, type Header, headerValues, withoutBlanks } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import { pluralize } from '../record/pluralize.ts';
import {
  isAboutAuthentication,
  isLeftOpen,
  noAnswerToTheRequest,
  packed,
  saidToBePacked,
} from './answers/acceptance.ts';
import {
  type BatchAnswer,
  isBlank,
  lacksLineFeed,
  type Parameter,
  parameterOf,
  parameterValues,
  recurringBody,
  saysMore,
} from './answers/recurring-body.ts';
import { judgeContentType } from './close-day-response.ts';
import type { Finding, GatewayJudges, Judge } from './judge.ts';
import { fail, groupedOnce, inconclusive, pass, perCase } from './judge.ts';
import { failuresInAnotherForm } from './open-refusals.ts';

function ofRecurring(look: (exchange: Exchange, testCase: Case) => Finding | null): Judge {
  return perCase(
    (testCase) => look(testCase.exchanges[0], testCase),
    (cases) => answers(cases, 'process-recurring-payments'),
  );
}

const answers = groupedOnce(({ label, exchanges: [exchange] }) =>
  exchange.response === undefined ? undefined : label.operation,
);

/** Skips requests that the document does not define. */
function ofDocumentedRequest(look: (exchange: Exchange, testCase: Case) => Finding | null): Judge {
  return ofRecurring((exchange, testCase) => (isLeftOpen(testCase.label) ? null : look(exchange, testCase)));
}

/** Judges the parameters of section 2.4, and ignores other bodies. */
function ofParameters(look: (parameters: readonly Parameter[], exchange: Exchange) => Finding | null): Judge {
  return ofRecurring((exchange) => {
    const body = recurringBody(exchange);
    return body?.kind === 'parameters' ? look(body.parameters, exchange) : null;
  });
}

/**
 * Judges the error ID of a body with error-code 500 (section 7). Its place is open (A20). Values that other answers also
 * have are no evidence.
 */
const errorIdWith500: Judge = (question) => {
  const usual = besideCode500(question.cases);
  return ofParameters((parameters, exchange) => {
    if (!isErrorType(exchange) || !hasCode500(exchange)) return null;
    const { named, own, shared } = places(parameters, exchange, usual);
    if (named.length > 0) return pass();
    if (own.length > 0) return pass(`the error ID is taken to be in the ${own[0]}: its place is open (A20)`);
    const received = 'the documented parameters without one';
    if (shared.length === 0) return fail('an error ID, as a further parameter or in error-message', received);
    return inconclusive(
      `${received}; whether the ${shared[0]}, which other answers have too, is the error ID is open (A20)`,
      'unspecified',
    );
  })(question);
};

export const recurringResponseJudges = {
  /** Any 2xx with a body of acceptance accepts a valid request. The documented status is 200. */
  'recurring/success-status-200': ofRecurring((exchange, { label }) => {
    const { status } = exchange.response!;
    if (label.intent !== 'valid' || status < 200 || status > 299 || !looksAccepted(exchange)) return null;
    return status === 200 ? pass() : fail('200', String(status));
  }),
  'recurring/success-body-empty': ofRecurring((exchange) => {
    if (exchange.response!.status !== 200) return null;
    const body = recurringBody(exchange)!;
    const problem = problemOf(body, exchange);
    if (problem !== undefined) return fail('an empty body', packed(problem, exchange));
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
  'recurring/failure-status-403': (question) => [
    ...failureStatus403OfEach(question),
    ...failuresInAnotherForm(
      question,
      'process-recurring-payments',
      ({ exchanges: [exchange] }) => !saysNothingByItself(exchange.response!.status) || isErrorType(exchange),
      '403',
    ),
  ],
  'recurring/failure-body-empty': ofDocumentedRequest((exchange) => {
    if (exchange.response!.status !== 403) return null;
    const problem = problemOf(recurringBody(exchange)!, exchange);
    return problem === undefined ? pass() : fail('an empty body', packed(problem, exchange));
  }),
  'recurring/keep-alive-timeout': ofDocumentedRequest((exchange) => {
    const { status, headers } = exchange.response!;
    if (status !== 200) return null;
    const values = headerValues(headers, 'keep-alive');
    // The parameters of RFC 2068 19.7.1.1: name, equals sign, and a token or quoted string.
    const parameters = values.flatMap((value) => value.split(',')).map(withoutBlanks);
    const timeouts = parameters.filter((one) => /^timeout\b/i.test(one));
    const is60 = timeouts.length === 1 && /^timeout[ \t]*=[ \t]*(?:60|"60")$/i.test(timeouts[0]!);
    if (!is60) return fail('Keep-Alive: timeout=60', values.join(', ') || 'no Keep-Alive');
    // RFC 9112 9.6: the connection ends after this answer.
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
    if (without.length > 0) return fail('0x0A at the end of every value', `none after ${without.join(', ')}`);
    const isOpen = parameters.some(({ endsWithLineFeed }) => !endsWithLineFeed);
    return pass(isOpen ? 'no 0x0A after the last value: whether it has one too is open (A18)' : undefined);
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
  /** Needs two answers. The second occurrence of a serial number fails. */
  'recurring/serial-number-unique': ({ cases }) => {
    const seen = new Set<string>();
    const verdicts = cases.flatMap((testCase) => {
      const serial = parameterOf(testCase.exchanges[0], 'serial-number');
      if (testCase.label.operation !== 'process-recurring-payments' || serial === undefined) return [];
      const repeated = seen.has(serial);
      seen.add(serial);
      return [{ testCase, finding: repeated ? fail('a serial-number not used before', serial) : pass() }];
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

/** Judges failures that only the status reports. A body of section 2.4 may have any status (open point A17). */
const failureStatus403OfEach = ofDocumentedRequest((exchange, { label }) => {
  const { status, body } = exchange.response!;
  if (status === 403) return pass();
  if (saysNothingByItself(status) || isErrorType(exchange)) return null;
  if (status === 401 && isAboutAuthentication(label))
    return pass('failed authentication is answered with HTTP 401 instead of 403');
  return fail('403', `${status} with a body of ${pluralize(body.length, 'byte')}`);
});

/** One such answer may come from the server, its load or a wrong address. */
function saysNothingByItself(status: number): boolean {
  return status < 400 || noAnswerToTheRequest(status);
}

function problemOf(body: BatchAnswer, exchange: Exchange): string | undefined {
  if (body.kind === 'other') return body.problem;
  return body.kind === 'empty' ? undefined : saidToBePacked(exchange);
}

/** In milliseconds, one second below the minute: the gateway starts to count before the suite does. */
const keptMs = 59_000;

export function isErrorType(exchange: Exchange): boolean {
  const type = parameterOf(exchange, 'type');
  return type === 'validation-error' || type === 'error';
}

/** The parameter must occur once with a value that is not blank. */
function judgePresence(exchange: Exchange, name: string): Finding {
  const values = parameterValues(exchange, name);
  if (values.length > 1) return fail(`the parameter ${name} once`, `${values.length} of it`);
  if (values.length === 1 && isBlank(values[0]!)) {
    return fail(
      `the parameter ${name} with a value`,
      values[0] === '' ? 'an empty value' : 'a value that has only blanks',
    );
  }
  return values.length === 1 ? pass() : fail(`the parameter ${name}`, 'a body that lacks a documented parameter');
}

/** Names the places that may hold the error ID of a body with code 500. `cases` are all cases of the run. */
export function placesOfErrorId(
  { exchanges: [exchange] }: Case,
  parameters: readonly Parameter[],
  cases: readonly Case[],
): readonly string[] {
  const { named, own, shared } = places(parameters, exchange, besideCode500(cases));
  return [named, own, shared].find((found) => found.length > 0) ?? [];
}

interface Usual {
  readonly parameters: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly headers: ReadonlySet<string>;
}

/** `named`: by its name an error ID. `own`: absent from other answers. `shared`: also in other answers. */
function places(
  parameters: readonly Parameter[],
  exchange: Exchange,
  usual: Usual,
): Record<'named' | 'own' | 'shared', string[]> {
  const further = parameters.filter(saysMore).map(({ name }) => name);
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

/** True if the finding depends on more than the body. Then no schema can check it. */
export function restsOnMore({ outcome, remark, blame }: Finding): boolean {
  return outcome === 'pass' ? remark !== undefined : blame === 'unspecified';
}

/** Headers that only answers with code 500 have, with a digit or the name of an ID. Without other answers only the name decides. */
function headersForAnId(exchange: Exchange, usual?: ReadonlySet<string>): readonly string[] {
  const headers = headersBesideHttp(exchange);
  const found =
    usual === undefined || usual.size === 0
      ? headers.filter(([name]) => namesAnId.test(name))
      : headers.filter(
          ([name, value]) =>
            !usual.has(name.toLowerCase()) && (namesAnId.test(name) || /\d/.test(value.replace(/\b500\b/g, ''))),
        );
  return found.map(([name]) => name);
}

function headersBesideHttp({ response }: Exchange): readonly Header[] {
  const headers = response?.headers ?? [];
  return headers.filter(([name, value]) => !ofHttp.test(name) && !isBlank(value) && value.trim() !== '500');
}

const besideCode500 = memoize((cases: readonly Case[]): Usual => {
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
