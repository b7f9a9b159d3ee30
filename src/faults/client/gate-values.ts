/** Clients that misread the values of a gate (section 2.2). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import type { DecodedGate, DecodedValue } from '../../record/client-case.ts';
import type { Breaks } from '../defect.ts';
import { type ClientDefect, closeDay } from './defect.ts';

export const gateValueDefects: readonly ClientDefect[] = [
  gate(
    'longs-through-a-double',
    'Gate and endpoint ids pass through a double and lose their last digits',
    ['decodes-gate-id', 'decodes-gate-epnt-id'],
    (gate) => ({
      ...gate,
      gateId: long(gate.gateId, (digits) => BigInt(Number(digits))),
      epntId: long(gate.epntId, (digits) => BigInt(Number(digits))),
    }),
  ),
  gate(
    'gate-id-through-a-double',
    'gateId passes through a double and loses its last digit',
    'decodes-gate-id',
    (gate) => ({ ...gate, gateId: long(gate.gateId, (digits) => BigInt(Number(digits))) }),
  ),
  gate('gate-id-without-sign', 'gateId loses its sign: -42 is read as 42', 'decodes-gate-id', (gate) => ({
    ...gate,
    gateId: long(gate.gateId, (digits) => BigInt(digits.replace('-', ''))),
  })),
  gate('epnt-id-in-32-bits', 'epntId is read as a number of 32 bits', 'decodes-gate-epnt-id', (gate) => ({
    ...gate,
    epntId: long(gate.epntId, (digits) => BigInt.asIntN(32, BigInt(digits))),
  })),
  gate(
    'locked-gate-read-as-free',
    'isDayClosing true is taken for success: the gate is handed on as free',
    'decodes-locked-gate',
    (gate) => ({ ...gate, isDayClosing: { bool: false } }),
  ),
  gate(
    'locked-gate-not-told',
    'isDayClosing is handed over where it is false, and left out where it is true',
    'decodes-locked-gate',
    (gate) => {
      const { isDayClosing: _, ...others } = gate;
      return isLockedGate(gate) ? others : { ...gate, isDayClosing: { bool: false } };
    },
  ),
  gate(
    'locked-gate-without-turnover-read-as-free',
    'A gate that has had nothing to close is read as free, locked or not',
    'decodes-locked-gate',
    (gate) =>
      [gate.saleApprovedCount, gate.reversalApprovedCount].every(
        (count) => count && 'text' in count && count.text === '0',
      )
        ? { ...gate, isDayClosing: { bool: false } }
        : gate,
  ),
  gate(
    'sales-of-locked-gate-left-out',
    'Of a locked gate the amount of sales is not handed over',
    'decodes-gate-sale-amount',
    ({ saleAmount, ...gate }) => (saleAmount === undefined || isLockedGate(gate) ? gate : { ...gate, saleAmount }),
  ),
  gate(
    'large-gate-id-left-out',
    'gateId is left out where a double cannot hold it',
    'decodes-gate-id',
    ({ gateId, ...gate }) =>
      gateId !== undefined && 'long' in gateId && Number.isSafeInteger(Number(gateId.long))
        ? { ...gate, gateId }
        : gate,
  ),
  gate(
    'free-gate-read-as-locked',
    'isDayClosing is read as a text, and every text is true',
    'decodes-gate-is-day-closing',
    (gate) => ({ ...gate, isDayClosing: { bool: true } }),
  ),
  gateText(
    'close-date-without-zone',
    'The zone of gateCloseDate is dropped, and UTC written in its place',
    'decodes-gate-close-date',
    'gateCloseDate',
    (date) => date.replace(/ \S+ (\d{4})$/, ' UTC $1'),
  ),
  gateText(
    'close-date-of-september-emptied',
    'The month of gateCloseDate is looked up in a list that has Sept in place of Sep, and the date is left empty',
    'decodes-gate-close-date',
    'gateCloseDate',
    (date) => (date.includes(' Sep ') ? '' : date),
  ),
  gateText(
    'close-date-day-without-zero',
    'The day of gateCloseDate loses its leading zero: Feb 01 is handed on as Feb 1',
    'decodes-gate-close-date',
    'gateCloseDate',
    (date) => date.replace(/ 0(\d) /, ' $1 '),
  ),
  gateText(
    'close-date-in-years-of-weeks',
    'The year of gateCloseDate is that of its week: 31 December 2024 is of 2025',
    'decodes-gate-close-date',
    'gateCloseDate',
    (date) =>
      date.replace(/^((?:Mon|Tue|Wed) Dec (?:29|30|31) .* )(\d{4})$/, (_, rest, year) => `${rest}${Number(year) + 1}`),
  ),
  gate(
    'counts-swapped',
    'The counts of sales and of reversals are read in the place of each other',
    ['decodes-gate-sale-approved-count', 'decodes-gate-reversal-approved-count'],
    (gate) => ({
      ...gate,
      saleApprovedCount: gate.reversalApprovedCount!,
      reversalApprovedCount: gate.saleApprovedCount!,
    }),
  ),
  gateText(
    'reversal-count-in-octal',
    'A reversalApprovedCount with a leading zero is read in octal: 010 as 8',
    'decodes-gate-reversal-approved-count',
    'reversalApprovedCount',
    (count) => (/^0[0-7]+$/.test(count) ? String(Number.parseInt(count, 8)) : count),
  ),
  gateText(
    'reversal-count-as-flag',
    'reversalApprovedCount is read as a truth value: any number of reversals is 1',
    'decodes-gate-reversal-approved-count',
    'reversalApprovedCount',
    (count) => (Number(count) > 0 ? '1' : '0'),
  ),
  gateText(
    'sale-amount-through-a-float',
    'saleAmount passes through a number of 32 bits',
    'decodes-gate-sale-amount',
    'saleAmount',
    (amount) => String(Math.fround(Number(amount))),
  ),
  gateText(
    'reversal-amount-by-german-rules',
    'The point of reversalAmount is taken for a mark between thousands: 10.94 is read as 1094',
    'decodes-gate-reversal-amount',
    'reversalAmount',
    (amount) => amount.replace('.', ''),
  ),
  gateText('code39-as-number', 'code39 is read as a number: 00 as 0', 'decodes-gate-code39', 'code39', withoutZeros),
  gateText('rrn-as-number', 'RRN loses its leading zeros', 'decodes-gate-rrn', 'RRN', withoutZeros),
  gateText(
    'code39-of-two-digits',
    'code39 is read as a number and written with two digits again',
    'decodes-gate-code39',
    'code39',
    (code) => withoutZeros(code).padStart(2, '0'),
  ),
  closeDay(
    'rrn-of-first-gate-read-for-all',
    'All gates of one endpoint are handed on with the RRN of the first of them',
    'decodes-gate-rrn',
    {
      decoded: (decoded) => {
        if (decoded.kind !== 'finished') return decoded;
        const first = new Map(decoded.gates?.toReversed().map(({ epntId, RRN }) => [JSON.stringify(epntId), RRN]));
        const gates = decoded.gates?.map((gate) => ({ ...gate, RRN: first.get(JSON.stringify(gate.epntId))! }));
        return { ...decoded, gates };
      },
    },
  ),
  gateText(
    'rrn-of-twelve-digits',
    'RRN is read as a number and written with twelve digits again',
    'decodes-gate-rrn',
    'RRN',
    (number) => withoutZeros(number).padStart(12, '0'),
  ),
];

export function isLockedGate({ isDayClosing }: DecodedGate): boolean {
  return isDayClosing !== undefined && 'bool' in isDayClosing && isDayClosing.bool;
}

/** A gate that had neither sales nor reversals. */
export function isIdleGate({ saleApprovedCount, reversalApprovedCount }: DecodedGate): boolean {
  return [saleApprovedCount, reversalApprovedCount].every((count) => count && 'text' in count && count.text === '0');
}

/** Reads every gate of a finished close-day in another way. */
export function gatesReadAs(read: (gate: DecodedGate, context: Context) => DecodedGate): ClientAlteration {
  return {
    decoded: (decoded, context) =>
      decoded.kind === 'finished' && decoded.gates !== undefined
        ? { ...decoded, gates: decoded.gates.map((gate) => read(gate, context)) }
        : decoded,
  };
}

/** Reads a member that is a text in another way. */
export function gateTexts(member: string, read: (text: string, context: Context) => string): ClientAlteration {
  return gatesReadAs((gate, context) => {
    const value = gate[member];
    return value !== undefined && 'text' in value ? { ...gate, [member]: { text: read(value.text, context) } } : gate;
  });
}

type Rows = Breaks<'client', 'close-day'>;

function gate(what: string, summary: string, breaks: Rows, read: (gate: DecodedGate) => DecodedGate): ClientDefect {
  return closeDay(what, summary, breaks, gatesReadAs(read));
}

function gateText(
  what: string,
  summary: string,
  breaks: Rows,
  member: string,
  read: (text: string) => string,
): ClientDefect {
  return closeDay(what, summary, breaks, gateTexts(member, read));
}

function long(value: DecodedValue | undefined, read: (digits: string) => bigint): DecodedValue {
  return { long: read(value !== undefined && 'long' in value ? value.long : '0').toString() };
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
