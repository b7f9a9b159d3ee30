/** The ten fields of a gate result (section 2.2). Each field has requirements for presence, type and, if defined, form. */
import { rowsOf } from './requirement.ts';

const row = { operation: 'close-day', dimension: 'response-decoding', kind: 'required' } as const;
const gateway = rowsOf({ ...row, side: 'gateway' });
// The document does not say that answers are JSON (A27), so the basis is a profile.
const client = rowsOf({ ...row, side: 'client', basis: 'profile:rfc5849' });

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

/** The members of a gate result by slug, with JSON type, reading, and line in the table of section 2.2. */
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

export const gateFields = [
  ...slugs.flatMap((slug) => presentAndTyped(slug)),
  {
    ...gateway('2.2', '2.2/row/8'),
    id: 'close-day/gate-close-date-shape',
    statement: 'gateCloseDate is a date in the shape: weekday, month, day, time, zone, year.',
    hint: 'Write six parts with single spaces between them, such as Tue Nov 03 23:59:59 UTC 2026. The language of the names is not judged.',
  },
  amountForm('sale-amount', 11),
  amountForm('reversal-amount', 13),
] as const;

export const clientGateFields = slugs.map((slug) => clientField(slug));

function presentAndTyped<const Slug extends GateSlug>(slug: Slug) {
  const { member, type, line } = gateResultFields[slug];
  return [
    {
      ...gateway('2.2', `2.2/row/${line}`),
      id: `close-day/gate-${slug}-present` as const,
      statement: `Every gate result has the member ${member}.`,
      hint: `Add ${member} to every element of response.gates.`,
    },
    {
      ...gateway('2.2', `2.2/row/${line}`),
      id: `close-day/gate-${slug}-type` as const,
      statement: `${member} is a ${type === 'long' ? 'whole number, written without fraction and exponent' : type}.`,
      hint: `Write ${member} as ${inJson[type]}.`,
    },
  ] as const;
}

function amountForm<const Slug extends 'sale-amount' | 'reversal-amount'>(slug: Slug, line: number) {
  const { member } = gateResultFields[slug];
  return {
    ...gateway('2.2', `2.2/row/${line}`),
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
