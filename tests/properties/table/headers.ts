/** Operators on the headers, the status and the connection of answers (sections 4.1, 4.2 and 8). */
import type { TabledAnswer } from './answers.ts';
import { inGroup, type Rows, split, type TableOperator } from './operator.ts';

const header = inGroup<TabledAnswer>('answer headers');
const status = inGroup<TabledAnswer>('answer status');

type Breaks = TableOperator<TabledAnswer>['breaks'];

const isCloseDay = ({ root }: TabledAnswer) => root !== undefined;
const isEmpty = ({ root, recurring }: TabledAnswer) => root === undefined && recurring === undefined;

/** Requirements that break if a body cannot be decompressed as its header says. */
function unreadable({ root, recurring, status }: TabledAnswer): Rows {
  if (root !== undefined) return ['close-day/body-decodable'];
  if (recurring === undefined) return [];
  return [status === 403 ? 'recurring/failure-body-empty' : 'recurring/success-body-empty'];
}

const rightTypes = [
  ...split('text/html; charset=utf-8¦TEXT/HTML;CHARSET=UTF-8¦text/html;charset="utf-8"¦text/html ; charset=UTF-8'),
  ...split('text/html;level=1;charset=utf-8¦ text/html;charset=utf-8 ¦text/html;charset="\\utf-8"'),
];
const wrongTypes = [
  ...split('¦text/html¦text/html;¦text/html;charset=¦text/html;charset=utf8¦text/html;charset=utf-16'),
  ...split('text/html;charset=iso-8859-1¦text/html charset=utf-8¦text/html,charset=utf-8¦text/html;charset:utf-8'),
  ...split("text/html;charset= utf-8¦text/html;charset='utf-8'¦text/html;charset=utf-8;charset=utf-8"),
  ...split('text/html;charset=utf-8;charset=utf-16¦text/html;charset=utf-8, text/html¦text/plain;charset=utf-8'),
  ...split(
    'application/json¦application/json;charset=utf-8¦application/xhtml+xml;charset=utf-8¦text/htm;charset=utf-8',
  ),
  ...split('application/x-www-form-urlencoded¦html;charset=utf-8¦text/;charset=utf-8¦*/*;charset=utf-8'),
  ...split('text/html;charset=utf-8\u00a0¦\u3000text/html;charset=utf-8¦text/html\u00a0;charset=utf-8'),
  ...split('text/html;charsеt=utf-8¦text/html;charset=utf-8\u0001¦"text/html";charset=utf-8'),
];
const contentTypes: readonly (readonly [right: boolean, values: readonly string[]])[] = [
  ...rightTypes.map((one) => [true, [one]] as const),
  ...wrongTypes.map((one) => [false, [one]] as const),
  [false, []],
  [false, ['text/html;charset=utf-8', 'text/html;charset=utf-8']],
  [false, ['text/html;charset=utf-8', 'application/json']],
];

const format = (values: readonly string[]) => values.map((one) => JSON.stringify(one)).join(' and ') || 'not there';
const contentType = ({ root }: TabledAnswer): Rows => [
  root === undefined ? 'recurring/parameters-content-type' : 'close-day/content-type',
];
const keepAliveRows = ({ status: code }: TabledAnswer): Rows => (code === 200 ? ['recurring/keep-alive-timeout'] : []);
const lengthZero: Rows = ['recurring/success-content-length-zero'];

export const headerOperators: readonly TableOperator<TabledAnswer>[] = [
  ...contentTypes.map(([right, values]) =>
    header(
      `Content-Type: ${format(values)}`,
      right ? [] : contentType,
      (answer) => !isEmpty(answer) && set(answer, 'Content-Type', values),
    ),
  ),
  ...['content-type', 'CONTENT-TYPE'].map((name) => rename('Content-Type', name, [])),
  ...['Content-Type ', 'Content_Type', 'ContentType'].map((name) => rename('Content-Type', name, contentType)),
  ...['Date', 'Connection'].flatMap((name) => [
    setting(`${name}: not there`, [], name, []),
    setting(`${name}: twice`, [], name, ['x', 'x']),
    setting(`${name}: malformed`, [], name, ['\u0001,;=']),
  ]),
  ...[[], [''], ['1'], ['-0'], ['+0'], ['0.0'], ['0x0'], ['zero'], ['0', '0'], ['0', '1'], ['0, 0'], ['0;']].map(
    (values) =>
      onAccepted(`Content-Length of an empty answer: ${format(values)}`, lengthZero, (answer) =>
        set(answer, 'Content-Length', values),
      ),
  ),
  rename('Content-Length', 'CONTENT-LENGTH', []),
  onAccepted('Content-Length of an empty answer with blanks around it', [], (answer) =>
    set(answer, 'Content-Length', [' \t0 ']),
  ),
  ...['chunked', 'Chunked', 'identity', 'gzip, chunked', ''].map((value) =>
    onAccepted(`Transfer-Encoding: ${value} beside Content-Length`, lengthZero, ({ headers }) =>
      headers.push(['Transfer-Encoding', value]),
    ),
  ),
  onAccepted('Transfer-Encoding: chunked in place of Content-Length', lengthZero, (answer) => {
    set(answer, 'Content-Length', []);
    answer.headers.push(['transfer-encoding', 'chunked']);
  }),
  ...split(`timeout=60, max=100¦max=100, timeout=60¦Timeout=60¦TIMEOUT=60¦timeout="60"¦ timeout=60 ¦timeout=60,`).map(
    (value) => setting(`Keep-Alive: ${value}`, [], 'Keep-Alive', [value]),
  ),
  ...[
    ...split(`¦60¦timeout¦timeout=¦timeout=0¦timeout=5¦timeout=6¦timeout=59¦timeout=61¦timeout=600¦timeout=060`),
    ...split(`timeout=-60¦timeout=60s¦timeout=60.0¦timeout=6e1`),
    ...split(`timeout:60¦timeout=60;max=100¦max=60¦xtimeout=60¦timeouts=60¦timeout=60 max=100¦timeout='60'`),
    ...split(`timeout=٦٠¦timeout=5, timeout=60¦timeout=60\u00a0¦timeout\u00a0=60`),
  ].map((value) => keepAlive(value)),
  keepAlive(),
  keepAlive('timeout=60', 'timeout=5'),
  keepAlive('timeout=5', 'timeout=60'),
  ...['close', 'keep-alive, Close'].map((value) =>
    header(
      `Connection: ${value} beside Keep-Alive`,
      keepAliveRows,
      (answer) => has(answer, 'Keep-Alive') && set(answer, 'Connection', [value]),
    ),
  ),
  rename('Keep-Alive', 'keep-alive', []),
  header('over plain http', ['transport/https-served'], { scheme: 'http' }),
  ...['gzip', 'identity', 'br', 'utf-8'].map((value) =>
    header(
      `Content-Encoding: ${value} of what is not encoded`,
      (answer) => (['gzip', 'br'].includes(value) ? unreadable(answer) : []),
      ({ headers }) => headers.push(['Content-Encoding', value]),
    ),
  ),
  ...[0, 5_000, 58_999, 59_000, 60_000].map((closedAfterMs) =>
    header(
      `an idle connection closed after ${closedAfterMs} ms`,
      closedAfterMs < 59_000 ? ['recurring/keep-alive-kept'] : [],
      (answer) =>
        answer.silence !== undefined && Object.assign(answer, { silence: { waitedMs: 60_000, closedAfterMs } }),
    ),
  ),
];

function keepAlive(...values: readonly string[]): TableOperator<TabledAnswer> {
  return setting(`Keep-Alive: ${format(values)}`, keepAliveRows, 'Keep-Alive', values);
}

/** Replaces the values of a header that the answer has. */
function setting(what: string, breaks: Breaks, name: string, values: readonly string[]): TableOperator<TabledAnswer> {
  return header(what, breaks, (answer) => has(answer, name) && set(answer, name, values));
}

/** Renames a header that the answer has. */
function rename(name: string, other: string, breaks: Breaks): TableOperator<TabledAnswer> {
  return header(`${name} is called ${JSON.stringify(other)}`, breaks, (answer) => {
    if (!has(answer, name)) return false;
    answer.headers = answer.headers.map(([one, value]) => [one === name ? other : one, value]);
    return true;
  });
}

function has({ headers }: TabledAnswer, name: string): boolean {
  return headers.some(([one]) => one === name);
}

function set(answer: TabledAnswer, name: string, values: readonly string[]): TabledAnswer {
  const added = values.map((value): [string, string] => [name, value]);
  return Object.assign(answer, { headers: [...answer.headers.filter(([one]) => one !== name), ...added] });
}

function onAccepted(what: string, breaks: Rows, change: (answer: TabledAnswer) => unknown) {
  return header(what, breaks, (answer) => isEmpty(answer) && answer.status === 200 && change(answer));
}

const statuses = [201, 202, 204, 206, 299, 301, 302, 400, 401, 402, 403, 404, 408, 409, 422, 425, 429, 500, 502, 503];

export const statusOperators: readonly TableOperator<TabledAnswer>[] = [
  ...statuses.map((code) => onStatus(`close-day with HTTP ${code}`, code, closeDayStatus, isCloseDay)),
  ...statuses.map((code) =>
    onStatus(
      `an accepted batch with HTTP ${code}`,
      code,
      acceptedStatus(code),
      ({ label }) => label.operation !== 'close-day' && label.intent === 'valid',
    ),
  ),
  ...[200, ...statuses.filter((code) => code !== 403)].map((code) =>
    onStatus(
      `a refused batch with HTTP ${code} and an empty body`,
      code,
      refusedStatus(code),
      ({ kind }) => kind === 'refused with an empty body',
    ),
  ),
  ...[200, ...statuses].map((code) =>
    onStatus(
      `an error of 2.4 with HTTP ${code}`,
      code,
      [],
      ({ recurring, label }) => recurring !== undefined && label.intent === 'fault',
    ),
  ),
  ...['\n', ' ', '\0', 'OK', '{}', '<html></html>', '\ufeff', 'Type=error\n', 'x=y\n'].flatMap((text) => [
    onEmpty('an accepted', 200, text, ['recurring/success-body-empty']),
    onEmpty('a refused', 403, text, ['recurring/failure-body-empty']),
  ]),
];

function onStatus(what: string, code: number, breaks: Breaks, fits: (answer: TabledAnswer) => boolean) {
  return status(what, breaks, (one) => fits(one) && one.status !== code && Object.assign(one, { status: code }));
}

function onEmpty(which: string, code: number, text: string, breaks: Rows): TableOperator<TabledAnswer> {
  return status(
    `${which} batch with ${JSON.stringify(text)} as its body`,
    breaks,
    (answer) => isEmpty(answer) && answer.status === code && Object.assign(answer, { spoil: () => Buffer.from(text) }),
  );
}

/** Every answer must have HTTP 200, except to failed authentication and to requests that the document does not define. */
function closeDayStatus({ label }: TabledAnswer): Rows {
  return label.intent === 'open' ? [] : ['close-day/status-200'];
}

/** A proxy may send 404, 408, 425, 429 and 5xx, but no refusal, and no success other than 200. */
function acceptedStatus(code: number): Rows {
  if (code < 300) return ['recurring/success-status-200'];
  if (code === 403) return ['authentication/recurring-valid-accepted'];
  if (code === 401) return ['authentication/recurring-valid-accepted', 'recurring/failure-status-403'];
  return isFromProxy(code) ? [] : ['recurring/failure-status-403'];
}

function refusedStatus(code: number): Rows {
  if (code === 200) return ['recurring/missing-payload-refused'];
  return code < 300 || code === 403 || isFromProxy(code) ? [] : ['recurring/failure-status-403'];
}

function isFromProxy(code: number): boolean {
  return code < 400 || [404, 408, 425, 429].includes(code) || code >= 500;
}
