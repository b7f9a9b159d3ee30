/** Broken, truncated or undocumented answers. No client may read them as success (sections 2.2 and 4.2). */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { LocalAnswer } from '../../record/case.ts';
import type { ClientPlan, ClientScenario } from '../scenario.ts';
import {
  clientScenario,
  closeDayDecodeCase,
  errorBody,
  finishedBody,
  gateText,
  htmlType,
  notSuccess,
  plainGate,
  type Question,
  recurringDecodeCase,
  reply,
  serial,
} from './cases.ts';

const wholeBody = finishedBody([plainGate]);
const closeDayRow = 'close-day/broken-body-not-success';
const recurringRow = 'recurring/broken-body-not-success';
const endlessDeadlineMs = 1500;

const htmlPage = '<!DOCTYPE html><html><head><title>Welcome</title></head><body>status: finished</body></html>';

export const decodingProbes: readonly ClientScenario[] = [
  clientScenario('close-day/decoding-probes', [closeDayRow], () => [
    ...oddTypes(),
    // In Latin-1, é is the single byte 0xE9, which is not valid UTF-8.
    closeDayDecodeCase(
      neverSuccess(closeDayRow, 'invalid UTF-8'),
      reply(200, htmlType, Buffer.from(errorBody('"7"', '"\u00e9"'), 'latin1')),
    ),
    probe('a byte-order mark', reply(200, htmlType, `\ufeff${wholeBody}`)),
    probe('a member twice', reply(200, htmlType, wholeBody.replace('"status"', '"status":"error","status"'))),
    ...misbehaving(),
  ])`Unusual, truncated and slow answers to close-day`,
  clientScenario('recurring/decoding-probes', [recurringRow], () => [
    ...[403, 500].map((status) =>
      batchProbe(`an accepted type under HTTP ${status}`, reply(status, htmlType, `type=${acceptedType}\n`)),
    ),
    batchProbe('no line feeds', reply(200, htmlType, `type=${acceptedType}&status=processing`)),
    batchProbe('two line feeds after a value', reply(200, htmlType, `type=${acceptedType}\n&status=processing\n\n`)),
    recurringDecodeCase(noAnswer(recurringRow), { kind: 'reset' }),
    batchProbe('HTTP 503', reply(503, null, '', [['Retry-After', '0']]), 'unavailable'),
    // HTTP libraries send a batch again after 307 and 308, and often after a closed connection.
    ...[302, 307, 308].map((status) => batchProbe(`a redirect by ${status}`, redirect(status), 'redirect')),
    batchProbe('a connection closed without an answer', { kind: 'reset', closed: true }, 'reset'),
    batchProbe('a body that is cut off', cutOff('type=process-recurring-payment-re'), 'cut off'),
    { ...batchProbe('a body without an end', { kind: 'endless' }, 'endless'), deadlineMs: endlessDeadlineMs },
  ])`Unusual, truncated and redirected answers to a batch`,
];

const acceptedType = 'process-recurring-payment-response';

/** The Location is relative, so that the next request also goes to the base URL of this case. */
const redirect = (status: number) => reply(status, null, '', [['Location', 'elsewhere']]);

/** Content-Length announces 100 bytes more than the body has. The suite closes the connection after the body. */
const cutOff = (body: string): LocalAnswer => ({
  kind: 'reply',
  status: 200,
  headers: [
    ['Content-Type', htmlType],
    ['Content-Length', String(body.length + 100)],
  ],
  body: Buffer.from(body),
});

function oddTypes(): ClientPlan[] {
  const odd = (question: string, body: string) => probe(question, reply(200, htmlType, body));
  return [
    odd('errorCode as a number', errorBody('99', '"gate is closing already"')),
    odd('gateId as text', wholeBody.replace('"gateId":42', '"gateId":"42"')),
    odd('isDayClosing as text', wholeBody.replace('"isDayClosing":false', '"isDayClosing":"false"')),
    odd('a count as a number', wholeBody.replace('"saleApprovedCount":"2"', '"saleApprovedCount":2')),
    odd('gates as an object', wholeBody.replace('[', '').replace(']', '')),
    odd('gates null', wholeBody.replace(/\[.*\]/, 'null')),
  ];
}

function misbehaving(): ClientPlan[] {
  const finishedReply = reply(200, htmlType, wholeBody);
  return [
    probe('a slow answer', { kind: 'slow', afterMs: 1000, slowReply: finishedReply }, 'slow'),
    closeDayDecodeCase(noAnswer(closeDayRow), { kind: 'reset' }),
    probe('a connection closed without an answer', { kind: 'reset', closed: true }, 'reset'),
    probe('a body that is cut off', cutOff(wholeBody.slice(0, 90)), 'cut off'),
    { ...closeDayDecodeCase(noEnd, { kind: 'endless' }), deadlineMs: endlessDeadlineMs },
    probe('HTTP 500', reply(500, null, ''), 'unavailable'),
    // Two statuses are enough, because libraries treat 308 like 307 and 303 like 301.
    probe('a redirect', redirect(307), 'redirect'),
    probe('a moved address', redirect(301), 'redirect'),
  ];
}

function probe(question: string, answer: LocalAnswer, misbehaviour?: string): ClientPlan {
  return closeDayDecodeCase(unjudged(question, misbehaviour), answer);
}

function batchProbe(question: string, answer: LocalAnswer, misbehaviour?: string): ClientPlan {
  return recurringDecodeCase(unjudged(question, misbehaviour), answer);
}

function unjudged(question: string, misbehaviour?: string): Question {
  return { question, answers: [], expected: notSuccess, ...(misbehaviour === undefined ? {} : { misbehaviour }) };
}

function neverSuccess(row: TestableId<'client'>, question: string): Question {
  return { question, answers: [row], expected: notSuccess };
}

/** No answer comes. The client may send the request again, but must not report success. */
function noAnswer(row: TestableId<'client'>): Question {
  return { ...neverSuccess(row, 'a reset connection'), misbehaviour: 'reset' };
}

/** The body never ends. The question is `open`, because a client may wait until the suite stops the call. */
const noEnd: Question = { ...neverSuccess(closeDayRow, 'a body without an end'), misbehaviour: 'endless', open: true };

type BadAnswers = readonly (readonly [question: string, status: number, body: string, contentType?: string | null])[];

const closeDayAnswers: BadAnswers = [
  ['JSON cut in the last member', 200, wholeBody.slice(0, wholeBody.lastIndexOf('"'))],
  ['JSON cut before its last brace', 200, wholeBody.slice(0, -1)],
  ['JSON cut inside a gate', 200, wholeBody.slice(0, wholeBody.indexOf('"epntId"'))],
  ['JSON cut after the status', 200, wholeBody.slice(0, wholeBody.indexOf(',"gates"'))],
  ['an HTML page', 200, htmlPage],
  ['an empty body', 200, ''],
  ['the JSON text null', 200, 'null'],
  ['a JSON array', 200, `[${wholeBody}]`],
  ['the text OK', 200, 'OK'],
  ['no status', 200, `{"response":{"gates":[${gateText(plainGate)}]},"theRequestSerialNumber":"${serial}"}`],
  ['a status that is no text', 200, wholeBody.replace('"finished"', 'true')],
  ['a status in a list', 200, wholeBody.replace('"finished"', '["finished"]')],
  ['no response', 200, wholeBody.replace('"response":{', '').replace('},"the', ',"the')],
  ['HTTP 401', 401, ''],
  ['HTTP 403', 403, ''],
  ['HTTP 500 with an HTML page', 500, htmlPage],
  ['a finished day under HTTP 403', 403, wholeBody],
  ...[201, 202, 206].map((status) => [`a finished day under HTTP ${status}`, status, wholeBody] as const),
];

const recurringAnswers: BadAnswers = [
  ['an HTML page', 200, htmlPage],
  ['an HTML page without a content type', 200, htmlPage, null],
  ['the text OK', 200, 'OK', 'text/plain'],
  ['a line feed', 200, '\n'],
  ['JSON', 200, '{"status":"accepted"}', 'application/json'],
  ['parameters without a type', 200, 'status=processing\n&serial-number=1\n'],
  ...[
    'process-recurring-payment-request',
    'process-recurring-payments-response',
    'PROCESS-RECURRING-PAYMENT-RESPONSE',
  ].map((type) => [`the type ${type}`, 200, `type=${type}\n&status=processing\n`] as const),
  // HTTP libraries treat each 2xx as success, and follow a 302. But section 4.2 requires 200.
  ...[201, 202, 204, 206].map((status) => [`an empty ${status}`, status, '', null] as const),
  ['an empty 302 that leads nowhere', 302, '', null],
  ['an empty 409', 409, '', null],
  ['an HTML page under HTTP 403', 403, htmlPage],
];

/** Statuses that section 4.2 does not define. Statuses after which a client may retry come first. */
const otherStatuses = [
  ...[408, 429, 500, 502, 503, 504, 400, 401, 404, 425, 405, 409, 410, 413, 422, 423, 501, 507, 520],
  ...[
    203, 207, 226, 300, 301, 303, 308, 402, 406, 407, 411, 412, 414, 415, 416, 417, 418, 421, 424, 426, 428, 431, 451,
    499, 505, 506, 508,
  ],
  ...[509, 510, 511, 521, 522, 523, 524, 525, 526, 527, 529, 530, 419, 420, 430, 440, 444, 449, 450, 460],
  ...[561, 598, 599],
];

/** Answers each plan with a different HTTP status. A client must not report success. */
export function underOtherStatuses(plans: readonly ClientPlan[]): ClientPlan[] {
  // A client must send the mandatory inputs. So answer them with the first statuses, which are the important ones.
  const isMandatory = ({ label }: ClientPlan) => label.input === 'mandatory';
  const ordered = [...plans.filter(isMandatory), ...plans.filter((plan) => !isMandatory(plan))];
  return ordered.map((plan, at) => {
    const status = otherStatuses[at];
    return status === undefined || plan.label.input === 'probe' ? plan : underStatus(plan, status);
  });
}

function underStatus(plan: ClientPlan, status: number): ClientPlan {
  const isCloseDay = plan.label.operation === 'close-day';
  const [contentType, body] = isCloseDay ? [htmlType, wholeBody] : [null, ''];
  const { question, answers, expected } = isCloseDay
    ? neverSuccess(closeDayRow, `a finished day under HTTP ${status}`)
    : neverSuccess(recurringRow, `an empty body under HTTP ${status}`);
  return {
    ...plan,
    answer: reply(status, contentType, body, [['Retry-After', '0']]),
    label: { ...plan.label, decoding: { question, answers, expected, form: 'only' } },
  };
}

export const brokenBodies: readonly ClientScenario[] = [
  clientScenario('close-day/broken-bodies', [closeDayRow], () =>
    closeDayAnswers.map(([question, status, body, contentType = htmlType]) =>
      closeDayDecodeCase(neverSuccess(closeDayRow, question), reply(status, contentType, body)),
    ),
  )`Bodies that are not a valid answer to close-day`,
  clientScenario('recurring/broken-bodies', [recurringRow], () =>
    recurringAnswers.map(([question, status, body, contentType = htmlType]) =>
      recurringDecodeCase(neverSuccess(recurringRow, question), reply(status, contentType, body)),
    ),
  )`Bodies that are not a valid answer to a batch`,
];
