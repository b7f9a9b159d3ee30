/** Clients that misread the values of a gate (section 2.2). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import type { Decoded, DecodedGate, DecodedValue } from '../../record/client-case.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

export const gateValueDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/longs-through-a-double',
    summary: 'Gate and endpoint ids pass through a double and lose their last digits',
    breaks: ['close-day/decodes-gate-id', 'close-day/decodes-gate-epnt-id'],
    alteration: gatesReadAs((gate) => ({
      ...gate,
      gateId: long(gate.gateId, (digits) => BigInt(Number(digits))),
      epntId: long(gate.epntId, (digits) => BigInt(Number(digits))),
    })),
  },
  {
    ...closeDay,
    id: 'close-day/gate-id-through-a-double',
    summary: 'gateId passes through a double and loses its last digit',
    breaks: ['close-day/decodes-gate-id'],
    alteration: gatesReadAs((gate) => ({ ...gate, gateId: long(gate.gateId, (digits) => BigInt(Number(digits))) })),
  },
  {
    ...closeDay,
    id: 'close-day/gate-id-without-sign',
    summary: 'gateId loses its sign: -42 is read as 42',
    breaks: ['close-day/decodes-gate-id'],
    alteration: gatesReadAs((gate) => ({
      ...gate,
      gateId: long(gate.gateId, (digits) => BigInt(digits.replace('-', ''))),
    })),
  },
  {
    ...closeDay,
    id: 'close-day/epnt-id-in-32-bits',
    summary: 'epntId is read as a number of 32 bits',
    breaks: ['close-day/decodes-gate-epnt-id'],
    alteration: gatesReadAs((gate) => ({
      ...gate,
      epntId: long(gate.epntId, (digits) => BigInt.asIntN(32, BigInt(digits))),
    })),
  },
  {
    ...closeDay,
    id: 'close-day/locked-gate-read-as-free',
    summary: 'isDayClosing true is taken for success: the gate is handed on as free',
    breaks: ['close-day/decodes-locked-gate'],
    alteration: gatesReadAs((gate) => ({ ...gate, isDayClosing: { bool: false } })),
  },
  {
    ...closeDay,
    id: 'close-day/locked-gate-not-told',
    summary: 'isDayClosing is handed over where it is false, and left out where it is true',
    breaks: ['close-day/decodes-locked-gate'],
    alteration: gatesReadAs((gate) => {
      const { isDayClosing: _, ...others } = gate;
      return isLockedGate(gate) ? others : { ...gate, isDayClosing: { bool: false } };
    }),
  },
  {
    ...closeDay,
    id: 'close-day/locked-gate-without-turnover-read-as-free',
    summary: 'A gate that has had nothing to close is read as free, locked or not',
    breaks: ['close-day/decodes-locked-gate'],
    alteration: gatesReadAs((gate) =>
      [gate.saleApprovedCount, gate.reversalApprovedCount].every(
        (count) => count && 'text' in count && count.text === '0',
      )
        ? { ...gate, isDayClosing: { bool: false } }
        : gate,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/sales-of-locked-gate-left-out',
    summary: 'Of a locked gate the amount of sales is not handed over',
    breaks: ['close-day/decodes-gate-sale-amount'],
    alteration: gatesReadAs(({ saleAmount, ...gate }) =>
      saleAmount === undefined || isLockedGate(gate) ? gate : { ...gate, saleAmount },
    ),
  },
  {
    ...closeDay,
    id: 'close-day/large-gate-id-left-out',
    summary: 'gateId is left out where a double cannot hold it',
    breaks: ['close-day/decodes-gate-id'],
    alteration: gatesReadAs(({ gateId, ...gate }) =>
      gateId !== undefined && 'long' in gateId && Number.isSafeInteger(Number(gateId.long))
        ? { ...gate, gateId }
        : gate,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/free-gate-read-as-locked',
    summary: 'isDayClosing is read as a text, and every text is true',
    breaks: ['close-day/decodes-gate-is-day-closing'],
    alteration: gatesReadAs((gate) => ({ ...gate, isDayClosing: { bool: true } })),
  },
  {
    ...closeDay,
    id: 'close-day/close-date-without-zone',
    summary: 'The zone of gateCloseDate is dropped, and UTC written in its place',
    breaks: ['close-day/decodes-gate-close-date'],
    alteration: gateTexts('gateCloseDate', (date) => date.replace(/ \S+ (\d{4})$/, ' UTC $1')),
  },
  {
    ...closeDay,
    id: 'close-day/close-date-of-september-emptied',
    summary:
      'The month of gateCloseDate is looked up in a list that has Sept in place of Sep, and the date is left empty',
    breaks: ['close-day/decodes-gate-close-date'],
    alteration: gateTexts('gateCloseDate', (date) => (date.includes(' Sep ') ? '' : date)),
  },
  {
    ...closeDay,
    id: 'close-day/close-date-day-without-zero',
    summary: 'The day of gateCloseDate loses its leading zero: Feb 01 is handed on as Feb 1',
    breaks: ['close-day/decodes-gate-close-date'],
    alteration: gateTexts('gateCloseDate', (date) => date.replace(/ 0(\d) /, ' $1 ')),
  },
  {
    ...closeDay,
    id: 'close-day/close-date-in-years-of-weeks',
    summary: 'The year of gateCloseDate is that of its week: 31 December 2024 is of 2025',
    breaks: ['close-day/decodes-gate-close-date'],
    alteration: gateTexts('gateCloseDate', (date) =>
      date.replace(/^((?:Mon|Tue|Wed) Dec (?:29|30|31) .* )(\d{4})$/, (_, rest, year) => `${rest}${Number(year) + 1}`),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/counts-swapped',
    summary: 'The counts of sales and of reversals are read in the place of each other',
    breaks: ['close-day/decodes-gate-sale-approved-count', 'close-day/decodes-gate-reversal-approved-count'],
    alteration: gatesReadAs((gate) => ({
      ...gate,
      saleApprovedCount: gate.reversalApprovedCount!,
      reversalApprovedCount: gate.saleApprovedCount!,
    })),
  },
  {
    ...closeDay,
    id: 'close-day/reversal-count-in-octal',
    summary: 'A reversalApprovedCount with a leading zero is read in octal: 010 as 8',
    breaks: ['close-day/decodes-gate-reversal-approved-count'],
    alteration: gateTexts('reversalApprovedCount', (count) =>
      /^0[0-7]+$/.test(count) ? String(Number.parseInt(count, 8)) : count,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/reversal-count-as-flag',
    summary: 'reversalApprovedCount is read as a truth value: any number of reversals is 1',
    breaks: ['close-day/decodes-gate-reversal-approved-count'],
    alteration: gateTexts('reversalApprovedCount', (count) => (Number(count) > 0 ? '1' : '0')),
  },
  {
    ...closeDay,
    id: 'close-day/sale-amount-through-a-float',
    summary: 'saleAmount passes through a number of 32 bits',
    breaks: ['close-day/decodes-gate-sale-amount'],
    alteration: gateTexts('saleAmount', (amount) => String(Math.fround(Number(amount)))),
  },
  {
    ...closeDay,
    id: 'close-day/reversal-amount-by-german-rules',
    summary: 'The point of reversalAmount is taken for a mark between thousands: 10.94 is read as 1094',
    breaks: ['close-day/decodes-gate-reversal-amount'],
    alteration: gateTexts('reversalAmount', (amount) => amount.replace('.', '')),
  },
  {
    ...closeDay,
    id: 'close-day/code39-as-number',
    summary: 'code39 is read as a number: 00 as 0',
    breaks: ['close-day/decodes-gate-code39'],
    alteration: gateTexts('code39', withoutZeros),
  },
  {
    ...closeDay,
    id: 'close-day/rrn-as-number',
    summary: 'RRN loses its leading zeros',
    breaks: ['close-day/decodes-gate-rrn'],
    alteration: gateTexts('RRN', withoutZeros),
  },
  {
    ...closeDay,
    id: 'close-day/code39-of-two-digits',
    summary: 'code39 is read as a number and written with two digits again',
    breaks: ['close-day/decodes-gate-code39'],
    alteration: gateTexts('code39', (code) => withoutZeros(code).padStart(2, '0')),
  },
  {
    ...closeDay,
    id: 'close-day/rrn-of-first-gate-read-for-all',
    summary: 'All gates of one endpoint are handed on with the RRN of the first of them',
    breaks: ['close-day/decodes-gate-rrn'],
    alteration: only('close-day', {
      decoded: (decoded) => {
        if (decoded.kind !== 'finished') return decoded;
        const first = new Map(decoded.gates?.toReversed().map(({ epntId, RRN }) => [JSON.stringify(epntId), RRN]));
        const gates = decoded.gates?.map((gate) => ({ ...gate, RRN: first.get(JSON.stringify(gate.epntId))! }));
        return { ...decoded, gates };
      },
    }),
  },
  {
    ...closeDay,
    id: 'close-day/rrn-of-twelve-digits',
    summary: 'RRN is read as a number and written with twelve digits again',
    breaks: ['close-day/decodes-gate-rrn'],
    alteration: gateTexts('RRN', (number) => withoutZeros(number).padStart(12, '0')),
  },
];

export function isLockedGate({ isDayClosing }: DecodedGate): boolean {
  return isDayClosing !== undefined && 'bool' in isDayClosing && isDayClosing.bool;
}

/** Reads every gate of a finished close-day in another way. */
export function gatesReadAs(read: (gate: DecodedGate, context: Context) => DecodedGate): ClientAlteration {
  return only('close-day', {
    decoded: (decoded: Decoded, context) =>
      decoded.kind === 'finished' && decoded.gates !== undefined
        ? { ...decoded, gates: decoded.gates.map((gate) => read(gate, context)) }
        : decoded,
  });
}

/** Reads a member that is a text in another way. */
export function gateTexts(member: string, read: (text: string, context: Context) => string): ClientAlteration {
  return gatesReadAs((gate, context) => {
    const value = gate[member];
    return value !== undefined && 'text' in value ? { ...gate, [member]: { text: read(value.text, context) } } : gate;
  });
}

function long(value: DecodedValue | undefined, read: (digits: string) => bigint): DecodedValue {
  return { long: read(value !== undefined && 'long' in value ? value.long : '0').toString() };
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
