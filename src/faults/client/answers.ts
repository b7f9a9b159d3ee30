/** Clients that misread an answer, trust a faulty connection, or depend on the time zone or locale. */
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import { decodeForm, type Pair, textKeepingBytes } from '../../protocol/index.ts';
import type { DecodedGate } from '../../record/case.ts';
import { headerValues, type ReceivedResponse } from '../../record/exchange.ts';
import { breaking } from '../defect.ts';
import { type Answer, auth, type ClientDefect, type ClientEdit, closeDay, recurring, transport } from './defect.ts';

const serial = breaking(closeDay, 'decodes-serial');
const gates = breaking(closeDay, 'decodes-gates');
const failure = breaking(closeDay, 'decodes-error');
const anyFailure = breaking(closeDay, ['decodes-error', 'decodes-error-99']);
const otherStatus = breaking(closeDay, 'decodes-unknown-status');
const noSuccess = breaking(closeDay, 'broken-body-not-success');

const closeDayAnswerDefects: readonly ClientDefect[] = [
  closeDay('finished-not-known', 'decodes-finished', { finished: ({ serial }) => ({ kind: 'error', serial }) })`
    Only the status success counts as success; finished counts as an error`,
  closeDay('text-html-not-read', 'decodes-text-html', {
    unread: ({ response }) => /^text\/html/.test(header(response, 'content-type')),
  })`A body is parsed as JSON only if its content type is application/json`,
  serial('serial-without-zeros', { serial: (text) => text.replace(/^[0-]+/, '') })`
    theRequestSerialNumber loses its leading zeros`,
  serial('serial-in-small-letters', { serial: (text) => text.toLowerCase() })`
    theRequestSerialNumber is converted to lower case`,
  // This client reads the locked gate, which is the second gate. So `decodes-locked-gate` passes.
  gates('at-most-two-gates-read', { gates: (all) => all.slice(0, 2) })`Gates after the second gate are not read`,
  // One of the dropped gates is locked, so `decodes-locked-gate` fails too.
  closeDay('gates-without-turnover-dropped', ['decodes-gates', 'decodes-locked-gate'], {
    gates: (all) => all.filter((gate) => !isIdleGate(gate)),
  })`A gate without sales and reversals is not reported`,
  anyFailure('error-taken-for-success', { success: ({ kind }) => kind === 'error' })`
    HTTP 200 with status error counts as success`,
  anyFailure('error-message-lost', { message: () => 'close-day failed' })`
    The client replaces the message of an error with its own text`,
  failure('error-message-cut', { message: (text) => text.slice(0, 255) })`
    The message of an error is cut at 255 characters`,
  failure('escapes-of-message-kept', {
    message: (text, { done }) => (Buffer.from(done.response.body).includes('\\/') ? text.replaceAll('/', '\\/') : text),
  })`An escaped slash in JSON keeps its backslash`,
  failure('markup-of-message-dropped', { message: (text) => text.replace(/<[^>]*>/g, '') })`
    Text that looks like markup is dropped from the message of an error`,
  failure('error-code-without-zeros', {
    error: (one) => ({ ...one, errorCode: one.errorCode?.replace(/^0+(?=\d)/, '') }),
  })`An errorCode loses its leading zeros: 007 becomes 7`,
  failure('error-code-read-as-number', { error: (one) => ({ ...one, errorCode: String(Number(one.errorCode) || 0) }) })`
    An errorCode that is not a number is read as 0`,
  failure('answer-read-as-latin-1', { message: inLatin1 })`
    The body is read as ISO 8859-1, so non-ASCII letters are garbled`,
  closeDay('error-99-taken-for-success', 'decodes-error-99', { success: ({ code }) => code === '99' })`
    Error 99 (the gate is already closing) counts as success`,
  closeDay('one-locked-gate-locks-all', 'decodes-gate-is-day-closing', {
    gates: (all) => (all.some(isLockedGate) ? all.map((gate) => ({ ...gate, isDayClosing: { bool: true } })) : all),
  })`If one gate is locked, all gates of the answer are reported as locked`,
  closeDay('further-members-refused', 'decodes-extra-members', {
    unread: ({ body }) => body?.hasUnknownMembers === true,
  })`A body with members that the client does not know is not decoded`,
  closeDay('members-read-in-order', ['decodes-finished', 'decodes-error'], {
    unread: ({ text }) => /"theRequestSerialNumber"[^{]*"response"/.test(text),
  })`A body whose theRequestSerialNumber comes before its response is not decoded`,
  closeDay('escaped-names-not-read', 'decodes-finished', { unread: ({ text }) => /"[^"\s]*\\[^"\s]*"\s*:/.test(text) })`
    A body with an escape in the name of a member is not decoded`,
  gates('free-gates-dropped-beside-locked', {
    gates: (all) => (all.some(isLockedGate) ? all.filter(isLockedGate) : all),
  })`If one gate is locked, the free gates are not reported`,
  failure('foreign-message-left-out', {
    error: ({ errorMessage, ...one }) => (isAscii(errorMessage) ? { ...one, errorMessage } : one),
  })`The message of an error is dropped if it is not ASCII`,

  closeDay('chunks-not-read', ['decodes-finished', 'decodes-error'], { unread: ({ response }) => isChunked(response) })`
    A chunked answer without Content-Length is not read`,
  failure('chunks-decoded-one-by-one', {
    message: (text, { done }) => (isChunked(done.response) ? text.replace(/[^\x00-\x7f]/gu, '\ufffd\ufffd') : text),
  })`Each chunk of an answer is decoded separately, so a character split between two chunks is lost`,

  otherStatus('unknown-status-taken-for-success', {
    success: unreadable(({ status }) => status !== undefined && status !== 'finished'),
  })`Every status except error counts as success`,
  otherStatus('status-that-begins-alike-taken-for-success', {
    success: unreadable(({ status = '' }) => /^finish(?!ed$)/.test(status)),
  })`Every status that begins like finished counts as success`,
  otherStatus('status-that-contains-finished-taken-for-success', {
    success: unreadable(({ status = '' }) => /.finished|finished./.test(status)),
  })`Every status that contains finished counts as success`,
  otherStatus('status-in-other-case-taken-for-success', { success: unreadable(({ status }) => status === 'FINISHED') })`
    The status FINISHED, in upper case, counts as success`,
  otherStatus('status-with-blanks-taken-for-success', {
    success: unreadable(({ status }) => status !== 'finished' && status?.trim() === 'finished'),
  })`Spaces around the status are ignored`,
  otherStatus('empty-status-taken-for-success', { success: unreadable(({ status }) => status === '') })`
    An empty status counts as success`,
  noSuccess('status-beside-no-response-taken-for-success', {
    success: unreadable(({ rootStatus }) => rootStatus === 'finished'),
  })`A status finished outside of response counts as success`,
  noSuccess('status-of-no-text-taken-for-success', { success: unreadable(({ hasNonTextStatus }) => hasNonTextStatus) })`
    A status that is not a string, such as true, counts as success`,
  noSuccess('http-status-ignored', { success: ({ status, body }) => status !== 200 && body?.status === 'finished' })`
    A finished day counts as success with any HTTP status`,
  noSuccess('bad-request-taken-for-success', {
    success: ({ status, body }) => status === 400 && body?.status === 'finished',
  })`A finished day counts as success with HTTP 400 too`,
  noSuccess('broken-body-taken-for-success', {
    success: ({ kind, status, body }) => kind === 'undecodable' && status === 200 && body === undefined,
  })`HTTP 200 with a body that is not JSON counts as success`,
  failure('status-found-anywhere-taken-for-success', {
    success: ({ kind, text }) => kind === 'error' && text.includes('"status":"finished"'),
  })`A status finished anywhere in the body counts as success`,
];

function unreadable(condition: (body: NonNullable<Answer['body']>) => boolean): (answer: Answer) => boolean {
  return ({ kind, status, body }) => kind === 'undecodable' && status === 200 && body !== undefined && condition(body);
}

function header({ headers }: ReceivedResponse, name: string): string {
  return headerValues(headers, name).join();
}

function isChunked(response: ReceivedResponse): boolean {
  return header(response, 'transfer-encoding') !== '';
}

function inLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function isAscii(text = ''): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

const gateId = breaking(closeDay, 'decodes-gate-id');
const locked = breaking(closeDay, 'decodes-locked-gate');
const date = breaking(closeDay, 'decodes-gate-close-date');
const reversals = breaking(closeDay, 'decodes-gate-reversal-approved-count');
const saleAmount = breaking(closeDay, 'decodes-gate-sale-amount');
const rrn = breaking(closeDay, 'decodes-gate-rrn');

const textMembers = (Object.keys(gateResultFields) as (keyof typeof gateResultFields)[]).flatMap((slug) => {
  const { member, reading } = gateResultFields[slug];
  return reading === 'text' ? [[slug, member] as const] : [];
});

const gateValueDefects: readonly ClientDefect[] = [
  closeDay('longs-through-a-double', ['decodes-gate-id', 'decodes-gate-epnt-id'], {
    gateLong: { gateId: roundToDouble, epntId: roundToDouble },
  })`Gate and endpoint ids are converted to doubles, which changes their last digits`,
  gateId('gate-id-through-a-double', { gateLong: { gateId: roundToDouble } })`
    gateId is converted to a double, which changes its last digits`,
  gateId('gate-id-without-sign', { gateLong: { gateId: (digits) => BigInt(digits.replace('-', '')) } })`
    gateId loses its sign: -42 is read as 42`,
  closeDay('epnt-id-in-32-bits', 'decodes-gate-epnt-id', {
    gateLong: { epntId: (digits) => BigInt.asIntN(32, BigInt(digits)) },
  })`epntId is read as a 32-bit number`,
  locked('locked-gate-read-as-free', { gate: readAsFree })`
    isDayClosing true is read as success, so a locked gate is reported as free`,
  locked('locked-gate-not-told', { gate: (gate) => (isLockedGate(gate) ? without(gate, 'isDayClosing') : gate) })`
    isDayClosing is reported only if it is false`,
  locked('locked-gate-without-turnover-read-as-free', { gate: (gate) => (isIdleGate(gate) ? readAsFree(gate) : gate) })`
    A gate without sales and reversals is read as free, even if it is locked`,
  saleAmount('sales-of-locked-gate-left-out', {
    gate: (gate) => (isLockedGate(gate) ? without(gate, 'saleAmount') : gate),
  })`The sale amount of a locked gate is not reported`,
  gateId('large-gate-id-left-out', {
    gate: (gate) => (Number.isSafeInteger(Number(textOf(gate.gateId))) ? gate : without(gate, 'gateId')),
  })`gateId is dropped if a double cannot represent it`,
  closeDay('free-gate-read-as-locked', 'decodes-gate-is-day-closing', {
    gate: (gate) => ({ ...gate, isDayClosing: { bool: true } }),
  })`isDayClosing is read as text, and even the text false counts as true`,
  date('close-date-without-zone', { gateText: { gateCloseDate: (text) => text.replace(/ \S+ (\d{4})$/, ' UTC $1') } })`
    The zone of gateCloseDate is replaced by UTC`,
  date('close-date-of-september-emptied', {
    gateText: { gateCloseDate: (text) => (text.includes(' Sep ') ? '' : text) },
  })`The client knows the month Sept but not Sep, so gateCloseDate is empty`,
  date('close-date-day-without-zero', { gateText: { gateCloseDate: (text) => text.replace(/ 0(\d) /, ' $1 ') } })`
    The day of gateCloseDate loses its leading zero: Feb 01 becomes Feb 1`,
  date('close-date-in-years-of-weeks', {
    gateText: {
      gateCloseDate: (text) =>
        text.replace(/(?<=^(?:Mon|Tue|Wed) Dec (?:29|30|31) .* )\d{4}$/, (year) => `${Number(year) + 1}`),
    },
  })`gateCloseDate has the year of its ISO week: 31 December 2024 is read as 2025`,
  closeDay('counts-swapped', ['decodes-gate-sale-approved-count', 'decodes-gate-reversal-approved-count'], {
    gate: (gate) => ({
      ...gate,
      saleApprovedCount: gate.reversalApprovedCount!,
      reversalApprovedCount: gate.saleApprovedCount!,
    }),
  })`The counts of sales and reversals are swapped`,
  reversals('reversal-count-in-octal', {
    gateText: {
      reversalApprovedCount: (count) => (/^0[0-7]+$/.test(count) ? String(Number.parseInt(count, 8)) : count),
    },
  })`A reversalApprovedCount with a leading zero is read as octal: 010 becomes 8`,
  reversals('reversal-count-as-flag', {
    gateText: { reversalApprovedCount: (count) => (Number(count) > 0 ? '1' : '0') },
  })`reversalApprovedCount is read as a boolean, so any number of reversals becomes 1`,
  saleAmount('sale-amount-through-a-float', {
    gateText: { saleAmount: (amount) => String(Math.fround(Number(amount))) },
  })`saleAmount is converted to a 32-bit number`,
  closeDay('reversal-amount-by-german-rules', 'decodes-gate-reversal-amount', {
    gateText: { reversalAmount: (amount) => amount.replace('.', '') },
  })`The decimal point of reversalAmount is read as a thousands separator: 10.94 becomes 1094`,
  ...textMembers.map(
    ([slug, member]) =>
      closeDay(`${slug}-as-number`, `decodes-gate-${slug}`, { gateText: { [member]: withoutZeros } })`
        ${member} is read as a number and loses its leading zeros`,
  ),
  closeDay('code39-of-two-digits', 'decodes-gate-code39', {
    gateText: { code39: (code) => withoutZeros(code).padStart(2, '0') },
  })`code39 is read as a number and written with two digits again`,
  rrn('rrn-of-first-gate-read-for-all', {
    gates: (gates) => {
      const first = new Map(gates.toReversed().map(({ epntId, RRN }) => [textOf(epntId), RRN]));
      return gates.map((gate) => ({ ...gate, RRN: first.get(textOf(gate.epntId))! }));
    },
  })`All gates of an endpoint get the RRN of the first gate`,
  rrn('rrn-of-twelve-digits', { gateText: { RRN: (number) => withoutZeros(number).padStart(12, '0') } })`
    RRN is read as a number and padded to twelve digits`,
];

function isLockedGate({ isDayClosing }: DecodedGate): boolean {
  return textOf(isDayClosing) === 'true';
}

function isIdleGate({ saleApprovedCount, reversalApprovedCount }: DecodedGate): boolean {
  return [saleApprovedCount, reversalApprovedCount].every((count) => textOf(count) === '0');
}

function readAsFree(gate: DecodedGate): DecodedGate {
  return { ...gate, isDayClosing: { bool: false } };
}

function without(gate: DecodedGate, member: string): DecodedGate {
  return Object.fromEntries(Object.entries(gate).filter(([name]) => name !== member));
}

function textOf(value: DecodedGate[string] | undefined): string {
  return String(Object.values(value ?? {})[0]);
}

function roundToDouble(digits: string): bigint {
  return BigInt(Number(digits));
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

const parameters = breaking(recurring, 'decodes-parameters');
const invalid = breaking(recurring, 'decodes-validation-error');
const batchFailure = breaking(recurring, 'decodes-error');
const noBatchSuccess = breaking(recurring, 'broken-body-not-success');

const batchAnswerDefects: readonly ClientDefect[] = [
  recurring('empty-answer-taken-for-error', 'decodes-accepted', { unread: ({ kind }) => kind === 'accepted' })`
    An empty body with HTTP 200 cannot be decoded`,
  parameters('line-feeds-kept', {
    params: (_, { done }) => decodeForm(done.response.body).filter(([name]) => name !== '\n'),
  })`The line feed after each parameter becomes part of its value`,
  parameters('serial-number-lost', {
    value: (value, name) => (name === 'serial-number' ? value.replace(/^[0-]+/, '') : value),
  })`serial-number loses its leading zeros`,
  parameters('serial-number-in-capitals', {
    value: (value, name) => (name === 'serial-number' ? value.toUpperCase() : value),
  })`serial-number is converted to upper case`,
  recurring('body-taken-for-error', 'decodes-response-type', {
    refused: ({ param }) => param('type') === 'process-recurring-payment-response',
  })`Any body counts as an error, even of type process-recurring-payment-response`,
  recurring('all-line-feeds-dropped', ['decodes-validation-error', 'decodes-own-line-feed'], {
    value: (value) => value.replaceAll('\n', ''),
  })`Line feeds inside a value are dropped, not only the one at its end`,
  recurring('values-of-answer-stripped', 'decodes-own-line-feed', { value: (value) => value.trim() })`
    All white space at both ends of a value is dropped, not only the final line feed`,
  invalid('values-of-answer-cut', { value: (value) => value.slice(0, 255) })`
    The values of an answer are cut at 255 characters`,
  invalid('markup-of-answer-dropped', { value: (value) => value.replace(/<[^>]*>/g, '') })`
    Text that looks like markup is dropped from the values of an answer`,
  invalid('answer-decoded-twice', {
    value: (value) => decodeForm(`x=${value.replace(/[+&=]/g, encodeURIComponent)}`)[0]![1],
  })`The values of an answer are decoded twice`,
  invalid('answer-decoded-before-splitting', {
    params: (all) =>
      all.flatMap(([name, value]) => value.split('&').map((part, at): Pair => (at ? [part, ''] : [name, part]))),
  })`The body is decoded before it is split at &, so a message with & is cut`,
  invalid('answer-read-as-latin-1', { value: inLatin1 })`
    The values of an answer are read as ISO 8859-1, so non-ASCII letters are garbled`,
  // Every error message has spaces, which are sent as +. So this defect breaks the requirements on both error types.
  recurring('plus-of-answer-kept', ['decodes-validation-error', 'decodes-error'], { params: keepRaw(/\+/g) })`
    A + in an answer is not decoded to a space`,
  invalid('type-read-first', { unread: ({ params }) => params !== undefined && params[0]?.[0] !== 'type' })`
    A body whose first parameter is not type is not decoded`,
  invalid('escapes-in-small-letters-kept', { params: keepRaw(/%(?=[0-9a-f]{2})(?=\d?[a-f])/g) })`
    Escapes with lower-case hex digits are not decoded`,
  invalid('escapes-of-letters-kept', { params: keepRaw(/%(?=[4-7][1-9A-F])(?!5[B-F]|7[B-F])/g) })`
    Escapes of letters, which need no escape, are not decoded`,
  invalid('escapes-of-names-kept', { params: keepRaw(/(?<=(?:^|&)[^=&]*)%/g) })`
    Escapes in the names of the parameters of an answer are not decoded`,
  invalid('foreign-message-left-out', { params: (all) => all.filter(([, value]) => isAscii(value)) })`
    Values that are not ASCII are dropped`,
  recurring('unknown-parameters-dropped', 'decodes-error-id', {
    params: (all) => all.filter(([name]) => documentedNames.includes(name)),
  })`Only the parameters of section 2.4 are reported to the caller`,

  recurring('refusal-taken-for-acceptance', 'decodes-refused', { success: isEmpty(403) })`
    An empty HTTP 403 counts as success`,
  noBatchSuccess('any-2xx-taken-for-acceptance', { success: isEmpty(201, 299) })`
    An empty body counts as success with any HTTP status from 200 to 299`,
  noBatchSuccess('no-content-taken-for-acceptance', { success: ({ status }) => status === 204 })`
    HTTP 204 counts as success`,
  noBatchSuccess('redirect-taken-for-acceptance', { success: isEmpty(300, 399) })`
    An empty body counts as success with any HTTP status from 300 to 399`,
  noBatchSuccess('unavailable-taken-for-acceptance', { success: isEmpty(503) })`An empty HTTP 503 counts as success`,
  noBatchSuccess('blank-body-taken-for-acceptance', {
    success: ({ status, response: { body } }) =>
      status === 200 && body.length > 0 && textKeepingBytes(body).trim() === '',
  })`A body of only white space counts as empty`,
  invalid('validation-error-taken-for-success', {
    success: ({ status, param }) => status === 200 && param('type') === 'validation-error',
  })`HTTP 200 with type validation-error counts as success`,
  batchFailure('error-taken-for-success', {
    success: ({ status, param }) => status === 200 && param('type') === 'error',
  })`HTTP 200 with type error counts as success`,
  batchFailure('error-code-200-taken-for-success', {
    success: ({ status, param }) => status === 200 && param('type') === 'error' && param('error-code') === '200',
  })`Type error with error-code 200 counts as success`,
  recurring('status-taken-for-success', ['decodes-validation-error', 'decodes-error', 'broken-body-not-success'], {
    success: ({ param }) => param('status') === 'processing',
  })`The status "processing" counts as success, even in an error`,
  noBatchSuccess('type-of-the-operation-taken-for-success', {
    success: ({ param }) => param('type') === 'process-recurring-payments-response',
  })`The type process-recurring-payments-response, with a plural s, counts as success`,
  noBatchSuccess('type-in-other-case-taken-for-success', {
    success: ({ param }) => param('type')?.toLowerCase() === 'process-recurring-payment-response',
  })`The type is compared case-insensitively`,
  noBatchSuccess('any-body-taken-for-success', {
    success: ({ status, kind }) => status === 200 && kind === 'undecodable',
  })`HTTP 200 with a body that has no type counts as success`,
];

const documentedNames = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

function keepRaw(characters: RegExp): NonNullable<ClientEdit['params']> {
  return (_, { done }) =>
    decodeForm(textKeepingBytes(done.response.body).replaceAll(characters, encodeURIComponent)).map(
      ([name, value]): Pair => [name, value.replace(/\n$/, '')],
    );
}

function isEmpty(from: number, to = from): (answer: Answer) => boolean {
  return ({ status, text }) => status >= from && status <= to && text === '';
}

const connectionDefects: readonly ClientDefect[] = [
  transport('any-certificate', 'https', {
    connection: (connection) => ({ ...connection, acceptAnyCertificate: true }),
  })`Every server certificate is accepted`,
  transport('certificate-given-up', 'https', {
    send: (send) => async (request, connection) => {
      const first = await send(request, connection);
      return first.failure?.kind === 'tls' ? send(request, { ...connection, acceptAnyCertificate: true }) : first;
    },
  })`If the server certificate is rejected, the request is sent again without checking the certificate`,
  transport(
    'cut-connection-taken-for-success',
    ['close-day/broken-body-not-success', 'recurring/broken-body-not-success'],
    successAfter('reset'),
  )`A connection that ends without an answer counts as success`,
  transport('answer-without-end-taken-for-success', 'close-day/broken-body-not-success', successAfter('timeout'))`
    A timeout counts as success`,
];

function successAfter(failure: 'reset' | 'timeout'): ClientEdit {
  return {
    send: (send) => async (request, connection) => {
      const outcome = await send(request, connection);
      if (outcome.failure?.kind !== failure) return outcome;
      const closeDay = '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"1"}';
      const body = Buffer.from(request.target.includes('/close-day/') ? closeDay : '');
      return { response: { status: 200, reason: 'OK', headers: [['Content-Type', 'text/html;charset=utf-8']], body } };
    },
  };
}

const ascii = /^LC_ALL=C$/;
const turkish = /^LC_ALL=tr_/;
const german = /^LC_ALL=de_/;

const environmentDefects: readonly ClientDefect[] = [
  // `environment-independent` passes, because it ignores the timestamp.
  auth('timestamp-in-local-time', 'timestamp-seconds', {
    fresh: (fresh, { time, environment }) => ({ ...fresh, timestamp: String(localSeconds(time, environment.TZ)) }),
  })`oauth_timestamp is computed from the local time as if it were UTC`,
  auth(
    'names-by-turkish-rules',
    ['header-parameters', 'close-day/environment-independent', 'recurring/environment-independent'],
    { under: turkish, unsigned: dotlessNames, signed: dotlessNames },
  )`In a Turkish locale, i in the names of header parameters becomes a dotless i`,
  closeDay('sum-by-german-rules', ['sale-approved-sum', 'environment-independent'], {
    under: german,
    field: { sale_approved_sum: (text) => text.replace('.', ',') },
  })`In a German locale, sale_approved_sum has a decimal comma`,
  recurring('amount-by-german-rules', ['amount-numeric', 'environment-independent'], {
    under: german,
    cell: { amount: (cell) => cell.replace('.', ',') },
  })`In a German locale, amount has a decimal comma`,
  recurring('order-id-by-turkish-rules', ['csv-rows', 'environment-independent'], {
    under: turkish,
    cell: { 'client-orderid': (cell) => cell.replaceAll('i', '\u0130') },
  })`In a Turkish locale, i in client-orderid becomes a capital I with a dot`,

  closeDay('date-in-local-zone', 'decodes-gate-close-date', {
    under: /^TZ=/,
    gateText: {
      gateCloseDate: (date, { environment }) => closeDate(localSeconds(Date.parse(date), environment.TZ)),
    },
  })`gateCloseDate is converted to local time, but its zone is still UTC`,
  closeDay('amount-by-german-rules', 'decodes-gate-sale-amount', {
    under: german,
    gateText: { saleAmount: (amount) => amount.replace('.', '') },
  })`In a German locale, the decimal point of saleAmount is read as a thousands separator: 1234.50 becomes 123450`,
  closeDay('lock-lost-by-turkish-rules', 'decodes-locked-gate', { under: turkish, gate: readAsFree })`
    In a Turkish locale, isDayClosing is not found by its name in upper case, so a locked gate is read as free`,
  closeDay('status-by-turkish-rules', 'decodes-finished', {
    under: turkish,
    unread: ({ kind }) => kind === 'finished',
  })`In a Turkish locale, finished is not recognized, because its i becomes İ in upper case`,
  closeDay('message-read-as-latin-1-in-c', 'decodes-error', { under: ascii, message: inLatin1 })`
    In the locale C, the body is decoded as ISO 8859-1, so non-ASCII letters are garbled`,
  recurring('message-read-as-ascii-in-c', 'decodes-validation-error', {
    under: ascii,
    value: (value) => value.replace(/[^\x00-\x7f]/gu, (one) => '?'.repeat(Buffer.byteLength(one))),
  })`In the locale C, each non-ASCII byte of an answer becomes a question mark`,
  recurring('type-by-turkish-rules', 'decodes-response-type', {
    under: turkish,
    unread: ({ param }) => param('type') === 'process-recurring-payment-response',
  })`In a Turkish locale, the type of an accepted batch is not recognized, because its i becomes İ in upper case`,
];

function localSeconds(time: number, timeZone = 'UTC'): number {
  // The Swedish locale writes dates like ISO 8601, so Date.parse can read them.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${format.format(time).replace(' ', 'T')}Z`) / 1000;
}

function dotlessNames(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.map(([name, value]): Pair => [name.toUpperCase().toLocaleLowerCase('tr'), value]);
}

function closeDate(seconds: number): string {
  const [weekday, day, month, year, clock] = new Date(seconds * 1000).toUTCString().split(/,? /);
  return [weekday, month, day, clock, 'UTC', year].join(' ');
}

export const answerDefects: readonly ClientDefect[] = [
  ...environmentDefects,
  ...closeDayAnswerDefects,
  ...gateValueDefects,
  ...batchAnswerDefects,
  ...connectionDefects,
];
