/** Judges of the close-day answer: sections 2.2, 3, 4.1 and 7. Each ignores the faults that other judges report. */
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { Case } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { falselyCompressed, isLeftOpen, isTakenForRefusal, withEncoding } from './answers/acceptance.ts';
import {
  closeDayBody,
  describeValue,
  formatValue,
  responseObject,
  statusOf,
  typeOf,
} from './answers/close-day-body.ts';
import { isHtmlUtf8 } from './answers/media-type.ts';
import { isBlank } from './answers/recurring-body.ts';
import type { Finding, GatewayJudges, Judge } from './judge.ts';
import { fail, groupedOnce, inconclusive, pass, perCase } from './judge.ts';
import { failuresInAnotherForm } from './open-refusals.ts';

/** Judges all close-day answers except refusals in a form that the document leaves open (A35). */
export function ofCloseDay(look: (exchange: Exchange, testCase: Case) => Finding | null): Judge {
  return perCase(
    (testCase) => look(testCase.exchanges[0], testCase),
    (cases) => answers(cases, 'close-day'),
  );
}

const answers = groupedOnce((testCase) => (isTakenForRefusal(testCase) ? undefined : testCase.label.operation));

const toleratedRefusals = perCase((testCase) =>
  isTakenForRefusal(testCase) && testCase.label.intent === 'fault'
    ? pass(`if authentication fails, the status is ${testCase.exchanges[0].response!.status} instead of 200`)
    : null,
);

const status200OfEach = ofCloseDay((exchange, { label }) => {
  const { response } = exchange;
  if (response === undefined) return null;
  const { status } = response;
  // The document does not define this request, so its status is not judged.
  if (isLeftOpen(label) && status !== 200) return null;
  // A single refusal without the documented body may be a transport error. `failuresInAnotherForm` judges repeated refusals.
  if (!hasResponseMember(exchange)) return null;
  return status === 200 ? pass() : fail('200', String(status));
});

function hasResponseMember(exchange: Exchange): boolean {
  return closeDayBody(exchange)?.root?.response !== undefined;
}

export const closeDayResponseJudges = {
  /** Refusals with 401 or 403 are allowed (A35), but cannot pass alone: at least one answer must have HTTP 200. */
  'close-day/status-200': (input) => {
    const isDocumented = (one: Case) => isTakenForRefusal(one) || hasResponseMember(one.exchanges[0]);
    const verdicts = [
      ...toleratedRefusals(input),
      ...status200OfEach(input),
      ...failuresInAnotherForm(input, 'close-day', isDocumented, '200'),
    ];
    if (verdicts.some(({ finding }) => finding.remark === undefined)) return verdicts;
    return verdicts.map(({ testCase }) => ({ testCase, finding: inconclusive('no answer had HTTP 200', 'subject') }));
  },
  'close-day/content-type': ofCloseDay((exchange) =>
    hasResponseMember(exchange) ? judgeContentType(headerValues(exchange.response!.headers, 'content-type')) : null,
  ),
  'close-day/body-decodable': ofCloseDay((exchange) => {
    if (exchange.response?.status !== 200) return null;
    const body = closeDayBody(exchange);
    if (body === undefined) return fail('one JSON object', 'an empty body');
    if (body.unread !== undefined) return inconclusive(`the suite cannot read it: ${body.unread}`, 'suite');
    const problem = body.problem ?? falselyCompressed(exchange);
    return problem === undefined ? pass() : fail('one JSON object', withEncoding(problem, exchange));
  }),
  'close-day/response-member': ofCloseDay((exchange) => {
    const root = closeDayBody(exchange)?.root;
    if (root === undefined || exchange.response?.status !== 200) return null;
    return isJsonObject(root.response) ? pass() : fail('an object named response', formatValue(root.response));
  }),
  'close-day/serial-present': ofCloseDay((exchange) => {
    if (responseObject(exchange) === undefined) return null;
    const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
    return serial !== undefined ? pass() : fail('the member theRequestSerialNumber', 'a body without this member');
  }),
  'close-day/serial-type': ofCloseDay((exchange) => {
    const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
    if (serial === undefined) return null;
    return typeof serial === 'string' ? pass() : fail('a string', describeValue(serial));
  }),
  'close-day/serial-shape': ofCloseDay((exchange) => {
    const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
    if (typeof serial !== 'string') return null;
    return uuidShape.test(serial) ? pass() : fail('8-4-4-4-12 hexadecimal digits', serial);
  }),
  'close-day/status-present': ofCloseDay((exchange) => {
    const response = responseObject(exchange);
    if (response === undefined) return null;
    return typeof response.status === 'string'
      ? pass()
      : fail('response.status as a string', formatValue(response.status));
  }),
  'close-day/status-value': ofCloseDay((exchange) => {
    const status = statusOf(exchange);
    if (status === undefined) return null;
    return status === 'finished' || status === 'error' ? pass() : fail('finished or error', status);
  }),
  'close-day/finished-has-gates': ofCloseDay((exchange) => {
    if (statusOf(exchange) !== 'finished') return null;
    const gates = responseObject(exchange)?.gates;
    if (!Array.isArray(gates)) return fail('response.gates as an array', formatValue(gates));
    const odd = gates.find((gate) => !isJsonObject(gate));
    if (odd !== undefined) return fail('an object for each gate', describeValue(odd));
    return pass();
  }),
  /** Accepts a text or a whole number, because the type of errorCode is open (A10). */
  'close-day/error-has-code': ofCloseDay((exchange) => {
    if (statusOf(exchange) !== 'error') return null;
    const code = responseObject(exchange)?.errorCode;
    if (code === undefined) return fail('response.errorCode', 'an error without this member');
    const type = typeOf(code);
    const blank = blankText(code);
    return (type === 'string' && blank === undefined) || type === 'long'
      ? pass()
      : fail('a code as text or as a whole number', blank ?? describeValue(code));
  }),
  'close-day/error-has-message': ofCloseDay((exchange) => {
    if (statusOf(exchange) !== 'error') return null;
    const message = responseObject(exchange)?.errorMessage;
    const blank = blankText(message);
    if (blank !== undefined) return fail('response.errorMessage with a text', blank);
    return typeof message === 'string' ? pass() : fail('response.errorMessage as a string', formatValue(message));
  }),
} satisfies GatewayJudges;

/** Sections 2.2 and 2.4 require the same content type. */
export function judgeContentType(values: readonly string[]): Finding {
  const ok = values.length === 1 && isHtmlUtf8(values[0]!);
  return ok ? pass() : fail('text/html;charset=utf-8', values.length === 0 ? 'no Content-Type' : values.join(' and '));
}

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function blankText(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || !isBlank(value)) return undefined;
  return value === '' ? 'an empty text' : 'a text of white space';
}
