/** Generates one gate of a close-day answer (section 2.2) as JSON text: its ids can exceed JavaScript numbers. */
import * as fc from 'fast-check';
import { type GateReading, gateResultFields } from '../contracts/requirements/close-day-response.ts';
import { anyOf, type Domain, decimal, type Labelled, open, valid } from './labelled.ts';

type Field = (typeof gateResultFields)[keyof typeof gateResultFields];
type Gate = { readonly [F in Field as F['member']]: F['type'] extends 'boolean' ? boolean : string };

export interface GateSample {
  /** The JSON text of one element of response.gates. */
  readonly text: string;
  readonly decoded: Gate;
}

const validGateResult: fc.Arbitrary<Labelled<GateSample>> = fc
  .tuple(fc.nat(), fc.nat(), fc.nat({ max: 999_999_999 }), fc.nat({ max: 999_999_999 }), fc.boolean())
  .map(([gate, endpoint, sales, reversals, isDayClosing]) =>
    valid(
      sampleOf({
        ...gateOf(gate),
        gateId: gate % 2 === 0 ? String(gate) : String(BigInt(gate) * 432_345_563n + 1n),
        isDayClosing,
        epntId: String(endpoint),
        saleApprovedCount: String(sales % 1000),
        saleAmount: decimal(sales),
        reversalApprovedCount: String(reversals % 100),
        reversalAmount: decimal(reversals),
        code39: String(gate % 100).padStart(2, '0'),
      }),
    ),
  );

/** The normal gate. Every edge case is a changed copy of this gate. */
export const baseGate: Gate = {
  ...gateOf(42),
  gateCloseDate: 'Wed Jan 31 23:59:59 UTC 2024',
  epntId: '1111',
  saleApprovedCount: '2',
  saleAmount: '10.42',
  reversalApprovedCount: '1',
  reversalAmount: '0.94',
  code39: '00',
};

const gateResultEdges: readonly Labelled<GateSample>[] = [
  valid(sampleOf(baseGate), 'plain'),
  valid(sampleOf({ ...baseGate, isDayClosing: true }), 'locked'),
  valid(sampleOf({ ...baseGate, gateId: '9007199254740993' }), 'gate-id-above-2-to-the-53'),
  valid(
    sampleOf({ ...baseGate, gateId: '9223372036854775807', epntId: '9223372036854775807' }),
    'ids-2-to-the-63-minus-1',
  ),
  valid(sampleOf({ ...baseGate, gateId: '0' }), 'gate-id-zero'),
  open('A24', 'gate-id-2-to-the-63', sampleOf({ ...baseGate, gateId: '9223372036854775808' })),
  valid(sampleOf({ ...baseGate, saleAmount: '0.10', reversalAmount: '100.00' }), 'trailing-zeros'),
  valid(
    sampleOf({ ...baseGate, saleAmount: '90071992547409.93', reversalAmount: '90071992547409.93' }),
    'amounts-beyond-double',
  ),
  valid(sampleOf({ ...baseGate, saleApprovedCount: '10', reversalApprovedCount: '9' }), 'ten-after-nine'),
  valid(sampleOf({ ...baseGate, saleApprovedCount: '123456', reversalApprovedCount: '65537' }), 'counts-above-16-bits'),
  valid(sampleOf({ ...baseGate, saleApprovedCount: '0', saleAmount: '0.00' }), 'nothing-sold'),
  valid(sampleOf({ ...baseGate, gateId: '43', epntId: '0' }), 'endpoint-id-zero'),
  valid(sampleOf({ ...baseGate, saleAmount: '0.01', reversalAmount: '0.01' }), 'smallest-amounts'),
  valid(sampleOf({ ...baseGate, reversalApprovedCount: '0', reversalAmount: '0.00' }), 'nothing-reversed'),
  valid(sampleOf({ ...baseGate, code39: 'N7b', RRN: '0A42b0000c9f' }), 'code-and-number-with-letters'),
  valid(sampleOf({ ...baseGate, code39: '5', RRN: '7' }), 'code-and-number-of-one-digit'),
  // A client that reads this RRN as a 64-bit number, or cuts it to 12 characters, changes the RRN.
  valid(sampleOf({ ...baseGate, code39: '000', RRN: '98765432109876543210' }), 'code-of-zeros-and-long-number'),
  valid(sampleOf({ ...baseGate, gateCloseDate: 'Thu Feb 1 00:00:00 UTC 2024' }), 'day-of-one-digit'),
  valid(sampleOf({ ...baseGate, gateCloseDate: 'Thu Feb 01 00:00:00 UTC 2024' }), 'day-with-a-zero'),
  valid(sampleOf({ ...baseGate, gateCloseDate: 'Thu Feb 29 12:00:00 UTC 2024' }), 'leap-day-at-noon'),
  // A date format with the week-based year, such as `YYYY` in Java, reads this day as a day of 2025.
  valid(sampleOf({ ...baseGate, gateCloseDate: 'Tue Dec 31 23:59:59 UTC 2024' }), 'last-day-of-a-year'),
  valid(sampleOf({ ...baseGate, gateCloseDate: 'Tue Jan 19 03:14:08 UTC 2038' }), 'second-2-to-the-31'),
  open('A11', 'other-zone', sampleOf({ ...baseGate, gateCloseDate: 'Wed Jan 31 23:59:59 GMT+03:00 2024' })),
  open('A11', 'other-language', sampleOf({ ...baseGate, gateCloseDate: 'Ср янв 31 23:59:59 MSK 2024' })),
  textEdge('unknown-member', (text) => text.replace('{', '{"unknownMember":{"gateId":1},')),
  textEdge('white-space', (text) => text.replaceAll(',', ',\n  ').replaceAll(':"', ' : "')),
  textEdge('escaped-characters', (text) => text.replace('"10.42"', '"\\u0031\\u0030.42"')),
  textEdge('members-in-reverse-order', reverseMembers),
];

export const gateResults = {
  valid: validGateResult,
  edges: gateResultEdges,
  edge: anyOf(gateResultEdges),
} satisfies Domain<GateSample>;

function sampleOf(gate: Gate): GateSample {
  const members = Object.entries(gate).map(([name, value]) => {
    const isLong = name === 'gateId' || name === 'epntId';
    return `"${name}":${isLong ? String(value) : JSON.stringify(value)}`;
  });
  return { text: `{${members.join(',')}}`, decoded: gate };
}

function textEdge(edge: string, change: (text: string) => string): Labelled<GateSample> {
  return valid({ text: change(sampleOf(baseGate).text), decoded: baseGate }, edge);
}

function gateOf(seed: number): Gate {
  const values: Readonly<Record<GateReading, string | boolean>> = {
    id: String(seed),
    truth: false,
    date: closeDate(seed),
    count: String(seed),
    amount: decimal(seed),
    text: String(seed).padStart(12, '0'),
  };
  const members = Object.values(gateResultFields).map(({ member, reading }) => [member, values[reading]]);
  return Object.fromEntries(members) as Gate;
}

function reverseMembers(text: string): string {
  return `{${text.slice(1, -1).split(',').reverse().join(',')}}`;
}

function closeDate(seed: number): string {
  const date = new Date(seed * 1000);
  // toUTCString returns text such as Sat, 21 Nov 2026 03:44:00 GMT.
  const [weekday, , month, year, clock] = date.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${date.getUTCDate()} ${clock} UTC ${year}`;
}
