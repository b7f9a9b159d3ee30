/** Answers that the document is silent about: how a client takes them is looked at. Judged is one thing: that no answer is taken for success. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { errorBody, finishedBody, htmlAnswer, plainGate, reply, serial } from './answers.ts';
import type { ClientPlan, ClientScenario, LocalAnswer } from './client-scenario.ts';
import { askedOfCloseDay, askedOfRecurring, notSuccess, type Question } from './questions.ts';

const whole = finishedBody([plainGate]);

/** Until the client gives up. */
const endlessForMs = 1500;

const slowByMs = 1000;

export const decodingProbes: readonly ClientScenario[] = [
  {
    id: 'close-day/decoding-probes',
    operation: 'close-day',
    title: 'Odd, broken off and slow answers to close-day',
    shows: ['close-day/broken-body-not-success'],
    plan: () => [
      ...oddTypes(),
      askedOfCloseDay(notUtf8, reply(200, htmlAnswer, spoiltMessage())),
      probe('a byte-order mark', reply(200, htmlAnswer, `\ufeff${whole}`)),
      probe('a member twice', reply(200, htmlAnswer, whole.replace('"status"', '"status":"error","status"'))),
      ...misbehaving(),
    ],
  },
  {
    id: 'recurring/decoding-probes',
    operation: 'process-recurring-payments',
    title: 'Odd, broken off and redirected answers to a batch',
    shows: ['recurring/broken-body-not-success'],
    plan: () => [
      ...[403, 500].map((status) =>
        batchProbe(`an accepted type under HTTP ${status}`, reply(status, htmlAnswer, `type=${acceptedType}\n`)),
      ),
      batchProbe('no line feeds', reply(200, htmlAnswer, `type=${acceptedType}&status=processing`)),
      batchProbe(
        'two line feeds after a value',
        reply(200, htmlAnswer, `type=${acceptedType}\n&status=processing\n\n`),
      ),
      askedOfRecurring(noAnswer('recurring/broken-body-not-success'), { kind: 'reset' }),
      batchProbe('HTTP 503', reply(503, null, '', [['Retry-After', '0']]), 'unavailable'),
      // HTTP libraries send the same batch to where 307 and 308 lead, and often again where a connection ends.
      ...[302, 307, 308].map((status) => batchProbe(`a redirect by ${status}`, redirect(status), 'redirect')),
      batchProbe('a connection closed without an answer', { kind: 'reset', closed: true }, 'reset'),
      batchProbe('a body that is cut off', cutOff('type=process-recurring-payment-re'), 'cut off'),
      { ...batchProbe('a body without an end', { kind: 'endless' }, 'endless'), deadlineMs: endlessForMs },
    ],
  },
];

const acceptedType = 'process-recurring-payment-response';

/** Relative, so that what follows it stays within the case. */
const redirect = (status: number) => reply(status, null, '', [['Location', 'elsewhere']]);

/** The connection ends before the body has the length that the answer says. */
const cutOff = (body: string): LocalAnswer => ({
  kind: 'reply',
  status: 200,
  headers: [
    ['Content-Type', htmlAnswer],
    ['Content-Length', String(body.length + 100)],
  ],
  body: Buffer.from(body),
});

function oddTypes(): ClientPlan[] {
  const [gateId, closing, count] = ['"gateId":"42"', '"isDayClosing":"false"', '"saleApprovedCount":2'];
  return [
    probe('errorCode as a number', reply(200, htmlAnswer, errorBody('99', '"gate is closing already"'))),
    probe('gateId as text', reply(200, htmlAnswer, whole.replace('"gateId":42', gateId!))),
    probe('isDayClosing as text', reply(200, htmlAnswer, whole.replace('"isDayClosing":false', closing!))),
    probe('a count as a number', reply(200, htmlAnswer, whole.replace('"saleApprovedCount":"2"', count!))),
    probe('gates as an object', reply(200, htmlAnswer, whole.replace('[', '').replace(']', ''))),
    probe(
      'gates null',
      reply(200, htmlAnswer, `{"response":{"status":"finished","gates":null},"theRequestSerialNumber":"${serial}"}`),
    ),
  ];
}

function misbehaving(): ClientPlan[] {
  const closed = reply(200, htmlAnswer, whole);
  return [
    // biome-ignore lint/suspicious/noThenProperty: the plan is data and is never awaited
    probe('a slow answer', { kind: 'slow', afterMs: slowByMs, then: closed }, 'slow'),
    askedOfCloseDay(noAnswer('close-day/broken-body-not-success'), { kind: 'reset' }),
    probe('a connection closed without an answer', { kind: 'reset', closed: true }, 'reset'),
    probe('a body that is cut off', cutOff(whole.slice(0, 90)), 'cut off'),
    { ...askedOfCloseDay(noEnd, { kind: 'endless' }), deadlineMs: endlessForMs },
    probe('HTTP 500', reply(500, null, ''), 'unavailable'),
    // Libraries follow 307 and 308 alike, and 301 to 303.
    probe('a redirect', redirect(307), 'redirect'),
    probe('a moved address', redirect(301), 'redirect'),
  ];
}

function probe(question: string, answer: LocalAnswer, misbehaviour?: string): ClientPlan {
  return askedOfCloseDay(unjudged(question, misbehaviour), answer);
}

function batchProbe(question: string, answer: LocalAnswer, misbehaviour?: string): ClientPlan {
  return askedOfRecurring(unjudged(question, misbehaviour), answer);
}

function unjudged(question: string, misbehaviour?: string): Question {
  const asked = { question, answers: [], expected: notSuccess };
  return misbehaviour === undefined ? asked : { ...asked, misbehaviour };
}

/** How often a client asks again is open, and what it makes of no answer is not. */
function noAnswer(row: TestableId<'client'>): Question {
  return { question: 'a reset connection', answers: [row], expected: notSuccess, misbehaviour: 'reset' };
}

/** An error, of which not every character can be read. */
const notUtf8: Question = {
  question: 'invalid UTF-8',
  answers: ['close-day/broken-body-not-success'],
  expected: notSuccess,
};

/** A client may wait for its end until it is stopped. */
const noEnd: Question = {
  question: 'a body without an end',
  answers: ['close-day/broken-body-not-success'],
  expected: notSuccess,
  misbehaviour: 'endless',
  open: true,
};

/** Latin-1 in place of UTF-8: a lone byte 0xE9. */
function spoiltMessage(): Uint8Array {
  return Buffer.from(errorBody('"7"', '"\u00e9"'), 'latin1');
}
