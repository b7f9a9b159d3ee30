/**
 * The judge of the error ID that a body with error-code 500 has besides (section 7). Its place is open (A20): a further parameter,
 * a part of the message that has a digit, or a header of the answer.
 */
import { isBlank, type Parameter, parameterOf, saysMore } from '../answers/recurring-body.ts';
import type { Case } from '../exchange/case.ts';
import type { Exchange } from '../exchange/exchange.ts';
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

/** Where a body with code 500 may have its error ID, in words; empty where it has none. */
export function placesOfErrorId(exchange: Exchange, parameters: readonly Parameter[]): readonly string[] {
  const inBody = placesInBody(parameters, exchange);
  return inBody.length > 0 ? inBody : headersForAnId(exchange).map((name) => `header ${name}`);
}

function placesInBody(parameters: readonly Parameter[], exchange: Exchange): readonly string[] {
  const further = parameters.filter(saysMore).map(({ name }) => `parameter ${name}`);
  if (further.length > 0) return further;
  return /\d/.test(parameterOf(exchange, 'error-message') ?? '') ? ['in error-message'] : [];
}

/** What HTTP and its servers have headers for; none of them is an ID of an error. */
const ofHttp =
  /^(?:accept|access-control|allow|alt-svc|cache|connection|content|cross-origin|date|etag|expires|keep-alive|last-modified|link|location|pragma|referrer-policy|retry-after|server|set-cookie|strict-transport|trailer|transfer-encoding|upgrade|vary|via|warning|www-authenticate|x-(?:content-type|frame|powered|xss))/i;

const namesAnId = /(?:^|[-_])(?:\w*id|uuid|guid|ref|reference|trace\w*|correlation|incident|ticket|ray|number|no)$/i;

/** Whether an answer has a header that may be the place of the ID: a voice that hears its body alone cannot tell. */
export function mayHaveIdInHeader(exchange: Exchange): boolean {
  return namesBesideHttp(exchange).length > 0;
}

/** Names of headers that may hold an ID: because no answer without code 500 has them, or, where it is not known, by their name. */
function headersForAnId(exchange: Exchange, usual?: ReadonlySet<string>): readonly string[] {
  const names = namesBesideHttp(exchange);
  if (usual === undefined || usual.size === 0) return names.filter((name) => namesAnId.test(name));
  return names.filter((name) => !usual.has(name.toLowerCase()));
}

function namesBesideHttp({ response }: Exchange): readonly string[] {
  const headers = response?.headers ?? [];
  return headers
    .filter(([name, value]) => !ofHttp.test(name) && !isBlank(value) && value.trim() !== '500')
    .map(([name]) => name);
}

/** The headers of all answers to batches that have another code, or none. */
function headersBeside(cases: readonly Case[]): ReadonlySet<string> {
  const beside = new Set<string>();
  for (const { label, exchange } of cases) {
    if (label.operation !== 'process-recurring-payments' || hasCode500(exchange)) continue;
    for (const [name] of exchange.response?.headers ?? []) beside.add(name.toLowerCase());
  }
  return beside;
}

function hasCode500(exchange: Exchange): boolean {
  return parameterOf(exchange, 'error-code') === '500';
}
