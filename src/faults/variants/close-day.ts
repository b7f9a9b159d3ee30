/** Other forms of the close-day answer (2.2, 4.1). */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import type { Alteration } from '../../mock/alteration.ts';
import { closeDayError, editBody, finished, type GateResult, withHeader } from '../../mock/responses.ts';
import { inText, type Json, reshape, reversed } from './close-day-body.ts';
import type { Variant } from './variant.ts';

/** Values in every answer that nobody expects and the document does not rule out: what is replaced, and by what. */
const oddValues: readonly (readonly [OpenPointId, id: string, summary: string, found: RegExp, value: string])[] = [
  [
    'A39',
    'serial-number-constant',
    'Every close-day answer has the same theRequestSerialNumber',
    /(?<="theRequestSerialNumber":")[^"]*/,
    '00000000-0000-0000-0000-000000000001',
  ],
  ['A40', 'rrn-empty', 'RRN is empty', /(?<="RRN":")\d+/g, ''],
  ['A40', 'rrn-constant', 'RRN is the same after every close-day', /(?<="RRN":")\d+/g, '000000000001'],
  ['A40', 'rrn-of-each-gate', 'Each gate of an endpoint has another RRN', /("gateId":(\d+)[^}]*"RRN":")\d+/g, '$1$2'],
  ['A40', 'code39-empty', 'code39 is empty', /(?<="code39":")\d+/g, ''],
  ['A40', 'counts-empty', 'The counts of a gate are empty', /(?<="(?:sale|reversal)ApprovedCount":")\d+/g, ''],
  ['A40', 'counts-in-words', 'The counts are words', /(?<="(?:sale|reversal)ApprovedCount":")\d+/g, 'several'],
  ['A40', 'amounts-negative', 'The amounts of a gate are negative', /(?<="(?:sale|reversal)Amount":")(?=\d)/g, '-'],
  ['A11', 'date-of-another-year', 'gateCloseDate is in 1972', /(?<="gateCloseDate":"[^"]*)\d{4}(?=")/g, '1972'],
  ['A41', 'gates-beside-error', 'An error has gates too', /(?<="status":"error",)/, '"gates":[],'],
];

export const closeDayVariants: readonly Variant[] = [
  ...oddValues.map(([openPoint, id, summary, found, value]) => ({
    id,
    summary,
    openPoint,
    alteration: inText((text) => text.replace(found, value)),
  })),
  {
    id: 'refusal-401',
    summary: 'A close-day request whose authentication fails is answered with HTTP 401',
    alteration: { settings: { refusalStatus: 401 } },
  },
  {
    id: 'refusal-403',
    summary: 'A close-day request whose authentication fails is answered with HTTP 403',
    alteration: { settings: { refusalStatus: 403 } },
  },
  {
    id: 'refusal-without-body',
    summary: 'A close-day request whose authentication fails is answered with HTTP 401 and nothing else',
    alteration: {
      settings: { refusalStatus: 401 },
      writes: (reply, { operation }) =>
        operation === 'close-day' && reply.status === 401 ? editBody(reply, () => '') : reply,
    },
  },
  {
    id: 'refusal-with-page',
    summary: 'A close-day request whose authentication fails is answered with HTTP 403 and an HTML page',
    openPoint: 'A35',
    alteration: refusedWith(403, 'text/html', () => '<html><body>Forbidden</body></html>'),
  },
  {
    id: 'refusal-in-json',
    summary: 'A close-day request whose authentication fails is answered with HTTP 401 and a body of application/json',
    openPoint: 'A35',
    alteration: refusedWith(401, 'application/json', (text) => text.replace(/"errorCode":"[^"]*",/, '')),
  },
  {
    id: 'code-of-a-finished-answer',
    summary: 'A finished answer has an errorCode and an errorMessage too, those of the last error',
    openPoint: 'A6',
    alteration: inText((text) =>
      text.replace('"status":"finished",', '$&"errorCode":"99","errorMessage":"gate is closing already",'),
    ),
  },
  {
    id: 'wrapped-body',
    summary: 'The close-day body is in an enclosing object',
    openPoint: 'A5',
    alteration: reshape((body) => ({ closeDay: body })),
  },
  {
    id: 'wrapped-body-with-more',
    summary: 'The close-day body is in an enclosing object that has other members too',
    openPoint: 'A5',
    alteration: reshape((body) => ({ ok: true, meta: { version: 2 }, result: body })),
  },
  {
    id: 'other-errors',
    summary: 'Close-day errors other than 99 have codes and messages of their own, in another language',
    openPoint: 'A6',
    alteration: inText((text) =>
      text.replace(
        /"errorCode":"(?!99")\d+","errorMessage":"(?:[^"\\]|\\.)*"/,
        '"errorCode":"E-1001","errorMessage":"Ошибка запроса: \\"отказ\\""',
      ),
    ),
  },
  {
    id: 'error-code-as-number',
    summary: 'errorCode is a number',
    openPoint: 'A10',
    alteration: inText((text) => text.replace(/"errorCode":"(\d+)"/, '"errorCode":$1')),
  },
  {
    id: 'date-in-russian',
    summary: 'gateCloseDate has Russian names and the zone MSK',
    openPoint: 'A11',
    alteration: {
      writes: (reply, { gates = [] }) =>
        gates.length === 0 ? reply : editBody(reply, (text) => withDates(text, gates.map(moscowDate))),
    },
  },
  {
    id: 'longs-of-19-digits',
    summary: 'gateId and epntId have 19 digits, and epntId is not the endpoint id',
    openPoint: 'A24',
    alteration: inText((text) =>
      text.replace(
        /"(gateId|epntId)":(\d{1,18})(?!\d)/g,
        (_, name, digits) => `"${name}":9${digits.padStart(18, '0')}`,
      ),
    ),
  },
  {
    id: 'locked-gate-error',
    summary: 'A close-day on a locked gate is answered with an error',
    openPoint: 'A28',
    alteration: {
      writes: (reply, { gates = [] }) =>
        gates.some(({ isDayClosing }) => isDayClosing) ? closeDayError('12', 'the gate is locked', 0x12) : reply,
    },
  },
  {
    id: 'unknown-endpoint-finished',
    summary: 'A close-day for an endpoint that does not exist is finished, without any gate',
    openPoint: 'A30',
    alteration: {
      writes: (reply, { operation, step, serial }) =>
        operation === 'close-day' && step === 'endpoint' ? finished([], serial!) : reply,
    },
  },
  {
    id: 'gates-in-another-order',
    summary: 'Several gates come in the opposite order',
    meaningless: 'no order of gates is stated (2.2)',
    alteration: reshape((body) => {
      const response = body.response as Json;
      return Array.isArray(response.gates)
        ? { ...body, response: { ...response, gates: response.gates.toReversed() } }
        : body;
    }),
  },
  {
    id: 'further-members',
    summary: 'The close-day body has members that the document does not name, in every object',
    openPoint: 'A41',
    alteration: reshape((body) => {
      const response = body.response as Json;
      const gates = Array.isArray(response.gates)
        ? { gates: response.gates.map((gate: Json) => ({ bankName: 'Bank', ...gate, currency: null })) }
        : {};
      return { apiVersion: 2, ...body, response: { ...response, ...gates, warnings: [] }, elapsed: { ms: 1.5e1 } };
    }),
  },
  {
    id: 'members-in-another-order',
    summary: 'The members of the close-day body come in the opposite order',
    meaningless: 'an object is unordered (RFC 8259 section 4)',
    alteration: reshape(reversed),
  },
  {
    id: 'pretty-printed',
    summary: 'The close-day body is indented, with line ends',
    meaningless: 'white space between tokens does not count (RFC 8259 section 2)',
    alteration: reshape((body) => body, 2),
  },
  {
    id: 'escaped-text',
    summary: 'Texts of the close-day body are written with \\u escapes',
    meaningless: 'an escape is the character (RFC 8259 section 7)',
    alteration: inText((text) =>
      text.replace(/(?<="(?:status|gateCloseDate|errorMessage)":")[^"\\]*/g, (value) =>
        value.replace(/[a-z ]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
      ),
    ),
  },
  {
    id: 'serial-in-capitals',
    summary: 'theRequestSerialNumber has upper-case hexadecimal digits',
    meaningless: 'hexadecimal digits have no case (RFC 9562 section 4)',
    alteration: inText((text) =>
      text.replace(/(?<="theRequestSerialNumber":")[0-9a-f-]+/, (serial) => serial.toUpperCase()),
    ),
  },
];

/** Changes the refusals of failed authentication: their status, content type and body. */
function refusedWith(refusalStatus: 401 | 403, contentType: string, body: (text: string) => string): Alteration {
  return {
    settings: { refusalStatus },
    writes: (reply, { operation }) =>
      operation === 'close-day' && reply.status === refusalStatus
        ? withHeader(editBody(reply, body), 'Content-Type', contentType)
        : reply,
  };
}

/** Replaces the dates of the gates, which come in their order. */
function withDates(text: string, dates: readonly string[]): string {
  let gate = 0;
  return text.replace(/(?<="gateCloseDate":")[^"]*/g, (date) => dates[gate++] ?? date);
}

const weekdays = ['вс', 'пн', 'вт', 'ср', 'чт', 'пт', 'сб'];
const months = ['янв.', 'февр.', 'марта', 'апр.', 'мая', 'июня', 'июля', 'авг.', 'сент.', 'окт.', 'нояб.', 'дек.'];
const moscowOffsetMs = 3 * 60 * 60 * 1000;

/** As a Java service with a Russian locale in Moscow writes it. */
function moscowDate({ closedAt }: GateResult): string {
  const local = new Date(closedAt + moscowOffsetMs);
  const [day, clock] = [local.getUTCDate(), local.toISOString().slice(11, 19)];
  return `${weekdays[local.getUTCDay()]} ${months[local.getUTCMonth()]} ${day} ${clock} MSK ${local.getUTCFullYear()}`;
}
