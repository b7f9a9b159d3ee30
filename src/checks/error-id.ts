/**
 * The judge of the error ID that a body with error-code 500 has besides (section 7). Its place is open (A20): a further parameter,
 * a part of the message that has a digit, or a header of the answer.
 */
import { isBlank, type Parameter, parameterOf, saysMore } from '../answers/recurring-body.ts';
import type { Case } from '../exchange/case.ts';
import type { Exchange, Header } from '../exchange/exchange.ts';
import { madeOnce } from '../exchange/made-once.ts';
import { type Finding, fail, inconclusive, pass } from './finding.ts';
import type { Judge } from './judge.ts';
import { isErrorType, ofParameters } from './recurring-response.ts';

export const errorIdWith500: Judge = (question) => {
  const usual = headersBeside(question.cases);
  return ofParameters((parameters, exchange) => {
    if (!isErrorType(exchange) || !hasCode500(exchange)) return null;
    return placesInBody(parameters, exchange).length > 0 ? pass() : ofHeaders(exchange, usual);
  })(question);
};

/** A header that every answer has says of which request it is: whether that is the error ID is open. */
function ofHeaders(exchange: Exchange, usual: ReadonlySet<string>): Finding {
  const own = headersForAnId(exchange, usual)[0];
  if (own !== undefined) return pass(`the error ID is taken to be in the header ${own}: its place is open (A20)`);
  const [every] = headersForAnId(exchange);
  const received = 'the documented parameters without one';
  return every === undefined
    ? fail('an error ID, as a further parameter or in error-message', received)
    : inconclusive(
        `${received}; whether ${every}, which other answers have too, is the error ID is open (A20)`,
        'unspecified',
      );
}

/** Where a body with code 500 may have its error ID, in words; empty where it has none. `cases` are all of the run. */
export function placesOfErrorId(
  { exchange }: Case,
  parameters: readonly Parameter[],
  cases: readonly Case[],
): readonly string[] {
  const inBody = placesInBody(parameters, exchange);
  if (inBody.length > 0) return inBody;
  const own = headersForAnId(exchange, headersBeside(cases));
  return (own.length > 0 ? own : headersForAnId(exchange)).map((name) => `header ${name}`);
}

function placesInBody(parameters: readonly Parameter[], exchange: Exchange): readonly string[] {
  const further = parameters.filter(saysMore).map(({ name }) => `parameter ${name}`);
  if (further.length > 0) return further;
  return /\d/.test(parameterOf(exchange, 'error-message') ?? '') ? ['in error-message'] : [];
}

/** What HTTP and its servers have headers for; none of them is an ID of an error. */
const ofHttp =
  /^(?:accept|access-control|age$|allow|alt-svc|cache|connection|content|cross-origin|date|etag|expires|keep-alive|last-modified|link|location|nel$|permissions-policy|pragma|proxy-|referrer-policy|report-to|retry-after|server|set-cookie|strict-transport|trailer|transfer-encoding|upgrade|vary|via|warning|www-authenticate|x-(?:cache|content-type|frame|powered|served-by|xss))/i;

const namesAnId =
  /(?:^|[-_])(?:(?:error|event|exception|failure|incident|log|req|request|session|span|trace|transaction)?id|uuid|guid|ref|reference|trace\w*|correlation|incident|ticket|ray|number|no)$/i;

/** Whether a finding of this judge rests on a header: a voice that hears the body alone cannot tell. */
export function isOfHeader({ outcome, remark, blame }: Finding): boolean {
  return outcome === 'pass' ? remark !== undefined : blame === 'unspecified';
}

/**
 * Names of headers that may hold an ID: because no answer without code 500 has them, and they have a digit, as one in the message has
 * to, or say by their name that they are one; where it is not known what others have, by their name alone.
 */
function headersForAnId(exchange: Exchange, usual?: ReadonlySet<string>): readonly string[] {
  const headers = headersBesideHttp(exchange);
  const found =
    usual === undefined || usual.size === 0
      ? headers.filter(([name]) => namesAnId.test(name))
      : headers.filter(([name, value]) => !usual.has(name.toLowerCase()) && (namesAnId.test(name) || hasDigit(value)));
  return found.map(([name]) => name);
}

/** Beside those of the code itself. */
function hasDigit(value: string): boolean {
  return /\d/.test(value.replace(/\b500\b/g, ''));
}

function headersBesideHttp({ response }: Exchange): readonly Header[] {
  const headers = response?.headers ?? [];
  return headers.filter(([name, value]) => !ofHttp.test(name) && !isBlank(value) && value.trim() !== '500');
}

/** The headers of all answers to batches that have another code, or none. */
const headersBeside = madeOnce((cases: readonly Case[]): ReadonlySet<string> => {
  const beside = new Set<string>();
  for (const { label, exchange } of cases) {
    if (label.operation !== 'process-recurring-payments' || hasCode500(exchange)) continue;
    for (const [name] of exchange.response?.headers ?? []) beside.add(name.toLowerCase());
  }
  return beside;
});

function hasCode500(exchange: Exchange): boolean {
  return parameterOf(exchange, 'error-code') === '500';
}
