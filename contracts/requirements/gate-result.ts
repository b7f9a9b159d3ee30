/** The ten fields of a gate result (section 2.2), each with rows for its presence, its type and, where stated, its form. */

const gateway = {
  operation: 'close-day',
  section: '2.2',
  side: 'gateway',
  dimension: 'response-decoding',
  kind: 'required',
} as const;

type JsonType = 'long' | 'boolean' | 'string';

/** What each type is in JSON. */
const inJson = {
  string: 'a JSON string, in quotes',
  long: 'a JSON number of digits alone, without quotes, fraction and exponent',
  boolean: 'true or false, without quotes: a number is neither',
} as const satisfies Record<JsonType, string>;

/** Member name, JSON type and, where the document states one, the form of the value, by slug. Judges read this table. */
export const gateResultFields = {
  id: { member: 'gateId', type: 'long', row: 6 },
  'is-day-closing': { member: 'isDayClosing', type: 'boolean', row: 7 },
  'close-date': { member: 'gateCloseDate', type: 'string', row: 8 },
  'epnt-id': { member: 'epntId', type: 'long', row: 9 },
  'sale-approved-count': { member: 'saleApprovedCount', type: 'string', row: 10 },
  'sale-amount': { member: 'saleAmount', type: 'string', row: 11 },
  'reversal-approved-count': { member: 'reversalApprovedCount', type: 'string', row: 12 },
  'reversal-amount': { member: 'reversalAmount', type: 'string', row: 13 },
  code39: { member: 'code39', type: 'string', row: 14 },
  rrn: { member: 'RRN', type: 'string', row: 15 },
} as const satisfies Record<string, { member: string; type: JsonType; row: number }>;

type GateSlug = keyof typeof gateResultFields;

export const gateFields = [
  ...presentAndTyped('id'),
  ...presentAndTyped('is-day-closing'),
  ...presentAndTyped('close-date'),
  ...presentAndTyped('epnt-id'),
  ...presentAndTyped('sale-approved-count'),
  ...presentAndTyped('sale-amount'),
  ...presentAndTyped('reversal-approved-count'),
  ...presentAndTyped('reversal-amount'),
  ...presentAndTyped('code39'),
  ...presentAndTyped('rrn'),
  {
    ...gateway,
    id: 'close-day/gate-close-date-shape',
    covers: ['2.2/row/8'],
    statement: 'gateCloseDate is a date in the shape: weekday, month, day, time, zone, year.',
    hint: 'Six parts with single spaces, such as Tue Nov 03 23:59:59 UTC 2026; the language of the names is not judged.',
  },
  amountForm('sale-amount', 11),
  amountForm('reversal-amount', 13),
] as const;

export const clientGateFields = [
  clientField('id', 'with every digit, above 2^53 too'),
  clientField('is-day-closing', 'as a truth value'),
  clientField('close-date', 'unchanged or as the same instant, whatever its zone'),
  clientField('epnt-id', 'with every digit, above 2^53 too'),
  clientField('sale-approved-count', 'without loss: the same text or number'),
  clientField('sale-amount', 'without loss: 0.10 and 100.00 keep their value'),
  clientField('reversal-approved-count', 'without loss: the same text or number'),
  clientField('reversal-amount', 'without loss: 0.10 and 100.00 keep their value'),
  clientField('code39', 'unchanged, leading zeros included'),
  clientField('rrn', 'unchanged, leading zeros included'),
] as const;

function presentAndTyped<const Slug extends GateSlug>(slug: Slug) {
  const { member, type, row } = gateResultFields[slug];
  return [
    {
      ...gateway,
      id: `close-day/gate-${slug}-present` as const,
      covers: [`2.2/row/${row}`],
      statement: `Every gate result has the member ${member}.`,
      hint: `Add ${member} to every element of response.gates.`,
    },
    {
      ...gateway,
      id: `close-day/gate-${slug}-type` as const,
      covers: [`2.2/row/${row}`],
      statement: `${member} is a ${type === 'long' ? 'whole number, written without fraction and exponent' : type}.`,
      hint: `Write ${member} as ${inJson[type]}.`,
    },
  ] as const;
}

function amountForm<const Slug extends 'sale-amount' | 'reversal-amount'>(slug: Slug, row: number) {
  const { member } = gateResultFields[slug];
  return {
    ...gateway,
    id: `close-day/gate-${slug}-form` as const,
    covers: [`2.2/row/${row}`],
    statement: `${member} is a decimal with two fractional digits.`,
    hint: `Write ${member} with a point and two digits after it, such as 0.00.`,
  } as const;
}

function clientField<const Slug extends GateSlug>(slug: Slug, how: string) {
  const { member, row } = gateResultFields[slug];
  return {
    ...gateway,
    id: `close-day/decodes-gate-${slug}` as const,
    side: 'client',
    // Every answer that a client is given is JSON, which is our reading (A27).
    basis: 'profile:rfc5849',
    covers: [`2.2/row/${row}`],
    statement: `${member} is read ${how}.`,
    hint: `Keep ${member} in a type that holds the value exactly as sent.`,
  } as const;
}
