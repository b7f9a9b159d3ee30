/** Gateways whose answers differ from the mock in ways that section 2.2, 2.4, 4.1, 4.2, 7 or RFC 9110 permits. */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import { authenticationStepNames } from '../../mock/gateway.ts';
import {
  closeDayError,
  closeDayFinished,
  editBody,
  type GateResult,
  isAcceptance,
  type NextAnswer,
  scriptedReply,
  withHeader,
  withoutHeader,
  withStatus,
} from '../../mock/responses.ts';
import type { Header } from '../../record/exchange.ts';
import { row, type Tag } from '../../record/row.ts';
import { alterationOf, type GatewayEdit, type Variant, variant } from '../defect.ts';

const authenticationStep = new RegExp(`^(?:${authenticationStepNames.join('|')})$`);

const closeDayVariants: readonly Variant[] = [
  closeDay('serial-number-constant', 'A39', {
    member: { theRequestSerialNumber: () => '"00000000-0000-0000-0000-000000000001"' },
  })`Every close-day answer has the same theRequestSerialNumber`,
  closeDay('rrn-empty', 'A40', { member: { RRN: () => '""' } })`RRN is empty`,
  closeDay('rrn-constant', 'A40', { member: { RRN: () => '"000000000001"' } })`Every close-day answer has the same RRN`,
  closeDay('rrn-of-each-gate', 'A40', { text: (body) => body.replace(/("gateId":(\d+)[^}]*"RRN":")\d+/g, '$1$2') })`
    Each gate of an endpoint has a different RRN`,
  closeDay('code39-empty', 'A40', { member: { code39: () => '""' } })`code39 is empty`,
  closeDay('counts-empty', 'A40', { member: bothFields('ApprovedCount', () => '""') })`The counts of a gate are empty`,
  closeDay('counts-in-words', 'A40', {
    member: bothFields('ApprovedCount', () => '"several"'),
  })`The counts of a gate are words`,
  closeDay('amounts-negative', 'A40', { member: bothFields('Amount', (json) => json.replace('"', '"-')) })`
    The amounts of a gate are negative`,
  closeDay('date-of-another-year', 'A11', { member: { gateCloseDate: (json) => json.replace(/\d{4}"$/, '1972"') } })`
    gateCloseDate is in 1972`,
  closeDay('gates-beside-error', 'A41', { text: (body) => body.replace('"status":"error",', '$&"gates":[],') })`
    An error also has the member gates, with an empty list`,
  variant('refusal-401', undefined, { settings: { refusalStatus: 401 } })`
    A close-day request whose authentication fails is answered with HTTP 401`,
  variant('refusal-403', undefined, { settings: { refusalStatus: 403 } })`
    A close-day request whose authentication fails is answered with HTTP 403`,
  closeDay('refusal-without-body', undefined, { at: authenticationStep, status: 401, body: '' })`
    A close-day request whose authentication fails is answered with an empty HTTP 401`,
  closeDay('refusal-with-page', 'A35', {
    at: authenticationStep,
    status: 403,
    body: '<html><body>Forbidden</body></html>',
    header: { 'Content-Type': 'text/html' },
  })`A close-day request whose authentication fails is answered with HTTP 403 and an HTML page`,
  closeDay('refusal-in-json', 'A35', {
    at: authenticationStep,
    status: 401,
    member: { errorCode: () => undefined },
    header: { 'Content-Type': 'application/json' },
  })`A close-day request whose authentication fails is answered with HTTP 401 and an application/json body without errorCode`,
  closeDay('code-of-a-finished-answer', 'A6', {
    text: (body) =>
      body.replace('"status":"finished",', '$&"errorCode":"99","errorMessage":"gate is closing already",'),
  })`A finished answer also has errorCode and errorMessage, as if they were left from an earlier error`,
  closeDay('wrapped-body', 'A5', { text: editJson((body) => ({ closeDay: body })) })`
    The close-day body is in an enclosing object`,
  closeDay('wrapped-body-with-more', 'A5', {
    text: editJson((body) => ({ ok: true, meta: { version: 2 }, result: body })),
  })`
    The close-day body is in an enclosing object that also has other members`,
  closeDay('other-errors', 'A6', {
    text: (body) =>
      body.replace(
        /"errorCode":"(?!99")\d+","errorMessage":"(?:[^"\\]|\\.)*"/,
        '"errorCode":"E-1001","errorMessage":"Ошибка запроса: \\"отказ\\""',
      ),
  })`Close-day errors have other codes, and messages in another language. Only error 99 stays the same`,
  closeDay('error-code-as-number', 'A10', { member: { errorCode: (json) => json.replace(/^"(\d+)"$/, '$1') } })`
    errorCode is a number`,
  variant('date-in-russian', 'A11', {
    writes: (reply, { gates = [] }) =>
      gates.length === 0 ? reply : editBody(reply, (text) => withDates(text, gates.map(moscowDate))),
  })`gateCloseDate has Russian names and the zone MSK`,
  closeDay('longs-of-19-digits', 'A24', { member: { gateId: padTo19Digits, epntId: padTo19Digits } })`
    gateId and epntId have 19 digits, and epntId is not the endpoint id`,
  variant('locked-gate-error', 'A28', {
    writes: (reply, { gates = [] }) =>
      gates.some(({ isDayClosing }) => isDayClosing) ? closeDayError('12', 'the gate is locked', 0x12) : reply,
  })`A close-day on a locked gate is answered with an error`,
  closeDay('unknown-endpoint-finished', 'A30', {
    writes: (reply, { step, serial }) => (step === 'endpoint' ? closeDayFinished([], serial!) : reply),
  })`A close-day for an endpoint that does not exist gets the status finished and an empty list of gates`,
  meaningless('gates-in-another-order', 'the document states no order of gates (2.2)', {
    of: 'close-day',
    text: editJson(editGates((gates) => gates.toReversed())),
  })`The gates are in reverse order`,
  closeDay('further-members', 'A41', {
    text: editJson((body) => {
      const { response, ...rest } = editGates((gates) =>
        gates.map((gate) => ({ bankName: 'Bank', ...gate, currency: null })),
      )(body);
      return { apiVersion: 2, response: { ...(response as Json), warnings: [] }, ...rest, elapsed: { ms: 1.5e1 } };
    }),
  })`Every object of the close-day body has undocumented members`,
  meaningless('members-in-another-order', 'the order of members has no meaning (RFC 8259 section 4)', {
    of: 'close-day',
    text: editJson(reverseMembers),
  })`The members of the close-day body are in reverse order`,
  meaningless('pretty-printed', 'white space between tokens has no meaning (RFC 8259 section 2)', {
    of: 'close-day',
    text: editJson((body) => body, 2),
  })`The close-day body is indented, with line ends`,
  meaningless('escaped-text', 'an escape means the same as the character (RFC 8259 section 7)', {
    of: 'close-day',
    text: (body) =>
      body.replace(/(?<="(?:status|gateCloseDate|errorMessage)":")[^"\\]*/g, (value) =>
        value.replace(/[a-z ]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
      ),
  })`Strings of the close-day body are written with \\u escapes`,
  meaningless('serial-in-capitals', 'hexadecimal digits are case-insensitive (RFC 9562 section 4)', {
    of: 'close-day',
    member: { theRequestSerialNumber: (json) => json.toUpperCase() },
  })`theRequestSerialNumber has upper-case hexadecimal digits`,
];

function meaningless(id: string, rule: string, edit: GatewayEdit): Tag<Variant> {
  return row((summary) => ({ id, summary, meaningless: rule, alteration: alterationOf(edit, summary) }));
}

function bothFields(suffix: string, edit: (json: string) => string): GatewayEdit['member'] {
  return { [`sale${suffix}`]: edit, [`reversal${suffix}`]: edit };
}

function closeDay(id: string, openPoint: OpenPointId | undefined, edit: GatewayEdit): Tag<Variant> {
  return variant(id, openPoint, { of: 'close-day', ...edit });
}

type Json = Record<string, unknown>;

const longMark = 'long:';

/** Edits a JSON body. JavaScript numbers would round gateId and epntId, so `change` gets these ids as strings. */
function editJson(change: (body: Json) => unknown, indent?: number): (text: string) => string {
  return (text) => {
    const body: Json = JSON.parse(text.replace(/"(gateId|epntId)":(\d+)/g, `"$1":"${longMark}$2"`));
    return JSON.stringify(change(body), undefined, indent).replace(new RegExp(`"${longMark}(\\d+)"`, 'g'), '$1');
  };
}

function editGates(change: (gates: readonly Json[]) => readonly Json[]): (body: Json) => Json {
  return (body) => {
    const response = body.response as Json;
    if (!Array.isArray(response.gates)) return body;
    return { ...body, response: { ...response, gates: change(response.gates) } };
  };
}

function padTo19Digits(digits: string): string {
  return digits.length > 18 ? digits : `9${digits.padStart(18, '0')}`;
}

function withDates(text: string, dates: readonly string[]): string {
  let gate = 0;
  return text.replace(/(?<="gateCloseDate":")[^"]*/g, (date) => dates[gate++] ?? date);
}

const weekdays = ['вс', 'пн', 'вт', 'ср', 'чт', 'пт', 'сб'];
const months = ['янв.', 'февр.', 'марта', 'апр.', 'мая', 'июня', 'июля', 'авг.', 'сент.', 'окт.', 'нояб.', 'дек.'];
const moscowOffsetMs = 3 * 60 * 60 * 1000;

function moscowDate({ closedAt }: GateResult): string {
  const local = new Date(closedAt + moscowOffsetMs);
  const day = local.getUTCDate();
  const clock = local.toISOString().slice(11, 19);
  return `${weekdays[local.getUTCDay()]} ${months[local.getUTCMonth()]} ${day} ${clock} MSK ${local.getUTCFullYear()}`;
}

function reverseMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reverseMembers(member)]),
  );
}

const recurringVariants: readonly Variant[] = [
  parameterVariant('accepted-with-parameters', 'A17', { type: 'process-recurring-payment-response' })`
    An accepted batch is answered with parameters (section 2.4)`,
  parameterVariant('validation-error-with-200', 'A17', { type: 'validation-error' })`
    A refused batch is answered with HTTP 200 and a body of type validation-error`,
  parameterVariant('validation-error-with-403', 'A17', { type: 'validation-error', httpStatus: 403 })`
    A refused batch is answered with HTTP 403 and a body of type validation-error`,
  parameterVariant('escaped-line-feeds', 'A18', { type: 'validation-error', httpStatus: 403, lineFeed: '%0A' })`
    A refused batch is answered with a body of type validation-error that encodes 0x0A as %0A`,
  parameterVariant('error-with-code-200', 'A19', { type: 'error', code: '200', httpStatus: 403 })`
    A refused batch is answered with a body of type error and error-code 200`,
  parameterVariant('error-with-code-500', 'A20', { type: 'error', code: '500', errorIdName: 'errorId' })`
    A refused batch is answered with a body of type error, error-code 500 and the parameter errorId`,
  variant('error-id-in-message', 'A20', {
    ...answerEdit({ kind: 'parameters', type: 'error', code: '500' }),
    text: (body) => body.replace(/(error-message=[^&\n]*)(.*)&error-id=([^&\n]*)\n/s, '$1%2C%20error%20$3$2'),
  })`A refused batch is answered with a body of type error and code 500, and the error ID in error-message`,
  variant('error-id-in-header', 'A20', errorIdInHeader(answerEdit({ kind: 'parameters', type: 'error', code: '500' })))`
    A refused batch is answered with a body of type error and code 500, and the error ID in a header`,
  variant('error-without-serial-number', 'A17', {
    ...answerEdit({ kind: 'parameters', type: 'validation-error', httpStatus: 403 }),
    text: (body) => body.replace(/serial-number=[^&]*&/, ''),
  })`A refused batch is answered with a body of type validation-error without serial-number`,
  variant('recurring-refusal-401', 'A21', { of: 'process-recurring-payments', at: authenticationStep, status: 401 })`
    A batch whose authentication fails is answered with HTTP 401`,

  variant('keep-alive-5', undefined, { header: { 'Keep-Alive': 'timeout=5' } })`
    Keep-Alive announces 5 seconds instead of 60, as if a proxy had replaced the header`,
  meaningless('further-headers', 'unknown headers are ignored (RFC 9110 section 5.1)', {
    writes: (reply) => ({ ...reply, headers: [...proxyHeaders, ...reply.headers] }),
  })`Answers have additional headers, such as those of a proxy`,
  meaningless('header-names-in-lower-case', 'header names are case-insensitive (RFC 9110 section 5.1)', {
    writes: (reply) => ({
      ...reply,
      headers: reply.headers.map(([name, value]): Header => [name.toLowerCase(), value]),
    }),
  })`Header names are in lower case`,
  meaningless(
    'content-type-in-capitals',
    'a charset is case-insensitive, and a space may precede a parameter (RFC 9110 section 8.3)',
    { on: 'with-body', header: { 'Content-Type': 'text/html; charset=UTF-8' } },
  )`The content type is written text/html; charset=UTF-8`,
  meaningless('chunked-bodies', 'the transfer coding does not change the content (RFC 9112 section 7.1)', {
    on: 'with-body',
    header: { 'Content-Length': undefined },
  })`Answers with a body are chunked, without Content-Length`,
  variant('other-method-404', 'A30', {
    writes: (reply) => (reply.status === 405 ? withoutHeader(withStatus(reply, 404), 'Allow') : reply),
  })`Methods other than POST are answered with HTTP 404 instead of 405`,
  variant('other-types-not-signed', 'A35', { at: /^content-type$/, status: 401, body: '' })`
    A body with another content type is not read. So authentication fails, with an empty HTTP 401`,
];

type ParameterAnswer = Omit<Extract<NextAnswer, { kind: 'parameters' }>, 'kind'>;

function parameterVariant(id: string, openPoint: OpenPointId, answer: ParameterAnswer): Tag<Variant> {
  return variant(id, openPoint, answerEdit({ kind: 'parameters', ...answer }));
}

function answerEdit(answer: NextAnswer): GatewayEdit {
  const decision = isAcceptance(answer) ? 'accepted' : 'refused';
  return {
    of: 'process-recurring-payments',
    on: 'refused',
    writes: (reply, context) =>
      context.decision === decision && context.serial !== undefined && reply.body.length === 0
        ? scriptedReply(answer, context.serial)
        : reply,
  };
}

function errorIdInHeader(edit: GatewayEdit): GatewayEdit {
  return {
    ...edit,
    writes: (reply, context) => {
      const answer = edit.writes!(reply, context);
      const id = /&error-id=([^&\n]*)/.exec(Buffer.from(answer.body).toString('latin1'))?.[1];
      if (id === undefined) return answer;
      return withHeader(
        editBody(answer, (text) => text.replace(/&error-id=[^&]*/, '')),
        'X-Error-Id',
        id,
      );
    },
  };
}

const proxyHeaders: readonly Header[] = [
  ['Server', 'nginx'],
  ['X-Request-ID', '00000000-0000-0000-0000-000000000001'],
  ['Cache-Control', 'no-store'],
  ['Set-Cookie', 'route=a; Path=/; HttpOnly'],
  ['Set-Cookie', 'node=1; Path=/'],
];

export const answerVariants: readonly Variant[] = [...closeDayVariants, ...recurringVariants];
