/** Whether the target accepted or refused a request, as far as its answer shows (sections 4.1, 4.2 and 7). */
import type { Case, CaseLabel } from '../../record/case.ts';
import { countedWord } from '../../record/counted-word.ts';
import { contentEncoding, type Exchange, headerValues } from '../../record/exchange.ts';
import type { Blame } from '../../record/result/result.ts';
import { type Acceptance, answerReadings, noAnswerToTheRequest } from './answer-reading.ts';
import { errorCodeOf, errorMessageOf, statusOf } from './close-day-body.ts';
import { webPage } from './media-type.ts';
import { parameterOf } from './recurring-body.ts';

export function classify({ label, exchanges: [exchange] }: Case): Acceptance {
  if (exchange.response === undefined) return 'unclear';
  return answerReadings[label.operation].acceptance(exchange);
}

/** Whether a request came through authentication and checks; undefined where the answer, or its absence, says nothing of that. */
export function isTaken(examined: Case): boolean | undefined {
  const status = examined.exchanges[0].response?.status;
  const said = classify(examined);
  if (said === 'accepted' || said === 'past-authentication') return true;
  return said === 'refused' || (status !== undefined && !noAnswerToTheRequest(status)) ? false : undefined;
}

/** Whose doing it is that an answer is unclear: an unreadable body is the subject's own, silence and faults on the way are not. */
export function blameForUnclear(exchange: Exchange): Blame {
  const { response } = exchange;
  if (response === undefined) return isUnreadable(exchange) ? 'subject' : 'environment';
  return noAnswerToTheRequest(response.status) ? 'environment' : 'subject';
}

/** Whether an answer was received that is not HTTP/1.1, or is longer than what is read of one. */
export function isUnreadable({ response, failure }: Exchange): boolean {
  return response === undefined && (failure?.kind === 'malformed' || failure?.kind === 'too-large');
}

/** Whether no request was there to be acted on: none was sent, or no connection was made. */
export function neverArrived({ response, failure }: Pick<Exchange, 'response' | 'failure'>): boolean {
  return response === undefined && ['unreachable', 'tls', 'not-sent'].includes(failure?.kind ?? '');
}

/**
 * Whether the request was sent to be refused for its authentication, or may be: only then may 401 or 403 stand for another failure.
 * A body of another content type is no part of the signature (RFC 5849 3.4.1.3.1): signed as the fields that it would be, it
 * fails authentication first.
 */
export function isAboutAuthentication({ intent, about }: CaseLabel): boolean {
  return intent === 'fault' && /^authentication\/|\/content-type-enforced$/.test(about ?? '');
}

/**
 * Whether the document does not say what becomes of the request: it is silent on it, or on the form that its fault comes in, such
 * as chunks. Of such a fault only that it is acted on says something: how it is refused is up to the gateway.
 */
export function isLeftOpen({ intent, openPoint }: CaseLabel): boolean {
  return intent === 'open' || (intent === 'fault' && openPoint !== undefined);
}

/** Whether the document says that the request is refused, and how. */
export function isPlainFault(label: CaseLabel): boolean {
  return label.intent === 'fault' && !isLeftOpen(label);
}

/**
 * Whether an answer has the status of a refusal whose form is an open point (A35), and came to a request whose authentication
 * fails or is in question: no row but the one on the status speaks of it.
 */
export function isTakenForRefusal({ label, exchanges: [exchange] }: Case): boolean {
  const status = exchange.response?.status;
  if (status === undefined || !answerReadings[label.operation].openRefusals.includes(status)) return false;
  return label.intent === 'open' || isAboutAuthentication(label);
}

/** What was received, in one line for a person, with the target's own words where it has any: they may differ from answer to answer. */
export function describeAnswer(exchange: Exchange): string {
  const words = errorMessageOf(exchange) ?? parameterOf(exchange, 'error-message');
  const said = words === undefined ? '' : quoted(words);
  return said === '' ? formOfAnswer(exchange) : `${formOfAnswer(exchange)} "${said}"`;
}

/** Longest quotation of the target's words; the exchange has them whole. */
const mostWords = 120;

/** On one line, and with no quotation mark that could end it. */
function quoted(words: string): string {
  // A message may be of many megabytes: only its beginning is looked at.
  const characters = [
    ...words
      .slice(0, 4 * mostWords)
      .replace(/\s+/g, ' ')
      .replaceAll('"', "'")
      .trim(),
  ];
  return characters.length > mostWords ? `${characters.slice(0, mostWords).join('')}…` : characters.join('');
}

/** What was received, without words that may differ from answer to answer. */
export function formOfAnswer(exchange: Exchange): string {
  const { response, failure } = exchange;
  if (response === undefined) return failure?.message ?? 'no response';
  const status = statusOf(exchange);
  const type = parameterOf(exchange, 'type');
  const code = errorCodeOf(exchange) ?? parameterOf(exchange, 'error-code');
  const meaning = status ?? type;
  const length = response.body.length;
  const page = length === 0 || meaning !== undefined ? undefined : webPage(response.body);
  const size = length === 0 ? 'an empty body' : (page ?? `a body of ${countedWord(length, 'byte')}`);
  return `HTTP ${response.status} with ${meaning === undefined ? packed(size, exchange) : `${meaning}${code === undefined ? '' : ` ${code}`}`}`;
}

/**
 * What is wrong with a body that can be read as it came, and is none to a reader who unpacks it because the header says so. Other
 * words there, such as utf-8, are ignored everywhere. Where compression was asked for, a recording may hold what was unpacked.
 */
export function saidToBePacked({ request, response }: Exchange): string | undefined {
  const coding = response === undefined ? '' : contentEncoding(response.headers);
  const isPacking = /[ ,](?:x-)?(?:gzip|compress|deflate|br|zstd)(?:,|$)/i.test(coding);
  if (!isPacking || headerValues(request.headers, 'accept-encoding').length > 0) return undefined;
  return 'a body that is not packed and said to be';
}

/** What is wrong with a body that nobody can read as it came: compression that was not asked for, where there is one. */
export function packed(problem: string, { response }: Exchange): string {
  const encoding = response === undefined ? '' : contentEncoding(response.headers);
  return encoding === '' ? problem : `${problem} (${encoding}, which the request does not ask for)`;
}
