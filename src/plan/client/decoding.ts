/** Answers to both operations, and how a client must read them: sections 2.2, 2.4, 3, 4.1, 4.2 and 7. */
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { clientOrderids } from '../../../generators/client-orderid.ts';
import { type GateSample, gateResults } from '../../../generators/gate-result.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import type { Gate } from '../../protocol/close-day.ts';
import type { ExpectedReading } from '../../record/case.ts';
import type { ClientDraw, ClientPlan, ClientScenario } from '../scenario.ts';
import {
  acceptance,
  clientScenario,
  closeDayDecodeCase,
  emptyOk,
  errorBody,
  failure,
  finishedBody,
  finishedReading,
  finishedWith,
  gateText,
  htmlQuestion,
  htmlType,
  notSuccess,
  parameterBody,
  plainGate,
  type Question,
  recurringDecodeCase,
  recurringQuestion,
  reply,
  serial,
  serialOfError,
  testableIds,
} from './cases.ts';

const gateRowIds = testableIds(/^close-day\/decodes-gate-/);

/** A message of more than 255 characters, with markup, placeholders and delimiters. */
const longMessage = `<b>Gerät 漢</b> &amp; 50% <br/> it's {0} %s $1 at https://a/b?c=d;e#f${' endpoint 1111 is switched off'.repeat(9)} </end>`;

/** ASCII punctuation that JSON does not escape. It has no %, so decoding it twice gives a wrong text, not an error. */
const punctuation = "!#$&'()*+,-./:;<=>?@[]^_`{|}~ --1 /*2*/ //3 {4}";

const finishedRows = [
  'close-day/decodes-finished',
  'close-day/decodes-text-html',
  'close-day/decodes-gates',
  'close-day/decodes-serial',
] as const satisfies readonly TestableId<'client'>[];

const lockedRows = [
  'close-day/decodes-locked-gate',
  'close-day/decodes-gates',
  'close-day/decodes-serial',
  ...gateRowIds,
] as const satisfies readonly TestableId<'client'>[];

/** All requirements that finished answers test, with or without a locked gate. */
export const gateRows = [...new Set([...finishedRows, ...lockedRows])];

const errorRows = [
  'close-day/decodes-error',
  'close-day/decodes-text-html',
  'close-day/decodes-serial',
] as const satisfies readonly TestableId<'client'>[];

/** Gates with amounts and texts that change if a client stores them as numbers. */
const threeGates: readonly Gate[] = [
  { ...plainGate, gateId: '9', saleApprovedCount: '0', saleAmount: '0.00', reversalAmount: '100.00', code39: '00' },
  {
    ...plainGate,
    gateId: '10',
    epntId: '1112',
    saleApprovedCount: '10',
    saleAmount: '0.10',
    reversalApprovedCount: '9',
    reversalAmount: '1234567.89',
    RRN: '000000000042',
  },
  { ...plainGate, gateId: '11', saleAmount: '90071992547409.93', reversalAmount: '0.07', code39: '05' },
];

const nearlyFinished = [
  ...['finishing', 'finished-with-errors', 'unfinished', ' finished', 'finished ', 'Finished', 'FINISHED'],
  ...['success', ''],
];

const withoutTurnover = {
  saleApprovedCount: '0',
  saleAmount: '0.00',
  reversalApprovedCount: '0',
  reversalAmount: '0.00',
} as const;

const thirtyGates = Array.from({ length: 30 }, (_, at) => ({
  ...plainGate,
  gateId: `${100 + at}7`,
  gateCloseDate: new Date(Date.UTC(2024, at, at + 1, 9, 5, 7))
    .toUTCString()
    .replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 UTC $4'),
  RRN: String(123456789000 + at),
  ...(at === 7 ? withoutTurnover : {}),
}));

const closeDayDecoding: ClientScenario = clientScenario(
  'close-day/decoding',
  [
    ...finishedRows,
    ...gateRowIds,
    'decodes-error',
    'decodes-error-99',
    'decodes-locked-gate',
    'decodes-unknown-status',
    'decodes-extra-members',
  ],
  (draw) => [...plainAnswers(), ...gateEdges(), ...generatedGates(draw), ...errors(), ...oddAnswers()],
)`Answers of every documented kind`;

function plainAnswers(): ClientPlan[] {
  // A locked gate without turnover, because generated locked gates nearly always have turnover.
  const locked = { ...plainGate, ...withoutTurnover, isDayClosing: true };
  return [
    finished('one gate', [...finishedRows, ...gateRowIds], [plainGate], closeDayQuestion),
    finished('three gates', [...finishedRows, ...gateRowIds], threeGates, closeDayQuestion),
    finished(
      'counts with leading zeros',
      ['close-day/decodes-gate-sale-approved-count', 'close-day/decodes-gate-reversal-approved-count'],
      [{ ...plainGate, saleApprovedCount: '010', reversalApprovedCount: '010' }],
    ),
    finished('thirty gates, in chunks', [...finishedRows, ...gateRowIds], thirtyGates).map(inChunks),
    finished('gates in descending order', ['close-day/decodes-gates'], [...threeGates].reverse()),
    // The type long allows negative ids, but no example has a negative id. So a client may decline this answer.
    finished(
      'ids below zero',
      ['close-day/decodes-gate-id', 'close-day/decodes-gate-epnt-id'],
      [{ ...plainGate, gateId: '-42', epntId: '-1111' }],
      (question, body) => [closeDayDecodeCase(question, reply(200, htmlType, body))],
      true,
    ),
    // The document does not say if an endpoint can have no gates. So a client may decline this answer.
    finished('no gates', ['close-day/decodes-gates'], [], htmlQuestion, true),
    finished('a locked gate between free ones', lockedRows, [threeGates[0]!, locked, threeGates[2]!], closeDayQuestion),
  ].flat();
}

function errors(): ClientPlan[] {
  const error = (
    question: string,
    answers: readonly TestableId<'client'>[],
    errorCode: string,
    errorMessage: string,
    { json = `"${errorMessage}"`, reversed = false, ask = htmlQuestion } = {},
  ) =>
    ask(
      { question, answers, expected: { kind: 'error', errorCode, errorMessage, serial: serialOfError } },
      errorBody(`"${errorCode}"`, json, reversed),
    );
  return [
    error('error 99', ['close-day/decodes-error-99', 'close-day/decodes-serial'], '99', 'gate is closing already', {
      ask: closeDayQuestion,
    }),
    error('another error', errorRows, '7', 'endpoint is switched off', { ask: closeDayQuestion }),
    error('an error whose code is 0', ['close-day/decodes-error'], '0', 'no error was named'),
    error(
      'an unknown code that is a word',
      ['close-day/decodes-error'],
      'Er-0042',
      `Gerät "A" meldet:\t50\\50 – 漢\u{1f600}\r\n\b\fa/b  c 1+1 is 100%25 \\/ Cafe\u0301\u00a0x ${punctuation}`,
      {
        json: `"Ger\\u00E4t \\"A\\" meldet:\\t50\\\\50 – 漢\\ud83d\\ude00\\r\\n\\b\\fa\\/b  c 1+1 is 100%25 \\\\/ Cafe\u0301\u00a0x ${punctuation}"`,
      },
    ),
    error('a long message with markup, before its code', ['close-day/decodes-error'], '007', longMessage, {
      reversed: true,
    }).map(inChunks),
  ].flat();
}

function oddAnswers(): ClientPlan[] {
  const about = (question: string, answers: readonly TestableId<'client'>[], expected: ExpectedReading): Question => ({
    question,
    answers,
    expected,
  });
  const unknownStatus = (question: string) => about(question, ['close-day/decodes-unknown-status'], notSuccess);
  const read = finishedReading([plainGate]);
  const spaced =
    `{"theRequestSerialNumber":"${serial}","response":{"gates":[${gateText(plainGate)}],"status":"finished"}}`
      .replaceAll(',"', ' ,\r\n\t"')
      .replaceAll('":', '" : ')
      .replace('10.42', '\\u0031\\u0030.42')
      .replace('"status"', '"st\\u0061tus"');
  return [
    htmlQuestion(
      // The document does not allow gates in an error. A client may refuse the body, but must not read it as success.
      about('an error beside gates', ['close-day/decodes-error'], notSuccess),
      errorBody('"7"', `"one gate is missing","gates":[${gateText(plainGate)}],"previous":{"status":"finished"}`),
    ),
    closeDayQuestion(unknownStatus('an unknown status'), finishedBody([plainGate], 'processing')),
    ...nearlyFinished.map((status) =>
      htmlQuestion(unknownStatus(`the status ${JSON.stringify(status)}`), finishedBody([plainGate], status)),
    ),
    closeDayQuestion(
      about('undocumented members', ['close-day/decodes-extra-members'], read),
      `{"apiVersion":2.0e+1,"response":{"trace":{"gateId":1,"status":"error"},"status":"finished",` +
        `"gates":[${gateText(plainGate).replace('{', '{"extra":{"gateId":1,"gates":[]},')}],"warnings":[null,true]},` +
        `"theRequestSerialNumber":"${serial}","links":[{"response":"none"}]}`,
    ),
    htmlQuestion(
      about('white space, escapes, and members in another order', [...finishedRows, ...gateRowIds], read),
      ` ${spaced}\n`,
    ),
  ].flat();
}

/** Sends the answer in chunks without Content-Length, which HTTP/1.1 allows. A chunk may end inside a character. */
function inChunks(plan: ClientPlan): ClientPlan {
  if (plan.answer.kind !== 'reply') return plan;
  const headers = plan.answer.headers.filter(([name]) => name !== 'Content-Length');
  return { ...plan, answer: { ...plan.answer, headers: [...headers, ['Transfer-Encoding', 'chunked']] } };
}

function finished(
  question: string,
  answers: readonly TestableId<'client'>[],
  gates: readonly Gate[],
  ask = htmlQuestion,
  open = false,
): ClientPlan[] {
  const samples = gates.map((decoded) => ({ decoded, text: gateText(decoded) }));
  return finishedAnswer(question, answers, samples, open, ask);
}

const gatesPerAnswer = { free: 5, locked: 2 } as const;

function gateEdges(): ClientPlan[] {
  return gateResults.edges.flatMap((edge) =>
    finishedAnswer(`a gate: ${edge.edge}`, rowsOf(edge), [edge.value], edge.label.kind === 'open'),
  );
}

/** Puts free and locked gates into separate answers, because they test different requirements. */
function generatedGates(draw: ClientDraw): ClientPlan[] {
  const gates = draw.values(gateResults.valid, draw.cases).map(({ value }) => [value.decoded.gateId, value] as const);
  const drawn = [...new Map(gates).values()];
  return [...gateAnswers('free', [...finishedRows, ...gateRowIds], drawn), ...gateAnswers('locked', lockedRows, drawn)];
}

function gateAnswers(
  state: 'free' | 'locked',
  answers: readonly TestableId<'client'>[],
  drawn: readonly GateSample[],
): ClientPlan[] {
  const gates = drawn.filter(({ decoded }) => decoded.isDayClosing === (state === 'locked'));
  const size = gatesPerAnswer[state];
  return Array.from({ length: Math.ceil(gates.length / size) }, (_, at) => {
    const group = gates.slice(at * size, (at + 1) * size);
    return finishedAnswer(`generated ${state} gates ${at + 1}`, answers, group);
  }).flat();
}

function rowsOf({ label, value: { decoded, text } }: Labelled<GateSample>): readonly TestableId<'client'>[] {
  if (label.kind === 'open') return label.openPoint === 'A11' ? ['close-day/decodes-gate-close-date'] : [];
  const members = Object.keys(JSON.parse(text) as object);
  if (members.some((member) => !(member in decoded))) return ['close-day/decodes-extra-members'];
  return decoded.isDayClosing ? lockedRows : [...finishedRows, ...gateRowIds];
}

function finishedAnswer(
  question: string,
  answers: readonly TestableId<'client'>[],
  gates: readonly GateSample[],
  open = false,
  ask = htmlQuestion,
): ClientPlan[] {
  const expected = finishedReading(gates.map(({ decoded }) => decoded));
  return ask({ question, answers, expected, ...(open ? { open } : {}) }, finishedWith(gates.map(({ text }) => text)));
}

function closeDayQuestion(question: Question, body: string): ClientPlan[] {
  return [...htmlQuestion(question, body), closeDayDecodeCase(question, reply(200, 'application/json', body), 'json')];
}

const allPunctuation = `"\\ ${punctuation}`;

/** Each failure is sent with its error-code as HTTP status, and with 200, which a careless client reads as success. */
const failures = (['validation-error', 'error'] as const).flatMap((type) =>
  (['200', '403', '500'] as const).map((code) => ({ type, code, statuses: [...new Set([200, Number(code)])] })),
);

const recurringDecoding: ClientScenario = clientScenario(
  'recurring/decoding',
  [
    'decodes-accepted',
    'decodes-refused',
    'decodes-parameters',
    'decodes-response-type',
    'decodes-validation-error',
    'decodes-error',
    'decodes-error-id',
    'decodes-own-line-feed',
  ],
  (draw) => [
    ...emptyAnswers(),
    ...acceptedBody(),
    ...failures.flatMap(failedBody),
    ...messages(),
    ownLineFeed(),
    ...generatedMessages(draw),
  ],
)`Empty answers, and bodies of every documented type`;

function emptyAnswers(): ClientPlan[] {
  const accepted = { answers: ['recurring/decodes-accepted'], expected: { kind: 'accepted' } } as const;
  return [
    recurringDecodeCase({ question: 'an empty 200', ...accepted }, emptyOk),
    recurringDecodeCase({ question: 'an empty 200 that says text/html', ...accepted }, reply(200, htmlType, '')),
    recurringDecodeCase(
      {
        question: 'an empty 403',
        answers: ['recurring/decodes-refused'],
        expected: { kind: 'refused', httpStatus: 403 },
      },
      reply(403, null, ''),
    ),
  ];
}

function acceptedBody(): ClientPlan[] {
  const params = acceptance('00000000-0000-0000-0000-0000006C1a43');
  const answers = ['recurring/decodes-response-type', 'recurring/decodes-parameters'] as const;
  return recurringQuestion('an accepted batch', answers, params);
}

function failedBody({ type, code, statuses }: (typeof failures)[number]): ClientPlan[] {
  const [first, ...others] = failure(type, 'batch was refused', code);
  // An error body may also have the parameter status (A42), so the body with code 200 has it.
  const params = [first!, ...(code === '200' ? ([['status', 'processing']] as const) : []), ...others];
  const answers = [`recurring/decodes-${type}`, 'recurring/decodes-parameters'] as const;
  const question = `${type} ${code}`;
  const escaped = params.map(([name, value]) => [name, value.replaceAll(' ', '+')] as const);
  if (type === 'validation-error' || code !== '500')
    return recurringQuestion(question, answers, params, escaped, statuses);
  // The document does not name the parameter of the error ID, so any name is valid.
  const id = ['error-reference', '0000004711'] as const;
  return recurringQuestion(
    `${question} with an error id`,
    [...answers, 'recurring/decodes-error-id'],
    [...params, id],
    [...escaped, id],
    statuses,
  );
}

function messages(): ClientPlan[] {
  const special: readonly (readonly [question: string, message: string, escaped: string, reversed?: true])[] = [
    ['a message with & and =, before its type', 'a=b & c', 'a%3Db+%26+c', true],
    [
      'a message with + and %',
      `1+1 is 100%25 ${allPunctuation}`,
      `1%2B1%20is%20100%2525%20${encodeURIComponent(allPunctuation)}`,
    ],
    ['a message in other letters', 'Stra\u00dfe \u6f22\u{1f600}', '%53tra%c3%9fe+%E6%BC%A2%f0%9f%98%80'],
    ['a message with a line feed inside', 'first\nsecond', 'first%0Asecond'],
    ['a long message with markup', longMessage, encodeURIComponent(longMessage)],
  ];
  return special.flatMap((one) => messageQuestion(...one));
}

function ownLineFeed(): ClientPlan {
  const expected = { kind: 'parameters', params: failure('validation-error', 'refused\n') } as const;
  const answers = ['recurring/decodes-own-line-feed'] as const;
  return recurringDecodeCase(
    { question: 'a message that ends with a line feed of its own', answers, expected },
    reply(200, htmlType, parameterBody(failure('validation-error', 'refused%0A'), 'raw-line-feed')),
  );
}

/** Trims the messages, because a client may trim them too. */
function generatedMessages(draw: ClientDraw): ClientPlan[] {
  const count = Math.ceil(draw.cases / 5);
  const drawn = [...draw.values(clientOrderids.valid, count), ...draw.values(clientOrderids.edge, count)];
  const texts = drawn.map(({ value }) => value.trim()).filter((text) => text !== '');
  return [...new Set(texts)].flatMap((text, at) => {
    const escaped = encodeURIComponent(text);
    return messageQuestion(
      `generated message ${at + 1}`,
      text,
      at % 2 === 0 ? escaped.replaceAll('%20', '+') : escaped,
    );
  });
}

/** If `reversed`, the parameter `type` comes last, and one parameter name has an unnecessary escape. */
function messageQuestion(question: string, message: string, escaped: string, reversed = false): ClientPlan[] {
  const params = (text: string, hyphen = '-') => {
    const inOrder = failure('validation-error', text).map(
      ([name, value]) => [name.replace('error-message', `error${hyphen}message`), value] as const,
    );
    return reversed ? inOrder.toReversed() : inOrder;
  };
  const sent = params(escaped, reversed ? '%2D' : '-');
  return recurringQuestion(question, ['recurring/decodes-validation-error'], params(message), sent);
}

export const decodingScenarios: readonly ClientScenario[] = [closeDayDecoding, recurringDecoding];
