/** Judges of the close-day answer and its gate results: sections 2.2, 3, 4.1 and 7. */
import { gateResultFields } from '../../contracts/requirements/close-day-response.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { Case } from '../record/case.ts';
import { type Exchange, headerValues } from '../record/exchange.ts';
import { pluralize } from '../record/pluralize.ts';
import {
  addEncoding,
  blameForUnclear,
  classify,
  compressionProblem,
  describeAnswer,
  isLeftOpen,
  isRefusedByStatus,
  refusalBlocker,
  unclearBlocker,
} from './answers/acceptance.ts';
import {
  closeDayBody,
  describeValue,
  errorCodeOf,
  errorMessageOf,
  formatValue,
  gatesOf,
  idKey,
  isBlank,
  isHtmlUtf8,
  responseObject,
  serialOf,
  statusOf,
  typeOf,
} from './answers/bodies.ts';
import {
  type Finding,
  fail,
  type GatewayJudges,
  inconclusive,
  type Judge,
  pass,
  passIf,
  perCase,
  worstOf,
} from './judge.ts';
import { answerJudge, undocumentedFailures } from './twins.ts';

const closeDayJudge = answerJudge('close-day');

const toleratedRefusals = perCase((testCase) =>
  isRefusedByStatus(testCase) && testCase.label.intent === 'fault'
    ? pass(`if authentication fails, the status is ${testCase.exchanges[0].response!.status} instead of 200`)
    : null,
);

const judgeStatus200 = closeDayJudge((exchange, { label }) => {
  const { status } = exchange.response!;
  // A body without `response` may be a transport error. If such bodies recur, `undocumentedFailures` judges them.
  if ((isLeftOpen(label) && status !== 200) || !hasResponseMember(exchange)) return null;
  return passIf(status === 200, '200', String(status));
});

function hasResponseMember(exchange: Exchange): boolean {
  return closeDayBody(exchange)?.root?.response !== undefined;
}

function memberJudge(
  member: string,
  status: 'finished' | 'error' | undefined,
  judge: (value: JsonValue | undefined) => Finding,
): Judge {
  return closeDayJudge((exchange) => {
    const response = responseObject(exchange);
    if (response === undefined || (status !== undefined && statusOf(exchange) !== status)) return null;
    return judge(response[member]);
  });
}

function perSerial(judge: (serial: JsonValue) => Finding | null): Judge {
  return closeDayJudge((exchange) => {
    const serial = serialOf(exchange);
    return serial === undefined ? null : judge(serial);
  });
}

const bodyJudges = {
  /** Allows refusals with 401 or 403 (A35). If there are only such refusals, the requirement is inconclusive. */
  'close-day/status-200': (input) => {
    const isDocumented = (one: Case) => isRefusedByStatus(one) || hasResponseMember(one.exchanges[0]);
    const verdicts = [
      ...toleratedRefusals(input),
      ...judgeStatus200(input),
      ...undocumentedFailures(input, 'close-day', isDocumented, '200'),
    ];
    if (verdicts.some(({ finding }) => finding.remark === undefined)) return verdicts;
    return verdicts.map(({ testCase }) => ({ testCase, finding: inconclusive('no answer had HTTP 200', 'subject') }));
  },
  'close-day/content-type': closeDayJudge((exchange) =>
    hasResponseMember(exchange) ? judgeContentType(headerValues(exchange.response!.headers, 'content-type')) : null,
  ),
  'close-day/body-decodable': closeDayJudge((exchange) => {
    if (exchange.response!.status !== 200) return null;
    const body = closeDayBody(exchange);
    if (body === undefined) return fail('one JSON object', 'an empty body');
    if (body.tooDeep !== undefined) return inconclusive(`the suite cannot read the body: ${body.tooDeep}`, 'suite');
    const problem = body.problem ?? compressionProblem(exchange);
    return problem === undefined ? pass() : fail('one JSON object', addEncoding(problem, exchange));
  }),
  'close-day/response-member': closeDayJudge((exchange) => {
    const root = closeDayBody(exchange)?.root;
    if (root === undefined || exchange.response!.status !== 200) return null;
    return passIf(isJsonObject(root.response), 'an object named response', formatValue(root.response));
  }),
  'close-day/serial-present': closeDayJudge((exchange) => {
    if (responseObject(exchange) === undefined) return null;
    return passIf(serialOf(exchange) !== undefined, 'the member theRequestSerialNumber', 'a body without this member');
  }),
  'close-day/serial-type': perSerial((serial) => passIf(typeof serial === 'string', 'a string', describeValue(serial))),
  'close-day/serial-shape': perSerial((serial) =>
    judgeText(serial, (text) => uuidShape.test(text), '8-4-4-4-12 hexadecimal digits'),
  ),
  'close-day/status-present': memberJudge('status', undefined, (status) =>
    passIf(typeof status === 'string', 'response.status as a string', formatValue(status)),
  ),
  'close-day/status-value': closeDayJudge((exchange) => {
    const status = statusOf(exchange);
    return status === undefined ? null : passIf(['finished', 'error'].includes(status), 'finished or error', status);
  }),
  'close-day/finished-has-gates': memberJudge('gates', 'finished', (gates) => {
    if (!Array.isArray(gates)) return fail('response.gates as an array', formatValue(gates));
    const nonObject = gates.find((gate) => !isJsonObject(gate));
    return nonObject === undefined ? pass() : fail('an object for each gate', describeValue(nonObject));
  }),
  /** Accepts a text or a whole number, because the type of errorCode is open (A10). */
  'close-day/error-has-code': memberJudge('errorCode', 'error', (code) => {
    if (code === undefined) return fail('response.errorCode', 'an error without this member');
    const blank = blankText(code);
    const isCode = blank === undefined && ['string', 'long'].includes(typeOf(code));
    return passIf(isCode, 'a code as text or as a whole number', blank ?? describeValue(code));
  }),
  'close-day/error-has-message': memberJudge('errorMessage', 'error', (message) => {
    const blank = blankText(message);
    if (blank !== undefined) return fail('response.errorMessage with a text', blank);
    return passIf(typeof message === 'string', 'response.errorMessage as a string', formatValue(message));
  }),
} satisfies GatewayJudges;

/** Sections 2.2 and 2.4 require the same content type. */
export function judgeContentType(values: readonly string[]): Finding {
  const isDocumented = values.length === 1 && isHtmlUtf8(values[0]!);
  return passIf(
    isDocumented,
    'text/html;charset=utf-8',
    values.length === 0 ? 'no Content-Type' : values.join(' and '),
  );
}

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function blankText(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || !isBlank(value)) return undefined;
  return value === '' ? 'an empty text' : 'a text of white space';
}

const typeWords = { long: 'a whole number', boolean: 'true or false', string: 'a string' };

type Slug = keyof typeof gateResultFields;
type FieldId = `close-day/gate-${Slug}-present` | `close-day/gate-${Slug}-type`;

const fieldJudges = Object.fromEntries(
  Object.entries(gateResultFields).flatMap(([slug, { member, type }]) => {
    const judgePresence = (value: JsonValue | undefined) =>
      passIf(value !== undefined, `the member ${member}`, 'a gate without this member');
    const judgeType = (value: JsonValue | undefined) =>
      value === undefined ? null : passIf(typeOf(value) === type, typeWords[type], describeValue(value));
    return [
      [`close-day/gate-${slug}-present`, perGate(member, judgePresence)],
      [`close-day/gate-${slug}-type`, perGate(member, judgeType)],
    ];
  }),
) as Record<FieldId, Judge>;

const gateResultJudges = {
  ...fieldJudges,
  'close-day/gate-close-date-shape': perGate('gateCloseDate', (value) =>
    judgeText(value, isCloseDate, 'weekday month day time zone year'),
  ),
  'close-day/gate-sale-amount-form': perGate('saleAmount', judgeAmount),
  'close-day/gate-reversal-amount-form': perGate('reversalAmount', judgeAmount),
  /** If the suite does not know the number of gates, this requirement can fail but never pass. */
  'close-day/one-result-per-gate': (input) => {
    const earlier = new Map<string, ReadonlySet<string>>();
    return closeDayJudge((exchange, testCase) => {
      const gates = statusOf(exchange) === 'finished' ? gatesOf(exchange) : undefined;
      // Give no finding for an endpoint that does not exist, because it has no gates.
      if (gates === undefined || testCase.label.facts?.gate === 'unknown') return null;
      const finding = judgeGateCount(gates, testCase.label.facts?.gates);
      return finding === null || finding.outcome === 'pass' ? (gateDiff(testCase, gates, earlier) ?? finding) : finding;
    })(input);
  },
  'close-day/closing-gate-error': (input) => [...closingGateErrors(input), ...otherGateErrors(input)],
  'close-day/closing-gate-message': closeDayJudge((exchange) => {
    if (statusOf(exchange) !== 'error' || errorCodeOf(exchange) !== '99') return null;
    const message = errorMessageOf(exchange);
    return message === undefined ? null : passIf(message === closingMessage, closingMessage, message);
  }),
  /** A finished answer must report a locked gate as locked. An error is also allowed (A28). */
  'close-day/locked-gate-reported': gateStateJudge('locked', (exchange) => judgeLock(exchange, true)),
  'close-day/open-gate-reported': closeDayJudge((exchange, { label }) =>
    label.facts?.gate === 'open' ? judgeLock(exchange, false) : null,
  ),
  'close-day/lock-removal': closeDayJudge((exchange, { label }) =>
    label.about === 'close-day/lock-removal' ? judgeLock(exchange, false) : null,
  ),
  /** After a manual close the gate is no longer closing, so error 99 fails. Other errors give no finding. */
  'close-day/manual-close': closeDayJudge((exchange, { label }) => {
    if (label.about !== 'close-day/manual-close') return null;
    // A finished answer passes even with errorCode 99, because a code has a meaning only with status error (A6).
    if (statusOf(exchange) === 'finished') return pass();
    if (statusOf(exchange) !== 'error' || errorCodeOf(exchange) !== '99') return null;
    return fail('an answer that is not error 99', describeAnswer(exchange));
  }),
} satisfies GatewayJudges;

export const closeDayResponseJudges = { ...bodyJudges, ...gateResultJudges };

function perGate(member: string, judge: (value: JsonValue | undefined) => Finding | null): Judge {
  return closeDayJudge((exchange) => {
    const gates = gatesOf(exchange) ?? [];
    return worstOf(gates.flatMap((gate) => judge(isJsonObject(gate) ? gate[member] : undefined) ?? [])) ?? null;
  });
}

function judgeAmount(value: JsonValue | undefined): Finding | null {
  return judgeText(value, (text) => /^-?\d+\.\d{2}$/.test(text), 'a decimal with two fractional digits');
}

const february = /^feb(?:ruary)?$/i;
const monthOf30Days = /^(?:apr(?:il)?|june?|sep(?:t(?:ember)?)?|nov(?:ember)?)$/i;
const englishMonth =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/i;
const englishWeekday = /^(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$/i;

export function namesInDate(text: string): string {
  const [weekday = '', month = ''] = text.split(' ');
  if (!englishWeekday.test(weekday) || !englishMonth.test(month)) return 'names that are not English';
  return weekday.length === 3 && month.length === 3
    ? 'English names of three letters'
    : 'English names of other lengths';
}

function isCloseDate(text: string): boolean {
  const [weekday = '', month = '', day = '', time = '', zone = '', year = '', ...more] = text.split(' ');
  const isName = (name: string) => /^\S*\p{L}\S*$/u.test(name);
  if (englishMonth.test(weekday) && englishWeekday.test(month)) return false;
  if (more.length > 0 || !isName(weekday) || !isName(month) || !/^[\p{L}\p{Nd}+-]\S*$/u.test(zone)) return false;
  if (!/^\d{1,2}$/.test(day) || !/^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)$/.test(time)) return false;
  if (!/^\d{4}$/.test(year) || year === '0000') return false;
  return Number(day) >= 1 && Number(day) <= daysIn(month, Number(year));
}

/** Returns 31 if the name of the month is not English, because its length is unknown. */
function daysIn(month: string, year: number): number {
  if (monthOf30Days.test(month)) return 30;
  if (!february.test(month)) return 31;
  return new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29 ? 29 : 28;
}

function judgeText(value: JsonValue | undefined, isValid: (text: string) => boolean, expected: string): Finding | null {
  return typeof value === 'string' ? passIf(isValid(value), expected, value) : null;
}

const closingMessage = 'gate is closing already';

const closingGateErrors = gateStateJudge('closing', (exchange) => {
  const isError = statusOf(exchange) === 'error' && ['99', undefined].includes(errorCodeOf(exchange));
  return passIf(isError, 'error with errorCode 99', describeAnswer(exchange));
});

const otherGateErrors = closeDayJudge((exchange, { label }) => {
  if (label.facts?.gate === 'closing' && label.intent === 'valid') return null;
  const code = errorCodeOf(exchange);
  if (statusOf(exchange) !== 'error' || code === undefined || code === '99') return null;
  if (errorMessageOf(exchange) !== closingMessage) return null;
  return fail(`errorCode 99 with the message '${closingMessage}'`, describeAnswer(exchange));
});

/** Judges valid requests to such a gate. A refusal by a closing gate counts only if a free gate accepted the same. */
function gateStateJudge(gate: 'closing' | 'locked', look: (exchange: Exchange) => Finding | null): Judge {
  return (input) =>
    perCase((testCase) => {
      const { label, exchanges } = testCase;
      const [exchange] = exchanges;
      if (label.facts?.gate !== gate || label.intent !== 'valid') return null;
      if (statusOf(exchange) === undefined)
        return inconclusive(describeAnswer(exchange), blameForUnclear(exchange), unclearBlocker(testCase));
      const twin = input.twinOf(testCase);
      const isRefused = gate === 'closing' && classify(testCase) === 'refused';
      return isRefused && (twin === undefined || classify(twin) !== 'accepted') ? twinFinding(twin) : look(exchange);
    })(input);
}

function judgeLock(exchange: Exchange, locked: boolean): Finding | null {
  if (statusOf(exchange) !== 'finished') return null;
  const values = (gatesOf(exchange) ?? []).map((gate) => (isJsonObject(gate) ? gate.isDayClosing : undefined));
  const booleans = values.filter((value) => typeof value === 'boolean');
  if (booleans.length === 0) return null;
  return passIf(
    booleans.every((mark) => mark === locked),
    `isDayClosing ${locked}`,
    `isDayClosing ${!locked}`,
  );
}

function twinFinding(twin: Case | undefined): Finding {
  const text = 'refused, and the same request for a free gate was';
  if (twin === undefined) return inconclusive(`${text} not sent`, 'configuration');
  if (classify(twin) === 'refused') return inconclusive(`${text} refused too`, 'subject', refusalBlocker(twin));
  const [exchange] = twin.exchanges;
  const actual = `${text} neither accepted nor refused: ${describeAnswer(exchange)}`;
  return inconclusive(actual, blameForUnclear(exchange), unclearBlocker(twin));
}

function judgeGateCount(gates: readonly JsonValue[], count: number | undefined): Finding | null {
  if (gates.length === 0) return fail('at least one result', 'an empty array');
  const gateIds = idsIn(gates);
  const ids = new Set<string>();
  const repeated = gateIds.find((id) => ids.size === ids.add(idKey(id)).size);
  if (repeated !== undefined) return fail('each gate once', `gate ${formatValue(repeated)} more than once`);
  if (count === undefined) return null;
  if (gates.length !== count) return fail(pluralize(count, 'result'), pluralize(gates.length, 'result'));
  return ids.size === gates.length
    ? pass()
    : inconclusive(`only ${ids.size} of ${count} results have a gateId`, 'subject');
}

/** Fails if the gates of an endpoint change within a scenario. Ignores recordings, where gates may really change. */
function gateDiff(
  { scenario, label, exchanges: [exchange] }: Case,
  gates: readonly JsonValue[],
  earlier: Map<string, ReadonlySet<string>>,
): Finding | undefined {
  if (label.intent === 'open' && label.openPoint === undefined) return undefined;
  const gateIds = idsIn(gates);
  if (gateIds.length < gates.length) return undefined;
  const { host, target } = exchange.request;
  const endpoint = JSON.stringify([scenario, host, target.split('?', 1)[0]]);
  const ids = new Set(gateIds.map(idKey));
  const earlierIds = earlier.get(endpoint);
  if (earlierIds === undefined) {
    earlier.set(endpoint, ids);
    return undefined;
  }
  const added = gateIds.find((id) => !earlierIds.has(idKey(id)));
  const expected = 'the gates of an earlier answer of this endpoint';
  if (added !== undefined) return fail(expected, `gate ${formatValue(added)}, which is not one of these gates`);
  return ids.size < earlierIds.size ? fail(expected, `${ids.size} of these ${earlierIds.size} gates`) : undefined;
}

function idsIn(gates: readonly JsonValue[]): readonly JsonValue[] {
  return gates.flatMap((gate) => (isJsonObject(gate) && gate.gateId !== undefined ? [gate.gateId] : []));
}
