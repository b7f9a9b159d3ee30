/** Clients that misread the values of a gate (section 2.2). */
import type { DecodedGate } from '../../record/client-case.ts';
import { breaking } from '../defect.ts';
import { type ClientDefect, closeDay } from './defect.ts';

const gateId = breaking(closeDay, 'decodes-gate-id');
const locked = breaking(closeDay, 'decodes-locked-gate');
const date = breaking(closeDay, 'decodes-gate-close-date');
const reversals = breaking(closeDay, 'decodes-gate-reversal-approved-count');
const saleAmount = breaking(closeDay, 'decodes-gate-sale-amount');
const code39 = breaking(closeDay, 'decodes-gate-code39');
const rrn = breaking(closeDay, 'decodes-gate-rrn');

export const gateValueDefects: readonly ClientDefect[] = [
  closeDay(
    'longs-through-a-double',
    'Gate and endpoint ids pass through a double and lose their last digits',
    ['decodes-gate-id', 'decodes-gate-epnt-id'],
    { gateLong: { gateId: throughADouble, epntId: throughADouble } },
  ),
  gateId('gate-id-through-a-double', 'gateId passes through a double and loses its last digit', {
    gateLong: { gateId: throughADouble },
  }),
  gateId('gate-id-without-sign', 'gateId loses its sign: -42 is read as 42', {
    gateLong: { gateId: (digits) => BigInt(digits.replace('-', '')) },
  }),
  closeDay('epnt-id-in-32-bits', 'epntId is read as a number of 32 bits', 'decodes-gate-epnt-id', {
    gateLong: { epntId: (digits) => BigInt.asIntN(32, BigInt(digits)) },
  }),
  locked('locked-gate-read-as-free', 'isDayClosing true is taken for success: the gate is handed on as free', {
    gate: readAsFree,
  }),
  locked('locked-gate-not-told', 'isDayClosing is handed over where it is false, and left out where it is true', {
    gate: (gate) => (isLockedGate(gate) ? lacking(gate, 'isDayClosing') : gate),
  }),
  locked(
    'locked-gate-without-turnover-read-as-free',
    'A gate that has had nothing to close is read as free, locked or not',
    { gate: (gate) => (isIdleGate(gate) ? readAsFree(gate) : gate) },
  ),
  saleAmount('sales-of-locked-gate-left-out', 'Of a locked gate the amount of sales is not handed over', {
    gate: (gate) => (isLockedGate(gate) ? lacking(gate, 'saleAmount') : gate),
  }),
  gateId('large-gate-id-left-out', 'gateId is left out where a double cannot hold it', {
    gate: (gate) => (Number.isSafeInteger(Number(textOf(gate.gateId))) ? gate : lacking(gate, 'gateId')),
  }),
  closeDay(
    'free-gate-read-as-locked',
    'isDayClosing is read as a text, and every text is true',
    'decodes-gate-is-day-closing',
    { gate: (gate) => ({ ...gate, isDayClosing: { bool: true } }) },
  ),
  date('close-date-without-zone', 'The zone of gateCloseDate is dropped, and UTC written in its place', {
    gateText: { gateCloseDate: (text) => text.replace(/ \S+ (\d{4})$/, ' UTC $1') },
  }),
  date(
    'close-date-of-september-emptied',
    'The month of gateCloseDate is looked up in a list that has Sept in place of Sep, and the date is left empty',
    { gateText: { gateCloseDate: (text) => (text.includes(' Sep ') ? '' : text) } },
  ),
  date('close-date-day-without-zero', 'The day of gateCloseDate loses its leading zero: Feb 01 is handed on as Feb 1', {
    gateText: { gateCloseDate: (text) => text.replace(/ 0(\d) /, ' $1 ') },
  }),
  date('close-date-in-years-of-weeks', 'The year of gateCloseDate is that of its week: 31 December 2024 is of 2025', {
    gateText: {
      gateCloseDate: (text) =>
        text.replace(/(?<=^(?:Mon|Tue|Wed) Dec (?:29|30|31) .* )\d{4}$/, (year) => `${Number(year) + 1}`),
    },
  }),
  closeDay(
    'counts-swapped',
    'The counts of sales and of reversals are read in the place of each other',
    ['decodes-gate-sale-approved-count', 'decodes-gate-reversal-approved-count'],
    {
      gate: (gate) => ({
        ...gate,
        saleApprovedCount: gate.reversalApprovedCount!,
        reversalApprovedCount: gate.saleApprovedCount!,
      }),
    },
  ),
  reversals('reversal-count-in-octal', 'A reversalApprovedCount with a leading zero is read in octal: 010 as 8', {
    gateText: {
      reversalApprovedCount: (count) => (/^0[0-7]+$/.test(count) ? String(Number.parseInt(count, 8)) : count),
    },
  }),
  reversals('reversal-count-as-flag', 'reversalApprovedCount is read as a truth value: any number of reversals is 1', {
    gateText: { reversalApprovedCount: (count) => (Number(count) > 0 ? '1' : '0') },
  }),
  saleAmount('sale-amount-through-a-float', 'saleAmount passes through a number of 32 bits', {
    gateText: { saleAmount: (amount) => String(Math.fround(Number(amount))) },
  }),
  closeDay(
    'reversal-amount-by-german-rules',
    'The point of reversalAmount is taken for a mark between thousands: 10.94 is read as 1094',
    'decodes-gate-reversal-amount',
    { gateText: { reversalAmount: (amount) => amount.replace('.', '') } },
  ),
  code39('code39-as-number', 'code39 is read as a number: 00 as 0', { gateText: { code39: withoutZeros } }),
  rrn('rrn-as-number', 'RRN loses its leading zeros', { gateText: { RRN: withoutZeros } }),
  code39('code39-of-two-digits', 'code39 is read as a number and written with two digits again', {
    gateText: { code39: (code) => withoutZeros(code).padStart(2, '0') },
  }),
  rrn('rrn-of-first-gate-read-for-all', 'All gates of one endpoint are handed on with the RRN of the first of them', {
    gates: (gates) => {
      const first = new Map(gates.toReversed().map(({ epntId, RRN }) => [textOf(epntId), RRN]));
      return gates.map((gate) => ({ ...gate, RRN: first.get(textOf(gate.epntId))! }));
    },
  }),
  rrn('rrn-of-twelve-digits', 'RRN is read as a number and written with twelve digits again', {
    gateText: { RRN: (number) => withoutZeros(number).padStart(12, '0') },
  }),
];

export function isLockedGate({ isDayClosing }: DecodedGate): boolean {
  return textOf(isDayClosing) === 'true';
}

/** A gate that had neither sales nor reversals. */
export function isIdleGate({ saleApprovedCount, reversalApprovedCount }: DecodedGate): boolean {
  return [saleApprovedCount, reversalApprovedCount].every((count) => textOf(count) === '0');
}

export function readAsFree(gate: DecodedGate): DecodedGate {
  return { ...gate, isDayClosing: { bool: false } };
}

function lacking(gate: DecodedGate, member: string): DecodedGate {
  return Object.fromEntries(Object.entries(gate).filter(([name]) => name !== member));
}

function textOf(value: DecodedGate[string] | undefined): string {
  return String(Object.values(value ?? {})[0]);
}

function throughADouble(digits: string): bigint {
  return BigInt(Number(digits));
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
