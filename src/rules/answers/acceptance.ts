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

/** Undefined where the answer, or its absence, does not show whether the request passed authentication and checks. */
export function isTaken(examined: Case): boolean | undefined {
  const status = examined.exchanges[0].response?.status;
  const said = classify(examined);
  if (said === 'accepted' || said === 'past-authentication') return true;
  return said === 'refused' || (status !== undefined && !noAnswerToTheRequest(status)) ? false : undefined;
}

/** An unreadable body is the fault of the subject; silence and faults on the way are not. */
export function blameForUnclear(exchange: Exchange): Blame {
  const { response } = exchange;
  if (response === undefined) return isUnreadable(exchange) ? 'subject' : 'environment';
  return noAnswerToTheRequest(response.status) ? 'environment' : 'subject';
}

/** Whether an answer came that is not HTTP/1.1, or is too long to be read. */
export function isUnreadable({ response, failure }: Exchange): boolean {
  return response === undefined && (failure?.kind === 'malformed' || failure?.kind === 'too-large');
}

/** Whether nothing was there to be acted on: the request was not sent, or no connection was made. */
export function neverArrived({ response, failure }: Pick<Exchange, 'response' | 'failure'>): boolean {
  return response === undefined && ['unreachable', 'tls', 'not-sent'].includes(failure?.kind ?? '');
}

/** Only then may 401 or 403 stand for another failure. A body of another type is not signed as fields, so it fails authentication first. */
export function isAboutAuthentication({ intent, about }: CaseLabel): boolean {
  return intent === 'fault' && /^authentication\/|\/content-type-enforced$/.test(about ?? '');
}

/** Whether the document does not define the request, or the form of its fault. Then only its acceptance means something. */
export function isLeftOpen({ intent, openPoint }: CaseLabel): boolean {
  return intent === 'open' || (intent === 'fault' && openPoint !== undefined);
}

export function isPlainFault(label: CaseLabel): boolean {
  return label.intent === 'fault' && !isLeftOpen(label);
}

/** Whether a refusal has a status whose form is open (A35). Then only the row on the status judges it. */
export function isTakenForRefusal({ label, exchanges: [exchange] }: Case): boolean {
  const status = exchange.response?.status;
  if (status === undefined || !answerReadings[label.operation].openRefusals.includes(status)) return false;
  return label.intent === 'open' || isAboutAuthentication(label);
}

/** What was received, in one line, with the target's own words, which may differ from answer to answer. */
export function describeAnswer(exchange: Exchange): string {
  const words = errorMessageOf(exchange) ?? parameterOf(exchange, 'error-message');
  const said = words === undefined ? '' : quoted(words);
  return said === '' ? formOfAnswer(exchange) : `${formOfAnswer(exchange)} "${said}"`;
}

const mostWords = 120;

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

/** A readable body that the header calls packed. A recording may hold an unpacked body if compression was asked for. */
export function saidToBePacked({ request, response }: Exchange): string | undefined {
  const coding = response === undefined ? '' : contentEncoding(response.headers);
  const isPacking = /[ ,](?:x-)?(?:gzip|compress|deflate|br|zstd)(?:,|$)/i.test(coding);
  if (!isPacking || headerValues(request.headers, 'accept-encoding').length > 0) return undefined;
  return 'a body that is not packed and said to be';
}

/** Names the compression that was not asked for, if there is one. */
export function packed(problem: string, { response }: Exchange): string {
  const encoding = response === undefined ? '' : contentEncoding(response.headers);
  return encoding === '' ? problem : `${problem} (${encoding}, which the request does not ask for)`;
}
