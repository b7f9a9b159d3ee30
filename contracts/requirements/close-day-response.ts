/** Requirements on close-day answers and on the client that reads them: sections 2.2, 3, 4.1 and 7. */
import { rowMaker } from './requirement.ts';

const gateway = { operation: 'close-day', side: 'gateway', kind: 'required' } as const;
const transport = rowMaker({ ...gateway, dimension: 'transport' });
const decoding = rowMaker({ ...gateway, dimension: 'response-decoding' });
const behaviour = rowMaker({ ...gateway, dimension: 'behaviour' });
const client = rowMaker({
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

const jsonForms = {
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

/** Members of a gate in a close-day answer. Keys occur in requirement ids. `line`: row in the table of section 2.2. */
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
  ...slugs.flatMap((slug) => fieldRows(slug)),
  decoding({ id: 'close-day/gate-close-date-shape', section: '2.2', covers: ['2.2/row/8'] })(
    'gateCloseDate is a date in the shape: weekday, month, day, time, zone, year.',
    'Write six parts with single spaces between them, such as Tue Nov 03 23:59:59 UTC 2026. The language of the names is not judged.',
  ),
  amountForm('sale-amount', 11),
  amountForm('reversal-amount', 13),
] as const;

const clientGateFields = slugs.map((slug) => clientField(slug));

function fieldRows<const Slug extends GateSlug>(slug: Slug) {
  const { member, type, line } = gateResultFields[slug];
  return [
    decoding({ id: `close-day/gate-${slug}-present`, section: '2.2', covers: [`2.2/row/${line}`] })(
      `Every gate result has the member ${member}.`,
      `Add ${member} to every element of response.gates.`,
    ),
    decoding({ id: `close-day/gate-${slug}-type`, section: '2.2', covers: [`2.2/row/${line}`] })(
      `${member} is a ${type === 'long' ? 'whole number, written without fraction and exponent' : type}.`,
      `Write ${member} as ${jsonForms[type]}.`,
    ),
  ] as const;
}

function amountForm<const Slug extends 'sale-amount' | 'reversal-amount'>(slug: Slug, line: number) {
  const { member } = gateResultFields[slug];
  return decoding({ id: `close-day/gate-${slug}-form`, section: '2.2', covers: [`2.2/row/${line}`] })(
    `${member} is a decimal with two fractional digits.`,
    `Write ${member} with a point and two digits after it, such as 0.00.`,
  );
}

function clientField<const Slug extends GateSlug>(slug: Slug) {
  const { member, reading, line } = gateResultFields[slug];
  return client({ id: `close-day/decodes-gate-${slug}`, section: '2.2', covers: [`2.2/row/${line}`] })(
    `${member} is read ${readings[reading]}.`,
    `Keep ${member} in a type that holds the value exactly. The adapter reports it for each gate in decoded.gates.`,
  );
}

export const closeDayResponse = [
  transport({ id: 'close-day/status-200', section: '4.1', covers: ['4.1/bullet/4', '7/row/1'] })(
    'The HTTP status is 200 both for success and for failure; for failed authentication 401 and 403 are tolerated, whatever comes with them.',
    'Answer every close-day with HTTP 200. Show success or failure in response.status.',
  ),
  transport({ id: 'close-day/content-type', section: '4.1', covers: ['4.1/bullet/4'] })(
    'A response with a body has the content type text/html with charset utf-8.',
    'Send Content-Type: text/html;charset=utf-8.',
  ),
  decoding({ id: 'close-day/body-decodable', section: '2.2', covers: ['2.2/text/1'] })(
    'The body is one JSON object with each member once, wrapped at most one object deep.',
    'Answer with one JSON object in UTF-8 without a byte-order mark. Check for truncated output and for an HTML error page.',
    { basis: 'profile:rfc5849' },
  ),
  decoding({ id: 'close-day/response-member', section: '2.2', covers: ['2.2/text/1'] })(
    'The body has the member response, an object.',
    'Put status, gates and the error members into an object named response.',
  ),
  decoding({ id: 'close-day/serial-present', section: '2.2', covers: ['2.2/text/1', '2.2/row/5'] })(
    'The body has the member theRequestSerialNumber.',
    'Add theRequestSerialNumber next to response, also for failures.',
  ),
  decoding({ id: 'close-day/serial-type', section: '2.2', covers: ['2.2/row/5'] })(
    'theRequestSerialNumber is a string.',
    'Write theRequestSerialNumber as a JSON string, in quotes.',
  ),
  decoding({ id: 'close-day/serial-shape', section: '2.2', covers: ['2.2/row/5'] })(
    'theRequestSerialNumber has the shape of a UUID: 8-4-4-4-12 hexadecimal digits.',
    'Write hexadecimal digits in groups of 8-4-4-4-12, and pad them with zeros. Write nothing before or after them.',
    { basis: 'profile:rfc5849' },
  ),
  decoding({ id: 'close-day/status-present', section: '2.2', covers: ['2.2/row/1'] })(
    'response.status is present and a string.',
    'Set response.status to a string: finished or error.',
  ),
  decoding({ id: 'close-day/status-value', section: '2.2', covers: ['2.2/row/1', '3/bullet/1'] })(
    'response.status is one of the values seen: finished, error.',
    'Callers know only the values finished and error. Before you send another value, add it to the interface document.',
    { kind: 'expected' },
  ),
  decoding({ id: 'close-day/finished-has-gates', section: '4.1', covers: ['2.2/row/2', '4.1/bullet/5'] })(
    'With status finished, response.gates is an array of objects, the gate results.',
    'Send response.gates as an array of objects even when there is one gate.',
  ),
  behaviour({
    id: 'close-day/one-result-per-gate',
    section: '4.1',
    covers: ['2.2/text/2', '4.1/bullet/5', '1/bullet/1'],
  })(
    'response.gates holds one result for each gate of the endpoint, and no gate twice.',
    'Report each gate of the endpoint exactly once.',
    {
      schemaSees: 'part',
      condition: 'an endpoint whose number of gates is known',
      arises: 'Set gates in the configuration to the number of gates of the endpoint.',
    },
  ),
  decoding({ id: 'close-day/error-has-code', section: '4.1', covers: ['2.2/row/3', '4.1/bullet/6'] })(
    'With status error, response.errorCode is present and not empty: a text or a whole number.',
    'Give every failure a response.errorCode: a text or a whole number.',
  ),
  decoding({ id: 'close-day/error-has-message', section: '4.1', covers: ['2.2/row/4', '4.1/bullet/6'] })(
    'With status error, response.errorMessage is present and a string that is not empty.',
    'Add response.errorMessage to every failure: a string that is not empty.',
  ),
  ...gateFields,
  behaviour({ id: 'close-day/closing-gate-error', section: '7', covers: ['3/row/2', '7/row/1'] })(
    'A close-day while the gate is already closing is answered with status error and errorCode 99.',
    'While the gate is closing, answer error 99. An operator ends this state in the administration UI: by a manual close-day, or with the lock removal tool.',
    {
      condition: 'a gate that is already closing: its state or the message of the answer shows it',
      arises: closingEndpoint,
    },
  ),
  behaviour({ id: 'close-day/closing-gate-message', section: '7', covers: ['3/row/2', '7/row/1'] })(
    "The message that goes with errorCode 99 is 'gate is closing already'.",
    'Send the message as documented, because callers may compare it.',
    { condition: 'an answer with errorCode 99', arises: closingEndpoint },
  ),
  behaviour({ id: 'close-day/locked-gate-reported', section: '3', covers: ['3/row/1', '4.1/bullet/5', '2.2/row/7'] })(
    'Under status finished, a gate that stays locked is reported with isDayClosing true.',
    'Set isDayClosing to true for a gate that stays locked. An operator can unlock it in the administration UI: with the lock removal tool, or by a manual close-day.',
    {
      condition: 'a gate that stays locked after a close-day with status finished',
      arises: 'Set states.locked in the configuration to an endpoint whose gates all stay locked.',
    },
  ),
  behaviour({ id: 'close-day/open-gate-reported', section: '2.2', covers: ['2.2/row/7'] })(
    'A gate that does not stay locked is reported with isDayClosing false.',
    'Set isDayClosing to true only for a gate that stays locked.',
    { condition: 'a gate known to be free before and after close-day', arises: settableStates },
  ),
  behaviour({ id: 'close-day/lock-removal', section: '3', covers: ['3/row/1'] })(
    'The lock removal tool in the administration UI unlocks a gate: close-day then reports it with isDayClosing false.',
    'After the lock of a gate is removed, report isDayClosing false for the gate.',
    { condition: 'a gate whose lock was removed earlier, at a target whose states can be set', arises: settableStates },
  ),
  behaviour({ id: 'close-day/manual-close', section: '3', covers: ['3/row/2', '7/row/1'] })(
    'A close-day by hand in the administration UI closes the day of a gate that is already closing: no error 99 comes then.',
    'After a manual close the gate is free, so answer its next close-day with status finished.',
    {
      condition: 'a closing gate whose day was closed by hand earlier, at a target whose states can be set',
      arises: settableStates,
    },
  ),
  behaviour({
    id: 'close-day/totals-true',
    section: '2.2',
    covers: ['2.2/row/10', '2.2/row/11', '2.2/row/12', '2.2/row/13'],
  })('The counts and amounts of a gate result are those of its confirmed sales and reversals.', undefined, {
    untestable: 'The true totals are inside the gateway and the bank; one answer alone cannot be compared with them.',
  }),

  client({ id: 'close-day/decodes-finished', section: '4.1', covers: ['2.2/row/1', '4.1/bullet/5'] })(
    'status finished is read as success.',
    'A day is closed if the HTTP status is 200 and response.status is finished. The adapter then reports decoded.kind finished.',
  ),
  client({ id: 'close-day/decodes-text-html', section: '4.1', covers: ['4.1/bullet/4'] })(
    'The body is decoded under the content type text/html.',
    'Do not let the HTTP library choose the decoder by content type: parse the body as JSON, whatever the header says.',
  ),
  client({ id: 'close-day/decodes-gates', section: '2.2', covers: ['2.2/row/2', '2.2/text/2'] })(
    'Every element of response.gates is read, in whatever order gates come.',
    'Read all elements, and match gates by gateId, not by position. The adapter reports each gate in decoded.gates.',
  ),
  client({ id: 'close-day/decodes-serial', section: '2.2', covers: ['2.2/row/5'] })(
    'theRequestSerialNumber is read unchanged, leading zeros included.',
    'Keep theRequestSerialNumber as text, because a strict UUID parser refuses zero-padded numbers. The member is next to response, not inside it. The adapter reports it as decoded.serial.',
  ),
  client({ id: 'close-day/decodes-error', section: '4.1', covers: ['2.2/row/3', '2.2/row/4', '4.1/bullet/6'] })(
    'status error under HTTP 200 is read as a failure with its errorCode and errorMessage.',
    'HTTP 200 does not mean success here: look at response.status. The adapter reports decoded.kind error with errorCode and errorMessage.',
  ),
  client({ id: 'close-day/decodes-error-99', section: '7', covers: ['3/row/2', '7/row/1'] })(
    'errorCode 99 is read as a failure with that code and message.',
    'The caller must know that the gate is already closing. The adapter reports the code as decoded.errorCode.',
  ),
  client({ id: 'close-day/decodes-locked-gate', section: '4.1', covers: ['3/row/1', '4.1/bullet/5'] })(
    'isDayClosing true under status finished reaches the caller: the gate remains locked.',
    'Pass isDayClosing of every gate to the caller. The adapter reports it for each gate in decoded.gates.',
  ),
  client({ id: 'close-day/decodes-unknown-status', section: '3', covers: ['3/bullet/1', '4.1/bullet/5'] })(
    'A status other than finished is never read as success.',
    'Treat only the status finished as success.',
  ),
  client({ id: 'close-day/decodes-extra-members', section: '2.2', covers: ['2.2/text/1'] })(
    'Members beyond the documented ones do not disturb decoding.',
    'Ignore unknown members.',
    { kind: 'expected' },
  ),
  client({ id: 'close-day/broken-body-not-success', section: '2.2', covers: ['2.2/text/1'] })(
    'What is not the documented answer (truncated or other JSON, an HTML page, nothing, another HTTP status) is never read as success.',
    'Accept only a JSON body with the members response and theRequestSerialNumber.',
  ),
  ...clientGateFields,
] as const;
