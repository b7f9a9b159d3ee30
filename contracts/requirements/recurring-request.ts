/** Requirements on batch requests and on the gateway that receives them: sections 1, 2.3, 4.2, 8 and 9. */
import { rowMaker } from './requirement.ts';
import { callRows } from './transport.ts';

const shared = { operation: 'process-recurring-payments', dimension: 'payload-encoding', kind: 'required' } as const;
const client = rowMaker({ ...shared, side: 'client' });
const formRow = rowMaker({ ...shared, side: 'client', restsOn: ['recurring/payload-only'] });
const csvRow = rowMaker({ ...shared, side: 'client', restsOn: ['recurring/payload-base64'] });
const cellRow = rowMaker({ ...shared, side: 'client', restsOn: ['recurring/csv-rows'] });
const gateway = rowMaker({ ...shared, side: 'gateway' });
const expected = rowMaker({ ...shared, side: 'gateway', kind: 'expected' });

export const recurringRequest = [
  ...callRows('process-recurring-payments', 'recurring/payload-only'),
  client({ id: 'recurring/payload-only', section: '4.2', covers: ['4.2/bullet/3', '4.2/step/3'] })(
    'The body is form-urlencoded and holds exactly one parameter, payload.',
    'Send the parameter payload exactly once, and no other parameter.',
    { part: 'form', breachAtGateway: 'A30' },
  ),
  formRow({ id: 'recurring/payload-escaped', section: '4.2', covers: ['4.2/step/3'] })(
    'The base64 text survives form encoding: each + arrives as +, and nothing is escaped twice.',
    'In the form body, percent-encode +, / and = of the base64 text as %2B, %2F and %3D.',
    {
      part: 'content',
      breachAtGateway: 'A16',
      condition: 'a base64 text with a +',
      arises: 'Let the client send an order id that contains >>> or ~~~. Its base64 text then contains a +.',
    },
  ),
  formRow({ id: 'recurring/payload-base64', section: '4.2', covers: ['4.2/bullet/3', '4.2/step/2'] })(
    'payload is base64 in the standard alphabet, padded, without line breaks, encoded once.',
    'Use the standard alphabet with padding. Switch off line wrapping at 64 or 76 columns.',
    {
      part: 'content',
      schemaSees: 'part',
      breachAtGateway: 'recurring/payload-base64-enforced',
      basis: 'profile:rfc5849',
    },
  ),
  csvRow({ id: 'recurring/csv-delimiter', section: '2.3', covers: ['2.3/text/1', '4.2/step/1', '4.2/bullet/4'] })(
    'Fields of the CSV are separated by semicolons.',
    'Set the delimiter of the CSV writer to a semicolon.',
    { part: 'content', breachAtGateway: 'recurring/csv-delimiter-enforced' },
  ),
  csvRow({ id: 'recurring/csv-header-quoted', section: '2.3', covers: ['2.3/text/2', '4.2/step/1'] })(
    'The first row holds the column names, each in double quotes, none misspelled, repeated or left out, and no id or amount made up.',
    'Write the header row with every name in double quotes.',
    { part: 'content', breachAtGateway: 'recurring/csv-header-enforced' },
  ),
  csvRow({ id: 'recurring/csv-rows', section: '2.3', covers: ['2.3/text/3', '4.2/step/1'] })(
    'Each row after the first holds one payment, with as many cells as the header, quoted by RFC 4180, and the values given.',
    'Write one row for each payment. Quote a cell that contains a semicolon, a double quote or a line break. Double the quotes inside it.',
    {
      part: 'records',
      restsOn: ['recurring/payload-base64', 'recurring/csv-header-quoted'],
      breachAtGateway: 'recurring/csv-row-length-enforced',
      basis: 'profile:rfc5849',
    },
  ),
  csvRow({ id: 'recurring/csv-utf-8', section: '2.3', covers: ['2.3/text/1'] })(
    'The CSV is UTF-8 without a byte-order mark.',
    'Encode the CSV as UTF-8 without a byte-order mark.',
    { part: 'content', basis: 'profile:rfc5849' },
  ),
  cellRow({ id: 'recurring/client-orderid-present', section: '2.3', covers: ['2.3/row/1'] })(
    'Every row has a client-orderid.',
    'Fill the column client-orderid in every row.',
    { breachAtGateway: 'recurring/missing-client-orderid-refused' },
  ),
  cellRow({ id: 'recurring/client-orderid-length', section: '2.3', covers: ['2.3/row/1', '8/row/2'] })(
    'client-orderid has at most 128 characters, and the client does not cut the one that its caller gave.',
    'Refuse an order id of more than 128 characters. Do not cut it.',
    { schemaSees: 'ascii', breachAtGateway: 'recurring/client-orderid-length-enforced' },
  ),
  cellRow({ id: 'recurring/recurring-payment-id-present', section: '2.3', covers: ['2.3/row/2'] })(
    'Every row has a recurring-payment-id, and the client makes none up.',
    'Fill the column recurring-payment-id in every row.',
    { breachAtGateway: 'recurring/missing-recurring-payment-id-refused' },
  ),
  cellRow({ id: 'recurring/recurring-payment-id-length', section: '2.3', covers: ['2.3/row/2', '8/row/3'] })(
    'recurring-payment-id has at most 10 characters and is sent as text, unchanged, with its leading zeros.',
    'Treat the id as text of up to 10 characters.',
    { schemaSees: 'ascii', breachAtGateway: 'recurring/recurring-payment-id-length-enforced' },
  ),
  cellRow({ id: 'recurring/amount-conditional', section: '2.3', covers: ['2.3/row/3'] })(
    'Every row has an amount, or amount-from and amount-to, or amount-sequence, and the client makes none up.',
    'Fill amount, unless the row has amount-sequence, or amount-from with amount-to.',
    { breachAtGateway: 'recurring/missing-amount-refused' },
  ),
  cellRow({ id: 'recurring/amount-numeric', section: '2.3', covers: ['2.3/row/3', '8/row/4'] })(
    'amount is numeric: the number that was given, in digits with a point before the fraction where it was given so.',
    'In every locale, format amounts with a decimal point. Write no digit groups, words or exponents.',
    { breachAtGateway: 'recurring/amount-numeric-enforced', basis: 'profile:rfc5849' },
  ),
  cellRow({ id: 'recurring/amount-length', section: '2.3', covers: ['2.3/row/3', '8/row/4'] })(
    'amount has at most 10 digits, and the client does not cut the one that its caller gave.',
    'Refuse an amount of more than 10 digits. The document does not say if the point counts (A14).',
    { schemaAfter: 'recurring/amount-numeric', breachAtGateway: 'recurring/amount-length-enforced' },
  ),
  client({ id: 'recurring/environment-independent', section: '2.3', covers: ['2.3/row/1', '2.3/row/2', '2.3/row/3'] })(
    'The same input gives the same CSV and header parameters whatever the time zone and the locale.',
    'Do not use the locale of the machine to format numbers or to change case. Compute the time in seconds since the epoch.',
    { restsOn: ['recurring/*', 'authentication/header-*'] },
  ),
  client({ id: 'recurring/amount-currency', section: '2.3', covers: ['2.3/row/3'] })(
    'amount is in the currency of the assigned project, for an order of type SRC or DST.',
    undefined,
    {
      untestable:
        'The currency of the project and the type of the order are settings of the gateway and are not in the request.',
    },
  ),

  gateway({ id: 'recurring/many-rows-accepted', section: '2.3', covers: ['1/bullet/2', '2.3/text/3'] })(
    'A CSV of two rows is accepted as one of one row is.',
    'Each row is one payment. Accept a CSV of two rows in the same way as a CSV of one row.',
  ),
  gateway({
    id: 'recurring/generated-requests-accepted',
    section: '2.3',
    covers: ['2.3/row/1', '2.3/row/2', '2.3/row/3', '8/row/2', '8/row/3', '8/row/4', '4.2/step/2'],
  })(
    'Any CSV of one or two rows is accepted whose order ids are 1 to 128 ASCII letters, digits and hyphens, payment ids ten digits, and amounts decimals with two digits after the point, in 10 characters.',
    'The exchanges contain the smallest request that fails. Compare its CSV with that of its twin.',
  ),
  amountForm('range', 'amount-from and amount-to'),
  amountForm('sequence', 'amount-sequence'),
  gateway({ id: 'recurring/missing-payload-refused', section: '4.2', covers: ['4.2/bullet/3', '4.2/step/3'] })(
    'A request without payload, under any spelling, or with an empty one, is refused.',
    'Refuse a body in which the parameter payload is missing or empty.',
  ),
  missingColumn(1, 'client-orderid'),
  missingColumn(2, 'recurring-payment-id'),
  gateway({ id: 'recurring/missing-amount-refused', section: '2.3', covers: ['2.3/row/3'] })(
    'A CSV without a form of the amount, or with empty cells in it, is refused: neither amount, nor amount-from with amount-to, nor amount-sequence.',
    'Refuse the batch if a row has no form of the amount.',
  ),
  lengthLimit(2, 'A', 'client-orderid', 128),
  lengthLimit(3, 'A', 'recurring-payment-id', 10),
  lengthLimit(4, 'An', 'amount', 10),
  expected({ id: 'recurring/amount-numeric-enforced', section: '8', covers: ['8/row/4'] })(
    'An amount that is not numeric is refused.',
    'Callers must send a number. Find out which amount the gateway charges for such a row.',
  ),
  expected({ id: 'recurring/csv-delimiter-enforced', section: '2.3', covers: ['2.3/text/1'] })(
    'A CSV with another delimiter than the semicolon is refused.',
    'Callers must use the semicolon, so refuse a CSV with another delimiter.',
  ),
  expected({ id: 'recurring/csv-header-enforced', section: '2.3', covers: ['2.3/text/2', '4.2/step/1'] })(
    'A CSV without a header row, or with column names that are not in double quotes, is refused.',
    'Callers must send the header row. Without it, a gateway has to guess the columns.',
  ),
  expected({ id: 'recurring/csv-row-length-enforced', section: '2.3', covers: ['2.3/text/3'] })(
    'A CSV with a row of fewer or more cells than the header has is refused.',
    'Find out which cell of such a row the gateway charges as the amount.',
  ),
  expected({ id: 'recurring/payload-base64-enforced', section: '4.2', covers: ['4.2/bullet/3', '4.2/step/2'] })(
    'A payload that is not base64 of a CSV (empty, plain text, hexadecimal, encoded twice) is refused.',
    'Callers must use this encoding. A gateway that guesses the encoding may read a different batch.',
  ),
  expected({ id: 'recurring/content-type-enforced', section: '4.2', covers: ['4.2/bullet/2'] })(
    'A request with another content type, or without one, is refused.',
    'Callers must send this Content-Type. A body of another type is not a form.',
    { dimension: 'transport' },
  ),
  gateway({ id: 'recurring/starts-transactions', section: '1', covers: ['1/bullet/2'] })(
    'For each recurring-payment-id of an accepted batch its profile is found and a new transaction is started.',
    undefined,
    {
      dimension: 'behaviour',
      untestable: 'An accepted batch is answered with an empty body; the transactions are inside the gateway.',
    },
  ),
  gateway({ id: 'recurring/stops-on-finish-date', section: '2.3', covers: ['2.3/row/3', '3/bullet/2'] })(
    'A recurring payment goes into stop status on its finish date.',
    undefined,
    {
      dimension: 'behaviour',
      untestable:
        'The status of a profile and its finish date are not in any request or response of the two operations.',
    },
  ),
] as const;

function amountForm<const Form extends string>(form: Form, columns: string) {
  return expected({ id: `recurring/amount-${form}-accepted`, section: '2.3', covers: ['2.3/row/3'] })(
    `A row with ${columns} in place of amount is accepted.`,
    'If the row has amount-sequence, or amount-from with amount-to, do not require amount.',
  );
}

function missingColumn<const Column extends string>(line: number, column: Column) {
  return gateway({ id: `recurring/missing-${column}-refused`, section: '2.3', covers: [`2.3/row/${line}`] })(
    `A CSV without the column ${column}, or with an empty cell in it, is refused.`,
    `Refuse a batch in which the required ${column} is absent or empty.`,
  );
}

function lengthLimit<const Column extends string>(line: number, article: string, column: Column, max: number) {
  return expected({ id: `recurring/${column}-length-enforced`, section: '8', covers: [`8/row/${line}`] })(
    `${article} ${column} of more than ${max} characters is refused.`,
    `Callers must stay within the limit. A gateway that accepts a longer ${column} may cut it.`,
  );
}
