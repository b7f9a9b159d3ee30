/** Requirements on close-day answers and on the client that reads them: sections 2.2, 3, 4.1 and 7. */
import { type Requirement, rowsOf } from './requirement.ts';

const gateway = { operation: 'close-day', side: 'gateway', kind: 'required' } as const;
const transport = rowsOf({ ...gateway, dimension: 'transport' });
const decoding = rowsOf({ ...gateway, dimension: 'response-decoding' });
const behaviour = rowsOf({ ...gateway, dimension: 'behaviour' });
const client = rowsOf({
  operation: 'close-day',
  side: 'client',
  dimension: 'response-decoding',
  kind: 'required',
  // The document does not say that answers are JSON (A27), so the basis is a profile.
  basis: 'profile:rfc5849',
});

const closingEndpoint = 'Set states.closing in the configuration to an endpoint whose gates are all closing.';
const settableStates =
  'No request causes this situation. Use a mock whose states the suite can set: set control-url in the configuration.';

type JsonType = 'long' | 'boolean' | 'string';

const inJson = {
  string: 'a JSON string, in quotes',
  long: 'a JSON number that has only digits: no quotes, fraction or exponent',
  boolean: 'true or false: without quotes, and not as a number',
} as const satisfies Record<JsonType, string>;

const readings = {
  id: 'with every digit, above 2^53 too',
  truth: 'as a truth value',
  date: 'unchanged or as the same instant, whatever its zone',
  count: 'without loss: the same text or number',
  amount: 'without loss: 0.10 and 100.00 keep their value',
  text: 'unchanged, leading zeros included',
} as const;

export type GateReading = keyof typeof readings;

/** The members of a gate result, by their slug in ids: JSON type, kind of value, and line in the table of 2.2. */
export const gateResultFields = {
  id: { member: 'gateId', type: 'long', reading: 'id', line: 6 },
  'is-day-closing': { member: 'isDayClosing', type: 'boolean', reading: 'truth', line: 7 },
  'close-date': { member: 'gateCloseDate', type: 'string', reading: 'date', line: 8 },
  'epnt-id': { member: 'epntId', type: 'long', reading: 'id', line: 9 },
  'sale-approved-count': { member: 'saleApprovedCount', type: 'string', reading: 'count', line: 10 },
  'sale-amount': { member: 'saleAmount', type: 'string', reading: 'amount', line: 11 },
  'reversal-approved-count': { member: 'reversalApprovedCount', type: 'string', reading: 'count', line: 12 },
  'reversal-amount': { member: 'reversalAmount', type: 'string', reading: 'amount', line: 13 },
  code39: { member: 'code39', type: 'string', reading: 'text', line: 14 },
  rrn: { member: 'RRN', type: 'string', reading: 'text', line: 15 },
} as const satisfies Record<string, { member: string; type: JsonType; reading: GateReading; line: number }>;

type GateSlug = keyof typeof gateResultFields;

const slugs = Object.keys(gateResultFields) as GateSlug[];

const gateFields = [
  ...slugs.flatMap((slug) => presentAndTyped(slug)),
  {
    ...decoding('2.2', '2.2/row/8'),
    id: 'close-day/gate-close-date-shape',
    statement: 'gateCloseDate is a date in the shape: weekday, month, day, time, zone, year.',
    hint: 'Write six parts with single spaces between them, such as Tue Nov 03 23:59:59 UTC 2026. The language of the names is not judged.',
  },
  amountForm('sale-amount', 11),
  amountForm('reversal-amount', 13),
] as const;

const clientGateFields = slugs.map((slug) => clientField(slug));

function presentAndTyped<const Slug extends GateSlug>(slug: Slug) {
  const { member, type, line } = gateResultFields[slug];
  return [
    {
      ...decoding('2.2', `2.2/row/${line}`),
      id: `close-day/gate-${slug}-present` as const,
      statement: `Every gate result has the member ${member}.`,
      hint: `Add ${member} to every element of response.gates.`,
    },
    {
      ...decoding('2.2', `2.2/row/${line}`),
      id: `close-day/gate-${slug}-type` as const,
      statement: `${member} is a ${type === 'long' ? 'whole number, written without fraction and exponent' : type}.`,
      hint: `Write ${member} as ${inJson[type]}.`,
    },
  ] as const;
}

function amountForm<const Slug extends 'sale-amount' | 'reversal-amount'>(slug: Slug, line: number) {
  const { member } = gateResultFields[slug];
  return {
    ...decoding('2.2', `2.2/row/${line}`),
    id: `close-day/gate-${slug}-form` as const,
    statement: `${member} is a decimal with two fractional digits.`,
    hint: `Write ${member} with a point and two digits after it, such as 0.00.`,
  } as const;
}

function clientField<const Slug extends GateSlug>(slug: Slug) {
  const { member, reading, line } = gateResultFields[slug];
  return {
    ...client('2.2', `2.2/row/${line}`),
    id: `close-day/decodes-gate-${slug}` as const,
    statement: `${member} is read ${readings[reading]}.`,
    hint: `Keep ${member} in a type that holds the value exactly. The adapter reports it for each gate in decoded.gates.`,
  } as const;
}

export const closeDayResponse = [
  // --- gateway ---
  {
    ...transport('4.1', '4.1/bullet/4', '7/row/1'),
    id: 'close-day/status-200',
    statement:
      'The HTTP status is 200 both for success and for failure; for failed authentication 401 and 403 are tolerated, whatever comes with them.',
    hint: 'Answer close-day with HTTP 200 and distinguish success from failure in response.status.',
  },
  {
    ...transport('4.1', '4.1/bullet/4'),
    id: 'close-day/content-type',
    statement: 'A response with a body has the content type text/html with charset utf-8.',
    hint: 'Send Content-Type: text/html;charset=utf-8.',
  },
  {
    ...decoding('2.2', '2.2/text/1'),
    id: 'close-day/body-decodable',
    basis: 'profile:rfc5849',
    statement: 'The body is one JSON object with each member once, wrapped at most one object deep.',
    hint: 'Answer with one JSON object in UTF-8 without a byte-order mark. Check for truncated output and for an HTML error page.',
  },
  {
    ...decoding('2.2', '2.2/text/1'),
    id: 'close-day/response-member',
    statement: 'The body has the member response, an object.',
    hint: 'Put status, gates and the error members into an object named response.',
  },
  {
    ...decoding('2.2', '2.2/text/1', '2.2/row/5'),
    id: 'close-day/serial-present',
    statement: 'The body has the member theRequestSerialNumber.',
    hint: 'Add theRequestSerialNumber next to response, also for failures.',
  },
  {
    ...decoding('2.2', '2.2/row/5'),
    id: 'close-day/serial-type',
    statement: 'theRequestSerialNumber is a string.',
    hint: 'Write theRequestSerialNumber as a JSON string, in quotes.',
  },
  {
    ...decoding('2.2', '2.2/row/5'),
    id: 'close-day/serial-shape',
    basis: 'profile:rfc5849',
    statement: 'theRequestSerialNumber has the shape of a UUID: 8-4-4-4-12 hexadecimal digits.',
    hint: 'Write 8-4-4-4-12 hexadecimal digits, padded with zeros, and nothing before or after them.',
  },
  {
    ...decoding('2.2', '2.2/row/1'),
    id: 'close-day/status-present',
    statement: 'response.status is present and a string.',
    hint: 'Set response.status to a string: finished or error.',
  },
  {
    ...decoding('2.2', '2.2/row/1', '3/bullet/1'),
    id: 'close-day/status-value',
    kind: 'expected',
    statement: 'response.status is one of the values seen: finished, error.',
    hint: 'Callers know only finished and error. Another value needs an entry in the interface document.',
  },
  {
    ...decoding('4.1', '2.2/row/2', '4.1/bullet/5'),
    id: 'close-day/finished-has-gates',
    statement: 'With status finished, response.gates is an array of objects, the gate results.',
    hint: 'Send response.gates as an array of objects even when there is one gate.',
  },
  {
    ...behaviour('4.1', '2.2/text/2', '4.1/bullet/5', '1/bullet/1'),
    id: 'close-day/one-result-per-gate',
    schemaSees: 'part',
    condition: 'an endpoint whose number of gates is known',
    arises: 'Set gates in the configuration to the number of gates of the endpoint.',
    statement: 'response.gates holds one result for each gate of the endpoint, and no gate twice.',
    hint: 'Report each gate of the endpoint exactly once.',
  },
  {
    ...decoding('4.1', '2.2/row/3', '4.1/bullet/6'),
    id: 'close-day/error-has-code',
    statement: 'With status error, response.errorCode is present and not empty: a text or a whole number.',
    hint: 'Give every failure a response.errorCode: a text or a whole number.',
  },
  {
    ...decoding('4.1', '2.2/row/4', '4.1/bullet/6'),
    id: 'close-day/error-has-message',
    statement: 'With status error, response.errorMessage is present and a string that is not empty.',
    hint: 'Add response.errorMessage to every failure: a string that is not empty.',
  },
  ...gateFields,
  {
    ...behaviour('7', '3/row/2', '7/row/1'),
    id: 'close-day/closing-gate-error',
    condition: 'a gate that is already closing, by its state or by the message of the answer',
    arises: closingEndpoint,
    statement: 'A close-day while the gate is already closing is answered with status error and errorCode 99.',
    hint: 'While the gate is closing, answer error 99. An operator ends this state in the administration UI: by a manual close-day, or with the lock removal tool.',
  },
  {
    ...behaviour('7', '3/row/2', '7/row/1'),
    id: 'close-day/closing-gate-message',
    condition: 'an answer with errorCode 99',
    arises: closingEndpoint,
    statement: "The message that goes with errorCode 99 is 'gate is closing already'.",
    hint: 'Send the message as documented, because callers may compare it.',
  },
  {
    ...behaviour('3', '3/row/1', '4.1/bullet/5', '2.2/row/7'),
    id: 'close-day/locked-gate-reported',
    condition: 'a gate that stays locked after a close-day that finished',
    arises: 'Set states.locked in the configuration to an endpoint whose gates all stay locked.',
    statement: 'Under status finished, a gate that stays locked is reported with isDayClosing true.',
    hint: 'Set isDayClosing to true for the gate. The lock is removed in the administration UI, with the lock removal tool or by closing the day by hand.',
  },
  {
    ...behaviour('2.2', '2.2/row/7'),
    id: 'close-day/open-gate-reported',
    condition: 'a gate known to be free before and after close-day',
    arises: settableStates,
    statement: 'A gate that does not stay locked is reported with isDayClosing false.',
    hint: 'Set isDayClosing to true only for a gate that stays locked.',
  },
  {
    ...behaviour('3', '3/row/1'),
    id: 'close-day/lock-removal',
    condition: 'a target whose states can be set: the lock of a gate was removed before',
    arises: settableStates,
    statement:
      'The lock removal tool in the administration UI unlocks a gate: close-day then reports it with isDayClosing false.',
    hint: 'After the lock of a gate is removed, report isDayClosing false for the gate.',
  },
  {
    ...behaviour('3', '3/row/2', '7/row/1'),
    id: 'close-day/manual-close',
    condition: 'a target whose states can be set: the day of a closing gate was closed by hand before',
    arises: settableStates,
    statement:
      'A close-day by hand in the administration UI closes the day of a gate that is already closing: no error 99 comes then.',
    hint: 'After a manual close the gate is free, so answer its next close-day with status finished.',
  },
  {
    ...behaviour('2.2', '2.2/row/10', '2.2/row/11', '2.2/row/12', '2.2/row/13'),
    id: 'close-day/totals-true',
    statement: 'The counts and amounts of a gate result are those of its confirmed sales and reversals.',
    untestable: 'The true totals are inside the gateway and the bank; one answer alone cannot be compared with them.',
  },

  // --- client ---
  {
    ...client('4.1', '2.2/row/1', '4.1/bullet/5'),
    id: 'close-day/decodes-finished',
    statement: 'status finished is read as success.',
    hint: 'A day is closed if the HTTP status is 200 and response.status is finished. The adapter then reports decoded.kind finished.',
  },
  {
    ...client('4.1', '4.1/bullet/4'),
    id: 'close-day/decodes-text-html',
    statement: 'The body is decoded under the content type text/html.',
    hint: 'Do not let the HTTP library choose the decoder by content type: parse the body as JSON, whatever the header says.',
  },
  {
    ...client('2.2', '2.2/row/2', '2.2/text/2'),
    id: 'close-day/decodes-gates',
    statement: 'Every element of response.gates is read, in whatever order gates come.',
    hint: 'Read all elements, and match gates by gateId, not by position. The adapter reports each gate in decoded.gates.',
  },
  {
    ...client('2.2', '2.2/row/5'),
    id: 'close-day/decodes-serial',
    statement: 'theRequestSerialNumber is read unchanged, leading zeros included.',
    hint: 'Keep theRequestSerialNumber as text, because a strict UUID parser refuses zero-padded numbers. The member is next to response, not inside. The adapter reports it as decoded.serial.',
  },
  {
    ...client('4.1', '2.2/row/3', '2.2/row/4', '4.1/bullet/6'),
    id: 'close-day/decodes-error',
    statement: 'status error under HTTP 200 is read as a failure with its errorCode and errorMessage.',
    hint: 'HTTP 200 does not mean success here: look at response.status. The adapter reports decoded.kind error with errorCode and errorMessage.',
  },
  {
    ...client('7', '3/row/2', '7/row/1'),
    id: 'close-day/decodes-error-99',
    statement: 'errorCode 99 is read as a failure with that code and message.',
    hint: 'The caller must know that the gate is already closing. The adapter reports the code as decoded.errorCode.',
  },
  {
    ...client('4.1', '3/row/1', '4.1/bullet/5'),
    id: 'close-day/decodes-locked-gate',
    statement: 'isDayClosing true under status finished reaches the caller: the gate remains locked.',
    hint: 'Pass isDayClosing of every gate to the caller. The adapter reports it for each gate in decoded.gates.',
  },
  {
    ...client('3', '3/bullet/1', '4.1/bullet/5'),
    id: 'close-day/decodes-unknown-status',
    statement: 'A status other than finished is never read as success.',
    hint: 'Treat only the status finished as success.',
  },
  {
    ...client('2.2', '2.2/text/1'),
    id: 'close-day/decodes-extra-members',
    kind: 'expected',
    statement: 'Members beyond the documented ones do not disturb decoding.',
    hint: 'Ignore unknown members.',
  },
  {
    ...client('2.2', '2.2/text/1'),
    id: 'close-day/broken-body-not-success',
    statement:
      'What is not the documented answer (truncated or other JSON, an HTML page, nothing, another HTTP status) is never read as success.',
    hint: 'Refuse a body that is not JSON with the members response and theRequestSerialNumber.',
  },
  ...clientGateFields,
] as const satisfies readonly Requirement[];
