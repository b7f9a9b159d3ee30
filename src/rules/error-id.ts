/** Judges the error ID of a body with error-code 500 (section 7). Its place is open (A20). Values that other answers also have are no evidence. */

import type { Case } from '../record/case.ts';
import type { Exchange, Header } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import { isBlank, type Parameter, parameterOf, recurringBody, saysMore } from './answers/recurring-body.ts';
import { type Finding, fail, inconclusive, pass } from './finding.ts';
import type { Judge } from './judge.ts';
import { isErrorType, ofParameters } from './recurring-response.ts';

export const errorIdWith500: Judge = (question) => {
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
      : headers.filter(([name, value]) => !usual.has(name.toLowerCase()) && (namesAnId.test(name) || hasDigit(value)));
  return found.map(([name]) => name);
}

function hasDigit(value: string): boolean {
  return /\d/.test(value.replace(/\b500\b/g, ''));
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
