/** Operators on the headers, the status and the connection of answers (sections 4.1, 4.2 and 8). */
import type { TabledAnswer } from './answers.ts';
import { inGroup, listed, type Rows, type TableOperator } from './operator.ts';

const header = inGroup<TabledAnswer>('answer headers');
const status = inGroup<TabledAnswer>('answer status');

const isJson = ({ root }: TabledAnswer) => root !== undefined;
const isEmpty = ({ root, recurring }: TabledAnswer) => root === undefined && recurring === undefined;

/** The rows of a body that a reader cannot unpack as its header asks. */
function unreadable({ root, recurring, status }: TabledAnswer): Rows {
  if (root !== undefined) return ['close-day/body-decodable'];
  if (recurring === undefined) return [];
  return [status === 403 ? 'recurring/failure-body-empty' : 'recurring/success-body-empty'];
}

const rightTypes = [
  ...listed('text/html; charset=utf-8¦TEXT/HTML;CHARSET=UTF-8¦text/html;charset="utf-8"¦text/html ; charset=UTF-8'),
  ...listed('text/html;level=1;charset=utf-8¦ text/html;charset=utf-8 ¦text/html;charset="\\utf-8"'),
];
const wrongTypes = [
  ...listed('¦text/html¦text/html;¦text/html;charset=¦text/html;charset=utf8¦text/html;charset=utf-16'),
  ...listed('text/html;charset=iso-8859-1¦text/html charset=utf-8¦text/html,charset=utf-8¦text/html;charset:utf-8'),
  ...listed("text/html;charset= utf-8¦text/html;charset='utf-8'¦text/html;charset=utf-8;charset=utf-8"),
  ...listed('text/html;charset=utf-8;charset=utf-16¦text/html;charset=utf-8, text/html¦text/plain;charset=utf-8'),
  ...listed(
    'application/json¦application/json;charset=utf-8¦application/xhtml+xml;charset=utf-8¦text/htm;charset=utf-8',
  ),
  ...listed('application/x-www-form-urlencoded¦html;charset=utf-8¦text/;charset=utf-8¦*/*;charset=utf-8'),
  ...listed('text/html;charset=utf-8\u00a0¦\u3000text/html;charset=utf-8¦text/html\u00a0;charset=utf-8'),
  ...listed('text/html;charsеt=utf-8¦text/html;charset=utf-8\u0001¦"text/html";charset=utf-8'),
];
const contentTypes: readonly (readonly [right: boolean, values: readonly string[]])[] = [
  ...rightTypes.map((one) => [true, [one]] as const),
  ...wrongTypes.map((one) => [false, [one]] as const),
  [false, []],
  [false, ['text/html;charset=utf-8', 'text/html;charset=utf-8']],
  [false, ['text/html;charset=utf-8', 'application/json']],
];

export const headerOperators: readonly TableOperator<TabledAnswer>[] = [
  ...contentTypes.map(([right, values]) =>
    header(
      `Content-Type: ${values.map((one) => JSON.stringify(one)).join(' and ') || 'not there'}`,
      ({ root }) =>
        right ? [] : [root === undefined ? 'recurring/parameters-content-type' : 'close-day/content-type'],
      (answer) => !isEmpty(answer) && setHeader(answer, 'Content-Type', values),
    ),
  ),
  ...(['content-type', 'CONTENT-TYPE'] as const).map((name) => renamed('Content-Type', name, [])),
  ...(['Content-Type ', 'Content_Type', 'ContentType'] as const).map((name) =>
    header(
      `Content-Type is called ${JSON.stringify(name)}`,
      ({ root }) => [root === undefined ? 'recurring/parameters-content-type' : 'close-day/content-type'],
      (answer) => !isEmpty(answer) && rename(answer, 'Content-Type', name),
    ),
  ),
  ...['Date', 'Connection'].flatMap((name) => [
    header(`${name}: not there`, [], (answer) => has(answer, name) && setHeader(answer, name, [])),
    header(`${name}: twice`, [], (answer) => has(answer, name) && setHeader(answer, name, ['x', 'x'])),
    header(`${name}: malformed`, [], (answer) => has(answer, name) && setHeader(answer, name, ['\u0001,;='])),
  ]),
  ...(
    [[], [''], ['1'], ['-0'], ['+0'], ['0.0'], ['0x0'], ['zero'], ['0', '0'], ['0', '1'], ['0, 0'], ['0;']] as const
  ).map((values) =>
    header(
      `Content-Length of an empty answer: ${values.map((one) => JSON.stringify(one)).join(' and ') || 'not there'}`,
      ['recurring/success-content-length-zero'],
      onAccepted((answer) => setHeader(answer, 'Content-Length', values)),
    ),
  ),
  renamed('Content-Length', 'CONTENT-LENGTH', []),
  header(
    'Content-Length of an empty answer with blanks around it',
    [],
    onAccepted((answer) => setHeader(answer, 'Content-Length', [' \t0 '])),
  ),
  ...(['chunked', 'Chunked', 'identity', 'gzip, chunked', ''] as const).map((value) =>
    header(
      `Transfer-Encoding: ${value} beside Content-Length`,
      ['recurring/success-content-length-zero'],
      onAccepted((answer) => answer.headers.push(['Transfer-Encoding', value])),
    ),
  ),
  header(
    'Transfer-Encoding: chunked in place of Content-Length',
    ['recurring/success-content-length-zero'],
    onAccepted((answer) => {
      setHeader(answer, 'Content-Length', []);
      answer.headers.push(['transfer-encoding', 'chunked']);
    }),
  ),
  ...[
    ...listed(`timeout=60, max=100¦max=100, timeout=60¦Timeout=60¦TIMEOUT=60¦timeout="60"¦ timeout=60 `),
    ...listed(`timeout=60,`),
  ].map((value) =>
    header(
      `Keep-Alive: ${value}`,
      [],
      (answer) => has(answer, 'Keep-Alive') && setHeader(answer, 'Keep-Alive', [value]),
    ),
  ),
  ...[
    ...listed(`¦60¦timeout¦timeout=¦timeout=0¦timeout=5¦timeout=6¦timeout=59¦timeout=61¦timeout=600¦timeout=060`),
    ...listed(`timeout=-60¦timeout=60s¦timeout=60.0¦timeout=6e1`),
  ].map((value) => keepAlive([value])),
  ...[
    ...listed(`timeout:60¦timeout=60;max=100¦max=60¦xtimeout=60¦timeouts=60¦timeout=60 max=100¦timeout='60'`),
    ...listed(`timeout=٦٠¦timeout=5, timeout=60¦timeout=60\u00a0¦timeout\u00a0=60`),
  ].map((value) => keepAlive([value])),
  keepAlive([]),
  keepAlive(['timeout=60', 'timeout=5']),
  keepAlive(['timeout=5', 'timeout=60']),
  ...['close', 'keep-alive, Close'].map((value) =>
    header(
      `Connection: ${value} beside Keep-Alive`,
      ({ status: code }) => (code === 200 ? ['recurring/keep-alive-timeout'] : []),
      (answer) => has(answer, 'Keep-Alive') && setHeader(answer, 'Connection', [value]),
    ),
  ),
  renamed('Keep-Alive', 'keep-alive', []),
  header('over plain http', ['transport/https-served'], (answer) => {
    answer.scheme = 'http';
  }),
  ...(['gzip', 'identity', 'br', 'utf-8'] as const).map((value) =>
    header(
      `Content-Encoding: ${value} of what is not encoded`,
      (answer) => (['gzip', 'br'].includes(value) ? unreadable(answer) : []),
      (answer) => answer.headers.push(['Content-Encoding', value]),
    ),
  ),
  ...(
    [
      [0, true],
      [5_000, true],
      [58_999, true],
      [59_000, false],
      [60_000, false],
    ] as const
  ).map(([closedAfterMs, broken]) =>
    header(
      `an idle connection closed after ${closedAfterMs} ms`,
      broken ? ['recurring/keep-alive-kept'] : [],
      (answer) => {
        if (answer.silence === undefined) return false;
        answer.silence = { waitedMs: 60_000, closedAfterMs };
        return true;
      },
    ),
  ),
];

function keepAlive(values: readonly string[]): TableOperator<TabledAnswer> {
  const words = values.map((one) => JSON.stringify(one)).join(' and ') || 'not there';
  return header(
    `Keep-Alive: ${words}`,
    ({ status: code }) => (code === 200 ? ['recurring/keep-alive-timeout'] : []),
    (answer) => has(answer, 'Keep-Alive') && setHeader(answer, 'Keep-Alive', values),
  );
}

function renamed(name: string, other: string, breaks: Rows): TableOperator<TabledAnswer> {
  return header(`${name} is called ${JSON.stringify(other)}`, breaks, (answer) => rename(answer, name, other));
}

function rename(answer: TabledAnswer, name: string, other: string): boolean {
  if (!has(answer, name)) return false;
  answer.headers = answer.headers.map(([one, value]) => [one === name ? other : one, value]);
  return true;
}

function has({ headers }: TabledAnswer, name: string): boolean {
  return headers.some(([one]) => one === name);
}

function setHeader(answer: TabledAnswer, name: string, values: readonly string[]): boolean {
  answer.headers = [
    ...answer.headers.filter(([one]) => one !== name),
    ...values.map((value): [string, string] => [name, value]),
  ];
  return true;
}

function onAccepted(change: (answer: TabledAnswer) => unknown) {
  return (answer: TabledAnswer) => isEmpty(answer) && answer.status === 200 && change(answer) !== false;
}

const statuses = [201, 202, 204, 206, 299, 301, 302, 400, 401, 402, 403, 404, 408, 409, 422, 425, 429, 500, 502, 503];

export const statusOperators: readonly TableOperator<TabledAnswer>[] = [
  ...statuses.map((code) => status(`close-day with HTTP ${code}`, closeDayStatus(), onStatus(code, isJson))),
  ...statuses.map((code) =>
    status(
      `an accepted batch with HTTP ${code}`,
      acceptedStatus(code),
      onStatus(code, ({ label }) => label.operation !== 'close-day' && label.intent === 'valid'),
    ),
  ),
  ...[200, ...statuses.filter((code) => code !== 403)].map((code) =>
    status(
      `a refused batch with HTTP ${code} and an empty body`,
      refusedStatus(code),
      onStatus(code, ({ kind }) => kind === 'refused with an empty body'),
    ),
  ),
  ...[200, ...statuses].map((code) =>
    status(
      `an error of 2.4 with HTTP ${code}`,
      [],
      onStatus(code, ({ recurring, label }) => recurring !== undefined && label.intent === 'fault'),
    ),
  ),
  ...['\n', ' ', '\0', 'OK', '{}', '<html></html>', '\ufeff', 'Type=error\n', 'x=y\n'].flatMap((text) => [
    status(
      `an accepted batch with ${JSON.stringify(text)} as its body`,
      ['recurring/success-body-empty'],
      onEmpty(200, text),
    ),
    status(
      `a refused batch with ${JSON.stringify(text)} as its body`,
      ['recurring/failure-body-empty'],
      onEmpty(403, text),
    ),
  ]),
];

function onStatus(code: number, fits: (answer: TabledAnswer) => boolean) {
  return (answer: TabledAnswer) => {
    if (!fits(answer) || answer.status === code) return false;
    answer.status = code;
    return true;
  };
}

function onEmpty(code: number, text: string) {
  return (answer: TabledAnswer) => {
    if (!isEmpty(answer) || answer.status !== code) return false;
    answer.spoil = () => Buffer.from(text);
    return true;
  };
}

/** What is asked of every answer but those to failed authentication, and to requests that the document does not speak of. */
function closeDayStatus(): TableOperator<TabledAnswer>['breaks'] {
  return ({ label }) => (label.intent === 'open' ? [] : ['close-day/status-200']);
}

/** 404, 408, 425, 429 and 5xx may come from anything on the way; a code of success that is not 200 and a refusal may not. */
function acceptedStatus(code: number): Rows {
  if (code < 300) return ['recurring/success-status-200'];
  if (code === 403) return ['authentication/recurring-valid-accepted'];
  if (code === 401) return ['authentication/recurring-valid-accepted', 'recurring/failure-status-403'];
  return isOnTheWay(code) ? [] : ['recurring/failure-status-403'];
}

function refusedStatus(code: number): Rows {
  if (code === 200) return ['recurring/missing-payload-refused'];
  return code < 300 || code === 403 || isOnTheWay(code) ? [] : ['recurring/failure-status-403'];
}

function isOnTheWay(code: number): boolean {
  return code < 400 || [404, 408, 425, 429].includes(code) || code >= 500;
}
